"""Stages: every setting with its unit, its range and its reason. Defaults stand here and nowhere else."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from schemas.frozen import Frozen, Name, Score
from schemas.relations import BindRelation, DropRelation, KeyName


class Stage(Frozen):
    """What every stage has: its word, and a label that is unique in the recipe."""

    label: Name = Field("", validate_default=False, description="Unique in the recipe; the stage's word by default")


class Fetch(Stage):
    """Copy or download each record's image, check that it decodes to the end, store the bytes under their SHA-256."""

    stage: Literal["fetch"] = "fetch"
    max_bytes: int = Field(
        200_000_000, ge=1, description="Bytes of one file; ten times the largest original of PoPArt is far below it"
    )
    max_pixels: int = Field(
        150_000_000, ge=1, le=1_000_000_000, description="Width x height in px; 150 Mpx decode to 450 MB"
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


class Detect(Stage):
    """Measure each blob with an ONNX detector; all boxes above a low score are stored, and nothing is dropped for them."""

    stage: Literal["detect"] = "detect"
    layout: Literal["yolox", "plain"] = Field(
        description="How pixels go in and boxes come out; docs/detectors.md gives both layouts"
    )
    weights: Name = Field(
        "weights", description="The binding that gives the ONNX file; the cache knows it by its SHA-256"
    )
    weights_sha256: str | None = Field(
        None, pattern=r"^[0-9a-f]{64}$", description="If given, a file with other bytes is refused"
    )
    classes: dict[str, Annotated[int, Field(ge=0)]] = Field(
        default_factory=lambda: {"person": 0}, min_length=1, description="Category: the model's class index"
    )
    least_score: Score = Field(
        0.01, description="Boxes below are not stored: they only lengthen the tail of a precision-recall curve"
    )
    nms_iou: float = Field(
        0.65, gt=0, le=1, description="Of two boxes of a class that overlap more, the weaker goes (YOLOX's own default)"
    )
    at_most: int = Field(100, ge=1, le=10_000, description="Boxes stored per image, best first (COCO's maxDets)")


class Figures(Frozen):
    """How many figures an image must have. Where people have annotated it, their count stands, else the detector's."""

    category: str = Field("person", description="Category that is counted")
    least: int = Field(1, ge=0, description="Fewest figures")
    most: int | None = Field(None, ge=0, description="Most figures, if there is a limit")
    score: Score = Field(0.5, description="A detector's box counts from this score on (PoPArt, section 3.1: p >= 0.5)")
    counted_by: Literal["people_first", "detector"] = Field(
        "people_first",
        description="people_first: a source's annotations outrank the detector; detector: only it counts",
    )

    @model_validator(mode="after")
    def _least_below_most(self) -> Self:
        if self.most is not None and self.least > self.most:
            raise ValueError(f"expected least <= most, got {self.least} > {self.most}")
        return self


class Aspect(Frozen):
    """Allowed width / height, both ends included."""

    least: float = Field(0.5, gt=0, description="ArtBench-10, section 3.2: kept ratios lie in [0.5, 2]")
    most: float = Field(2.0, gt=0, description="ArtBench-10, section 3.2: kept ratios lie in [0.5, 2]")

    @model_validator(mode="after")
    def _least_below_most(self) -> Self:
        if self.least > self.most:
            raise ValueError(f"expected least <= most, got {self.least} > {self.most}")
        return self


class Screen(Stage):
    """Drop records by what was measured of them. The one filter; it may stand several times in a recipe."""

    stage: Literal["screen"] = "screen"
    least_side_px: int | None = Field(None, ge=1, description="Shorter side in px, upright")
    aspect: Aspect | None = Field(None, description="Allowed width / height")
    figures: Figures | None = Field(None, description="How many figures there must be")
    rights: tuple[str, ...] | None = Field(
        None, min_length=1, description="URIs (or beginnings of them) of the rights statements that pass"
    )


class Dedup(Stage):
    """Find images that show one work; of copies keep one, and keep what belongs together in one split."""

    stage: Literal["dedup"] = "dedup"
    by: tuple[KeyName, ...] = Field(
        ("phash", "crops"), min_length=1, description="The hashes by which pairs are found that are worth a second look: phash "
        "finds other sizes, qualities and colours; crops, what was cut by up to 15 % at a side; mirrored; turned, by right angles",
    )  # fmt: skip
    radius_bits: int = Field(
        10, ge=0, le=16, description="Hashes at most so far apart are looked at a second time; nothing is dropped for its "
        "hash alone. 8 is enough without crops (docs/dedup.md)",
    )  # fmt: skip
    drop_relations: tuple[DropRelation, ...] = Field(
        ("same_file", "reencoded", "resized", "recoloured", "cropped"), min_length=1,
        description="Of images that stand so to each other, one stays",
    )  # fmt: skip
    bind_relations: tuple[BindRelation, ...] = Field(
        ("same_file", "reencoded", "resized", "recoloured", "cropped", "mirrored", "turned", "detail", "uncertain"),
        description="Images that stand so to each other lie in one split; what drops copies binds them too",
    )  # fmt: skip
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


class Drawn(Stage):
    """What the two stages that draw have in common."""

    seed: int | None = Field(None, ge=0, description="The recipe's seed by default")


class Sample(Drawn):
    """Draw at most n records of each style, without replacement, rare artists before prolific ones."""

    stage: Literal["sample"] = "sample"
    by: Literal["style"] = Field("style", description="What the records are grouped by")
    top: int | None = Field(
        None, ge=1, description="Keep only so many of the most frequent styles (PoPArt: 22); ties by name"
    )
    at_most: int | None = Field(None, ge=1, description="Records per style (PoPArt: 125, ArtBench-10: 6000)")
    weight: Literal["inverse_artist", "uniform"] = Field(
        "inverse_artist",
        description="inverse_artist: 1 / works of that artist in that style (ArtBench-10, Algorithm 1); works of unknown "
        "artists count as the recipe's `artists` says",
    )  # fmt: skip


class Split(Drawn):
    """Deal the records of each style into train, val and test, groups kept together, published ones kept where they are."""

    stage: Literal["split"] = "split"
    ratios: dict[Literal["train", "val", "test"], Annotated[int, Field(ge=0, le=100)]] = Field(
        {"train": 3, "val": 1, "test": 1}, description="Seats per batch (PoPArt, section 3.3)"
    )
    by: Literal["style"] | None = Field("style", description="Batches are filled inside each style; null: in one list")
    order: Literal["figures"] | None = Field(
        "figures", description="Sort by number of figures, most first; null: by chance"
    )
    category: str = Field("person", description="Category that counts as a figure")
    score: Score = Field(0.5, description="A detector's box counts from this score on, where people have not annotated")

    @model_validator(mode="after")
    def _some_seat(self) -> Self:
        if not sum(self.ratios.values()):
            raise ValueError(f"expected at least one ratio above 0, got {self.ratios}")
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


AnyStage = Annotated[Fetch | Hash | Detect | Screen | Dedup | Sample | Split | Export, Field(discriminator="stage")]

NEEDS: dict[str, tuple[str, ...]] = {
    "hash": ("fetch",),
    "detect": ("fetch",),
    "dedup": ("hash",),
    "split": ("fetch",),
    "export": ("fetch", "hash", "split"),
}
"""Stages that must stand before a stage, whatever its settings."""
