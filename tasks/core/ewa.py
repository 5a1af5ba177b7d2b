"""Pictures in another size as Nicolas Robidoux makes them: elliptical weighted averages, as ImageMagick's
`-filter Robidoux -distort Resize WxH!` and `-filter RobidouxSharp` have them.

A pixel of the result is the average of the picture's pixels around its place, each weighed by k(r): r is how far it
lies from there, in pixels of the picture, or along a side that shrinks in pixels of the result. k is a cubic of
Mitchell and Netravali's family, of parameters B and C:

    k(r) = ((12 - 9B - 6C) r^3 + (-18 + 12B + 6C) r^2 + 6 - 2B) / 6                 r < 1
    k(r) = ((-B - 6C) r^3 + (6B + 30C) r^2 + (-12B - 48C) r + 8B + 24C) / 6         1 <= r < 2, else 0

What lies equally far away weighs the same (so the weights' shape is a circle or an ellipse), and columns can't be
filtered after rows, as k(x) k(y) would allow. But k(sqrt(x^2 + y^2)) is, to within .001, a sum of five products
f(y) g(x): five filters that can, which takes far less time than a weight for each pixel of each ellipse.
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasks.core.jit import compiled

Pixels = NDArray[Any]
"""(height, width, 3) of uint8, float32 or float64: red, green, blue."""
Floats = NDArray[np.float64]

ROBIDOUX = (12 / (19 + 9 * 2**0.5), 113 / (58 + 216 * 2**0.5))
"""B and C: .37821576 and .31089212."""
ROBIDOUX_SHARP = (0.2620145123990142, 0.3689927438004929)

_SUPPORT = 2
_PRODUCTS = 5
_GRID = 512
"""Steps from 0 to _SUPPORT at which f and g are known; between them they are straight lines."""
_IN_TABLE = 16**2
"""ImageMagick takes the weight of a squared distance that is rounded down to a multiple of 1/16^2."""
_STEPS = 2**16
"""Weights are multiples of 1/2^16: far coarser than what two machines' libraries of matrices differ by."""
_VALUES_AT_ONCE = 2**19
_MOST = 255


@dataclass(frozen=True)
class _Axis:
    """What makes N pixels of the result along one side. first: (N,) of each, its first pixel of the picture. counts:
    (N,) how many of them. weights: (N, the largest count, _PRODUCTS), 0 from each count on.
    """

    first: NDArray[np.int64]
    counts: NDArray[np.int64]
    weights: NDArray[Any]

    def __getitem__(self, part: slice) -> "_Axis":
        return _Axis(self.first[part], self.counts[part], self.weights[part])


