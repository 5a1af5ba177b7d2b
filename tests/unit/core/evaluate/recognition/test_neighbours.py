"""Nearest neighbours: exact, in a total order, and the same whatever the blocks, the threads and the product."""

from contextlib import AbstractContextManager
from contextlib import nullcontext as does_not_raise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.core.evaluate.recognition.neighbours import Neighbours, Vectors, nearest_neighbours


def by_plain_loops(gallery: Vectors, queries: Vectors, most: int) -> tuple[list[list[int]], list[list[float]]]:
    rows, similarities = [], []
    for query in queries.astype(float):
        exact = [float(np.float32(sum(query * vector))) for vector in gallery.astype(float)]
        order = sorted(range(len(exact)), key=lambda row: (-exact[row], row))[:most]
        rows.append(order)
        similarities.append([exact[row] for row in order])
    return rows, similarities


def as_lists(found: Neighbours) -> tuple[list[list[int]], list[list[float]]]:
    return found.rows.tolist(), found.similarities.tolist()


def vectors_of(values: list[list[float]], size: int = 2) -> Vectors:
    return np.array(values, np.float32).reshape(-1, size)


@pytest.mark.parametrize(
    ("gallery", "queries", "most", "rows", "similarities"),
    [
        pytest.param([[1, 0]], [[1, 0]], 1, [[0]], [[1.0]], id="one of one"),
        pytest.param([[1, 0], [0, 1]], [[0, 1]], 2, [[1, 0]], [[1.0, 0.0]], id="nearest first"),
        pytest.param([[1, 0], [1, 0], [1, 0]], [[1, 0]], 2, [[0, 1]], [[1.0, 1.0]], id="equal ones by row"),
        pytest.param([[-1, 0], [0, 0]], [[1, 0]], 2, [[1, 0]], [[0.0, -1.0]], id="negative similarities stay"),
        pytest.param([[1, 0], [0, 1]], [[0, 0]], 2, [[0, 1]], [[0.0, 0.0]], id="a zero vector is as near to all"),
        pytest.param([[1, 0]], [[1, 0]], 5, [[0]], [[1.0]], id="more neighbours than rows"),
        pytest.param([[1, 0]], [], 1, [], [], id="no query"),
        pytest.param([], [[1, 0]], 3, [[]], [[]], id="no gallery"),
        pytest.param([[1e15, 0], [2e15, 0]], [[1e15, 0]], 1, [[1]], [[2e30]], id="long vectors"),
        pytest.param([[1e-30, 0], [2e-30, 0]], [[1e-30, 0]], 1, [[0]], [[0.0]], id="what vanishes in 32 bits is a tie"),
    ],
)
def test_neighbours_of_few(gallery: Any, queries: Any, most: int, rows: Any, similarities: Any):
    found = nearest_neighbours(vectors_of(gallery), vectors_of(queries), most)
    assert found.rows.tolist() == rows
    assert found.similarities.tolist() == [pytest.approx(line) for line in similarities]
    assert (found.rows.dtype, found.similarities.dtype) == (np.int64, np.float32)
    assert found.rows.shape == found.similarities.shape == (len(queries), min(most, len(gallery)))


# small whole numbers: many exact ties
small = st.integers(-2, 2).map(float)


@st.composite
def galleries(draw: st.DrawFn) -> tuple[Vectors, Vectors]:
    size = draw(st.integers(1, 5))
    lines = st.lists(small, min_size=size, max_size=size)
    gallery = draw(st.lists(lines, max_size=40))
    return vectors_of(gallery, size), vectors_of(draw(st.lists(lines, max_size=7)), size)


@given(galleries(), st.integers(1, 9), st.integers(1, 50), st.integers(1, 8), st.integers(1, 3))
def test_ties_are_as_in_plain_loops_whatever_the_blocks_and_threads(pair, most, block_rows, at_once, threads):
    gallery, queries = pair
    found = nearest_neighbours(gallery, queries, most, block_rows=block_rows, queries_at_once=at_once, threads=threads)
    assert as_lists(found) == by_plain_loops(gallery, queries, most)


def unit_vectors(count: int, size: int, seed: int) -> Vectors:
    drawn = np.random.default_rng(seed).standard_normal((count, size))
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)


