"""A release's image files beside pyarrow alone: how fast they are written, what one style costs, what stays.

    python -m benchmarks.release [--rows 20000] [--pairs 7] [--folder FOLDER]
    python -m benchmarks.release --side ours|pyarrow --rows N --folder FOLDER

The first measures all, each side as a process of its own, ours and pyarrow's by turns, a first pair uncounted, and
writes benchmarks/results/release.json. The others are one side, once, and print a line of JSON. FOLDER is where the
images and the files lie; by default one that is removed at the end.

The images are random bytes behind a JPEG's head, 70 to 130 kB, which no codec shrinks, of thirty styles, of which the
first has every seventh image. Ours is what `export` does: it reads the blobs of a store, hashes them, fills Arrow's
memory, writes the files, several at once, and hashes these. The peer is `pyarrow.parquet.ParquetWriter` with the same
settings, which gets the same tables ready made, images and all, from memory, and writes one file after the other. The
time to make them is not counted, nor is a peer's memory. Both processes have written the files once before.
"""

import argparse
import hashlib
import io
import json
import os
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from benchmarks import results
from benchmarks.parquet_pages import pages
from schemas.export import Export
from tasks.core.export import images as core
from tasks.core.export.row_groups import ORDER
from tasks.export import parts
from tasks.io.store.drafts import Draft
from tasks.io.store.layout import SCRATCH
from tasks.io.store.release_parquet import CHUNK_BYTES, writer_settings
from tasks.io.store.store import Store

_SPLIT = "train"
_STYLES = 30
_HEAD = bytes.fromhex("ffd8ffe000104a46494600010100000100010000")
_WHEN = datetime(2026, 1, 1, tzinfo=UTC)


class Works(NamedTuple):
    """numbers: of the works, by which all else of them is decided; styles: of each."""

    numbers: list[int]
    styles: list[str]


def works(count: int, new: str = "") -> Works:
    """Of a release, or of one with 1 % more: all of one style, or of any ("scattered")."""
    more = range(count, count + count // 100) if new else range(0)
    of_new = ["Style 00" if new == "style" else _style(number) for number in more]
    return Works([*range(count), *more], [*map(_style, range(count)), *of_new])


def _image_id(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8]) >> 11


def _style(number: int) -> str:
    drawn = int.from_bytes(hashlib.sha256(str(number).encode()).digest()[:4])
    return "Style 00" if drawn % 7 == 0 else f"Style {drawn % _STYLES:02}"


def image(number: int) -> bytes:
    """What stands for a JPEG."""
    rng = np.random.default_rng(number)
    return _HEAD + rng.bytes(int(rng.integers(70_000, 130_000)))


def table(some: Works, store: Store) -> pa.Table:
    """IMAGES_BY_DIGEST of these works, whose blobs are in the store."""
    names = [f"bench:{hashlib.sha256(str(number).encode()).hexdigest()[:12]}" for number in some.numbers]
    shas = [_stored(store, number) for number in some.numbers]
    count = len(names)
    columns: dict[str, Any] = {
        "record_id": names,
        "image_id": [_image_id(name) for name in names],
        "source": ["bench"] * count,
        "source_url": [f"https://museum.example/works/{name}" for name in names],
        "source_urls": [[f"https://museum.example/works/{name}"] for name in names],
        "title": [f"Untitled, number {number}" for number in some.numbers],
        "artist": [f"Artist {number % 500}" for number in some.numbers],
        "style": some.styles,
        "styles": [[style] for style in some.styles],
        "year": [1500 + number % 500 for number in some.numbers],
        "rights_uri": ["https://creativecommons.org/publicdomain/zero/1.0/"] * count,
        "rights_basis": ["source"] * count,
        "sha256": shas,
        "phash": [int(sha256[:16], 16) for sha256 in shas],
        "phash_recipe": ["phash64/look-v3"] * count,
        "width_px": [1000] * count,
        "height_px": [800] * count,
        "format": ["JPEG"] * count,
        "is_annotated": [False] * count,
        "group_id": names,
        "split": [_SPLIT] * count,
        "retrieved_at": [_WHEN] * count,
        "image": [{"bytes": sha256, "path": None} for sha256 in shas],
    }
    blank = {field.name: [None] * count for field in core.IMAGES_BY_DIGEST}
    given = {**blank, **columns}
    return pa.table({field.name: pa.array(given[field.name], field.type) for field in core.IMAGES_BY_DIGEST})


