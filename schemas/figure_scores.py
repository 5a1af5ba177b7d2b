"""From which score on a detector's box is a figure, where a stage does not say so itself: as the screens say."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from schemas.sample import Sample
from schemas.screen import Screen
from schemas.split import Split
from schemas.stages import AnyStage, Export


def screened_score(stages: Sequence[AnyStage], category: str) -> float | None:
    """The score from which on the screens of a recipe count figures of a category; None where none counts them.

    Of several screens the last one that asks for at least one figure: whatever passes all of them then has one. Where
    none asks for any (`least: 0`), the last one.
    """
    limits = [stage.figures for stage in stages if isinstance(stage, Screen) and stage.figures]
    of_category = [limit for limit in limits if limit.category == category]
    scores = [limit.score for limit in of_category if limit.least] or [limit.score for limit in of_category]
    return scores[-1] if scores else None


def with_figure_scores(stages: Sequence[AnyStage], categories: Sequence[str]) -> tuple[AnyStage, ...]:
    """The stages, with the screens' score in each `sample`, `split` and `export` that has none of its own.

    COCO files hold the boxes of all categories: they begin at the lowest score of any. Where no screen counts figures,
    the stages' defaults stay.
    """
    scores = {category: screened_score(stages, category) for category in categories}
    lowest = min((score for score in scores.values() if score is not None), default=None)
    return tuple(_with_score(stage, scores, lowest) for stage in stages)


def _with_score(stage: AnyStage, scores: dict[str, float | None], lowest: float | None) -> AnyStage:
    if isinstance(stage, Sample | Split):
        score = scores.get(stage.category)
        # a sample without this weight asks for no score: one that changed with a screen would look like a cause
        is_idle = isinstance(stage, Sample) and stage.weight != "figures"
        is_own = "score" in stage.model_fields_set or score is None or is_idle
        return stage if is_own else stage.model_copy(update={"score": score})
    if isinstance(stage, Export) and lowest is not None and "score" not in stage.coco.model_fields_set:
        return stage.model_copy(update={"coco": stage.coco.model_copy(update={"score": lowest})})
    return stage


def with_scores_as_published(stages: Sequence[AnyStage], published: Sequence[Any]) -> list[AnyStage]:
    """The stages, with the scores that the same stages had in a release: no score of a `sample`, `split` or `export`
    changes how many images are kept.

    published: the stages of the release's `recipe.yaml`, each as {word: settings}. Where they are others than ours, or
    too few, ours stay as they are.
    """
    return [
        _with_published_score(stage, _mapping(_mapping(before).get(stage.stage)))
        for stage, before in itertools.zip_longest(stages, published[: len(stages)])
    ]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _with_published_score(stage: AnyStage, settings: Mapping[str, Any]) -> AnyStage:
    if isinstance(stage, Sample | Split) and "score" in settings:
        return stage.model_copy(update={"score": settings["score"]})
    if isinstance(stage, Export) and "score" in (coco := _mapping(settings.get("coco"))):
        return stage.model_copy(update={"coco": stage.coco.model_copy(update={"score": coco["score"]})})
    return stage
