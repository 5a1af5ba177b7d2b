"""Several systems on the same units: every metric, overall and by group, and how far each is ahead of the next.

A system is what is compared (a detector, a rater, a model, a generator), a unit what is drawn anew in a resample (an
image, a query, a sketch). A scorer counts each unit as often as it is told: so one function has the plain score, that
of a group, and that of each resample of the bootstrap (Efron & Tibshirani, "An Introduction to the Bootstrap", 1993,
chapter 13). All systems get the same resamples, so that their differences are paired.
"""

import hashlib
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import error_line, quoted
from schemas.tables import SYSTEM_SCORES

Times = NDArray[np.int64]
Scorer = Callable[[Times], dict[str, float]]
"""Metrics where unit i counts times[i] times: the same keys each time, NaN where one is not defined."""

Scores = Mapping[str, Mapping[str, float]]
Samples = Mapping[str, Mapping[str, NDArray[np.float64]]]
"""By system and metric, the value of each resample."""

Groups = Mapping[str, Sequence[str | None]]
"""By attribute, the value of each unit; null where it is not known."""
UNKNOWN = "unknown"
MOST_VALUES = 20_000
"""Of an attribute: each is scored by itself, and makes rows of the tables."""

Row = dict[str, Any]
LEVEL = 0.95
LEAST_UNITS, LEAST_REPLICATES = 10, 100
"""With fewer units or resamples there is no interval: of two images, both right, each resample says 1.000."""
_MOST_UNDEFINED = 0.05
"""Nor where a larger share of the resamples has no value: what is left is another question."""


class UnitGroup(NamedTuple):
    """Some of the units. attribute, value: what they have in common; both null: all units. is_in: (N,)."""

    attribute: str | None
    value: str | None
    is_in: NDArray[np.bool_]

    def seed(self, seed: int) -> list[int]:
        """A seed for this group alone: its resamples stay the same when other groups come or go."""
        own = hashlib.sha256(repr((self.attribute, self.value)).encode()).digest()
        return [seed, int.from_bytes(own[:8], "big")]


def unit_groups(units: int, groups: Groups) -> Iterator[UnitGroup]:
    """All units, then those of each group: attributes in the order given, values by name; units without a value are a
    group of their own. Raises BadInput for an attribute of more than MOST_VALUES values.
    """
    yield UnitGroup(None, None, np.ones(units, np.bool_))
    for attribute, values in groups.items():
        if (count := len(set(values))) > MOST_VALUES:
            got = f"{quoted(attribute)} with {count:,}; make a column of coarser ones, such as decades of years"
            raise BadInput(f"--by: expected an attribute of at most {MOST_VALUES:,} values, got {got}")
        missing = UNKNOWN
        while missing in values:
            missing = f"({missing})"
        named = np.array([missing if value is None else value for value in values], dtype=object)
        names, place = np.unique(named, return_inverse=True)
        for number, value in enumerate(names.tolist()):
            yield UnitGroup(attribute, value, place == number)


def groups_of(table: pa.Table, by: Sequence[str]) -> dict[str, list[str | None]]:
    """By each column of the table, the value of each row as text; null where there is none, and for NaN. Raises
    BadInput for a column whose values have no text, such as lists, times that no calendar has and bytes.
    """
    return {column: _texts(column, table[column]) for column in by}


def _texts(name: str, column: pa.ChunkedArray) -> list[str | None]:
    expected = f"--by: expected a column of texts, numbers or times, got {quoted(name)}"
    is_floating = pa.types.is_floating(column.type)
    if is_floating:
        column = pc.if_else(pc.is_nan(column), None, column)
    try:
        texts: list[str | None] = column.cast(pa.string()).to_pylist()
    except (pa.ArrowException, ValueError) as problem:
        raise BadInput(f"{expected} with {error_line(problem)}") from problem
    if pa.types.is_temporal(column.type) and any(text and text.startswith("<") for text in texts):
        raise BadInput(f"{expected} with a time that no calendar has")
    return ["0" if text == "-0" else text for text in texts] if is_floating else texts


def joined(*scorers: Scorer) -> Scorer:
    """The metrics of several scorers of one system."""
    return lambda times: {name: value for scorer in scorers for name, value in scorer(times).items()}


class Ranking(NamedTuple):
    """The metric by which systems are ranked, the higher the better. has_leads: each is compared with the next one."""

    metric: str
    has_leads: bool = True


