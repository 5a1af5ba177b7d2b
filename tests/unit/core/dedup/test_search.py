"""Pairs of near keys: odd input, and what may change nothing: the way of searching, the order, threads, pieces,
additions.
"""

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tasks.core.dedup import search, search_bands

ALL_ONES = 2**64 - 1


def keys_of(values: list[int]) -> search.Hashes:
    return np.array(values, np.uint64)


@pytest.fixture(params=["compared", "banded"])
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Both ways of searching: the small examples here would all be compared with each other."""
    monkeypatch.setattr(search, "_FEW_COMPARISONS", {"compared": 10**8, "banded": 0}[request.param])
    return


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize(
    ("values", "radius_bits", "pairs", "distances"),
    [
        pytest.param([], 16, [], [], id="no keys"),
        pytest.param([5], 16, [], [], id="one key"),
        pytest.param([5, 4, 6], 0, [], [], id="nothing is 0 bits from another: keys are distinct"),
        pytest.param([0, ALL_ONES], 16, [], [], id="as far apart as keys can be"),
        pytest.param([0, 2**63], 1, [[0, 1]], [1], id="they differ in the highest bit"),
        pytest.param([0, 1, 2], 1, [[0, 1], [0, 2]], [1, 1], id="1 and 2 are two bits apart"),
        pytest.param([0, 255, 511], 8, [[0, 1], [1, 2]], [8, 1], id="the radius itself is within, one more is not"),
        pytest.param([2**16 - 1, 0, 2**17 - 1], 16, [[0, 1], [0, 2]], [16, 1], id="the largest radius"),
        pytest.param([0x8080808080808080, 0], 8, [[0, 1]], [8], id="a bit in each byte"),
        pytest.param([0x0101010101010101, 0], 7, [], [], id="a bit in each byte, and the radius one less"),
        pytest.param([7, ALL_ONES, 3], 1, [[0, 2]], [1], id="rows, not keys, are in order"),
    ],
)
def test_pairs_within_the_radius(values: list[int], radius_bits: int, pairs: list[list[int]], distances: list[int]):
    got = search.near_pairs(keys_of(values), radius_bits)
    assert (got[0].tolist(), got[1].tolist()) == (pairs, distances)
    assert (got[0].shape, got[0].dtype, got[1].dtype) == ((len(pairs), 2), np.int64, np.uint8)


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize(
    ("left", "right", "radius_bits", "pairs", "distances"),
    [
        pytest.param([], [], 8, [], [], id="nothing and nothing"),
        pytest.param([], [1, 2], 8, [], [], id="nothing on the left"),
        pytest.param([1, 2], [], 8, [], [], id="nothing on the right"),
        pytest.param([3, 9], [9], 0, [[1, 0]], [0], id="one key on both sides is a pair"),
        pytest.param(
            [0, 1],
            [2, 6, 2**60],
            2,
            [[0, 0], [0, 1], [0, 2], [1, 0], [1, 2]],
            [1, 2, 1, 2, 2],
            id="the right is longer",
        ),
        pytest.param(
            [6, 2**60, 2], [0, 1], 2, [[0, 0], [1, 0], [1, 1], [2, 0], [2, 1]], [2, 1, 2, 1, 2], id="the left is longer"
        ),
    ],
)
def test_pairs_between_two_tables(
    left: list[int], right: list[int], radius_bits: int, pairs: list[list[int]], distances: list[int]
):
    got = search.near_pairs_between(keys_of(left), keys_of(right), radius_bits)
    assert (got[0].tolist(), got[1].tolist()) == (pairs, distances)


@pytest.mark.parametrize(
    ("keys", "radius_bits", "threads", "complaint"),
    [
        pytest.param(
            keys_of([1, 2, 1, 1]), 8, 2, "expected distinct hashes, got 2 that equal another", id="equal keys"
        ),
        pytest.param(keys_of([1]), 17, 2, "expected radius_bits from 0 to 16, got 17", id="a radius too large"),
        pytest.param(keys_of([1]), -1, 2, "expected radius_bits from 0 to 16, got -1", id="a radius below 0"),
        pytest.param(keys_of([1]), 8, 0, "expected at least 1 thread, got 0", id="no thread"),
        pytest.param(
            np.array([1]), 8, 2, r"expected hashes of shape \(N,\) and type uint64, got \(1,\) and int64", id="signed"
        ),
        pytest.param(np.zeros((1, 1), np.uint64), 8, 2, r"type uint64, got \(1, 1\)", id="a table"),
    ],
)
def test_what_is_no_table_of_distinct_keys_is_refused(
    keys: search.Hashes, radius_bits: int, threads: int, complaint: str
):
    with pytest.raises(ValueError, match=complaint):
        search.near_pairs(keys, radius_bits, threads)


@pytest.mark.parametrize("side", ["left", "right"])
def test_equal_keys_on_one_side_are_refused_by_its_name(side: str):
    sides = {"left": keys_of([1]), "right": keys_of([1]), side: keys_of([3, 3])}
    with pytest.raises(ValueError, match=f"expected distinct {side}, got 1 "):
        search.near_pairs_between(sides["left"], sides["right"], 8)


def test_more_keys_than_a_row_number_can_tell_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(search, "MAX_HASHES", 2)
    assert len(search.near_pairs(keys_of([1, 2]), 2)[0]) == 1
    with pytest.raises(ValueError, match="expected at most 2 hashes"):
        search.near_pairs(keys_of([1, 2, 3]), 2)


@st.composite
def tables(draw: st.DrawFn) -> search.Hashes:
    """Distinct keys that a search by bands could stumble over, in any order."""
    seed = draw(st.integers(0, 2**32))
    kind = draw(st.sampled_from(["far", "clustered", "few bits", "one band", "half set", "bytes"]))
    size = draw(st.integers(1, 120))
    rng = np.random.default_rng(seed)
    far = rng.integers(0, 2**64, size, np.uint64)
    if kind == "clustered":
        far = far[: max(1, size // 20)].repeat(20)
        for _ in range(int(rng.integers(1, 9))):
            far = far ^ (np.uint64(1) << rng.integers(0, 64, len(far), np.uint64))
    elif kind == "few bits":
        far = np.bitwise_or.reduce(np.uint64(1) << rng.integers(0, 64, (3, size), np.uint64))
    elif kind == "one band":
        shift = np.uint64(rng.integers(0, 49))
        far = (far & (np.uint64(0xFFFF) << shift)) | (~(np.uint64(0xFFFF) << shift) & np.uint64(seed))
    elif kind == "half set":
        places = rng.permuted(np.tile(np.arange(64, dtype=np.uint64), (size, 1)), axis=1)[:, :32]
        far = np.bitwise_or.reduce(np.uint64(1) << places, axis=1)
    elif kind == "bytes":
        far = far & np.uint64(0xFF)
    return rng.permutation(np.unique(far))


def packed(keys: search.Hashes, others: search.Hashes | None, radius_bits: int) -> list[int]:
    return [
        i << 32 | j
        for i, key in enumerate(keys.tolist())
        for j, other in enumerate((keys if others is None else others).tolist())
        if (others is not None or i < j) and (key ^ other).bit_count() <= radius_bits
    ]


@given(tables(), st.integers(0, 16), st.integers(1, 3))
@example(np.arange(400, dtype=np.uint64)[::-1].copy(), 8, 2)  # 79,800 pairs: more than a buffer's first room
def test_bands_find_the_pairs_of_a_loop_over_all(keys: search.Hashes, radius_bits: int, threads: int):
    expected = packed(keys, None, radius_bits)
    assert search_bands.banded_pairs(keys, None, radius_bits, threads).tolist() == expected
    assert search._compare_all(keys, None, radius_bits).tolist() == expected


@given(tables(), tables(), st.integers(0, 16), st.integers(1, 3))
@example(np.arange(256, dtype=np.uint64), np.arange(200, dtype=np.uint64), 4, 2)
def test_bands_find_the_pairs_between_tables_of_a_loop_over_all(
    left: search.Hashes, right: search.Hashes, radius_bits: int, threads: int
):
    expected = packed(left, right, radius_bits)
    assert search_bands.banded_pairs(left, right, radius_bits, threads).tolist() == expected
    assert search._compare_all(left, right, radius_bits).tolist() == expected


@given(tables(), st.integers(0, 16), st.integers(1, 300))
def test_the_size_of_a_block_changes_nothing(keys: search.Hashes, radius_bits: int, block: int):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_COMPARED_AT_ONCE", block)
        got, distances = search.near_pairs(keys, radius_bits)
    expected = packed(keys, None, radius_bits)
    assert (got[:, 0] << 32 | got[:, 1]).tolist() == expected
    assert distances.tolist() == [int(keys[pair >> 32] ^ keys[pair & 2**32 - 1]).bit_count() for pair in expected]


def among(keys: search.Hashes, rows: range, others: range, radius_bits: int) -> list[tuple[int, ...]]:
    """Pairs (row, row, distance) of one piece of a table."""
    left, right = keys[rows.start : rows.stop], keys[others.start : others.stop]
    is_one = rows == others
    pairs, bits = (
        search.near_pairs(left, radius_bits) if is_one else search.near_pairs_between(left, right, radius_bits)
    )
    return [(rows.start + i, others.start + j, d) for (i, j), d in zip(pairs.tolist(), bits.tolist(), strict=True)]


@given(tables(), st.integers(0, 16), st.integers(1, 9), st.randoms())
def test_pieces_in_any_order_find_the_pairs_of_the_whole(keys: search.Hashes, radius_bits: int, pieces: int, chance):
    jobs = search.piece_pairs(len(keys), pieces)
    chance.shuffle(jobs)
    found = sorted(pair for rows, others in jobs for pair in among(keys, rows, others, radius_bits))
    assert found == among(keys, range(len(keys)), range(len(keys)), radius_bits)


@given(tables(), st.integers(0, 16), st.integers(0, 2**32))
def test_order_changes_the_rows_and_nothing_else(keys: search.Hashes, radius_bits: int, seed: int):
    order = np.random.default_rng(seed).permutation(len(keys))
    pairs = order[near_pairs_by_bands(keys[order], radius_bits)]
    assert sorted(np.sort(pairs, axis=1).tolist()) == search.near_pairs(keys, radius_bits)[0].tolist()


def test_searches_at_the_same_time_do_not_disturb_each_other():
    sizes = [400, 300, 500, 200]
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda size: search_bands.banded_pairs(np.arange(size, dtype=np.uint64), None, 3, 2), sizes)
    assert [pairs.tolist() for pairs in found] == [packed(np.arange(n, dtype=np.uint64), None, 3) for n in sizes]


def near_pairs_by_bands(keys: search.Hashes, radius_bits: int) -> np.ndarray:
    found = search_bands.banded_pairs(keys, None, radius_bits, 2)
    return np.stack([found >> np.uint64(32), found & np.uint64(2**32 - 1)], axis=1).astype(np.int64)


def assert_same(got: search.Pairs, expected: search.Pairs) -> None:
    assert got[0].tolist() == expected[0].tolist()
    assert got[1].tolist() == expected[1].tolist()


@pytest.mark.parametrize(
    ("keys", "pieces", "expected"),
    [
        pytest.param(0, 3, [], id="no keys"),
        pytest.param(1, 3, [((0, 1), (0, 1))], id="more pieces than keys"),
        pytest.param(4, 1, [((0, 4), (0, 4))], id="one piece"),
        pytest.param(3, 2, [((0, 2), (0, 2)), ((0, 2), (2, 3)), ((2, 3), (2, 3))], id="two pieces"),
    ],
)
def test_pieces(keys: int, pieces: int, expected: list[tuple[tuple[int, int], tuple[int, int]]]):
    got = search.piece_pairs(keys, pieces)
    assert [((i.start, i.stop), (j.start, j.stop)) for i, j in got] == expected


def test_no_piece_at_all_is_refused():
    with pytest.raises(ValueError, match="expected at least 1 piece, got 0"):
        search.piece_pairs(4, 0)


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.booleans(), st.integers(0, 16))
def test_bands_are_disjoint_and_no_pair_can_escape_them_all(streamed: int, kept: int, is_self: bool, radius_bits: int):
    shares = {
        band: search_bands._masks(band) / 2**band.width_bits
        for band in itertools.starmap(
            search_bands.BandShape, itertools.product(search_bands._WIDTHS, search_bands._TOLERANCES)
        )
    }
    bands = search_bands.plan_bands(search_bands.SearchSize(streamed, kept, is_self), radius_bits, shares)
    assert sum(band.width_bits for band in bands) <= 64
    assert sum(band.tolerance_bits + 1 for band in bands) == radius_bits + 1


@given(tables(), st.lists(st.integers(4, 12), min_size=1, max_size=5))
def test_dealing_puts_each_bit_in_one_place(keys: search.Hashes, widths: list[int]):
    order, _ = search_bands._balance(keys)
    table = search_bands._bit_permutation(order, widths)
    dealt = [int(table[bit // 8, 1 << bit % 8]) for bit in range(64)]
    assert sorted(dealt) == [1 << place for place in range(64)]
