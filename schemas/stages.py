"""Stages: every setting with its unit, range and reason. Defaults are written here and nowhere else."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, model_validator

from schemas.base import Frozen, Later, Name, Positive, Score, Some
from schemas.detect import Detect
from schemas.hash_kinds import HASHES, HashKind, WorkHash
from schemas.phrases import LONGEST_PLACE, quoted
from schemas.preferences import MOST_RULES, Preference
from schemas.reasons import FAILURES_IN_BYTES, PASSING, REFUSALS, Reason
from schemas.relations import BindRelation, DropRelation, PairFinder
from schemas.sample import Sample
from schemas.screen import Screen
from schemas.split import Split
from schemas.stage import SeededStage, Stage, Surroundings, column_problems, with_score

_WORK_HASHES = ", ".join(get_args(WorkHash))

Radius = Annotated[int, Field(ge=0, le=16)]
HIGHEST_MAX_PIXELS = 1_000_000_000
"""The highest limit that a recipe can set. Stored images have passed their recipe's limit: none has more pixels."""


class Scrape(Stage):
    """The first step of every build, which no recipe names: the sources' records."""

    step_kind = "retrieve"
    reasons = (
        PASSING | REFUSALS | {Reason.OVER_LIMIT, Reason.GONE, Reason.BAD_RECORD, Reason.BAD_ATTRIBUTE, Reason.SAME_KEY}
    )

    stage: Literal["scrape"] = "scrape"


SCRAPE = Scrape(label="scrape")


