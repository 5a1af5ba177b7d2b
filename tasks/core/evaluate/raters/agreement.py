"""How far raters agree: their ratings beyond chance, by Krippendorff's alpha (Krippendorff, "Content analysis", 1980;
Hayes & Krippendorff, 2007); any two raters' boxes by F, and the joints of boxes that match by OKS.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.means import mean_of_defined
from tasks.core.evaluate.oks import oks
from tasks.core.evaluate.raters.boxes import overlaps_of, pair_boxes
from tasks.core.evaluate.raters.ratings import Ratings
from tasks.core.evaluate.systems import Scorer

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Metric = Literal["nominal", "ordinal", "interval"]
METRICS: tuple[Metric, ...] = get_args(Metric)


def krippendorff_alpha(values: Floats, metric: Metric, times: Integers | None = None) -> float:
    """1 - observed over expected disagreement: 1 where all agree, 0 as by chance, below 0 worse than that.

    values: (R, U) what each rater said of each unit, NaN where nothing. metric: how far two values are apart: nominal 0
    or 1; ordinal by their ranks; interval by their difference. times: (U,) how often each unit counts, once by default.
    A unit with one value only has no pair, and does not count. NaN where it is not defined: without a pair, or where
    all values of pairs are the same.

    >>> round(krippendorff_alpha(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 2.0]]), "interval"), 4)
    0.7059
    """
    is_given = ~np.isnan(values)
    domain, place = np.unique(values[is_given], return_inverse=True)
    counts = np.zeros((values.shape[1], len(domain)))  # how many raters said each value of each unit
    np.add.at(counts, (np.nonzero(is_given)[1], place), 1.0)
    weights = np.ones(len(counts), np.int64) if times is None else times
    size = counts.sum(axis=1)
    weight = weights * (size > 1) / np.maximum(size - 1, 1)
    coincidences = counts.T @ (weight[:, None] * counts) - np.diag(weight @ counts)
    marginal = coincidences.sum(axis=0)
    distance = _distances(metric, domain, marginal)
    expected = (np.outer(marginal, marginal) - np.diag(marginal)) * distance
    total = expected.sum()
    if not total > 0:
        return float("nan")
    return float(1 - (marginal.sum() - 1) * (coincidences * distance).sum() / total)


def alpha_scorer(values: Floats) -> Scorer:
    """alpha_nominal, alpha_ordinal and alpha_interval as a function of how often each unit counts, (U,)."""
    return lambda times: {f"alpha_{name}": krippendorff_alpha(values, name, times) for name in METRICS}


def _distances(metric: Metric, domain: Floats, marginal: Floats) -> Floats:
    """(V, V) squared. Ordinal: the number of values between two, both ends counted half."""
    if metric == "nominal":
        return 1.0 - np.eye(len(domain))
    places = np.cumsum(marginal) - marginal / 2 if metric == "ordinal" else domain
    return np.asarray((places[:, None] - places) ** 2)


class PairCounts(NamedTuple):
    """What two raters of one image have in common: one entry for each image and pair of raters who saw it, (P,) each.

    pairs: how many different pairs, Q. pair: which of them, by both raters' places. matched: boxes matched one to one.
    boxes: of both together. similarity: the sum of OKS over figures whose joints both gave, compared: how many these
    are.
    """

    pairs: int
    pair: Integers
    image: Integers
    matched: Integers
    boxes: Integers
    similarity: Floats
    compared: Integers


def compare_pairs(ratings: Ratings, iou: float, sigmas: Sequence[float] | None = None) -> PairCounts:
    """Every two raters in every image that both saw. iou: from which on two boxes are of one figure. sigmas: (K,) of
    the joints; without them, or without keypoints, none are compared.

    Each of two raters is the truth once, and the mean of both OKS counts: a joint that only one of them gave counts 0
    where theirs is the truth. The area is that of the true rater's box.
    """
    entries: list[tuple[int, int, int, int, int]] = []
    matched = [np.zeros((0, 2), np.int64)]
    for image, place in ratings.boxes_by_image():
        boxes, owner = ratings.xyxy_px[place], ratings.rater[place]
        overlaps = overlaps_of(boxes, boxes)
        mine = {rater: np.flatnonzero(owner == rater) for rater in np.flatnonzero(ratings.is_seen[:, image]).tolist()}
        for one, other in combinations(mine, 2):
            pairs = pair_boxes(overlaps[np.ix_(mine[one], mine[other])], iou)
            entries.append((one, other, image, len(pairs), len(mine[one]) + len(mine[other])))
            matched.append(place.start + np.stack([mine[one][pairs[:, 0]], mine[other][pairs[:, 1]]], axis=1))
    ones, others, images, matches, totals = np.array(entries, np.int64).reshape(-1, 5).T
    values = _similarities(ratings, np.concatenate(matched), sigmas)
    entry, is_compared = np.repeat(np.arange(len(entries)), matches), ~np.isnan(values)
    similarity = np.bincount(entry[is_compared], values[is_compared], len(entries)).astype(np.float64)
    compared = np.bincount(entry[is_compared], minlength=len(entries))
    pairs, pair = np.unique(ones * len(ratings.raters) + others, return_inverse=True)
    return PairCounts(len(pairs), pair, images, matches, totals, similarity, compared)


def pairwise_f1(counts: PairCounts, times: Integers | None = None) -> Floats:
    """(Q,) F of each two raters' boxes, pooled over the images that both saw: twice the matched boxes over all; NaN
    where there is none. times: (I,) how often each image counts.
    """
    return _ratios(counts, 2 * counts.matched, counts.boxes, times)


def pairwise_oks(counts: PairCounts, times: Integers | None = None) -> Floats:
    """(Q,) mean OKS of each two raters' joints, over the figures whose joints both gave; NaN where there is none."""
    return _ratios(counts, counts.similarity, counts.compared, times)


