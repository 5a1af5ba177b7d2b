"""Two datasets side by side by their fingerprints, of ten thousand to a million images each: time and memory.

    python -m benchmarks.overlap [--images 1000000] [--views]
    python -m benchmarks.overlap --side ONE OTHER

The first draws two files of fingerprints, compares them in a process of its own and prints the table. The second is
that process: it reads both, as `verify --against` does, and prints one line of JSON. Hashes are random, with 62 coins'
worth of independent bits, as painted works have them; one picture in a hundred is in both, saved again (up to 3 bits
apart), and one in a thousand the same file. Half of those with views are crops: near a view of the other alone.
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
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks import results
from benchmarks.campaign import watched
from schemas.tables import FINGERPRINTS
from tasks.core import overlap
from tasks.core.dedup import views
from tasks.io.images.inspection import PHASH
from tasks.verify.against import compare
from tasks.verify.datasets import open_dataset

GROWTH = (10_000, 100_000, 1_000_000)
MOST_S, MOST_MB = 60, 2000
NAMES = ("crops", "inner")
_VIEWS = sum(len(views.VIEWS[name]) for name in NAMES)
_COPY_EVERY, _SAME_EVERY = 100, 1000
_PIECE = 50_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, help="only this many images in each dataset, and no result is written")
    parser.add_argument("--views", action="store_true", help="with --images: with hashes of views")
    parser.add_argument("--side", nargs=2, metavar=("ONE", "OTHER"), help="compare two files, once")
    arguments = parser.parse_args()
    if arguments.side:
        print(json.dumps(side(*arguments.side)))
        return 0
    if arguments.images:
        print(measured(arguments.images, has_views=arguments.views))
        return 0
    rows = [measured(count, has_views=has_views) for has_views in (False, True) for count in GROWTH]
    (largest, with_views) = (row for row in rows if row["images"] == GROWTH[-1])
    ratios = {
        "against_1e6_s": largest["seconds"],
        "against_1e6_peak_mb": largest["peak_mb"],
        "against_1e6_views_s": with_views["seconds"],
        "against_1e6_views_peak_mb": with_views["peak_mb"],
    }
    results.write("overlap", rows, ratios)
    return int(largest["seconds"] > MOST_S or largest["peak_mb"] > MOST_MB)


def measured(images: int, *, has_views: bool) -> dict[str, Any]:
    """A row of the table: two datasets of so many images each."""
    with tempfile.TemporaryDirectory() as folder:
        one, other = Path(folder, "one.parquet"), Path(folder, "other.parquet")
        _draw(one, other, images, has_views=has_views)
        words = [sys.executable, "-m", "benchmarks.overlap", "--side", str(one), str(other)]
        status, _, peak_mb, said = watched(words)
    if status:
        raise SystemExit(f"expected a comparison, got status {status}: {said}")
    row = {"images": images, "views": _VIEWS if has_views else 0, **json.loads(said.splitlines()[-1])}
    return {**row, "copies": images // _COPY_EVERY, "peak_mb": round(peak_mb)}


def side(one: str, other: str) -> dict[str, Any]:
    """Seconds from the files to the answer; without what Python takes to start and to import."""
    began = time.perf_counter()
    found = compare(open_dataset(one), open_dataset(other), None)
    kinds = found.rows["relation"].null_count
    seconds = round(time.perf_counter() - began, 2)
    return {"seconds": seconds, "same": found.rows.num_rows - kinds, "near": kinds}


def _draw(one: Path, other: Path, images: int, *, has_views: bool) -> None:
    """Both files, piece by piece: the first has the hashes of views, the second those of whole pictures alone."""
    rng = np.random.default_rng(2031)
    recipe = overlap.recipe_of(NAMES) if has_views else None
    with pq.ParquetWriter(one, FINGERPRINTS) as mine, pq.ParquetWriter(other, FINGERPRINTS) as its:
        for start in range(0, images, _PIECE):
            rows = np.arange(start, min(start + _PIECE, images))
            phash, theirs = _hashes(rng, len(rows)), _hashes(rng, len(rows))
            seen = _hashes(rng, len(rows) * _VIEWS).reshape(len(rows), _VIEWS) if has_views else None
            is_copy = rows % _COPY_EVERY == 0
            copies = np.flatnonzero(is_copy)
            theirs[copies] = phash[copies]
            if seen is not None:
                crops = copies[::2]
                theirs[crops] = seen[crops, 7]
            theirs[copies] ^= np.uint64(1) << rng.integers(0, 64, len(copies)).astype(np.uint64)
            shas = [f"{row:064x}" for row in rows]
            same = rows % _SAME_EVERY == 0
            other_shas = [sha if is_same else f"f{sha[1:]}" for sha, is_same in zip(shas, same, strict=True)]
            mine.write_table(_table(rows, shas, phash, seen, recipe))
            its.write_table(_table(rows, other_shas, theirs, None, None))


def _hashes(rng: np.random.Generator, count: int) -> NDArray[np.uint64]:
    """As painted works': the last two bits are those of others."""
    free = rng.integers(0, 2**62, count, np.uint64)
    return free | (free & np.uint64(3)) << np.uint64(62)


def _table(
    rows: NDArray[np.int64],
    sha256: list[str],
    phash: NDArray[np.uint64],
    seen: NDArray[np.uint64] | None,
    recipe: str | None,
) -> pa.Table:
    size = len(rows)
    offsets = pa.array(np.arange(size + 1, dtype=np.int32) * _VIEWS)
    hashes = pa.nulls(size, pa.list_(pa.uint64()))
    if seen is not None:
        hashes = pa.ListArray.from_arrays(offsets, pa.array(seen.ravel()))
    columns = {
        "image_id": rows + 1,
        "record_id": [f"drawn:{row}" for row in rows],
        "split": ["train"] * size,
        "sha256": sha256,
        "phash": phash,
        "phash_recipe": [PHASH] * size,
        "views_recipe": pa.array([recipe] * size, pa.string()),
        "view_hashes": hashes,
    }
    return pa.table(columns, FINGERPRINTS)


if __name__ == "__main__":
    sys.exit(main())
