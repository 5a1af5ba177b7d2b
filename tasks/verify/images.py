"""The checks of images: where they are, which bytes they have; and, asked for apart, decoded and measured again."""

import hashlib
from collections.abc import Iterator
from typing import Any

from schemas.phrases import quoted
from schemas.stages import HIGHEST_MAX_PIXELS
from tasks.core import verify as core
from tasks.core.hash import uint64_from_bits
from tasks.io.images import decode
from tasks.io.images.inspection import PHASH, inspect
from tasks.io.store.releases import Release

_COLUMNS = ["record_id", "sha256", "phash", "phash_recipe", "width_px", "height_px", "format", "image"]


def stored_bytes(release: Release) -> Iterator[str]:
    """Images that are not where the recipe wants them, or in the table with other bytes than `sha256` stands for.

    What stands beside, as a file, is held against its digest as all files are.
    """
    export = release.recipe().stage("export")
    for row in _rows(release, ["record_id", "sha256", "image"]):
        data, path = row["image"]["bytes"], row["image"]["path"]
        if export:
            yield from core.place_problems(
                row["record_id"], has_bytes=data is not None, has_path=path is not None, export=export
            )
        if data is not None and (sha256 := hashlib.sha256(data).hexdigest()) != row["sha256"]:
            yield f"{row['record_id']}: expected bytes of SHA-256 {quoted(row['sha256'])}, got {sha256}"


def images(release: Release) -> Iterator[str]:
    """Problems of all images that have the bytes that they should; of others `stored_bytes` tells."""
    for row in _rows(release, _COLUMNS):
        data, path = row["image"]["bytes"], row["image"]["path"]
        if data is None and path:
            data = release.read(path)
        if data is not None and hashlib.sha256(data).hexdigest() == row["sha256"]:
            yield from _image_problems(row, data)


def _rows(release: Release, columns: list[str]) -> Iterator[dict[str, Any]]:
    for batch in release.batches("images", rows=16, columns=columns):
        yield from batch.select([name for name in columns if name in batch.schema.names]).to_pylist()


def _image_problems(row: dict[str, Any], data: bytes) -> Iterator[str]:
    try:
        look = inspect(data, HIGHEST_MAX_PIXELS)
    except decode.UnreadableImage as problem:
        yield f"{row['record_id']}: expected an image that decodes, got {problem}"
        return
    if (recipe := row["phash_recipe"]) != PHASH:
        yield f"{row['record_id']}: expected a hash by {PHASH}, as this version measures, got one by {quoted(recipe)}"
    measured = (look.width_px, look.height_px, look.format, uint64_from_bits(look.phash_bits))
    if measured != (row["width_px"], row["height_px"], row["format"], row["phash"]):
        yield (
            f"{row['record_id']}: expected {row['width_px']} x {row['height_px']} px, {row['format']}, pHash "
            f"{row['phash']:016x}, got {measured}"
        )
