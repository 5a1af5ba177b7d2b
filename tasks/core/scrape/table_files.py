"""Files of a source, opened one after the other: tables of any format as rows, in the memory of one work."""

import codecs
import csv
import functools
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, Any, NamedTuple

from schemas.attributes import AttributeFields
from schemas.errors import BadInput
from schemas.file_names import FileNames, canonical_name
from schemas.phrases import LONGEST_PLACE, listed, quoted
from schemas.sources import AnyFileSource
from schemas.sources.table import A_TABLE, TABLE_ENDINGS, TableSource
from schemas.stand_ins import LOOK_BYTES, stand_in
from tasks.core.passed_over import Tally
from tasks.core.scrape import json_works, table
from tasks.core.scrape.json_works import UNREADABLE
from tasks.core.scrape.paths import parse_path

# no larger share of a table's beginning may be NUL: UTF-16 has one in every letter, a single one is its row's matter
_FIRST_CHARACTERS, _MOST_NULS = 4096, 0.1
_CHUNK = 1 << 20
_STARS = re.compile(r"\*+")
_EXAMPLES = 3
_ENDINGS = ", ".join(TABLE_ENDINGS)
_NEAR_BYTES = 10  # shown on either side of what is no UTF-8
Read = Callable[[str], IO[bytes] | None]
"""Opens a file by its path; None if there is none. Raises UnreadableFile if it can't be read."""


class Files(NamedTuple):
    """The files below a source's binding: their paths, what opens one, and what reads the rows of a Parquet file."""

    paths: Sequence[str]
    open: Read
    parquet_rows: Callable[[bytes], Iterable[dict[str, Any]]]


class UnreadableFile(Exception):
    """A file that is there and could not be read; the message says why."""

    @property
    def got(self) -> str:
        """What there is, for a sentence."""
        return f"a file that can't be read: {self}"


def missing_file(source: AnyFileSource, what: str, path: str, there: FileNames) -> BadInput:
    """The sentence on a file that is not among those that are there, or the first of them."""
    tables = [quoted(path) for path in sorted(there) if path.lower().endswith(TABLE_ENDINGS)]
    some = f"tables there: {listed(tables, _EXAMPLES)}" if tables else f"there is no table, which ends in {_ENDINGS}"
    hint = there.why_absent(path) or (f"; {some}" if what == A_TABLE else "")
    return source.bad_file(f"{what} {quoted(path, LONGEST_PLACE)}", f"no such file{hint}")


def read_bytes(read: Read, path: str) -> bytes | None:
    """All bytes of a file; None if there is none. Raises UnreadableFile."""
    file = read(path)
    if file is None:
        return None
    with file:
        return file.read()


def tables_of_paths(source: TableSource, paths: Sequence[str]) -> list[str]:
    """Paths of the source's table, or of all tables where it is a pattern; sorted. Letters may be composed or not."""
    if not source.is_pattern_of_tables:
        return [path] if (path := FileNames(paths).find(source.table)) is not None else []
    pattern = _path_pattern(canonical_name(_lower_ending(source.table)))
    return sorted(path for path in paths if pattern.fullmatch(f"{canonical_name(_lower_ending(path))}/"))


def _lower_ending(path: str) -> str:
    """A path whose ending is in lower case, since endings count in any case.

    >>> _lower_ending("Works/A.JSON"), _lower_ending("README")
    ('Works/A.json', 'README')
    """
    head, dot, ending = path.rpartition(".")
    return f"{head}{dot}{ending.lower()}" if dot and "/" not in ending else path


def _path_pattern(pattern: str) -> re.Pattern[str]:
    """What fits a pattern as shells read it, of paths with "/" behind each name; ** stands for any folders or none."""
    runs = [""]
    for part in pattern.split("/"):
        if part != "**":
            pieces = [re.escape(piece).replace(r"\?", "[^/]") for piece in _STARS.split(part)]
            runs[-1] += f"{_joined(pieces, '[^/]')}/"
        elif runs[-1] or len(runs) == 1:  # several ** are as one
            runs.append("")
    return re.compile(_joined(runs, "(?:[^/]*/)"))


def _joined(parts: list[str], unit: str) -> str:
    """What matches the parts with any number of units between them; each takes its first place, so none takes long."""
    if len(parts) == 1:
        return parts[0]
    first, *between, last = parts
    return f"{first}{''.join(f'(?>{unit}*?{part})' for part in between)}{unit}*{last}"


def rows(source: TableSource, files: Files, attributes: AttributeFields, left_out: Tally) -> Iterable[dict[str, Any]]:
    """A row of RECORDS for each row of the tables; left_out counts what is none. Raises BadInput for no table."""
    tables, there = tables_of_paths(source, files.paths), FileNames(files.paths)
    if not tables:
        raise missing_file(source, A_TABLE, source.table, there)
    read = functools.partial(rows_of_tables, source, tables, files)
    # what is no row is counted when the rows are read for good
    whole_floats = table.whole_float_fields(source, lambda: read(Tally())) if source.ending == ".csv" else ()
    known = table.records(source, read(left_out), attributes, whole_floats)
    return ({**row, "locator": there.find(row["locator"] or "") or row["locator"]} for row in known)


