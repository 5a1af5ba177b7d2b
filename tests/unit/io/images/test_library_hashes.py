"""imagehash's hashes of stored thumbnails."""

import io
from collections.abc import Callable

import imagehash
import numpy as np
import pytest
from PIL import Image

from schemas.hash_kinds import HASHES, HashKind
from tasks.io.images.library_hashes import library_hash


def jpeg(width: int = 200, height: int = 150, seed: int = 1) -> bytes:
    rng, file = np.random.default_rng(seed), io.BytesIO()
    blocks = Image.fromarray(rng.integers(0, 256, (9, 11, 3), np.uint8))
    blocks.resize((width, height), Image.Resampling.BICUBIC).save(file, "JPEG", quality=90)
    return file.getvalue()


@pytest.mark.parametrize("size", [(1, 1), (1, 256), (256, 3), (200, 150)], ids=str)
@pytest.mark.parametrize("kind", HASHES)
def test_every_picture_has_every_hash(kind: HashKind, size: tuple[int, int]):
    text, words = library_hash(jpeg(*size), kind)
    assert words.dtype == np.uint64
    assert words.shape == (HASHES[kind].words,)
    assert len(text) == 11 if kind == "colorhash" else len(text) == 16 * HASHES[kind].words


@pytest.mark.parametrize(
    ("kind", "theirs"),
    [
        ("ahash64", lambda picture: imagehash.average_hash(picture)),
        ("dhash64", lambda picture: imagehash.dhash(picture, 8)),
        ("whash64", lambda picture: imagehash.whash(picture)),
        ("ahash256", lambda picture: imagehash.average_hash(picture, 16)),
        ("dhash256", lambda picture: imagehash.dhash(picture, 16)),
        ("whash256", lambda picture: imagehash.whash(picture, 16)),
        ("colorhash", lambda picture: imagehash.colorhash(picture)),
    ],
)
def test_a_hash_is_the_librarys_own(kind: HashKind, theirs: Callable[[Image.Image], imagehash.ImageHash]):
    picture = jpeg()
    assert library_hash(picture, kind)[0] == str(theirs(Image.open(io.BytesIO(picture))))


def test_a_hash_of_64_bits_is_one_word():
    text, words = library_hash(jpeg(), "dhash64")
    assert f"{words[0]:016x}" == text


def test_the_bits_of_a_long_hash_take_turns_in_its_words():
    text, words = library_hash(jpeg(), "dhash256")
    bits = np.array([int(bit) for bit in f"{int(text, 16):0256b}"])
    for place, word in enumerate(words.tolist()):
        assert f"{word:064b}" == "".join(map(str, bits[place::4]))


def test_the_words_of_near_pictures_lie_as_near_as_their_hashes():
    one, other = (library_hash(jpeg(seed=seed), "whash256") for seed in (1, 2))
    apart = imagehash.hex_to_hash(one[0]) - imagehash.hex_to_hash(other[0])
    assert np.bitwise_count(one[1] ^ other[1]).sum() == apart


@pytest.mark.parametrize("kind", HASHES)
def test_the_digits_can_be_read_again(kind: HashKind):
    text, _ = library_hash(jpeg(), kind)
    theirs = imagehash.hex_to_flathash(text, 3) if kind == "colorhash" else imagehash.hex_to_hash(text)
    assert str(theirs) == text
    spec = HASHES[kind]
    assert theirs.hash.size == spec.bits
    assert theirs - getattr(imagehash, spec.method)(Image.open(io.BytesIO(jpeg())), **spec.settings) == 0
