"""Several categories in one number: the mean over those that have a figure, as VOC and COCO have it."""

from collections.abc import Collection, Mapping, Sequence
from itertools import chain

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.phrases import counted, listed
from schemas.tables import SYSTEM_SCORES
from tasks.core.evaluate.means import mean_of_defined
from tasks.core.evaluate.systems import Groups, Ranking, Scorer, score_systems

CATEGORY = "category"
"""The attribute of rows about one category."""
_MOST_NAMED = 20


def score_categories(
    systems: Mapping[str, Mapping[str, Scorer]],
    averaged: Collection[str],
    units: int,
    groups: Groups,
    ranking: Ranking,
    replicates: int,
    seed: int,
    whole: Mapping[str, Scorer] | None = None,
) -> pa.Table:
    """SYSTEM_SCORES over all categories, and of several also each by itself, as groups of the attribute `category`.

    systems: by name, a scorer for each category over the same units, the same categories for all. averaged: metrics
    that are means over the categories in which they are defined; of several categories all others are not defined.
    whole: scorers over all categories, where they are not just these means. Everything else is as in `score_systems`.
    """
    categories = dict.fromkeys(chain.from_iterable(systems.values()))
    alone = {category: {name: own[category] for name, own in systems.items()} for category in categories}
    if len(alone) == 1:
        return score_systems(next(iter(alone.values())), units, groups, ranking, replicates, seed)
    joined = whole or {name: mean_over_categories([*own.values()], averaged) for name, own in systems.items()}
    tables = [score_systems(joined, units, groups, ranking, replicates, seed)]
    for category, scorers in alone.items():
        rows = score_systems(scorers, units, {}, ranking._replace(has_leads=False), replicates, seed).to_pylist()
        named = {"attribute": CATEGORY, "group": category}
        tables.append(pa.Table.from_pylist([row | named for row in rows], schema=SYSTEM_SCORES))
    return pa.concat_tables(tables)


def category_notes(figures: Mapping[str, int], metric: str) -> list[str]:
    """Of several categories, over which of them the metric is a mean, and which have no figure. figures: by category.

    >>> category_notes({"cat": 3, "dog": 1, "eel": 0}, "AP")
    ['AP over all images is the mean over 2 categories: cat (3 figures), dog (1 figure)', 'no figures of eel']
    """
    if len(figures) == 1:
        return []
    drawn = [f"{category} ({counted(count, 'figure')})" for category, count in figures.items() if count]
    without = [category for category, count in figures.items() if not count]
    mean = f"{metric} over all images is the mean over {counted(len(drawn), 'category', 'categories')}: "
    return [mean + listed(drawn, _MOST_NAMED)] + ([f"no figures of {listed(without, _MOST_NAMED)}"] if without else [])


def mean_over_categories(scorers: Sequence[Scorer], averaged: Collection[str]) -> Scorer:
    """A scorer of the means of some metrics, each over the categories in which it is defined; others are NaN.

    scorers: one for each category, over the same units and with the same metrics. For AP a category counts if the units
    that count have a figure of it.

    >>> cat, eel = (lambda times: {"AP": 0.5, "F": 1.0}), (lambda times: {"AP": float("nan"), "F": 1.0})
    >>> mean_over_categories([cat, eel], ["AP"])(np.ones(3, np.int64))
    {'AP': 0.5, 'F': nan}
    """

    def score(times: NDArray[np.int64]) -> dict[str, float]:
        scores = [scorer(times) for scorer in scorers]
        return {
            metric: mean_of_defined(np.array([own[metric] for own in scores])) if metric in averaged else float("nan")
            for metric in scores[0]
        }

    return score
