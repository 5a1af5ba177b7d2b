"""Pictures drawn anew in another size: measured once for each blob and settings, kept as files of the store.

A row says which bytes a file should have: one that is gone or damaged is drawn again by whoever asks for it.
"""

import contextlib
import hashlib

import pyarrow as pa
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.errors import DamagedFile
from schemas.fetch import HIGHEST_MAX_PIXELS
from schemas.manifests import Context
from schemas.renditions import Rendition
from schemas.tables import RENDITIONS
from tasks.core import renditions as core
from tasks.engine import runs
from tasks.engine.cache_keys import cache_key, code_digest
from tasks.engine.measure import measure_blobs
from tasks.io.images import decode, resample
from tasks.io.store.layout import measure_folder, rendition_path
from tasks.io.store.store import Store
from tasks.orchestration import retries

CODE = code_digest(core, decode, resample)


def draw(data: bytes, rendition: Rendition) -> bytes:
    """A picture's bytes as a file of the rendition: upright, in sRGB. Raises DamagedFile for what can't be decoded."""
    try:
        return _drawn(data, rendition)
    except decode.UnreadableImage as problem:
        got = f"one that can't ({problem.detail})"
        raise DamagedFile(f"expected a picture that can be drawn anew, got {got}") from problem


def _drawn(data: bytes, rendition: Rendition) -> bytes:
    pixels = decode.picture(data, HIGHEST_MAX_PIXELS).pixels()
    drawn = core.render(pixels, rendition, resample.resample)
    return decode.png_bytes(drawn) if rendition.format == "png" else decode.jpeg_bytes(drawn, rendition.quality)


def _key(rendition: Rendition) -> str:
    return cache_key(rendition=rendition, code=CODE)


@task(cache_policy=NO_CACHE, **retries.RETRY_IO)
def rendition_part(blobs: pa.Table, rendition: Rendition, into: str, context: Context) -> None:
    """Draw one batch of blobs and store what was drawn; one that can't be decoded is a row without a digest."""
    store, key, rows = runs.store_of(context), _key(rendition), []
    for sha256 in blobs["sha256"].to_pylist():
        digest = None
        with contextlib.suppress(decode.UnreadableImage):
            drawn = _drawn(store.read_blob(sha256), rendition)
            digest = hashlib.sha256(drawn).hexdigest()
            store.write_bytes(rendition_path(key, sha256), drawn)
        rows.append({"sha256": sha256, "rendition_sha256": digest})
    store.write_table(into, pa.Table.from_pylist(rows, schema=RENDITIONS))


def ensure_renditions(rendition: Rendition, blobs: pa.Array, context: Context, label: str) -> None:
    """Draw those of the blobs (unique, sorted) that have no such rendition in the store yet."""
    folder, name = measure_folder("renditions", _key(rendition)), f"{label} · {rendition.side_px} px"
    measure_blobs(rendition_part, name, blobs, context, folder, RENDITIONS, rendition)


class StoredRenditions:
    """The renditions of these settings that a store has."""

    def __init__(self, store: Store, rendition: Rendition) -> None:
        self._store, self._key = store, _key(rendition)
        tables = [table for _, table in store.tables(measure_folder("renditions", self._key))]
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
