"""What the numbers in YOLO's texts mean: names of classes, and how many key points a line has.

data.yaml says both (`names`, `kpt_shape`, `kpt_names`; docs.ultralytics.com/datasets); a text such as classes.txt or
obj.names has a name a line, the first of class 0.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from schemas.errors import BadInput
from schemas.phrases import quoted
from schemas.stand_ins import stand_in
from schemas.yaml_text import MAX_BYTES, NotYaml, parse_yaml

MAX_CLASSES, MAX_POINTS = 100_000, 1000
"""Far more than any trainer takes."""
_YAML = (".yaml", ".yml")
_POINT_SIZES = (2, 3)


class YoloClasses(NamedTuple):
    """Names by the class's number, which may leave numbers out. points: key points of a line, 0 for none. point_size:
    numbers of each, 2 (x and y) or 3 (and whether it is seen). joints: names of the key points, by the class's number.
    """

    names: Mapping[int, str]
    points: int = 0
    point_size: int = 0
    joints: Mapping[int, list[str]] = {}


def read_classes(name: str, path: str, data: bytes) -> YoloClasses:
    r"""What a data.yaml says, or a text with a name a line. name: for messages; path: says by its ending which it is.

    Raises BadInput for what is neither: other bytes than UTF-8, more than a megabyte, no names, a name that is no text
    or a number, a line without a name between others, other names than `nc` counts, key points of no shape.

    >>> read_classes("file", "classes.txt", b"person\nhorse\n").names
    {0: 'person', 1: 'horse'}
    """
    try:
        if (words := stand_in(data)) is not None:
            raise ValueError(f"expected names of classes, got {words}")
        if len(data) > MAX_BYTES:
            raise ValueError(f"expected names of classes in at most {MAX_BYTES:,} bytes, got more")
        text = data.decode("utf-8-sig")
        return _classes_of_yaml(text) if path.lower().endswith(_YAML) else YoloClasses(_names_of_lines(text))
    except UnicodeDecodeError as problem:
        raise BadInput(f"{name}: expected names of classes in UTF-8, got other bytes") from problem
    except (ValueError, NotYaml) as problem:
        raise BadInput(f"{name}: {problem}") from problem


def _names_of_lines(text: str) -> dict[int, str]:
    lines = [line.strip() for line in text.strip().splitlines()]
    if not all(lines):
        place = lines.index("") + 1
        raise ValueError(f"expected a name of a class in each line, got none in line {place}, before others")
    return _checked(dict(enumerate(lines)))


def _classes_of_yaml(text: str) -> YoloClasses:
    said = parse_yaml(text)
    if not isinstance(said, dict):
        raise ValueError(f"expected names of classes under `names`, got {quoted(said)}")
    names = _checked(_names(said.get("names")))
    count = said.get("nc", len(names))
    if count != len(names):
        raise ValueError(f"expected as many names as `nc` counts, got {len(names)}, and nc: {quoted(count)}")
    return YoloClasses(names, *_shape(said.get("kpt_shape")), _joints(said.get("kpt_names"), names))


def _checked(names: dict[int, str]) -> dict[int, str]:
    if not 0 < len(names) <= MAX_CLASSES:
        raise ValueError(f"expected from 1 to {MAX_CLASSES:,} names of classes, got {len(names):,}")
    return names


def _names(value: Any) -> dict[int, str]:
    """Names of a list, or of a mapping from numbers."""
    entries = dict(enumerate(value)) if isinstance(value, list) else value
    if not isinstance(entries, dict):
        raise ValueError(f"expected names of classes under `names`, a list or a mapping, got {quoted(value)}")
    found = {_number(key): _name(name) for key, name in entries.items()}
    if len(found) < len(entries):
        raise ValueError(f"names: expected each number once, got {len(entries)} names of {len(found)} numbers")
    return dict(sorted(found.items()))


def _number(key: Any) -> int:
    text = str(key)
    if isinstance(key, bool) or not (text.isascii() and text.isdigit() and len(text) <= len(str(MAX_CLASSES))):
        raise ValueError(f"names: expected whole numbers from 0 on before the names, got {quoted(key)}")
    return int(text)


def _name(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise ValueError(f"names: expected text, got {quoted(value)}: write quotation marks round it if it is a name")
    return str(value)


def _shape(value: Any) -> tuple[int, int]:
    """Points of a line, and numbers of a point; 0, 0 for none."""
    if value is None:
        return 0, 0
    if not isinstance(value, list) or [*map(type, value)] != [int, int]:
        raise ValueError(f"kpt_shape: expected two whole numbers, points and numbers of each, got {quoted(value)}")
    points, size = value
    if not 0 < points <= MAX_POINTS or size not in _POINT_SIZES:
        raise ValueError(f"kpt_shape: expected up to {MAX_POINTS} points of 2 or 3 numbers, got {quoted(value)}")
    return points, size


def _joints(value: Any, names: Mapping[int, str]) -> dict[int, list[str]]:
    """Names of key points by the class's number, of one list for all classes; of those that are none, none."""
    lists = value if isinstance(value, dict) else dict.fromkeys(names, value)
    return {
        number: [*given]
        for number, given in lists.items()
        if isinstance(given, list) and 0 < len(given) <= MAX_POINTS and {*map(type, given)} == {str}
    }
