"""mRS and mRC: how recognisable a method's sketches are, among those that are simple enough (SketchRef, Eq. 4, 5)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.means import mean_of_defined
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
    1.75, while the latter never rises with alpha). `passing_<alpha>` is the share of sketches that pass, among all with
    a ratio.

    A mean of nothing is NaN. A sketch without a ratio counts in none of the scores of an alpha.
    """
    scores = {
        "mOKS": mean_of_defined(mean_oks, times),
        "S_CLIP": mean_of_defined(s_clip, times),
        "SR": mean_of_defined(ratio, times),
    }
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
    """A method's scorer over photos: (P,) how often each photo counts, and with it the method's sketches of it.

    So methods are compared on the same photos. All of the method's sketches count, of whatever number of strokes. Its
    keys are those of `sketch_scores` and `sketches`, how many there are. S_CLIP is the cosine times clip_scale: Eq. 2
    is the bare cosine, and like it ours has no max(0, .), which CLIPScore has.

    Raises KeyError for a method that has no sketches.
    """
    if method not in sketches.methods:
        raise KeyError(method)
    rows = np.flatnonzero(sketches.method == sketches.methods.index(method))
    photo, ratio = sketches.photo[rows], sketches.ratio[rows]
    mean_oks, s_clip = sketches.mean_oks[rows], clip_scale * sketches.cosine[rows]

    def score(times: NDArray[np.int64]) -> dict[str, float]:
        weights = times[photo].astype(np.float64)
        return {**sketch_scores(mean_oks, s_clip, ratio, alphas, weights), "sketches": float(weights.sum())}

    return score
