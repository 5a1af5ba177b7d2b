"""What every stage has, and what others ask of it: a stage's class says what differs from the default."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeVar, get_args

from pydantic import Field

from schemas.attributes import Attribute, AttributeName, AttributeType
from schemas.base import Frozen, Name
from schemas.keypoints import Category
from schemas.manifests import StageKind
from schemas.phrases import LONGEST_PLACE, did_you_mean, quoted
from schemas.reasons import BY_HAND, Reason
from schemas.where import Condition, column_types, condition_problem

Types = Mapping[str, AttributeType]
STRATA_TYPES: tuple[AttributeType, ...] = ("string", "integer", "boolean")
"""Attributes whose values make strata."""


class Surroundings(NamedTuple):
    """What of its recipe a stage may refer to."""

    sources: tuple[str, ...]
    categories: tuple[Category, ...]
    attributes: Mapping[str, Attribute]

    @property
    def types(self) -> Types:
        """The type of each attribute."""
        return {name: attribute.type for name, attribute in self.attributes.items()}

    @property
    def columns(self) -> Types:
        """The type of each attribute, and of the columns that all records have."""
        return column_types(self.attributes)


class Stage(Frozen):
    """A step of a build: its word, and a label of its own."""

    step_kind: ClassVar[StageKind]
    after: ClassVar[tuple[str, ...]] = ()
    """The stages that must stand before this one, by their words, whatever its settings."""
    is_single: ClassVar[bool] = False
    """Whether a recipe has it at most once."""
    has_draw: ClassVar[bool] = False
    """Whether it draws some of the records, so that another may take the place of one that is sent back."""
    finds_copies: ClassVar[bool] = False
    reasons: ClassVar[frozenset[Reason]] = frozenset()
    """For which it may drop a record, beside what people decide by hand."""

    label: Name = Field(
        "",
        validate_default=False,
        description="The stage's name in reports and in --set; each label once in a recipe. Default: the stage's word",
    )

    @property
    def needs(self) -> tuple[str, ...]:
        """The stages that must stand before this one, by their words."""
        return self.after

    @property
    def uses(self) -> tuple[str, ...]:
        """The bindings that it reads."""
        return ()

    @property
    def used_categories(self) -> tuple[str, ...]:
        """The categories that it counts or looks for."""
        return self.looked_for

    @property
    def looked_for(self) -> tuple[str, ...]:
        """The categories whose figures it finds in images."""
        return ()

    def least_and_score(self, category: str) -> tuple[int, float] | None:
        """How many figures of a category it asks for, and from which score on they count; None: it asks for none."""
        return None

    def with_screened_score(self, scores: Mapping[str, float]) -> Self:
        """The stage with the score that the screens give each category, where it has none of its own."""
        return self

    def with_published_score(self, settings: Mapping[str, Any]) -> Self:
        """The stage with the score that a release's stage had, if it is one that may follow from screens."""
        return self

    def problems(self, where: str, around: Surroundings) -> Iterator[str]:
        """A sentence for each thing that does not fit the recipe. where: how the sentences call the stage."""
        yield from ()

    def may_drop_for(self, reason: Reason) -> bool:
        """Whether it may drop a record for that reason."""
        return reason in self.reasons or reason in BY_HAND


Scored = TypeVar("Scored", bound=Frozen)


def with_score(part: Scored, score: float | None) -> Scored:
    """The settings with a score, unless they have one of their own, or there is none."""
    is_own = "score" in part.model_fields_set or score is None
    return part if is_own else part.model_copy(update={"score": score})


def column_problems(where: str, names: Collection[str], columns: Types) -> Iterator[str]:
    """A sentence for each name that is neither an attribute nor a column of records."""
    for name in names:
        if name not in columns:
            yield _unknown(where, f"an attribute or a column of records, {_all_of(columns)}", columns, name)


def conditions_problems(where: str, conditions: Mapping[str, Condition], columns: Types) -> Iterator[str]:
    """A sentence for each condition on a column that records don't have, or of another type."""
    yield from column_problems(where, conditions, columns)
    for name, condition in conditions.items():
        if name in columns and (problem := condition_problem(condition, columns[name])):
            yield f"{where}.{name}: {problem}"


def type_problems(
    where: str, names: Collection[str], fields: Collection[str], around: Surroundings, allowed: Sequence[AttributeType]
) -> Iterator[str]:
    """A sentence for each name that is neither one of the fields nor an attribute of an allowed type."""
    declared = around.types
    for name in names:
        if name in fields:
            continue
        if name not in declared:
            expected = f"{', '.join([*fields, ''])}an attribute of the recipe ({_all_of(declared)})"
            yield _unknown(where, expected, [*fields, *declared], name)
        elif declared[name] not in allowed:
            of_type = f"'{name}', which is of the type {declared[name]}"
            yield f"{where}: expected an attribute of the type {' or '.join(allowed)}, got {of_type}"


def _unknown(where: str, expected: str, known: Collection[str], name: str) -> str:
    return f"{where}: expected {expected}, got {quoted(name)}{did_you_mean(name, known)}"


def _all_of(names: Collection[str]) -> str:
    return quoted(sorted(names), 3 * LONGEST_PLACE) if names else "it has none"


StratumField = Literal["style", "source", "artist", "object", "century"]
STRATUM_FIELDS: tuple[StratumField, ...] = get_args(StratumField)
AnyStratumField = StratumField | AttributeName


def as_list(value: Any) -> Any:
    """`style` for `[style]`, and nothing for null."""
    return () if value is None else (value,) if isinstance(value, str) else value


class SeededStage(Stage):
    """A stage that draws: sample or split."""

    seed: int | None = Field(None, ge=0, description="Seed of this stage's draws; null: the recipe's seed")

    @property
    def counted_category(self) -> str | None:
        """The category whose figures it counts; None where it counts none."""
        return None

    @property
    def used_categories(self) -> tuple[str, ...]:
        """The category whose figures it counts."""
        return (self.counted_category,) if self.counted_category else ()

    def with_screened_score(self, scores: Mapping[str, float]) -> Self:
        """With the score of the screens for the category that it counts."""
        # where it counts none, it asks for no score: one that changed with a screen would look like a cause
        return with_score(self, scores.get(self.counted_category)) if self.counted_category else self

    def with_published_score(self, settings: Mapping[str, Any]) -> Self:
        """With the score of a release's settings."""
        return self.model_copy(update={"score": settings["score"]}) if "score" in settings else self
