"""`bilderatlas museum paint`, `museum grade` and `museum serve`: the commands of the pretend museum."""

import argparse
import sys
from pathlib import Path
from typing import Any

from schemas.errors import BadInput


def add(commands: Any) -> None:
    """Add the museum's commands to those of a program."""
    text = "the pretend museum: paint it, serve it over HTTP, or grade a release of it"
    parser = commands.add_parser("museum", help=text, description=f"T{text[1:]}.")
    group = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_paint(group)
    _add_grade(group)
    _add_raters(group)
    _add_serve(group)


def _add_paint(commands: Any) -> None:
    text = "paint works into a folder, with known figures, copies and faults"
    parser = commands.add_parser("paint", help=text, description=f"P{text[1:]}.")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where to paint: an empty folder or a new one")
    parser.add_argument("--records", type=int, required=True, metavar="N", help="rows of the table, copies included")
    parser.add_argument("--seed", type=int, required=True, metavar="S", help="each seed gives another museum")
    parser.add_argument("--processes", type=int, metavar="P", help="processes that paint (default: one for each core)")
    parser.set_defaults(command=paint)


def _add_grade(commands: Any) -> None:
    text = "compare what a release dropped as copies with the copies that the museum planted"
    parser = commands.add_parser("grade", help=text, description=f"C{text[1:]}.")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the museum")
    parser.add_argument("release", type=Path, metavar="RELEASE", help="a release built from it, or its `latest`")
    parser.add_argument(
        "--least-recall",
        type=float,
        default=0.95,
        metavar="R",
        help="exit with status 1 if fewer copies were found, as a fraction (default: %(default)s)",
    )
    parser.set_defaults(command=grade)


def _add_raters(commands: Any) -> None:
    text = "simulate people who draw boxes around the museum's figures, each with errors of their own"
    parser = commands.add_parser("raters", help=text, description=f"S{text[1:]}.")
    parser.add_argument("file", type=Path, metavar="FILE.parquet", help="where to write the table of boxes and ratings")
    parser.add_argument(
        "--seed", type=int, required=True, metavar="S", help="the museum's; its pictures need not be painted"
    )
    parser.add_argument("--raters", type=int, default=18, metavar="N", help="how many people (default: %(default)s)")
    parser.add_argument("--works", type=int, default=218, metavar="N", help="how many works (default: %(default)s)")
    parser.add_argument(
        "--each", type=int, default=146, metavar="N", help="works that each sees (default: %(default)s)"
    )
    parser.set_defaults(command=raters)


def _add_serve(commands: Any) -> None:
    text = "serve the museum over HTTP on localhost, under the sources' host names and in their formats"
    parser = commands.add_parser("serve", help=text, description=f"S{text[1:]}.")
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        metavar="FOLDER",
        help="a painted museum, or any folder of images (default: works are painted when somebody asks for them)",
    )
    parser.add_argument("--records", type=int, metavar="N", help="without FOLDER: number of records (default: 1000)")
    parser.add_argument("--seed", type=int, metavar="S", help="each seed gives another museum (default: 0)")
    parser.add_argument("--paintings", type=int, metavar="N", help="paint only N works and use them for all records")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="keep these paintings here for the next time")
    parser.add_argument("--port", type=int, default=0, metavar="P", help="0 means any free port (default: %(default)s)")
    parser.add_argument(
        "--faults",
        type=float,
        default=0.0,
        metavar="FRACTION",
        help="fraction of URLs with each kind of fault (default: 0)",
    )
    parser.add_argument(
        "--fault-kinds",
        default="all",
        metavar="A,B",
        help="all, passing, lasting, names of faults, images:NAME or answers:NAME (default: %(default)s)",
    )
    parser.add_argument("--fault-seed", type=int, default=0, metavar="S", help="which URLs have faults (default: 0)")
    parser.add_argument("--rate", type=float, metavar="R", help="requests per second that each host allows")
    parser.add_argument(
        "--disallow",
        action="append",
        default=[],
        metavar="HOST/PREFIX",
        help="forbid these addresses in the host's robots.txt; may be repeated",
    )
    parser.add_argument("--log", type=Path, metavar="FILE", help="write a line of JSON for each request")
    parser.set_defaults(command=serve)


def paint(arguments: argparse.Namespace) -> int:
    """Paint a museum, and print where it is."""
    from examples.museum.folder import write_museum  # imports OpenCV, which help should not wait for

    folder, records, seed = arguments.folder, arguments.records, arguments.seed
    progress = _print_progress if sys.stderr.isatty() else None
    try:
        write_museum(folder, records, seed, arguments.processes, progress)
    except ValueError as problem:
        raise BadInput(f"museum: {problem}") from problem
    except OSError as problem:
        raise BadInput(
            f"museum: expected a folder that can be written, got '{folder}' ({problem.strerror or problem})"
        ) from problem
    print(f"museum: {folder} ({records} records, seed {seed})")
    return 0


def grade(arguments: argparse.Namespace) -> int:
    """Print precision and recall; the status is 1 where either is too low."""
    from examples.museum.grade import grade, lines_from_grade

    release = arguments.release
    try:
        if release.is_file():  # `latest` holds the newest version's name
            release = release.parent / release.read_text(encoding="utf-8").strip()
        result = grade(arguments.folder, release)
    except (OSError, UnicodeDecodeError) as problem:
        raise BadInput(f"museum: expected a museum and a release built from it, got {problem}") from problem
    print("\n".join(lines_from_grade(result)))
    return 0 if result.precision == 1.0 and result.recall >= arguments.least_recall else 1


def raters(arguments: argparse.Namespace) -> int:
    """Write what simulated raters draw on the museum's first works."""
    from examples.museum.raters import rated_works, simulate_raters  # imports OpenCV, which help should not wait for
    from tasks.io.files import outputs
    from tasks.io.store.store import parquet_bytes

    seed, each = arguments.seed, arguments.each
    if not 1 <= each <= arguments.works or arguments.raters < 1:
        raise BadInput(f"museum: expected raters who each see 1 to {arguments.works} of the works, got --each {each}")
    outputs.check_writable("museum", str(arguments.file), makes_folder=False)
    table = simulate_raters(seed, list(rated_works(seed, arguments.works)), arguments.raters, each)
    outputs.write_file("museum", str(arguments.file), parquet_bytes(table))
    print(f"raters: {arguments.file} ({arguments.raters} raters, {arguments.works} works, seed {seed})")
    return 0


def serve(arguments: argparse.Namespace) -> int:
    """Serve until the program is stopped."""
    from examples.museum.serve.command import run

    try:
        run(arguments)
    except ValueError as problem:
        raise BadInput(f"museum: {problem}") from problem
    except OSError as problem:
        raise BadInput(f"museum: expected to be able to serve, got '{problem}'") from problem
    return 0


def _print_progress(done: int, total: int) -> None:
    sys.stderr.write(f"\rpainted {done} of {total}{chr(10) if done == total else ''}")
    sys.stderr.flush()
