"""why: what it prints of a release that anybody may have written."""

from typing import Any

import pyarrow as pa
import pytest

from schemas.tables import LEDGER
from tasks import why

ROW: dict[str, Any] = dict.fromkeys(LEDGER.names) | {
    "record_id": "museum:1",
    "kept": False,
    "stage": "fetch",
    "reason": "not_found",
    "detail": "no file 'a.jpg'",
}


@pytest.mark.parametrize("field", ["record_id", "reason", "detail"])
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
