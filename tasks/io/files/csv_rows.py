"""CSV files that people write, or save from a spreadsheet, and that a recipe names."""

import csv
import hashlib
import io

from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, quoted
from tasks.io.files import inputs, regular
from tasks.io.files.places import reword_errors

# csv has one limit for the whole process: the same as for tables of records
csv.field_size_limit(1_000_000)

MAX_BYTES = 64 << 20
MAX_ROWS = 1_000_000
"""More than people write: a longer file is probably the wrong one."""


def rows_of_csv(
    name: str, url: str, max_bytes: int = MAX_BYTES, max_rows: int = MAX_ROWS, what: str = "rows"
) -> list[tuple[int, list[str]]]:
    """(number of the line on which it starts, cells) of each row, the header first; lines without text are left out.

    url: a path or any fsspec URL. UTF-8, with or without a byte order mark; line ends of any system. Raises BadInput if
    there is no such file, it is not CSV, or it exceeds the limits; `name` (of the
    binding) and `what` (its rows) are for that message.
    """
    text, place = _text(name, url, max_bytes), quoted(url, LONGEST_PLACE)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for cells in reader:
            if any(cells):
                rows.append((line, cells))
            line = reader.line_num + 1
            if len(rows) > max_rows + 1:
                raise BadInput(f"binding '{name}': expected at most {max_rows} {what}, got more in {place}")
    except csv.Error as problem:
        raise BadInput(f"binding '{name}': expected CSV, got {place} (line {line}: {problem})") from problem
    return rows


def sha256(name: str, url: str) -> str:
    """Digest of the file's text, as 64 hex digits, since people's decisions are part of what a release is made of.

    Raises as rows_of_csv does.
    """
    return hashlib.sha256(_text(name, url, MAX_BYTES).encode()).hexdigest()


def _text(name: str, url: str, max_bytes: int) -> str:
    place = quoted(url, LONGEST_PLACE)
    with reword_errors(f"binding '{name}': expected a file", url), regular.open_url(url) as file:
        data = regular.read_at_most(file, max_bytes + 1)
    if len(data) > max_bytes:
        raise BadInput(f"binding '{name}': expected at most {max_bytes} bytes, got more in {place}")
    inputs.check_itself(f"binding '{name}'", url, data)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise BadInput(
            f"binding '{name}': expected UTF-8, got {place} (byte {problem.start}: {problem.reason})"
        ) from problem
