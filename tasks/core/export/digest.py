"""The content digest of a release: of what its tables say, not of how files are written (DESIGN: "What outsiders see").

Per table: rows sorted by primary key; each row as RFC 8785 JSON of its content columns, one per line, every line ending
in a newline; SHA-256. Over the tables: the SHA-256 of the sorted lines `table<TAB>digest`, each ending in a newline.
Bytes stand as the hex of their SHA-256; unsigned 64-bit numbers, which JSON readers would round, as decimal strings.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa
import rfc8785

from schemas.manifests import ReleaseManifest

PRIMARY_KEYS = {"images": "record_id", "annotations": "annotation_id", "ledger": "record_id"}
"""Contract tables and their primary keys."""

NOT_CONTENT = frozenset({"retrieved_at"})
"""Columns that say when, not what."""


def table_digest(batches: Iterable[pa.RecordBatch]) -> str:
    """SHA-256 of a table's content, as hex. The batches come sorted by primary key."""
    digest = hashlib.sha256()
    for batch in batches:
        for line in lines(batch):
            digest.update(line)
    return digest.hexdigest()


def digest_by_primary_key(batches: Iterable[pa.RecordBatch], primary_key: str) -> str:
    """The same of batches in any order: a release's parts lie by split, the digest goes by primary key over all."""
    rows = [
        (row_key, line)
        for batch in batches
        for row_key, line in zip(batch[primary_key].to_pylist(), lines(batch), strict=True)
    ]
    rows.sort(key=lambda row: row[0])
    return hashlib.sha256(b"".join(line for _, line in rows)).hexdigest()


def lines(batch: pa.RecordBatch) -> Iterator[bytes]:
    """The canonical line of each row."""
    names = [name for name in batch.schema.names if name not in NOT_CONTENT]
    content = batch.select(names)
    big = {name for name in names if content.schema.field(name).type == pa.uint64()}
    for row in content.to_pylist():
        yield rfc8785.dumps({name: _plain(value, is_big=name in big) for name, value in row.items()}) + b"\n"


def content_digest(tables: Mapping[str, str]) -> str:
    """SHA-256 over the digests of the tables, as hex."""
    listed = "".join(f"{name}\t{digest}\n" for name, digest in sorted(tables.items()))
    return hashlib.sha256(listed.encode()).hexdigest()


def manifest_digest(fields: Mapping[str, Any]) -> str:
    """SHA-256 over the RFC 8785 JSON of a manifest's fields, as hex; `manifest_sha256`, which says it, is left out."""
    return hashlib.sha256(
        rfc8785.dumps({name: value for name, value in fields.items() if name != "manifest_sha256"})
    ).hexdigest()


def sealed(manifest: ReleaseManifest) -> ReleaseManifest:
    """The manifest with the digest of its own fields, by which a later change of any of them is found."""
    return manifest.model_copy(update={"manifest_sha256": manifest_digest(manifest.model_dump(mode="json"))})


def version(content_sha256: str, recipe_sha256: str, contract_version: str) -> str:
    """The release's version: 12 hex digits of the SHA-256 over content digest, recipe digest and contract version, as
    text.
    """
    return hashlib.sha256(f"{content_sha256}{recipe_sha256}{contract_version}".encode()).hexdigest()[:12]


def _plain(value: Any, *, is_big: bool = False) -> Any:
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return str(value) if is_big and value is not None else value
