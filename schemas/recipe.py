"""The recipe: one dataset's story, read top-down. Frozen; every number with its unit, range and reason.

Settings stand in the recipe and decide what a release holds. What a machine provides (folders, weights) is only named
here, as a *binding*, and given when a build starts; no digest ever sees its path.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_serializer, model_validator

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$", description="Lower-case letters, digits, - and _")]
Score = Annotated[float, Field(ge=0, le=1)]
NOASSERTION = "NOASSERTION"


class Frozen(BaseModel):
    """What every part of a recipe is: immutable, and unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


# ---------------------------------------------------------------------------------------------------- sources


class Rights(Frozen):
    """The rights that the recipe's author asserts for a whole source, where its own fields say nothing."""

    uri: str = Field(
        NOASSERTION,
        pattern=r"^(NOASSERTION|https?://(creativecommons\.org|rightsstatements\.org)/\S+)$",
        description="A Creative Commons or rightsstatements.org URI, or NOASSERTION",
    )
    text: str | None = Field(None, description="The statement in words")
    asserted_by: str | None = Field(None, description="Who asserts it; required unless the URI is NOASSERTION")
    because: str | None = Field(None, description="Why it may be asserted; required unless the URI is NOASSERTION")

    @model_validator(mode="after")
    def _says_who_and_why(self) -> Self:
        if self.uri != NOASSERTION and not (self.asserted_by and self.because):
            raise ValueError("rights that a recipe asserts need both asserted_by and because")
        return self


class Annotations(Frozen):
    """Boxes that people have already drawn, lying beside the images."""

    format: Literal["voc", "coco"] = Field(description="voc: one PASCAL VOC XML per image; coco: one JSON for all")
    path: str = Field(
        min_length=1,
        description="voc: path of the XML below the binding, with the pattern's fields, e.g. "
        "'Annotations/{style}/{artist}_{title}.jpg.xml'; coco: path of the JSON",
    )
    missing: Literal["unknown", "no_figures"] = Field(
        "unknown", description="What it means that an image has no annotation: nobody looked, or nobody is in it"
    )


class Source(Frozen):
    """What both sources say."""

    name: Name = Field(description="The source's name; record_id is <name>:<key>")
    at: Name = Field("images", description="The binding that gives the folder (an fsspec URL or a path)")
    annotations: Annotations | None = Field(None, description="Boxes lying beside the images, if any")
    rights: Rights = Field(default_factory=Rights, description="Asserted where the source's own fields say nothing")
    source_url: str | None = Field(
        None, description="Page of a work, with the record's fields in braces, e.g. 'https://museum.example/{key}'"
    )


class FolderSource(Source):
    """Images in a folder; what is known of a work stands in its path."""

    source: Literal["folder"] = "folder"
    pattern: str = Field(
        min_length=1,
        description="Path below the binding. {field} takes a stretch without '/', as short as it can be; '*' is "
        "anything but '/'. Known fields: key, title, artist, style, date_text, year, group",
    )


class TableSource(Source):
    """One row for each work, in CSV, Parquet or JSON lines; images by path below the binding, or by URL."""

    source: Literal["table"] = "table"
    table: str = Field(min_length=1, description="Path of the table below the binding (.csv, .parquet, .jsonl)")
    columns: dict[
        Literal[
            "key", "image", "source_url", "image_url", "title", "artist", "style", "styles", "date_text", "year",
            "rights_uri", "rights_text", "group",
        ],
        str,
    ] = Field(description="Our field: the table's column. key and image are required")  # fmt: skip

    @model_validator(mode="after")
    def _has_key_and_image(self) -> Self:
        if missing := {"key", "image"} - self.columns.keys():
            raise ValueError(f"expected columns for key and image, got none for {' and '.join(sorted(missing))}")
        return self


AnySource = Annotated[FolderSource | TableSource, Field(discriminator="source")]


# ---------------------------------------------------------------------------------------------------- stages


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
    timeout_s: float = Field(30, gt=0, le=3600, description="Seconds without an answer from a server until it counts as unreachable")
    refresh: Literal["new", "all"] = Field(
        "new", description="new: ask for what was never had or failed in passing; all: ask for every URL again"
    )


class Hash(Stage):
    """Measure each blob: size in the upright frame, format, 64-bit perceptual hash."""

    stage: Literal["hash"] = "hash"
    kind: Literal["phash64"] = Field("phash64", description="imagehash.phash, 8 x 8 bits of a 32 x 32 DCT")


