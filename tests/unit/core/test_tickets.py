"""Chance by hashes: known numbers, even odds, and orders that neither rows nor chunks can move."""

import hashlib
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tasks.core.siphash import siphash
from tasks.core.tickets import order_by_stratum, tickets, waiting_times

WORD = 2**64
ODD = [
    "",
    "a",
    "wikiart:1",
    "met:Käthe ✓",
    "\0",
    "x" * 255,
    "x" * 256,
    "x" * 257,
    "日本画",
    "a\ttab",
    "8 letter",
    "🖼" * 40,
]


def text(*chunks: list[str]) -> pa.ChunkedArray:
    return pa.chunked_array(list(chunks), pa.string())


def drawn(names: pa.ChunkedArray, seed: int = 1, purpose: str = "sample", stratum: str = "Cubism") -> list[int]:
    return tickets(names, seed, purpose, [stratum], np.zeros(len(names), np.int64)).tolist()


def hashed(key: bytes, messages: list[bytes]) -> np.ndarray:
    ends = np.cumsum([0, *map(len, messages)]).astype(np.int64)
    letters = np.frombuffer(b"".join(messages) or b"\0", np.uint8)
    found = np.empty(len(messages), np.uint64)
    siphash(ends, letters, np.frombuffer(key, "<u8").reshape(1, 2), np.zeros(len(messages), np.int64), found)
    return found


def plain(key: bytes, message: bytes) -> int:
    """SipHash-2-4 as the paper has it, section 2, in Python's own whole numbers."""

    def turned(word: int, bits: int) -> int:
        return (word << bits | word >> 64 - bits) % WORD

    def rounds(v: list[int], count: int) -> None:
        for _ in range(count):
            v[0] = (v[0] + v[1]) % WORD
            v[1] = turned(v[1], 13) ^ v[0]
            v[0] = turned(v[0], 32)
            v[2] = (v[2] + v[3]) % WORD
            v[3] = turned(v[3], 16) ^ v[2]
            v[0] = (v[0] + v[3]) % WORD
            v[3] = turned(v[3], 21) ^ v[0]
            v[2] = (v[2] + v[1]) % WORD
            v[1] = turned(v[1], 17) ^ v[2]
            v[2] = turned(v[2], 32)

    halves = [int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")]
    v = [
        int.from_bytes(said, "big") ^ halves[at % 2]
        for at, said in enumerate([b"somepseu", b"dorandom", b"lygenera", b"tedbytes"])
    ]
    whole = message + bytes(7 - len(message) % 8) + bytes([len(message) % 256])
    for at in range(0, len(whole), 8):
        word = int.from_bytes(whole[at : at + 8], "little")
        v[3] ^= word
        rounds(v, 2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(v, 4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


# --- SipHash-2-4


# all 64
def test_the_official_vectors():
    """vectors.h of the authors' own implementation: key 00 01 .. 0f, messages of 0 to 63 bytes 00 01 ..."""
    found = hashed(bytes(range(16)), [bytes(range(size)) for size in range(64)]).astype("<u8").tobytes()
    assert found[:8].hex() == "310e0edd47db6f72"
    assert found[15 * 8 : 16 * 8].hex() == "e545be4961ca29a1"  # a129ca6149be45e5 in the paper's appendix A
    assert hashlib.sha256(found).hexdigest() == "0226a91002af9775a791b3ec5a48e643f8848d2d5774dea9be3438d5786bb58e"


@given(st.lists(st.binary(max_size=300), max_size=6), st.binary(min_size=16, max_size=16))
def test_the_paper_in_plain_whole_numbers(messages: list[bytes], key: bytes):
    assert hashed(key, messages).tolist() == [plain(key, message) for message in messages]


# --- tickets


@pytest.mark.parametrize("seed", [0, 7, 2**63, 2**64])
def test_a_ticket_is_the_hash_of_the_name_under_the_key_of_all_else(seed: int):
    key = hashlib.sha256(f"{seed}\tsplit/order\tNaïve Art".encode()).digest()[:16]
    assert drawn(text(ODD), seed, "split/order", "Naïve Art") == [plain(key, name.encode()) for name in ODD]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"seed": 2}, id="another seed"),
        pytest.param({"purpose": "split"}, id="another purpose"),
        pytest.param({"stratum": "Dada"}, id="another stratum"),
    ],
)
def test_each_part_makes_other_tickets(other: dict[str, Any]):
    assert not set(drawn(text(ODD))) & set(drawn(text(ODD), **other))


