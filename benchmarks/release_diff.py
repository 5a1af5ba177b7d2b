"""diff of two releases without images, of ten thousand to a million records: time and memory.

    python -m benchmarks.release_diff [--rows 1000000]
    python -m benchmarks.release_diff --side BEFORE AFTER

The first writes both releases with the program's own writers, compares them in a process of its own, and prints the
table. The second is that process: it prints one line of JSON; what Python takes to start and to import is left out.

Nine of ten records are kept. Of the newer release 1 % is new, 1 % gone, 1 % fell to another threshold; 1 % has another
title, 1 % other rights, 1 % another file, and a box of 1 % was drawn anew.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import yaml

from benchmarks import results
from schemas.contract import part_path
from schemas.manifests import ReleaseManifest
from schemas.tables import ANNOTATIONS, DETECTIONS, EDGES, IMAGES, LEDGER, RECORDS
from tasks.core.export import digest
from tasks.io.files import contracts
from tasks.io.store.drafts import Draft
from tasks.io.store.store import Store

GROWTH = (10_000, 100_000, 1_000_000)
MOST_S, MOST_MB = 20, 2000
_GROUP = 100_000
_NEW, _GONE, _SMALL, _TITLE, _RIGHTS, _FILE, _BOX, _OUT = 3, 13, 23, 33, 43, 53, 63, 9
"""Which hundredth, or for the last which tenth, of the records is meant."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, help="only this many records")
    parser.add_argument("--side", nargs=2, metavar=("BEFORE", "AFTER"), help="compare two releases, once")
    arguments = parser.parse_args()
    if arguments.side:
        print(json.dumps(side(*arguments.side)))
        return 0
    rows = [measured(count) for count in ([arguments.rows] if arguments.rows else GROWTH)]
    largest = rows[-1]
    if not arguments.rows:
        results.write(
            "release-diff",
            rows,
            {
                "diff_1e6_s": largest["seconds"],
                "diff_1e6peak_mb": largest["peak_mb"],
                "diff_1e6_growth_mb": largest["growth_mb"],
            },
        )
    else:
        print(results.markdown(rows))
    return 0 if largest["seconds"] < MOST_S and largest["peak_mb"] < MOST_MB else 1


def measured(count: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="release-diff-") as scratch:
        urls = [write(Path(scratch) / name, count, is_newer=name == "after") for name in ("before", "after")]
        found = results.child("benchmarks.release_diff", sys.executable, "--side", *urls)
    return {"records": count, **found}


def side(before: str, after: str) -> dict[str, Any]:
    from tasks.diff import diff, write

    started_mb = peak_mb()
    with tempfile.TemporaryDirectory() as folder:
        began, cpu = time.perf_counter(), time.process_time()
        found = diff(before, after)
        seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu
        write(found, folder)
        written = time.perf_counter() - began
    unknown = pc.sum(pc.equal(found.changes["reason"], "unknown")).as_py() or 0
    return {
        "changes": found.changes.num_rows,
        "unknown": unknown,
        "seconds": round(seconds, 2),
        "cpu_seconds": round(cpu_seconds, 2),
        "seconds_with_files": round(written, 2),
        "peak_mb": round(peak_mb()),
        "growth_mb": round(peak_mb() - started_mb),
    }


def write(folder: Path, count: int, *, is_newer: bool) -> str:
    """A release of that many records in a store of its own; its URL."""
    tables = release_tables(count, is_newer=is_newer)
    with Draft(Store(str(folder))) as draft:
        for path, table in tables.items():
            groups = [table.slice(start, _GROUP) for start in range(0, table.num_rows, _GROUP)]
            draft.write_parquet(path, groups or [table], table.schema)
        recipe = {**_RECIPE, "stages": [_screen(96 if is_newer else 64), *_RECIPE["stages"]]}
        draft.write("recipe.yaml", yaml.safe_dump(recipe).encode())
        version = f"{int(is_newer):012x}"
        manifest = ReleaseManifest(
            name="synthetic",
            version=version,
            previous=f"{0:012x}" if is_newer else None,
            lineage=1,
            split_sha256="",
            contract_version=contracts.version(),
            content_sha256="",
            recipe_sha256=version,
            counts={},
            content={},
            files=draft.files,
            environment={},
        )
        return draft.publish(digest.sealed(manifest))


_RECIPE: dict[str, Any] = {
    "name": "synthetic",
    "sources": [{"table": {"name": "s", "at": "images"}}],
    "stages": [{"sample": {"label": "sample"}}, {"split": {"label": "split"}}, {"export": {"label": "export"}}],
}


def _screen(least_side_px: int) -> dict[str, Any]:
    return {"screen": {"label": "shape", "least_side_px": least_side_px}}


