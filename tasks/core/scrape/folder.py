"""Records from paths: what is known about a work is read from the path of its file."""

import functools
import re
from collections.abc import Iterable, Sequence
from typing import Any

from schemas.attributes import AttributeFields
from schemas.file_names import FileNames, canonical_name
from schemas.sources import FolderSource
from tasks.core.passed_over import Tally
from tasks.core.scrape.attributes import with_attributes
from tasks.core.scrape.records import record, same_key
from tasks.core.scrape.table_files import Files

_FIELD = re.compile(r"\{(\w+)\}|\*")
_NO_FILES = FileNames(())
_CASES = (str, str.upper, str.lower)
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,8}\Z")


def fields_of_path(pattern: str, path: str) -> dict[str, str] | None:
    """The pattern's fields in a path, or None if it does not match.

    A field matches the shortest possible text without "/"; a field that occurs twice must match the same text. "*"
    matches any text without "/". The extension at the pattern's end matches in any case, all else as it is written, or
    as it is in composed letters.

    >>> fields_of_path("{style}/{artist}_{title}.jpg", "Cubism/juan-gris_still_life.jpg")
    {'style': 'Cubism', 'artist': 'juan-gris', 'title': 'still_life'}
    >>> fields_of_path("{style}/{title}.jpg", "Cubism/deep/er.jpg") is None
    True
    >>> fields_of_path("{title}.jpg", "still-life.JPG")
    {'title': 'still-life'}
    """
    match = _expression(pattern).fullmatch(path)
    if match is None and not path.isascii():
        match = _expression(canonical_name(pattern)).fullmatch(canonical_name(path))
    return dict(match.groupdict()) if match else None


def extension(pattern: str) -> str:
    """The extension at the end of a pattern or a path, in lower case; "" where it has none.

    >>> extension("{style}/{title}.JPG"), extension("{title}.*"), extension("{title}"), extension("a.b/README")
    ('.jpg', '', '', '')
    """
    match = _EXTENSION.search(pattern)
    return match[0].lower() if match else ""


def files(paths: Iterable[str]) -> list[str]:
    """The files among listed paths: a link to a folder, which ends with "/", is none.

    >>> files(["monet/", "monet/a.jpg"])
    ['monet/a.jpg']
    """
    return [path for path in paths if not path.endswith("/")]


def tables_of_paths(source: FolderSource, paths: Iterable[str]) -> list[str]:
    """None: what is known stands in the paths."""
    return []


def rows(source: FolderSource, files: Files, attributes: AttributeFields, left_out: Tally) -> list[dict[str, Any]]:
    """A row of RECORDS for each file that fits the pattern."""
    return records(source, files.paths, attributes)


def expected(source: FolderSource, paths: Sequence[str], left_out: Tally) -> str:
    """Where no file fits the pattern: what was expected, and what there is."""
    examples = f", such as {', '.join(sorted(paths)[:3])}" if paths else ""
    return f"files like '{source.pattern}' below binding '{source.at}', got none among {len(paths)} files{examples}"


def records(
    source: FolderSource, paths: Iterable[str], attributes: AttributeFields | None = None
) -> list[dict[str, Any]]:
    """A row of RECORDS for each path that matches the pattern. The source key is the path if the pattern has no key.

    Of files with one key, those that have the pattern's extension to the letter come first: such a record stays what it
    is, whatever lies beside its file. attributes: their fields are among the pattern's fields.
    """
    matched = [(path, fields) for path in files(paths) if (fields := fields_of_path(source.pattern, path)) is not None]
    rows = [
        with_attributes(record(source, {"key": path, **fields, "image": path}), attributes or {}, fields.get)
        for path, fields in matched
    ]
    end = len(source.pattern) - len(extension(source.pattern))
    is_exact = [path.endswith(source.pattern[end:]) for path, _ in matched]
    names = {row["record_id"] for row, exact in zip(rows, is_exact, strict=True) if exact}
    return [
        row if exact or row["record_id"] not in names else same_key(row)
        for row, exact in zip(rows, is_exact, strict=True)
    ]


def annotation_path(template: str, pattern: str, path: str, there: FileNames = _NO_FILES) -> str:
    """The path of the annotation that belongs to an image: the template with the image's fields filled in.

    there: paths of files. Where none is found by that name, one counts whose extensions are in another case, as that of
    `a.JPG` may be `a.JPG.xml` for a template `{title}.jpg.xml`, or `a.XML`.
    """
    fields = fields_of_path(pattern, path) or {}
    found = _FIELD.sub(lambda match: fields.get(match[1] or "", ""), template)
    if (actual := there.find(found)) is not None:
        return actual
    within = extension(pattern)
    own = path[len(path) - len(within) :]
    spelled = [found, f"{own}.".join(found.rsplit(f"{within}.", 1))] if within else [found]
    ends = (name[len(name) - len(extension(name)) :] for name in spelled)
    others = [name.removesuffix(end) + case(end) for name, end in zip(spelled, ends, strict=True) for case in _CASES]
    return next((actual for name in others if (actual := there.find(name)) is not None), found)


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
    end = max(len(pattern) - len(extension(pattern)), last)
    return re.compile("".join([*parts, re.escape(pattern[last:end]), f"(?i:{re.escape(pattern[end:])})"]))