def test_each_stratum_has_tickets_of_its_own():
    names = text(["a", "b", "a", "b"])
    got = tickets(names, 1, "sample", ["Cubism", "Dada"], np.array([0, 0, 1, 1])).tolist()
    assert got == drawn(text(["a", "b"])) + drawn(text(["a", "b"]), stratum="Dada")


WHOLE = pa.array(ODD, pa.string())
NULLS = pa.array([None, "a", None, "bc", ""], pa.string())


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        pytest.param(pa.chunked_array([], pa.string()), [], id="no chunks"),
        pytest.param(text([]), [], id="an empty chunk"),
        pytest.param(text([], ["a"], []), ["a"], id="empty chunks about one name"),
        pytest.param(text([""]), [""], id="one empty name, no letters at all"),
        pytest.param(pa.chunked_array([WHOLE.slice(3, 4)]), ODD[3:7], id="a slice"),
        pytest.param(
            pa.chunked_array([WHOLE.slice(11), WHOLE.slice(0, 2)]), [ODD[11], *ODD[:2]], id="two slices of one array"
        ),
        pytest.param(pa.chunked_array([WHOLE]).slice(5), ODD[5:], id="a slice of a chunked array"),
        pytest.param(text(ODD[:5], ODD[5:]), ODD, id="two chunks"),
        pytest.param(pa.chunked_array([WHOLE.cast(pa.large_string())]), ODD, id="large strings"),
        pytest.param(pa.chunked_array([NULLS.slice(1, 1), NULLS.slice(3)]), ["a", "bc", ""], id="slices beside nulls"),
    ],
)
def test_how_names_are_stored_changes_nothing(names: pa.ChunkedArray, expected: list[str]):
    key = hashlib.sha256(b"1\tsample\tCubism").digest()[:16]
    assert drawn(names) == [plain(key, name.encode()) for name in expected]


def test_without_strata_there_is_nobody_to_draw_for():
    assert tickets(text([]), 1, "sample", [], np.empty(0, np.int64)).tolist() == []


def test_tickets_are_spread_evenly():
    found = np.array(drawn(text([f"wikiart:{number}" for number in range(4000)])), np.float64)
    assert stats.kstest(found / WORD, "uniform").pvalue > 0.01


def test_tickets_of_neighbouring_seeds_are_strangers():
    names = text([f"wikiart:{number}" for number in range(4000)])
    one, other = (np.array(drawn(names, seed), np.float64) for seed in (1, 2))
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.05


# --- waiting times

EXTREME = [
    0,
    1,
    2**11 - 1,
    2**11,
    2**32,
    2**62,
    2**63 - 1,
    2**63,
    2**63 + 2**62,
    WORD - 2**12,
    WORD - 2**11 - 1,
    WORD - 1,
]


def of_library(found: np.ndarray) -> np.ndarray:
    return np.abs(-np.log(((found >> np.uint64(11)) + 0.5) / 2**53))


def test_waiting_times_are_those_of_the_library_to_a_few_last_bits():
    found = np.concatenate(
        [np.array(EXTREME, np.uint64), np.random.default_rng(5).integers(0, 2**64, 200_000, np.uint64)]
    )
    waits = waiting_times(found)
    np.testing.assert_array_max_ulp(waits, of_library(found), maxulp=4)
    assert waits.min() == 0
    assert waits.max() == pytest.approx(54 * np.log(2))


def test_near_one_and_near_the_turns_of_the_series_too():
    u = np.concatenate([1 - np.geomspace(1e-15, 0.5, 20_000), np.sqrt(0.5) * (1 + np.linspace(-1e-9, 1e-9, 999))])
    found = (u * 2**53).astype(np.uint64) << np.uint64(11)
    np.testing.assert_array_max_ulp(waiting_times(found), of_library(found), maxulp=4)


def test_waiting_times_are_exponential():
    names = text([f"wikiart:{number}" for number in range(4000)])
    assert stats.kstest(waiting_times(np.array(drawn(names), np.uint64)), "expon").pvalue > 0.01


def test_waiting_times_of_many_rows_are_those_of_few():
    found = np.random.default_rng(6).integers(0, 2**64, 2**18 + 3, np.uint64)
    assert np.array_equal(waiting_times(found)[-5:], waiting_times(found[-5:]))
    assert waiting_times(found[:0]).tolist() == []


