"""Stages: every setting with its unit, its range and its reason. Defaults stand here and nowhere else."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from schemas.detect import Detect
from schemas.draw import Sample, Split
from schemas.frozen import Frozen, Name, Score
from schemas.relations import BindRelation, DropRelation, KeyName
from schemas.screen import Screen
from schemas.stage import Stage

HIGHEST_MAX_PIXELS = 1_000_000_000
"""The highest limit that a recipe can set. Stored images have passed their recipe's limit: none has more pixels."""


class Fetch(Stage):
    """Copy or download each record's image, check that it decodes to the end, store the bytes under their SHA-256."""

    stage: Literal["fetch"] = "fetch"
    max_bytes: int = Field(
        200_000_000, ge=1, description="Bytes of one file; ten times the largest original of PoPArt is far below it"
    )
    max_pixels: int = Field(
        150_000_000, ge=1, le=HIGHEST_MAX_PIXELS, description="Width x height in px; 150 Mpx decode to 450 MB"
    )
    timeout_s: float = Field(
        30, gt=0, le=3600, description="Seconds without an answer from a server until it counts as unreachable"
    )
    refresh: Literal["new", "failed", "all"] = Field(
        "new",
        description="new: ask for what was never had or failed in passing; failed: also for what failed for good; all: "
        "ask for every image again, conditionally where the server gave a validator",
    )


class Hash(Stage):
    """Measure each blob: size in the upright frame, format, 64-bit perceptual hash."""

    stage: Literal["hash"] = "hash"
    kind: Literal["phash64"] = Field(
        "phash64", description="8 x 8 bits of a 32 x 32 DCT, as imagehash.phash takes them of a reduced copy"
    )


class Quality(Stage):
    """Measure each blob's stored thumbnail: colour, contrast, blur, border, and how much it looks like a photograph of
    an object.
    """

    stage: Literal["quality"] = "quality"


class Dedup(Stage):
    """Find images that show one work; of copies keep one, and keep what belongs together in one split."""

    stage: Literal["dedup"] = "dedup"
    by: tuple[KeyName, ...] = Field(
        ("phash", "crops"),
        min_length=1,
        description="The hashes by which pairs are found that are worth a second look: phash "
        "finds other sizes, qualities and colours; crops, what was cut by up to 15 % at a side; mirrored; turned, by "
        "right angles",
    )
    radius_bits: int = Field(
        10,
        ge=0,
        le=16,
        description="Hashes at most so far apart are looked at a second time; nothing is dropped for its "
        "hash alone. 8 is enough without crops (docs/dedup.md)",
    )
    drop_relations: tuple[DropRelation, ...] = Field(
        ("same_file", "reencoded", "resized", "recoloured", "cropped"),
        min_length=1,
        description="Of images that stand so to each other, one stays",
    )
    bind_relations: tuple[BindRelation, ...] = Field(
        ("same_file", "reencoded", "resized", "recoloured", "cropped", "mirrored", "turned", "detail", "uncertain"),
        description="Images that stand so to each other lie in one split; what drops copies binds them too",
    )
    verdicts: Name | None = Field(
        None,
        description="The binding of a table in which people have said which pairs are copies, related or different",
    )

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if "phash" not in self.by:
            raise ValueError(f"expected phash in `by`, which the other hashes only add to, got {list(self.by)}")
        if "same_file" not in self.drop_relations:
            raise ValueError(
                f"expected same_file in `drop_relations`: equal bytes are one image, got {list(self.drop_relations)}"
            )
        for relation in ("mirrored", "turned"):
            if relation in self.drop_relations and relation not in self.by:
                raise ValueError(
                    f"expected {relation} in `by` too, without which nothing {relation} is found, got {list(self.by)}"
                )
        return self


class Parquet(Frozen):
    """How the tables of a release are written."""

    images: Literal["embedded", "none"] = Field(
        "embedded", description="embedded: the original bytes stand in the images table"
    )
    part_bytes: int = Field(
        500_000_000, ge=1_000_000, description="Bytes of images per file; readers cope badly above 2 GB"
    )
    row_group_bytes: int = Field(
        32_000_000, ge=100_000, description="Bytes of images per row group: what a reader must hold at once"
    )


class Coco(Frozen):
    """How the COCO files of a release are written."""

    score: Score = Field(
        0.5, description="Where nobody annotated, the detector's boxes from this score on stand in for people's"
    )


class Export(Stage):
    """Publish the release: Parquet, COCO, contract, card, ledger, manifest."""

    stage: Literal["export"] = "export"
    parquet: Parquet = Field(default_factory=Parquet, description="How the tables are written")
    coco: Coco = Field(default_factory=Coco, description="How the COCO files are written")
    media: bool = Field(False, description="Also write the images as files, media/<sha[:2]>/<sha256>.<ext>")


AnyStage = Annotated[
    Fetch | Hash | Detect | Quality | Screen | Dedup | Sample | Split | Export, Field(discriminator="stage")
]

NEEDS: dict[str, tuple[str, ...]] = {
    "hash": ("fetch",),
    "detect": ("fetch",),
    "quality": ("fetch",),
    "dedup": ("hash",),
    "split": ("fetch",),
    "export": ("fetch", "hash", "split"),
}
"""Stages that must stand before a stage, whatever its settings."""
