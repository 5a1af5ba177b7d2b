"""Every place of a model's JSON schema at which a value may stand, and values that are wrong there."""

import copy
import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

Step = str | int
Schema = dict[str, Any]
_DEEPEST = 8


class Place(NamedTuple):
    """Where a value may stand, and the JSON types that it may have there."""

    path: tuple[Step, ...]
    types: frozenset[str]

    @property
    def words(self) -> tuple[str, ...]:
        """The names on the way, of which a sentence about it should have one."""
        names = tuple(step for step in self.path if isinstance(step, str))
        return tuple(name for name in names if name not in {"stages", "sources"}) or names


_NULL, _NUMBERS = "null", {"integer", "number"}
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3.7, -0.0, 1e308, 10**30, 10**400, float("inf"), float("nan")),
    *("", " ", "x", "odd text", "\x00", "é", "💥", "a" * 20_000, "../..", "${HOME}", "<<", "all", "train", "person"),
    *([], {}, [None], [[]], [{}], [1, 2, 3], ["x", "x"], {"x": 1}, {"": None}, {"x": {"x": {"x": []}}}, ["a"] * 3000),
    *({1: 2}, {None: 1}, {True: []}, b"\xff", {"a", "b"}),
)
"""What YAML may say at any place, whether it makes sense there or not."""


def places_of(schema: Schema) -> list[Place]:
    """All places of a model's schema. A list is entered at its first entry, a mapping of any keys at `x`."""
    return sorted(set(_places(schema, schema.get("$defs", {}), ())), key=str)


def _places(node: Schema, definitions: Schema, path: tuple[Step, ...]) -> Iterator[Place]:
    if len(path) > _DEEPEST:
        return
    forms = _forms(node, definitions)
    if path:
        yield Place(path, frozenset(_type(form) for form in forms))
    for form in forms:
        for steps, child in _children(form):
            yield from _places(child, definitions, (*path, *steps))


def _children(form: Schema) -> Iterator[tuple[tuple[Step, ...], Schema]]:
    """What may stand inside of a form, and the steps to it."""
    for name, child in form.get("properties", {}).items():
        yield (name,), child
    if isinstance(form.get("additionalProperties"), dict):
        yield ("x",), form["additionalProperties"]
    items = form.get("items")
    if isinstance(items, dict) and "discriminator" in items:
        for word, reference in items["discriminator"]["mapping"].items():
            yield (0, word), {"$ref": reference}
    elif isinstance(items, dict):
        yield (0,), items


def _forms(node: Schema, definitions: Schema) -> list[Schema]:
    """The node's alternatives, references followed."""
    if "$ref" in node:
        return _forms(definitions[node["$ref"].rpartition("/")[2]], definitions)
    for word in ("anyOf", "oneOf", "allOf"):
        if word in node:
            return [form for entry in node[word] for form in _forms(entry, definitions)]
    return [node]


def _type(form: Schema) -> str:
    if "type" in form:
        return str(form["type"])
    return "string" if isinstance(form.get("const", (form.get("enum") or [""])[0]), str) else "integer"


def is_surely_wrong(value: Any, types: frozenset[str]) -> bool:
    """Whether no reader could take a value for one of these types, however willing."""
    if value is None:
        return _NULL not in types
    if isinstance(value, dict):
        return "object" not in types
    if isinstance(value, list | set):
        return "array" not in types
    if isinstance(value, str):
        return "string" not in types and value in {"odd text", "💥", "../.."}
    if isinstance(value, bytes):
        return False
    return not types & {*_NUMBERS, "boolean"}


def with_value(fields: dict[str, Any], path: tuple[Step, ...], value: Any) -> dict[str, Any]:
    """A copy of nested mappings and lists with a value at a path; what is missing on the way is made."""
    changed = copy.deepcopy(fields)
    node: Any = changed
    for step, after in itertools.pairwise(path):
        empty: Any = [] if isinstance(after, int) else {}
        if isinstance(node, list):
            node.extend({} for _ in range(len(node), int(step) + 1))
            if not isinstance(node[int(step)], type(empty)):
                node[int(step)] = empty
        elif not isinstance(node.get(step), type(empty)):
            node[step] = empty
        node = node[step]
    if isinstance(node, list):
        node[:] = [*node[: int(path[-1])], value]
    else:
        node[path[-1]] = value
    return changed
