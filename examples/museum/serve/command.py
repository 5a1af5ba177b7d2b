"""What `museum serve` does: choose the works, images, faults and log, and start the server."""

import argparse
import contextlib
import sys
from collections.abc import Mapping
from pathlib import Path

from examples.museum.serve.faults import faults_from_words
from examples.museum.serve.images import images_of_hall
from examples.museum.serve.routes import routes
from examples.museum.serve.server import log_to_file, no_log, serve
from examples.museum.serve.site import Log, Site
from examples.museum.serve.works import LEAST_ROWS, CatalogueHall, Works, hall_from_folder

_RECORDS = 1000


def run(args: argparse.Namespace) -> None:
    """Serve until the program is stopped; print one line when it is ready.

    Raises:
        ValueError: options that cannot be combined, or are out of range.
        OSError: a file cannot be read or written, or the port is taken.
    """
    hall = _hall(args)
    faults = faults_from_words(args.faults, args.fault_seed, args.fault_kinds)
    images = images_of_hall(hall, args.cache)
    site = Site(hall, images, routes(), faults, args.rate, _prefixes_by_host(args.disallow))
    hall.make_lists()  # now, so that no request waits for it
    with contextlib.ExitStack() as stack:
        log: Log = no_log
        if args.log is not None:
            # line by line, so that the log can be read while the server runs
            log = log_to_file(stack.enter_context(args.log.open("w", encoding="utf-8", buffering=1)))
        serve(site, args.port, log, _print_url)


def _hall(args: argparse.Namespace) -> Works:
    folder: Path | None = args.folder
    seed: int = 0 if args.seed is None else args.seed
    if folder is None:
        records = _RECORDS if args.records is None else args.records
        if records < LEAST_ROWS:
            raise ValueError(f"expected at least {LEAST_ROWS} records, got {records}")
        return CatalogueHall(seed, records, args.paintings)
    if args.records is not None or args.paintings is not None:
        raise ValueError(f"expected a folder, or --records and --paintings, got both: {folder}")
    if not folder.is_dir():
        raise ValueError(f"expected a folder of images, got {folder}")
    return hall_from_folder(folder, seed)


def _prefixes_by_host(words: list[str]) -> Mapping[str, tuple[str, ...]]:
    """Path prefixes by host, of words such as www.wikiart.org/en/App."""
    prefixes: dict[str, tuple[str, ...]] = {}
    for word in words:
        host, slash, path = word.partition("/")
        if not host or not path:
            raise ValueError(f"expected HOST/PREFIX to disallow, got '{word}'")
        prefixes[host] = (*prefixes.get(host, ()), slash + path)
    return prefixes


def _print_url(url: str) -> None:
    sys.stdout.write(f"museum: {url}\n")
    sys.stdout.flush()
