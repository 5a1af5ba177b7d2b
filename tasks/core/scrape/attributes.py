"""Attributes of records: what a source says, in the type that the recipe declares."""

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.attributes import AttributeFields, Attributes, AttributeType
from schemas.base import LARGEST_WHOLE
from schemas.errors import BadInput
from schemas.phrases import counted, listed, quoted
from schemas.reasons import Reason
from tasks.core.scrape.paths import TWICE
from tasks.core.whole_numbers import whole_number

_LONGEST_TEXT = 2000
_MOST_TEXTS = 1000
_MOST_ABSENT = 10
_INTEGER = re.compile(r"([+-]?[0-9]{1,19})(\.0{1,19})?")
_NUMBER = re.compile(r"[+-]?([0-9]{1,400}(\.[0-9]{0,400})?|\.[0-9]{1,400})([eE][+-]?[0-9]{1,4})?")
_TRUTH = dict.fromkeys(("true", "yes", "y", "1"), True) | dict.fromkeys(("false", "no", "n", "0"), False)
_EXPECTED: dict[AttributeType, str] = {
    "string": "one text",
    "integer": "a whole number of at most 63 bits",
    "number": "a finite number",
    "boolean": "true or false, yes or no, 1 or 0",
    "strings": f"a list of at most {_MOST_TEXTS:,} texts",
}
_SINGLE = (str, int, float, Decimal, date, time, timedelta)  # what JSON, CSV and Parquet have for one value

Value = str | int | float | bool | list[str] | None


class BadValue(ValueError):
    """A value that is not of the type."""


def typed_value(value: Any, kind: AttributeType) -> Value:
    """The value in its type; None where there is none: null, NaN, an empty text or list.

    Text becomes NFC without outer blanks, at most 2,000 characters. `strings`: a list, or a text with | between.
    Raises BadValue for what is not of the type, such as 2.5 or true for an integer, or a list for a single text.

    >>> typed_value(" 3 ", "integer"), typed_value(3.0, "integer"), typed_value("Yes", "boolean")
    (3, 3, True)
    >>> typed_value("oil | canvas", "strings"), typed_value(3, "string"), typed_value("", "number")
    (['oil', 'canvas'], '3', None)
    """
    if kind == "strings":
        return _texts(value)
    text = _text(value)
    return text if text is None or kind == "string" else _READERS[kind](value, text)


def with_attributes(
    record: Mapping[str, Any], attributes: AttributeFields, value_of: Callable[[str], Any]
) -> dict[str, Any]:
    """A row of RECORDS with its attributes, by what the source says in a field; a drop where one is not of its type."""
    if record["reason"] is not None or not attributes:
        return dict(record)
    found: dict[str, Any] = {}
    dropped: dict[str, Any] = {}
    for name, attribute in attributes.items():
        value = None if attribute.field is None else value_of(attribute.field)
        try:
            found[name] = typed_value(value, attribute.type)
        except BadValue:
            got = str(value) if value is TWICE else quoted(value)
            problem = f"attribute '{name}': expected {_EXPECTED[attribute.type]}, got {got}"
            dropped = dropped or {"reason": Reason.BAD_ATTRIBUTE, "detail": problem}
    return {**record, **found, **dropped}


def check_some_fit(source: str, records: pa.Table, attributes: AttributeFields) -> None:
    """Raise BadInput for an attribute of which no RECORDS of a source have a value of its type, and some another."""
    is_bad = pc.fill_null(pc.equal(records["reason"], str(Reason.BAD_ATTRIBUTE)), False)
    bad = records.select(["record_id", "detail"]).filter(is_bad)
    for name in attributes if bad.num_rows else ():
        mine = bad.filter(pc.starts_with(bad["detail"], f"attribute '{name}': "))
        if mine.num_rows and records[name].null_count == records.num_rows:
            first = mine.slice(0, 1).to_pylist()[0]
            raise BadInput(
                f"source '{source}': {first['detail']} in {quoted(first['record_id'])}, and the like in "
                f"{counted(mine.num_rows, 'record')}, while none has such a value: declare another type, or take it "
                "from another field"
            )


def absent_notes(records: pa.Table, attributes: Attributes, files: Collection[str]) -> tuple[str, ...]:
    """A sentence for each source on attributes that no kept record of it has. files: sources that may misspell one."""
    kept = records.select(["source", *attributes]).filter(pc.is_null(records["reason"]))
    notes = []
    for source in pc.unique(kept["source"]).sort().to_pylist() if attributes else ():
        mine = kept.filter(pc.equal(kept["source"], source))
        absent = [
            f"'{name}' (from {quoted(field)})"
            for name, attribute in attributes.items()
            if (field := attribute.field_in(name, source)) is not None and mine[name].null_count == mine.num_rows
        ]
        if absent:
            what = "the attribute" if len(absent) == 1 else "any of the attributes"
            none = f"none of its {counted(mine.num_rows, 'record')} has {what} {listed(absent, _MOST_ABSENT)}"
            notes.append(f"source '{source}': {none}{': is the field or path right?' if source in files else ''}")
    return tuple(notes)


def _texts(value: Any) -> list[str] | None:
    parts = value.split("|", _MOST_TEXTS) if isinstance(value, str) else value
    parts = parts if isinstance(parts, list | tuple) else [parts]
    if len(parts) > _MOST_TEXTS:
        raise BadValue
    return [text for part in parts if (text := _text(part)) is not None] or None


def _text(value: Any) -> str | None:
    """One value as text, None for none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if not isinstance(value, _SINGLE):
        raise BadValue
    try:
        text = str(value).lower() if isinstance(value, bool) else str(value)
    except ValueError:  # a number of more than 4,300 digits
        raise BadValue from None
    # cut first, since all of 10 MB would be brought to NFC; what composes may be some letters shorter then
    text = text.strip()[: 4 * _LONGEST_TEXT].encode("utf-8", "replace").decode().replace("\0", "")
    return unicodedata.normalize("NFC", text)[:_LONGEST_TEXT].strip() or None


def _integer(value: Any, text: str) -> int:
    match = _INTEGER.fullmatch(text)
    number = int(match[1]) if match else whole_number(value)  # of a number without a fraction, such as 1e15
    if isinstance(value, bool) or number is None or not -LARGEST_WHOLE - 1 <= number <= LARGEST_WHOLE:
        raise BadValue
    return number


def _number(value: Any, text: str) -> float:
    is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    is_numeral = isinstance(value, str) and _NUMBER.fullmatch(text)
    try:
        number = float(value if is_number else text) if is_number or is_numeral else math.nan
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise BadValue
    return number


def _boolean(value: Any, text: str) -> bool:
    if isinstance(value, float | Decimal) and value in {0, 1}:
        return bool(value)
    if text.lower() not in _TRUTH:
        raise BadValue
    return _TRUTH[text.lower()]


_READERS: Mapping[str, Callable[[Any, str], Value]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
}
