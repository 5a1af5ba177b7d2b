"""What is asked of the outside world, and what is not: `retrieved` with a part that answers as it is told."""

import zlib
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from prefect.runtime import task_run

from schemas.errors import DamagedFile
from schemas.manifests import Context
from schemas.reasons import FAILURES_IN_BYTES, PASSING, Reason
from schemas.tables import RETRIEVALS
from tasks.engine import runs
from tasks.engine.retrieve import _known, _with_mixed_hosts, retrieve, unanswered_requests
from tasks.io.store.journal import Journal
from tasks.io.store.layout import blob_path
from tasks.io.store.store import Store

FOLDER = "retrievals/art"
RULES = "the rules"
Row = dict[str, Any]


class Outside:
    """A part that stands for the outside world: what it answers is set by locator, and what it is asked is noted."""

    def __init__(self, context: Context) -> None:
        self.context, self.day = context, 0
        self.reasons: dict[str, Reason] = {}
        self.asked: list[str] = []
        self.came_with: dict[str, Row] = {}

    def submit(self, *_: Any, **__: Any) -> None:
        raise AssertionError("expected no part to be submitted where no flow runs")

    def fn(self, requests: pa.Table, settings: Any, rules: str, into: str, context: Context) -> None:
        assert (settings, into) == ("settings", FOLDER)
        assert requests.schema == RETRIEVALS
        store, rows = runs.store_of(context), []
        self.day += 1
        for request in requests.to_pylist():
            self.asked.append(request["locator"])
            self.came_with[request["locator"]] = request
            rows.append(self._answer(store, request, rules))
        store.write_table(into, pa.Table.from_pylist(rows, schema=RETRIEVALS))

    def _answer(self, store: Store, request: Row, rules: str) -> Row:
        asked = {name: request[name] for name in ("locator", "validator")}
        row = {**dict.fromkeys(RETRIEVALS.names), **asked, "rules": rules, "retrieved_at": at(self.day)}
        if reason := self.reasons.get(request["locator"]):
            return {**row, "reason": reason, "detail": "because"}
        data = f"{request['locator']} {request['validator']}".encode()
        return {**row, "sha256": store.write_blob(data), "bytes": len(data), "etag": f"e{self.day}"}

    def retrieve(self, *locators: str, rules: str = RULES, **more: Any) -> tuple[list[Row], list[str]]:
        """The rows, and what was asked for now."""
        return self.retrieved(requests(*locators), rules, **more)

    def retrieved(self, wanted: pa.Table, rules: str = RULES, **more: Any) -> tuple[list[Row], list[str]]:
        self.asked = []
        got, count = retrieve(self, "settings", FOLDER, wanted, rules, self.context, "fetch", **more)
        assert got.schema == RETRIEVALS
        assert got["locator"].to_pylist() == wanted["locator"].to_pylist()
        assert count == len(self.asked) or self.context.plan
        return got.to_pylist(), sorted(self.asked)


@pytest.fixture
def context(tmp_path) -> Context:
    return Context(store=str(tmp_path / "store"), part_rows=1000)


@pytest.fixture
def outside(context) -> Outside:
    return Outside(context)


@pytest.fixture
def store(context) -> Store:
    return runs.store_of(context)


def at(day: int) -> datetime:
    return datetime(2026, 1, 1 + day, tzinfo=UTC)


def requests(*locators: str, validator: str | None = "") -> pa.Table:
    rows = [{"locator": locator, "validator": validator} for locator in locators]
    return pa.Table.from_pylist(rows, schema=pa.schema([("locator", pa.string()), ("validator", pa.string())]))


def row(day: int, locator: str = "a", **given: Any) -> Row:
    """A good answer of that day."""
    blank = dict.fromkeys(RETRIEVALS.names)
    came = {"sha256": f"{day:064}", "bytes": day, "rules": RULES, "retrieved_at": at(day)}
    return {**blank, "locator": locator, "validator": "", **came, **given}


def failure(day: int, reason: str, locator: str = "a", **given: Any) -> Row:
    return row(day, locator, sha256=None, bytes=None, reason=reason, **given)


# --- asked once


def test_nothing_is_asked_for_nothing(outside):
    assert outside.retrieve() == ([], [])


def test_what_is_had_is_not_asked_for_again(outside):
    first, asked = outside.retrieve("b", "a")
    assert asked == ["a", "b"]
    assert outside.retrieve("b", "a") == (first, [])
    assert outside.retrieve("a", "c", "b")[1] == ["c"]


def test_rows_come_in_the_order_of_the_requests_whatever_order_they_were_asked_in(outside):
    names = [f"https://host-{number % 3}.example/{number}" for number in range(100)]
    rows, _ = outside.retrieve(*names)
    assert [row["locator"] for row in rows] == names
    assert outside.asked != names
    assert outside.retrieve(*reversed(names)) == (rows[::-1], [])


