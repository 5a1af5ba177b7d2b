"""CSV that people write: limits, the words of a refusal, and a digest that goes by the text.

The kinds of rows and line ends are tried in test_csv_files_verdicts.py, through the file of verdicts.
"""

import hashlib
import os

import pytest

from schemas.errors import BadInput
from tasks.io.files import csv_files


def written(folder, data: bytes) -> str:
    path = folder / "rows.csv"
    path.write_bytes(data)
    return str(path)


def test_an_empty_file_has_no_rows_and_the_digest_of_no_text(tmp_path):
    url = written(tmp_path, b"")
    assert csv_files.rows_of_csv("listed", url) == []
    assert csv_files.sha256("listed", url) == hashlib.sha256(b"").hexdigest()


def test_blanks_are_kept_and_a_line_of_them_is_a_row(tmp_path):
    assert csv_files.rows_of_csv("listed", written(tmp_path, b" a ,b\n \n,\n")) == [(1, [" a ", "b"]), (2, [" "])]


@pytest.mark.parametrize(
    ("rows", "is_read"),
    [pytest.param(2, True, id="as many as allowed, and the header"), pytest.param(3, False, id="one more")],
)
def test_the_header_does_not_count_among_the_rows(tmp_path, rows, is_read):
    url = written(tmp_path, b"a\n" + b"x\n" * rows)
    if is_read:
        assert len(csv_files.rows_of_csv("listed", url, max_rows=2)) == rows + 1
        return
    with pytest.raises(BadInput, match=r"^binding 'listed': expected at most 2 words, got more in '.*rows.csv'$"):
        csv_files.rows_of_csv("listed", url, max_rows=2, what="words")


def test_reading_ends_where_there_are_too_many(tmp_path):
    """What comes after is not looked at: here, a quotation that never ends."""
    url = written(tmp_path, b"a\n" + b"x\n" * 3 + b'"')
    with pytest.raises(BadInput, match="at most 2 rows"):
        csv_files.rows_of_csv("listed", url, max_rows=2)


@pytest.mark.parametrize(
    ("data", "line"),
    [
        pytest.param(b'"x\n', 1, id="on the first line"),
        pytest.param(b'a\n"two\nlines"\n"x\n', 4, id="after a row of two lines"),
        pytest.param(b'a\n\n\n"x', 4, id="after empty lines"),
    ],
)
def test_a_refusal_names_the_line_on_which_the_row_begins(tmp_path, data, line):
    with pytest.raises(BadInput, match=rf"\(line {line}: unexpected end of data\)"):
        csv_files.rows_of_csv("listed", written(tmp_path, data))


def test_the_digest_is_of_the_text_whatever_marks_its_begin(tmp_path):
    plain = csv_files.sha256("listed", written(tmp_path, "a,é\n".encode()))
    assert plain == hashlib.sha256("a,é\n".encode()).hexdigest()
    assert csv_files.sha256("listed", written(tmp_path, "\ufeffa,é\n".encode())) == plain
    assert csv_files.sha256("listed", written(tmp_path, "a,é\r\n".encode())) != plain


@pytest.mark.parametrize(
    ("data", "says"), [(b"\xff", r"expected UTF-8, got '.*' \(byte 0: invalid start byte\)"), (None, "expected a file")]
)
def test_a_digest_is_refused_as_rows_are(tmp_path, data, says):
    url = written(tmp_path, data) if data else str(tmp_path / "nowhere.csv")
    for read in (csv_files.sha256, csv_files.rows_of_csv):
        with pytest.raises(BadInput, match=says):
            read("listed", url)


def test_a_file_as_long_as_allowed_is_read(tmp_path):
    url = written(tmp_path, b"a,b\n")
    assert csv_files.rows_of_csv("listed", url, max_bytes=4) == [(1, ["a", "b"])]
    with pytest.raises(BadInput, match="expected at most 3 bytes, got more"):
        csv_files.rows_of_csv("listed", url, max_bytes=3)


def test_a_pipe_is_told_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match=r"binding 'listed': expected a file, got '.*pipe' \(a pipe, not a file\)"):
        csv_files.rows_of_csv("listed", str(tmp_path / "pipe"))
