"""Features of two sets of images: what is refused, and blocks of rows: a file larger than memory will do."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import counted, quoted

LARGEST = 1e20
"""No feature may lie further from 0: KID's kernel is its sixth power, whose square, for the spread, is then finite."""
BLOCK = 2048
"""Rows that are held as 64-bit numbers at once. A setting of none: sums are taken block by block, in this order."""

Floats = NDArray[np.float64]
Features = NDArray[np.floating]
"""(N, d) one row for each image, of 16, 32 or 64 bits; a memory map will do."""
RowBlocks = Features | Iterable[Features]
"""Features, or blocks of their rows in order, each (n, d) with n >= 0."""


def check_features(name: str, features: Features) -> None:
    """Refuse what is no (N, d) array of finite numbers within LARGEST, with at least one row and one column.

    name: how a message calls the set. Raises BadInput.
    """
    check_shape(name, features)
    for start in range(0, len(features), BLOCK):
        _check_numbers(name, features[start : start + BLOCK], start)


def check_shape(name: str, features: Features) -> None:
    """Refuse what has no rows or no columns of numbers, whatever the numbers are. Raises BadInput."""
    if features.ndim != 2 or features.dtype.kind not in "fiu" or 0 in features.shape:
        got = " x ".join(map(str, features.shape)) or "a single value"
        raise BadInput(f"{name}: expected a table of numbers with rows and columns, got {got} of {features.dtype}")


def check_pair(samples: Features, reference: Features, other: str = "reference") -> None:
    """`check_features` of both sets, which must have as many columns. other: the second one. Raises BadInput."""
    check_features("samples", samples)
    check_features(other, reference)
    if samples.shape[1] != reference.shape[1]:
        raise BadInput(
            f"expected samples and {other} of one feature extractor, "
            f"got {samples.shape[1]} and {reference.shape[1]} columns"
        )


def check_labels(name: str, labels: Sequence[str], rows: int) -> None:
    """Refuse classes or ids that are no texts, or not one for each row. Raises BadInput."""
    if len(labels) != rows:
        raise BadInput(f"{name}: expected one for each of {counted(rows, 'row')}, got {len(labels):,}")
    for row, label in enumerate(labels):
        if not isinstance(label, str) or not label:
            raise BadInput(f"{name}: expected texts, got {quoted(label)} in row {row}")


def check_ids(name: str, ids: Sequence[str], rows: int) -> None:
    """`check_labels`, where each text may stand once. Raises BadInput."""
    check_labels(name, ids, rows)
    seen: set[str] = set()
    for row, one in enumerate(ids):
        if one in seen:
            raise BadInput(f"{name}: expected each id once, got {quoted(one)} again in row {row}")
        seen.add(one)


def blocks_of(name: str, features: RowBlocks) -> Iterator[Floats]:
    """Blocks of BLOCK rows as 64-bit numbers, checked as by `check_features`; the last one may be shorter.

    They are the same in whatever blocks the rows come, so that sums over them are the same to the last bit. Raises
    BadInput, also for blocks whose numbers of columns differ, and where there is no row.
    """
    parts = [features] if isinstance(features, np.ndarray) else features
    held: list[Floats] = []
    columns, rows, done = None, 0, 0
    for part in parts:
        if part.ndim != 2 or part.dtype.kind not in "fiu" or columns not in (None, part.shape[1]):
            expected = f"{columns} columns" if columns else "tables of numbers"
            raise BadInput(f"{name}: expected blocks of {expected}, got one of shape {part.shape} of {part.dtype}")
        columns = part.shape[1]
        start = 0
        while start < len(part):
            piece = part[start : start + BLOCK - rows]
            _check_numbers(name, piece, done + rows)
            held.append(piece.astype(np.float64))
            rows, start = rows + len(piece), start + len(piece)
            if rows == BLOCK:
                yield held[0] if len(held) == 1 else np.concatenate(held)
                held, done, rows = [], done + rows, 0
    if rows:
        yield np.concatenate(held)
    if not columns or not done + rows:
        raise BadInput(f"{name}: expected features of at least one image, got none")


def common_exponent(*sets: Features) -> int:
    """The least e, so that all numbers of all sets lie between -2^e and 2^e; 0 where all are 0.

    Divided by 2^e, which alters no digit, features of any scale have squares that neither vanish nor overflow.

    >>> common_exponent(np.array([[0.25, -3.0]]), np.array([[1.0]]))
    2
    """
    largest = 0.0
    for features in sets:
        for start in range(0, len(features), BLOCK):
            block = features[start : start + BLOCK]
            largest = max(largest, float(block.max(initial=0)), -float(block.min(initial=0)))
    return int(np.frexp(largest)[1])


def scaled_blocks(features: Features, exponent: int, start: int = 0) -> Iterator[Floats]:
    """Blocks of BLOCK rows from row `start` on, in 64 bits and divided by 2^exponent."""
    for at in range(start, len(features), BLOCK):
        yield np.ldexp(features[at : at + BLOCK].astype(np.float64), -exponent)


def _check_numbers(name: str, block: Features, first_row: int) -> None:
    """Refuse NaN, infinity, and what lies beyond LARGEST."""
    low, high = block.min(initial=0), block.max(initial=0)  # NaN where there is one
    if not (float(low) >= -LARGEST and float(high) <= LARGEST):
        with np.errstate(invalid="ignore"):
            row, column = np.argwhere(~(np.abs(block.astype(np.float64)) <= LARGEST))[0]
        raise BadInput(
            f"{name}: expected numbers from {-LARGEST:.0e} to {LARGEST:.0e}, "
            f"got {float(block[row, column])} in row {first_row + int(row)}"
        )