def resize(
    pixels: Pixels, size_px: tuple[int, int], *, is_sharp: bool = False, is_linear: bool = False
) -> NDArray[Any]:
    """The picture in another size: (height, width, 3) of the same dtype.

    pixels: (height, width, 3) of uint8, float32 or float64, at least one pixel, all finite. size_px: (width, height) of
    the result; each side shrinks or grows by itself. is_sharp: RobidouxSharp for Robidoux. is_linear: averages are of
    light, by sRGB's transfer function, and not of levels; levels of floats are then on uint8's scale, 0 to 255.

    The middle of a picture's first pixel lies at .5, and its outer edges stay where they are. Weights beyond an edge
    are left out, and the others sum to 1: a constant stays constant, and of a picture of one row nothing is averaged
    but along it. Some weights are negative, so beside an edge the result goes beyond the levels on either side. uint8
    is rounded, halves up, and ends at 0 and 255; floats are neither rounded nor cut. A picture that keeps its size is
    filtered, too: a lone white pixel keeps .87 of its height, a line of one pixel .999 (is_sharp: .999 and 1.09).

    Of uint8 ImageMagick's own result differs by 1 where the average is near a half: in about 1 % of a painting's
    levels at most. In linear light, where a level of the dark is thirteen times as little light, it may be by 6.

    Sums of uint8 have 32 bits, others 64, and the same order on every machine. One thread. Memory beside picture and
    result: 8 MB, a kB for each row and column of the picture or the result, and 36 bytes for each pixel of the result;
    twice as much for floats. With is_linear the picture again, in 32 bits a level (floats: 64).

    Raises ValueError for another shape or dtype, and for a size below 1.
    """
    _check(pixels, size_px)
    precision = np.float32 if pixels.dtype == np.uint8 else np.float64
    levels = np.ascontiguousarray(_light(pixels) if is_linear else pixels)
    sides = list(zip(pixels.shape[:2], size_px[::-1], strict=True))
    factors = _factors(is_sharp, all(_is_in_table(*side) for side in sides))
    rows, columns = (_axis(*side, factor, precision) for side, factor in zip(sides, factors, strict=True))
    averages = np.empty((size_px[1], size_px[0], 3), precision)
    at_once = max(1, _VALUES_AT_ONCE // (_PRODUCTS * 3 * pixels.shape[1]))
    for start in range(0, size_px[1], at_once):
        part = slice(start, start + at_once)
        averages[part] = _sums(levels, rows[part], columns)
    averages /= _totals(rows, columns)[:, :, None]
    if is_linear:
        averages = _levels(averages)
    if pixels.dtype == np.uint8:
        averages += 0.5
        np.clip(np.floor(averages, out=averages), 0, _MOST, out=averages)
    return averages.astype(pixels.dtype, copy=False)


def centre_crop(pixels: Pixels) -> NDArray[Any]:
    """The largest square in the middle, as a view: (side, side, ...) of pixels (height, width, ...).

    Where an odd number of columns goes, the one more goes on the right; of rows, below.

    >>> centre_crop(np.arange(5)[None].repeat(2, axis=0)).tolist()
    [[1, 2], [1, 2]]
    """
    height_px, width_px = pixels.shape[:2]
    side_px = min(height_px, width_px)
    top, left = (height_px - side_px) // 2, (width_px - side_px) // 2
    return pixels[top : top + side_px, left : left + side_px]


def _check(pixels: Pixels, size_px: tuple[int, int]) -> None:
    if pixels.ndim != 3 or pixels.shape[2] != 3 or 0 in pixels.shape:
        raise ValueError(f"expected pixels of shape (height, width, 3), at least 1 px each, got {pixels.shape}")
    if pixels.dtype not in (np.uint8, np.float32, np.float64):
        raise ValueError(f"expected pixels of dtype uint8, float32 or float64, got {pixels.dtype}")
    if min(size_px) < 1:
        raise ValueError(f"expected a width and height of at least 1 px, got {size_px[0]} and {size_px[1]}")


def _axis(source_px: int, target_px: int, factors: Floats, precision: type[np.floating[Any]]) -> _Axis:
    """Of each pixel of the result, which of the picture's lie nearer than _SUPPORT, and their weights."""
    longer_px = max(source_px, target_px)
    # whole numbers first, in units of 1 / (2 * target_px) of a pixel: so both halves of a side are treated alike
    centres = (2 * np.arange(target_px) + 1) * source_px
    reach = 2 * _SUPPORT * longer_px
    first = np.maximum((centres - reach - target_px) // (2 * target_px) + 1, 0)
    end = np.minimum(-((target_px - centres - reach) // (2 * target_px)), source_px)
    steps = np.arange((end - first).max())
    away = np.abs((2 * (first[:, None] + steps) + 1) * target_px - centres[:, None])
    grid = np.linspace(0, _SUPPORT, _GRID + 1)
    weights = np.stack([np.interp(away / (2 * longer_px), grid, factor) for factor in factors], axis=2)
    weights[steps >= (end - first)[:, None]] = 0
    return _Axis(first, end - first, (np.rint(weights * _STEPS) / _STEPS).astype(precision))


def _is_in_table(source_px: int, target_px: int) -> bool:
    """Whether squares of all distances are multiples of 1 / _IN_TABLE: sides that are equal, or 2, 4 or 8 to 1."""
    return 8 * math.gcd(source_px, target_px) % max(source_px, target_px) == 0


@cache
def _factors(is_sharp: bool, is_in_table: bool) -> tuple[Floats, Floats]:
    """Two arrays (_PRODUCTS, _GRID + 1), f and g by the distance along their side: of all sums of so many products,
    that with the least squared difference from the weights k. Where ImageMagick's table rounds a distance down, the
    weight is that of half a step further in, on average.
    """
    squares = np.linspace(0, _SUPPORT, _GRID + 1) ** 2
    squared = np.maximum(squares[:, None] + squares - (0 if is_in_table else 0.5 / _IN_TABLE), 0)
    strengths, factors = np.linalg.eigh(_profile(np.sqrt(squared), *(ROBIDOUX_SHARP if is_sharp else ROBIDOUX)))
    strongest = np.argsort(-np.abs(strengths))[:_PRODUCTS]
    scaled = (factors[:, strongest] * np.sqrt(np.abs(strengths[strongest]))).T
    return scaled, scaled * np.sign(strengths[strongest])[:, None]


def _profile(r: Floats, b: float, c: float) -> Floats:
    """The weights k(r) at distances r."""
    near = ((12 - 9 * b - 6 * c) * r**3 + (-18 + 12 * b + 6 * c) * r**2 + 6 - 2 * b) / 6
    far = ((-b - 6 * c) * r**3 + (6 * b + 30 * c) * r**2 + (-12 * b - 48 * c) * r + 8 * b + 24 * c) / 6
    return np.where(r < 1, near, np.where(r < _SUPPORT, far, 0.0))


def _sums(levels: Pixels, rows: _Axis, columns: _Axis) -> NDArray[Any]:
    """(N, M, 3) weighted sums of levels (height, width, 3): N rows and M columns of the result."""
    by_row = _weigh(levels.reshape(len(levels), -1), rows.first, rows.counts, rows.weights)
    # turned, so that columns are rows now: of each column its products in turn, and along them colours and rows
    turned = by_row.reshape(len(rows.first), _PRODUCTS, -1, 3).transpose(2, 1, 3, 0)
    flat = np.ascontiguousarray(turned).reshape(-1, 3 * len(rows.first))
    weights = columns.weights.reshape(len(columns.first), -1, 1)
    by_column = _weigh(flat, columns.first * _PRODUCTS, columns.counts * _PRODUCTS, weights)
    return by_column.reshape(len(columns.first), 3, len(rows.first)).transpose(2, 0, 1)


def _totals(rows: _Axis, columns: _Axis) -> NDArray[Any]:
    """(N, M) the sum of all weights of each pixel of the result, of the weights' dtype."""
    of_rows, of_columns = (axis.weights.sum(axis=1, dtype=np.float64) for axis in (rows, columns))
    return np.asarray((of_rows @ of_columns.T).astype(rows.weights.dtype))


@compiled
def _weigh(rows: NDArray[Any], first: NDArray[Any], counts: NDArray[Any], weights: NDArray[Any]) -> NDArray[Any]:
    """Weighted sums (N, P, M) of neighbouring rows, rows being (_, M) and weights (N, _, P): [n, p] is the sum of
    rows[first[n] + step] * weights[n, step, p] for each step below counts[n], in the weights' dtype.
    """
    sums = np.zeros((len(first), weights.shape[2], rows.shape[1]), weights.dtype)
    for n in range(len(first)):
        for step in range(counts[n]):
            row = rows[first[n] + step]
            for p in range(weights.shape[2]):
                weight, total = weights[n, step, p], sums[n, p]
                for m in range(len(row)):  # all the time goes here: a plain loop, of which processors do many at once
                    total[m] += weight * row[m]
    return sums


def _light(levels: Pixels) -> NDArray[Any]:
    """Of levels 0 to 255 in sRGB the light, 0 to 1. Beyond these ends its two curves go on."""
    if levels.dtype == np.uint8:
        return np.asarray(_light(np.arange(_MOST + 1.0)).astype(np.float32)[levels])
    share = levels.astype(np.float64) / _MOST
    return np.where(share <= 0.04045, share / 12.92, ((np.maximum(share, 0) + 0.055) / 1.055) ** 2.4)


def _levels(light: NDArray[Any]) -> NDArray[Any]:
    """Of light 0 to 1 the levels in sRGB, 0 to 255."""
    curve = 1.055 * np.maximum(light, 0) ** (1 / 2.4) - 0.055
    return np.asarray(np.where(light <= 0.0031308, light * 12.92, curve) * _MOST)
