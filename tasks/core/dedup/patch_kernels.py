"""The arithmetic of `patches`, compiled and free of Python's lock."""

import numpy as np
from numpy.typing import NDArray

from tasks.core.jit import compiled

Picture = NDArray[np.float32]


@compiled
def patch_statistics(
    template: Picture, other: Picture, is_covered: NDArray[np.bool_], side_px: int, step_px: int, reach_px: int, enough: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(2, rows, columns) mean squares of both, freed of rows and columns, and (rows, columns) their best correlation.

    NaN for patches that are not covered whole. The patches lie in the middle; what is left over at the edges is not
    looked at.
    """
    height, width = template.shape
    rows = max(0, (height - side_px) // step_px + 1)
    columns = max(0, (width - side_px) // step_px + 1)
    first_row, first_column = (height - side_px) % step_px // 2, (width - side_px) % step_px // 2
    powers, correlations = np.zeros((2, rows, columns)), np.full((rows, columns), np.nan)
    mine, others = np.empty((side_px, side_px)), np.empty((side_px, side_px))
    for i in range(rows):
        for j in range(columns):
            top, left = first_row + i * step_px, first_column + j * step_px
            if not is_covered[top : top + side_px, left : left + side_px].all():
                continue
            power = _freed_patch(template, top, left, mine)
            powers[0, i, j] = power / side_px**2
            best = _correlation_with(other, top, left, mine, power, others)
            powers[1, i, j] = (others**2).sum() / side_px**2
            for down in range(-reach_px, reach_px + 1):
                for across in range(-reach_px, reach_px + 1):
                    y, x = top + down, left + across
                    is_inside = 0 <= y <= height - side_px and 0 <= x <= width - side_px
                    if best < enough and is_inside:
                        best = max(best, _correlation_with(other, y, x, mine, power, others))
            correlations[i, j] = best
    return powers, correlations


@compiled
def _correlation_with(
    picture: Picture, top: int, left: int, mine: NDArray[np.float64], power: float, others: NDArray[np.float64]
) -> float:
    """Of a freed patch with the one at a place of the other picture, which fills `others`; 0 where either is empty."""
    other_power, product = _freed_patch(picture, top, left, others), 0.0
    for row in range(len(mine)):
        for column in range(len(mine)):
            product += mine[row, column] * others[row, column]
    return product / np.sqrt(power * other_power) if power > 0 and other_power > 0 else 0.0


@compiled
def _freed_patch(picture: Picture, top: int, left: int, patch: NDArray[np.float64]) -> float:
    """Fill the patch with what is neither its row's nor its column's mean; the sum of its squares."""
    side_px = len(patch)
    for row in range(side_px):
        mean = 0.0
        for column in range(side_px):
            mean += picture[top + row, left + column]
        mean /= side_px
        for column in range(side_px):
            patch[row, column] = picture[top + row, left + column] - mean
    power = 0.0
    for column in range(side_px):
        mean = 0.0
        for row in range(side_px):
            mean += patch[row, column]
        mean /= side_px
        for row in range(side_px):
            patch[row, column] -= mean
            power += patch[row, column] ** 2
    return power