@pytest.mark.parametrize("validator", ["v2", "", None])
def test_what_has_another_validator_was_never_had(outside, validator):
    outside.retrieved(requests("a", validator="v1"))
    (found,), asked = outside.retrieved(requests("a", validator=validator))
    assert (found["validator"], asked) == (validator, ["a"])
    assert outside.retrieved(requests("a", validator="v1"))[1] == []


def test_no_validator_is_as_good_as_an_empty_one(outside):
    outside.retrieved(requests("a", validator=None))
    assert outside.retrieved(requests("a", validator=""))[1] == []


@pytest.mark.parametrize("locator", ["a\nb", "", "\n", "ä😀", "a" * 5000])
def test_odd_locators_are_locators(outside, locator):
    assert outside.retrieve(locator)[1] == [locator]
    assert outside.retrieve(locator, "b")[1] == ["b"]


def test_parts_of_any_size_ask_for_the_same(context):
    names = [f"{number}" for number in range(20)]
    small, large = (
        Outside(context.model_copy(update=given))
        for given in (
            {"part_rows": 3, "store": f"{context.store}-small"},
            {"part_rows": 100, "store": f"{context.store}-large"},
        )
    )
    assert small.retrieve(*names)[1] == large.retrieve(*names)[1] == sorted(names)
    assert (small.day, large.day) == (7, 1)


# --- asked again


@pytest.mark.parametrize("damage", ["removed", "cut short"])
def test_what_has_lost_its_blob_is_asked_for_again(outside, store, damage):
    (found, *_), _ = outside.retrieve("a", "b")
    if damage == "removed":
        store.remove(blob_path(found["sha256"]))
    else:
        Path(store.full(blob_path(found["sha256"]))).write_bytes(b"")
    (again, *_), asked = outside.retrieve("a", "b")
    assert (asked, again["sha256"]) == (["a"], found["sha256"])
    assert outside.retrieve("a", "b")[1] == []


def test_what_is_known_of_a_request_comes_with_it(outside, store):
    (found,), _ = outside.retrieve("a")
    assert outside.came_with["a"] == {**dict.fromkeys(RETRIEVALS.names), "locator": "a", "validator": ""}
    store.remove(blob_path(found["sha256"]))
    outside.retrieve("a")
    assert outside.came_with["a"] == found


LASTING = frozenset(Reason) - PASSING - FAILURES_IN_BYTES


@pytest.mark.parametrize(
    ("reasons", "rules", "refresh", "is_asked"),
    [
        pytest.param(PASSING, RULES, "new", True, id="what failed in passing"),
        pytest.param(PASSING, "others", "new", True, id="what failed in passing, under other rules"),
        pytest.param(PASSING, RULES, "failed", True, id="failed: what failed in passing"),
        pytest.param(FAILURES_IN_BYTES, RULES, "new", False, id="what was judged by these rules"),
        pytest.param(FAILURES_IN_BYTES, "others", "new", True, id="what was judged by other rules"),
        pytest.param(FAILURES_IN_BYTES, RULES, "failed", True, id="failed: what was judged by these rules"),
        pytest.param(LASTING, RULES, "new", False, id="what failed for good"),
        pytest.param(LASTING, "others", "new", False, id="what failed for good, whatever the rules are"),
        pytest.param(LASTING, RULES, "failed", True, id="failed: what failed for good"),
        pytest.param(PASSING | FAILURES_IN_BYTES | LASTING, RULES, "all", True, id="all: whatever failed"),
        pytest.param([None], RULES, "new", False, id="what is had"),
        pytest.param([None], "others", "new", False, id="what is had, under other rules: fetch looks at limits itself"),
        pytest.param([None], RULES, "failed", False, id="failed: not what is had"),
        pytest.param([None], RULES, "all", True, id="all: what is had too"),
    ],
)
def test_what_is_asked_for_again(outside, reasons, rules, refresh, is_asked):
    outside.reasons = {str(reason): reason for reason in reasons if reason}
    names = sorted(map(str, reasons))
    first, asked = outside.retrieve(*names)
    assert asked == names
    assert [found["reason"] for found in first] == [outside.reasons.get(name) for name in names]
    again, asked = outside.retrieve(*names, rules=rules, refresh=refresh)
    assert asked == (names if is_asked else [])
    assert {found["retrieved_at"] for found in again} == {at(2 if is_asked else 1)}


def test_a_failure_without_rules_of_an_older_store_is_asked_for_again(outside, store):
    write(store, [failure(1, "broken_image", rules=None), failure(1, "not_found", "b", rules=None)])
    assert outside.retrieve("a", "b")[1] == ["a"]