def score_systems(
    systems: Mapping[str, Scorer], units: int, groups: Groups, ranking: Ranking, replicates: int, seed: int
) -> pa.Table:
    """SYSTEM_SCORES of each system, over all units, and over those of each group; without a unit there is no row.

    The intervals of a row come from resamples of its own units; there is none of fewer than LEAST_UNITS units or
    LEAST_REPLICATES resamples, nor where a metric is often undefined. The last rows about all units, and about each
    group, say by how much each system is ahead of the next one: next over all units, so that in a group it may be
    behind.
    """
    rows: list[Row] = []
    order: Sequence[str] = ()
    for group in unit_groups(units, groups) if units else ():
        values, samples = _values_and_samples(systems, group, replicates, seed)
        common = {"attribute": group.attribute, "group": group.value, "units": int(group.is_in.sum()), "ahead_of": None}
        own = [{**common, **row} for row in _own_rows(values, samples)]
        if group.attribute is None and ranking.has_leads:
            order = rank_systems(own, ranking)
        rows += [*own, *({**common, **row} for row in _leads(order, values, samples, ranking.metric))]
    return pa.Table.from_pylist(rows, schema=SYSTEM_SCORES)


def score_part(systems: Mapping[str, Scorer], is_in: NDArray[np.bool_], replicates: int, seed: int) -> list[Row]:
    """system, metric, value, low and high of SYSTEM_SCORES over some units alone, such as a share of the distractors.

    is_in: (U,). Intervals are by the rule of `score_systems`; where all units are in, they are the very same.
    """
    return [*_own_rows(*_values_and_samples(systems, UnitGroup(None, None, is_in), replicates, seed))]


def rank_systems(scores: Sequence[Row], ranking: Ranking) -> list[str]:
    """Names of the systems, the best by the ranking's metric over all units first, those without a value last.

    scores: rows of SYSTEM_SCORES.
    """
    of_all = [row for row in scores if row["attribute"] is None and row["ahead_of"] is None]
    values = {row["system"]: row["value"] for row in of_all if row["metric"] == ranking.metric}
    return sorted(values, key=lambda name: (values[name] is None, -(values[name] or 0.0), name))


def _values_and_samples(
    systems: Mapping[str, Scorer], group: UnitGroup, replicates: int, seed: int
) -> tuple[Scores, Samples]:
    """What each system scores over these units, and over each resample of them, of which there may be too few."""
    values = {name: score(group.is_in.astype(np.int64)) for name, score in systems.items()}
    rows, rng = np.flatnonzero(group.is_in), np.random.default_rng(group.seed(seed))
    count = replicates if replicates >= LEAST_REPLICATES and len(rows) >= LEAST_UNITS else 0
    samples = {name: {metric: np.empty(count) for metric in metrics} for name, metrics in values.items()}
    for place in range(count):
        times = np.zeros(len(group.is_in), np.int64)
        times[rows] = rng.multinomial(len(rows), np.full(len(rows), 1 / len(rows)))
        for name, score in systems.items():
            for metric, value in score(times).items():
                samples[name][metric][place] = value
    return values, samples


def _own_rows(values: Scores, samples: Samples) -> Iterator[Row]:
    for name, metrics in values.items():
        for metric, value in metrics.items():
            is_defined = math.isfinite(value)
            ends = _ends(samples[name][metric]) if is_defined else {"low": None, "high": None}
            yield {"system": name, "metric": metric, "value": value if is_defined else None, **ends}


def _leads(order: Sequence[str], values: Scores, samples: Samples, metric: str) -> Iterator[Row]:
    """By how much each system is above the next one, and its interval on the same resamples, where both are defined."""
    for one, other in itertools.pairwise(order):
        value = values[one][metric] - values[other][metric]
        if math.isfinite(value):
            ends = _ends(samples[one][metric] - samples[other][metric])
            yield {"system": one, "metric": metric, "value": value, "ahead_of": other, **ends}


def interval(samples: NDArray[np.float64]) -> tuple[float, float] | None:
    """The middle 95 % of the values of resamples, by percentiles; None where more than 5 % of them are not defined.

    >>> interval(np.array([0.5] * 19 + [np.nan])), interval(np.array([0.5, np.nan])), interval(np.array([]))
    ((0.5, 0.5), None, None)
    """
    is_undefined = np.isnan(samples)
    if not len(samples) or is_undefined.mean() > _MOST_UNDEFINED:
        return None
    low, high = np.quantile(samples[~is_undefined], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _ends(samples: NDArray[np.float64]) -> Row:
    low, high = interval(samples) or (None, None)
    return {"low": low, "high": high}
