"""The pages of a Parquet file, which no library tells: what content-defined chunking cuts a column into.

A page begins with a header in Thrift's compact protocol
(https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md), of which the page's size is read
and all else passed over.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import pyarrow.parquet as pq

_COMPRESSED_SIZE = 3  # the field of PageHeader (parquet.thrift)
_MOST_OF_A_HEADER = 1 << 16


class Page(NamedTuple):
    """A page as it lies in the file, header and all."""

    column: str
    sha256: bytes
    length: int


def pages(path: Path) -> Iterator[Page]:
    """All pages of all columns."""
    metadata = pq.read_metadata(path)
    with path.open("rb") as file:
        for group in range(metadata.num_row_groups):
            for place in range(metadata.num_columns):
                column = metadata.row_group(group).column(place)
                start = column.data_page_offset
                if column.has_dictionary_page:
                    start = min(start, column.dictionary_page_offset)
                yield from _of_column(file, column.path_in_schema, start, start + column.total_compressed_size)


def _of_column(file: BinaryIO, name: str, start: int, stop: int) -> Iterator[Page]:
    while start < stop:
        file.seek(start)
        header = _Thrift(file.read(_MOST_OF_A_HEADER))
        length = header.page_size()
        file.seek(start)
        data = file.read(header.place + length)
        yield Page(name, hashlib.sha256(data).digest(), len(data))
        start += len(data)


class _Thrift:
    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def page_size(self) -> int:
        """Of the page behind the header, which is read to its end."""
        found, field = 0, 0
        while kind := self._byte():
            field = field + (kind >> 4) if kind >> 4 else self._number()
            if field == _COMPRESSED_SIZE:
                found = self._number()
            else:
                self._skip(kind & 15)
        return found

    def _byte(self) -> int:
        self.place += 1
        return self.data[self.place - 1]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    def _number(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _skip(self, kind: int) -> None:
        if kind in {1, 2}:  # truth values have no more than their kind
            return
        if kind == 3:
            self._byte()
        elif kind in {4, 5, 6}:
            self._varint()
        elif kind == 8:
            length = self._varint()
            self.place += length
        elif kind == 12:
            while inner := self._byte():
                if not inner >> 4:
                    self._number()
                self._skip(inner & 15)
        else:
            raise ValueError(f"expected a kind of value that page headers have, got {kind}")
