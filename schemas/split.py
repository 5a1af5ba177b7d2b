"""split: which part of a dataset each image is in; and roles: a gallery, and queries that are looked up in it."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from schemas.attributes import AttributeName, AttributeType
from schemas.base import Frozen, Later, Score
from schemas.phrases import LONGEST_PLACE, quoted
from schemas.reasons import Reason
from schemas.stage import (
    STRATA_TYPES,
    STRATUM_FIELDS,
    SeededStage,
    StratumField,
    Surroundings,
    Types,
    as_list,
    column_problems,
    conditions_problems,
    type_problems,
)
from schemas.where import AnyCondition, ColumnName, Conditions, condition_problem

Role = Literal["gallery", "query"]
ROLES: tuple[Role, Role] = ("gallery", "query")


class RolesByValue(Frozen):
    """Roles that each record's own words give it."""

    by: ColumnName = Field(description="Attribute, or column of records, whose value gives the role")
    gallery: AnyCondition = Field(
        description="What the gallery says: a value, a list of values, or a condition as of `where` of screen, such as "
        "{is_known: true}"
    )
    query: AnyCondition | None = Field(
        None,
        description="What queries say. null: all records that are not of the gallery are queries; otherwise a record "
        "that says neither ends the build with an error",
    )

    def problems(self, where: str, columns: Types) -> Iterator[str]:
        """A sentence for each thing that does not fit the columns of records."""
        yield from column_problems(f"{where}.by", [self.by], columns)
        if self.by not in columns:
            return
        for role, condition in (("gallery", self.gallery), ("query", self.query)):
            if condition is not None and (problem := condition_problem(condition, columns[self.by])):
                yield f"{where}.{role}: {problem}"
        values = [{str(value).lower() for value in (of and of.any_of) or ()} for of in (self.gallery, self.query)]
        if both := sorted(values[0] & values[1]):
            yield f"{where}: expected each value in one role, got {quoted(both[0])} in both"


_BY_SOURCE, _BY_VALUE = "dict[by source]", "dict[by value]"


def _form_of_roles(value: Any) -> str:
    """Whether roles are given to sources or to values. A source may be called `by`: then each entry is a role."""
    if not isinstance(value, Mapping):
        return _BY_VALUE if isinstance(value, RolesByValue) else _BY_SOURCE
    texts = [entry for entry in value.values() if isinstance(entry, str)]
    if len(texts) < len(value):
        return _BY_VALUE
    return _BY_VALUE if "by" in value and not {*texts} <= {*ROLES} else _BY_SOURCE


Roles = Annotated[
    Annotated[dict[str, Role], Tag(_BY_SOURCE)] | Annotated[RolesByValue, Tag(_BY_VALUE)],
    Discriminator(_form_of_roles),
]


SplitName = Literal["train", "val", "test"]
BalancedField = StratumField | Literal["styles"]
AnyBalancedField = BalancedField | AttributeName
BoundField = Literal["artist", "series"]
AnyBoundField = BoundField | AttributeName
BALANCED_FIELDS: tuple[str, ...] = (*STRATUM_FIELDS, "styles")
BOUND_FIELDS: tuple[BoundField, ...] = get_args(BoundField)
HELD_OUT = "ood"
"""The split of what `hold_out` holds out: out of the domain of the others."""
DEALT: tuple[SplitName, ...] = get_args(SplitName)
"""Splits that have ratios."""
SPLITS: tuple[str, ...] = (*DEALT, HELD_OUT)
"""By rank: where an image or its group was published in several splits, the one of the highest rank counts."""

_BONDS: tuple[AttributeType, ...] = ("string", "integer", "strings")
Ratio = Annotated[float, Field(ge=0, le=1000)]
MOST_SEATS = 1000
POPART_RATIOS: dict[SplitName, float] = {"train": 3, "val": 1, "test": 1}