def expected(source: TableSource, paths: Sequence[str], left_out: Tally) -> str:
    """Where no table has a row: what was expected, and what there is. left_out: what is no row."""
    kinds = listed([f"{row.kind} ({row.count:,})" for row in left_out.kinds()], _EXAMPLES)
    files = f"{len(tables_of_paths(source, paths))} files" if source.is_pattern_of_tables else "a file"
    return f"rows in '{source.table}' below binding '{source.at}', got {files} without any{kinds and f', only {kinds}'}"


def rows_of_tables(
    source: TableSource, tables: Sequence[str], files: Files, left_out: Tally
) -> Iterator[dict[str, Any]]:
    """The rows of all tables, of JSON files that can't be read one that says so. Raises BadInput for another format."""
    if not source.is_pattern_of_tables:
        with _opened(source, files.open, source.table) as file:
            if source.ending == ".parquet":
                yield from files.parquet_rows(file.read())
            else:
                yield from _rows_of_text(source, source.table, file, left_out)
        return
    for path in tables:
        try:
            with _opened(source, files.open, path) as file:
                for row in _rows_of_text(source, path, file, left_out):
                    yield {UNREADABLE: f"{path}: {row[UNREADABLE]}"} if UNREADABLE in row else row
        except BadInput as problem:
            yield {UNREADABLE: str(problem)}


def _opened(source: TableSource, read: Read, path: str) -> IO[bytes]:
    expected = f"{A_TABLE} '{path}'"
    try:
        file = read(path)
    except UnreadableFile as problem:
        raise source.bad_file(expected, problem.got) from problem
    if file is None:  # it was listed
        raise source.bad_file(expected, "none")
    if (words := stand_in(file.read(LOOK_BYTES))) is not None:
        file.close()
        raise source.bad_file(expected, words)
    file.seek(0)
    return file


def _rows_of_text(source: TableSource, path: str, file: IO[bytes], left_out: Tally) -> Iterator[dict[str, Any]]:
    """Rows of a CSV, or of JSON; the text is decoded as far as it is read."""
    head = file.read(4 * _FIRST_CHARACTERS)
    is_utf16 = head[:2] in {b"\xff\xfe", b"\xfe\xff"}
    beginning = head.decode("utf-8-sig", "ignore")[:_FIRST_CHARACTERS]
    if not is_utf16 and beginning.count("\0") > _MOST_NULS * len(beginning):
        raise source.bad_input(f"'{path}' as UTF-8 text", "NUL bytes (UTF-16, or a spreadsheet?)")
    file.seek(0)
    text = io.TextIOWrapper(file, "utf-8-sig", newline="" if source.ending == ".csv" else "\n")
    try:
        yield from _rows_by_ending(source, text, left_out)
    except UnicodeDecodeError as problem:
        found = f"{_place_in(file) or problem}{' (UTF-16, by its first bytes)' if is_utf16 else ''}"
        raise source.bad_input(f"'{path}' in UTF-8", found) from problem
    except csv.Error as problem:
        raise source.bad_input(f"'{path}' as CSV", str(problem)) from problem
    except json_works.BrokenJson as problem:
        where = f"a list of works at '{source.works}' in" if source.works else "works in"
        raise source.bad_input(f"{where} '{path}'", str(problem)) from problem
    finally:
        text.detach()  # whoever has opened the file closes it


def _rows_by_ending(source: TableSource, text: io.TextIOWrapper, left_out: Tally) -> Iterator[dict[str, Any]]:
    if source.ending == ".csv":
        return table.rows_of_csv(text, left_out)
    if source.ending != ".json":
        return table.rows_of_json_lines(text, left_out)
    try:
        steps = parse_path(source.works) if source.works else None
    except ValueError as problem:
        raise BadInput(f"source '{source.name}': works: {problem}") from problem
    return json_works.works_of_json(text.read, steps)


def _place_in(file: IO[bytes]) -> str | None:
    """What is no UTF-8, by its place in the whole file: while it is read, places count from what was read last."""
    decoder, place, line = codecs.getincrementaldecoder("utf-8")(), 0, 1
    file.seek(0)
    while True:
        data = file.read(_CHUNK)
        waiting = len(decoder.getstate()[0])  # bytes of a letter that the last piece has cut
        try:
            decoder.decode(data, final=not data)
        except UnicodeDecodeError as problem:
            at = max(problem.start - waiting, 0)
            near = repr(data[max(at - _NEAR_BYTES, 0) : at + _NEAR_BYTES])[1:]  # without the b
            line += data.count(b"\n", 0, at)
            return f"other bytes in line {line} ({near}, from byte {place + at} on)"
        if not data:
            return None
        place, line = place + len(data), line + data.count(b"\n")
