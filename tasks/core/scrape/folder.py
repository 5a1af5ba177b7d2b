"""Records from paths: what is known of a work stands in the name of its file."""

import functools
import re
from collections.abc import Iterable
from typing import Any

from schemas.sources import FolderSource
from tasks.core.scrape.records import record

_FIELD = re.compile(r"\{(\w+)\}|\*")


def fields_of_path(pattern: str, path: str) -> dict[str, str] | None:
    """The pattern's fields in a path, or None where it does not match.

    A field takes a stretch without "/", as short as it can be; used twice, it must be the same twice. "*" takes any
    stretch without "/".

    >>> fields_of_path("{style}/{artist}_{title}.jpg", "Cubism/juan-gris_still_life.jpg")
    {'style': 'Cubism', 'artist': 'juan-gris', 'title': 'still_life'}
    >>> fields_of_path("{style}/{title}.jpg", "Cubism/deep/er.jpg") is None
    True
    """
    found = _expression(pattern).fullmatch(path)
    return dict(found.groupdict()) if found else None


def records(source: FolderSource, paths: Iterable[str]) -> list[dict[str, Any]]:
    """A row of RECORDS for each path that matches the pattern. The key is the path where the pattern has none."""
    matched = ((path, fields_of_path(source.pattern, path)) for path in paths)
    return [record(source, {"key": path, **fields, "image": path}) for path, fields in matched if fields is not None]


def annotation_path(template: str, pattern: str, path: str) -> str:
    """The path of the annotation that belongs to an image: the template with the image's fields filled in."""
    fields = fields_of_path(pattern, path) or {}
    return _FIELD.sub(lambda found: fields.get(found[1] or "", ""), template)


@functools.lru_cache(maxsize=32)
def _expression(pattern: str) -> re.Pattern[str]:
    parts, last, seen = [], 0, set()
    for found in _FIELD.finditer(pattern):
        parts.append(re.escape(pattern[last : found.start()]))
        name = found[1]
        if name is None:
            parts.append("[^/]*")
        else:
            parts.append(f"(?P={name})" if name in seen else f"(?P<{name}>[^/]+?)")
            seen.add(name)
        last = found.end()
    return re.compile("".join([*parts, re.escape(pattern[last:])]))