def _stored(store: Store, number: int) -> str:
    """The SHA-256 of a work's image, which is written once: its name is kept in a file beside the blobs."""
    note = Path(store.full(f"names/{number}"))
    if not note.exists():
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(store.write_blob(image(number)))
    return note.read_text()


# --- the two sides


def ours(rows: pa.Table, store: Store) -> dict[str, float]:
    """Seconds to write the files of a split, and the peak of memory."""
    base = _peak_mb()
    with written(rows, store):
        pass  # as the peer does: the first who writes waits for memory that the system has given away
    os.sync()
    with Draft(store) as draft:
        started = time.perf_counter()
        parts.write_images(draft, store, store.blob_sizes(), _settings(), [_SPLIT], rows, {})
        seconds = time.perf_counter() - started
    return {"seconds": seconds, "peak_mb": _peak_mb(), "before_mb": base}


def pyarrow(rows: pa.Table, store: Store) -> dict[str, float]:
    """Seconds to write the same row groups, which are ready in memory, into the same files."""
    with written(rows, store) as files:
        ready = [[pq.ParquetFile(path).read_row_group(n) for n in range(_groups(path))] for path in files]
        schema = pq.read_schema(files[0])
    with tempfile.TemporaryDirectory(dir=store.full(SCRATCH)) as folder:
        os.sync()
        started = time.perf_counter()
        for number, tables in enumerate(ready):
            with pq.ParquetWriter(
                f"{folder}/{number}.parquet", schema, **writer_settings(schema, ORDER["images"])
            ) as writer:
                for one in tables:
                    writer.write_table(one, row_group_size=one.num_rows)
        seconds = time.perf_counter() - started
    return {"seconds": seconds, "peak_mb": _peak_mb()}


@contextmanager
def written(rows: pa.Table, store: Store, order: str = "image_id") -> Iterator[list[Path]]:
    """The files of a split in that order, which are removed at the end."""
    with Draft(store) as draft:
        parts.write_images(draft, store, store.blob_sizes(), _settings(order), [_SPLIT], rows, {})
        yield [draft.folder / path for path in sorted(draft.files)]


def _settings(order: str = "image_id") -> Export:
    return Export.model_validate({"label": "export", "parquet": {"order": order}})


def _groups(path: Path) -> int:
    return int(pq.read_metadata(path).num_row_groups)


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# --- one style


class CountedFile(io.RawIOBase):
    """A file that counts the bytes that are read of it."""

    def __init__(self, path: Path) -> None:
        """Open it."""
        self._file, self.read_bytes = path.open("rb", buffering=0), 0

    def readinto(self, target: Any) -> int:
        """Read, and count."""
        length = self._file.readinto(target) or 0
        self.read_bytes += length
        return length

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to another place."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Where it is."""
        return self._file.tell()

    def close(self) -> None:
        """Close it."""
        self._file.close()
        super().close()

    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Yes."""
        return True


def style_bytes(files: Sequence[Path], style: str) -> tuple[int, int, int]:
    """(read, own, rows): bytes that pyarrow reads of the files for one style, footers apart, the images' own, rows."""
    read = own = rows = 0
    for path in files:
        with CountedFile(path) as file:
            fragment = ds.ParquetFileFormat().make_fragment(pa.PythonFile(file, mode="r"))
            fragment.ensure_complete_metadata()
            before = file.read_bytes
            found = fragment.to_table(filter=pc.field("style") == style)
            read += file.read_bytes - before
        rows += found.num_rows
        own += pc.sum(pc.binary_length(pc.struct_field(found["image"], "bytes"))).as_py() or 0
    return read, own, rows


# --- what stays


def chunks(files: Sequence[Path]) -> dict[bytes, tuple[str, int]]:
    """Column and length of each page by its SHA-256."""
    return {page.sha256: (page.column, page.length) for path in files for page in pages(path)}


