"""Whether two pictures that lie over each other agree in what they show, patch by patch: the second look's last word.

Edges of mounts, rules and lines of text run straight through a patch, and agree wherever two sheets are laid out alike.
So each patch is freed of whatever is constant along its rows or its columns: what is left is drawing, letters, strokes.
Reproductions of one work agree in nearly all patches in which there is something to see. Two works in one mount agree
all around and nowhere inside; two pages of text agree by chance.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.float32]

PATCH_PX = 8
STEP_PX = 4
"""Patches overlap by half: what differs in a small place fills some of them whole, wherever it lies."""
REACH_PX = 1
"""A copy in perspective, or on warped paper, lies a px off in places."""
AGREES = 0.5
CLASHES = 0.4
"""Correlations of one patch, from which on it agrees, and below which it clashes."""

_LEAST_LEVELS = 1.5
"""Grey levels, root mean square, from which on there is something to see in a patch: a drawing in 20 % of its contrast
has some 3."""
_STRONG_LEVELS = 8.0
"""What is so strong in one picture and not there in the other was covered or replaced."""
_PLAIN_LEVELS = 4.0
"""What is fainter does not count in a window: the dots of a halftone, sampled otherwise, clash on a plain ground."""
_MOST_RATIO = 4.0
"""Of two strengths that are alike: one scan of a canvas is sharper than another."""
_WINDOW = 6
"""Patches along a side of a window, 28 px of 128: a picture that takes up 15 % of the area of its mount has 50 px."""
_LEAST_IN_WINDOW = 20
_RIM = 0.12
"""Of either side, in which no window lies: banners, colour bars and stamps cover the edges of copies."""


class Patches(NamedTuple):
    """compared: how many patches both pictures cover. agreeing, clashing: how many of them do. clash: 0..1, the share
    of clashing ones where they lie closest together.
    """

    compared: int
    agreeing: int
    clashing: int
    clash: float

    @property
    def agreement(self) -> float:
        """0..1, the share of those that agree; 0 where there is nothing to see."""
        return self.agreeing / max(1, self.agreeing + self.clashing)


NO_PATCHES = Patches(0, 0, 0, 0.0)
"""Where there is nothing to see, or nothing was looked at."""


def compare_patches(template: Picture, over: Picture, is_covered: NDArray[np.bool_]) -> Patches:
    """Compare (H, W) grey levels, 0..255, of a picture and the one that lies over it, in patches of 8 x 8 px.

    Only patches that are covered whole take part. A patch agrees if its correlation is 0.5 or more, after the better of
    shifts by a px. It clashes if both pictures show something of like strength in it, which correlates by less than
    0.4, or if what one shows strongly is missing in the other. Where one picture has noise all over, more is asked of
    what is to be seen. In pictures of less than 8 px nothing is compared.
    """
    from tasks.core.dedup.patch_kernels import patch_statistics  # numba takes half a second to import

    powers, correlations = patch_statistics(template, over, is_covered)
    is_whole = ~np.isnan(correlations)
    if not is_whole.any():
        return NO_PATCHES
    noise = abs(float(np.median(powers[1][is_whole] - powers[0][is_whole])))
    least = np.sqrt(_LEAST_LEVELS**2 + noise)
    low, high = np.sqrt(powers.min(axis=0)), np.sqrt(powers.max(axis=0))
    is_agreeing = is_whole & (high >= least) & (correlations >= AGREES)
    is_alike_strong = (high >= least) & (low >= 0.6 * least) & (_MOST_RATIO * low >= high)
    is_missing = high >= max(_STRONG_LEVELS, 2 * least)
    is_clashing = is_whole & (is_alike_strong | is_missing) & (correlations < CLASHES)
    agreeing, clashing = _window_sums(is_agreeing), _window_sums(is_clashing & (high >= _PLAIN_LEVELS))
    judged = agreeing + clashing
    share = np.where(judged >= _LEAST_IN_WINDOW, clashing / np.maximum(1, judged), 0.0)
    return Patches(int(is_whole.sum()), int(is_agreeing.sum()), int(is_clashing.sum()), float(share.max()))


def _window_sums(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many are set in each window of patches, the rim left away; a side that has fewer is one window."""
    inner = mask[tuple(slice(rim, side - rim) for side in mask.shape for rim in [round(_RIM * side)])]
    sums = np.pad(inner.astype(np.int64), ((1, 0), (1, 0))).cumsum(axis=0).cumsum(axis=1)
    rows, columns = (min(_WINDOW, side) for side in inner.shape)
    return np.asarray(sums[rows:, columns:] - sums[:-rows, columns:] - sums[rows:, :-columns] + sums[:-rows, :-columns])
