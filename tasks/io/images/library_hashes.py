"""Perceptual hashes of imagehash, computed by that library itself from a stored thumbnail."""

import importlib.metadata
import io

import imagehash
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from schemas.hash_kinds import HASHES, HashKind

VERSION = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("imagehash", "pillow", "pywavelets"))
"""What decides about the bits; a part of the cache key, so that one column never holds hashes of two versions."""


def library_hash(jpeg: bytes | memoryview, kind: HashKind) -> tuple[str, NDArray[np.uint64]]:
    """The hash of a stored thumbnail as imagehash writes it, and its bits in (W,) words of 64; W is 4 for 256 bits.
    Word w has the bits w, w + W ..., the first highest, zeros behind: a coarser hash of the whole picture.
    """
    spec = HASHES[kind]
    found = getattr(imagehash, spec.method)(Image.open(io.BytesIO(jpeg)), **spec.settings)
    bits = np.zeros(64 * spec.words, np.bool_)
    bits[: spec.bits] = np.asarray(found.hash, np.bool_).ravel()
    by_word = np.ascontiguousarray(bits.reshape(64, spec.words).T)
    return str(found), np.packbits(by_word, axis=1).view(">u8").astype(np.uint64)[:, 0]
