"""How well a release of the museum parted copies from other works, by the truth that the painter wrote down."""

import csv
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schemas.errors import BadInput
from schemas.phrases import error_line, listed, quoted
from schemas.release import RecipeStage
from tasks.io.store.releases import Release

NEVER_COMPARED = "never compared"

_COPIES = {"exact_duplicate", "near_duplicate"}


@dataclass(frozen=True)
class Pair:
    """Two records that were taken for one work though they are not, or the other way round.

    planted: what they are by the truth: the copy's relation to its original, `series`, or `unrelated`. seen: the
    relation that the release found between them, or `never compared`; None where the release does not say.
    """

    key: str
    other_key: str
    planted: str
    seen: str | None


@dataclass(frozen=True)
class Recall:
    """Of one relation: copies planted, and of these, those that ended in one cluster with their original."""

    planted: int
    found: int

    @property
    def share(self) -> float:
        """Found of planted; 1.0 where nothing was planted."""
        return self.found / self.planted if self.planted else 1.0


@dataclass(frozen=True)
class Grade:
    """Counts of pairs and drops; precision and recall are 1.0 where there was nothing to get wrong."""

    planted: int  # copies that reached the stage that looks for copies, with their originals
    found: int  # of these, those that ended in one cluster with their original
    dropped: int  # records that were dropped as copies
    rightly: int  # of these, those that show one work with the record that stayed
    recalls: Mapping[str, Recall]  # by relation, those that were not asked for among them
    unasked: frozenset[str]  # relations that the recipe does not drop: no part of `planted`
    wrong: tuple[Pair, ...]  # drops that are not right: what was dropped, and what stayed
    missed: tuple[Pair, ...]  # copies and their originals that are in two clusters

    @property
    def precision(self) -> float:
        """Share of the drops that are right."""
        return self.rightly / self.dropped if self.dropped else 1.0

    @property
    def recall(self) -> float:
        """Share of the planted copies that were found."""
        return self.found / self.planted if self.planted else 1.0


@dataclass(frozen=True)
class _Truth:
    """copies: of each copy its original and the relation. firsts: of each work of a series its first work."""

    copies: Mapping[str, tuple[str, str]]
    firsts: Mapping[str, str]

    def work(self, key: str) -> str:
        return self.copies.get(key, (key, ""))[0]

    def kinship(self, one: str, other: str) -> str:
        first, second = self.work(one), self.work(other)
        is_series = self.firsts.get(first, first) == self.firsts.get(second, second)
        return "series" if is_series else "unrelated"


def grade(museum: Path, release: Path) -> Grade:
    """Grade the `ledger.parquet` of a release by the truth of the museum that it was built from.

    A planted pair counts only if both its records reached the stage that looks for copies: what a fault, a screen or a
    limit took before is not that stage's doing. Nor does a mirrored one, unless the recipe's `drop_relations` has it.
    With a `relations.parquet`, wrong and missed pairs say as what they were seen.

    Raises FileNotFoundError where the truth is missing, BadInput where there is no release, or none of this museum, and
    DamagedFile where the release's files are not as releases have them.
    """
    read = Release(str(release))
    truth, stages = _truth(museum), _stages(read)
    reached = _reached(read, stages)
    kept = {key: _key(row["kept_record_id"]) for key, row in reached.items() if row["reason"] in _COPIES}
    seen = _seen(read)
    wrong = [
        Pair(key, other, truth.kinship(key, other), seen(key, other))
        for key, other in kept.items()
        if truth.work(key) != truth.work(other)
    ]
    planted = {copy: pair for copy, pair in truth.copies.items() if copy in reached and pair[0] in reached}
    missed = [
        Pair(copy, original, relation, seen(copy, original))
        for copy, (original, relation) in planted.items()
        if _last(kept, copy) != _last(kept, original)
    ]
    recalls, unasked = _recalls([relation for _, relation in planted.values()], missed), _unasked(stages)
    counted = [recall for relation, recall in recalls.items() if relation not in unasked]
    return Grade(
        sum(recall.planted for recall in counted),
        sum(recall.found for recall in counted),
        len(kept),
        len(kept) - len(wrong),
        recalls,
        unasked,
        tuple(wrong),
        tuple(missed),
    )


def _truth(museum: Path) -> _Truth:
    copies = _table(museum / "truth" / "duplicates.csv", "copy_key", "original_key", "relation")
    series = _table(museum / "truth" / "series.csv", "key", "first_key")
    return _Truth({copy: (original, relation) for copy, original, relation in copies}, dict(series))


