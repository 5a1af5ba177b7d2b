"""Columns of two tables side by side: which rows are in both, and in which of them the values differ."""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.diff import CHANGES, ChangeReason, Kind
from tasks.core.columns import Column, bools, is_same, whole

Bools = NDArray[np.bool_]
Detail = str | Column
_REASONS = tuple(ChangeReason)


class Alignment(NamedTuple):
    """Rows of two columns of keys."""

    both: NDArray[np.int64]  # (P, 2) places of those that are in both, by the second
    only_before: NDArray[np.int64]  # places of the others
    only_after: NDArray[np.int64]


def align(before: Column, after: Column) -> Alignment:
    """Where two columns, each of which is unique and has no null, have the same keys."""
    found = np.asarray(pc.fill_null(pc.index_in(after, value_set=whole(before)), -1), np.int64)
    rows = np.flatnonzero(found >= 0)
    is_common = np.zeros(len(before), np.bool_)
    is_common[found[rows]] = True
    return Alignment(np.stack([found[rows], rows], axis=1), np.flatnonzero(~is_common), np.flatnonzero(found < 0))


def differ(before: Column, after: Column) -> Bools:
    """(N,) whether the values of two columns of N rows differ; null is equal to null, and lists go by their items."""
    one, other = whole(before), whole(after)
    if _is_list(one.type):
        return _lists_differ(one, other)
    return ~bools(is_same(one, other))


def _lists_differ(before: pa.Array, after: pa.Array) -> Bools:
    sizes, others = (np.asarray(pc.fill_null(pc.list_value_length(side), -1)) for side in (before, after))
    found: Bools = sizes != others
    rows = np.flatnonzero(~found & (sizes > 0))
    if len(rows):
        items = (pc.list_flatten(side.take(pa.array(rows))) for side in (before, after))
        starts = np.concatenate([[0], np.cumsum(sizes[rows])[:-1]])
        found[rows] = np.logical_or.reduceat(differ(*items), starts)
    return found


def is_in(column: Column, values: Column) -> Bools:
    """(N,) whether each value of a column is one of these; null is none."""
    if not len(values):
        return np.zeros(len(column), np.bool_)
    return bools(pc.and_(pc.is_in(column, value_set=whole(values)), pc.is_valid(column)))


def equals(column: Column, value: str) -> Bools:
    """(N,) whether each value of a column is this one; null is not."""
    return bools(pc.equal(column, value))


def records_of_one(before: pa.Table, after: pa.Table) -> pa.Array:
    """The records, all a before all b, of pairs that only one of two tables of text columns has."""
    texts = [pc.binary_join_element_wise(*table.columns, "\n") for table in (before, after)]
    mine = ~is_in(texts[0], texts[1]), ~is_in(texts[1], texts[0])
    pairs = pa.concat_tables([before.filter(pa.array(mine[0])), after.filter(pa.array(mine[1]))])
    return pa.concat_arrays([whole(pairs[end]) for end in ("a", "b")])


def as_text(column: Column) -> pa.Array:
    """Any column as text, lists with " | " between their items; null stays null."""
    column = whole(column)
    if _is_list(column.type):
        return pc.binary_join(column.cast(pa.list_(pa.string())), " | ")
    return column.cast(pa.string())


def as_one_type(before: Column, after: Column) -> tuple[Column, Column]:
    """Both as they are, or, of an attribute that was declared anew, as text: "3" is 3."""
    return (before, after) if before.type == after.type else (as_text(before), as_text(after))


def joined(*parts: Column | str) -> pa.Array:
    """(N,) texts put together; null counts as empty."""
    return whole(pc.binary_join_element_wise(*parts, "", null_handling="replace", null_replacement=""))


def take(column: Column, rows: NDArray[np.int64]) -> pa.Array:
    """The rows of a column; without moving anything where these are all of them, in order."""
    column = whole(column)
    if len(rows) == len(column) and np.array_equal(rows, np.arange(len(rows))):
        return column
    return column.take(pa.array(rows))


class Explanations:
    """Why each of N rows has changed: the first reason whose condition holds."""

    def __init__(self, rows: int) -> None:
        self._reason = np.full(rows, -1, np.int8)
        self._detail = pa.nulls(rows, pa.string())

    def say(self, where: Bools | bool, reason: ChangeReason, detail: Detail | Callable[[], Detail] = "") -> None:
        """Give a reason to the rows without one. where: (N,), or True. detail: (N,), of all, or what gives it."""
        is_new = where & (self._reason < 0)
        if not is_new.any():
            return
        self._reason[is_new] = _REASONS.index(reason)
        text = detail() if callable(detail) else detail
        value = pa.scalar(text or None, pa.string()) if isinstance(text, str) else whole(text)
        self._detail = pc.if_else(pa.array(is_new), value, self._detail)

    def say_cause(self, where: Bools | bool, reason: ChangeReason, cause: str, words: Column | None = None) -> None:
        """The same where there is a cause: an empty text is none. words: (N,) what the detail says before it."""
        if cause:
            self.say(where, reason, cause if words is None else joined(words, cause))

    def columns(self) -> tuple[pa.Array, pa.Array]:
        """(N,) reasons and details; what has none is unknown."""
        self.say(True, ChangeReason.UNKNOWN)
        reasons = pa.DictionaryArray.from_arrays(pa.array(self._reason), pa.array([str(each) for each in _REASONS]))
        return reasons.cast(pa.string()), self._detail


def changes(
    record_id: Column,
    kind: Kind | Column,
    why: Explanations,
    *,
    field: str | None = None,
    values: Sequence[Column | None] = (None, None),
    splits: Sequence[Column | None] = (None, None),
) -> pa.Table:
    """CHANGES of these records, in their order. values, splits: before and after; None: null."""
    rows = len(record_id)
    kinds = pa.repeat(str(kind), rows) if isinstance(kind, Kind) else kind
    fields = None if field is None else pa.repeat(field, rows)
    given = [record_id, kinds, fields, *values, *why.columns(), *splits]
    return pa.table([pa.nulls(rows, pa.string()) if column is None else whole(column) for column in given], CHANGES)


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind))


Read = Callable[[str], Column]
WORDS_OF = {
    **dict.fromkeys(("artist", "artists", "artist_qualifier"), "artist_text"),
    **dict.fromkeys(("year", "year_first", "year_last"), "date_text"),
}


def is_read_anew(name: str, before: Collection[str], after: Collection[str], older: Read, newer: Read) -> Bools | bool:
    """(N,) whether the words of which a column is read are the same on both sides; False where that is not known.

    before, after: the columns of either side; older, newer: give one of them. Before the words of artists were kept, a
    name that is these words now has been left as it was.
    """
    words = WORDS_OF.get(name)
    is_of_artist = name in {"artist", "artists"}
    if words is None or words not in after or (words not in before and not is_of_artist):
        return False
    was, now = older(words if words in before else "artist"), newer(words)
    if is_of_artist:
        was = pc.coalesce(was, older("artist"))
    is_same: Bools = ~differ(was, now) & np.asarray(now.is_valid())
    if name == "artists":  # words are kept of one of them; where there are more or fewer, the source says so
        is_same &= ~differ(*(pc.list_value_length(side(name)) for side in (older, newer)))
    return is_same
