"""TIFFs of grey samples of all kinds: those with a stated way to 8 bits, and those without."""

import struct

import numpy as np
import pytest

from schemas.reasons import Reason
from tasks.io.images import decode

LIMIT = 1_000_000
VALUES = np.array([[0, 1, 127, 128, 200, 255]])


def tiff(values: np.ndarray, bits: int, sample_format: int | None, photometric: int = 1, order: str = "<") -> bytes:
    """A TIFF of one strip of grey."""
    raw = values.tobytes()
    tags = {256: values.shape[1], 257: values.shape[0], 258: bits, 259: 1, 262: photometric, 273: 0, 277: 1}
    tags |= {278: values.shape[0], 279: len(raw)} | ({} if sample_format is None else {339: sample_format})
    tags[273] = 8 + 2 + 12 * len(tags) + 4
    entries = b"".join(struct.pack(f"{order}HHII", tag, 4, 1, value) for tag, value in sorted(tags.items()))
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(f"{order}IH", 8, len(tags))
    return head + entries + bytes(4) + raw


def packed_12(values: list[int]) -> np.ndarray:
    """Two values in three bytes."""
    pairs = zip(values[::2], values[1::2], strict=True)
    packed = [byte for one, two in pairs for byte in (one >> 4, (one & 15) << 4 | two >> 8, two & 255)]
    return np.array([packed], np.uint8)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(
    ("bits", "sample_format", "kind", "values", "detail"),
    [
        (8, 2, "i1", VALUES - 128, "a TIFF of 8 bits, signed numbers, grey"),
        (8, 2, "i1", VALUES // 2, "a TIFF of 8 bits, signed numbers, grey"),
        (16, 2, "i2", VALUES, "a TIFF of 16 bits, signed numbers, grey"),
        (32, 1, "u4", VALUES, "a TIFF of 32 bits, whole numbers, grey"),
        (32, None, "u4", VALUES, "a TIFF of 32 bits, whole numbers, grey"),
        (32, 1, "u4", VALUES * 256, "a TIFF of 32 bits, whole numbers, grey"),
        (32, 2, "i4", VALUES, "a TIFF of 32 bits, signed numbers, grey"),
        (32, 3, "f4", VALUES, "floating-point pixels have no agreed range"),
        (32, 3, "f4", VALUES / 255, "floating-point pixels have no agreed range"),
        (64, 1, "u8", VALUES, "a TIFF of 64 bits, whole numbers, grey"),
    ],
)
def test_samples_without_an_agreed_range_are_refused(bits, sample_format, kind, values, detail, order):
    data = tiff(values.astype(order + kind), bits, sample_format, order=order)
    with pytest.raises(decode.UnreadableImage) as caught:
        decode.picture(data, LIMIT)
    assert (caught.value.reason, caught.value.detail) == (Reason.UNSUPPORTED_PIXELS, detail)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(tiff(VALUES.astype("u1"), 8, 1), VALUES[0], id="8-bit"),
        pytest.param(tiff(VALUES.astype("u1"), 8, None), VALUES[0], id="8-bit-that-does-not-say"),
        pytest.param(tiff(VALUES.astype("u1"), 8, 1, photometric=0), 255 - VALUES[0], id="8-bit-white-is-0"),
        pytest.param(tiff((VALUES * 257).astype("<u2"), 16, 1), VALUES[0], id="16-bit"),
        pytest.param(tiff((VALUES * 257).astype(">u2"), 16, 1, order=">"), VALUES[0], id="16-bit-big-endian"),
        pytest.param(tiff((VALUES * 257).astype("<u2"), 16, 1, photometric=0), 255 - VALUES[0], id="16-bit-white-is-0"),
        pytest.param(tiff(VALUES.astype("<u2"), 16, 1), VALUES[0] * 0, id="16-bit-that-is-dark"),
    ],
)
def test_whole_numbers_become_8_bits(data, expected):
    assert decode.picture(data, LIMIT).pixels()[0, :, 0].tolist() == expected.tolist()


def test_of_12_bits_the_high_8_count():
    values = [0, 15, 16, 2047, 2048, 4095]
    data = tiff(packed_12(values), 12, 1)
    width = data.index(struct.pack("<HHI", 256, 4, 1)) + 8
    data = data[:width] + struct.pack("<I", len(values)) + data[width + 4 :]
    assert decode.picture(data, LIMIT).pixels()[0, :, 0].tolist() == [0, 0, 1, 127, 128, 255]
