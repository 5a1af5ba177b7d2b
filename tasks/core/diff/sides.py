"""The two releases that are compared: what is known of each, how its tables are had, how recipes differ."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import pyarrow as pa

from schemas.manifests import ReleaseManifest
from schemas.phrases import listed, quoted, quoted_name
from schemas.reasons import Reason
from schemas.scores import LIMIT_REASONS
from schemas.tables import LEDGER

_MOST = 3
_NOT_THERE = object()
_OUTSIDE = {"name", "title", "description", "bindings", "manners"}
"""What a recipe says that decides nothing."""


def _limits(reason: Reason) -> tuple[str, ...]:
    return tuple(f"scores.{limit}" for limit, its_reason in LIMIT_REASONS.items() if its_reason is reason)


_FIELDS: dict[Reason, tuple[str, ...]] = {
    Reason.TOO_MANY_BYTES: ("max_bytes",),
    Reason.TOO_MANY_PIXELS: ("max_pixels",),
    Reason.TOO_SMALL: ("least_side_px",),
    Reason.TOO_ELONGATED: ("aspect",),
    Reason.TOO_FEW_FIGURES: ("figures",),
    Reason.TOO_MANY_FIGURES: ("figures",),
    Reason.RIGHTS_NOT_OPEN: ("rights",),
    Reason.STYLE_NOT_WANTED: ("styles",),
    Reason.WHERE_NOT_MET: ("where",),
    Reason.OUTSIDE_PIXELS: ("pixels",),
    Reason.OUTSIDE_BYTES: ("bytes",),
    **{reason: _limits(reason) for reason in LIMIT_REASONS.values()},
    Reason.NOT_IN_COLOUR: ("colour", "least_chroma", *_limits(Reason.NOT_IN_COLOUR)),
    Reason.IN_COLOUR: ("colour", "least_chroma"),
}
"""Settings of the stage that can drop for a reason; for other reasons all of the stage."""

_SHARED = dict.fromkeys(("artist", "artist_qualifier", "artists", "artist_roles"), ("artists",)) | {
    "style": ("styles",)
}
"""Columns whose names the recipe unites, and where."""

_FIGURES = {Reason.TOO_FEW_FIGURES, Reason.TOO_MANY_FIGURES}
_SCORES = {Reason.IN_COLOUR, *LIMIT_REASONS.values()}


class SettingChange(NamedTuple):
    """One setting. before, after: as Python writes them; empty where the recipe has none."""

    path: str
    before: str
    after: str

    def __str__(self) -> str:
        if not self.before:
            return f"{self.path}: only in the newer"
        return f"{self.path}: {self.before} -> {self.after}" if self.after else f"{self.path}: only in the older"


class RecipeDiff:
    """What differs between two recipes (`recipe.yaml` as a mapping)."""

    def __init__(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """Raises ValueError where sources or stages are not as recipes write them."""
        sides = [_by_place(recipe) for recipe in (before, after)]
        self.changes = tuple(_changes("", *sides))
        self.words = {label: str(stage["stage"]) for side in sides for label, stage in side["stages"].items()}
        """The word of each stage by its label; of the newer recipe where both have the label."""
        self.orders = [["scrape", *side["order"]] for side in sides]
        """Labels of both recipes, in their order, with scrape before them."""

    def deciding(self) -> list[SettingChange]:
        """Changes that can change a release."""
        return [change for change in self.changes if change.path.partition(".")[0] not in _OUTSIDE]

    def below(self, *paths: str) -> str:
        """The changes at or below these places, in one line; empty where there are none."""
        found = [
            str(change)
            for change in self.changes
            for path in paths
            if f"{change.path}.".startswith(f"{path}.") or f"{path}.".startswith(f"{change.path}.")
        ]
        return listed(found, _MOST, "; ")

    def of_source(self, name: str) -> str:
        """The changes in the settings of a source; that a recipe has none of the name is one."""
        return self.below(f"sources.{name}")

    def of_column(self, name: str) -> str:
        """The changes in what decides about a column of images beside its source: names, or the attribute itself."""
        return self.below(*_SHARED.get(name, (f"attributes.{name}.type", f"attributes.{name}.from")))

    def of_words(self, *words: str) -> str:
        """The changes in the settings of all stages of these words."""
        labels = [label for label, word in self.words.items() if word in words]
        return self.below(*(f"stages.{label}" for label in labels))

    def deciding_on(self, label: str, reason: Reason | None) -> str:
        """The changes that can have changed a drop by a stage for a reason; None: a reason that nobody knows."""
        place = f"stages.{label}"
        word = self.words.get(label)
        fields = _FIELDS.get(reason, ()) if reason else ()
        own = self.below(*(f"{place}.{field}" for field in fields)) if fields else self.below(place)
        moved = self.below("order") if not own and word in {"sample", "split", "dedup"} else ""
        return "; ".join(filter(None, [own, moved, self._before(word, reason)]))

    def _before(self, word: str | None, reason: Reason | None) -> str:
        if reason in _FIGURES:
            return self.of_words("detect") or self.below("categories")
        if reason in _SCORES:
            return self.of_words("quality")
        if reason is Reason.WHERE_NOT_MET:
            return self.below("attributes", "artists", "styles")
        if reason is Reason.STYLE_NOT_WANTED:
            return self.below("styles")
        if word in {"sample", "split"}:
            return self.below("styles", "artists", "attributes", "seed")
        return self.of_words("hash") if word == "dedup" else ""


def _by_place(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """The recipe with sources by name and stages by label, and the order of the stages."""
    sources, stages = _by_name(recipe, "sources", "kind", "name"), _by_name(recipe, "stages", "stage", "label")
    return {**recipe, "sources": sources, "stages": stages, "order": [*stages]}


def _by_name(recipe: Mapping[str, Any], field: str, kind: str, name: str) -> dict[str, dict[str, Any]]:
    """Entries such as {dedup: {label: dedup}} by what `name` says of them: their words, as `kind`, and settings."""
    entries, found = recipe.get(field, []), {}
    if not isinstance(entries, list):
        raise ValueError(f"{quoted(entries)} for {field}")
    for entry in entries:
        word, settings = next(iter(entry.items())) if isinstance(entry, dict) and len(entry) == 1 else (None, None)
        if not isinstance(word, str) or not isinstance(settings, dict) or not isinstance(settings.get(name), str):
            raise ValueError(f"{quoted(entry)} among its {field}")
        found[settings[name]] = {kind: word, **{key: value for key, value in settings.items() if key != name}}
    return found


def _changes(path: str, before: Any, after: Any) -> Iterator[SettingChange]:
    if isinstance(before, dict) and isinstance(after, dict):
        for name in before | after:
            place = f"{path}.{quoted_name(name)}" if path else quoted_name(name)
            yield from _changes(place, before.get(name, _NOT_THERE), after.get(name, _NOT_THERE))
    elif type(before) is not type(after) or before != after:
        texts = ["" if side is _NOT_THERE else quoted(side) for side in (before, after)]
        yield SettingChange(path, *texts)


LEDGER_COLUMNS = tuple(name for name in LEDGER.names if name != "retrieved_at")


@dataclass(frozen=True)
class Side:
    """One release. Tables of a million rows come column by column, by functions, as they are needed."""

    manifest: ReleaseManifest
    recipe: Mapping[str, Any]
    ledger: pa.Table  # LEDGER_COLUMNS
    tombstones: pa.Table  # TOMBSTONES
    scopes: pa.Table  # record_id, scope of TAKEDOWNS
    image_columns: Sequence[str]
    images: Callable[[Sequence[str]], pa.Table]  # columns of the images table
    box_columns: Sequence[str]
    boxes: Callable[[Sequence[str]], pa.Table]  # columns of BOXES
    records: Callable[[pa.Array], pa.Table]  # RECORDS of these records, as far as the release has them
    relations: Callable[[], pa.Table]  # EDGES
    coco_files: pa.Table  # COCO_FILES

    @property
    def programs(self) -> dict[str, str]:
        """What it was built with, and the contract that it keeps."""
        return {"contract": self.manifest.contract_version, **self.manifest.environment}

    @property
    def kept(self) -> pa.Table:
        """The rows of the ledger that are kept."""
        return self.ledger.filter(self.ledger["kept"])


@dataclass(frozen=True)
class ReleasePair:
    """The older release and the newer one, and what differs between them as a whole."""

    before: Side
    after: Side

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both."""
        return self.before, self.after

    @cached_property
    def recipes(self) -> RecipeDiff:
        """How their recipes differ."""
        return RecipeDiff(self.before.recipe, self.after.recipe)

    @cached_property
    def programs(self) -> tuple[str, ...]:
        """What they were built with, where that differs: "pillow 12.0 -> 12.1"."""
        one, other = self.before.programs, self.after.programs
        return tuple(
            f"{quoted_name(name)} {quoted_name(one.get(name, 'none'))} -> {quoted_name(other.get(name, 'none'))}"
            for name in one | other
            if one.get(name) != other.get(name)
        )

    @cached_property
    def coco_files(self) -> tuple[str, ...]:
        """What COCO files of sources say of no single image, where that differs: "museum: info, licenses"."""
        one, other = ({row["source"]: row for row in side.coco_files.to_pylist()} for side in self.sides)
        return tuple(
            f"{quoted_name(name)}: {_differing(one.get(name), other.get(name))}"
            for name in sorted(one.keys() | other.keys())
            if one.get(name) != other.get(name)
        )

    @property
    def is_drawn_afresh(self) -> bool:
        """Whether the splits of one were assigned without those of the other."""
        one, other = self.before.manifest, self.after.manifest
        return one.lineage != other.lineage or one.split_sha256 != other.split_sha256

    @property
    def is_direct(self) -> bool:
        """Whether one goes on from the other."""
        one, other = self.before.manifest, self.after.manifest
        return other.previous == one.version or one.previous == other.version or one.version == other.version

    @property
    def has_other_lists(self) -> bool:
        """Whether files beside the recipe (the list by hand, verdicts) differ: its digest does, its text does not."""
        is_other = self.before.manifest.recipe_sha256 != self.after.manifest.recipe_sha256
        return is_other and not self.recipes.deciding()


def _differing(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> str:
    """Names of the fields in which two rows differ, or which release has none."""
    if one is None or other is None:
        return f"no file in the {'older' if one is None else 'newer'} release"
    return ", ".join(name for name in one if one[name] != other[name])
