"""split: which part of a dataset each image is in."""

from fractions import Fraction
from math import gcd, lcm
from typing import Annotated, Literal, Self, get_args

from pydantic import BeforeValidator, Field, model_validator

from schemas.base import Score
from schemas.phrases import quoted
from schemas.strata import SeededStage, StratumField, as_list

SplitName = Literal["train", "val", "test"]
BalancedField = StratumField | Literal["styles"]
BoundField = Literal["artist", "series"]
SPLITS: tuple[SplitName, ...] = get_args(SplitName)
"""By rank: where an image or its group was published in several splits, the one of the highest rank counts."""

Ratio = Annotated[float, Field(ge=0, le=1000)]
MOST_SEATS = 1000


class Split(SeededStage):
    """Deal the records of each stratum into train, val and test; groups stay together, published images in place."""

    stage: Literal["split"] = "split"
    ratios: dict[SplitName, Ratio] = Field(
        {"train": 3, "val": 1, "test": 1},
        description="Shares of the splits, as any numbers (PoPArt, section 3.3: 3:1:1)",
    )
    by: Annotated[
        tuple[BalancedField, ...],
        BeforeValidator(as_list, json_schema_input_type=BalancedField | tuple[BalancedField, ...] | None),
    ] = Field(
        ("style",),
        description="Fields to balance: the ratios are kept inside each style, or inside each combination of several "
        "fields; null: over all records. `styles`, of which a record may have several, needs the method `iterative`",
    )
    method: Literal["batches", "iterative"] = Field(
        "batches",
        description="batches: each stratum is divided in batches, such as 3 + 1 + 1 (PoPArt). iterative: each value of "
        "each field in `by` is balanced by itself, the rarest first (Sechidis et al., 2011)",
    )
    order: Literal["figures"] | None = Field(
        "figures",
        description="Order in which records are divided. figures: most figures first; null: by chance (ArtBench-10)",
    )
    together: Annotated[
        tuple[BoundField, ...],
        BeforeValidator(as_list, json_schema_input_type=BoundField | tuple[BoundField, ...] | None),
    ] = Field((), description="Works of one artist, or of one series, are never in two splits")
    roles: dict[str, Literal["gallery", "query"]] = Field(
        default_factory=dict,
        description="Roles by source name; a source that is not named is a query. All of a gallery is in train; "
        "queries are divided by the ratios, and copies of the gallery's images are dropped from them (the Met, section "
        "2)",
    )
    category: str = Field("person", description="Category that counts as a figure")
    score: Score = Field(
        0.5, description="Lowest score with which a detector's box counts, where people have not annotated"
    )
    max_drift: float = Field(
        0.05,
        ge=0,
        le=1,
        description="Published images stay in their splits, which may then differ from the ratios: if more than this "
        "share of all images would have to move, nothing is published. A change of this setting moves no image",
    )

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if not sum(self.ratios.values()):
            raise ValueError(f"expected at least one ratio above 0, got {quoted(self.ratios)}")
        if "styles" in self.by and self.method == "batches":
            raise ValueError(
                "expected method: iterative with `styles`, of which a record may have several, got batches"
            )
        if sum(self.seats.values()) > MOST_SEATS:
            raise ValueError(
                f"expected ratios that need at most {MOST_SEATS} seats, such as 3:1:1 or 0.8:0.1:0.1, "
                f"got {quoted(self.ratios)}"
            )
        return self

    @property
    def seats(self) -> dict[str, int]:
        """The ratios in the smallest whole numbers: the seats of a batch. {"train": 0.6, "val": 0.4} has 3 and 2."""
        exact = {name: Fraction(str(ratio)) for name, ratio in self.ratios.items()}
        scale = lcm(*(ratio.denominator for ratio in exact.values()))
        whole = {name: int(ratio * scale) for name, ratio in exact.items()}
        common = gcd(*whole.values())
        return {name: whole[name] // common for name in SPLITS if whole.get(name)}

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits that a release has: those with a seat, those with a ratio of 0 too, and train where there is a
        gallery.
        """
        has_gallery = "gallery" in self.roles.values()
        return tuple(name for name in SPLITS if name in self.ratios or (name == "train" and has_gallery))

    def role(self, source: str) -> Literal["gallery", "query"] | None:
        """The role of a source's records; None where the recipe has no roles."""
        return self.roles.get(source, "query") if self.roles else None
