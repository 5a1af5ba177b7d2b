"""SipHash-2-4 by the vectors of its authors, and of many strings at once, each by the key of its own."""

import numpy as np
import pytest

from tasks.core.siphash import siphash

# Aumasson & Bernstein's reference (github.com/veorq/SipHash, vectors.h, vectors_sip64): key 00 01 .. 0f, the message of
# length n is 00 01 .. n - 1; eight bytes each, the lowest first
VECTORS = [
    "310e0edd47db6f72",
    "fd67dc93c539f874",
    "5a4fa9d909806c0d",
    "2d7efbd796666785",
    "b7877127e09427cf",
    "8da699cd64557618",
    "cee3fe586e46c9cb",
    "37d1018bf50002ab",
    "6224939a79f5f593",
    "b0e4a90bdf82009e",
    "f3b9dd94c5bb5d7a",
    "a7ad6b22462fb3f4",
    "fbe50e86bc8f1e75",
    "903d84c02756ea14",
    "eef27a8e90ca23f7",
    "e545be4961ca29a1",
]
KEY = bytes(range(16))


def hashes(messages: list[bytes], keys: list[bytes], key_of: list[int]) -> list[int]:
    starts = np.cumsum([0, *map(len, messages)]).astype(np.int64)
    letters = np.frombuffer(b"".join(messages), np.uint8)
    found = np.zeros(len(messages), np.uint64)
    siphash(
        starts,
        letters,
        np.frombuffer(b"".join(keys), "<u8").reshape(-1, 2),
        np.array(key_of, np.int64),
        found,
    )
    return found.tolist()


@pytest.mark.parametrize(("length", "vector"), list(enumerate(VECTORS)))
def test_the_vectors_of_its_authors(length: int, vector: str):
    (found,) = hashes([bytes(range(length))], [KEY], [0])
    assert found == int.from_bytes(bytes.fromhex(vector), "little")


def test_no_strings_give_no_hashes():
    assert hashes([], [KEY], []) == []


def test_each_string_is_hashed_alone_and_by_its_own_key():
    messages, keys = [b"", b"a", b"wikiart:1", bytes(300), b"a"], [KEY, KEY[::-1]]
    key_of = [0, 1, 0, 1, 0]
    alone = [hashes([message], [keys[key]], [0])[0] for message, key in zip(messages, key_of, strict=True)]
    assert hashes(messages, keys, key_of) == alone
    assert len({*alone}) == 5


def test_the_length_counts_where_the_bytes_are_zero():
    """A short last word is filled up with zeros; what tells it from a longer one is the length in its last byte."""
    found = hashes([bytes(length) for length in range(20)], [KEY], [0] * 20)
    assert len({*found}) == 20
