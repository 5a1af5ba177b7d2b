"""From which score on a detector's box is a figure, where a stage does not say so itself: as the screens say."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from schemas.stages import AnyStage


def screened_score(stages: Sequence[AnyStage], category: str) -> float | None:
    """The score from which on the screens of a recipe count figures of a category; None where none counts them.

    Of several screens the last one that asks for at least one figure: whatever passes all of them then has one. Where
    none asks for any (`least: 0`), the last one.
    """
    limits = [limit for stage in stages if (limit := stage.least_and_score(category)) is not None]
    scores = [score for least, score in limits if least] or [score for _, score in limits]
    return scores[-1] if scores else None


def with_figure_scores(stages: Sequence[AnyStage], categories: Sequence[str]) -> tuple[AnyStage, ...]:
    """The stages, with the screens' score in each that counts figures and has no score of its own.

    Where no screen counts figures, the stages' defaults stay.
    """
    found = {category: screened_score(stages, category) for category in categories}
    scores = {category: score for category, score in found.items() if score is not None}
    return tuple(stage.with_screened_score(scores) for stage in stages)


def with_scores_as_published(stages: Sequence[AnyStage], published: Sequence[Any]) -> list[AnyStage]:
    """The stages, with the scores that the same stages had in a release: no score that may follow from a screen changes
    how many images are kept.

    published: the stages of the release's `recipe.yaml`, each as {word: settings}. Where they are others than ours, or
    too few, ours stay as they are.
    """
    return [
        stage.with_published_score(_mapping(_mapping(before).get(stage.stage)))
        for stage, before in itertools.zip_longest(stages, published[: len(stages)])
    ]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
