"""All stages that a recipe may have; the settings of each are in the file of its name."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, get_args

from pydantic import Field

from schemas.dedup import Dedup
from schemas.detect import Detect
from schemas.export import Export
from schemas.fetch import Fetch
from schemas.hash import Hash
from schemas.quality import Quality
from schemas.sample import Sample
from schemas.screen import Screen
from schemas.split import Split
from schemas.stage import SeededStage, Stage

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
