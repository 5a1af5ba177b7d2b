"""The content digest of a release: of what its tables say, not of how files are written.

Since contract 2 it goes column by column (docs/decisions, digest); data_contracts/v3/README.md defines it. In short: a
table's digest is the SHA-256 of the sorted lines `column<TAB>digest`, a column's that of its plain byte form with rows
in order of the primary key, and the content digest that of the sorted lines `table<TAB>digest`. Every line ends in a
newline. Contract 1 went row by row: `row_digest`.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import rfc8785
from numpy.typing import NDArray

from schemas.contract import SUMS
from schemas.manifests import FileEntry, ReleaseManifest

PRIMARY_KEYS = {
    "images": "record_id",
    "annotations": "annotation_id",
    "detections": "detection_id",
    "ledger": "record_id",
    "coco_files": "source",
}
"""Tables whose content names a release, and their primary keys."""

_RARE = frozenset({"coco_files", "detections"})
"""Those of which a release may have no file: detections are in no release by a contract before 3."""

NOT_CONTENT = frozenset({"retrieved_at", "image.bytes"})
"""Columns, and fields of columns, that say when, not what, or for which another column stands (`sha256`)."""


def content_tables(files: Collection[str]) -> list[str]:
    """The tables that count in a release with these files.

    >>> content_tables(["ledger.parquet"])
    ['images', 'annotations', 'ledger']
    """
    there = {path.partition("/")[0].removesuffix(".parquet") for path in files}
    return [table for table in PRIMARY_KEYS if table not in _RARE or table in there]


def table_digest(names: Iterable[str], column: Callable[[str], pa.ChunkedArray], primary_key: str) -> str:
    """SHA-256 of a table's content, as hex; rows in any order. One column after the other is in memory.

    names: the table's columns. column: gives each by its name.

    Raises ValueError for a value that has no byte form: a number that is not finite, a type that no release has.
    """
    order = _order(column(primary_key))
    return content_digest({name: column_digest(name, column(name), order) for name in names if name not in NOT_CONTENT})


def column_digest(name: str, column: pa.ChunkedArray, order: pa.Array | None = None) -> str:
    """SHA-256 of a column's byte form, as hex; `order`: the rows' places in the order of the digest, None: as they are.

    Raises ValueError as `table_digest` does.

    >>> form = bytes([2, *bytes(7), 1, 0, 5, *bytes(7)])  # two values, the first valid: 5
    >>> column_digest("n", pa.chunked_array([[5, None]])) == hashlib.sha256(form).hexdigest()
    True
    """
    plain = _in_plain_types(name, column)
    digest = hashlib.sha256()
    for piece in _byte_form(name, plain if order is None else plain.take(order)):
        digest.update(piece)
    return digest.hexdigest()


def content_digest(tables: Mapping[str, str]) -> str:
    """SHA-256 over the digests of the tables, or of the columns of one, as hex."""
    listed = "".join(f"{name}\t{digest}\n" for name, digest in sorted(tables.items()))
    return hashlib.sha256(listed.encode()).hexdigest()


def sums(files: Mapping[str, FileEntry]) -> str:
    r"""The text of SHA256SUMS in a release with these files.

    >>> sums({"b": FileEntry(sha256="f" * 64, bytes=1), "SHA256SUMS": FileEntry(sha256="0" * 64, bytes=1)})[62:]
    'ff  b\n'
    """
    return "".join(f"{entry.sha256}  {path}\n" for path, entry in sorted(files.items()) if path != SUMS)


def manifest_digest(fields: Mapping[str, Any]) -> str:
    """SHA-256 over the RFC 8785 JSON of a manifest's fields, as hex; `manifest_sha256`, which says it, is left out."""
    said = {name: value for name, value in fields.items() if name != "manifest_sha256"}
    return hashlib.sha256(rfc8785.dumps(said)).hexdigest()


def sealed(manifest: ReleaseManifest) -> ReleaseManifest:
    """The manifest with the digest of its own fields, by which a later change of any of them is found."""
    return manifest.model_copy(update={"manifest_sha256": manifest_digest(manifest.model_dump(mode="json"))})


def version(content_sha256: str, recipe_sha256: str, contract_version: str) -> str:
    """The release's version: 12 hex digits of the SHA-256 over the text of the three."""
    return hashlib.sha256(f"{content_sha256}{recipe_sha256}{contract_version}".encode()).hexdigest()[:12]


def _order(keys: pa.ChunkedArray) -> pa.Array | None:
    """Places of the rows in the order of their key: texts by bytes in UTF-8, numbers by value. None: so they are."""
    order = pc.sort_indices(_in_plain_types("the primary key", keys))
    places: NDArray[np.uint64] = order.to_numpy()
    return order if bool(np.any(places[1:] < places[:-1])) else None


