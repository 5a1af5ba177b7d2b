"""why: what it prints of a release that anybody may have written."""

from typing import Any

import pyarrow as pa
import pytest

from schemas.errors import BadInput
from schemas.tables import LEDGER
from tasks import why

ROW: dict[str, Any] = dict.fromkeys(LEDGER.names) | {
    "record_id": "museum:1",
    "kept": False,
    "stage": "fetch",
    "reason": "not_found",
    "detail": "no file 'a.jpg'",
}


@pytest.mark.parametrize("field", ["record_id", "reason", "detail", "stage"])
def test_what_a_terminal_would_obey_is_written_out(field: str):
    row = {**ROW, field: "\x1b[2J\u202egone"}
    text = "\n".join([*why._lines(row, ["scrape", "fetch"]), *why._reasons(pa.Table.from_pylist([row], schema=LEDGER))])
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "x1b[2J" in text


def test_a_reason_of_a_later_version_is_told_as_it_is():
    lines = why._lines({**ROW, "reason": "too_blue", "detail": None}, ["scrape", "fetch"])
    assert lines == [
        "museum:1",
        "  scrape           kept",
        "  fetch            dropped: too_blue",
        "                   a reason that this version of bilderatlas does not know",
    ]


@pytest.mark.parametrize("field", ["kept_record_id", "last_split"])
def test_names_of_copies_and_splits_are_written_out_too(field: str):
    text = "\n".join(why._lines({**ROW, field: "\x1b[2J"}, ["scrape", "fetch"]))
    assert "\x1b" not in text
    assert "x1b[2J" in text


def test_rows_that_no_stage_and_no_reason_dropped_are_counted_beside_others():
    rows = [{**ROW, "stage": None}, {**ROW, "stage": None, "reason": None}, ROW]
    lines = why._reasons(pa.Table.from_pylist(rows, schema=LEDGER))
    assert lines[0] == "3 records: 0 kept, 3 dropped"
    assert [line.split()[:3] for line in lines[1::2]] == [
        ["None", "1", "None:"],
        ["None", "1", "not_found:"],
        ["fetch", "1", "not_found:"],
    ]


@pytest.mark.parametrize("record_id", ["\x1b[2J", "x" * 100_000, "a\udcff"])
def test_what_was_asked_for_is_quoted_shortly(record_id: str):
    with pytest.raises(BadInput) as told:
        why._row(pa.Table.from_pylist([ROW], schema=LEDGER), record_id, "x")
    assert str(told.value).isprintable()
    assert len(str(told.value)) < 300