class Detect(Stage):
    """Measure each blob with an ONNX detector; all boxes above a low score are stored, and nothing is dropped for them."""

    stage: Literal["detect"] = "detect"
    layout: Literal["yolox", "plain"] = Field(
        description="How pixels go in and boxes come out; docs/detectors.md gives both layouts"
    )
    weights: Name = Field("weights", description="The binding that gives the ONNX file; the cache knows it by its SHA-256")
    weights_sha256: str | None = Field(
        None, pattern=r"^[0-9a-f]{64}$", description="If given, a file with other bytes is refused"
    )
    classes: dict[str, Annotated[int, Field(ge=0)]] = Field(
        default_factory=lambda: {"person": 0}, min_length=1, description="Category: the model's class index"
    )
    least_score: Score = Field(
        0.01, description="Boxes below are not stored: they only lengthen the tail of a precision-recall curve"
    )
    nms_iou: float = Field(0.65, gt=0, le=1, description="Of two boxes of a class that overlap more, the weaker goes (YOLOX's own default)")
    at_most: int = Field(100, ge=1, le=10_000, description="Boxes stored per image, best first (COCO's maxDets)")


class Figures(Frozen):
    """How many figures an image must have. Where people have annotated it, their count stands, else the detector's."""

    category: str = Field("person", description="Category that is counted")
    least: int = Field(1, ge=0, description="Fewest figures")
    most: int | None = Field(None, ge=0, description="Most figures, if there is a limit")
    score: Score = Field(0.5, description="A detector's box counts from this score on (PoPArt, section 3.1: p >= 0.5)")
    counted_by: Literal["people_first", "detector"] = Field(
        "people_first", description="people_first: a source's annotations outrank the detector; detector: only it counts"
    )


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
    """Of images that are copies of each other, keep one."""

    stage: Literal["dedup"] = "dedup"
    radius_bits: int = Field(
        4, ge=0, le=16, description="64-bit pHashes at most so far apart are copies. Sizes of one file lie within 4 bits; "
        "different works of a series can come as close as 8 (docs/dedup.md)",
    )  # fmt: skip


class Drawn(Stage):
    """What the two stages that draw have in common."""

    seed: int | None = Field(None, ge=0, description="The recipe's seed by default")


class Sample(Drawn):
    """Draw at most n records of each style, without replacement, rare artists before prolific ones."""

    stage: Literal["sample"] = "sample"
    by: Literal["style"] = "style"
    top: int | None = Field(None, ge=1, description="Keep only so many of the most frequent styles (PoPArt: 22); ties by name")
    at_most: int | None = Field(None, ge=1, description="Records per style (PoPArt: 125, ArtBench-10: 6000)")
    weight: Literal["inverse_artist", "uniform"] = Field(
        "inverse_artist", description="inverse_artist: 1 / works of that artist in that style (ArtBench-10, Algorithm 1); works of unknown artists count as one artist's"
    )  # fmt: skip


class Split(Drawn):
    """Deal the records of each style into train, val and test, groups kept together, published ones kept where they are."""

    stage: Literal["split"] = "split"
    ratios: dict[Literal["train", "val", "test"], Annotated[int, Field(ge=0, le=100)]] = Field(
        default_factory=lambda: {"train": 3, "val": 1, "test": 1}, description="Seats per batch (PoPArt, section 3.3)"
    )
    by: Literal["style"] | None = Field("style", description="Batches are filled inside each style; null: in one list")
    order: Literal["figures"] | None = Field("figures", description="Sort by number of figures, most first; null: by chance")
    category: str = Field("person", description="Category that counts as a figure")
    score: Score = Field(0.5, description="A detector's box counts from this score on, where people have not annotated")

    @model_validator(mode="after")
    def _some_seat(self) -> Self:
        if not sum(self.ratios.values()):
            raise ValueError("expected at least one ratio above 0")
        return self


class Parquet(Frozen):
    """How the tables of a release are written."""

    images: Literal["embedded", "none"] = Field("embedded", description="embedded: the original bytes stand in the images table")
    part_bytes: int = Field(500_000_000, ge=1_000_000, description="Bytes of images per file; readers cope badly above 2 GB")
    row_group_bytes: int = Field(32_000_000, ge=100_000, description="Bytes of images per row group: what a reader must hold at once")


class Coco(Frozen):
    """How the COCO files of a release are written."""

    score: Score = Field(0.5, description="Where nobody annotated, the detector's boxes from this score on stand in for people's")


class Export(Stage):
    """Publish the release: Parquet, COCO, contract, card, ledger, manifest."""

    stage: Literal["export"] = "export"
    parquet: Parquet = Field(default_factory=Parquet)
    coco: Coco = Field(default_factory=Coco)
    media: bool = Field(False, description="Also write the images as files, media/<sha[:2]>/<sha256>.<ext>")


AnyStage = Annotated[
    Fetch | Hash | Detect | Screen | Dedup | Sample | Split | Export, Field(discriminator="stage")
]

NEEDS: dict[str, tuple[str, ...]] = {
    "hash": ("fetch",),
    "detect": ("fetch",),
    "dedup": ("hash",),
    "split": ("fetch",),
    "export": ("fetch", "hash", "split"),
}
"""Stages that must stand before a stage, whatever its settings."""


# ---------------------------------------------------------------------------------------------------- the recipe


