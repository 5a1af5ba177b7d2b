"""How often which values of a recipe's attributes are, in each split: bounded, however many values there are.

Words stand with their numbers of images, the most frequent first; numbers in bins of about equal size. A word that only
one image has is not listed: it would tell nothing of the collection, and might name a person.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.attributes import Described
from schemas.phrases import counted as number_of
from schemas.tables import ATTRIBUTES
from tasks.core.columns import whole

MOST_VALUES = 100
MOST_BINS = 20
_LEAST_IMAGES = 2
_SHOWN = 5
_LONGEST = 60
_Ints = NDArray[np.int64]


class AttributeSummary(NamedTuple):
    """An attribute for people. images: how many have it; values: the most frequent ones, or the range of numbers."""

    name: str
    type: str
    images: int
    values: tuple[str, ...]
    description: str


def attribute_statistics(images: pa.Table, names: Sequence[str], splits: Sequence[str]) -> pa.Table:
    """ATTRIBUTES of these columns of images, beside `split`, one by one: of all images, then split by split."""
    split = np.asarray(pc.index_in(images["split"], value_set=pa.array(splits, pa.string())), np.int64)
    tables = [ATTRIBUTES.empty_table()]
    for name in names:
        column = whole(images[name])
        counts = _Counts(name, split, len(splits))
        is_number = pa.types.is_floating(column.type) or pa.types.is_integer(column.type)
        nobody = np.flatnonzero(column.is_null()).astype(np.int64)
        parts = [*(_bins if is_number else _words)(column, counts), counts.rows("none", nobody)]
        rows = pa.concat_tables(parts)
        rows = rows.take(pa.array(np.argsort(np.asarray(rows["split"]), kind="stable")))
        split_names = pa.array([None, *splits], pa.string()).take(pc.add(rows["split"], 1).combine_chunks())
        tables.append(rows.set_column(rows.column_names.index("split"), "split", split_names).cast(ATTRIBUTES))
    return pa.concat_tables(tables)


class _Counts(NamedTuple):
    attribute: str
    split: _Ints
    """(N,) the split, a number, of each image."""
    splits: int

    def by_split(self, images: _Ints, groups: _Ints, count: int) -> _Ints:
        """(count, 1 + splits) how many of these images are in each group: of all splits, then of each."""
        found = np.bincount(groups * self.splits + self.split[images], minlength=count * self.splits)
        found = found.reshape(count, self.splits).astype(np.int64)
        return np.hstack([found.sum(1, keepdims=True), found])

    def table(self, kind: str, found: _Ints, **columns: Any) -> pa.Table:
        """Rows of ATTRIBUTES. found: as `by_split` gives it. columns: (count,) of each group."""
        group, split = np.nonzero(found)
        given = {"kind": pa.repeat(kind, len(group)), "images": found[group, split], "split": split - 1}
        given["attribute"] = pa.repeat(self.attribute, len(group))
        for name, values in columns.items():
            given[name] = values[group, split] if getattr(values, "ndim", 1) == 2 else values.take(pa.array(group))
        return pa.table({field.name: given.get(field.name, pa.nulls(len(group), field.type)) for field in _COUNTED})

    def rows(self, kind: str, images: _Ints, **columns: Any) -> pa.Table:
        """Rows of one group: these images."""
        return self.table(kind, self.by_split(images, np.zeros(len(images), np.int64), 1), **columns)


_COUNTED = pa.schema([field if field.name != "split" else pa.field("split", pa.int64()) for field in ATTRIBUTES])
"""ATTRIBUTES with numbers of splits, -1 for all."""


def _words(column: pa.Array, counts: _Counts) -> Iterator[pa.Table]:
    is_list = pa.types.is_list(column.type)
    encoded = (pc.list_flatten(column) if is_list else column.drop_null()).dictionary_encode()
    words, codes = encoded.dictionary, np.asarray(encoded.indices, np.int64)
    images = np.flatnonzero(column.is_valid()).astype(np.int64)
    if is_list:  # one image may name a word twice
        pairs = np.unique(np.asarray(pc.list_parent_indices(column), np.int64) * len(words) + codes)
        images, codes = pairs // max(len(words), 1), pairs % max(len(words), 1)
    found = counts.by_split(images, codes, len(words))
    chosen = _most_frequent(words, found[:, 0], 1 if pa.types.is_boolean(column.type) else _LEAST_IMAGES)
    yield counts.table("value", found[chosen], value=words.take(pa.array(chosen)).cast(pa.string()))
    is_other = np.ones(len(words), np.bool_)
    is_other[chosen] = False
    distinct = (found[is_other] > 0).sum(0, keepdims=True).astype(np.int64)
    yield counts.rows("others", np.unique(images[is_other[codes]]), distinct=distinct)


def _most_frequent(words: pa.Array, images: _Ints, least: int) -> _Ints:
    """Places of the words with the most images, at least so many; of equal ones the first by name."""
    places = np.flatnonzero(images >= least)
    if len(places) > MOST_VALUES:  # only these need be sorted by name
        places = places[images[places] >= np.partition(images[places], -MOST_VALUES)[-MOST_VALUES]]
    candidates = pa.table({"images": images[places], "word": words.take(pa.array(places)).cast(pa.string())})
    order = pc.sort_indices(candidates, [("images", "descending"), ("word", "ascending")])
    return places[np.asarray(order, np.int64)[:MOST_VALUES]]


def _bins(column: pa.Array, counts: _Counts) -> Iterator[pa.Table]:
    """Of each value where these are few, else about equally large; each begins at a value, the last ends above all."""
    images = np.flatnonzero(column.is_valid()).astype(np.int64)
    values = np.asarray(column.drop_null().cast(pa.float64(), safe=False), np.float64)
    starts = np.unique(values)
    if len(starts) > MOST_BINS:
        starts = np.unique(np.quantile(values, np.arange(MOST_BINS) / MOST_BINS, method="inverted_cdf"))
    if len(starts):
        edges = np.append(starts, np.nextafter(values.max(), np.inf))
        groups = np.searchsorted(edges[:-1], values, side="right") - 1
        found = counts.by_split(images, groups.astype(np.int64), len(edges) - 1)
        yield counts.table("bin", found, least=pa.array(edges[:-1]), below=pa.array(edges[1:]))


def summaries(counted: pa.Table, attributes: Mapping[str, Described], images: int) -> list[AttributeSummary]:
    """What people see of ATTRIBUTES, in the recipe's order. images: of the release."""
    whole_release = counted.filter(pc.is_null(counted["split"])).to_pylist()
    found = []
    for name, attribute in attributes.items():
        rows = [row for row in whole_release if row["attribute"] == name]
        lacking = sum(row["images"] for row in rows if row["kind"] == "none")
        description = " ".join(attribute.description.split())
        found.append(AttributeSummary(name, attribute.type, images - lacking, tuple(_values(rows)), description))
    return found


def _values(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if bins := [row for row in rows if row["kind"] == "bin"]:
        yield f"{bins[0]['least']:g} to {np.nextafter(bins[-1]['below'], -np.inf):g}"
    words = [row for row in rows if row["kind"] == "value"]
    for row in words[:_SHOWN]:
        text = row["value"]
        yield f"{text if len(text) <= _LONGEST else f'{text[:_LONGEST]}...'} ({row['images']:,})"
    if others := sum(row["distinct"] for row in rows if row["kind"] == "others") + len(words[_SHOWN:]):
        yield number_of(others, "other" if words else "different value")
