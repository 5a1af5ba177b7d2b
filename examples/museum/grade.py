"""How well a release of the museum parted copies from other works, by the truth that the painter wrote down."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
import yaml

_COPIES = {"exact_duplicate", "near_duplicate"}


@dataclass(frozen=True)
class Grade:
    """Counts of pairs and drops; precision and recall are 1.0 where there was nothing to get wrong."""

    planted: int  # copies whose whole family reached the stage that looks for copies
    found: int  # of these, those that were dropped as copies, or whose family keeps just one
    dropped: int  # records that were dropped as copies
    rightly: int  # of these, those that are of one family with the record that stayed

    @property
    def precision(self) -> float:
        """Share of the drops that are right."""
        return self.rightly / self.dropped if self.dropped else 1.0

    @property
    def recall(self) -> float:
        """Share of the planted copies that are gone."""
        return self.found / self.planted if self.planted else 1.0


def grade(museum: Path, release: Path) -> Grade:
    """Grade the `ledger.parquet` of a release against `truth/duplicates.csv` of the museum that it was built from.

    A planted pair counts only if both its records reached the stage that looks for copies: what a fault, a screen or a
    limit took before is not that stage's doing. Raises FileNotFoundError where either file is missing.
    """
    family = _families(museum)
    rows = pq.read_table(
        release / "ledger.parquet", columns=["record_id", "stage", "reason", "kept_record_id"]
    ).to_pylist()
    stage = next((row["stage"] for row in rows if row["reason"] in _COPIES), "dedup")
    later = _labels(release)[_labels(release).index(stage) :]
    reached = {_key(row["record_id"]): row for row in rows if row["stage"] is None or row["stage"] in later}
    copies = [row for row in rows if row["reason"] in _COPIES]
    rightly = sum(_same(family, row["record_id"], row["kept_record_id"]) for row in copies)
    planted = found = 0
    for members in _grouped(family, reached):
        planted += len(members) - 1
        found += sum(reached[key]["reason"] in _COPIES for key in members)
    return Grade(planted, min(found, planted), len(copies), rightly)


def _families(museum: Path) -> dict[str, str]:
    """Key of each work that has copies, or is one, to the key of the work that was painted."""
    with (museum / "truth" / "duplicates.csv").open(encoding="utf-8", newline="") as file:
        pairs = [(row["original_key"], row["copy_key"]) for row in csv.DictReader(file)]
    return {key: original for original, copy in pairs for key in (original, copy)}


def _labels(release: Path) -> list[str]:
    """Labels of the recipe's stages in order."""
    recipe = yaml.safe_load((release / "recipe.yaml").read_text(encoding="utf-8"))
    return [str(settings["label"]) for stage in recipe["stages"] for settings in stage.values()]


def _grouped(family: dict[str, str], reached: Iterable[str]) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for key in reached:
        if key in family:
            groups.setdefault(family[key], []).append(key)
    return list(groups.values())


def _same(family: dict[str, str], one: str | None, other: str | None) -> bool:
    first, second = family.get(_key(one)), family.get(_key(other))
    return first is not None and first == second


def _key(record_id: str | None) -> str:
    return str(record_id).partition(":")[2]
