"""Conditions on columns: which records meet them, and what those say that do not. Whole columns, no object a row."""

import difflib
import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.phrases import listed, quoted
from schemas.where import Condition, Value
from tasks.core.columns import Column, bools, whole
from tasks.core.names.matching import normalize_name
from tasks.core.names.spellings import QUOTES
from tasks.core.texts import float_texts

_Mask = NDArray[np.bool_]
_APART = dict.fromkeys(map(ord, QUOTES), " ")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Signs of scripts that put no blanks between words: Thai, Lao, Burmese, Khmer, Japanese and Chinese."""
_LONGEST_DETAIL = 80
_MOST_COMPARED, _LONGEST_COMPARED = 2_000, 100
"""Distinct values, the most frequent first, that a misspelled one is compared with; and letters of each."""
_SHOWN = 3


def meets(column: pa.ChunkedArray, condition: Condition) -> _Mask:
    """(N,) whether each record meets the condition. column: of any type that attributes have, in a list any element.

    >>> column = pa.chunked_array([["Prints", "PRINTS", "Drawings", None]])
    >>> meets(column, Condition.model_validate({"is": "prints"})).tolist()
    [True, True, False, False]
    """
    passes = is_known(column)
    if condition.is_known is False:
        return ~passes
    if condition.any_of is not None:
        passes = passes & is_any(column, condition.any_of)
    if condition.none_of is not None:
        passes = passes & ~is_any(column, condition.none_of)
    if condition.contains is not None:
        passes = passes & contains_any(column, condition.contains)
    for limit, keeps in ((condition.least, pc.greater_equal), (condition.most, pc.less_equal)):
        if limit is not None:
            passes = passes & bools(keeps(_compared(column), _array_of([limit], column.type)[0]))
    return passes


def is_any(column: pa.ChunkedArray, values: Sequence[Value]) -> _Mask:
    """(N,) whether each record has one of the values; texts as Unicode NFC, whatever their case."""
    values_column, rows = _flat(column)
    is_hit = bools(pc.is_in(_compared(values_column), value_set=_compared(_array_of(values, values_column.type))))
    return is_hit if rows is None else _rows_with(rows[is_hit], len(column))


def contains_any(column: pa.ChunkedArray, phrases: Sequence[str]) -> _Mask:
    """(N,) whether each record's text, or one in its list, has one of the phrases as whole words, however written.

    Case, accents, punctuation and forms of Unicode don't matter, and an apostrophe parts two words. A phrase in a
    script without blanks between words may stand anywhere. Each distinct text is searched once.

    >>> titles = pa.chunked_array([["L'Homme à la pipe", "WOMAN, seated", "Womanhood", "坐る女", None]])
    >>> contains_any(titles, ["homme", "woman", "女"]).tolist()
    [True, True, False, True, False]
    """
    texts, rows = _flat(column)
    encoded, wanted = texts.dictionary_encode(), {_folded(phrase) for phrase in phrases}
    unspaced = [phrase.replace(" ", "") for phrase in sorted(wanted) if _UNSPACED.search(phrase)]
    lengths = sorted({phrase.count(" ") + 1 for phrase in wanted})

    def has_phrase(text: str) -> bool:
        words = text.split(" ")
        runs = (" ".join(words[at : at + size]) for size in lengths for at in range(len(words) - size + 1))
        return not wanted.isdisjoint(runs) or any(phrase in text.replace(" ", "") for phrase in unspaced)

    is_in = pa.array([has_phrase(_folded(text)) for text in encoded.dictionary.to_pylist()], pa.bool_())
    is_hit = bools(is_in.take(encoded.indices))
    return is_hit if rows is None else _rows_with(rows[is_hit], len(column))


def is_known(column: pa.ChunkedArray) -> _Mask:
    """(N,) whether each record has a value: not null, and no empty text or list."""
    if pa.types.is_string(column.type):
        return bools(pc.not_equal(column, ""))
    if pa.types.is_list(column.type):
        return bools(pc.greater(pc.list_value_length(column), 0))
    return bools(pc.is_valid(column))


def words_of(column: pa.ChunkedArray) -> pa.Array:
    """(N,) each value as text, lists with commas; null stays null."""
    values = whole(column)
    if pa.types.is_list(values.type):
        return pc.binary_join(values, ", ")
    return float_texts(values) if pa.types.is_floating(values.type) else values.cast(pa.string())


def details(name: str, column: pa.ChunkedArray, fails: _Mask) -> NDArray[np.object_]:
    """(N,) what each record that fails says in the column, in a few words: "department: Drawings"; "" of others."""
    rows = np.flatnonzero(fails)
    text = words_of(column.take(pa.array(rows)))
    is_long = pc.greater(pc.utf8_length(text), _LONGEST_DETAIL)
    cut = pc.binary_join_element_wise(pc.utf8_slice_codeunits(text, 0, _LONGEST_DETAIL), "...", "")
    said = pc.fill_null(pc.if_else(is_long, cut, text), "")
    found = np.full(len(fails), "", np.object_)
    found[rows] = [f"{name}: {value or 'unknown'}" for value in said.to_pylist()]
    return found


def nothing_meets_note(what: str, column: pa.ChunkedArray, condition: Condition) -> str:
    """A sentence where there are records and none meets the condition, with what may have been meant; else "".

    what: the condition's name, as in "`where` of title".
    """
    if not len(column) or meets(column, condition).any():
        return ""
    return f"no record meets {what}: {_what_there_is(column, condition)}"


def _what_there_is(column: pa.ChunkedArray, condition: Condition) -> str:
    values = _flat(column)[0].drop_null()
    if not len(values):
        return "none has a value there"
    if not pa.types.is_string(values.type):
        ends = pc.min_max(values).as_py()
        return f"the values are from {ends['min']} to {ends['max']}".lower()
    counted = pc.value_counts(values)
    order = np.argsort(-np.asarray(pc.struct_field(counted, "counts")), kind="stable")[:_MOST_COMPARED]
    known = [text for text in pc.struct_field(counted, "values").take(pa.array(order)).to_pylist() if text]
    by_form = {text[:_LONGEST_COMPARED].lower(): text for text in reversed(known)}
    near: dict[str, None] = {}
    for wanted in (condition.any_of or ())[:_SHOWN]:
        form = str(wanted)[:_LONGEST_COMPARED].lower()
        near |= dict.fromkeys(difflib.get_close_matches(form, by_form, n=_SHOWN))
    words, shown = ("nearest", [by_form[form] for form in near]) if near else ("most frequent", known)
    return f"the {words} values are {listed([quoted(text) for text in shown], _SHOWN)}"


def _flat(column: pa.ChunkedArray) -> tuple[pa.Array, NDArray[np.int64] | None]:
    """All values of a column, and for lists the row of each; None where each row has its own."""
    values = whole(column)
    if not pa.types.is_list(values.type):
        return values, None
    return pc.list_flatten(values), np.asarray(pc.list_parent_indices(values), np.int64)


def _rows_with(rows: NDArray[np.int64], size: int) -> _Mask:
    found = np.zeros(size, np.bool_)
    found[rows] = True
    return found


def _folded(text: str) -> str:
    """The words of a text, with single blanks: an apostrophe parts "l'homme"."""
    return normalize_name(text.translate(_APART))


def _array_of(values: Sequence[Value], kind: pa.DataType) -> pa.Array:
    if pa.types.is_floating(kind):
        return pa.array([float(value) for value in values], pa.float64())
    return pa.array(values, pa.int64() if pa.types.is_integer(kind) else kind)


def _compared(values: Column) -> Column:
    """Values as they are compared: the one rule for texts."""
    if pa.types.is_string(values.type):
        return pc.utf8_lower(pc.utf8_normalize(values, form="NFC"))
    return values.cast(pa.int64()) if pa.types.is_integer(values.type) else values
