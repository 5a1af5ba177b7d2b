"""Packed bodies: the same bytes however they arrive, and never a part for the whole."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.io.web.bodies import CutInMiddle, unpack

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
    wrong: list[str] = []
    pieces = list(unpack(chunks, encodings, most, wrong))
    assert (b"".join(pieces), wrong) == (data, [])
    if set(encodings) & {"gzip", "x-gzip", "deflate"}:
        assert all(len(piece) <= most for piece in pieces)


@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate"]), st.integers(0, 10_000))
def test_no_part_counts_as_the_whole(data: bytes, encoding: str, place: int):
    whole = packed(data, [encoding])
    cut = whole[: 1 + place % (len(whole) - 1)]
    with pytest.raises((CutInMiddle, zlib.error)):
        list(unpack([cut], [encoding], 100, []))


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "deflate"])
def test_nothing_is_empty_and_no_wrong_label(encoding: str):
    wrong: list[str] = []
    assert (list(unpack([], [encoding], 100, wrong)), wrong) == ([], [])


BEGINNINGS = [
    *(b"\xff\xd8\xff\xe0", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"GIF89a", b"RIFF\x10\0\0\0WEBPVP8 ", b"II*\0\x08\0\0\0"),
    *(
        b"MM\0*\0\0\0\x08",
        b"BM\x36\0\0\0",
        b"P6\n1 1\n255\n",
        b'{"rows": [1, 2]}',
        b"[1, 2]",
        b"<html><body>",
        b"key,image\n",
    ),
]


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "aws-chunked"])
@pytest.mark.parametrize("start", BEGINNINGS)
def test_what_is_not_packed_comes_as_it_is_in_chunks_of_any_size(encoding: str, start: bytes):
    data = start + bytes(range(256)) * 40
    for each in (1, 7, 4096, len(data)):
        wrong: list[str] = []
        chunks = [data[place : place + each] for place in range(0, len(data), each)]
        assert b"".join(unpack(chunks, [encoding], 100, wrong)) == data
        assert wrong == [encoding]


def test_deflate_without_a_frame_is_still_unpacked():
    data = b"Judith Leyster, " * 2000
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    whole, wrong = packer.compress(data) + packer.flush(), list[str]()
    assert b"".join(unpack([whole[:3], whole[3:]], ["deflate"], 100, wrong)) == data
    assert wrong == []


def test_what_breaks_behind_its_beginning_is_an_error():
    with pytest.raises(zlib.error):
        list(unpack([b"\x1f\x8b" + b"?" * 90], ["gzip"], 100, []))