class Split(SeededStage):
    """Deal the records of each stratum into train, val and test; groups stay together, published images in place."""

    step_kind = "decide"
    after = ("fetch",)
    is_single = True
    reasons = frozenset({Reason.JOINED_ACROSS_SPLITS, Reason.COPY_ACROSS_ROLES})

    stage: Literal["split"] = "split"
    ratios: dict[SplitName, Ratio] | None = Field(
        POPART_RATIOS,
        description="Shares of the splits, as any numbers (PoPArt, section 3.3: 3:1:1); null, only with `keep`: each "
        "record must have a split of its own",
    )
    keep: Later[AttributeName | None] = Field(
        None,
        description="Attribute that says in which split its source has a record: train (training), val (valid, "
        "validation, dev, development) or test (testing), in any case. There it stays; records without a value are "
        "divided by the ratios, among themselves",
    )
    hold_out: Conditions = Field(
        description="Records that go whole into a fourth split, `ood`, and into no other, such as {source: [artic]}: "
        "conditions as of `where` of screen, of which a record must meet all. Of a copy in it and in another split "
        "the one in the other split goes, and so does what belongs together with what is held out",
    )
    by: Annotated[
        tuple[AnyBalancedField, ...],
        BeforeValidator(as_list, json_schema_input_type=AnyBalancedField | tuple[AnyBalancedField, ...] | None),
    ] = Field(
        ("style",),
        description="Fields to balance: the ratios are kept inside each style, or inside each combination of several "
        "fields, or of attributes of the recipe; null: over all records. `styles`, and an attribute of the type "
        "`strings`, of which a record may have several, need the method `iterative`",
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
        tuple[AnyBoundField, ...],
        BeforeValidator(as_list, json_schema_input_type=AnyBoundField | tuple[AnyBoundField, ...] | None),
    ] = Field(
        (),
        description="Works of one artist, of one series, or that share a value of an attribute (of a list: any of its "
        "texts), are never in two splits; spellings of one name count as one",
    )
    roles: Roles = Field(
        default_factory=dict,
        description="Roles by source name, where a source that is not named is a query; or by what each record says: "
        "{by: attribute, gallery: values, query: values}. All of a gallery is in train; queries are divided by the "
        "ratios, and copies of the gallery's images are dropped from them (the Met, section 2)",
    )
    category: str = Field("person", description="Category that counts as a figure")
    score: Score = Field(
        0.5,
        description="Lowest score with which a detector's box counts, where people have not annotated. Unless it is "
        "set, that of the recipe's last `screen` that asks for figures of this category",
    )
    max_drift: Score = Field(
        0.05,
        description="Published images stay in their splits, which may then differ from the ratios: if more than this "
        "share of all images would have to move, nothing is published. A change of this setting moves no image",
    )

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if self.ratios is None and self.keep is None:
            raise ValueError("ratios: expected shares of the splits, or `keep` beside null, got null alone")
        if self.ratios is not None and not sum(self.ratios.values()):
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
    def counted_category(self) -> str:
        """Its category."""
        return self.category

    def problems(self, where: str, around: Surroundings) -> Iterator[str]:
        """Attributes that the recipe does not have, or of another type; roles of sources that it does not have."""
        yield from type_problems(f"{where}.by", self.by, BALANCED_FIELDS, around, (*STRATA_TYPES, "strings"))
        several = [name for name in self.by if around.types.get(name) == "strings"]
        if several and self.method == "batches":
            yield (
                f"{where}.by: expected method: iterative with '{several[0]}', of which a record may have several "
                "values, got batches"
            )
        yield from type_problems(f"{where}.together", self.together, BOUND_FIELDS, around, _BONDS)
        yield from conditions_problems(f"{where}.hold_out", self.hold_out, around.columns)
        yield from type_problems(f"{where}.keep", [self.keep] if self.keep else [], (), around, ("string",))
        if isinstance(self.roles, RolesByValue):
            yield from self.roles.problems(f"{where}.roles", around.columns)
        elif not set(self.roles) <= set(around.sources):
            known, given = (quoted(sorted(names), LONGEST_PLACE) for names in (around.sources, self.roles))
            yield f"{where}.roles: expected some of the sources {known}, got {given}"

    @property
    def seats(self) -> dict[str, int]:
        """The ratios in the smallest whole numbers, 3 and 2 of {"train": 0.6, "val": 0.4}; none without ratios."""
        exact = {name: Fraction(str(ratio)) for name, ratio in (self.ratios or {}).items()}
        scale = lcm(*(ratio.denominator for ratio in exact.values()))
        whole = {name: int(ratio * scale) for name, ratio in exact.items()}
        common = gcd(*whole.values())
        return {name: whole[name] // common for name in DEALT if whole.get(name)}

    @property
    def splits(self) -> tuple[str, ...]:
        """Those of a release: with a ratio, 0 too; train where there is a gallery; all where the sources' are kept; and
        `ood` where anything is to be held out.
        """
        has_gallery = isinstance(self.roles, RolesByValue) or "gallery" in self.roles.values()
        wanted = {*(self.ratios or ()), *(["train"] if has_gallery else ()), *(DEALT if self.keep is not None else ())}
        return tuple(name for name in SPLITS if name in wanted or (name == HELD_OUT and self.hold_out))

    @property
    def splits_of_queries(self) -> tuple[str, ...]:
        """Those in which what is no gallery may lie."""
        return tuple(name for name in self.splits if name in self.seats or name == HELD_OUT or self.keep is not None)
