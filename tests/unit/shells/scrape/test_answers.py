"""Which answer counts, and what is asked again: an index of tables that are written by hand."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.tables import ANSWERS, SOURCE_REQUESTS
from tasks.core.scrape.answers import requests_table
from tasks.core.scrape.web_source import SourceRequest
from tasks.io.store.journal import Journal
from tasks.io.store.layout import blob_path
from tasks.io.store.store import Store
from tasks.scrape.answers import AnswerIndex, answer_body, open_answers

FOLDER = "retrievals/art-web"
Row = dict[str, Any]


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(str(tmp_path / "store"))


def at(day: int) -> datetime:
    return datetime(2026, 1, day, tzinfo=UTC)


def said(day: int, url: str = "a", **given: Any) -> Row:
    """A good answer of that day."""
    asked = {"url": url, "kind": "page", "key": None, "expects": "json", "needs_secret": False}
    came = {
        "body": f"{url} of {day}".encode(),
        "sha256": f"{day:064}",
        "bytes": 7,
        "etag": f"e{day}",
        "last_modified": f"m{day}",
    }
    return {**dict.fromkeys(ANSWERS.names), **asked, **came, "retrieved_at": at(day), **given}


def failed(day: int, reason: str = "server_error", url: str = "a", **given: Any) -> Row:
    nothing = dict.fromkeys(("body", "sha256", "bytes", "etag", "last_modified"))
    return said(day, url, reason=reason, detail="because", **nothing, **given)


def kept(store: Store, *tables: Iterable[Row]) -> AnswerIndex:
    for rows in tables:
        store.write_table(FOLDER, pa.Table.from_pylist(list(rows), schema=ANSWERS))
    return AnswerIndex(store, FOLDER)


def best(answers: AnswerIndex, url: str = "a") -> Row:
    (row,) = answers.best_answers(pa.array([url])).to_pylist()
    return row


# --- the best answer


@pytest.mark.parametrize(
    ("rows", "day", "reason", "has_failed_since"),
    [
        pytest.param([], None, None, None, id="never asked"),
        pytest.param([said(1)], 1, None, False, id="one answer"),
        pytest.param([said(1), said(2)], 2, None, False, id="the newest"),
        pytest.param([failed(1)], 1, "server_error", True, id="it has only failed"),
        pytest.param([failed(1), failed(2, "throttled")], 2, "throttled", True, id="the newest failure"),
        pytest.param([said(1), failed(2)], 1, None, True, id="a failure in passing takes nothing away"),
        pytest.param([said(1), failed(2), failed(3)], 1, None, True, id="nor do two"),
        pytest.param([said(1), failed(2), said(3)], 3, None, False, id="and is over with the next answer"),
        pytest.param([failed(1), said(2)], 2, None, False, id="an answer after a failure"),
        pytest.param([said(1), failed(2, "not_found")], 2, "not_found", False, id="a lasting failure counts"),
        pytest.param(
            [said(1), failed(2, "not_found"), failed(3)], 2, "not_found", True, id="also before one in passing"
        ),
        pytest.param([failed(1, "not_found"), said(2)], 2, None, False, id="until there is an answer again"),
    ],
)
def test_which_answer_counts(store, rows, day, reason, has_failed_since):
    for number, row in enumerate(rows):
        kept(store, [row, said(9, f"another {number}")])
    found = best(AnswerIndex(store, FOLDER))
    assert found["retrieved_at"] == (day and at(day))
    assert (found["reason"], found["has_failed_since"]) == (reason, has_failed_since)
    assert (found["part"] is None) is (day is None)
    assert "body" not in found


HISTORY = st.lists(st.sampled_from([None, "server_error", "unreachable", "not_found"]), min_size=1, max_size=6)


@given(HISTORY, st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10)
def test_how_rows_are_dealt_to_tables_changes_nothing(tmp_path_factory, history: list[str | None], data: st.DataObject):
    rows = [failed(day, reason) if reason else said(day) for day, reason in enumerate(history, start=1)]
    mixed = data.draw(st.permutations(rows))
    cut = data.draw(st.integers(0, len(rows)))
    found = [
        best(kept(Store(str(tmp_path_factory.mktemp("store"))), *parts)) | {"part": 0}
        for parts in ([rows], [mixed], [mixed[:cut], mixed[cut:]], [[row] for row in mixed])
    ]
    assert found == found[:1] * 4


def test_many_addresses_at_once_in_the_order_asked_for(store):
    answers = kept(store, [said(1, "b"), said(2, "a")], [failed(3, url="b"), said(4, "c")])
    found = answers.best_answers(pa.chunked_array([["c", "nobody"], ["b", "c"]]))
    assert [row["retrieved_at"] for row in found.to_pylist()] == [at(4), None, at(1), at(4)]


def test_an_answer_with_its_body(store):
    answers = kept(store, [said(1), said(1, "b")], [said(2)])
    assert answers.best_answer("a") == said(2)
    assert answers.best_answer("b") == said(1, "b")
    assert answers.best_answer("nobody") is None


def test_an_answer_with_its_body_where_one_table_has_it_twice(store):
    assert kept(store, [said(1), failed(2)]).best_answer("a") == said(1)
    assert kept(store, [said(4, "b"), said(3, "b")]).best_answer("b") == said(4, "b")


# --- the store


def test_what_has_come_since_is_found_after_a_look(store):
    answers = kept(store, [said(1)])
    kept(store, [said(2)], [said(3, "b")])
    assert best(answers)["retrieved_at"] == at(1)
    answers.refresh()
    answers.refresh()
    assert (best(answers)["retrieved_at"], best(answers, "b")["retrieved_at"]) == (at(2), at(3))
    parts = [answers.part_table(best(answers, url)["part"]) for url in "ab"]
    assert [store.read_table(part)["url"].to_pylist() for part in parts] == [["a"], ["b"]]


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def torn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def no_parquet(path: Path) -> None:
    path.write_bytes(b"<html>")


def another_body(path: Path) -> None:  # the index is still as it was
    data = bytearray(path.read_bytes())
    data[data.index(b"a of 2")] ^= 1
    path.write_bytes(bytes(data))


def another_table(path: Path) -> None:
    path.write_bytes(next(other for other in path.parent.iterdir() if other != path).read_bytes())


@pytest.mark.parametrize("damage", [emptied, torn, no_parquet, another_body, another_table])
def test_a_damaged_table_is_passed_over_and_its_answers_are_asked_for_again(store, damage):
    kept(store, [said(1, "old")])
    older = set(store.list_folder(FOLDER))
    kept(store, [said(2)])
    (name,) = set(store.list_folder(FOLDER)) - older
    damage(Path(store.full(f"{FOLDER}/{name}")))
    answers = AnswerIndex(store, FOLDER)
    assert best(answers)["part"] is None
    assert answers.best_answer("old") == said(1, "old")
    asks = requests_table([SourceRequest("a", "page", "1"), SourceRequest("old", "page", "2")])
    assert answers.requests_to_send(asks, "never", is_first=False)["url"].to_pylist() == ["a"]


def test_a_plan_finds_no_answers_in_a_store_that_is_not_there_and_leaves_none(tmp_path):
    store = Store(str(tmp_path / "nowhere"), is_overlay=True)
    assert best(AnswerIndex(store, FOLDER))["part"] is None
    assert not (tmp_path / "nowhere").exists()


def test_rows_of_parts_that_were_killed_count(store):
    with Journal(store, FOLDER, ANSWERS) as part:
        part.add(said(1))
        (journal,) = Path(store.full(FOLDER)).glob("*.journal")
        left = journal.read_bytes()
    for path in Path(store.full(FOLDER)).iterdir():
        path.unlink()
    journal.write_bytes(left)
    assert best(AnswerIndex(store, FOLDER))["part"] is None
    assert open_answers(store, FOLDER).best_answer("a") == said(1)
    assert not journal.exists()


def test_a_body_stands_in_its_row_or_is_a_blob(store):
    sha256 = store.write_blob(b"a,b\n")
    assert answer_body(store, said(1)) == b"a of 1"
    assert answer_body(store, said(1, body=b"")) == b""
    assert answer_body(store, said(1, body=None, sha256=sha256)) == b"a,b\n"


# --- what is asked

LISTED = {
    "good": said(1, "good"),
    "failing": failed(1, url="failing"),
    "had": said(1, "had"),
    "refused": failed(1, "not_found", "refused"),
}
FAILED_SINCE = failed(2, url="had")
URLS = ("good", "had", "refused", "failing", "new")


def asked(answers: AnswerIndex, refresh: str, *, is_first: bool, key: str | None) -> list[str]:
    asks = requests_table(SourceRequest(url, "page", key and f"{key}{url}") for url in URLS)
    got = answers.requests_to_send(asks, refresh, is_first=is_first)
    assert got.select(SOURCE_REQUESTS.names).schema == SOURCE_REQUESTS
    return got["url"].to_pylist()


@pytest.mark.parametrize(
    ("refresh", "is_first", "key", "expected"),
    [
        pytest.param("never", True, None, ["failing", "new"], id="never: what is not known, of listings"),
        pytest.param("never", False, None, ["failing", "new"], id="never: nor of listings further on"),
        pytest.param("never", True, "k", ["failing", "new"], id="never: what is not known, of works"),
        pytest.param("listings", True, None, list(URLS), id="listings: all of those with which a build begins"),
        pytest.param(
            "listings", False, None, ["failing", "new"], id="listings: those further on are followed by the part"
        ),
        pytest.param("listings", True, "k", ["failing", "new"], id="listings: works that are known are not asked for"),
        pytest.param("listings", False, "k", ["failing", "new"], id="listings: nor further on"),
        pytest.param("all", True, None, list(URLS), id="all: listings with which a build begins"),
        pytest.param("all", False, None, ["failing", "new"], id="all: listings further on are followed by the part"),
        pytest.param("all", False, "k", list(URLS), id="all: every work"),
    ],
)
def test_what_must_be_asked(store, refresh, is_first, key, expected):
    answers = kept(store, LISTED.values(), [FAILED_SINCE])
    assert asked(answers, refresh, is_first=is_first, key=key) == expected


def test_nothing_of_nothing_is_asked(store):
    assert (
        AnswerIndex(store, FOLDER).requests_to_send(SOURCE_REQUESTS.empty_table(), "all", is_first=True).num_rows == 0
    )


def test_only_answers_that_are_good_make_a_request_conditional(store):
    answers = kept(store, LISTED.values(), [FAILED_SINCE])
    got = answers.with_validators(requests_table(SourceRequest(url, "page") for url in URLS))
    assert got.column_names == [*SOURCE_REQUESTS.names, "sha256", "etag", "last_modified"]
    conditional = {row["url"]: (row["sha256"], row["etag"], row["last_modified"]) for row in got.to_pylist()}
    assert conditional == {**dict.fromkeys(URLS, (None, None, None)), "good": (f"{1:064}", "e1", "m1")}


@pytest.fixture
def table(store) -> tuple[AnswerIndex, str]:
    """A table, the only kind of answer whose bytes are a blob."""
    sha256 = store.write_blob(b"a,b\n")
    answers = kept(store, [said(1, "t", expects="csv", body=None, sha256=sha256), said(1)])
    return answers, sha256


@pytest.mark.parametrize("refresh", ["never", "listings"])
@pytest.mark.parametrize("key", [None, "1"])
def test_a_table_whose_blob_is_lost_is_asked_for_again_and_not_conditionally(store, table, refresh, key):
    answers, sha256 = table
    asks = requests_table([SourceRequest("t", "table", key, "csv"), SourceRequest("a", "page", key)])
    assert answers.requests_to_send(asks, refresh, is_first=False).num_rows == 0
    assert answers.with_validators(asks)["sha256"].to_pylist() == [sha256, f"{1:064}"]
    store.remove(blob_path(sha256))
    answers = AnswerIndex(store, FOLDER)
    (row,) = answers.requests_to_send(asks, refresh, is_first=False).to_pylist()
    assert (row["url"], row["sha256"], row["etag"], row["last_modified"]) == ("t", None, None, None)


def test_a_table_whose_blob_is_lost_and_that_fails_now_has_failed(store, table):
    _, sha256 = table
    store.remove(blob_path(sha256))
    answers = kept(store, [failed(2, "unreachable", "t", expects="csv")])
    assert (best(answers, "t")["reason"], answers.best_answer("t")["reason"]) == ("unreachable", "unreachable")


def test_a_table_that_was_never_had_has_lost_nothing(store):
    answers = kept(store, [failed(1, "not_found", "t", expects="csv")])
    assert (
        answers.requests_to_send(
            requests_table([SourceRequest("t", "table", None, "csv")]), "listings", is_first=False
        ).num_rows
        == 0
    )


# --- refusals


A, B = "https://api.example/a", "https://api.example/b"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param([failed(1, "not_found", A, run="1")], [A], id="of a host that answered nothing else"),
        pytest.param([failed(1, "not_found", A, run="1"), said(1, B, run="1")], [], id="of a host that works"),
        pytest.param([failed(1, "not_found", A, run="1"), said(2, B, run="2")], [A], id="of one that worked later"),
        pytest.param([failed(1, "not_found", A, run="1"), failed(2, "not_found", A, run="2")], [], id="met again"),
        pytest.param([failed(1, "opted_out", A, run="1")], [], id="said on purpose"),
        pytest.param([failed(1, "not_found", A), said(1, B)], [], id="from before builds were noted"),
        pytest.param([failed(1, "not_found", A, run="1"), said(2, A, run="2")], [], id="and it came"),
    ],
)
def test_a_refusal_of_a_work_is_final_as_one_of_an_image_is(store, rows, expected):
    index = kept(store, rows)
    requests = requests_table([SourceRequest(A, "work", "a")])
    assert index.requests_to_send(requests, "new", is_first=False)["url"].to_pylist() == expected
    assert index.are_open_refusals(requests).to_pylist() == [bool(expected)]
    assert index.are_open_refusals(requests_table([SourceRequest(A, "page")])).to_pylist() == [False]


def test_answers_from_before_builds_were_noted_are_read(store):
    table = pa.Table.from_pylist([said(1), failed(2, url="b")], schema=ANSWERS).drop_columns("run")
    store.write_table(FOLDER, table)
    index = AnswerIndex(store, FOLDER)
    assert best(index)["retrieved_at"] == at(1)
    assert best(index)["run"] is None
