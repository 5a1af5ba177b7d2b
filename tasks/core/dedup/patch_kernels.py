"""The arithmetic of `patches`, compiled and free of Python's lock."""

import numpy as np
from numpy.typing import NDArray

from tasks.core.dedup.sizes import AGREES, PATCH_PX, REACH_PX, STEP_PX
from tasks.core.jit import compiled

Picture = NDArray[np.float32]


@compiled
def patch_statistics(
    template: Picture, other: Picture, is_covered: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(2, rows, columns) mean squares of both, freed of rows and columns, and (rows, columns) their best correlation.

    NaN for patches that are not covered whole. The patches lie in the middle; what is left over at the edges is not
    looked at. Shifts are tried where a patch does not agree as it lies.
    """
    height, width = template.shape
    rows, columns = max(0, (height - PATCH_PX) // STEP_PX + 1), max(0, (width - PATCH_PX) // STEP_PX + 1)
    first_row, first_column = (height - PATCH_PX) % STEP_PX // 2, (width - PATCH_PX) % STEP_PX // 2
    powers, correlations = np.zeros((2, rows, columns)), np.full((rows, columns), np.nan)
    mine, others = np.empty((PATCH_PX, PATCH_PX), np.float32), np.empty((PATCH_PX, PATCH_PX), np.float32)
    for i in range(rows):
        for j in range(columns):
            top, left = first_row + i * STEP_PX, first_column + j * STEP_PX
            if not is_covered[top : top + PATCH_PX, left : left + PATCH_PX].all():
                continue
            power, other_power = _free_patch(template, top, left, mine), _free_patch(other, top, left, others)
            powers[0, i, j], powers[1, i, j] = power / PATCH_PX**2, other_power / PATCH_PX**2
            best = _correlation(mine, others, power, other_power)
            if best < AGREES:
                best = max(best, _best_near(other, top, left, mine, power, others))
            correlations[i, j] = best
    return powers, correlations


@compiled
def _best_near(picture: Picture, top: int, left: int, mine: Picture, power: float, others: Picture) -> float:
    """The best correlation with patches up to REACH_PX from that place."""
    height, width = picture.shape
    best = -1.0
    for y in range(max(0, top - REACH_PX), min(height - PATCH_PX, top + REACH_PX) + 1):
        for x in range(max(0, left - REACH_PX), min(width - PATCH_PX, left + REACH_PX) + 1):
            other_power = _free_patch(picture, y, x, others)
            best = max(best, _correlation(mine, others, power, other_power))
            if best >= AGREES:
                return best
    return best


@compiled
def _correlation(mine: Picture, others: Picture, power: float, other_power: float) -> float:
    """Of two freed patches; 0 where either is empty."""
    product = np.float32(0)
    for row in range(PATCH_PX):
        for column in range(PATCH_PX):
            product += mine[row, column] * others[row, column]
    return product / np.sqrt(power * other_power) if power > 0 and other_power > 0 else 0.0


@compiled
def _free_patch(picture: Picture, top: int, left: int, patch: Picture) -> float:
    """Fill the patch with what is neither its row's nor its column's mean; the sum of its squares."""
    means = np.zeros(PATCH_PX, np.float32)
    for row in range(PATCH_PX):
        mean = np.float32(0)
        for column in range(PATCH_PX):
            mean += picture[top + row, left + column]
        mean /= PATCH_PX
        for column in range(PATCH_PX):
            patch[row, column] = picture[top + row, left + column] - mean
            means[column] += patch[row, column]
    power = np.float32(0)
    for row in range(PATCH_PX):
        for column in range(PATCH_PX):
            patch[row, column] -= means[column] / PATCH_PX
            power += patch[row, column] * patch[row, column]
    return float(power)
