"""How well a metric agrees with people on which sketches of a photo are better (SketchRef, Tables 4 and 5)."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.means import mean_of_defined
from tasks.core.evaluate.sketches.correlation import kendall, spearman
from tasks.core.evaluate.systems import Scorer

Floats = NDArray[np.float64]


class Agreement(NamedTuple):
    """A metric and people's scores on G sets, which are the sketches of one photo each.

    sets: (G,) the photos' places, ascending. rho, tau: (G,) of each set, NaN where not defined. metric, people: (R,)
    of all sketches that have both; set_of: (R,) the place of each one's set in `sets`.
    """

    sets: NDArray[np.int64]
    rho: Floats
    tau: Floats
    metric: Floats
    people: Floats
    set_of: NDArray[np.int64]


def agreement(metric: Floats, people: Floats, photo: NDArray[np.int64]) -> Agreement:
    """The rank correlations of a metric with people's scores in each set of sketches of one photo.

    metric, people: (S,) of each sketch, NaN where there is none; photo: (S,) the place of its photo. A set is a photo
    of which people have scored a sketch, so that all metrics have the same sets. A sketch without a value of the metric
    is left out of its set. Where one side is constant in a set, or has fewer than two values, there is no correlation.
    """
    sets = np.unique(photo[~np.isnan(people)])
    has_both = ~np.isnan(people) & ~np.isnan(metric)
    ours, theirs = metric[has_both], people[has_both]
    set_of = np.searchsorted(sets, photo[has_both])
    members = [np.flatnonzero(set_of == place) for place in range(len(sets))]
    return Agreement(
        sets,
        np.array([spearman(ours[rows], theirs[rows]) for rows in members]),
        np.array([kendall(ours[rows], theirs[rows]) for rows in members]),
        ours,
        theirs,
        set_of,
    )


def agreements(values: Mapping[str, Floats], people: Floats, photo: NDArray[np.int64]) -> dict[str, Agreement]:
    """The agreement of each metric that has a value at all. values: by name, (S,); people, photo: as of `agreement`."""
    return {name: agreement(own, people, photo) for name, own in values.items() if not np.isnan(own).all()}


def has_same_sets(one: Agreement, other: Agreement) -> bool:
    """Whether two metrics have correlations on the same sets: only then is one better than the other.

    one, other: with the same people's scores, and so the same sets.
    """
    return bool(np.array_equal(np.isnan(one.rho), np.isnan(other.rho)))


def agreement_scorer(compared: Agreement) -> Scorer:
    """The scorer of a metric over sets: (G,) how often each set counts.

    `rho` and `tau` are the means over the sets for which they are defined, as SketchRef's text has them ("on the same
    sets"); `rho_pooled` and `tau_pooled` are those of all sketches of all sets together (ours). `sets` is how many sets
    have a correlation, `sets_left_out` how many have none. NaN where there is no set, or one side is constant.
    """

    def score(times: NDArray[np.int64]) -> dict[str, float]:
        is_defined = ~np.isnan(compared.rho)
        each = times[compared.set_of]
        return {
            "rho": mean_of_defined(compared.rho, times),
            "tau": mean_of_defined(compared.tau, times),
            "rho_pooled": spearman(compared.metric, compared.people, each),
            "tau_pooled": kendall(compared.metric, compared.people, each),
            "sets": float((times * is_defined).sum()),
            "sets_left_out": float((times * ~is_defined).sum()),
        }

    return score
