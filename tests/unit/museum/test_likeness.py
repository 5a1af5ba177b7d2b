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


def test_works_with_a_motif_of_their_own_lie_more_than_six_bits_apart(
    museum: SimpleNamespace, hashes: dict[str, int]
) -> None:
    others = {copy["copy_key"] for copy in museum.copies} | set(museum.series)
    works = np.array([bits for key, bits in hashes.items() if key not in others], dtype=np.uint64)
    assert len(works) > 900
    assert int(_distances(works).min()) > 6


def test_works_of_a_series_come_as_close_as_copies_do_and_go_further(
    museum: SimpleNamespace, hashes: dict[str, int]
) -> None:
    apart = np.array([(hashes[key] ^ hashes[first]).bit_count() for key, first in museum.series.items()])
    assert 0.05 < (apart <= 8).mean() < 0.4
    assert (apart <= 12).mean() > 0.2
    assert (apart > 12).mean() > 0.2
    assert apart.min() > 0


CASES = [
    # relation, at most so many bits, at least such a share of the copies
    ("exact", 0, 1.0),
    ("reencoded", 4, 0.97),
    ("resized", 4, 0.97),
    ("recoloured", 8, 0.95),
    ("rephotographed", 16, 0.8),
]


def _distances_of_copies(museum: SimpleNamespace, hashes: dict[str, int], relation: str) -> NDArray[np.int64]:
    pairs = [copy for copy in museum.copies if copy["relation"] == relation]
    return np.array([(hashes[pair["original_key"]] ^ hashes[pair["copy_key"]]).bit_count() for pair in pairs])


@pytest.mark.parametrize(("relation", "bits", "least"), CASES)
def test_copies_lie_near_their_original(
    relation: str, bits: int, least: float, museum: SimpleNamespace, hashes: dict[str, int]
) -> None:
    apart = _distances_of_copies(museum, hashes, relation)
    assert len(apart) > 10
    assert np.mean(apart <= bits) >= least


def test_a_hash_does_not_know_a_mirrored_copy(museum: SimpleNamespace, hashes: dict[str, int]) -> None:
    assert np.median(_distances_of_copies(museum, hashes, "mirrored")) > 20
