"""Settings of `dedup`: what finds copies, which are dropped, which stays."""

from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from schemas.base import Later, Name, Some
from schemas.hash_kinds import WORK_HASHES
from schemas.phrases import LONGEST_PLACE, quoted
from schemas.preferences import MOST_RULES, Preference
from schemas.reasons import Reason
from schemas.relations import BindRelation, DropRelation, PairFinder
from schemas.stage import Stage, Surroundings, column_problems

Radius = Annotated[int, Field(ge=0, le=16)]


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
        f"270 degrees; {WORK_HASHES}: pictures whose hashes by imagehash are near, each within a radius of its own. "
        "By keypoints: local: whatever shows a part of another picture, as details, halves, screenshots and "
        "photographs taken askew do",
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
