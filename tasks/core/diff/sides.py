"""The two releases that are compared: what is known of each at once, and how its larger tables are had."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from schemas.manifests import ReleaseManifest
from schemas.phrases import quoted_name
from tasks.core.diff.settings import RecipeDiff

LEDGER_COLUMNS = (
    "record_id",
    "source",
    "kept",
    "stage",
    "reason",
    "detail",
    "kept_record_id",
    "last_split",
    "image_id",
    "sha256",
)


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
    annotation_columns: Sequence[str]
    annotations: Callable[[Sequence[str]], pa.Table]  # columns of the annotations table
    records: Callable[[pa.Array], pa.Table]  # RECORDS of these records, as far as the release has them
    relations: Callable[[], pa.Table]  # EDGES
    coco_files: pa.Table  # COCO_FILES

    @property
    def programs(self) -> dict[str, str]:
        """What it was built with, and the contract that it keeps."""
        return {"contract": self.manifest.contract_version, **self.manifest.environment}


@dataclass(frozen=True)
class Pair:
    """The older release and the newer one, and what differs between them as a whole."""

    before: Side
    after: Side

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
            for name in [*one, *(name for name in other if name not in one)]
            if one.get(name) != other.get(name)
        )

    @cached_property
    def coco_files(self) -> tuple[str, ...]:
        """What COCO files of sources say of no single image, where that differs: "museum: info, licenses"."""
        one, other = ({row["source"]: row for row in side.coco_files.to_pylist()} for side in (self.before, self.after))
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
