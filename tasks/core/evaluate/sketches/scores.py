"""How recognisable a method's sketches are: among those that are simple enough, and by number of strokes.

mRS and mRC (SketchRef, Eq. 4, 5), and the paper's study with CLIPasso: whether sketches are the more recognisable, the
more strokes they have.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.means import mean_of_defined, means_along
from tasks.core.evaluate.sketches.correlation import spearman
from tasks.core.evaluate.sketches.table import Sketches
from tasks.core.evaluate.systems import Scorer

Floats = NDArray[np.float64]
OF_ALL = "_of_all"
"""How the name of a score ends that is divided by all sketches, as Eq. 4 and 5 are printed."""


def alpha_text(alpha: float) -> str:
    """An alpha as it stands in names of scores.

    >>> alpha_text(0.75), alpha_text(3.0)
    ('0.75', '3')
    """
    return np.format_float_positional(alpha, trim="-")


def sketch_scores(
    mean_oks: Floats, s_clip: Floats, ratio: Floats, alphas: Sequence[float], times: Floats
) -> dict[str, float]:
    """The scores of some sketches, where each counts so many times.

    mean_oks: (S,) 0..1, s_clip: (S,), ratio: (S,) simplicity ratios above 0; NaN where there is none. times: (S,).

    `mOKS`, `S_CLIP` and `SR` are means over the sketches that have one. For each alpha, `mRS_<alpha>` is the mean mOKS
    and `mRC_<alpha>` the mean S_CLIP over the sketches whose ratio is strictly above it; `mRS_<alpha>_of_all` and
    `mRC_<alpha>_of_all` divide the same sums by the number of all sketches that have an mOKS, or S_CLIP: Eq. 4 and 5 as
    they are printed. The paper's tables can only be the former (Table 2, Contour on faces: 49.84 at 0.75, 53.76 at
    1.75, while the latter never rises with alpha). `passing_<alpha>` is the share of sketches that pass. A mean of
    nothing is NaN. A sketch without a ratio counts in none of the scores of an alpha.
    """
    columns = (("mOKS", mean_oks), ("S_CLIP", s_clip), ("SR", ratio))
    scores = {name: mean_of_defined(values, times) for name, values in columns}
    has_ratio = ~np.isnan(ratio)
    for alpha in alphas:
        text, passes = alpha_text(alpha), has_ratio & (np.nan_to_num(ratio, nan=0.0) > alpha)
        for name, values in (("mRS", mean_oks), ("mRC", s_clip)):
            scores[f"{name}_{text}"] = mean_of_defined(values, times * passes)
            # what does not pass counts 0, but what has no value does not count
            counted = np.where(passes | np.isnan(values), values, 0.0)
            scores[f"{name}_{text}{OF_ALL}"] = mean_of_defined(counted, times * has_ratio)
        scores[f"passing_{text}"] = mean_of_defined(np.where(has_ratio, passes, np.nan), times)
    return scores


def method_scorer(sketches: Sketches, method: str, alphas: Sequence[float], clip_scale: float) -> Scorer:
    """A method's scorer over photos: (P,) how often each photo counts, and with it all the method's sketches of it, of
    whatever number of strokes. So methods are compared on the same photos.

    Its keys are those of `sketch_scores` and `sketches`, how many there are. S_CLIP is the cosine times clip_scale:
    Eq. 2 is the bare cosine, and like it ours has no max(0, .), which CLIPScore has.
    """
    rows = np.flatnonzero(sketches.method == sketches.methods.index(method))
    photo, ratio = sketches.photo[rows], sketches.ratio[rows]
    mean_oks, s_clip = sketches.mean_oks[rows], clip_scale * sketches.cosine[rows]

    def score(times: NDArray[np.int64]) -> dict[str, float]:
        weights = times[photo].astype(np.float64)
        return {**sketch_scores(mean_oks, s_clip, ratio, alphas, weights), "sketches": float(weights.sum())}

    return score


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
    """photo, strokes, score: (S,) of one method's sketches, at most one for each photo and number of strokes.

    Sketches without a number of strokes (0) or without a score (NaN) are passed over. Only photos with all numbers
    count (ours), so that all means are over the same photos.
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
    """Method, subset, `mOKS` or `S_CLIP`, and the study, wherever a method has scores at several numbers of strokes."""
    subset_of = np.array(sketches.subsets, object)[sketches.photo]
    scores = {"mOKS": sketches.mean_oks, "S_CLIP": clip_scale * sketches.cosine}
    for place, method in enumerate(sketches.methods):
        for subset in sorted(set(sketches.subsets)):
            rows = np.flatnonzero((sketches.method == place) & (subset_of == subset))
            for name, score in scores.items():
                study = stroke_study(sketches.photo[rows], sketches.strokes[rows], score[rows])
                if len(study.strokes) > 1:
                    yield method, subset, name, study
