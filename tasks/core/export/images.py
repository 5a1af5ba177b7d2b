"""The images table of a release, without the bytes."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.attributes import Typed, attributes_of, with_attribute_columns
from schemas.tables import IMAGES
from tasks.core import rights
from tasks.core.coco.document import media_paths
from tasks.core.columns import Column, whole
from tasks.core.export.attribution import ASKED, attributions
from tasks.core.export.ledger import chain_ends

FROM_RECORDS = (
    *("source", "source_url", "image_url", "title", "artist", "artist_text", "artist_qualifier", "artists"),
    *("artist_roles", "style", "styles", "date_text", "year", "year_first", "year_last"),
    *("rights_uri", "rights_text", "rights_basis", "is_annotated"),
)
IMAGES_BY_DIGEST = IMAGES.set(
    IMAGES.get_field_index("image"), pa.field("image", pa.struct([("bytes", pa.string()), ("path", pa.string())]))
)
"""IMAGES with the SHA-256 of the bytes in place of the bytes: what is digested, and filled in when it is written."""


def stored_schema(images: pa.Table) -> pa.Schema:
    """IMAGES with the attributes that a build's images have."""
    return pa.schema([*IMAGES, *map(images.schema.field, attributes_of(images.schema))])


def images(
    columns: Mapping[str, Column], attributes: Mapping[str, Typed] | None = None, *, is_embedded: bool, is_media: bool
) -> pa.Table:
    """IMAGES_BY_DIGEST and attributes, in the order given. columns: all but `image`, `rights_spdx` and
    `attribution`.
    """
    schema = with_attribute_columns(IMAGES_BY_DIGEST, attributes or {})
    sha256, nothing = columns["sha256"], pa.nulls(len(columns["sha256"]), pa.string())
    path = media_paths(sha256, columns["format"]) if is_media else nothing
    image = pa.StructArray.from_arrays(
        [whole(sha256 if is_embedded else nothing), whole(path)], fields=list(IMAGES_BY_DIGEST.field("image").type)
    )
    uris = whole(columns["rights_uri"]).dictionary_encode()
    spdx = pa.array([rights.spdx_id(uri) for uri in uris.dictionary.to_pylist()], pa.string()).take(uris.indices)
    line = attributions(pa.table({name: columns[name] for name in ASKED}))
    found = pa.table({**columns, "rights_spdx": spdx, "attribution": line, "image": image})
    return found.select(schema.names).cast(schema)


def source_urls(record_ids: Column, urls: Column, copies: pa.Table, urls_of_copies: Column) -> pa.Array:
    """(N,) lists of the pages of each kept work, its own first, then those of its dropped copies, sorted, each once.

    copies: record_id and kept_record_id of every dropped copy, urls_of_copies theirs. A copy may have been dropped for
    one that a later stage dropped for another: chains are followed to their end. Without any page the list is empty.
    """
    row = np.arange(len(record_ids))
    ends = pc.index_in(chain_ends(copies["record_id"], copies["kept_record_id"]), value_set=record_ids)
    of = np.concatenate([row, np.asarray(pc.fill_null(ends, -1), np.int64)])
    pages = pa.table(
        {
            "row": of,
            "is_copys": np.arange(len(of)) >= len(row),  # its own page first
            "url": pa.concat_arrays([whole(urls), whole(urls_of_copies)]),
        }
    )
    pages = pages.filter(pc.and_(pc.is_valid(pages["url"]), pc.greater_equal(pages["row"], 0)))
    if copies.num_rows:
        pages = _each_once(pages)
    counts = np.bincount(np.asarray(pages["row"], np.int64), minlength=len(row))
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), whole(pages["url"]))


def _each_once(pages: pa.Table) -> pa.Table:
    """Pages of each row without those that stand before it already, in their order."""
    by_url = pages.sort_by([("row", "ascending"), ("url", "ascending"), ("is_copys", "ascending")])
    row, url = by_url["row"].combine_chunks(), by_url["url"].combine_chunks()
    is_again = pc.and_(pc.equal(row[1:], row[:-1]), pc.equal(url[1:], url[:-1]))
    first = by_url.filter(pa.concat_arrays([pa.array([True] * min(1, len(row)), pa.bool_()), pc.invert(is_again)]))
    return first.sort_by([("row", "ascending"), ("is_copys", "ascending"), ("url", "ascending")])


def with_features(
    schema: pa.Schema, names: Mapping[str, Sequence[str]] | None = None, *, is_image: bool = True
) -> pa.Schema:
    """The schema of a table that `datasets` reads with images that decode by themselves, and numbers that are classes.

    names: of classes 0, 1 ..., by column. Columns that are not named are what their Arrow types say, in every version
    of `datasets`. is_image: whether the bytes are in the table; where it only names the images' files, `datasets` would
    look for the path below the working folder.
    """
    features: dict[str, Any] = {"image": {"_type": "Image"}} if is_image else {}
    features |= {column: {"_type": "ClassLabel", "names": [*of]} for column, of in (names or {}).items() if of}
    if not features:
        return schema
    said = json.dumps({"info": {"features": features}}, ensure_ascii=False).encode()
    return schema.with_metadata({**(schema.metadata or {}), b"huggingface": said})
