"""What a purge refuses before it removes anything."""

from typing import Any

import pytest

from schemas.errors import BadInput
from tasks.core.purge.request import check_request, known_ids, lines
from tests.support.purge import ledger_of, tombstones_of

LEDGERS = [ledger_of({"record_id": "s:1"})]


def check(*record_ids: str, reason: str = "", day: str | None = None, is_alone: bool = False) -> None:
    check_request("small", record_ids, reason, day, LEDGERS, is_alone=is_alone)


def test_what_can_be_purged():
    check()
    check("s:1", reason="heirs", day="2024-12-31", is_alone=True)


@pytest.mark.parametrize(
    ("record_ids", "options", "message"),
    [
        pytest.param(["s:2"], {"reason": "x"}, "--record: expected a record that a release", id="an unknown record"),
        pytest.param(["s:1"], {}, "--reason: expected why", id="no reason"),
        pytest.param(["s:1"], {"reason": "x" * 501}, "expected 1 to 500 characters", id="a long reason"),
        pytest.param(["s:1"], {"reason": "a\nb"}, "got 3 characters in 2 lines", id="a reason of two lines"),
        pytest.param([], {"day": "yesterday"}, "--date: expected a day such as 2024-12-31", id="no day"),
        pytest.param([], {"day": "2024-12-31"}, "--date: expected --record with it", id="a day without a record"),
        pytest.param([], {"reason": "x"}, "--reason: expected --record with it", id="a reason without a record"),
        pytest.param([], {"is_alone": True}, "--alone: expected --record with it", id="alone without a record"),
    ],
)
def test_what_can_not_be_purged_is_refused(record_ids: list[str], options: dict[str, Any], message: str):
    with pytest.raises(BadInput, match=message):
        check(*record_ids, **options)


def test_records_may_be_named_in_another_spelling():
    ledgers = [ledger_of({"record_id": "s:1"}), ledger_of({"record_id": "s:2.0"}, {"record_id": "s:\u00e9"})]
    assert known_ids(["s:1.0", "s:2", "s:e\u0301", "s:3", "s:1"], ledgers) == ["s:1", "s:2.0", "s:\u00e9", "s:3", "s:1"]


ONE = tombstones_of(("s:1", "2024-05-01", "heirs", "a"))


def test_a_purge_says_what_went_and_why():
    assert list(lines("small", ONE, ["store: 1 files"], {"a": "s:2"}, is_dry=False)) == [
        "purge small: 1 record",
        "  s:1: heirs (2024-05-01)",
        "store: 1 files",
        "kept: the file a, which s:2 uses too",
    ]


def test_a_purge_without_anything_to_do_says_so():
    assert list(lines("small", tombstones_of(), [], {}, is_dry=False)) == ["purge small: no record is taken down"]
    (line,) = lines("small", ONE, [], {}, is_dry=True)
    assert line == "purge small: 1 record purged already; nothing is left to remove"


def test_of_many_records_the_first_are_named():
    many = tombstones_of(*((f"s:{number:02}", "2024-05-01", "heirs", None) for number in range(22)))
    found = list(lines("small", many, ["store: 1 files"], {}, is_dry=True))
    assert found[0] == "purge small: 22 records would be purged: this is a dry run"
    assert found[21:] == ["  ... and 2 more", "store: 1 files"]
