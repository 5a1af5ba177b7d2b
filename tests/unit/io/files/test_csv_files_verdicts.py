"""The file of verdicts: what a browser or a spreadsheet saves is read, and what is no such file is refused in one
sentence.
"""

import uuid
from pathlib import Path

import fsspec
import pytest

from schemas.errors import BadInput
from tasks.io.files.csv_files import rows_of_verdicts

HEADER = (1, ["a", "b", "verdict", "note"])
ROW = (2, ["s:1", "s:2", "copy", ""])


def written(folder: Path, data: bytes) -> str:
    path = folder / "verdicts.csv"
    path.write_bytes(data)
    return str(path)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b"", [], id="nothing"),
        pytest.param(b"\xef\xbb\xbf", [], id="a byte order mark and nothing"),
        pytest.param(b"a,b,verdict,note", [HEADER], id="a header without a line's end"),
        pytest.param(b"\xef\xbb\xbfa,b,verdict,note\r\ns:1,s:2,copy,\r\n", [HEADER, ROW], id="a byte order mark"),
        pytest.param(b"a,b,verdict,note\ns:1,s:2,copy,\n", [HEADER, ROW], id="ends of Unix"),
        pytest.param(b"a,b,verdict,note\rs:1,s:2,copy,\r", [HEADER, ROW], id="ends of an old Macintosh"),
        pytest.param(
            b"a,b,verdict,note\n\n,,,\ns:1,s:2,copy,\n",
            [HEADER, (4, ROW[1])],
            id="empty lines are left out and counted",
        ),
        pytest.param(
            b'a,b,verdict,note\n"s:1","s, 2",copy,"he said ""no""\nand yes"\ns:1,s:3,copy,\n',
            [HEADER, (2, ["s:1", "s, 2", "copy", 'he said "no"\nand yes']), (4, ["s:1", "s:3", "copy", ""])],
            id="quoted; a row on two lines is named by its first",
        ),
        pytest.param(
            "a,b,verdict,note\né,ж,copy,\n".encode(), [HEADER, (2, ["é", "ж", "copy", ""])], id="other letters"
        ),
    ],
)
def test_rows_and_their_lines(tmp_path, data, expected):
    assert rows_of_verdicts("verdicts", written(tmp_path, data)) == expected


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param("a,b,verdict,note".encode("utf-16"), "expected UTF-8", id="UTF-16, as some spreadsheets save"),
        pytest.param(b"a,b\n\xff,x\n", "expected UTF-8", id="bytes that are no text"),
        pytest.param(b'a,b\n"s:1,x\n', "expected CSV", id="a quotation that never ends"),
        pytest.param(b'a,b\nx,"s"1\n', "line 2", id="text after a quotation"),
        pytest.param(b"a,b\n" + b"x,y\n" * 4, "at most 3 verdicts", id="a row too many"),
        pytest.param(b"a,b\n" + b"x" * 300_000, "at most 250000 bytes", id="a byte too many"),
    ],
)
def test_what_is_refused(tmp_path, data, says):
    with pytest.raises(BadInput) as caught:
        rows_of_verdicts("verdicts", written(tmp_path, data), max_bytes=250_000, max_rows=3)
    assert says in str(caught.value)
    assert str(caught.value).startswith("binding 'verdicts': expected")
    assert "\n" not in str(caught.value)


def test_a_cell_without_end_is_refused(tmp_path):
    with pytest.raises(BadInput, match="expected CSV"):
        rows_of_verdicts("verdicts", written(tmp_path, b"a,b\n" + b"x" * 1_000_001))


def test_as_many_as_the_limits_allow_are_read(tmp_path):
    data = b"a,b\n" + b"x,y\n" * 3
    assert len(rows_of_verdicts("verdicts", written(tmp_path, data), max_bytes=len(data), max_rows=3)) == 4


@pytest.mark.parametrize(
    "url", ["nowhere.csv", ".", "nosuch://x/y.csv", ""], ids=["no file", "a folder", "no such place", "no name"]
)
def test_where_there_is_no_file(tmp_path, url):
    with pytest.raises(BadInput, match="binding 'verdicts': expected a file, got"):
        rows_of_verdicts("verdicts", url if "://" in url or not url else str(tmp_path / url))


def test_any_place_that_fsspec_knows():
    url = f"memory://{uuid.uuid4().hex}/verdicts.csv"
    with fsspec.open(url, "wb") as file:
        file.write(b"a,b,verdict,note\ns:1,s:2,copy,\n")
    assert rows_of_verdicts("verdicts", url) == [HEADER, ROW]
