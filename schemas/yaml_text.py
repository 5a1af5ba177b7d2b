"""YAML that people write, read with limits: plain values, each key once, nothing that is larger than it looks.

A few hundred bytes of YAML can mean gigabytes: an alias names a list, and a list of such aliases is named again. Values
are counted as they would be written out, before any is made.
"""

import functools
import itertools
import re
from typing import Any

import yaml
from yaml.constructor import ConstructorError
from yaml.error import MarkedYAMLError
from yaml.events import AliasEvent
from yaml.nodes import MappingNode, Node, ScalarNode

from schemas.phrases import quoted

MAX_BYTES = 1 << 20
MAX_VALUES = 50_000
MAX_CHARACTERS = 4_000_000
MAX_DEPTH = 50
"""Of a YAML text: bytes in UTF-8; values and their characters, with all aliases written out; levels of lists and
mappings. Far more than people write."""

_MAX_NUMBER_BITS = 256
_MOST_KEPT = 1 << 18
"""Characters of a text whose value is kept: of strangers' texts, no more than some 100 MB stay in memory."""
_LONGEST_PROBLEM = 300
_TAG = "tag:yaml.org,2002:"
_PLAIN = {f"{_TAG}{name}" for name in ("null", "bool", "int", "float", "str", "timestamp", "seq", "map", "merge")}
_ODD_NUMBER = re.compile(r"[-+]?0[0-9_]|[^.]*:")
"""Numbers that YAML 1.1 reads in base 8 (`010` is 8) or 60 (`1:30` is 90)."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_NO_VALUE = (ValueError, LookupError, AttributeError, ArithmeticError)
"""What PyYAML raises where a text is none of what its tag says: `!!bool abc` is a KeyError."""


class NotYaml(Exception):
    """What is wrong with a text, as the part of a sentence that begins with "expected"."""


def parse_yaml(text: str, *, tolerance: int = 1) -> Any:
    """The value of a YAML text: null, true, text, numbers, dates, lists and mappings; null where the text is empty.

    What an alias names is copied to each place. tolerance: by how much the limits on bytes, values and characters are
    multiplied, for what was written out of a text that kept them.

    Raises NotYaml: for no YAML, several documents, a key that comes twice, another tag, a number of more than 256 bits
    or in base 8 or 60, and beyond the limits above.
    """
    # a text of so many characters has at least as many bytes: the longest are never encoded
    most = tolerance * MAX_BYTES
    if len(text) > most or len(text.encode("utf-8", "surrogatepass")) > most:
        raise NotYaml(f"expected YAML of at most {most:,} bytes, got more")
    try:
        return _tree((_kept_value if len(text) <= _MOST_KEPT else _value)(text, tolerance))
    except yaml.YAMLError as problem:
        raise NotYaml(f"expected YAML, got {_detail(problem)}") from problem


def _value(text: str, tolerance: int) -> Any:
    """The value, in which what an alias names is shared."""
    return _Loader(text, tolerance).get_single_data()


_kept_value = functools.lru_cache(maxsize=32)(_value)
"""A build and `verify` read the recipe and the contract of one release many times."""


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, which counts what it reads."""

    def __init__(self, text: str, tolerance: int) -> None:
        super().__init__(text)
        self._max_values, self._max_characters = tolerance * MAX_VALUES, tolerance * MAX_CHARACTERS
        self._level = 0
        # of each node that is read whole: values and characters with aliases written out, and levels
        self._sizes: dict[Node, tuple[int, int, int]] = {}

    def compose_node(self, parent: Node | None, index: Any) -> Node | None:
        line = self.peek_event().start_mark.line + 1  # type: ignore[no-untyped-call]
        is_alias = self.check_event(AliasEvent)
        self._level += 1
        if self._level > MAX_DEPTH + 1:  # the innermost is a single value
            raise _too_deep(line)
        if len(self._sizes) >= self._max_values:  # now, rather than at the end of a long list
            raise self._too_many(line)
        node = super().compose_node(parent, index)
        self._level -= 1
        if is_alias and node not in self._sizes:  # what it names is not at its end
            raise NotYaml(f"expected a list or mapping that does not hold itself, got one that does (line {line})")
        if node is not None and not is_alias:
            self._sizes[node] = self._size(node, line)
        return node

    def _size(self, node: Node, line: int) -> tuple[int, int, int]:
        if node.tag == f"{_TAG}value":  # a lone `=`, which YAML 1.1 gives a meaning that nobody uses
            node.tag = f"{_TAG}str"
        if node.tag not in _PLAIN:
            raise NotYaml(
                f"expected YAML of plain values, got the tag {quoted(node.tag.replace(_TAG, '!!'))} (line {line})"
            )
        values, characters, levels, children = 1, 0, 1, node.value
        if isinstance(node, ScalarNode):
            characters, levels, children = len(node.value), 0, ()
        elif isinstance(node, MappingNode):
            self._check_keys(node)
            children = itertools.chain(*node.value)
        for child in children:
            its_values, its_characters, its_levels = self._sizes[child]
            values, characters, levels = values + its_values, characters + its_characters, max(levels, its_levels + 1)
        if values > self._max_values or characters > self._max_characters:
            raise self._too_many(line)
        if levels > MAX_DEPTH:
            raise _too_deep(line)
        return values, characters, levels

    def _check_keys(self, node: MappingNode) -> None:
        """Raise NotYaml for a key that comes twice: of two values YAML would silently take the last."""
        lines: dict[Any, int] = {}
        for key_node, _ in node.value:
            if not isinstance(key_node, ScalarNode):
                continue  # a list as a key, which is refused when it is made
            is_merge = key_node.tag == f"{_TAG}merge"
            key = "<<" if is_merge else self.construct_object(key_node)
            line = key_node.start_mark.line + 1
            if (key, is_merge) in lines:
                raise NotYaml(
                    f"expected each key once, got {quoted(key)} on line {lines[key, is_merge]} and again on line {line}"
                )
            lines[key, is_merge] = line

    def _too_many(self, line: int) -> NotYaml:
        return NotYaml(
            f"expected at most {self._max_values:,} values and {self._max_characters:,} characters, with all aliases "
            f"written out, got more (line {line})"
        )

    def construct_object(self, node: Node, deep: bool = False) -> Any:
        if not isinstance(node, ScalarNode):
            return super().construct_object(node, deep)
        try:
            value = super().construct_object(node, deep)
        except _NO_VALUE as problem:
            kind = node.tag.removeprefix(_TAG)
            detail = f" ({problem})" if kind == "timestamp" and type(problem) is ValueError else ""
            raise ConstructorError(
                None, None, f"{quoted(node.value)}, which is no {kind}{detail}", node.start_mark
            ) from problem
        if isinstance(value, str) and not value.isascii() and _SURROGATE.search(value):
            raise ConstructorError(None, None, f"{quoted(value)}, half a character", node.start_mark)
        line = node.start_mark.line + 1
        if isinstance(value, int) and value.bit_length() > _MAX_NUMBER_BITS:
            raise NotYaml(f"expected numbers of at most {_MAX_NUMBER_BITS} bits, got {quoted(value)} (line {line})")
        if isinstance(value, int | float) and _ODD_NUMBER.match(node.value):
            raise NotYaml(
                f"expected numbers in plain decimal digits, got {node.value}, which YAML reads as {value}: write "
                f"{value}, or quotes around it if it is text (line {line})"
            )
        return value


def _tree(value: Any) -> Any:
    """The value with a copy of its own for each place at which an alias stands."""
    if isinstance(value, dict):
        return {key: _tree(entry) for key, entry in value.items()}
    return [_tree(entry) for entry in value] if isinstance(value, list) else value


def _detail(problem: yaml.YAMLError) -> str:
    """What PyYAML says is wrong and on which line, without its drawing of the place."""
    if not isinstance(problem, MarkedYAMLError) or problem.problem_mark is None:
        return " ".join(str(problem).split())[:_LONGEST_PROBLEM]
    words = " ".join(f"{problem.context or ''} {problem.problem or ''}".split())
    words = words.removeprefix("expected a single document in the stream but found ")
    hint = ": within { } a text with brackets stands in quotation marks" if "or '}', but got '['" in words else ""
    return f"{words[:_LONGEST_PROBLEM]} (line {problem.problem_mark.line + 1}){hint}"


def _too_deep(line: int) -> NotYaml:
    return NotYaml(f"expected at most {MAX_DEPTH} levels of lists and mappings, got more (line {line})")
