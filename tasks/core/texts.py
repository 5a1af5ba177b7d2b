"""Whole columns as text: numbers as Python writes them, and values as JSON has them, without a Python object a row."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tasks.core.columns import Column, whole

_PLAIN = (1e-4, 1e9)
"""Between these Arrow and Python write the same shortest decimals, but for the ".0" of whole numbers."""
_NEEDS_ESCAPE = r'["\\\x00-\x1f]'
_ESCAPES = {letter: json.dumps(letter)[1:-1] for letter in ("\\", '"', *map(chr, range(0x20)))}
"""The backslash first: the others bring more of them."""


def float_texts(values: Column) -> pa.Array:
    """(N,) each number as Python's repr writes it, the shortest text that reads back as it; null stays null.

    >>> float_texts(pa.array([1.0, 0.1, 1e-5, None])).to_pylist()
    ['1.0', '0.1', '1e-05', None]
    """
    values = whole(values)
    text = values.cast(pa.string())
    text = pc.if_else(pc.match_substring(text, "."), text, pc.binary_join_element_wise(text, ".0", ""))
    number = values.to_numpy(zero_copy_only=False)
    size = np.abs(number)
    is_odd = ~((size >= _PLAIN[0]) & (size < _PLAIN[1]) | (size == 0)) & values.is_valid().to_numpy(False)
    if not is_odd.any():
        return text
    odd = pa.array([repr(value) for value in number[is_odd].tolist()], pa.string())
    return pc.replace_with_mask(text, pa.array(is_odd), odd)


def list_texts(values: Column, separator: str) -> pa.Array:
    """(N,) the numbers of each list as Python's repr writes them, with the separator between; null stays null.

    >>> list_texts(pa.array([[1.0, 2.5], [], None]), ", ").to_pylist()
    ['1.0, 2.5', '', None]
    """
    lists = whole(values)
    joined = _joined(lists, pc.fill_null(float_texts(pc.list_flatten(lists)), "None"), separator)
    return pc.if_else(lists.is_valid(), joined, pa.scalar(None, pa.string()))


def _joined(lists: pa.Array, texts: pa.Array, separator: str) -> pa.Array:
    """(N,) lists with these texts in the place of their values, as one text each; null lists as empty ones."""
    sizes = np.asarray(pc.fill_null(pc.list_value_length(lists), 0), np.int64)
    offsets = pa.array(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32))
    return pc.binary_join(pa.ListArray.from_arrays(offsets, texts), separator)


def json_texts(values: Column) -> pa.Array:
    r"""(N,) each text as JSON writes it in UTF-8, with its quotation marks; null is `null`.

    >>> json_texts(pa.array(['a "b"', None])).to_pylist()
    ['"a \\"b\\""', 'null']
    """
    text = whole(values)
    is_odd = pc.fill_null(pc.match_substring_regex(text, _NEEDS_ESCAPE), False)
    if pc.any(is_odd).as_py():
        odd = text.filter(is_odd)
        for letter, escape in _ESCAPES.items():
            odd = pc.replace_substring(odd, letter, escape)
        text = pc.replace_with_mask(text, is_odd, odd)
    return pc.fill_null(pc.binary_join_element_wise('"', text, '"', ""), "null")


def json_lists(values: Column) -> pa.Array:
    """(N,) each list of texts as JSON writes it; null is `null`.

    >>> json_lists(pa.array([["a", "b"], [], None])).to_pylist()
    ['["a","b"]', '[]', 'null']
    """
    lists = whole(values)
    inner = _joined(lists, json_texts(pc.list_flatten(lists)), ",")
    return pc.if_else(lists.is_valid(), pc.binary_join_element_wise("[", inner, "]", ""), "null")


def json_values(values: Column) -> pa.Array:
    """(N,) values of any type that attributes have, as JSON writes them; null is `null`.

    >>> json_values(pa.array([2.0, None])).to_pylist(), json_values(pa.array([["a"]])).to_pylist()
    (['2.0', 'null'], ['["a"]'])
    """
    if pa.types.is_string(values.type):
        return json_texts(values)
    if pa.types.is_list(values.type):
        return json_lists(values)
    if pa.types.is_floating(values.type):
        return pc.fill_null(float_texts(values), "null")
    return plain_texts(values)


def plain_texts(values: Column) -> pa.Array:
    """(N,) whole numbers and truth values as JSON writes them; null is `null`.

    >>> plain_texts(pa.array([1, None])).to_pylist(), plain_texts(pa.array([True])).to_pylist()
    (['1', 'null'], ['true'])
    """
    return pc.fill_null(whole(values).cast(pa.string()), "null")
