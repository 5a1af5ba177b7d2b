"""sample: which records of each stratum are drawn."""

from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from schemas.attributes import AttributeName
from schemas.base import Frozen, Positive, Score
from schemas.reasons import Reason
from schemas.stage import (
    STRATA_TYPES,
    STRATUM_FIELDS,
    AnyStratumField,
    SeededStage,
    Surroundings,
    as_list,
    type_problems,
)


class Caps(Frozen):
    """How many records of one artist or object may be drawn from at all; or of one value of an attribute, by its name.

    Of an attribute's value they are chosen by chance, as of an artist; records without a value have no cap.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[AttributeName, Positive]

    artist: Positive | None = Field(
        None, description="Most records of one artist, chosen by chance; unknown artists have no cap"
    )
    object: Positive | None = Field(
        None, description="Most records of one object (a source's group): the first by record_id (the Met: 10)"
    )

    @property
    def of_attributes(self) -> dict[str, int]:
        """The caps of attributes, by name; in the order of the names, since each draws from what the last one left."""
        return dict(sorted(self.__pydantic_extra__.items()))


class Sample(SeededStage):
    """Draw records of each stratum, without replacement, rare artists before prolific ones."""

    step_kind = "decide"
    has_draw = True
    reasons = frozenset({Reason.STYLE_NOT_CHOSEN, Reason.NO_STYLE, Reason.NOT_DRAWN, Reason.OVER_CAP})

    stage: Literal["sample"] = "sample"
    by: Annotated[
        tuple[AnyStratumField, ...],
        BeforeValidator(as_list, json_schema_input_type=AnyStratumField | tuple[AnyStratumField, ...] | None),
    ] = Field(
        ("style",),
        description="Fields whose values make the strata, e.g. style, or style and century, or attributes of the "
        "recipe; null: all records are one stratum. Records without a value are the stratum `unknown`",
    )
    top: Positive | None = Field(
        None,
        description="Keep only so many of the largest strata (PoPArt: 22 styles), never `unknown`; of equal ones the "
        "first by name",
    )
    at_most: Positive | None = Field(None, description="Most records of each stratum (PoPArt: 125, ArtBench-10: 6000)")
    exactly: Positive | None = Field(
        None, description="Records of each stratum; if one has fewer, nothing is published and the error names it"
    )
    total: Positive | None = Field(
        None,
        description="Records of all strata together, divided in proportion to their sizes (largest remainders)",
    )
    at_most_per: Caps = Field(default_factory=Caps, description="Caps that are applied before the draw")
    weight: Literal["inverse_artist", "uniform", "figures"] = Field(
        "inverse_artist",
        description="A record's weight in the draw. inverse_artist: 1 / works of its artist in its stratum "
        "(ArtBench-10, Algorithm 1); for unknown artists see the recipe's `artists`. uniform: all equal. figures: its "
        "number of figures",
    )
    category: str = Field("person", description="With weight figures: category that counts as a figure")
    score: Score = Field(
        0.5,
        description="With weight figures: lowest score with which a detector's box counts. Unless it is set, that of "
        "the recipe's last `screen` that asks for figures of this category",
    )

    @model_validator(mode="after")
    def _one_size(self) -> Self:
        given = [name for name in ("at_most", "exactly", "total") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"expected one of at_most, exactly and total, got {' and '.join(given)}")
        return self

    @property
    def counted_category(self) -> str | None:
        """Its category, with weight figures."""
        return self.category if self.weight == "figures" else None

    def problems(self, where: str, around: Surroundings) -> Iterator[str]:
        """Strata and caps by attributes that the recipe does not have, or that are of another type."""
        yield from type_problems(f"{where}.by", self.by, STRATUM_FIELDS, around, STRATA_TYPES)
        caps = self.at_most_per.of_attributes
        yield from type_problems(f"{where}.at_most_per", caps, ("artist", "object"), around, STRATA_TYPES)
