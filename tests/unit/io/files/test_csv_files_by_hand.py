"""The file of lists by hand: the same kind as the file of verdicts, and its limit."""

import pytest

from schemas.errors import BadInput
from tasks.io.files import csv_files


def test_rows_come_with_their_lines(tmp_path):
    path = tmp_path / "said.csv"
    path.write_bytes('\ufeffaction,name,reason,date\r\n\r\nexclude,s:1,"of\r\ntwo lines",2024-05-01\r\n'.encode())
    assert csv_files.rows_by_hand("said", str(path)) == [
        (1, ["action", "name", "reason", "date"]),
        (3, ["exclude", "s:1", "of\r\ntwo lines", "2024-05-01"]),
    ]


def test_more_rows_than_people_write_are_refused(tmp_path):
    path = tmp_path / "said.csv"
    path.write_text("a\n" * 4)
    with pytest.raises(BadInput, match="binding 'said': expected at most 2 rows by hand, got more"):
        csv_files.rows_of_csv("said", str(path), max_rows=2, what="rows by hand")


def test_the_digest_is_of_the_text_not_of_the_byte_order_mark(tmp_path):
    for name, mark in (("one", ""), ("other", "\ufeff")):
        (tmp_path / name).write_text(f"{mark}action\n", encoding="utf-8")
    assert csv_files.sha256("said", str(tmp_path / "one")) == csv_files.sha256("said", str(tmp_path / "other"))