def _in_plain_types(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column's content, in the one type for all that mean the same."""
    return pa.chunked_array([_in_plain_type(name, chunk) for chunk in column.chunks or [pa.array([], column.type)]])


def _in_plain_type(name: str, values: pa.Array) -> pa.Array:
    kind = values.type
    if not pa.types.is_struct(kind):
        return values.cast(_plain_type(name, kind))
    # field by field: Arrow's cast of a struct also reads what is hidden below its nulls, and may fail at it
    places = [place for place in range(kind.num_fields) if f"{name}.{kind.field(place).name}" not in NOT_CONTENT]
    names = [kind.field(place).name for place in places]
    fields = [
        _in_plain_type(f"{name}.{field}", pc.struct_field(values, [place]))
        for field, place in zip(names, places, strict=True)
    ]
    return pa.StructArray.from_arrays(fields, names, mask=pc.is_null(values))


def _plain_type(name: str, kind: pa.DataType) -> pa.DataType:
    """The one type for all that mean the same; of large offsets, so that no text is too long to be sorted."""
    types = pa.types
    if types.is_dictionary(kind):
        return _plain_type(name, kind.value_type)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return pa.large_list(_plain_type(name, kind.value_type))
    if types.is_struct(kind):
        fields = [kind.field(place) for place in range(kind.num_fields)]
        return pa.struct([pa.field(field.name, _plain_type(name, field.type)) for field in fields])
    for plain, checks in _PLAIN_TYPES.items():
        if any(is_such(kind) for is_such in checks):
            return plain
    raise ValueError(f"{name}: expected a type that a digest can be computed of, got {kind}")


def _byte_form(name: str, column: pa.ChunkedArray) -> Iterator[Any]:
    """The bytes of a column of plain type: how many values, which are valid, and those that are."""
    yield _whole_numbers([len(column)])
    for chunk in column.chunks:
        yield pc.is_valid(chunk).cast(pa.uint8()).to_numpy(zero_copy_only=False)
    valid, kind = column.drop_null(), column.type
    if pa.types.is_large_list(kind):
        yield from (_whole_numbers(pc.list_value_length(chunk)) for chunk in valid.chunks)
        yield from _byte_form(name, pc.list_flatten(valid))
    elif pa.types.is_struct(kind):
        fields = [kind.field(place).name for place in range(kind.num_fields)]
        for field in sorted(fields):
            yield from _byte_form(f"{name}.{field}", pc.struct_field(valid, [fields.index(field)]))
    elif pa.types.is_large_string(kind) or pa.types.is_large_binary(kind):
        yield from (_whole_numbers(pc.binary_length(chunk)) for chunk in valid.chunks)
        yield from map(_text_bytes, valid.chunks)
    else:
        yield from (_numbers(name, chunk) for chunk in valid.chunks)


def _whole_numbers(values: Any) -> NDArray[np.int64]:
    return np.asarray(values, "<i8")


def _text_bytes(texts: pa.Array) -> memoryview:
    """The bytes of all texts, one after the other. texts: of a large type, without nulls."""
    _, offsets, data = texts.buffers()
    if not len(texts) or data is None:
        return memoryview(b"")
    ends = np.frombuffer(offsets, np.int64)
    return memoryview(data)[ends[texts.offset] : ends[texts.offset + len(texts)]]


def _numbers(name: str, values: pa.Array) -> NDArray[Any]:
    """Numbers, truth values and times as they stand in the byte form. values: without nulls."""
    kind = values.type
    if pa.types.is_timestamp(kind):
        values = values.cast(pa.int64())
    numbers: NDArray[Any] = values.to_numpy(zero_copy_only=False)
    if not pa.types.is_floating(kind):
        return np.ascontiguousarray(numbers, numbers.dtype.newbyteorder("<"))
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name}: expected finite numbers, got {numbers[~np.isfinite(numbers)][0]}")
    return np.asarray(numbers + 0.0, "<f8")  # -0.0 + 0.0 is 0.0


_PLAIN_TYPES: Mapping[pa.DataType, tuple[Callable[[pa.DataType], bool], ...]] = {
    pa.uint8(): (pa.types.is_boolean,),
    pa.int64(): (pa.types.is_signed_integer,),
    pa.uint64(): (pa.types.is_unsigned_integer,),
    pa.float64(): (pa.types.is_floating,),
    pa.timestamp("us", "UTC"): (lambda kind: pa.types.is_timestamp(kind) and kind.tz is not None,),
    pa.large_string(): (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view),
    pa.large_binary(): (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view),
    pa.null(): (pa.types.is_null,),
}
