"""The museum as a folder: a table, the images, and the truth about both."""

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np

from examples.museum.copies import figures_of_copy, make_copy, plan_copy
from examples.museum.figures import Figure
from examples.museum.holdings import Holding, holding, key_of_row
from examples.museum.paint import Work
from examples.museum.prints import Print, as_jpeg, faulty_bytes, print_work
from examples.museum.repaint import work_of
from examples.museum.seeds import generator
from examples.museum.truth import ImageTruth, coco_from_images

COLUMNS = (
    *("key", "image", "title", "artist", "style", "date_text", "year"),
    *("rights_uri", "rights_text", "source_url", "image_url"),
)

_SITE = "https://museum.example"
_RIGHTS = (
    ("https://creativecommons.org/publicdomain/zero/1.0/", "Public domain (CC0)"),
    ("https://rightsstatements.org/vocab/NoC-US/1.0/", "No copyright in the United States"),
    ("", "Rights not assessed"),
)
_BATCH_ROWS = 50
# below so many rows a second process takes longer to start than it saves
_ROWS_WORTH_A_PROCESS = 150

Progress = Callable[[int, int], None]


class FolderTakenError(ValueError):
    """The folder holds something else than this museum."""


class _Row(NamedTuple):
    held: Holding
    cells: dict[str, str]
    shown: ImageTruth | None


def write_museum(
    folder: Path, records: int, seed: int, processes: int | None = None, progress: Progress | None = None
) -> None:
    """Writes a museum of exactly `records` rows; again the same bytes, whatever the number of processes.

    processes: None takes one per core. progress: called with (rows done, rows in all).

    Raises:
        ValueError: records or processes below 1, or (FolderTakenError) the folder holds another museum or other images.
    """
    if records < 1:
        raise ValueError(f"expected at least 1 record, got {records}")
    if processes is not None and processes < 1:
        raise ValueError(f"expected at least 1 process, got {processes}")
    _claim(folder, records, seed)
    rows: list[_Row] = []
    for batch in _paint_rows(folder, records, seed, processes or os.cpu_count() or 1):
        rows.extend(batch)
        if progress is not None:
            progress(len(rows), records)
    _write_tables(folder, seed, rows, f"The pretend museum, {records} records, seed {seed}")


def _claim(folder: Path, records: int, seed: int) -> None:
    """Puts the museum's name on the folder, unless somebody else's is there."""
    name = json.dumps({"museum": 2, "records": records, "seed": seed}) + "\n"
    sign = folder / "museum.json"
    if sign.exists():
        if sign.read_text(encoding="utf-8") != name:
            raise FolderTakenError(f"expected an empty folder or the same museum, got another museum in {folder}")
    elif any((folder / taken).exists() for taken in ("works.csv", "images", "truth")):
        raise FolderTakenError(f"expected an empty folder or the same museum, got other files in {folder}")
    folder.mkdir(parents=True, exist_ok=True)
    _write(sign, name.encode())


def _paint_rows(folder: Path, records: int, seed: int, processes: int) -> Iterator[list[_Row]]:
    batches = [range(first, min(first + _BATCH_ROWS, records)) for first in range(0, records, _BATCH_ROWS)]
    work = partial(_write_batch, folder, seed)
    processes = min(processes, -(-records // _ROWS_WORTH_A_PROCESS))
    if processes == 1:
        yield from map(work, batches)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        yield from pool.map(work, batches)


def _write_batch(folder: Path, seed: int, rows: Iterable[int]) -> list[_Row]:
    return [_write_row(folder, seed, row) for row in rows]


def _write_row(folder: Path, seed: int, row: int) -> _Row:
    held = holding(seed, row)
    work = work_of(seed, held)
    file, figures = file_of(seed, held, work)
    data: bytes | None = file.data
    if held.fault is not None:
        file = as_jpeg(file)
        data = faulty_bytes(generator(seed, "fault", row), file, held.fault)
    name = f"images/{held.key[:2]}/{held.key}{file.extension}"
    _write(folder / name, data)
    shown = None if held.fault else ImageTruth(held.key, name, file.width_px, file.height_px, figures)
    return _Row(held, cells_of(seed, held, work, name), shown)


def file_of(seed: int, held: Holding, work: Work) -> tuple[Print, tuple[Figure, ...]]:
    """The file of a row, and its figures in the file's own pixels."""
    if held.original is None or held.relation is None:
        return print_work(seed, held.row, work), work.figures
    original = print_work(seed, held.original, work)
    size_px = (original.width_px, original.height_px)
    plan = plan_copy(generator(seed, "copy", held.row), held.relation, original.extension, size_px)
    if plan is None:
        return original, work.figures
    return make_copy(plan, original), figures_of_copy(plan, original, work.figures)


def cells_of(seed: int, held: Holding, work: Work, name: str) -> dict[str, str]:
    """The row of the table that such a work has; `name` is its file's."""
    rng = generator(seed, "cells", held.row)
    uri, text = _RIGHTS[int(rng.choice(3, p=[0.85, 0.1, 0.05]))]
    return {
        "key": held.key,
        "image": name,
        "title": work.title if held.original is None else _respelt(rng, work.title),
        "artist": work.artist,
        "style": work.style,
        "date_text": work.date_text,
        "year": "" if work.year is None else str(work.year),
        "rights_uri": uri,
        "rights_text": text,
        "source_url": f"{_SITE}/works/{held.key}",
        "image_url": f"{_SITE}/{name}",
    }


def _respelt(rng: np.random.Generator, title: str) -> str:
    """The title as another cataloguer would type it."""
    spellings = (title.upper(), title.lower(), f"{title}.", f'"{title}"', f"{title} (copy)", title.replace(" ", "  "))
    return spellings[int(rng.integers(len(spellings)))]


def _write_tables(folder: Path, seed: int, rows: list[_Row], description: str) -> None:
    copies = [
        (key_of_row(seed, row.held.original), row.held.key, str(row.held.relation))
        for row in rows
        if row.held.original is not None
    ]
    series = [(row.held.key, key_of_row(seed, row.held.first)) for row in rows if row.held.first is not None]
    faults = [(row.held.key, row.held.fault) for row in rows if row.held.fault is not None]
    coco = coco_from_images((row.shown for row in rows if row.shown is not None), description)
    _write(folder / "truth" / "annotations.json", (json.dumps(coco, ensure_ascii=False) + "\n").encode())
    _write(folder / "truth" / "duplicates.csv", _csv(("original_key", "copy_key", "relation"), copies))
    _write(folder / "truth" / "faults.csv", _csv(("key", "fault"), faults))
    _write(folder / "truth" / "series.csv", _csv(("key", "first_key"), series))
    _write(folder / "works.csv", _csv(COLUMNS, (tuple(row.cells[column] for column in COLUMNS) for row in rows)))


def _csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


def _write(path: Path, data: bytes | None) -> None:
    """Puts the bytes there in one step; None takes away what is there."""
    if data is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.part")
    beside.write_bytes(data)
    beside.replace(path)
