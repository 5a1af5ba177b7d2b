"""Ten releases of one small museum, between which everything happens that can happen to a dataset."""

import csv
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

from examples.museum.folder import write_museum
from schemas.contract import part_path
from schemas.manifests import FileEntry
from schemas.tables import BOXES
from tasks.io.store.releases import Release
from tasks.purge import purge
from tests.support.desk import SEED, Desk

RECORDS = 110
_FIRST = 84
_SETTINGS = (
    "by_hand=said",
    "bindings.said=what people decide",
    "bindings.judged=what people say of pairs",
    "stages.dedup.verdicts=judged",
    "stages.sample.at_most=9",
    "max_loss_fraction=1",
    "max_renamed_fraction=1",
)
_SINCE_2_2 = ["artist_text"]
Rows = list[dict[str, str]]


class History:
    """A museum that changes, and the releases that were built of it."""

    def __init__(self, folder: Path) -> None:
        self.museum, self.folder = folder / "museum", folder
        write_museum(self.museum, RECORDS, SEED, processes=1)
        self.desk = Desk(str(folder / "store"), self.museum)
        with (self.museum / "works.csv").open(encoding="utf-8", newline="") as file:
            self.rows = list(csv.DictReader(file))
        self.later = self.rows[_FIRST:]
        self.rows = self.rows[:_FIRST]
        self.gone: Rows = []
        self.by_hand: list[str] = []
        self.verdicts: list[str] = []
        self.copies_made = 0

    def build(self, *changes: str) -> Release:
        """One more release, of what the museum and the lists say now."""
        with (self.museum / "works.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(self.rows[0]))
            writer.writeheader()
            writer.writerows(self.rows)
        for name, header, lines in (
            ("said", "action,scope,name,reason,date", self.by_hand),
            ("judged", "a,b,verdict", self.verdicts),
        ):
            path = self.folder / f"{name}.csv"
            path.write_text("\n".join([header, *lines, ""]), encoding="utf-8")
            self.desk.bound[name] = str(path)
        self.desk.build(*_SETTINGS, *changes)
        self.copies_made += 1
        return self.keep(f"{self.copies_made:02}")

    def keep(self, name: str) -> Release:
        """A copy of the newest release, which no purge reaches."""
        return Release(str(shutil.copytree(self.desk.latest.root, self.folder / "releases" / name)))

    def kept(self, number: int) -> list[str]:
        """record_ids that the newest release keeps, the first `number` by id."""
        book = self.desk.latest.ledger()
        return list(book.filter(book["kept"])["record_id"].to_pylist()[:number])

    def copies(self) -> list[tuple[str, str]]:
        """Near copies of the newest release: the dropped one and the one that stayed."""
        rows = self.desk.latest.ledger().to_pylist()
        return [(row["record_id"], row["kept_record_id"]) for row in rows if row["reason"] == "near_duplicate"]

    def work(self, record_id: str) -> dict[str, str]:
        """The museum's row of a record."""
        return next(row for row in self.rows if f"museum:{row['key']}" == record_id)


def write_history(folder: Path) -> None:
    """Build the releases, `releases/01` to `releases/10`, below a folder; `09-purged` is the ninth after a purge."""
    folder.mkdir(parents=True)
    history = History(folder)
    for step in STEPS:
        step(history)


def _additions(history: History) -> None:
    history.rows += history.later
    history.build()


def _removals_and_other_words(history: History) -> None:
    gone = history.kept(3)
    history.gone = [history.work(name) for name in gone]
    history.rows = [row for row in history.rows if row not in history.gone]
    one, other = (history.work(name) for name in history.kept(5)[3:])
    one["title"], one["rights_text"] = "Another title", "as the museum says now"
    other["style"] = "Mosaic" if other["style"] != "Mosaic" else "Fresco"
    history.build()


def _returns_and_other_bytes(history: History) -> None:
    history.rows += history.gone
    *others, last = (history.museum / history.work(name)["image"] for name in history.kept(99))
    shutil.copyfile(others[10], last)
    history.build()


def _takedowns(history: History) -> None:
    one, other, third = history.kept(12)[9:]
    history.by_hand = [
        f"takedown,,{one},asked for by the heirs,2024-05-01",
        f"exclude,,{other},the back of a frame,2024-05-02",
        f"replace,,{third},a drawing,2024-05-03",
    ]
    history.build()


def _verdicts(history: History) -> None:
    one, other = history.kept(2)
    (copy, stays), *_ = history.copies()
    history.verdicts = [f"{one},{other},copy", f"{min(copy, stays)},{max(copy, stays)},different"]
    history.build()


def _another_threshold(history: History) -> None:
    history.build("stages.has-a-figure.figures.score=0.6")


def _another_detector(history: History) -> None:
    history.by_hand = history.by_hand[:1]
    history.build("stages.detect.least_score=0.2")


def _other_splits(history: History) -> None:
    history.build("stages.split.ratios={train: 2, val: 1, test: 1}")


def _purged(history: History) -> None:
    purge("museum", str(history.folder / "store"))
    history.keep("09-purged")
    history.build("stages.split.ratios={train: 2, val: 1, test: 1}", "stages.shape.least_side_px=150")


STEPS: tuple[Callable[[History], object], ...] = (
    History.build,
    _additions,
    _removals_and_other_words,
    _returns_and_other_bytes,
    _takedowns,
    _verdicts,
    _another_threshold,
    _another_detector,
    _other_splits,
    _purged,
)


def write_as_contract_2_1(release: Release, folder: Path) -> Release:
    """A copy as programs of contract 2.1 wrote it: columns that came later are missing, all boxes are one table."""
    shutil.copytree(release.root, folder)
    files, boxes = dict(release.manifest.files), release.boxes(BOXES.names)
    for path in (*release.parts("annotations"), *release.parts("detections")):
        (folder / path).unlink()
        del files[path]
    for split in pc.unique(boxes["split"]).to_pylist():
        path = part_path("annotations", split, 0, 1)
        pq.write_table(boxes.filter(pc.equal(boxes["split"], split)), folder / path)
        files[path] = FileEntry(sha256="0" * 64, bytes=0)
    for path in (*release.parts("images"), "records.parquet"):
        pq.write_table(pq.read_table(folder / path).drop_columns(_SINCE_2_2), folder / path)
        files[path] = FileEntry(sha256="0" * 64, bytes=0)
    manifest = release.manifest.model_copy(update={"contract_version": "2.1.0", "files": files})
    (folder / "manifest.json").write_text(manifest.model_dump_json(), encoding="utf-8")
    return Release(str(folder))
