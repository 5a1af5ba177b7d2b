"""The exact nearest neighbours of queries in a gallery, by inner product: blocked matrix products, cheaply selected.

A matrix product is rounded in an order of its own, which goes by the library, its threads and the size of the blocks.
So it only says which rows may be among the nearest: those within the product's largest possible error of the K-th best
so far. The similarity of these few is computed again in 64 bits in one fixed order, and that one counts. The result is
a total order, by falling similarity and then by row: the same whatever the blocks, the threads and the machine.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.errors import BadInput

Vectors = NDArray[np.float32]
Product = Callable[[Vectors, Vectors, Vectors], None]
"""Writes the inner products of queries (Q, d) and a block (B, d) into (Q, B)."""

BLOCK_ROWS = 8192
QUERIES_AT_ONCE = 512
"""Products that are in memory at once: 16 MiB with the defaults, which stay in the cache until they are compared."""

_LARGEST_PRODUCT = 1e37
"""Of two lengths: what is longer could overflow on the way."""

_VANISHING = 1e-32
"""Far more than what is lost of a sum where numbers get too small for 32 bits."""


class Neighbours(NamedTuple):
    """rows: (Q, K) of the gallery, nearest first, equally near ones by row. similarities: (Q, K) inner products."""

    rows: NDArray[np.int64]
    similarities: Vectors


def multiply(queries: Vectors, block: Vectors, products: Vectors) -> None:
    """Write the inner products of queries (Q, d) and block (B, d) into (Q, B), with numpy's matrix library."""
    np.matmul(queries, block.T, out=products)


def nearest_neighbours(
    gallery: Vectors | Iterable[Vectors],
    queries: Vectors,
    most: int,
    *,
    block_rows: int = BLOCK_ROWS,
    queries_at_once: int = QUERIES_AT_ONCE,
    threads: int = 2,
    product: Product = multiply,
    product_error: float | None = None,
) -> Neighbours:
    """The `most` rows of the gallery with the largest inner product with each query: exact, and in a total order.

    gallery: (G, d), may be a memory map; or blocks of its rows (any number, d) in their order, read once. queries:
    (Q, d). All are taken as 32-bit numbers; unit vectors give cosine similarities. Returns (Q, min(most, G)), nearest
    first; of equally near rows the lower one is first, also where the list is cut. Without queries or gallery, 0 rows
    or 0 columns. Where thousands of rows are as near, to a few millionths, it takes longer.

    product: another matrix product, such as a GPU's. product_error: what one of its results may be wrong by at most, as
    a share of the product of the two lengths, which decides how many rows are looked at again: by default that of
    32-bit sums in any order, for TF32 0.001 more. The result is the same.

    Raises BadInput for a vector that is not finite or too long, ValueError for shapes that do not fit.

    >>> gallery = np.array([[1, 0], [0, 1], [1, 0]], np.float32)
    >>> nearest_neighbours(gallery, gallery[:1], 2).rows.tolist()
    [[0, 2]]
    """
    _check(queries, most, block_rows, queries_at_once, threads)
    queries = np.ascontiguousarray(queries, np.float32)
    lengths = _lengths(queries, "queries")
    similarities = np.full((len(queries), most), -np.inf, np.float32)
    rows = np.full((len(queries), most), -1, np.int64)
    products = np.empty((min(queries_at_once, len(queries)), block_rows), np.float32)
    error = _error_of_sums(queries.shape[1]) if product_error is None else product_error
    done = 0
    with ThreadPoolExecutor(threads) as pool:
        for block in _blocks(gallery, block_rows, queries.shape[1]):
            tolerance = _tolerance(lengths, float(_lengths(block, "gallery").max()), error)
            for start in range(0, len(queries), queries_at_once):
                part = slice(start, start + queries_at_once)
                shape = len(queries[part]), len(block)
                here = products.reshape(-1)[: math.prod(shape)].reshape(shape)  # contiguous
                product(queries[part], block, here)
                lists = (here, queries[part], tolerance[part], similarities[part], rows[part])
                _select(pool, threads, lists, block, done)
            done += len(block)
    kept = min(done, most)
    return Neighbours(np.ascontiguousarray(rows[:, :kept]), np.ascontiguousarray(similarities[:, :kept]))


def _select(
    pool: ThreadPoolExecutor, threads: int, lists: Sequence[NDArray[Any]], block: Vectors, first_row: int
) -> None:
    """Bring the queries' lists up to date with a block. lists: what `keep_nearest` wants of each query."""
    from tasks.core.evaluate.recognition.neighbour_kernels import keep_nearest  # numba takes half a second to import

    def select(start: int, stop: int) -> None:
        keep_nearest(block, first_row, *(values[start:stop] for values in lists))

    bounds = [len(lists[0]) * place // threads for place in range(threads + 1)]
    list(pool.map(select, bounds[:-1], bounds[1:]))


def _error_of_sums(dimensions: int) -> float:
    """What a sum of so many products of 32-bit numbers, in any order, may be wrong by, as a share of the lengths: d u /
    (1 - d u) (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section 3.1), and a little for rounding.
    """
    share = (dimensions + 8) * 2.0**-24
    return share / (1 - share) if share < 1 else np.inf


def _tolerance(lengths: NDArray[np.float64], longest: float, error: float) -> Vectors:
    """(Q,) what a product of each query and a block may be wrong by, also where small numbers vanish."""
    if (largest := float(lengths.max(initial=0.0)) * longest) > _LARGEST_PRODUCT:
        raise BadInput(f"expected vectors whose lengths multiply to at most {_LARGEST_PRODUCT:g}, got {largest:g}")
    return (error * lengths * longest + _VANISHING).astype(np.float32)


def _lengths(vectors: Vectors, name: str) -> NDArray[np.float64]:
    """(N,) of each vector, a little too long rather than too short. Raises BadInput for what is not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.einsum("ij,ij->i", vectors, vectors)
    if not np.isfinite(squares).all():  # also of finite numbers beyond 1e19
        squares = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
        if not np.isfinite(squares).all():
            raise BadInput(f"expected finite numbers in the vectors of the {name}, got NaN or infinity")
    return np.asarray(np.sqrt(squares.astype(np.float64)) * 1.001 + 1e-19)


def _blocks(gallery: Vectors | Iterable[Vectors], block_rows: int, size: int) -> Iterator[Vectors]:
    """The gallery's rows in their order, at most so many at once, contiguous; empty blocks are left out."""
    for piece in [gallery] if isinstance(gallery, np.ndarray) else gallery:
        if piece.ndim != 2 or piece.shape[1] != size:
            raise ValueError(f"expected a gallery of shape (rows, {size}) as the queries, got {piece.shape}")
        for start in range(0, len(piece), block_rows):
            yield np.ascontiguousarray(piece[start : start + block_rows], np.float32)


def _check(queries: Vectors, most: int, block_rows: int, queries_at_once: int, threads: int) -> None:
    if queries.ndim != 2:
        raise ValueError(f"expected queries of shape (queries, dimensions), got {queries.shape}")
    names = ("neighbours", "rows in a block", "queries at once", "threads")
    for name, value in zip(names, (most, block_rows, queries_at_once, threads), strict=True):
        if value < 1:
            raise ValueError(f"expected at least 1 as the number of {name}, got {value}")
