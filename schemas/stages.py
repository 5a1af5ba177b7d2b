"""Stages: every setting with its unit, range and reason. Defaults are written here and nowhere else."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from schemas.base import Frozen, Name, Score, Stage, is_unset
from schemas.detect import Detect
from schemas.phrases import quoted
from schemas.preferences import MOST_RULES, Preference
from schemas.relations import BindRelation, DropRelation, PairFinder
from schemas.sample import Sample
from schemas.screen import Screen
from schemas.split import Split

HIGHEST_MAX_PIXELS = 1_000_000_000
"""The highest limit that a recipe can set. Stored images have passed their recipe's limit: none has more pixels."""


class Fetch(Stage):
    """Copy or download each record's image, decode all of it as a check, and store the bytes under their SHA-256."""

    stage: Literal["fetch"] = "fetch"
    max_bytes: int = Field(
        200_000_000,
        ge=1,
        description="Largest file that is accepted; ten times the largest original of PoPArt is far below it",
    )
    max_pixels: int = Field(
        150_000_000,
        ge=1,
        le=HIGHEST_MAX_PIXELS,
        description="Largest width x height that is accepted; 150 Mpx need 450 MB when decoded",
    )
    timeout_s: float = Field(
        30, gt=0, le=3600, description="A server that sends nothing for so long counts as unreachable"
    )
    refresh: Literal["new", "failed", "all"] = Field(
        "new",
        description="Which images a later build requests. new: those never fetched, those that failed for a passing "
        "reason, and refusals of a host that sent no image; failed: also those that failed for good; all: every "
        "image, with a conditional request (ETag or Last-Modified) where the server allows it",
    )


class Hash(Stage):
    """Measure each image: size when upright, format, 64-bit perceptual hash."""

    stage: Literal["hash"] = "hash"
    kind: Literal["phash64"] = Field(
        "phash64",
        description="The perceptual hash: 8 x 8 bits of a 32 x 32 DCT of a reduced copy, computed as imagehash.phash "
        "does",
    )


class Quality(Stage):
    """Measure each image's thumbnail: colour, contrast, blur, border, and how much it looks like a photograph of an
    object.
    """

    stage: Literal["quality"] = "quality"


class Dedup(Stage):
    """Find images that show the same work, keep one of several copies, and keep related images in one split."""

    stage: Literal["dedup"] = "dedup"
    by: tuple[PairFinder, ...] = Field(
        ("phash", "crops", "inner", "local"),
        min_length=1,
        description="What finds the pairs to compare closely. By hashes: phash (required): copies in another size, "
        "quality or colour; crops: copies that lost up to a quarter of a side; tilted: copies turned by 5 degrees; "
        "inner: copies with a mount, a border, or padded; mirrored: mirror images; turned: copies turned by 90, 180 or "
        "270 degrees. By keypoints: local: whatever shows a part of another picture, as details, halves, screenshots "
        "and photographs taken askew do; leave it out of collections of more than some 200,000 images",
    )
    radius_bits: int = Field(
        12,
        ge=0,
        le=16,
        description="Pairs of pictures whose hashes differ in at most so many of 64 bits are compared closely; no "
        "image is dropped for its hash alone. 8 is enough for copies that are only saved again (docs/dedup.md)",
    )
    view_radius_bits: int = Field(
        10,
        ge=0,
        le=16,
        description="The same for the hash of a view (crops, tilted, inner, mirrored, turned) and that of a picture; "
        "never more than radius_bits. At 12 seven times as many pairs are compared",
    )
    drop_relations: tuple[DropRelation, ...] = Field(
        ("same_file", "reencoded", "resized", "recoloured", "cropped"),
        min_length=1,
        description="Kinds of copies of which only one is kept; same_file is required",
    )
    bind_relations: tuple[BindRelation, ...] = Field(
        ("same_file", "reencoded", "resized", "recoloured", "cropped", "mirrored", "turned", "detail", "uncertain"),
        description="Kinds of pairs that must be in one split; those of drop_relations always are",
    )
    prefer: tuple[Preference, ...] = Field(
        (),
        max_length=MOST_RULES,
        exclude_if=is_unset,
        description="Which copy stays, above the program's own order (rights, annotations, pixels ...): rules such as "
        "{source: met}, {folder: originals}, {known: artist} or {not: {folder: Kopien}}; the first one outranks the "
        "others (docs/dedup.md)",
    )
    verdicts: Name | None = Field(
        None,
        description="Binding of a table of people's decisions: which pairs are copies, related or different "
        "(docs/reviewing.md)",
    )

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if "phash" not in self.by:
            raise ValueError(f"expected phash in `by`, which the other hashes only add to, got {quoted(list(self.by))}")
        if "same_file" not in self.drop_relations:
            raise ValueError(
                f"expected same_file in `drop_relations`: equal bytes are one image, "
                f"got {quoted(list(self.drop_relations))}"
            )
        for relation in ("mirrored", "turned"):
            if relation in self.drop_relations and relation not in self.by:
                raise ValueError(
                    f"expected {relation} in `by` too, without which nothing {relation} is found, "
                    f"got {quoted(list(self.by))}"
                )
        return self


class Parquet(Frozen):
    """How the tables of a release are written."""

    images: Literal["embedded", "none"] = Field(
        "embedded", description="embedded: the images table holds the original bytes; none: it holds no bytes"
    )
    part_bytes: int = Field(
        500_000_000, ge=1_000_000, description="Bytes of images in one file; many readers have trouble above 2 GB"
    )
    row_group_bytes: int = Field(
        32_000_000,
        ge=100_000,
        le=1_000_000_000,
        description="Bytes of images in one row group, which a reader holds in memory at once",
    )
    row_group_rows: int = Field(
        100, ge=1, le=100_000, description="Images in one row group, where the table holds their bytes"
    )


class Coco(Frozen):
    """How the COCO files of a release are written."""

    score: Score = Field(
        0.5,
        description="Without people's annotations, the detector's boxes with at least this score are written as "
        "annotations; in the report, too. Unless it is set, the lowest with which the recipe's screens count figures",
    )


class Export(Stage):
    """Publish the release: Parquet tables, COCO files, contract, dataset card, ledger and manifest."""

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
