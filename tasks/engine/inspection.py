"""An image's size, perceptual hash and thumbnail, measured in the pass that decodes it to the end: by `fetch` of each
new image, by `hash` and `dedup` where a measurement is missing.
"""

import threading
from typing import Any

import pyarrow as pa
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.fetch import HIGHEST_MAX_PIXELS
from schemas.manifests import Context
from schemas.tables import HASH, THUMBNAIL_PLACES, THUMBNAILS
from tasks.core import hash as core
from tasks.engine import runs
from tasks.engine.cache_keys import cache_key, code_digest
from tasks.io.images import decode, inspection
from tasks.io.store.layout import measure_folder
from tasks.io.store.store import Store
from tasks.orchestration import retries

CODE = code_digest(core, inspection)
KIND = "phash64"
_KEY = cache_key(kind=KIND, recipe=inspection.PHASH, code=CODE, columns=[*HASH.names, *THUMBNAILS.names])
HASHES = measure_folder("hash", _KEY)
THUMBNAILS_AT = measure_folder("thumbnail", _KEY)
THUMBNAIL_PLACES_AT = measure_folder("thumbnail-places", _KEY)
"""Which table has which thumbnail: small tables, so that a few thumbnails are found without reading all of them."""

Row = dict[str, Any]


class InspectionRows:
    """The measurements of one part's images, stored together. Called from several threads."""

    def __init__(self) -> None:
        self._hashes: list[Row] = []
        self._thumbnails: list[Row] = []
        self._lock = threading.Lock()

    def __call__(self, sha256: str, measured: inspection.Inspection) -> None:
        """Add the measurements of an inspected blob."""
        said = {name: getattr(measured, name) for name in ("width_px", "height_px", "format", "orientation")}
        phash = core.uint64_from_bits(measured.phash_bits)
        row = {"sha256": sha256, **said, "phash": phash, "phash_recipe": inspection.PHASH}
        with self._lock:
            self._hashes.append(row)
            self._thumbnails.append({"sha256": sha256, "jpeg": measured.thumbnail})

    def add_unreadable(self, sha256: str, problem: decode.UnreadableImage) -> None:
        """Add a blob that can't be decoded: the reason is its measurement."""
        with self._lock:
            self._hashes.append({"sha256": sha256, "reason": problem.reason, "detail": problem.detail})

    def store(self, store: Store) -> None:
        """Write the rows, sorted, so that their order does not depend on threads."""
        # hashes last: a blob with a stored hash then has a thumbnail that can be found
        if self._thumbnails:
            ref = store.write_table(THUMBNAILS_AT, _ordered(self._thumbnails, THUMBNAILS), is_remembered=False)
            of = [{"sha256": row["sha256"], "path": ref.path} for row in self._thumbnails]
            store.write_table(THUMBNAIL_PLACES_AT, _ordered(of, THUMBNAIL_PLACES))
        if self._hashes:
            store.write_table(HASHES, _ordered(self._hashes, HASH))


def _ordered(rows: list[Row], schema: pa.Schema) -> pa.Table:
    one_each = {row["sha256"]: row for row in rows}
    return pa.Table.from_pylist([one_each[sha256] for sha256 in sorted(one_each)], schema=schema)


@task(cache_policy=NO_CACHE, **retries.RETRY_IO)
def inspect_part(blobs: pa.Table, _settings: None, _into: str, context: Context) -> None:
    """Measure and store one batch of blobs; an unreadable one is a row with a reason."""
    store = runs.store_of(context)
    rows = InspectionRows()
    for sha256 in blobs["sha256"].to_pylist():
        try:
            rows(sha256, inspection.inspect(store.read_blob(sha256), HIGHEST_MAX_PIXELS))
        except decode.UnreadableImage as problem:
            rows.add_unreadable(sha256, problem)
    rows.store(store)
