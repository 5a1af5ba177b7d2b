"""What a crawl asks for next: one order, whatever the order of what it was told."""

import hashlib
import itertools
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.sources.artic import ArticSource
from schemas.tables import SOURCE_REQUESTS
from tasks.core.passed_over import Tally
from tasks.core.scrape.answers import PARSED_REQUESTS
from tasks.scrape import crawl

SOURCE = ArticSource(name="art")
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "answer_url": st.sampled_from("xyz"),
            "url": st.sampled_from("abcdef"),
            "kind": st.sampled_from(["page", "work"]),
            "key": st.sampled_from([None, "1", "2"]),
            "expects": st.sampled_from(["json", "csv"]),
            "needs_secret": st.booleans(),
        }
    ),
    max_size=12,
)


def as_table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=PARSED_REQUESTS)


def asks(**keys: str | None) -> pa.Table:
    rows = [
        {"url": url, "kind": "work", "key": key, "expects": "json", "needs_secret": False} for url, key in keys.items()
    ]
    return pa.Table.from_pylist(rows, schema=SOURCE_REQUESTS)


@given(ROWS, st.data())
def test_however_asks_are_dealt_to_tables_the_same_are_next(rows: list[dict[str, Any]], data: st.DataObject):
    mixed = data.draw(st.permutations(rows))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=4)))
    parts = [as_table(mixed[begin:end]) for begin, end in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
    seen = pa.chunked_array([data.draw(st.lists(st.sampled_from("abcdefg"), max_size=3))], pa.string())
    limit = data.draw(st.one_of(st.none(), st.integers(1, 4)))
    one, other = crawl._new_requests([as_table(rows)], seen), crawl._new_requests(parts, seen)
    assert one.schema == SOURCE_REQUESTS
    assert one.equals(other)
    assert one["url"].to_pylist() == sorted({row["url"] for row in rows} - set(seen.to_pylist()))
    assert all(
        row in [{name: given[name] for name in SOURCE_REQUESTS.names} for given in rows] for row in one.to_pylist()
    )
    assert crawl._limit_requests(SOURCE, one, limit).equals(crawl._limit_requests(SOURCE, other, limit))


@pytest.mark.parametrize("parts", [[], [as_table([])], [as_table([]), as_table([])]])
def test_nothing_leads_to_nothing(parts):
    assert crawl._new_requests(parts, pa.chunked_array([], pa.string())).equals(SOURCE_REQUESTS.empty_table())
    assert crawl._limit_requests(SOURCE, SOURCE_REQUESTS.empty_table(), 3).equals(SOURCE_REQUESTS.empty_table())


@pytest.mark.parametrize("limit", [None, 1, 2, 3, 99])
def test_a_limit_draws_works_by_their_keys_and_leaves_listings_alone(limit):
    works = {"a": "1", "b": "2", "c": "3"}
    got = crawl._limit_requests(SOURCE, asks(**works, x=None, y=None), limit)
    by_lot = sorted(works, key=lambda url: hashlib.sha256(f"art:{works[url]}".encode()).digest())
    assert set(got["url"].to_pylist()) == {"x", "y", *by_lot[:limit]}


def test_a_larger_limit_asks_for_those_of_a_smaller_one():
    works = asks(**{f"u{number}": str(number) for number in range(20)})
    drawn = [set(crawl._limit_requests(SOURCE, works, limit)["key"].to_pylist()) for limit in range(1, 20)]
    assert all(smaller < larger for smaller, larger in itertools.pairwise(drawn))


@given(ROWS)
def test_requests_for_works_are_sent_or_counted(rows: list[dict[str, Any]]):
    later, nothing = Tally(), pa.chunked_array([], pa.string())
    tables = [as_table(rows[:5]), as_table(rows[5:])]
    new = crawl._new_requests(tables, nothing)
    crawl._count_repeats(later, tables, new)
    sent = new.num_rows - new["key"].null_count
    assert sent + later.total == sum(row["key"] is not None for row in rows)
