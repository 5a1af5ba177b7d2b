"""How far works lie from each other, and copies from their originals, in a perceptual hash of 64 bits."""

from pathlib import Path
from types import SimpleNamespace

import imagehash
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageOps


def _phash(path: Path) -> int:
    with Image.open(path) as picture:
        bits = imagehash.phash(ImageOps.exif_transpose(picture)).hash
    return int.from_bytes(np.packbits(bits.ravel()).tobytes(), "big")


@pytest.fixture(scope="module")
def hashes(museum: SimpleNamespace) -> dict[str, int]:
    return {key: _phash(path) for key, path in museum.files.items() if key not in museum.faults}


def _distances(hashes: NDArray[np.uint64]) -> NDArray[np.uint8]:
    apart: NDArray[np.uint8] = np.bitwise_count(hashes[:, None] ^ hashes[None, :])
    np.fill_diagonal(apart, 64)
    return apart


def test_different_works_lie_more_than_six_bits_apart(museum: SimpleNamespace, hashes: dict[str, int]) -> None:
    copies = {copy["copy_key"] for copy in museum.copies}
    works = np.array([bits for key, bits in hashes.items() if key not in copies], dtype=np.uint64)
    assert len(works) > 1990
    assert int(_distances(works).min()) > 6


@pytest.mark.parametrize(("relation", "least"), [("exact", 1.0), ("reencoded", 0.97), ("resized", 0.97)])
def test_copies_lie_within_four_bits(
    relation: str, least: float, museum: SimpleNamespace, hashes: dict[str, int]
) -> None:
    apart = [
        (hashes[copy["original_key"]] ^ hashes[copy["copy_key"]]).bit_count()
        for copy in museum.copies
        if copy["relation"] == relation
    ]
    assert len(apart) > 30
    assert np.mean(np.array(apart) <= 4) >= least