def release_tables(count: int, *, is_newer: bool) -> dict[str, pa.Table]:
    """The tables of a release by path, sorted by record_id."""
    number = np.arange(count * 101 // 100)
    hundredth = number % 100
    # what is behind the first `count` is new; in the older release the ledger has not heard of it
    number = number if is_newer else number[:count]
    hundredth = number % 100
    kept = (number % 10 != _OUT) & ~(is_newer & np.isin(hundredth, [_GONE, _SMALL]))
    names = _text("s:", number)
    stamp = pa.repeat(pa.scalar(0, pa.timestamp("us", tz="UTC")), len(number))
    split = pa.array(np.where(number % 5 == 0, "val", np.where(number % 5 == 1, "test", "train")))
    sha256 = _digests(number, is_newer & (hundredth == _FILE))
    is_gone = is_newer & (hundredth == _GONE) & (number % 10 != _OUT)
    is_small = is_newer & (hundredth == _SMALL) & (number % 10 != _OUT)
    reason = np.where(kept, None, np.where(is_gone, "gone", np.where(is_small, "too_small", "not_drawn")))
    stage = np.where(kept, None, np.where(is_gone, "scrape", np.where(is_small, "shape", "sample")))
    known = {
        "record_id": names,
        "source": pa.repeat("s", len(number)),
        "source_url": _text("https://example.org/works/", number),
        "image_url": _text("https://example.org/images/", number),
        "title": _text(np.where(is_newer & (hundredth == _TITLE), "Another title ", "A title "), number),
        "artist": _text("An artist ", number % 20_000),
        "style": _text("Style ", number % 60),
        "artists": _lists(_text("An artist ", number % 20_000)),
        "artist_roles": _lists(pa.repeat("", len(number))),
        "styles": _lists(_text("Style ", number % 60)),
        "date_text": _text("about 1", number % 900 + 100),
        **dict.fromkeys(("year", "year_first", "year_last"), pa.array((number % 900 + 1000).astype(np.int32))),
        "rights_uri": pa.array(np.where(is_newer & (hundredth == _RIGHTS), "NOASSERTION", _CC0)),
        "rights_basis": pa.repeat("source", len(number)),
        "is_annotated": pa.repeat(pa.scalar(True), len(number)),
    }
    images = {
        **known,
        "image_id": pa.array(number + 1),
        "source_urls": _lists(known["source_url"]),
        "sha256": sha256,
        "phash": pa.array((number * 2_654_435_761).astype(np.uint64)),
        "phash_recipe": pa.repeat("phash64/look-v3", len(number)),
        "width_px": pa.array((number % 900 + 100).astype(np.int32)),
        "height_px": pa.array((number % 700 + 100).astype(np.int32)),
        "format": pa.repeat("JPEG", len(number)),
        "group_id": names,
        "split": split,
        "retrieved_at": stamp,
    }
    book = {
        "record_id": names,
        "source": known["source"],
        "kept": pa.array(kept),
        "stage": pa.array(stage, pa.string()),
        "reason": pa.array(reason, pa.string()),
        "last_split": split,
        "image_id": images["image_id"],
        "sha256": sha256,
        "retrieved_at": stamp,
    }
    redrawn = is_newer & (hundredth == _BOX)
    boxes = {
        "annotation_id": pa.array(number + 1 + redrawn * 10_000_000),
        "image_id": images["image_id"],
        "record_id": names,
        "split": split,
        "category_id": pa.array(np.ones(len(number), np.int32)),
        "xywh_px": pa.FixedSizeListArray.from_arrays(
            pa.array(np.stack([number % 50, number % 40, number % 30 + 9.0 + redrawn, number % 20 + 9.0], 1).ravel()), 4
        ),
        "area_px2": pa.array(number * 1.0),
        "is_crowd": pa.repeat(pa.scalar(False), len(number)),
        "origin": pa.repeat("source", len(number)),
        "origin_name": pa.repeat("source", len(number)),
    }
    found = {"ledger.parquet": _table(book, LEDGER), "relations.parquet": EDGES.empty_table()}
    found["records.parquet"] = _table({**known, "locator": known["image_url"]}, RECORDS)
    for name in ("train", "val", "test"):
        for table, columns, schema in (("images", images, IMAGES), ("annotations", boxes, ANNOTATIONS)):
            whole = _table(columns, schema).filter(pa.array(kept))
            found[part_path(table, name, 0, 1)] = whole.filter(pc.equal(whole["split"], name))
        found[part_path("detections", name, 0, 1)] = DETECTIONS.empty_table()
    return found


_CC0 = "http://creativecommons.org/publicdomain/zero/1.0/"


def _table(columns: dict[str, Any], schema: pa.Schema) -> pa.Table:
    rows = len(columns["record_id"])
    return pa.table([columns.get(field.name, pa.nulls(rows, field.type)) for field in schema], schema=schema)


def _lists(texts: pa.Array) -> pa.Array:
    """Each text as a list of its own."""
    return pa.ListArray.from_arrays(pa.array(np.arange(len(texts) + 1, dtype=np.int32)), texts)


def _text(head: Any, number: Any) -> pa.Array:
    heads = head if isinstance(head, str) else pa.array(head)
    return pc.binary_join_element_wise(heads, pc.utf8_lpad(pa.array(number).cast(pa.string()), 8, "0"), "")


def _digests(number: Any, is_other: Any) -> pa.Array:
    """Sixty-four digits that no other record has."""
    words = [pc.utf8_lpad(pa.array((number * 7919 + is_other) % 99_999_989).cast(pa.string()), 16, "0")] * 4
    return pc.binary_join_element_wise(*words, "")


def peak_mb() -> float:
    """Of this process alone: `ru_maxrss` would begin with that of whoever started it."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    sys.exit(main())
