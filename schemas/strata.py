"""What `sample` and `split` share: the fields that make strata, and a seed."""

from collections.abc import Mapping
from typing import Any, Literal, Self, get_args

from pydantic import Field

from schemas.attributes import AttributeName
from schemas.stage import Stage, with_score

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
