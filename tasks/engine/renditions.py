"""Pictures drawn anew in another size: measured once for each blob and settings, kept as files of the store.

A row says which bytes a file should have: one that is gone or damaged is drawn again by whoever asks for it.
"""

import contextlib
import hashlib

import pyarrow as pa

from schemas.errors import DamagedFile
from schemas.fetch import HIGHEST_MAX_PIXELS
from schemas.renditions import Rendition
from schemas.tables import RENDITIONS
from tasks.core import renditions as core
from tasks.engine.cache_keys import cache_key, code_digest
from tasks.io.images import decode, resample
from tasks.io.store.layout import measure_folder, rendition_path
from tasks.io.store.store import Store

CODE = code_digest(core, decode, resample)


def draw(data: bytes, rendition: Rendition) -> bytes:
    """A picture's bytes as a file of the rendition: upright, in sRGB. Raises DamagedFile for what can't be decoded."""
    try:
        return drawn_anew(data, rendition)
    except decode.UnreadableImage as problem:
        got = f"one that can't ({problem.detail})"
        raise DamagedFile(f"expected a picture that can be drawn anew, got {got}") from problem


def drawn_anew(data: bytes, rendition: Rendition) -> bytes:
    """As `draw`. Raises UnreadableImage for what can't be decoded."""
    pixels = decode.picture(data, HIGHEST_MAX_PIXELS).pixels()
    drawn = core.render(pixels, rendition, resample.resample)
    return decode.png_bytes(drawn) if rendition.format == "png" else decode.jpeg_bytes(drawn, rendition.quality)


def rendition_key(rendition: Rendition) -> str:
    """The cache key of the renditions of these settings."""
    return cache_key(rendition=rendition, code=CODE)


class StoredRenditions:
    """The renditions of these settings that a store has."""

    def __init__(self, store: Store, rendition: Rendition) -> None:
        self._store, self._key = store, rendition_key(rendition)
        tables = [table for _, table in store.tables(measure_folder("rendition-digests", self._key))]
        table = pa.concat_tables([RENDITIONS.empty_table(), *tables])
        self._digests = dict(zip(table["sha256"].to_pylist(), table["rendition_sha256"].to_pylist(), strict=True))

    def find(self, sha256: str) -> bytes | None:
        """The file of a blob's rendition; None where there is none, or none as it was."""
        if (digest := self._digests.get(sha256)) is None:
            return None
        with contextlib.suppress(DamagedFile):
            data = self._store.read_bytes(rendition_path(self._key, sha256))
            if hashlib.sha256(data).hexdigest() == digest:
                return data
        return None
