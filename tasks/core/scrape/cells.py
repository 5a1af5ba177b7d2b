"""Cells of a table that hold more than one value: lists, objects, bytes, and texts that are a list or an object."""

import json
import re
import shlex
from typing import Any

TWICE = object()
"""The cell of a column that its table, or its row, names twice: no rule says which of them counts."""

_FREE_TEXT = {"title", "date_text", "rights_text"}
"""Fields whose text may well begin with a bracket: '["Untitled"]' is what a museum calls a work without a title."""
_AS_PYTHON_WRITES_IT = re.compile(r"\[\s*\{\s*['\"].*\}\s*\]|\{\s*['\"][^'\"]*['\"]\s*:.*\}", re.DOTALL)
_LIST_OF_TEXTS = re.compile(r"\[\s*(?:['\"].*['\"]\s*)?\]", re.DOTALL)
_LIKELY_NAMES = ("image_url", "url", "src", "path", "name", "title", "label", "value", "id")
_LONGEST_NAME = 60


def nesting_of(field: str, value: Any) -> str | None:
    """What a cell holds in place of one value: "a list", "an object", "bytes"; None if it is one value, or nothing.

    A list of texts is what the field `styles` asks for. A text counts as what it spells, in JSON or in Python.

    >>> nesting_of("artist", {"name": "Gris"}), nesting_of("image", "[{'url': 'a.jpg'}]")
    ('an object', 'a list')
    >>> nesting_of("title", "[Untitled]") is None
    True
    >>> nesting_of("styles", ["Cubism"]), nesting_of("artist", ["Gris"]), nesting_of("image", b"x")
    (None, 'a list', 'bytes')
    """
    if isinstance(value, str):
        return _spelled(field, value.strip())
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        is_texts = field == "styles" and not any(nesting_of("style", part) for part in value)
        return None if is_texts else "a list"
    return "bytes" if isinstance(value, bytes | bytearray | memoryview) else None


def remedy(table: str, field: str, column: str, value: Any) -> str:
    r"""How to make the column flat, as the end of a sentence: a line for a person to start from.

    >>> remedy("works.jsonl", "image", "images", [{"id": 7, "image_url": "http://a.example/1.jpg"}])
    'make it flat first, for example: jq -c \'."images" |= (strings // .[0]?["image_url"]?)\' works.jsonl > flat.jsonl'
    """
    if isinstance(value, bytes | bytearray | memoryview):
        return (
            "write the pictures as files and their paths into the column"
            if field == "image"
            else "write it as text first"
        )
    if isinstance(value, str):
        return "write the value itself into the column, without brackets" + (
            ", several styles with | between them" if field == "styles" else ""
        )
    steps = _steps(value)
    if table.endswith((".csv", ".parquet")):
        path = "".join(f".str[{step!r}]" for step in steps)
        return f"make it flat first, for example with pandas: table[{column!r}] = table[{column!r}]{path}"
    path = "".join(f"[{json.dumps(step, ensure_ascii=False)}]?" for step in steps)
    name = json.dumps(column, ensure_ascii=False)
    program = shlex.quote(f".{name} |= (strings // .{path})")
    return f"make it flat first, for example: jq -c {program} {shlex.quote(table)} > flat.jsonl"


def _spelled(field: str, text: str) -> str | None:
    if text[:1] not in {"[", "{"} or text[-1:] not in {"]", "}"}:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    is_list = text.startswith("[")
    if isinstance(value, dict) or _AS_PYTHON_WRITES_IT.fullmatch(text):
        return "a list" if is_list else "an object"
    holds_objects = isinstance(value, list) and any(isinstance(part, dict | list) for part in value)
    if holds_objects or (is_list and field not in _FREE_TEXT and _LIST_OF_TEXTS.fullmatch(text)):
        return "a list"
    return None


def _steps(value: Any) -> list[int | str]:
    """The way to a first plain value in a list or an object."""
    steps: list[int | str] = []
    while len(steps) < 4 and isinstance(value, list | tuple | dict) and value:
        if isinstance(value, dict):
            names = [str(name)[:_LONGEST_NAME] for name in value]
            steps.append(next((name for name in _LIKELY_NAMES if name in value), names[0]))
            value = value.get(steps[-1])
        else:
            steps.append(0)
            value = value[0]
    return steps or [0]
