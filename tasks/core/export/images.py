"""The images table of a release, without the bytes."""

from collections.abc import Mapping

import pyarrow as pa

from schemas.tables import IMAGES
from tasks.core import rights
from tasks.core.coco.document import media_path

FROM_RECORDS = (
    "source",
    "source_url",
    "image_url",
    "title",
    "artist",
    "artist_qualifier",
    "style",
    "styles",
    "date_text",
    "year",
    "rights_uri",
    "rights_text",
    "rights_basis",
    "is_annotated",
)
IMAGES_BY_DIGEST = pa.schema(
    [
        field
        if field.name != "image"
        else pa.field("image", pa.struct([("bytes", pa.string()), ("path", pa.string())]))
        for field in IMAGES
    ]
)
"""IMAGES with the SHA-256 of the bytes in place of the bytes: what is digested, and filled in when it is written."""


def images(columns: Mapping[str, pa.ChunkedArray | pa.Array], *, is_embedded: bool, is_media: bool) -> pa.Table:
    """IMAGES_BY_DIGEST rows of the kept records, in the order given.

    columns: all of IMAGES but `image` and `rights_spdx`.
    """
    shas, formats = columns["sha256"].to_pylist(), columns["format"].to_pylist()
    image = [
        {"bytes": sha256 if is_embedded else None, "path": media_path(sha256, form) if is_media else None}
        for sha256, form in zip(shas, formats, strict=True)
    ]
    return (
        pa.table(
            {
                **columns,
                "rights_spdx": _spdx(columns["rights_uri"]),
                "image": pa.array(image, IMAGES_BY_DIGEST.field("image").type),
            }
        )
        .select(IMAGES_BY_DIGEST.names)
        .cast(IMAGES_BY_DIGEST)
    )


def _spdx(uris: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Each image's licence by its SPDX identifier, looked up once for each different URI."""
    of = uris.combine_chunks() if isinstance(uris, pa.ChunkedArray) else uris
    codes = of.dictionary_encode()
    return pa.array([rights.spdx_id(uri) for uri in codes.dictionary.to_pylist()], pa.string()).take(codes.indices)


def source_urls(
    record_ids: pa.ChunkedArray, urls: pa.ChunkedArray, copies: pa.Table, urls_of_copies: pa.ChunkedArray
) -> pa.Array:
    """(N,) lists: where each kept work is described, its own page first, then those of its dropped copies, sorted.

    Each once.

    copies: record_id and kept_record_id of every dropped copy, urls_of_copies theirs. A copy may have been dropped for
    one that a later stage dropped for another: chains are followed to their end. Without any page the list is empty.
    """
    stays = dict(zip(copies["record_id"].to_pylist(), copies["kept_record_id"].to_pylist(), strict=True))
    others: dict[str, set[str]] = {}
    for name, url in zip(stays, urls_of_copies.to_pylist(), strict=True):
        end = stays[name]
        while end in stays:
            end = stays[end]
        if url is not None:
            others.setdefault(end, set()).add(url)
    found = [
        [*([url] if url else []), *sorted(others.get(name, set()) - {url})]
        for name, url in zip(record_ids.to_pylist(), urls.to_pylist(), strict=True)
    ]
    return pa.array(found, IMAGES.field("source_urls").type)
