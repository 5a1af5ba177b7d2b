"""Pairs worth a second look: which are found, which one stands for two blobs, and how many they can be."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.dedup import candidates as module
from tasks.core.dedup.candidates import (
    LEADERS,
    MOST_PER_HASH,
    VIEW_COST_BITS,
    Candidates,
    NearBlobs,
    NearHashes,
    ViewHashes,
    add_pairs,
    candidates,
    is_added,
    is_degenerate,
    near_by_words,
)

WAVES = 0x0F0F0F0F0F0F0F0F  # 32 bits set
PairRow = tuple[int, int, int, int]


def near(*pairs: tuple[int, int]) -> NearHashes:
    bits = [(one ^ other).bit_count() for one, other in pairs]
    return NearHashes(np.array(pairs, np.uint64).reshape(-1, 2), np.array(bits, np.uint8))


def views_of(hashes: Sequence[Sequence[int]], *pairs: tuple[int, int], first: int = 1) -> ViewHashes:
    table = np.array(hashes, np.uint64)
    return ViewHashes(table, np.arange(first, first + table.shape[1], dtype=np.int16), near(*pairs))


def found(hashes: Sequence[int], pairs: NearHashes, *views: ViewHashes) -> list[PairRow]:
    return rows(candidates(np.array(hashes, np.uint64), pairs, views))


def rows(got: Candidates) -> list[PairRow]:
    assert got.view.dtype == np.int16
    assert got.distance_bits.dtype == np.uint8
    return list(zip(*(column.tolist() for column in got[:4]), strict=True))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(0, True, id="black"),
        pytest.param(2**64 - 1, True, id="all set"),
        pytest.param(2**8 - 1, True, id="8 bits"),
        pytest.param(2**9 - 1, False, id="9 bits"),
        pytest.param(2**64 - 2**8, True, id="56 bits"),
        pytest.param(2**64 - 2**9, False, id="55 bits"),
        pytest.param(WAVES, False, id="as many as a picture with 64 different waves"),
    ],
)
def test_a_hash_with_hardly_a_wave_is_degenerate(value: int, expected: bool):
    assert is_degenerate(np.array([[value]], np.uint64)).tolist() == [[expected]]


@pytest.mark.parametrize(
    ("hashes", "pairs", "expected"),
    [
        pytest.param([], near(), [], id="nothing in, nothing out"),
        pytest.param([], near((WAVES, WAVES ^ 1)), [], id="near hashes of no blob"),
        pytest.param([WAVES], near(), [], id="one blob is no pair"),
        pytest.param([0, 0, 0], near(), [], id="black pictures are no copies"),
        pytest.param([0xFF, 0x1FF], near((0xFF, 0x1FF)), [], id="nor near one"),
        pytest.param([WAVES, WAVES ^ 1], near((WAVES, WAVES ^ 2)), [], id="a near hash that no blob has"),
        pytest.param([WAVES, 7**20, WAVES], near(), [(0, 2, 0, 0)], id="equal hashes"),
        pytest.param(
            [WAVES ^ 3, WAVES], near((WAVES, WAVES ^ 3)), [(0, 1, 0, 2)], id="near hashes, the smaller blob first"
        ),
        pytest.param(
            [WAVES ^ 3, WAVES],
            near((WAVES, WAVES ^ 3), (WAVES ^ 3, WAVES)),
            [(0, 1, 0, 2)],
            id="a pair both ways round",
        ),
        pytest.param(
            [WAVES, WAVES ^ 1, WAVES],
            near((WAVES, WAVES ^ 1)),
            [(0, 1, 0, 1), (0, 2, 0, 0), (1, 2, 0, 1)],
            id="equal and near",
        ),
        pytest.param([2**63 ^ WAVES, WAVES], near((WAVES, 2**63 ^ WAVES)), [(0, 1, 0, 1)], id="the top bit"),
    ],
)
def test_pairs_of_whole_pictures(hashes: list[int], pairs: NearHashes, expected: list[PairRow]):
    assert found(hashes, pairs) == expected


A, B = WAVES, ~WAVES & (2**64 - 1)  # 64 bits apart


@pytest.mark.parametrize(
    ("hashes", "views", "expected"),
    [
        pytest.param([A], [views_of([[A]], (A, A))], [], id="a picture is no copy of itself, however symmetric"),
        pytest.param([A, B], [views_of([[B], [0]], (B, B))], [(0, 1, 1, 0)], id="the view of the first"),
        pytest.param([A, B], [views_of([[0], [A]], (A, A))], [(1, 0, 1, 0)], id="the view of the second: as found"),
        pytest.param([A, B], [views_of([[B], [A]], (A, A), (B, B))], [(0, 1, 1, 0)], id="both: the smaller a"),
        pytest.param(
            [A, B], [views_of([[B ^ 1], [A]], (A, A), (B ^ 1, B))], [(1, 0, 1, 0)], id="both: the smaller distance"
        ),
        pytest.param([A, B], [views_of([[0, B], [A, 0]], (A, A), (B, B))], [(1, 0, 1, 0)], id="both: the smaller view"),
        pytest.param([A, B], [views_of([[B, B], [0, 0]], (B, B))], [(0, 1, 1, 0)], id="equal hashes in two views"),
        pytest.param(
            [A, A ^ 1], [views_of([[A ^ 1], [0]], (A ^ 1, A ^ 1))], [(0, 1, 0, 1)], id="the whole before a nearer view"
        ),
        pytest.param([A, A], [views_of([[A], [A]], (A, A))], [(0, 1, 0, 0)], id="the whole, as near as any view"),
        pytest.param(
            [A, 0],
            [views_of([[0], [A]], (0, 0), (A, A))],
            [(1, 0, 1, 0)],
            id="degenerate wholes have views, and no more",
        ),
        pytest.param(
            [A, B],
            [views_of([[0], [0]], first=3), views_of([[0, B], [0, 0]], (B, B), first=7)],
            [(0, 1, 8, 0)],
            id="views of two keys, by their numbers",
        ),
        pytest.param(
            [A, B], [views_of([[B], [0]], (B, B), first=30_000)], [(0, 1, 30_000, 0)], id="views with large numbers"
        ),
    ],
)
def test_pairs_of_a_view_and_a_whole_picture(hashes: list[int], views: list[ViewHashes], expected: list[PairRow]):
    assert found(hashes, near((A, A ^ 1)), *views) == expected


# --- crowds


@pytest.mark.parametrize(("whole_bits", "view"), [(5, 0), (6, 0), (7, 1), (12, 1)])
def test_a_view_stands_for_a_pair_where_it_is_much_nearer(whole_bits: int, view: int):
    other = WAVES ^ (2**whole_bits - 1)
    ((_, _, chosen, bits),) = found([WAVES, other], near((WAVES, other)), views_of([[other], [0]], (other, other)))
    assert (chosen, bits) == (view, 0 if view else whole_bits)


@pytest.mark.parametrize(
    ("blobs", "pairs", "crowded"),
    [
        pytest.param(MOST_PER_HASH, MOST_PER_HASH * (MOST_PER_HASH - 1) // 2, 0, id="all of the most"),
        pytest.param(
            MOST_PER_HASH + 1,
            sum(MOST_PER_HASH - lead for lead in range(LEADERS)),
            MOST_PER_HASH + 1,
            id="one more: the leaders with all",
        ),
        pytest.param(300_000, 300_000 * LEADERS - LEADERS * (LEADERS + 1) // 2, 300_000, id="as many as there are"),
    ],
)
def test_pairs_of_one_hash(blobs: int, pairs: int, crowded: int):
    got = candidates(np.full(blobs, WAVES, np.uint64), near())
    assert (len(got.a), got.crowded) == (pairs, crowded)
    assert np.all(got.a < got.b)


@pytest.mark.parametrize(
    ("left", "right", "pairs"),
    [
        pytest.param(MOST_PER_HASH, MOST_PER_HASH, MOST_PER_HASH * MOST_PER_HASH, id="all with all"),
        pytest.param(MOST_PER_HASH + 1, 1, MOST_PER_HASH + 1, id="a lone one leads: it is compared with all"),
        pytest.param(
            MOST_PER_HASH + 1,
            MOST_PER_HASH,
            LEADERS * MOST_PER_HASH + (MOST_PER_HASH + 1 - LEADERS) * LEADERS,
            id="one crowd is enough",
        ),
        pytest.param(
            1000, 2000, LEADERS * (1000 + 2000) - LEADERS * LEADERS, id="two crowds: leaders with all of the other"
        ),
    ],
)
def test_pairs_of_two_near_hashes(left: int, right: int, pairs: int):
    hashes = np.array([WAVES] * left + [WAVES ^ 1] * right, np.uint64)
    between = [row for row in rows(candidates(hashes, near((WAVES, WAVES ^ 1)))) if row[3] == 1]
    assert len(between) == pairs


def test_symmetric_pictures_are_no_crowd_though_two_of_their_views_are_one():
    symmetric, others = MOST_PER_HASH // 2 + 1, MOST_PER_HASH
    seen = views_of([[B, B]] * symmetric + [[0, 0]] * others, (B, B))
    got = found([A ^ 7 << 3 * number for number in range(symmetric)] + [B] * others, near(), seen)
    assert [row for row in got if row[2]] == [(a, symmetric + b, 1, 0) for a in range(symmetric) for b in range(others)]


def test_degenerate_blobs_are_no_crowd():
    got = candidates(np.array([0] * 100 + [WAVES] * 2, np.uint64), near())
    assert (rows(got), got.crowded) == ([(100, 101, 0, 0)], 0)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.data())
def test_pairs_grow_with_the_blobs_and_the_hashes_near_them(sizes: list[int], data: st.DataObject):
    values = [WAVES ^ number for number in range(len(sizes))]
    pairs = [pair for pair in combinations(range(len(sizes)), 2) if data.draw(st.booleans())]
    hashes = np.repeat(np.array(values, np.uint64), sizes)
    got = candidates(hashes, near(*((values[one], values[other]) for one, other in pairs)))
    assert len(got.a) <= LEADERS * (len(hashes) + sum(sizes[one] + sizes[other] for one, other in pairs))


# --- against plain loops

few = st.integers(0, 7).map(lambda low: WAVES ^ low) | st.sampled_from([0, 2**64 - 1, 2**63 ^ WAVES])


@st.composite
def drawn(draw: st.DrawFn) -> tuple[list[int], int, list[list[int]]]:
    hashes = draw(st.lists(few, max_size=16))
    width = draw(st.integers(1, 3))
    row = st.lists(few, min_size=width, max_size=width)
    return hashes, draw(st.integers(0, 10)), draw(st.lists(row, min_size=len(hashes), max_size=len(hashes)))


def within(values: set[int], others: set[int], radius_bits: int) -> list[tuple[int, int]]:
    return [
        (one, other) for one in sorted(values) for other in sorted(others) if (one ^ other).bit_count() <= radius_bits
    ]


def looked_for(hashes: list[int], radius_bits: int, views: list[list[int]], most: int, leaders: int) -> list[PairRow]:
    """By loops over all pairs of hashes, and of blobs in them."""
    wholes = buckets([[value] for value in hashes], first=0)
    finds = [
        (bits, view, min(a, b) if view == 0 else a, max(a, b) if view == 0 else b)
        for seen in (wholes, buckets(views, first=1))
        for value, group in seen.items()
        for other, group_ in wholes.items()
        if (bits := (value ^ other).bit_count()) <= radius_bits
        for a, view, b in compared(group, list(group_), most, leaders)
    ]
    best: dict[tuple[int, int], PairRow] = {}
    for bits, view, a, b in sorted(finds, key=lambda find: (find[0] + VIEW_COST_BITS * (find[1] != 0), *find[1:])):
        best.setdefault((min(a, b), max(a, b)), (a, b, view, bits))
    return [best[pair] for pair in sorted(best)]


def buckets(table: list[list[int]], first: int) -> dict[int, dict[int, int]]:
    """For each hash with waves its blobs, and the first view of each that has it."""
    found_: dict[int, dict[int, int]] = {}
    for blob, row in enumerate(table):
        for view, value in enumerate(row, start=first):
            if 8 < value.bit_count() < 56:
                found_.setdefault(value, {}).setdefault(blob, view)
    return found_


def compared(left: dict[int, int], right: list[int], most: int, leaders: int) -> list[tuple[int, int, int]]:
    is_small = max(len(left), len(right)) <= most
    return [
        (a, view, b)
        for i, (a, view) in enumerate(left.items())
        for j, b in enumerate(right)
        if a != b and (is_small or i < leaders or j < leaders)
    ]


@given(drawn(), st.sampled_from([(3, 2), (1, 1), (12, 8)]))
def test_candidates_are_those_of_loops_over_all(case: tuple[list[int], int, list[list[int]]], limits: tuple[int, int]):
    hashes, radius_bits, views = case
    pairs = near(*(pair for pair in within(set(hashes), set(hashes), radius_bits) if pair[0] < pair[1]))
    others = within({value for row in views for value in row}, set(hashes), radius_bits)
    given_views = [views_of(views, *others)] if hashes else []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_PER_HASH", limits[0])
        patch.setattr(module, "LEADERS", limits[1])
        assert found(hashes, pairs, *given_views) == looked_for(hashes, radius_bits, views, *limits)


@given(st.lists(st.integers(0, 2**12), min_size=2, max_size=40, unique=True), st.integers(1, 5))
def test_each_hash_keeps_its_nearest_and_no_crowd_grows_with_its_square(values: list[int], most: int):
    pairs = [(a, b) for i, a in enumerate(sorted(values)) for b in sorted(values)[i + 1 :]]
    near = NearHashes(np.array(pairs, np.uint64), np.array([(a ^ b).bit_count() for a, b in pairs], np.uint8))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_NEIGHBOURS", most)
        got = module.nearest(near)
    nearest = {(a, b) for a in values for b in sorted(set(values) - {a}, key=lambda b: ((a ^ b).bit_count(), b))[:most]}
    assert [tuple(pair) for pair in got.values.tolist()] == [
        pair for pair in pairs if pair in nearest or pair[::-1] in nearest
    ]
    assert len(got.values) <= most * len(values)
    assert got.distance_bits.tolist() == [(a ^ b).bit_count() for a, b in got.values.tolist()]


@given(st.lists(st.integers(0, 2**10), min_size=2, max_size=17, unique=True), st.integers(1, 5))
def test_views_that_are_near_all_others_do_not_grow_with_the_square(values: list[int], most: int):
    wholes = [WAVES ^ value << 20 for value in values]
    by_view = [[whole ^ 1] for whole in wholes]
    near_by_view = [(view, whole) for (view,) in by_view for whole in wholes]
    everything = found(wholes, near(), views_of(by_view, *near_by_view))
    assert len(everything) == len(values) * (len(values) - 1) // 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_BY_VIEWS", most)
        got = found(wholes, near(), views_of(by_view, *near_by_view))
    distances = {blob: [bits for a, b, _, bits in everything if blob in {a, b}] for blob in range(len(values))}
    for a, b, _, bits in got:
        assert any(sum(nearer < bits for nearer in distances[blob]) < most for blob in (a, b))
    assert len(got) <= most * len(values)
    assert {blob for pair in got for blob in pair[:2]} == set(range(len(values)))


HASHES = np.array([0, 1, 3, 7, 0xF], np.uint64)


def with_local(known: Sequence[PairRow], *shared: tuple[int, int, int], most: int = 8) -> list[PairRow]:
    """Pairs with those that share places: a, b, how many; as view 9."""
    a, b, view, bits = (list(column) for column in zip(*known, strict=True)) if known else ([], [], [], [])
    found = Candidates(np.array(a, int), np.array(b, int), np.array(view, np.int16), np.array(bits, np.uint8), 0)
    a, b, matches = np.array(shared, int).reshape(-1, 3).T
    return rows(add_pairs(found, a, b, -matches, 9, HASHES, most))


@pytest.mark.parametrize(
    ("known", "shared", "expected"),
    [
        pytest.param([], [], [], id="nothing"),
        pytest.param([(0, 1, 0, 3)], [], [(0, 1, 0, 3)], id="nothing shared"),
        pytest.param([], [(0, 1, 5)], [(0, 1, 9, 1)], id="only shared"),
        pytest.param([(0, 1, 0, 3)], [(0, 1, 5)], [(0, 1, 0, 3)], id="known as wholes"),
        pytest.param([(4, 1, 7, 3)], [(1, 4, 5)], [(4, 1, 7, 3)], id="known the other way round"),
        pytest.param(
            [(4, 1, 7, 3)],
            [(0, 4, 3), (2, 3, 3)],
            [(0, 4, 9, 4), (4, 1, 7, 3), (2, 3, 9, 1)],
            id="in their order",
        ),
    ],
)
def test_pairs_that_share_places_come_where_nothing_else_has_found_them(known, shared, expected):
    assert with_local(known, *shared) == expected


def test_each_picture_is_compared_with_those_with_which_it_shares_most():
    everyone = [(a, b, 10 * (b - a) + 3) for a, b in combinations(range(5), 2)]
    # 0 shares most with 4, 3; 1 with 4, 0 or 3; 2 with 0, 4 ...: what neither end has among its two is left out
    assert [pair[:2] for pair in with_local([], *everyone, most=2)] == [(0, 2), (0, 3), (0, 4), (1, 3), (1, 4), (2, 4)]


def test_hashes_of_several_words_are_near_by_all_their_bits():
    words = np.array(
        [
            [WAVES, WAVES, WAVES, WAVES],
            [WAVES ^ 1, WAVES ^ 1, WAVES ^ 1, WAVES ^ 1],  # 4 of 256
            [WAVES, ~WAVES & (2**64 - 1), WAVES, WAVES],  # one word is another: 64 of 256
            [0, 0, 0, 0],  # flat: it says nothing
        ],
        np.uint64,
    )
    by_word = [near((WAVES, WAVES ^ 1)) for _ in range(4)]
    got = near_by_words(words, by_word, 8)
    assert (got.a.tolist(), got.b.tolist(), got.distance_bits.tolist(), got.crowded) == ([0], [1], [4], 0)
    got = near_by_words(words, by_word, 64)
    assert list(zip(*(column.tolist() for column in got[:3]), strict=True)) == [(0, 1, 4), (0, 2, 64)]


def test_a_crowd_of_several_words_is_told():
    words = np.full((MOST_PER_HASH + 1, 4), WAVES, np.uint64)
    got = near_by_words(words, [near()] * 4, 8)
    assert got.crowded == MOST_PER_HASH + 1
    assert len(got.a) < MOST_PER_HASH * (MOST_PER_HASH + 1) // 2


def test_pairs_of_another_hash_are_added_as_wholes_and_known_ones_stay():
    hashes = np.array([WAVES, WAVES ^ 3, ~WAVES & (2**64 - 1)], np.uint64)
    alone = candidates(hashes, near((WAVES, WAVES ^ 3)))
    by_other = NearBlobs(np.array([0, 1]), np.array([1, 2]), np.array([9, 2]), 0)
    both = add_pairs(alone, by_other.a, by_other.b, by_other.distance_bits, 0, hashes)
    assert rows(both) == [(0, 1, 0, 2), (1, 2, 0, 62)]
    assert is_added(both, alone).tolist() == [False, True]
    assert is_added(alone, alone).tolist() == [False]


@pytest.mark.parametrize("width", [1, 4])
def test_no_hashes_of_words_no_pairs(width: int):
    got = near_by_words(np.zeros((0, width), np.uint64), [near()] * width, 12)
    assert [len(column) for column in got[:3]] == [0, 0, 0]