class Fetch(Stage):
    """Copy or download each record's image, decode all of it as a check, and store the bytes under their SHA-256."""

    step_kind = "retrieve"
    is_single = True
    reasons = PASSING | REFUSALS | FAILURES_IN_BYTES | {Reason.NOT_ALLOWED, Reason.ROBOTS_DISALLOW, Reason.OPTED_OUT}

    stage: Literal["fetch"] = "fetch"
    max_bytes: Positive = Field(
        200_000_000,
        description="Largest file that is accepted; ten times the largest original of PoPArt is far below it",
    )
    max_pixels: Annotated[int, Field(ge=1, le=HIGHEST_MAX_PIXELS)] = Field(
        150_000_000, description="Largest width x height that is accepted; 150 Mpx need 450 MB when decoded"
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
    """Measure each image: size when upright, format, 64-bit perceptual hash, and others that are asked for."""

    step_kind = "measure"
    after = ("fetch",)
    is_single = True
    reasons = FAILURES_IN_BYTES

    stage: Literal["hash"] = "hash"
    kind: Literal["phash64"] = Field(
        "phash64",
        description="The perceptual hash: 8 x 8 bits of a 32 x 32 DCT of a reduced copy, computed as imagehash.phash "
        "does",
    )
    also: Later[tuple[HashKind, ...]] = Field(
        (),
        max_length=len(HASHES),
        description=f"Other hashes, by imagehash itself, of each thumbnail: {_WORK_HASHES} and colorhash. Each becomes "
        "an attribute of its name, which the release has and a screen may ask for (docs/dedup.md)",
    )


class Quality(Stage):
    """Measure each image's thumbnail: colour, contrast, blur, border, and how much it looks like a photograph of an
    object.
    """

    step_kind = "measure"
    after = ("fetch",)
    is_single = True
    reasons = FAILURES_IN_BYTES

    stage: Literal["quality"] = "quality"


class Dedup(Stage):
    """Find images that show the same work, keep one of several copies, and keep related images in one split."""

    step_kind = "decide"
    after = ("hash",)
    finds_copies = True
    reasons = frozenset({Reason.EXACT_DUPLICATE, Reason.NEAR_DUPLICATE})

    stage: Literal["dedup"] = "dedup"
    by: Some[PairFinder] = Field(
        ("phash", "crops", "inner", "local"),
        description="What finds the pairs to compare closely. By hashes: phash (required): copies in another size, "
        "quality or colour; crops: copies that lost up to a quarter of a side; tilted: copies turned by 5 degrees; "
        "inner: copies with a mount, a border, or padded; mirrored: mirror images; turned: copies turned by 90, 180 or "
        f"270 degrees; {_WORK_HASHES}: pictures whose hashes by imagehash are near, each within a radius of its own. "
        "By keypoints: local: whatever shows a part of another picture, as details, halves, screenshots and "
        "photographs taken askew do; leave it out of collections of more than some 200,000 images",
    )
    radius_bits: Radius = Field(
        12,
        description="Pairs of pictures whose hashes differ in at most so many of 64 bits are compared closely; no "
        "image is dropped for its hash alone. 8 is enough for copies that are only saved again (docs/dedup.md)",
    )
    view_radius_bits: Radius = Field(
        10,
        description="The same for the hash of a view (crops, tilted, inner, mirrored, turned) and that of a picture; "
        "never more than radius_bits. At 12 seven times as many pairs are compared",
    )
    drop_relations: Some[DropRelation] = Field(
        ("same_file", "reencoded", "resized", "recoloured", "cropped"),
        description="Kinds of copies of which only one is kept; same_file is required",
    )
    bind_relations: tuple[BindRelation, ...] = Field(
        ("same_file", "reencoded", "resized", "recoloured", "cropped", "mirrored", "turned", "detail", "uncertain"),
        description="Kinds of pairs that must be in one split; those of drop_relations always are",
    )
    prefer: Later[tuple[Preference, ...]] = Field(
        (),
        max_length=MOST_RULES,
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

    @property
    def uses(self) -> tuple[str, ...]:
        """The binding of people's verdicts."""
        return (self.verdicts,) if self.verdicts else ()

    def problems(self, where: str, around: Surroundings) -> Iterator[str]:
        """Copies preferred of sources that the recipe does not have, or for columns that records don't have."""
        rules = [rule.plain for rule in self.prefer]
        for name in (rule.source for rule in rules if rule.source not in (None, *around.sources)):
            known = quoted(sorted(around.sources), LONGEST_PLACE)
            yield f"{where}.prefer: expected one of the sources {known}, got {quoted(name)}"
        yield from column_problems(f"{where}.prefer", [rule.known for rule in rules if rule.known], around.columns)


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

    step_kind = "publish"
    after = ("fetch", "hash", "split")

    stage: Literal["export"] = "export"
    parquet: Parquet = Field(default_factory=Parquet, description="How the tables are written")
    coco: Coco = Field(default_factory=Coco, description="How the COCO files are written")
    media: bool = Field(False, description="Also write the images as files, media/<sha[:2]>/<sha256>.<ext>")

    def with_screened_score(self, scores: Mapping[str, float]) -> Self:
        """With the lowest score of any category, since COCO files hold the boxes of all."""
        coco = with_score(self.coco, min(scores.values(), default=None))
        return self if coco is self.coco else self.model_copy(update={"coco": coco})

    def with_published_score(self, settings: Mapping[str, Any]) -> Self:
        """With the score of a release's COCO files."""
        coco = settings.get("coco")
        if not isinstance(coco, Mapping) or "score" not in coco:
            return self
        return self.model_copy(update={"coco": self.coco.model_copy(update={"score": coco["score"]})})


_AnyStage = Fetch | Hash | Detect | Quality | Screen | Dedup | Sample | Split | Export
AnyStage = Annotated[_AnyStage, Field(discriminator="stage")]

STAGES: dict[str, type[Stage]] = {kind.model_fields["stage"].default: kind for kind in get_args(_AnyStage)}
"""Each stage that a recipe may have, by its word."""

SEEDED: frozenset[str] = frozenset(word for word, kind in STAGES.items() if issubclass(kind, SeededStage))
"""The words of stages that draw by chance."""


def screened_score(stages: Sequence[AnyStage], category: str) -> float | None:
    """The score from which on a recipe's screens count figures of a category; None where none counts them.

    Of several screens: the last one that asks for at least one figure, as what passes all of them has; else the last.
    """
    limits = [limit for stage in stages if (limit := stage.least_and_score(category)) is not None]
    scores = [score for least, score in limits if least] or [score for _, score in limits]
    return scores[-1] if scores else None


def with_figure_scores(stages: Sequence[AnyStage], categories: Sequence[str]) -> tuple[AnyStage, ...]:
    """The stages, with the screens' score, if they have one, in each that counts figures and has none of its own."""
    scores = {name: score for name in categories if (score := screened_score(stages, name)) is not None}
    return tuple(stage.with_screened_score(scores) for stage in stages)


def with_scores_as_published(stages: Sequence[AnyStage], published: Sequence[Any]) -> list[AnyStage]:
    """The stages, with the scores of the same stages in a release: none that may follow from a screen changes counts.

    published: the stages of its `recipe.yaml`, each as {word: settings}. Where they are others, or too few, ours stay.
    """
    found = []
    for stage, before in itertools.zip_longest(stages, published[: len(stages)]):
        settings = before.get(stage.stage) if isinstance(before, Mapping) else None
        found.append(stage.with_published_score(settings) if isinstance(settings, Mapping) else stage)
    return found
