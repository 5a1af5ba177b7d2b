"""Which releases stay, and what goes with those that don't."""

from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
import pytest

from schemas.tables import LEDGER
from tasks.core.prune import ReleaseAge, StoredFile, newest_answers, reasons_to_stay, report, seen_files, unused_files


def release(version: str, day: int, previous: str | None = None, *, is_trial: bool = False) -> ReleaseAge:
    return ReleaseAge(version, previous, is_trial, datetime(2026, 1, day, tzinfo=UTC))


CHAIN = [release("a", 1), release("b", 2, "a"), release("c", 3, "b"), release("d", 4, "c")]
LATE = datetime(2026, 2, 1, tzinfo=UTC)


def staying(releases: list[ReleaseAge], **more: Any) -> list[str]:
    given = {"latest": {"d"}, "keep": 2, "since": None, "grace_from": LATE, **more}
    return [version for version, reason in reasons_to_stay(releases, **given).items() if reason]


def test_the_newest_stay_and_each_says_why():
    found = reasons_to_stay(CHAIN, {"d"}, 2, None, LATE)
    assert found == {"d": "latest", "c": "one of the newest 2", "b": None, "a": None}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"keep": 1}, ["d"]),
        ({"keep": 9}, ["d", "c", "b", "a"]),
        ({"keep": 1, "since": date(2026, 1, 3)}, ["d", "c"]),
        ({"keep": 1, "grace_from": datetime(2026, 1, 2, tzinfo=UTC)}, ["d", "c", "b"]),
        ({"keep": 1, "latest": {"a"}}, ["a"]),
        ({"keep": 2, "latest": {"a"}}, ["a", "d"]),
        ({"keep": 1, "latest": {"d", "a"}}, ["a", "d"]),
    ],
)
def test_choices(more: dict[str, Any], expected: list[str]):
    assert sorted(staying(CHAIN, **more)) == sorted(expected)


def test_the_order_is_that_of_predecessors_whatever_the_clock_says():
    """A copied store has other times; a purge writes none of those that count."""
    same_day = [each._replace(written=datetime(2026, 1, 1, tzinfo=UTC)) for each in CHAIN]
    assert staying(same_day) == ["d", "c"]
    backwards = [each._replace(written=datetime(2026, 1, 9 - place, tzinfo=UTC)) for place, each in enumerate(CHAIN)]
    assert staying(backwards) == ["d", "c"]


def test_trials_never_count_among_the_newest():
    trials = [release("x", 9, "d", is_trial=True), release("y", 8, is_trial=True)]
    assert staying([*trials, *CHAIN]) == ["d", "c"]
    assert staying(trials, latest=set()) == []
    assert staying(trials, latest=set(), since=date(2026, 1, 9)) == ["x"]


def test_predecessors_in_a_circle_end():
    assert staying([release("c", 1, "d"), release("d", 2, "c")], keep=1) == ["d"]


def test_nothing_in_nothing_out():
    assert reasons_to_stay([], set(), 1, None, LATE) == {}
    assert seen_files([]) == set()
    assert list(unused_files({}, set(), 0)) == []


def test_files_of_dropped_records_are_seen_too():
    rows = [{"record_id": "s:1", "kept": True, "sha256": "a"}, {"kept": False, "sha256": "b"}, {"sha256": None}]
    ledgers = [pa.Table.from_pylist(rows, schema=LEDGER), pa.Table.from_pylist([{"sha256": "c"}], schema=LEDGER)]
    assert seen_files(ledgers) == {"a", "b", "c"}


def test_the_newest_whole_answer_to_each_request_stays():
    rows = [
        {"request": "u", "sha256": "new", "retrieved_at": 2},
        {"request": "u", "sha256": "old", "retrieved_at": 1},
        {"request": "u", "sha256": None, "retrieved_at": 3},  # it failed: the one before stands in for it
        {"request": "v", "sha256": "only", "retrieved_at": 1},
    ]
    assert newest_answers(pa.Table.from_pylist(rows)) == {"new", "only"}


def test_a_cache_goes_whole_or_not_at_all():
    files = {
        "k1": [StoredFile("measures/search-hashes/k1/a", 1, 1.0), StoredFile("measures/search-pairs/k1/s/b", 1, 1.0)],
        "k2": [StoredFile("measures/hash/k2/a", 1, 1.0), StoredFile("measures/hash/k2/b", 1, 9.0)],  # one is young
        "k3": [StoredFile("measures/hash/k3/a", 1, 1.0)],
        "outcomes/split/x": [StoredFile("outcomes/split/x", 1, 1.0)],
        "outcomes/split/y": [StoredFile("outcomes/split/y", 1, 1.0)],
    }
    uses = {"measures/hash/k3", "outcomes/split/y"}
    assert [file.path for file in unused_files(files, uses, 5.0)] == [
        "measures/search-hashes/k1/a",
        "measures/search-pairs/k1/s/b",
        "outcomes/split/x",
    ]
    assert list(unused_files(files, {*uses, "measures/search-hashes/k1"}, 5.0)) == [
        StoredFile("outcomes/split/x", 1, 1.0)
    ]


def test_the_report_adds_up():
    reasons = {"small": {"d": "latest", "a": None}}
    sizes = {("small", "d"): 5, ("small", "a"): 2_000}
    lines = list(report(reasons, sizes, {"images": (1, 500)}, ["a note"], is_dry=True))
    assert lines == [
        "small: 2 releases",
        "  d  stays: latest (5 bytes)",
        "  a  goes (2.0 kB)",
        "store: 1 file of images to go (500 bytes)",
        "a note",
        "this is a dry run: nothing is removed; with --do, 2.5 kB would be",
    ]
    assert list(report(reasons, sizes, {"images": (1, 500)}, [], is_dry=False))[-1] == "removed: 2.5 kB"
