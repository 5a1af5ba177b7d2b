"""One painted museum for all tests of this folder."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from examples.museum.folder import write_museum

SEED, RECORDS = 77, 1200
PROGRESS = "progress-as-told.json"


def _table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _painted(folder: Path) -> None:
    progress: list[tuple[int, int]] = []
    write_museum(folder, RECORDS, SEED, processes=2, progress=lambda done, total: progress.append((done, total)))
    (folder / PROGRESS).write_text(json.dumps(progress), encoding="utf-8")


@pytest.fixture(scope="session")
def museum(made_once: Callable[[str, Callable[[Path], object]], Path]) -> SimpleNamespace:
    """A museum read back: folder, seed, records, rows and files by key, coco, copies, faults and first works of series
    by key, progress.
    """
    folder = made_once(f"museum-{RECORDS}", _painted)
    rows = {row["key"]: row for row in _table(folder / "works.csv")}
    return SimpleNamespace(
        folder=folder,
        seed=SEED,
        records=RECORDS,
        rows=rows,
        files={key: folder / row["image"] for key, row in rows.items()},
        coco=json.loads((folder / "truth" / "annotations.json").read_text(encoding="utf-8")),
        copies=_table(folder / "truth" / "duplicates.csv"),
        faults={row["key"]: row["fault"] for row in _table(folder / "truth" / "faults.csv")},
        series={row["key"]: row["first_key"] for row in _table(folder / "truth" / "series.csv")},
        progress=[tuple(step) for step in json.loads((folder / PROGRESS).read_text(encoding="utf-8"))],
    )
