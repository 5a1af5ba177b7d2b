"""How much better a consensus of raters is than one of them, where the truth is known: simulated raters of the museum.

    python -m benchmarks.raters [--museums 3] [--seed 61007]

Ginosar et al.'s study in each of several museums: 18 raters, who each see 146 of 218 works. Of each rater, the mean IoU
with the true figures is held against that of the consensus on the same works: the best one-to-one IoU of each image's
boxes and figures, summed, over the sum of max(figures, boxes), so that a missed figure and a box too many count 0.
`consensus_better_than` is the share of raters below the consensus of all raters by k-means, `..._without_them` the same
for the consensus of all others. Alpha is Krippendorff's, of the ratings.
"""

import argparse
import itertools
import sys
import time
from typing import Any

import numpy as np

from benchmarks.results import write
from examples.museum.raters import RatedWork, rated_works, simulate_raters
from schemas.evaluate_figures import RaterSettings
from tasks.core.evaluate.raters.agreement import krippendorff_alpha
from tasks.core.evaluate.raters.boxes import overlaps_of, total_overlap
from tasks.core.evaluate.raters.consensus import find_consensus
from tasks.core.evaluate.raters.leave_one_out import (
    NAMES,
    compare_raters,
    leave_one_out,
    leave_one_out_truths,
    score_raters,
)
from tasks.core.evaluate.raters.ratings import Ratings, read_ratings

RATERS, WORKS, EACH = 18, 218, 146
LEAST = 0.95
ERRORS = (1.0, 0.5)
"""How many times the usual errors of their own raters make: careful ones leave a consensus less to mend."""
_MEAN_IOU, _F1 = NAMES.index("mean_iou"), NAMES.index("f1")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--museums", type=int, default=3)
    parser.add_argument("--seed", type=int, default=61007)
    arguments = parser.parse_args()
    rows = []
    for seed in range(arguments.seed, arguments.seed + arguments.museums):
        works = list(rated_works(seed, WORKS))
        for errors in ERRORS:
            ratings = read_ratings(simulate_raters(seed, works, RATERS, EACH, errors))
            rows += [
                {"museum": seed, "errors": errors, **measure(works, ratings, RaterSettings(consensus=method))}
                for method in ("kmeans", "overlap")
            ]
    found = ratios(rows)
    write("raters", rows, found)
    return 0 if found["consensus_better_than"] >= LEAST else 1


def measure(works: list[RatedWork], ratings: Ratings, settings: RaterSettings) -> dict[str, Any]:
    """What a method makes of these ratings."""
    image, truth = true_boxes(works, ratings)
    single = score_raters(compare_raters(ratings, image, truth, settings.iou))[:, _MEAN_IOU]
    whole = consensus_mean_ious(ratings, settings, image, truth)
    began_s = time.perf_counter()
    scores = score_raters(leave_one_out(ratings, settings))
    leave_one_out_s = time.perf_counter() - began_s
    without = without_mean_ious(ratings, settings, image, truth)
    return {
        "consensus": settings.consensus,
        "raters": len(ratings.raters),
        "works": len(ratings.images),
        "figures": len(image),
        "raters_mean_iou": round(float(single.mean()), 4),
        "best_rater_mean_iou": round(float(single.max()), 4),
        "consensus_mean_iou": round(float(whole.mean()), 4),
        "without_them_mean_iou": round(float(without.mean()), 4),
        "raters_below": int((single < whole).sum()),
        "raters_below_without_them": int((single < without).sum()),
        "leave_one_out_f1": round(float(scores[:, _F1].mean()), 4),
        "alpha_ordinal": round(krippendorff_alpha(ratings.rating, "ordinal"), 4),
        "alpha_interval": round(krippendorff_alpha(ratings.rating, "interval"), 4),
        "alpha_nominal": round(krippendorff_alpha(ratings.rating, "nominal"), 4),
        "leave_one_out_s": round(leave_one_out_s, 2),
    }


def true_boxes(works: list[RatedWork], ratings: Ratings) -> tuple[np.ndarray, np.ndarray]:
    """(T,) the number of each true figure's image, and (T, 4) their corners; works that nobody saw are left out."""
    number = {name: place for place, name in enumerate(ratings.images)}
    figures = [(number[work.name], figure.xywh_px) for work in works if work.name in number for figure in work.figures]
    xywh = np.array([box for _, box in figures]).reshape(-1, 4)
    return np.array([place for place, _ in figures]), np.concatenate([xywh[:, :2], xywh[:, :2] + xywh[:, 2:]], axis=1)


def consensus_mean_ious(ratings: Ratings, settings: RaterSettings, image: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """(R,) the mean IoU of the consensus of all raters, over the works that each rater saw."""
    found = find_consensus(ratings, settings)
    terms = np.array(
        [_terms(found.xyxy_px[found.image == place], truth[image == place]) for place in range(len(ratings.images))]
    )
    sums = ratings.is_seen.astype(float) @ terms
    return np.asarray(sums[:, 0] / sums[:, 1])


def without_mean_ious(ratings: Ratings, settings: RaterSettings, image: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """(R,) the same of the consensus of all others."""
    sums = np.zeros((len(ratings.raters), 2))
    for place, rater, found in leave_one_out_truths(ratings, settings):
        sums[rater] += _terms(found.xyxy_px, truth[image == place])
    return np.asarray(sums[:, 0] / sums[:, 1])


def _terms(boxes: np.ndarray, figures: np.ndarray) -> tuple[float, int]:
    """What one image adds above and below the line."""
    overlaps = overlaps_of(np.ascontiguousarray(boxes), np.ascontiguousarray(figures))
    return total_overlap(overlaps), max(overlaps.shape)


def ratios(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Shares over the raters of all museums; `_of_careful` where they make half of the usual errors."""
    found: dict[str, float] = {}
    methods = (("kmeans", "consensus_better_than"), ("overlap", "overlap_better_than"))
    for (method, name), errors in itertools.product(methods, ERRORS):
        mine = [row for row in rows if (row["consensus"], row["errors"]) == (method, errors)]
        raters = sum(row["raters"] for row in mine)
        word = name if errors == 1 else f"{name}_of_careful"
        found[word] = round(sum(row["raters_below"] for row in mine) / raters, 4)
        found[f"{word}_without_them"] = round(sum(row["raters_below_without_them"] for row in mine) / raters, 4)
    found["leave_one_out_s"] = max(row["leave_one_out_s"] for row in rows)
    return found


if __name__ == "__main__":
    sys.exit(main())
