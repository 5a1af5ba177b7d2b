"""The search for near keys against faiss, which compares all with all; skipped where faiss is not installed."""

import numpy as np
import pytest

from tasks.core.dedup import search


@pytest.mark.parametrize("radius_bits", [0, 1, 8, 16])
def test_pairs_are_those_of_faiss(radius_bits: int):
    faiss = pytest.importorskip("faiss")
    keys = planted(20_000)
    index = faiss.IndexBinaryFlat(64)
    index.add(keys.view(np.uint8).reshape(-1, 8))
    limits, distances, rows = index.range_search(keys.view(np.uint8).reshape(-1, 8), radius_bits + 1)  # strictly below
    queries = np.repeat(np.arange(len(keys)), np.diff(limits.astype(np.int64)))
    is_first = queries < rows
    expected = sorted(
        zip(queries[is_first].tolist(), rows[is_first].tolist(), distances[is_first].tolist(), strict=True)
    )
    pairs, bits = search.near_pairs(keys, radius_bits)
    assert [(i, j, int(d)) for (i, j), d in zip(pairs.tolist(), bits.tolist(), strict=True)] == expected


@pytest.mark.parametrize("radius_bits", [0, 3, 8, 11, 16])
def test_large_tables_are_searched_as_exactly_as_small_ones(radius_bits: int):
    keys = planted(30_000)
    packed = search._compare_all(keys, None, radius_bits)
    pairs, distances = search.near_pairs(keys, radius_bits)
    assert len(keys) ** 2 // 2 > search._FEW_COMPARISONS
    assert (pairs[:, 0] << 32 | pairs[:, 1]).tolist() == packed.tolist()
    assert distances.tolist() == np.bitwise_count(keys[pairs[:, 0]] ^ keys[pairs[:, 1]]).tolist()


def planted(size: int) -> search.Hashes:
    """Random keys, of which a tenth lie 1 to 20 bits from another, in no order."""
    rng = np.random.default_rng(11)
    keys = rng.integers(0, 2**64, size, np.uint64)
    copies = keys[: size // 10].copy()
    for turn in range(20):
        flipped = copies ^ (np.uint64(1) << rng.integers(0, 64, len(copies), np.uint64))
        copies = np.where(rng.integers(0, 20, len(copies)) >= turn, flipped, copies)
    keys[-len(copies) :] = copies
    assert len(np.unique(keys)) == size
    return rng.permutation(keys)
