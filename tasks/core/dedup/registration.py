"""The compiled arithmetic of the second look: a small grey picture is laid over another, and compared patch by patch.

Pictures are (height, width) float32, grey levels 0..255. A warp is a (2, 3) float64 matrix that takes a pixel (x, y, 1)
of the template, pixel centres at whole numbers, to (x, y) in the other picture. Free of Python's lock.
"""

import numpy as np
from numpy.typing import NDArray

from tasks.core.dedup.sizes import AGREES, PATCH_PX, REACH_PX, STEP_PX
from tasks.core.jit import compiled

Picture = NDArray[np.float32]
Warp = NDArray[np.float64]

_STIFFNESS = 0.002


@compiled
def resample(picture: Picture, height: int, width: int) -> Picture:
    """(height, width): each pixel the mean of the area that it covers. Not meant to enlarge."""
    return _transposed(_row_means(_transposed(_row_means(picture, height)), width))


@compiled
def _row_means(picture: Picture, rows: int) -> Picture:
    """(rows, W): means of equal bands of rows."""
    found = np.zeros((rows, picture.shape[1]), np.float32)
    step = picture.shape[0] / rows
    for row in range(rows):
        top, bottom = row * step, (row + 1) * step
        for source in range(int(top), min(int(np.ceil(bottom)), picture.shape[0])):
            weight = (min(bottom, source + 1.0) - max(top, float(source))) / step
            for column in range(picture.shape[1]):
                found[row, column] += weight * picture[source, column]
    return found


@compiled
def _transposed(picture: Picture) -> Picture:
    """Rows for columns, so that what works on rows works on columns."""
    height, width = picture.shape
    found = np.empty((width, height), np.float32)
    for row in range(height):
        for column in range(width):
            found[column, row] = picture[row, column]
    return found


@compiled
def normalise(picture: Picture, radius_px: int, noise: float) -> Picture:
    """What stands out from its surroundings, in units of their contrast: 0 on average, about -3..3, free of tones.

    Differences far below `noise` grey levels vanish. The surroundings are two box means of that radius in turn.
    """
    found = blur(picture, radius_px)
    power = np.empty_like(picture)
    for row in range(picture.shape[0]):
        for column in range(picture.shape[1]):
            found[row, column] = picture[row, column] - found[row, column]
            power[row, column] = found[row, column] ** 2
    power = blur(power, radius_px)
    for row in range(picture.shape[0]):
        for column in range(picture.shape[1]):
            found[row, column] /= np.sqrt(power[row, column] + noise * noise)
    return found


@compiled
def blur(picture: Picture, radius_px: int) -> Picture:
    """Box means of 2 r + 1 pixels along both axes, twice; at the edges the mean of what is there."""
    upright = _transposed(_box_means(_box_means(picture, radius_px), radius_px))
    return _transposed(_box_means(_box_means(upright, radius_px), radius_px))


@compiled
def _box_means(picture: Picture, radius_px: int) -> Picture:
    """Means of 2 r + 1 rows; whole rows at a time, which is quick in memory."""
    height, width = picture.shape
    found, total = np.empty_like(picture), np.zeros(width)
    first, last = 0, 0
    for row in range(height):
        while last < min(row + radius_px + 1, height):
            for column in range(width):
                total[column] += picture[last, column]
            last += 1
        while first < row - radius_px:
            for column in range(width):
                total[column] -= picture[first, column]
            first += 1
        share = 1.0 / (last - first)
        for column in range(width):
            found[row, column] = total[column] * share
    return found


@compiled
def apply_warp(picture: Picture, warp: Warp, template: Picture) -> tuple[Picture, NDArray[np.bool_]]:
    """The picture laid over the template, where it has nothing the template itself; and where it has something."""
    height, width = template.shape
    found, is_covered = template.copy(), np.zeros((height, width), np.bool_)
    most_x, most_y = picture.shape[1] - 1.0, picture.shape[0] - 1.0
    for row in range(height):
        for column in range(width):
            x = warp[0, 0] * column + warp[0, 1] * row + warp[0, 2]
            y = warp[1, 0] * column + warp[1, 1] * row + warp[1, 2]
            if x < -0.5 or y < -0.5 or x > most_x + 0.5 or y > most_y + 0.5:
                continue
            found[row, column] = _interpolate(picture, min(max(x, 0.0), most_x), min(max(y, 0.0), most_y))
            is_covered[row, column] = True
    return found, is_covered


@compiled
def _interpolate(picture: Picture, x: float, y: float) -> float:
    """Between four pixels, by bilinear interpolation; inside the picture."""
    left, top = min(int(x), picture.shape[1] - 2), min(int(y), picture.shape[0] - 2)
    across, down = x - left, y - top
    above = picture[top, left] * (1 - across) + picture[top, left + 1] * across
    below = picture[top + 1, left] * (1 - across) + picture[top + 1, left + 1] * across
    return float(above * (1 - down) + below * down)


