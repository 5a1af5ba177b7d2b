"""Perceptual hashes of imagehash, computed by that library itself from a stored thumbnail."""

import io
from collections.abc import Callable, Mapping
from functools import partial

import imagehash
import numpy as np
from imagehash import ImageHash
from numpy.typing import NDArray
from PIL import Image

from schemas.hash_kinds import HashKind

_HASHES: Mapping[HashKind, Callable[[Image.Image], ImageHash]] = {
    "ahash64": imagehash.average_hash,
    "dhash64": imagehash.dhash,
    "whash64": imagehash.whash,
    "ahash256": partial(imagehash.average_hash, hash_size=16),
    "dhash256": partial(imagehash.dhash, hash_size=16),
    "whash256": partial(imagehash.whash, hash_size=16),
    "colorhash": imagehash.colorhash,
}


def library_hash(jpeg: bytes | memoryview, kind: HashKind) -> tuple[str, NDArray[np.uint64]]:
    """The hash of a stored thumbnail as imagehash writes it, and its bits in (W,) words of 64.

    Word w has the bits w, w + W, w + 2 W ..., the first one highest: so each word is a hash of the whole picture, only
    coarser. W is 4 for 256 bits; a hash of fewer than 64 bits has zeros behind them.
    """
    found = _HASHES[kind](Image.open(io.BytesIO(jpeg)))
    bits = np.asarray(found.hash, np.bool_).ravel()
    words = -(-bits.size // 64)
    padded = np.zeros(64 * words, np.bool_)
    padded[: bits.size] = bits
    by_word = np.ascontiguousarray(padded.reshape(64, words).T)
    return str(found), np.packbits(by_word, axis=1).view(">u8").astype(np.uint64)[:, 0]