def test_real_vectors_have_one_result_to_the_last_bit_whatever_the_blocks_and_threads():
    """Which a matrix product has not: here it differs between blocks, and between 1,000 near copies of a vector."""
    gallery = unit_vectors(2000, 64, 1)
    gallery[500:1500] = gallery[500] + unit_vectors(1000, 64, 2) * 1e-7
    queries = np.concatenate([unit_vectors(9, 64, 3), gallery[500:503]])
    first = nearest_neighbours(gallery, queries, 50)
    exact = (queries.astype(float) @ gallery.T.astype(float)).astype(np.float32)
    for query, row in enumerate(exact):
        assert first.rows[query].tolist() == np.lexsort((np.arange(2000), -row))[:50].tolist()
    for block_rows, at_once, threads in ((1, 5, 1), (7, 1, 2), (64, 12, 3), (1999, 3, 2)):
        found = nearest_neighbours(
            gallery, queries, 50, block_rows=block_rows, queries_at_once=at_once, threads=threads
        )
        assert as_lists(found) == as_lists(first)


def test_a_product_of_less_precision_changes_nothing_where_its_error_is_given():
    gallery, queries = unit_vectors(3000, 32, 4), unit_vectors(5, 32, 5)

    def rough(left: Vectors, right: Vectors, products: Vectors) -> None:
        np.matmul(
            left.astype(np.float16).astype(np.float32), right.astype(np.float16).T.astype(np.float32), out=products
        )

    exact = nearest_neighbours(gallery, queries, 20)
    assert as_lists(nearest_neighbours(gallery, queries, 20, product=rough, product_error=0.0011)) == as_lists(exact)


def test_a_gallery_may_be_a_memory_map_or_blocks_of_any_size(tmp_path):
    gallery, queries = unit_vectors(100, 8, 6), unit_vectors(3, 8, 7)
    expected = as_lists(nearest_neighbours(gallery, queries, 10))
    mapped = np.memmap(tmp_path / "gallery", np.float32, "w+", shape=gallery.shape)
    mapped[:] = gallery
    assert as_lists(nearest_neighbours(mapped, queries, 10)) == expected
    pieces = (gallery[start:stop] for start, stop in ((0, 1), (1, 1), (1, 70), (70, 100)))
    assert as_lists(nearest_neighbours(pieces, queries, 10, block_rows=16)) == expected
    assert as_lists(nearest_neighbours(np.asfortranarray(gallery), queries[:, ::-1][:, ::-1], 10)) == expected


@pytest.mark.parametrize(
    ("gallery", "queries", "options", "refusal"),
    [
        ([[1, 0]], [[1, 0]], {}, does_not_raise()),
        ([[np.nan, 0]], [[1, 0]], {}, pytest.raises(BadInput, match="finite numbers in the vectors of the gallery")),
        ([[1, 0]], [[np.inf, 0]], {}, pytest.raises(BadInput, match="finite numbers in the vectors of the queries")),
        ([[1e30, 0]], [[1e30, 0]], {}, pytest.raises(BadInput, match="lengths multiply to at most 1e")),
        ([[1, 0]], [[1, 0]], {"most": 0}, pytest.raises(ValueError, match="number of neighbours, got 0")),
        ([[1, 0]], [[1, 0]], {"block_rows": 0}, pytest.raises(ValueError, match="rows in a block, got 0")),
        ([[1, 0]], [[1, 0]], {"queries_at_once": 0}, pytest.raises(ValueError, match="queries at once, got 0")),
        ([[1, 0]], [[1, 0]], {"threads": 0}, pytest.raises(ValueError, match="threads, got 0")),
    ],
)
def test_odd_input_is_refused(
    gallery: Any, queries: Any, options: dict[str, int], refusal: AbstractContextManager[Any]
):
    with refusal:
        nearest_neighbours(vectors_of(gallery), vectors_of(queries), **{"most": 1, **options})


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"gallery of shape \(rows, 3\) as the queries, got \(4, 2\)"):
        nearest_neighbours(np.zeros((4, 2), np.float32), np.zeros((1, 3), np.float32), 1)
    with pytest.raises(ValueError, match="queries of shape"):
        nearest_neighbours(np.zeros((4, 2), np.float32), np.zeros(2, np.float32), 1)