@given(st.lists(st.integers(0, WORD - 1), max_size=20))
def test_a_larger_ticket_never_waits_longer(found: list[int]):
    waits = waiting_times(np.array(sorted(found), np.uint64))
    assert np.all(np.diff(waits) <= 0)


# --- ordered

KEYS = {"uint64": np.uint64, "float64": np.float64}


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize(
    ("stratum", "key", "names", "expected"),
    [
        pytest.param([], [], [], [], id="nobody"),
        pytest.param([0], [0], ["a"], [0], id="one"),
        pytest.param([0, 0], [5, 5], ["b", "a"], [1, 0], id="two with one key, by name"),
        pytest.param([1, 0], [5, 5], ["a", "b"], [1, 0], id="one key, but two strata"),
        pytest.param([0, 0, 0], [0, 2**60, 0], ["c", "a", "b"], [2, 0, 1], id="what is tied lies apart"),
        pytest.param(
            [3, 0, 3, 3],
            [2**61, 2**62, 2**60, 2**60],
            ["a", "b", "d", "c"],
            [1, 3, 2, 0],
            id="strata of which some have nobody",
        ),
        pytest.param([0] * 4, [1, 1, 1, 1], ["ä", "z", "A", "10"], [3, 2, 1, 0], id="names by their code points"),
        pytest.param([70_000, 0], [0, 2**63], ["a", "b"], [1, 0], id="more strata than 16 bits hold"),
    ],
)
def test_order(kind: str, stratum: list[int], key: list[int], names: list[str], expected: list[int]):
    got = order_by_stratum(np.array(stratum, np.int64), np.array(key, KEYS[kind]), text(names[:1], names[1:]))
    assert got.tolist() == expected
    assert got.dtype == np.int64


def test_those_who_never_wait_and_those_who_wait_for_ever_go_by_name_too():
    key = np.array([np.inf, 0, 0.5, np.inf, 0])
    assert order_by_stratum(np.zeros(5, np.int64), key, text(["b", "d", "x", "a", "c"])).tolist() == [4, 1, 2, 3, 0]


ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, WORD - 1) | st.integers(0, 3)), max_size=12)


@given(ROWS, st.sampled_from([0, 17, 70_000]), st.sampled_from(sorted(KEYS)), st.randoms(use_true_random=False))
def test_the_order_is_that_of_plain_sorting_however_rows_come(
    rows: list[tuple[int, int]], far: int, kind: str, chance: Any
):
    """far: strata whose numbers are large, which leave less room for the key: what only its last bits tell apart is
    still told apart.
    """
    listed = [(of + far, key, f"r{number:02}") for number, (of, key) in enumerate(rows)]
    expected = [name for *_, name in sorted((of, KEYS[kind](key), name) for of, key, name in listed)]
    for _ in range(2):
        of, key, names = (list(column) for column in zip(*listed, strict=True)) if listed else ([], [], [])
        cut = chance.randint(0, len(names))
        order = order_by_stratum(np.array(of, np.int64), np.array(key, KEYS[kind]), text(names[:cut], names[cut:]))
        assert [names[row] for row in order] == expected
        chance.shuffle(listed)


@given(st.lists(st.text(max_size=12), unique=True, max_size=12), st.randoms(use_true_random=False))
def test_a_ticket_knows_nothing_of_the_others(names: list[str], chance: Any):
    known = dict(zip(names, drawn(text(names)), strict=True))
    chance.shuffle(names)
    cut = chance.randint(0, len(names))
    assert drawn(text(names[:cut], names[cut:])) == [known[name] for name in names]
    assert [drawn(text([name]))[0] for name in names[:3]] == [known[name] for name in names[:3]]


def test_a_million_rows_in_many_strata_are_in_order():
    chance = np.random.default_rng(7)
    of, key = chance.integers(0, 300, 1_000_000), chance.integers(0, 2**64, 1_000_000, np.uint64)
    names = pa.chunked_array([pa.array(np.arange(1_000_000)).cast(pa.string())])
    order = order_by_stratum(of, key, names)
    assert np.array_equal(np.sort(order), np.arange(1_000_000))
    same = of[order][1:] == of[order][:-1]
    assert np.all(np.diff(of[order]) >= 0)
    assert np.all((key[order][1:] >> np.uint64(9) >= key[order][:-1] >> np.uint64(9))[same])