# --- what counts


def write(store: Store, *tables: list[Row]) -> None:
    for rows in tables:
        store.write_table(FOLDER, pa.Table.from_pylist(rows, schema=RETRIEVALS))


def known(store: Store, *locators: str) -> list[Row]:
    return _known(store, FOLDER, requests(*locators)).to_pylist()


@pytest.mark.parametrize(
    ("rows", "day", "reason"),
    [
        pytest.param([], None, None, id="never asked"),
        pytest.param([row(1), row(2)], 2, None, id="the newest"),
        pytest.param([row(1), failure(2, "server_error")], 1, None, id="a failure in passing takes nothing away"),
        pytest.param([row(1), failure(2, "not_found")], 2, "not_found", id="a lasting one does"),
        pytest.param([failure(1, "not_found"), failure(2, "throttled")], 1, "not_found", id="nor what failed for good"),
        pytest.param(
            [failure(1, "throttled"), failure(2, "server_error")], 2, "server_error", id="the newest in passing"
        ),
        pytest.param([failure(1, "not_found"), row(2)], 2, None, id="an answer after a lasting failure"),
        pytest.param([row(1), failure(2, "broken_image")], 2, "broken_image", id="what was judged"),
        pytest.param([row(3, validator="v"), row(1)], 1, None, id="another validator is another request"),
        pytest.param([row(3, "b"), row(1), row(2, "ab")], 1, None, id="other locators"),
    ],
)
def test_which_row_counts(store, rows, day, reason):
    write(store, *([row] for row in rows))
    (found,) = known(store, "a")
    assert (found["locator"], found["validator"], found["reason"]) == ("a", "", reason)
    assert found["retrieved_at"] == (day and at(day))


def test_which_row_counts_whatever_table_it_stands_in(store):
    rows = [row(1), failure(4, "server_error"), row(2), failure(3, "unreachable")]
    write(store, rows, [row(9, "b"), *rows[::-1]], [rows[1]])
    assert known(store, "a", "c", "b") == [
        row(2),
        {**dict.fromkeys(RETRIEVALS.names), "locator": "c", "validator": ""},
        row(9, "b"),
    ]


def test_requests_that_come_twice_get_their_row_twice(store):
    write(store, [row(1), row(2, "b")])
    assert known(store, "b", "a", "b") == [row(2, "b"), row(1), row(2, "b")]


def test_older_tables_without_later_columns_are_read(store):
    older = pa.Table.from_pylist([row(1)], schema=RETRIEVALS).drop_columns(["etag", "last_modified", "rules"])
    store.write_table(FOLDER, older)
    assert known(store, "a") == [row(1, rules=None)]


def test_damaged_tables_are_as_if_they_were_not_there(outside, store):
    outside.retrieve("a")
    intact = set(store.list_folder(FOLDER))
    outside.retrieve("a", "b")
    (name,) = set(store.list_folder(FOLDER)) - intact
    path = Path(store.full(f"{FOLDER}/{name}"))
    path.write_bytes(path.read_bytes()[:-5])
    assert outside.retrieve("a", "b")[1] == ["b"]


@pytest.mark.parametrize(
    ("reason", "is_had"),
    [
        pytest.param(Reason.UNREACHABLE, False, id="a failure that may pass"),
        pytest.param(Reason.NOT_FOUND, False, id="a failure for good"),
        pytest.param(None, True, id="it is had again"),
    ],
)
@pytest.mark.parametrize("is_cut", [True, False])
def test_a_blob_that_is_gone_and_can_not_be_had_again_is_a_failure_with_its_reason(
    outside, store, reason, is_had, is_cut
):
    (row,) = outside.retrieve("a")[0]
    path = Path(store.full(blob_path(row["sha256"])))
    path.write_bytes(b"cut") if is_cut else path.unlink()
    outside.reasons = {"a": reason} if reason else {}
    (now,), asked = outside.retrieve("a")
    assert asked == ["a"]
    assert (now["reason"], now["sha256"]) == (reason and str(reason), row["sha256"] if is_had else None)
    outside.reasons = {}
    (later,), _ = outside.retrieve("a", refresh="failed")
    assert later["sha256"] == row["sha256"]


def test_a_passing_failure_does_not_replace_a_blob_that_is_there(outside):
    (row,) = outside.retrieve("a")[0]
    outside.reasons = {"a": Reason.UNREACHABLE}
    assert outside.retrieve("a", refresh="all")[0] == [row]


def test_a_blob_that_vanishes_as_soon_as_it_has_come_is_damage(outside, store, monkeypatch):
    monkeypatch.setattr(Store, "blob_sizes", lambda _: {})
    with pytest.raises(DamagedFile, match="expected the blob of 'a', which has come just now"):
        outside.retrieve("a")