def kept(before: dict[bytes, tuple[str, int]], after: dict[bytes, tuple[str, int]]) -> dict[str, float]:
    """Shares of the chunks after, by number, of images alone, and by bytes, that were there before."""
    images = {sha256 for sha256, (column, _) in after.items() if column == "image.bytes"}
    same = after.keys() & before.keys()
    return {
        "chunks": len(after),
        "kept": round(len(same) / len(after), 4),
        "image chunks": len(images),
        "kept of images": round(len(same & images) / len(images), 4),
        "kept bytes": round(sum(after[one][1] for one in same) / sum(length for _, length in after.values()), 4),
    }


# --- all


def measured(count: int, pairs: int, folder: Path, out: Path | None) -> None:
    """Measure all and write it down."""
    store = Store(str(folder))
    store.check_writable()
    rows = table(works(count), store)
    for new in ("style", "scattered"):
        table(works(count, new), store)  # all images are there before anything is timed
    times: dict[str, list[dict[str, float]]] = {"ours": [], "pyarrow": []}
    for pair in range(pairs + 1):
        for side, found in times.items():
            os.sync()
            asked = ("--side", side, "--rows", str(count), "--folder", str(folder))
            figures = results.child("benchmarks.release", sys.executable, *asked)
            print(side, figures, flush=True)
            if pair:  # the first finds the images on the disk, and the system's memory in the hands of others
                found.append(figures)
    stays: dict[tuple[str, str], dict[str, float]] = {}
    of_style: dict[str, tuple[int, int, int]] = {}
    for order in ("image_id", "style"):
        with written(rows, store, order) as files:
            before, of_style[order] = chunks(files), style_bytes(files, "Style 00")
            whole = sum(path.stat().st_size for path in files)
        for new in ("style", "scattered"):
            with written(table(works(count, new), store), store, order) as files:
                stays[order, new] = kept(before, chunks(files))
    seconds = {side: statistics.median(one["seconds"] for one in found) for side, found in times.items()}
    ratio = statistics.median(
        peer["seconds"] / mine["seconds"] for mine, peer in zip(times["ours"], times["pyarrow"], strict=True)
    )
    peak = max(one["peak_mb"] for one in times["ours"])
    lines = [
        {
            "what": f"{side}: write {count} images, {whole / 1e9:.2f} GB, median of {pairs}",
            "figure": f"{seconds[side]:.2f} s, {whole / 1e6 / seconds[side]:.0f} MB/s",
        }
        for side in times
    ]
    lines += [
        {"what": "ours: peak of memory", "figure": f"{peak:.0f} MB"},
    ]
    lines += [
        {
            "what": f"order {order}: one style, {images} images: bytes read beside the images' own",
            "figure": f"{read / own:.4f}, {read / whole:.3f} of the files",
        }
        for order, (read, own, images) in of_style.items()
    ]
    lines += [
        {
            "what": f"order {order}, 1 % new, {'of one style' if new == 'style' else 'scattered'}: {CHUNK_BYTES}",
            "figure": json.dumps(found),
        }
        for (order, new), found in stays.items()
    ]
    style_ratio = {order: round(read / own, 4) for order, (read, own, _) in of_style.items()}
    results.write(
        "release",
        lines,
        {
            "write_vs_pyarrow": round(ratio, 3),
            "peak_mb": round(peak),
            "style_bytes": style_ratio["image_id"],
            "style_bytes_by_style": style_ratio["style"],
            "chunks_kept": stays["style", "style"]["kept"],
            "chunks_kept_scattered": stays["image_id", "scattered"]["kept"],
            "chunks_kept_scattered_by_style": stays["style", "scattered"]["kept"],
        },
        path=out,
    )


def main() -> int:
    """Measure all, or be one side."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--side", choices=("ours", "pyarrow"))
    parser.add_argument("--out", type=Path, help="another place for the figures, for trials")
    asked = parser.parse_args()
    if asked.side is not None:
        store = Store(str(asked.folder))
        rows = table(works(asked.rows), store)
        print(json.dumps({"ours": ours, "pyarrow": pyarrow}[asked.side](rows, store)))
        return 0
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="bench-release-"))
    try:
        measured(asked.rows, asked.pairs, folder, asked.out)
    finally:
        if asked.folder is None:
            shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