@compiled
def align(template: Picture, picture: Picture, warp: Warp, most_steps: int, rim_px: int) -> bool:
    """Improve the warp in place until a step moves no corner by more than 0.02 px. Returns False if it finds no way.

    Gauss-Newton over six affine parameters on the squared difference, the gradient taken in the template (inverse
    compositional; Baker & Matthews, IJCV 2004, section 3). Both pictures are `normalised` and at least 4 x 4 px.
    """
    height, width = template.shape
    # parameters move the middle and the edges by pixels, so that all six are of one size
    half_px, middle_x, middle_y = max(height, width) / 2, (width - 1) / 2, (height - 1) / 2
    for _ in range(most_steps):
        square, slope, pixels = _normal_equations(template, picture, warp, half_px, rim_px)
        if 4 * pixels < height * width:
            return False
        for parameter in range(6):
            square[parameter, parameter] = square[parameter, parameter] * 1.001 + 1e-3
        move = _solve(square, slope)
        xx, xy = 1 + move[0] / half_px, move[1] / half_px
        yx, yy = move[3] / half_px, 1 + move[4] / half_px
        across = move[2] - (move[0] * middle_x + move[1] * middle_y) / half_px
        down = move[5] - (move[3] * middle_x + move[4] * middle_y) / half_px
        scale = xx * yy - xy * yx
        if abs(scale) < 0.3:
            return False
        for row in range(2):  # warp = warp . step^-1
            left, right = warp[row, 0], warp[row, 1]
            warp[row, 0] = (left * yy - right * yx) / scale
            warp[row, 1] = (right * xx - left * xy) / scale
            warp[row, 2] -= warp[row, 0] * across + warp[row, 1] * down
        farthest_px = 0.0
        for part in move:
            farthest_px = max(farthest_px, abs(part))
        if farthest_px < 0.02:
            break
    return True


@compiled
def _solve(square: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """The x for which square . x = right, by Gauss. `square`: symmetric, its diagonal well above 0; is used up."""
    size = len(right)
    found = right.copy()
    for pivot in range(size):
        for row in range(pivot + 1, size):
            share = square[row, pivot] / square[pivot, pivot]
            found[row] -= share * found[pivot]
            for column in range(pivot, size):
                square[row, column] -= share * square[pivot, column]
    for pivot in range(size - 1, -1, -1):
        for column in range(pivot + 1, size):
            found[pivot] -= square[pivot, column] * found[column]
        found[pivot] /= square[pivot, pivot]
    return found


@compiled
def _normal_equations(
    template: Picture, picture: Picture, warp: Warp, half_px: float, most_rim_px: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """The normal equations of one step: (6, 6), (6,), and how many pixels took part."""
    height, width = template.shape
    square, slope, parts = np.zeros((6, 6)), np.zeros(6), np.zeros(6)
    pixels = 0
    rim_y, rim_x = max(1, min(most_rim_px, height // 5)), max(1, min(most_rim_px, width // 5))
    for row in range(rim_y, height - rim_y):
        for column in range(rim_x, width - rim_x):
            x = warp[0, 0] * column + warp[0, 1] * row + warp[0, 2]
            y = warp[1, 0] * column + warp[1, 1] * row + warp[1, 2]
            if x < 0 or y < 0 or x > picture.shape[1] - 1 or y > picture.shape[0] - 1:
                continue
            pixels += 1
            off = _interpolate(picture, x, y) - template[row, column]
            across, down = (column - (width - 1) / 2) / half_px, (row - (height - 1) / 2) / half_px
            slope_x = (template[row, column + 1] - template[row, column - 1]) / 2
            slope_y = (template[row + 1, column] - template[row - 1, column]) / 2
            parts[0], parts[1], parts[2] = slope_x * across, slope_x * down, slope_x
            parts[3], parts[4], parts[5] = slope_y * across, slope_y * down, slope_y
            for one in range(6):
                slope[one] += parts[one] * off
                for other in range(one, 6):
                    square[one, other] += parts[one] * parts[other]
    for one in range(6):
        for other in range(one):
            square[one, other] = square[other, one]
    return square, slope, pixels


@compiled
def cell_agreements(
    template: Picture, other: Picture, is_covered: NDArray[np.bool_], rows: int, columns: int, least_power: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(rows, columns), twice, of two `normalised` pictures: how each cell correlates, and how far it is off.

    NaN where neither has anything to show, or less than half of the cell is there. Correlation: -1..1. Off: px of the
    shift that would best mend what still differs, by one step of Gauss and Newton; near 0 where there is no slope.
    """
    height, width = template.shape
    alike, off = np.full((rows, columns), np.nan), np.full((rows, columns), np.nan)
    for i in range(rows):
        for j in range(columns):
            both = mine = others = xx = xy = yy = to_x = to_y = 0.0
            pixels = 0
            top, bottom = i * height // rows, (i + 1) * height // rows
            left, right = j * width // columns, (j + 1) * width // columns
            for row in range(top, bottom):
                for column in range(left, right):
                    if not is_covered[row, column]:
                        continue
                    pixels += 1
                    both += template[row, column] * other[row, column]
                    mine += template[row, column] ** 2
                    others += other[row, column] ** 2
                    if 0 < row < height - 1 and 0 < column < width - 1:
                        x = (
                            template[row, column + 1]
                            - template[row, column - 1]
                            + other[row, column + 1]
                            - other[row, column - 1]
                        ) / 4
                        y = (
                            template[row + 1, column]
                            - template[row - 1, column]
                            + other[row + 1, column]
                            - other[row - 1, column]
                        ) / 4
                        gap = other[row, column] - template[row, column]
                        xx, xy, yy, to_x, to_y = xx + x * x, xy + x * y, yy + y * y, to_x + x * gap, to_y + y * gap
            if 2 * pixels >= (bottom - top) * (right - left) and max(mine, others) >= least_power * pixels and pixels:
                alike[i, j] = both / np.sqrt(mine * others) if mine * others > 0 else 0.0
                xx, yy = xx + _STIFFNESS * pixels, yy + _STIFFNESS * pixels
                scale = xx * yy - xy * xy
                off[i, j] = np.sqrt((yy * to_x - xy * to_y) ** 2 + (xx * to_y - xy * to_x) ** 2) / scale
    return alike, off


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
