"""sample and split: the two stages that draw."""

from fractions import Fraction
from math import gcd, lcm
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BeforeValidator, Field, model_validator

from schemas.frozen import Frozen, Score
from schemas.stage import Stage

SplitName = Literal["train", "val", "test"]
SPLITS: tuple[SplitName, ...] = get_args(SplitName)
"""By rank: where an image or its group was published in several splits, the one of the highest rank counts."""

Ratio = Annotated[float, Field(ge=0, le=1000)]
MOST_SEATS = 1000


def _as_list(value: Any) -> Any:
    """`style` for `[style]`, and nothing for null."""
    return () if value is None else (value,) if isinstance(value, str) else value


StratumField = Literal["style", "source", "artist", "object", "century"]


class SeededStage(Stage):
    """A stage that draws: sample or split."""

    seed: int | None = Field(None, ge=0, description="The recipe's seed by default")


class Caps(Frozen):
    """How many records of one artist or object may be drawn from at all."""

    artist: int | None = Field(None, ge=1, description="Records of one artist, by chance; unknown artists have no cap")
    object: int | None = Field(
        None, ge=1, description="Records of one object (a source's group): its first by record_id (the Met: 10)"
    )


class Sample(SeededStage):
    """Draw records of each stratum, without replacement, rare artists before prolific ones."""

    stage: Literal["sample"] = "sample"
    by: Annotated[tuple[StratumField, ...], BeforeValidator(_as_list)] = Field(
        ("style",),
        description="What the strata are: a record's style, or several columns together; null: one stratum for all. "
        "Records without a value are in the stratum `unknown`",
    )
    top: int | None = Field(
        None,
        ge=1,
        description="Keep only so many of the largest strata (PoPArt: 22 styles), never `unknown`; ties by name",
    )
    at_most: int | None = Field(None, ge=1, description="Records per stratum (PoPArt: 125, ArtBench-10: 6000)")
    exactly: int | None = Field(
        None,
        ge=1,
        description="Records per stratum; if any stratum has fewer, nothing is published and an error says so",
    )
    total: int | None = Field(
        None,
        ge=1,
        description="Records in all, shared out to the strata in proportion to their sizes (largest remainders)",
    )
    at_most_per: Caps = Field(default_factory=Caps, description="Caps that apply before anything is drawn")
    weight: Literal["inverse_artist", "uniform", "figures"] = Field(
        "inverse_artist",
        description="inverse_artist: 1 / works of that artist in that stratum (ArtBench-10, Algorithm 1); "
        "works of unknown artists count as the recipe's `artists` says. uniform: the same for all. figures: in "
        "proportion to its number of figures",
    )
    category: str = Field("person", description="Category that counts as a figure, where figures weigh")
    score: Score = Field(0.5, description="A detector's box counts from this score on, where figures weigh")

    @model_validator(mode="after")
    def _one_size(self) -> Self:
        given = [name for name in ("at_most", "exactly", "total") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"expected one of at_most, exactly and total, got {' and '.join(given)}")
        return self


class Split(SeededStage):
    """Deal the records of each stratum into train, val and test; groups stay together, published images in place."""

    stage: Literal["split"] = "split"
    ratios: dict[SplitName, Ratio] = Field(
        {"train": 3, "val": 1, "test": 1}, description="Shares of the splits, in any unit (PoPArt, section 3.3: 3:1:1)"
    )
    by: Annotated[tuple[StratumField | Literal["styles"], ...], BeforeValidator(_as_list)] = Field(
        ("style",),
        description="What is balanced: records are dealt inside each style, or inside each combination of several "
        "columns; null: in one list. `styles`, of which a record may have several, needs the method `iterative`",
    )
    method: Literal["batches", "iterative"] = Field(
        "batches",
        description="batches: in each stratum, in batches of as many as there are seats (PoPArt). iterative: each "
        "value of each column in `by` is balanced by itself, the rarest first (Sechidis et al., 2011)",
    )
    order: Literal["figures"] | None = Field(
        "figures", description="Batches go by number of figures, most first; null: by chance (ArtBench-10)"
    )
    together: Annotated[tuple[Literal["artist", "series"], ...], BeforeValidator(_as_list)] = Field(
        (), description="Works of one artist, or of one series, never lie in two splits"
    )
    roles: dict[str, Literal["gallery", "query"]] = Field(
        default_factory=dict,
        description="Source: its role; sources that are not named are queries. A gallery lies in train as a whole; "
        "queries are dealt by the ratios, and copies of images of the gallery are dropped (the Met, section 2)",
    )
    category: str = Field("person", description="Category that counts as a figure")
    score: Score = Field(0.5, description="A detector's box counts from this score on, where people have not annotated")
    max_drift: float = Field(
        0.05,
        ge=0,
        le=1,
        description="Largest share of the images that may lie in another split than the ratios ask for, because "
        "published images keep their split; beyond it nothing is published. A change of it moves no image",
    )

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if not sum(self.ratios.values()):
            raise ValueError(f"expected at least one ratio above 0, got {self.ratios}")
        if "styles" in self.by and self.method == "batches":
            raise ValueError(
                "expected method: iterative with `styles`, of which a record may have several, got batches"
            )
        if sum(self.seats.values()) > MOST_SEATS:
            raise ValueError(
                f"expected ratios that need at most {MOST_SEATS} seats, such as 3:1:1 or 0.8:0.1:0.1, got {self.ratios}"
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
