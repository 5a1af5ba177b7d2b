"""Whether two pictures that lie over each other agree in what they show, patch by patch: the second look's last word.

Edges of mounts, rules and lines of text run straight through a patch, and agree wherever two sheets are laid out alike.
So each patch is freed of whatever is constant along its rows or its columns: what is left is drawing, letters, strokes.
Reproductions of one work agree in nearly all patches in which there is something to see. Two works in one mount agree
all around and nowhere inside; two pages of text agree by chance.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.core.dedup.sizes import AGREES, PATCH_PX, STEP_PX

Picture = NDArray[np.float32]
Mask = NDArray[np.bool_]

CLASHES = 0.4
"""Correlation of a patch below which it clashes."""

_LEAST_LEVELS = 1.5
"""Grey levels, root mean square, from which on there is something to see in a patch: a drawing in 20 % of its contrast
has some 3."""
_STRONG_LEVELS = 8.0
"""What is so strong in one picture and not there in the other was covered or replaced."""
_OF_HALF_SIZE = 0.5
"""How many grey levels count in pictures of half the size, of those that count here: grain is averaged away."""
_LEAST_SILENT = 8
"""Of the nine small patches below one of twice the size."""
_LEAST_OF_HALF_SIZE = 6
_CLEAR_LEVELS = 4.0
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
    of clashing ones where they lie closest together. broad_clash: 0..1, the share of those of twice the size that
    clash, where nothing is to be seen in the small ones: a faint picture in a mount whose paper has a grain.
    """

    compared: int
    agreeing: int
    clashing: int
    clash: float
    broad_clash: float

    @property
    def agreement(self) -> float:
        """0..1, the share of those that agree; 0 where there is nothing to see."""
        return self.agreeing / max(1, self.agreeing + self.clashing)


NO_PATCHES = Patches(0, 0, 0, 0.0, 0.0)
"""Where there is nothing to see, or nothing was looked at."""


def compare_patches(template: Picture, over: Picture, is_covered: Mask) -> Patches:
    """Compare (H, W) grey levels, 0..255, of a picture and the one that lies over it, in patches of 8 x 8 px.

    Only patches that are covered whole take part. A patch agrees if its correlation is 0.5 or more, after the better of
    shifts by a px. It clashes if both pictures show something of like strength in it, which correlates by less than
    0.4, or if what one shows strongly is missing in the other. Where one picture has noise all over, more is asked of
    what is to be seen. In pictures of less than 8 px nothing is compared.
    """
    seen = _marks(template, over, is_covered, 1.0)
    if not seen.is_whole.any():
        return NO_PATCHES
    agreeing, clashing = _window_sums(seen.is_agreeing), _window_sums(seen.is_clashing & seen.is_clear)
    judged = agreeing + clashing
    share = np.where(judged >= _LEAST_IN_WINDOW, clashing / np.maximum(1, judged), 0.0)
    whole, agree, clash = (int(mask.sum()) for mask in (seen.is_whole, seen.is_agreeing, seen.is_clashing))
    return Patches(whole, agree, clash, float(share.max()), _broad_clash(template, over, is_covered, seen))


class _Marks(NamedTuple):
    """Which patches, (rows, columns), are covered whole, agree, clash, and show more than dots of a halftone."""

    is_whole: Mask
    is_agreeing: Mask
    is_clashing: Mask
    is_clear: Mask


def _marks(template: Picture, over: Picture, is_covered: Mask, level_share: float) -> _Marks:
    """The marks of each patch. level_share: how much of the usual grey levels is asked of what is to be seen."""
    from tasks.core.dedup.patch_kernels import patch_statistics  # numba takes half a second to import

    powers, correlations = patch_statistics(template, over, is_covered)
    is_whole = ~np.isnan(correlations)
    noise = abs(float(np.median(powers[1][is_whole] - powers[0][is_whole]))) if is_whole.any() else 0.0
    least = np.sqrt((level_share * _LEAST_LEVELS) ** 2 + noise)
    low, high = np.sqrt(powers.min(axis=0)), np.sqrt(powers.max(axis=0))
    is_alike_strong = (high >= least) & (low >= 0.6 * least) & (_MOST_RATIO * low >= high)
    is_missing = high >= max(level_share * _STRONG_LEVELS, 2 * least)
    return _Marks(
        is_whole,
        is_whole & (high >= least) & (correlations >= AGREES),
        is_whole & (is_alike_strong | is_missing) & (correlations < CLASHES),
        high >= _CLEAR_LEVELS,
    )


def _broad_clash(template: Picture, over: Picture, is_covered: Mask, seen: _Marks) -> float:
    """The share of patches at half the size that clash, of those that say anything where the small ones say nothing."""
    rows, columns = (max(0, (side // 2 - PATCH_PX) // STEP_PX + 1) for side in template.shape)
    small = (seen.is_whole & ~seen.is_agreeing & ~seen.is_clashing)[: 2 * rows + 2, : 2 * columns + 2]
    silent = np.zeros((2 * rows + 2, 2 * columns + 2), np.int64)
    silent[: small.shape[0], : small.shape[1]] = small
    # a patch at half the size lies over three by three small ones
    silence = sum(silent[i : i + 2 * rows : 2, j : j + 2 * columns : 2] for i in range(3) for j in range(3))
    is_silent = np.asarray(silence >= _LEAST_SILENT)
    if is_silent.sum() < _LEAST_OF_HALF_SIZE:
        return 0.0
    is_whole = np.asarray(_quarters(is_covered).all(axis=0))
    broad = _marks(_quarters(template).mean(axis=0), _quarters(over).mean(axis=0), is_whole, _OF_HALF_SIZE)
    agreeing, clashing = (int((mask & is_silent).sum()) for mask in (broad.is_agreeing, broad.is_clashing))
    return clashing / (agreeing + clashing) if agreeing + clashing >= _LEAST_OF_HALF_SIZE else 0.0


def _quarters(picture: NDArray[Any]) -> NDArray[Any]:
    """(4, H // 2, W // 2): the four pixels of which each of a picture of half the size is made."""
    height, width = (side // 2 * 2 for side in picture.shape)
    return np.stack([picture[i:height:2, j:width:2] for i in (0, 1) for j in (0, 1)])


def _window_sums(mask: Mask) -> NDArray[np.int64]:
    """How many are set in each window of patches, the rim left away; a side that has fewer is one window."""
    inner = mask[tuple(slice(rim, side - rim) for side in mask.shape for rim in [round(_RIM * side)])]
    sums = np.zeros((inner.shape[0] + 1, inner.shape[1] + 1), np.int64)
    sums[1:, 1:] = inner.cumsum(axis=0).cumsum(axis=1)
    rows, columns = (min(_WINDOW, side) for side in inner.shape)
    return np.asarray(sums[rows:, columns:] - sums[:-rows, columns:] - sums[rows:, :-columns] + sums[:-rows, :-columns])
