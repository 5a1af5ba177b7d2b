"""What `sample` and `split` share: the fields that make strata, and a seed."""

from typing import Any, Literal, get_args

from pydantic import Field

from schemas.attributes import AttributeName
from schemas.base import Stage

StratumField = Literal["style", "source", "artist", "object", "century"]
STRATUM_FIELDS: tuple[StratumField, ...] = get_args(StratumField)
AnyStratumField = StratumField | AttributeName


def as_list(value: Any) -> Any:
    """`style` for `[style]`, and nothing for null."""
    return () if value is None else (value,) if isinstance(value, str) else value


class SeededStage(Stage):
    """A stage that draws: sample or split."""

    seed: int | None = Field(None, ge=0, description="Seed of this stage's draws; null: the recipe's seed")
