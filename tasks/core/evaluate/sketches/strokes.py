"""Whether sketches are the more recognisable, the more strokes they have (SketchRef, the study with CLIPasso)."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.means import mean_of_defined, means_along
from tasks.core.evaluate.sketches.correlation import spearman
from tasks.core.evaluate.sketches.table import Sketches

Floats = NDArray[np.float64]


class StrokeStudy(NamedTuple):
    """A score against the number of strokes, over N photos that have a sketch with a score at each of L numbers.

    strokes: (L,) ascending; means: (L,). rises, falls: (L - 1,) shares of the photos whose score is higher, or lower,
    at the next number of strokes. rises_throughout: the share of photos whose score rises at each step. rho: the mean
    over photos of Spearman's rho between strokes and score; rho_photos: over how many, since it is not defined where a
    photo has one score throughout. left_out: photos that lack some number of strokes. NaN of nothing.
    """

    strokes: NDArray[np.int64]
    means: Floats
    rises: Floats
    falls: Floats
    rises_throughout: float
    rho: float
    rho_photos: int
    photos: int
    left_out: int


def stroke_study(photo: NDArray[np.int64], strokes: NDArray[np.int64], score: Floats) -> StrokeStudy:
    """The scores of one method's sketches by number of strokes.

    photo, strokes, score: (S,); sketches without a number of strokes (0) or without a score (NaN) are passed over. A
    photo has one sketch for each number. Only photos with all numbers count (ours), so that all means are over the same
    photos.
    """
    counts = (strokes > 0) & ~np.isnan(score)
    photos, row = np.unique(photo[counts], return_inverse=True)
    numbers, column = np.unique(strokes[counts], return_inverse=True)
    grid = np.full((len(photos), len(numbers)), np.nan)
    grid[row, column] = score[counts]
    complete = grid[~np.isnan(grid).any(axis=1)]
    steps = np.diff(complete, axis=1)
    rhos = np.array([spearman(numbers.astype(np.float64), scores) for scores in complete])
    return StrokeStudy(
        numbers,
        means_along(complete),
        means_along(steps > 0),
        means_along(steps < 0),
        mean_of_defined((steps > 0).all(axis=1).astype(np.float64)) if steps.shape[1] else math.nan,
        mean_of_defined(rhos),
        int((~np.isnan(rhos)).sum()),
        len(complete),
        len(photos) - len(complete),
    )


def stroke_studies(sketches: Sketches, clip_scale: float) -> Iterator[tuple[str, str, str, StrokeStudy]]:
    """Method, subset, `mOKS` or `S_CLIP`, and the study, wherever a method has sketches with scores at several numbers
    of strokes.
    """
    subset_of = np.array(sketches.subsets, object)[sketches.photo]
    scores = {"mOKS": sketches.mean_oks, "S_CLIP": clip_scale * sketches.cosine}
    for place, method in enumerate(sketches.methods):
        for subset in sorted(set(sketches.subsets)):
            rows = np.flatnonzero((sketches.method == place) & (subset_of == subset))
            for name, score in scores.items():
                study = stroke_study(sketches.photo[rows], sketches.strokes[rows], score[rows])
                if len(study.strokes) > 1:
                    yield method, subset, name, study