def pairs_scorer(counts: PairCounts) -> Scorer:
    """pairwise_f1 and pairwise_oks, their means over all pairs of raters, as a function of how often images count."""

    def score(times: Integers) -> dict[str, float]:
        values = {"pairwise_f1": pairwise_f1(counts, times), "pairwise_oks": pairwise_oks(counts, times)}
        return {name: mean_of_defined(own) for name, own in values.items()}

    return score


def _ratios(counts: PairCounts, above: Floats | Integers, below: Integers, times: Integers | None) -> Floats:
    """(Q,) sums over images of one number by those of another; NaN where the latter are 0."""
    weights = np.ones(len(counts.image)) if times is None else times[counts.image]
    upper, lower = (np.bincount(counts.pair, weights * values, counts.pairs) for values in (above, below))
    with np.errstate(invalid="ignore"):
        return np.asarray(upper / lower)


def _similarities(ratings: Ratings, matched: Integers, sigmas: Sequence[float] | None) -> Floats:
    """(M,) mean of both OKS of each two boxes (M, 2); NaN where not both have joints."""
    if ratings.keypoints_xyv is None or sigmas is None:
        return np.full(len(matched), np.nan)
    one, other = ratings.keypoints_xyv[matched[:, 0]], ratings.keypoints_xyv[matched[:, 1]]
    sides = ratings.xyxy_px[:, 2:] - ratings.xyxy_px[:, :2]
    area = sides.prod(axis=1)[matched]
    there = oks(one, _placed(other), area[:, 0], sigmas, without_joints=np.nan)
    back = oks(other, _placed(one), area[:, 1], sigmas, without_joints=np.nan)
    return np.asarray((there + back) / 2)


def _placed(xyv: Floats) -> Floats:
    """(M, K, 2) joints, those that are not given at infinity: they count 0."""
    return np.where(xyv[..., 2:] > 0, xyv[..., :2], np.inf)
