"""Packed bodies: the same bytes however they arrive, and never a part for the whole."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.io.web.unpacking import CutInMiddle, unpack

PACK = {"gzip": gzip.compress, "x-gzip": gzip.compress, "deflate": zlib.compress, "identity": bytes, "": bytes}


def packed(data: bytes, encodings: list[str]) -> bytes:
    for encoding in encodings:
        data = PACK[encoding](data)
    return data


@given(
    st.binary(max_size=300).map(lambda data: data * 40),
    st.lists(st.sampled_from(sorted(PACK)), max_size=3),
    st.integers(1, 500),
    st.integers(1, 100),
)
def test_what_was_packed_comes_out_in_small_pieces(data: bytes, encodings: list[str], each: int, most: int):
    whole = packed(data, encodings)
    chunks = [whole[place : place + each] for place in range(0, len(whole), each)]
    pieces = list(unpack(chunks, encodings, most))
    assert b"".join(pieces) == data
    if set(encodings) & {"gzip", "x-gzip", "deflate"}:
        assert all(len(piece) <= most for piece in pieces)


@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate"]), st.integers(0, 10_000))
def test_no_part_counts_as_the_whole(data: bytes, encoding: str, place: int):
    whole = packed(data, [encoding])
    cut = whole[: 1 + place % (len(whole) - 1)]
    with pytest.raises((CutInMiddle, zlib.error)):
        list(unpack([cut], [encoding], 100))


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_nothing_is_empty_and_what_is_not_packed_is_an_error(encoding: str):
    assert b"".join(unpack([], [encoding], 100)) == b""
    with pytest.raises(zlib.error):
        list(unpack([b"no packed body"], [encoding], 100))
