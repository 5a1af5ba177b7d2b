"""Cells of a detector's grids, the columns of its classes, and the rows that count: what its layouts share."""

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
STRIDES = (8, 16, 32)


@functools.lru_cache(maxsize=8)
def grid_cells(
    height_px: int, width_px: int, of_strides: tuple[int, ...], *, is_rounded_up: bool = False
) -> tuple[Floats, Floats]:
    """(N, 2) column and row of each cell, and (N, 1) its stride in px."""
    grids, strides = [], []
    for stride in of_strides:
        more = stride - 1 if is_rounded_up else 0
        rows, columns = (height_px + more) // stride, (width_px + more) // stride
        y, x = np.divmod(np.arange(rows * columns), columns or 1)
        grids.append(np.stack([x, y], axis=1).astype(np.float32))
        strides.append(np.full((rows * columns, 1), stride, np.float32))
    return np.concatenate(grids), np.concatenate(strides)


def cell_counts(height_px: int, width_px: int, strides: Sequence[int]) -> list[int]:
    """How many cells each stride has, whole or not."""
    return [-(-height_px // stride) * -(-width_px // stride) for stride in strides]


def class_columns(classes: Sequence[int], first: int, end: int) -> list[int]:
    """The columns of these classes' scores."""
    if classes and max(classes) >= end - first:
        raise ValueError(f"expected class {max(classes)}, got a model of {end - first} classes 0..{end - first - 1}")
    return [first + index for index in classes]


def strong_rows(scores: Floats, least_score: float) -> NDArray[np.int64]:
    """Rows of scores (N, K) that reach the least score in any class."""
    return np.flatnonzero((scores >= least_score).any(axis=1))


def shape_text(raw: Floats) -> str:
    """An output's shape."""
    return " x ".join(map(str, raw.shape)) or "one number"


def shapes_text(shapes: Sequence[tuple[int, ...]]) -> str:
    """How many outputs there are, and of which shapes."""
    first = ", ".join(" x ".join(map(str, shape)) or "one number" for shape in shapes[:6])
    return f"{len(shapes)} ({first}{', ...' if len(shapes) > 6 else ''})"