# --- parts that died, plans


def dead(store: Store, *rows: Row) -> Path:
    """The journal of a part that was killed."""
    living = Journal(store, FOLDER, RETRIEVALS)
    with living:
        for entry in rows:
            living.add(entry)
        (path,) = Path(store.full(FOLDER)).glob("*.journal")
        data = path.read_bytes()
    for table in Path(store.full(FOLDER)).glob("*.parquet"):
        table.unlink()
    path.write_bytes(data)
    return path


def test_what_killed_parts_have_had_is_not_asked_for_again(outside, store):
    sha256 = store.write_blob(b"a")
    path = dead(store, row(1, sha256=sha256, bytes=1), failure(1, "not_found", "b"), failure(1, "throttled", "c"))
    (found, *_), asked = outside.retrieve("a", "b", "c")
    assert (asked, found["sha256"]) == (["c"], sha256)
    assert not path.exists()


def planned(context: Context, name: str) -> Outside:
    return Outside(context.model_copy(update={"plan": name}))


def below(folder: str) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


@pytest.mark.parametrize("refresh", ["new", "failed", "all"])
def test_a_plan_asks_nothing_and_writes_nothing(context, outside, store, refresh):
    outside.reasons = {"b": Reason.NOT_FOUND}
    outside.retrieve("a", "b")
    journal = dead(store, row(1, "dead"))
    write(store, [row(1, "x")])
    before = below(context.store)
    plan = planned(context, f"{context.store} {refresh}")
    rows, asked = plan.retrieve("x", "new", refresh=refresh)
    assert asked == []
    assert [found["retrieved_at"] for found in rows] == [at(1), None]
    assert below(context.store) == before
    assert journal.exists()


def test_a_plan_says_how_many_it_would_ask_for(context, outside):
    outside.retrieve("a", "b")
    plan = planned(context, f"{context.store} plan")
    for refresh, count in (("new", 1), ("failed", 1), ("all", 3)):
        _, got = retrieve(plan, "settings", FOLDER, requests("a", "b", "c"), RULES, plan.context, "x", refresh=refresh)
        assert (got, plan.asked) == (count, [])


def test_a_plan_that_must_ask_leaves_nothing_behind(context):
    plan = planned(context, f"{context.store} plan")
    rows, asked = plan.retrieve("a", even_in_plan=True)
    assert (asked, rows[0]["bytes"]) == (["a"], 2)
    assert plan.retrieve("a", even_in_plan=True)[1] == [], "what it has had in memory is had"
    assert not Path(context.store).exists()
    assert Outside(context).retrieve("a")[1] == ["a"]


# --- hosts

ADDRESSES = st.lists(st.builds("https://{}.example/{}".format, st.sampled_from("abc"), st.integers(0, 99)), unique=True)


def mixed(locators: list[str]) -> list[str]:
    got: list[str] = _with_mixed_hosts(requests(*locators))["locator"].to_pylist()
    return got


@given(ADDRESSES, st.data())
def test_hosts_are_mixed_in_one_order_and_nothing_is_lost(locators: list[str], data: st.DataObject):
    got = mixed(locators)
    assert Counter(got) == Counter(locators)
    assert mixed(data.draw(st.permutations(locators))) == got
    assert [zlib.crc32(locator.encode()) for locator in got] == sorted(zlib.crc32(locator.encode()) for locator in got)


def test_every_part_asks_every_host():
    locators = [f"https://{host}.example/{number}.jpg" for host in ("slow", "fast", "other") for number in range(1000)]
    got = mixed(locators)
    parts = [Counter(locator.split("/")[2] for locator in got[begin : begin + 300]) for begin in range(0, 3000, 300)]
    assert all(len(part) == 3 and min(part.values()) > 50 for part in parts)


def test_a_part_that_is_tried_again_asks_for_what_its_first_try_had_no_row_for(outside, monkeypatch):
    outside.reasons["c"] = Reason.UNREACHABLE
    outside.retrieve("a", "b", "c")
    context = outside.context.model_copy(update={"began_s": at(0).timestamp()})
    wanted = requests("a", "b", "c", "d")
    assert unanswered_requests(wanted, FOLDER, context) is wanted  # in its first try, everything
    monkeypatch.setattr(task_run, "run_count", 2, raising=False)
    assert unanswered_requests(wanted, FOLDER, context)["locator"].to_pylist() == ["c", "d"]
    later = context.model_copy(update={"began_s": at(9).timestamp()})
    assert unanswered_requests(wanted, FOLDER, later).num_rows == 4  # of an earlier build: it was asked for on purpose