def _table(path: Path, *columns: str) -> list[Any]:
    """Rows of these columns."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = [tuple(map(row.get, columns)) for row in csv.DictReader(file)]
    except csv.Error as problem:
        raise BadInput(f"museum: expected {path} to be a table, got {error_line(problem)}") from problem
    if any(None in row for row in rows):
        raise BadInput(f"museum: expected {', '.join(columns)} in each row of {path}, got a row without")
    return rows


def _stages(release: Release) -> list[tuple[str, RecipeStage]]:
    """The recipe's stages in order: word and settings."""
    return [one for stage in release.recipe().stages for one in stage.items()]


def _unasked(stages: list[tuple[str, RecipeStage]]) -> frozenset[str]:
    asked = {relation for _, settings in stages for relation in settings.drop_relations}
    return frozenset({"mirrored"} - asked)


def _reached(release: Release, stages: list[tuple[str, RecipeStage]]) -> dict[str, dict[str, Any]]:
    """The ledger's rows, by key, that the first stage which dropped a copy has met."""
    rows = release.ledger().select(["record_id", "stage", "reason", "kept_record_id"]).to_pylist()
    labels = [settings.label for _, settings in stages]
    default = next((settings.label for word, settings in stages if word == "dedup"), None)
    stage = next((row["stage"] for row in rows if row["reason"] in _COPIES), default)
    if stage is None and default is None:
        raise BadInput(f"museum: expected a release whose recipe has a dedup, got the stages {listed(labels, 20)}")
    if stage not in labels:
        expected = f"a ledger of the recipe's stages ({listed(labels, 20)})"
        raise release.damage("ledger.parquet", expected, ValueError(quoted(stage)))
    later = labels[labels.index(stage) :]
    return {_key(row["record_id"]): row for row in rows if row["stage"] is None or row["stage"] in later}


def _seen(release: Release) -> Callable[[str, str], str | None]:
    """What the release says of a pair of records: its table of relations, where there is one."""
    if "relations.parquet" not in release.manifest.files:
        return lambda one, other: None
    rows = release.relations().to_pylist()
    said = {frozenset((_key(row["a"]), _key(row["b"]))): str(row["relation"]) for row in rows}
    return lambda one, other: said.get(frozenset((one, other)), NEVER_COMPARED)


def _last(kept: Mapping[str, str], key: str) -> str:
    """The record that stayed for this one: itself, or where a chain of drops ends; a circle has no end but is left."""
    met = {key}
    while key in kept and kept[key] not in met:
        key = kept[key]
        met.add(key)
    return key


def _recalls(planted: Iterable[str], missed: list[Pair]) -> dict[str, Recall]:
    """By relation, in the order of their names."""
    relations, lost = sorted(planted), [pair.planted for pair in missed]
    return {
        relation: Recall(relations.count(relation), relations.count(relation) - lost.count(relation))
        for relation in dict.fromkeys(relations)
    }


def _key(record_id: str | None) -> str:
    return str(record_id).partition(":")[2]


def lines_from_grade(result: Grade, most: int = 20) -> list[str]:
    """The grade for people: one line for all, one for each relation, and the first `most` wrong and missed pairs by
    name.

    >>> for line in lines_from_grade(Grade(1, 1, 1, 1, {"exact": Recall(1, 1)}, frozenset(), (), ())):
    ...     print(line)
    copies: precision 1.000 (1 of 1 drops right), recall 1.000 (1 of 1 planted copies found)
      exact           1.000 (1 of 1)
    """
    head = (
        f"copies: precision {result.precision:.3f} ({result.rightly} of {result.dropped} drops right), "
        f"recall {result.recall:.3f} ({result.found} of {result.planted} planted copies found)"
    )
    kinds = [
        f"  {relation:<15} {recall.share:.3f} ({recall.found} of {recall.planted})"
        + (", not asked for" if relation in result.unasked else "")
        for relation, recall in result.recalls.items()
    ]
    asked = [pair for pair in result.missed if pair.planted not in result.unasked]
    return [
        *(head, *kinds),
        *_named("wrong", "dropped for", result.wrong, most),
        *_named("missed", "a copy of", asked, most),
    ]


def _named(word: str, stands: str, pairs: Iterable[Pair], most: int) -> list[str]:
    told = [
        f"{word}: {pair.key}, {stands} {pair.other_key}: {pair.planted}"
        + (f", found: {pair.seen}" if pair.seen else "")
        for pair in pairs
    ]
    return told[:most] + ([f"{word}: and {len(told) - most} more"] if len(told) > most else [])
