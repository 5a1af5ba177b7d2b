"""Settings of `export`: which files a release has."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator

from schemas.base import Frozen, Later, Score
from schemas.formats import Format
from schemas.layouts import LAYOUTS
from schemas.stage import Stage, Surroundings, type_problems


class Parquet(Frozen):
    """How the tables of a release are written."""

    images: Literal["embedded", "none"] = Field(
        "embedded", description="embedded: the images table holds the original bytes; none: it holds no bytes"
    )
    part_bytes: int = Field(
        500_000_000, ge=1_000_000, description="Bytes of images in one file; many readers have trouble above 2 GB"
    )
    row_group_bytes: Annotated[int, Field(ge=100_000, le=1_000_000_000)] = Field(
        32_000_000, description="Bytes of images in one row group, which a reader holds in memory at once"
    )
    order: Literal["image_id", "style"] = Field(
        "image_id",
        description="How images lie in the files of a split. image_id: by their ids, which are hashes, so that every "
        "part of a stream has all styles; style: by style, for who reads one style at a time",
    )
    row_group_rows: int = Field(
        100, ge=1, le=100_000, description="Images in one row group, where the table holds their bytes"
    )


class Coco(Frozen):
    """How the COCO files of a release are written."""

    score: Score = Field(
        0.0, description="The detector's boxes with at least this score are written to coco/<split>.detections.json"
    )


class Export(Stage):
    """Publish the release: Parquet tables, COCO files, contract, dataset card, ledger and manifest."""

    step_kind = "publish"
    after = ("fetch", "hash", "split")

    stage: Literal["export"] = "export"
    parquet: Parquet = Field(default_factory=Parquet, description="How the tables are written")
    coco: Coco = Field(default_factory=Coco, description="How the COCO files are written")
    media: bool = Field(False, description="Also write the images as files, media/<sha[:2]>/<sha256>.<ext>")
    formats: Later[tuple[Format, ...]] = Field(
        (),
        description="Also write the images, and what is known of them, in layouts of `unpack`: formats/<name>/ of the "
        "release, with a digest of each file in its manifest. Words (cifar), or words with settings (imagefolder: "
        "{side_px: 256})",
    )

    @field_validator("formats")
    @classmethod
    def _folders_of_their_own(cls, value: tuple[Format, ...]) -> tuple[Format, ...]:
        for name, count in Counter(entry.folder for entry in value).items():
            if count > 1:
                raise ValueError(f"expected a name for each, got '{name}' {count} times: give one another `name`")
        return value

    def problems(self, where: str, around: Surroundings) -> Iterator[str]:
        """Formats that need an attribute which the recipe does not declare."""
        for entry in self.formats:
            if (needed := LAYOUTS[entry.layout].attribute) is not None:
                yield from type_problems(f"{where}.formats ({entry.layout})", [needed.name], (), around, needed.types)

    def with_published_score(self, settings: Mapping[str, Any]) -> Self:
        """With the score of a release's COCO files, which changes no count of images."""
        coco = settings.get("coco")
        if not isinstance(coco, Mapping) or "score" not in coco:
            return self
        return self.model_copy(update={"coco": self.coco.model_copy(update={"score": coco["score"]})})