class Recipe(Frozen):
    """One dataset: its sources, its stages in order, its seed."""

    name: Name = Field(description="The dataset's name; its releases lie in <store>/releases/<name>")
    title: str | None = Field(None, description="What people call it")
    description: str | None = Field(None, description="What it is, for its card")
    seed: int = Field(0, ge=0, description="Seed of every draw that has none of its own")
    categories: tuple[str, ...] = Field(("person",), min_length=1, description="COCO categories; ids count from 1 in this order")
    bindings: dict[Name, str] = Field(default_factory=dict, description="Name: what a machine has to provide under it")
    limit: int | None = Field(
        None, ge=1, description="Build only the N records with the smallest SHA-256(record_id) of each source; never `latest`"
    )
    max_loss_fraction: float = Field(
        0.05, ge=0, le=1, description="The same recipe keeping so much less than its last release publishes nothing: a source broke"
    )
    sources: tuple[AnySource, ...] = Field(min_length=1)
    stages: tuple[AnyStage, ...] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _from_short_form(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            raise ValueError(f"expected a mapping with name, sources and stages, got {type(value).__name__}")
        value = dict(value)
        for field, word in (("sources", "source"), ("stages", "stage")):
            if isinstance(value.get(field), list | tuple):
                value[field] = tuple(_tagged(entry, word) for entry in value[field])
        seed = value.get("seed", 0)
        if isinstance(value.get("stages"), tuple):
            value["stages"] = tuple(_filled_in(stage, seed) for stage in value["stages"])
        return value

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        for problem in _problems(self):
            raise ValueError(problem)
        return self

    @model_serializer(mode="wrap")
    def _to_short_form(self, handler: Any) -> dict[str, Any]:
        plain = handler(self)
        plain["sources"] = [{entry.pop("source"): entry} for entry in plain["sources"]]
        plain["stages"] = [{entry.pop("stage"): entry} for entry in plain["stages"]]
        return dict(plain)

    def stage(self, label: str) -> "AnyStage | None":
        """The stage of that label, or None."""
        return next((stage for stage in self.stages if stage.label == label), None)


def _tagged(entry: Any, word: str) -> Any:
    """`{dedup: {radius_bits: 8}}`, or just `dedup`, as the tagged mapping that the models read."""
    if isinstance(entry, str):
        return {word: entry}
    if isinstance(entry, dict) and len(entry) == 1 and word not in entry:
        tag, settings = next(iter(entry.items()))
        return {word: tag, **(settings or {})} if isinstance(settings, dict | None) else {word: tag, "?": settings}
    return entry


def _filled_in(stage: Any, seed: Any) -> Any:
    """The stage with its default label and the recipe's seed written out, so that a release shows what was used."""
    if not isinstance(stage, dict) or "stage" not in stage:
        return stage
    filled = {**stage, "label": stage.get("label") or stage["stage"]}
    if stage["stage"] in {"sample", "split"} and stage.get("seed") is None:
        filled["seed"] = seed
    return filled


def _problems(recipe: Recipe) -> Iterator[str]:
    """Sentences for everything that no field can see alone, in reading order."""
    yield from _repeated("sources[].name", [source.name for source in recipe.sources])
    yield from _repeated("stages[].label", [stage.label for stage in recipe.stages])
    yield from _repeated("categories", list(recipe.categories))
    for name in (*(source.at for source in recipe.sources), *(s.weights for s in recipe.stages if isinstance(s, Detect))):
        if name not in recipe.bindings:
            yield f"bindings: expected an entry that says what '{name}' is, got {sorted(recipe.bindings) or 'none'}"
    words = [stage.stage for stage in recipe.stages]
    if words[-1] != "export" or words.count("export") != 1:
        yield f"stages: expected one export, as the last stage, got {' > '.join(words)}"
    for single in ("fetch", "hash", "detect", "split"):
        if words.count(single) > 1:
            yield f"stages: expected {single} at most once, got it {words.count(single)} times"
    for position, stage in enumerate(recipe.stages):
        for needed in _needs(stage):
            if needed not in words[:position]:
                yield f"stages[{position}] ({stage.label}): expected {needed} before it, got {' > '.join(words[:position]) or 'nothing'}"
        for category in _categories(stage):
            if category not in recipe.categories:
                yield f"stages[{position}] ({stage.label}): expected one of categories {list(recipe.categories)}, got '{category}'"


def _repeated(where: str, names: list[str]) -> Iterator[str]:
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{where}: expected each name once, got '{name}' {names.count(name)} times"


def _needs(stage: AnyStage) -> tuple[str, ...]:
    if isinstance(stage, Screen):
        by_size = stage.least_side_px is not None or stage.aspect is not None
        return (("hash",) if by_size else ()) + (("detect",) if stage.figures and stage.figures.counted_by == "detector" else ())
    return NEEDS.get(stage.stage, ())


def _categories(stage: AnyStage) -> list[str]:
    if isinstance(stage, Detect):
        return list(stage.classes)
    if isinstance(stage, Screen):
        return [stage.figures.category] if stage.figures else []
    return [stage.category] if isinstance(stage, Split) else []
