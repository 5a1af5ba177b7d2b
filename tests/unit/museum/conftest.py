"""One painted museum for all tests of this folder."""

import csv
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from examples.museum.folder import write_museum

SEED, RECORDS = 77, 2300


def _table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="session")
def museum(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """A museum read back: folder, seed, records, rows and files by key, coco, copies, faults and first works of series by key, progress."""
    folder = tmp_path_factory.mktemp("museum") / "painted"
    progress: list[tuple[int, int]] = []
    write_museum(folder, RECORDS, SEED, processes=2, progress=lambda done, total: progress.append((done, total)))
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
        progress=progress,
    )
