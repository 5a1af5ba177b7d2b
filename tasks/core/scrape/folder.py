"""Records from paths: what is known about a work is read from the path of its file."""

import functools
import re
from collections.abc import Iterable
from typing import Any

from schemas.attributes import AttributeFields
from schemas.sources import FolderSource
from tasks.core.scrape.attributes import with_attributes
from tasks.core.scrape.records import record

_FIELD = re.compile(r"\{(\w+)\}|\*")


def fields_of_path(pattern: str, path: str) -> dict[str, str] | None:
    """The pattern's fields in a path, or None if it does not match.

    A field matches the shortest possible text without "/"; a field that occurs twice must match the same text. "*"
    matches any text without "/".

    >>> fields_of_path("{style}/{artist}_{title}.jpg", "Cubism/juan-gris_still_life.jpg")
    {'style': 'Cubism', 'artist': 'juan-gris', 'title': 'still_life'}
    >>> fields_of_path("{style}/{title}.jpg", "Cubism/deep/er.jpg") is None
    True
    """
    match = _expression(pattern).fullmatch(path)
    return dict(match.groupdict()) if match else None


def records(
    source: FolderSource, paths: Iterable[str], attributes: AttributeFields | None = None
) -> list[dict[str, Any]]:
    """A row of RECORDS for each path that matches the pattern. The source key is the path if the pattern has no key.

    attributes: their fields are among the pattern's fields.
    """
    matched = ((path, fields_of_path(source.pattern, path)) for path in paths)
    return [
        with_attributes(record(source, {"key": path, **fields, "image": path}), attributes or {}, fields.get)
        for path, fields in matched
        if fields is not None
    ]


def annotation_path(template: str, pattern: str, path: str) -> str:
    """The path of the annotation that belongs to an image: the template with the image's fields filled in."""
    fields = fields_of_path(pattern, path) or {}
    return _FIELD.sub(lambda match: fields.get(match[1] or "", ""), template)


@functools.lru_cache(maxsize=32)
def _expression(pattern: str) -> re.Pattern[str]:
    parts, last, fields = [], 0, set()
    for match in _FIELD.finditer(pattern):
        parts.append(re.escape(pattern[last : match.start()]))
        name = match[1]
        if name is None:
            parts.append("[^/]*")
        else:
            parts.append(f"(?P={name})" if name in fields else f"(?P<{name}>[^/]+?)")
            fields.add(name)
        last = match.end()
    return re.compile("".join([*parts, re.escape(pattern[last:])]))
