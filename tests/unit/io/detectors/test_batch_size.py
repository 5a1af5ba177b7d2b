"""How a batch's size is found: doubled while it pays, halved where memory is short, and then left alone."""

import pytest

from tasks.io.detectors.batch_size import MAX_PICTURES, BatchSize, padded_size


def timed(batch: BatchSize, *each_s: float) -> list[int]:
    """Sizes after a warm and a timed batch each, which took so long a picture."""
    sizes = []
    for seconds in each_s:
        batch.record_time(batch.pictures, 100.0)  # libraries choose their kernels: the time says nothing
        batch.record_time(batch.pictures, seconds * batch.pictures)
        sizes.append(batch.pictures)
    return sizes


@pytest.mark.parametrize(
    ("first", "most", "each_s", "sizes"),
    [
        pytest.param(1, 8, [1.0, 0.5, 0.25], [2, 4, 8], id="as long as it pays, up to the most"),
        pytest.param(1, 64, [1.0, 0.99], [2, 1], id="a hundredth is no gain"),
        pytest.param(1, 64, [1.0, 0.5, 0.6], [2, 4, 2], id="slower: the one before"),
        pytest.param(3, 8, [1.0, 0.5], [6, 8], id="the last step may be less than a doubling"),
        pytest.param(4, 4, [9.0], [4], id="fixed"),
        pytest.param(99, 8, [9.0], [8], id="no more than the most"),
    ],
)
def test_the_size_after_each_time(first: int, most: int, each_s: list[float], sizes: list[int]):
    assert timed(BatchSize(first, most), *each_s) == sizes


def test_a_size_that_is_found_stays():
    batch = BatchSize(1)
    assert timed(batch, 1.0, 2.0) == [2, 1]
    assert timed(batch, 0.001, 0.0001) == [1, 1]


def test_a_batch_that_is_not_full_says_nothing():
    batch = BatchSize(4)
    for _ in range(3):
        batch.record_time(3, 0.001)
    assert batch.pictures == 4
    assert timed(batch, 1.0) == [8]


@pytest.mark.parametrize(
    ("failed", "after"), [pytest.param(8, 4, id="its half"), pytest.param(3, 1, id="a smaller one"), (1, 1), (32, 8)]
)
def test_what_does_not_fit_is_halved_for_good(failed: int, after: int):
    batch = BatchSize(8)
    batch.halve(failed)
    assert batch.pictures == after
    assert timed(batch, 1.0, 0.1) == [after, after]


def test_it_begins_within_the_bounds():
    assert BatchSize(1000).pictures == MAX_PICTURES


@pytest.mark.parametrize(
    ("pictures", "most", "size"), [(1, 1, 1), (2, 64, 2), (3, 64, 4), (33, 64, 64), (33, 48, 48), (64, 48, 64)]
)
def test_batches_have_few_sizes(pictures: int, most: int, size: int):
    assert padded_size(pictures, most) == size
