"""What answers say, as tables, whichever source gave them: a source that is none tells whatever a test wants told."""

import inspect
from collections.abc import Mapping
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.sources import AnySource
from schemas.sources.artic import ArticSource
from schemas.sources.flickr import FlickrSource
from schemas.sources.surrealism import SurrealismSource
from schemas.sources.ukiyoe import UkiyoeSource
from schemas.sources.wikiart import WikiartSource
from schemas.tables import ANSWERS, RECORDS, SOURCE_REQUESTS
from tasks.core.scrape import answers as web
from tasks.core.scrape.web_source import BadAnswer, ClaimedCount, ParsedAnswer, SourceRequest

HOST = "https://api.artic.edu"
IMAGE = "https://images.example/1.jpg"
SOURCE = ArticSource(name="art")
Answer = dict[str, Any]


@pytest.fixture
def told(monkeypatch):
    """Answers, and what they say: given by their URL's end, and read by a source that is none."""

    def heard(answers: list[Answer], says: Mapping[str, Any]) -> web.AnswerTables:
        def read(_source: Any, _ask: SourceRequest, data: bytes) -> ParsedAnswer:
            parsed = says[data.decode()]
            if isinstance(parsed, Exception):
                raise parsed
            return parsed

        module = SimpleNamespace(hosts=("api.artic.edu", "b.artic.edu"), parse=read)
        monkeypatch.setitem(web.MUSEUMS, "artic", module)
        found = web.parse_answers(SOURCE, answers, lambda answer: answer["url"].removeprefix(f"{HOST}/").encode())
        assert found.records.schema == web.PARSED_RECORDS
        assert found.requests.schema == web.PARSED_REQUESTS
        assert found.reports.schema == web.ANSWER_REPORTS
        return found

    return heard


def answer(name: str, key: str | None = None, **given: Any) -> Answer:
    blank = dict.fromkeys(ANSWERS.names)
    asked = {"url": f"{HOST}/{name}", "kind": "page", "key": key, "expects": "json", "needs_secret": False}
    return {**blank, **asked, "retrieved_at": datetime(2026, 1, 2, tzinfo=UTC), **given}


def work(key: Any = "1", image: Any = IMAGE, **more: Any) -> dict[str, Any]:
    return {"key": key, "image": image, **more}


def rows(table: pa.Table, *names: str) -> list[Any]:
    return [tuple(row[name] for name in names) for row in table.to_pylist()]


# --- one answer


def test_no_answers_say_nothing(told):
    found = told([], {})
    assert (found.records.num_rows, found.requests.num_rows, found.reports.num_rows) == (0, 0, 0)


def test_each_row_names_the_answer_that_says_so(told):
    requests = (SourceRequest(f"{HOST}/c", "work", "3", needs_secret=True), SourceRequest(f"{HOST}/d", "page"))
    says = {
        "a": ParsedAnswer(
            (work("1"), work("2")), requests, (ClaimedCount("work_count", 9), ClaimedCount("in Dada", 4, "Dada"))
        ),
        "b": ParsedAnswer((work(),)),
    }
    found = told([answer("a"), answer("b")], says)
    assert rows(found.records, "answer_url", "record_id", "locator", "reason") == [
        (f"{HOST}/a", "art:1", IMAGE, None),
        (f"{HOST}/a", "art:2", IMAGE, None),
        (f"{HOST}/b", "art:1", IMAGE, None),
    ]
    assert rows(found.requests, "answer_url", "url", "kind", "key", "needs_secret") == [
        (f"{HOST}/a", f"{HOST}/c", "work", "3", True),
        (f"{HOST}/a", f"{HOST}/d", "page", None, False),
    ]
    assert rows(found.reports, "answer_url", "work_count", "claim", "claimed_count", "style", "problem") == [
        (f"{HOST}/a", 3, "work_count", 9, None, None),  # two rows and one ask with a key; each claim says so
        (f"{HOST}/a", 3, "in Dada", 4, "Dada", None),
        (f"{HOST}/b", 1, None, None, None, None),
    ]


def test_an_answer_that_says_nothing_leaves_no_row(told):
    assert told([answer("a"), answer("b", "1")], {"a": ParsedAnswer(), "b": ParsedAnswer()}).reports.num_rows == 0


NOAI = '<meta name="robots" content="noai">'


@pytest.mark.parametrize(
    ("row", "expects", "reason", "detail"),
    [
        pytest.param(work(), "html", "opted_out", "meta robots: noai", id="a work"),
        pytest.param(work(" 1 "), "html", "opted_out", "meta robots: noai", id="a key that is trimmed"),
        pytest.param(work(None, title="x"), "html", "bad_record", "no key in the row", id="no record anyway"),
        pytest.param(work(image="1.jpg"), "html", "bad_record", None, id="no address anyway"),
        pytest.param(work(), "json", None, None, id="no page: the tag is text of something else"),
    ],
)
def test_a_page_that_opts_out_speaks_for_the_works_that_are_taken_from_it(told, row, expects, reason, detail):
    further = (SourceRequest(f"{HOST}/c", "work", "3", "html"), SourceRequest(f"{HOST}/d", "page"))
    found = told([answer(NOAI, expects=expects)], {NOAI: ParsedAnswer((row,), further)})
    (record,) = found.records.to_pylist()
    assert record["reason"] == reason
    assert detail is None or record["detail"] == detail
    assert reason != "opted_out" or (record["record_id"], record["locator"]) == ("art:1", None)
    assert [row["url"] for row in found.requests.to_pylist()] == [f"{HOST}/c", f"{HOST}/d"]


IMAGE_AT_WIKIART = "//uploads7.wikiart.org/images/a/b.jpg"
PAINTING = f'<p ng-init=\'paintingJson = {{"image": "{IMAGE_AT_WIKIART}"}}\'>'
PRINT = '<div class="imageholder"><a href="https://data.ukiyo-e.org/mfa/images/sc1.jpg"><img></a></div>'
HTML_SOURCES = {
    "surrealism": (
        SurrealismSource(name="s"),
        ("https://surrealism.website/ernst.html", "artist", None),
        "<h1>Max Ernst</h1><img src='celebes.jpg'><img src='oedipus.jpg'>",
    ),
    "ukiyoe": (UkiyoeSource(name="u"), ("https://ukiyo-e.org/image/mfa/sc1", "print", "mfa/sc1"), PRINT),
    "wikiart": (
        WikiartSource(name="w", by="page", copyright="any"),
        ("https://www.wikiart.org/en/a/b", "page", "a/b"),
        PAINTING,
    ),
}


@pytest.mark.parametrize("word", [*HTML_SOURCES])
@pytest.mark.parametrize("tag", ["", NOAI, '<meta name="tdm-reservation" content="1">'])
def test_every_source_that_reads_pages_heeds_their_tags(word, tag):
    source, (url, kind, key), page = HTML_SOURCES[word]
    given = {**answer("", key), "url": url, "kind": kind, "expects": "html"}
    found = web.parse_answers(source, [given], lambda _: f"<head>{tag}</head>{page}".encode())
    reasons = {row["reason"] for row in found.records.to_pylist()}
    assert found.records.num_rows == (2 if word == "surrealism" else 1)
    assert ("opted_out" in reasons) is bool(tag)


def test_these_are_all_sources_that_read_pages():
    """A source that asks for pages says so in its module."""
    modules = {word: inspect.getsource(inspect.getmodule(museum.parse)) for word, museum in web.MUSEUMS.items()}
    assert {word for word, text in modules.items() if 'expects="html"' in text} == set(HTML_SOURCES)


def test_a_listing_that_opts_out_leaves_works_to_their_own_pages(told):
    further = (SourceRequest(f"{HOST}/c", "work", "3", "html"),)
    found = told([answer(NOAI, expects="html")], {NOAI: ParsedAnswer(requests=further)})
    assert (found.records.num_rows, found.requests.num_rows) == (0, 1)


@pytest.mark.parametrize(
    ("given", "says", "reason", "detail"),
    [
        pytest.param(
            {"reason": "not_found", "detail": None}, ParsedAnswer(), "not_found", "", id="refused, without a word"
        ),
        pytest.param(
            {"reason": "not_found", "detail": "status 404"},
            ParsedAnswer((work(),)),
            "not_found",
            "status 404",
            id="refused",
        ),
        pytest.param(
            {"reason": "server_error", "detail": "x" * 9999}, ParsedAnswer(), "server_error", "x" * 2000, id="at length"
        ),
        pytest.param({}, BadAnswer("expected a, got b"), "bad_record", "expected a, got b", id="of another shape"),
        pytest.param({}, BadAnswer("got '\ud83d'"), "bad_record", "got '?'", id="quoting what no UTF-8 holds"),
    ],
)
def test_a_work_whose_own_answer_fails_is_a_drop_with_the_reason(told, given, says, reason, detail):
    found = told([answer("a", "7", **given)], {"a": says})
    assert rows(found.records, "record_id", "reason", "detail", "locator") == [("art:7", reason, detail, None)]
    assert found.reports["problem"].to_pylist() in ([], [None])
    assert found.requests.num_rows == 0


@pytest.mark.parametrize("reason", ["not_found", "server_error"])
def test_a_listing_that_failed_says_nothing_and_is_no_problem_of_its_shape(told, reason):
    found = told([answer("a", reason=reason, detail="x")], {"a": ParsedAnswer((work(),))})
    assert (found.records.num_rows, found.requests.num_rows, found.reports.num_rows) == (0, 0, 0)


@pytest.mark.parametrize("message", ["expected a list, got 7", "got '\ud83d'"])
def test_a_listing_of_another_shape_is_a_problem_and_no_drop(told, message):
    found = told([answer("a")], {"a": BadAnswer(message)})
    assert found.records.num_rows == 0
    assert rows(found.reports, "work_count", "claim", "problem") == [(0, None, message.replace("\ud83d", "?"))]


def test_an_error_of_the_program_is_not_taken_for_a_bad_answer(told):
    with pytest.raises(KeyError):
        told([answer("a")], {"a": KeyError("a bug")})


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("https://evil.example/a", id="another host"),
        pytest.param("https://api.artic.edu.evil.example/a", id="one that begins like it"),
        pytest.param("https://me@api.artic.edu/a", id="with a user's name"),
        pytest.param("https://api.artic.edu:8443/a", id="another port"),
        pytest.param("https://[", id="no address"),
        pytest.param("/a", id="no host"),
        pytest.param("", id="nothing"),
    ],
)
def test_no_answer_leads_to_another_host(told, url):
    requests = (
        SourceRequest(f"{HOST}/b", "page"),
        SourceRequest(f"https://b.artic.edu/{'x' * 500}", "page"),
        SourceRequest(url, "page"),
    )
    listing = told([answer("a")], {"a": ParsedAnswer((work(),), requests, (ClaimedCount("work_count", 1),))})
    assert (listing.records.num_rows, listing.requests.num_rows) == (0, 0)
    (problem,) = listing.reports["problem"].to_pylist()
    assert problem.startswith("expected addresses at ['api.artic.edu', 'b.artic.edu'], got '")
    (lost,) = told([answer("a", "1")], {"a": ParsedAnswer((work(),), requests)}).records.to_pylist()
    assert (lost["record_id"], lost["reason"]) == ("art:1", "bad_record")


@pytest.mark.parametrize(
    ("row", "record_id", "detail"),
    [
        pytest.param(work(image="a.jpg"), "art:1", "expected an image's address, got 'a.jpg'", id="a path"),
        pytest.param(
            work(image="data:image/png;base64,xx"), "art:1", "expected an image's address, got 'data:", id="data"
        ),
        pytest.param(work(" 7 ", "a.jpg"), "art:7", "expected an image's address", id="a key with blanks around it"),
        pytest.param(work("\ud83d", "a.jpg"), "art:?", "expected an image's address", id="a key that no UTF-8 holds"),
        pytest.param(work("a\u0308", "a.jpg"), "art:ä", "expected an image's address", id="a key to be composed"),
        pytest.param(work(7, "a.jpg"), "art:7", "expected an image's address", id="a number"),
        pytest.param(work(image=None), "art:1", "no image in the row", id="no image"),
        pytest.param(work(key=None, image="a.jpg"), None, "no key in the row", id="no key"),
    ],
)
def test_a_row_without_an_images_address_is_a_drop(told, row, record_id, detail):
    (found,) = told([answer("a")], {"a": ParsedAnswer((row,))}).records.to_pylist()
    assert found["reason"] == "bad_record"
    assert found["detail"].startswith(detail)
    assert found["record_id"] == record_id or (record_id is None and found["record_id"].startswith("art:row-"))


@pytest.mark.parametrize("count", [1, 4999, 5000, 5001, 10_001])
def test_batches_lose_nothing_and_keep_the_order(told, count):
    says = ParsedAnswer(requests=tuple(SourceRequest(f"{HOST}/{number}", "page") for number in range(count)))
    assert told([answer("a")], {"a": says}).requests["url"].to_pylist() == [
        f"{HOST}/{number}" for number in range(count)
    ]


# --- what follows


def test_listings_follow_listings_and_works_do_not(told):
    requests = (
        SourceRequest(f"{HOST}/b", "page"),
        SourceRequest(f"{HOST}/c", "work", "1"),
        SourceRequest(f"{HOST}/d", "page", needs_secret=True),
    )
    says = {"a": ParsedAnswer(requests=requests), "x": BadAnswer("no")}
    told([], says)
    body = {f"{HOST}/a": b"a", f"{HOST}/x": b"x"}
    found = web.next_listing_requests(SOURCE, answer("a"), lambda parsed: body[parsed["url"]])
    assert [row["url"] for row in found] == [f"{HOST}/b", f"{HOST}/d"]
    assert pa.Table.from_pylist(found, schema=SOURCE_REQUESTS).to_pylist() == found


@pytest.mark.parametrize("given", [{}, {"reason": "not_found"}, {"reason": "throttled"}])
def test_nothing_follows_where_nothing_can_be_read(told, given):
    told([], {"x": BadAnswer("no")})
    assert web.next_listing_requests(SOURCE, answer("x", **given), lambda _: b"x") == []


def test_each_address_is_asked_for_once_in_the_order_in_which_they_come():
    requests = [SourceRequest("b", "page"), SourceRequest("a", "page"), SourceRequest("b", "work", "1", "csv", True)]
    assert web.requests_table(requests).to_pylist() == [
        {"url": "b", "kind": "work", "key": "1", "expects": "csv", "needs_secret": True},
        {"url": "a", "kind": "page", "key": None, "expects": "json", "needs_secret": False},
    ]
    assert web.requests_table([]).equals(SOURCE_REQUESTS.empty_table())


@given(st.lists(st.sampled_from("abcde")))
def test_addresses_are_unique_and_none_is_lost(names: list[str]):
    got = web.requests_table(SourceRequest(name, "page") for name in names)["url"].to_pylist()
    assert got == list(dict.fromkeys(names))


# --- completeness


def claimed(claim: str | None, count: int | None, works: int, style: str | None = None) -> dict[str, Any]:
    return {
        "answer_url": "a",
        "work_count": works,
        "claim": claim,
        "claimed_count": count,
        "style": style,
        "problem": None,
    }


def styled(*styles: list[str], reason: str | None = None) -> list[dict[str, Any]]:
    return [{**dict.fromkeys(RECORDS.names), "styles": list(named), "reason": reason} for named in styles]


@pytest.mark.parametrize(
    ("told_of", "found", "sentences"),
    [
        pytest.param([], [], [], id="nobody claims anything"),
        pytest.param([claimed(None, None, 5)], [], [], id="works that nobody claims"),
        pytest.param([claimed("w", 5, 5)], [], [], id="as many as there are"),
        pytest.param([claimed("w", 0, 0)], [], [], id="none, and none"),
        pytest.param([claimed("w", 5, 2), claimed("w", 5, 3)], [], [], id="over several answers"),
        pytest.param(
            [claimed("w", 5, 2), claimed("w", 6, 3)], [], ["w: the source states 6, found 5"], id="the larger claim"
        ),
        pytest.param([claimed("w", 4, 5)], [], ["w: the source states 4, found 5"], id="more than it says"),
        pytest.param(
            [claimed("z", 1, 0), claimed("b", 2, 0), claimed("a", 3, 0)],
            [],
            ["a: the source states 3, found 0", "b: the source states 2, found 0", "z: the source states 1, found 0"],
            id="by name",
        ),
        pytest.param(
            [claimed("d", 2, 9, "Dada")], styled(["Dada"], ["Pop", "Dada"]), [], id="of a style, the records with it"
        ),
        pytest.param(
            [claimed("d", 1, 0, "Dada")], [], ["d: the source states 1, found 0"], id="of a style without records"
        ),
        pytest.param(
            [claimed("d", 1, 0, "Dada")],
            styled(["Dada"], reason="not_found"),
            ["d: the source states 1, found 0"],
            id="what was dropped is not found",
        ),
        pytest.param(
            [claimed("d", 1, 0, "Dada")], styled(["Dada", "Dada"]), [], id="a record that has it twice is one"
        ),
        pytest.param(
            [claimed("s", 1, 1), claimed("s", 2, 1, "Dada")],
            styled(["Dada"]),
            ["s: the source states 2, found 1"],
            id="a listing and a style of one name are two claims",
        ),
    ],
)
def test_what_is_claimed_beside_what_is_found(told_of, found, sentences):
    heard = pa.Table.from_pylist(told_of, schema=web.ANSWER_REPORTS)
    assert web.count_notes(heard, pa.Table.from_pylist(found, schema=RECORDS)) == sentences


@given(
    st.permutations(
        [("a", 3, 1, None), ("a", 4, 1, None), ("b", 2, 2, None), ("c", 1, 0, "Pop"), (None, None, 7, None)]
    )
)
def test_the_order_of_answers_changes_no_sentence(entries: list[tuple[Any, ...]]):
    heard = pa.Table.from_pylist([claimed(*entry) for entry in entries], schema=web.ANSWER_REPORTS)
    assert web.count_notes(heard, RECORDS.empty_table()) == [
        "a: the source states 4, found 2",
        "c: the source states 1, found 0",
    ]


# --- what people look at


def test_what_is_not_known_is_not_shown():
    shown = {"title": "Düne", "year": 0, "artist": None, "styles": [], "is_annotated": False, "detail": ""}
    assert list(web.json_lines([shown])) == ['{"title": "Düne", "year": 0, "is_annotated": false, "detail": ""}']


# --- secrets


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(WikiartSource(name="w", by="api2", styles=["Dada"]), True, id="whose first asks need none"),
        pytest.param(WikiartSource(name="w", by="api2"), True, id="whose first ask needs it"),
        pytest.param(WikiartSource(name="w", by="json", styles=["Dada"]), False, id="whose route needs none"),
        pytest.param(WikiartSource(name="w", by="page"), False, id="by pages"),
        pytest.param(FlickrSource(name="f", group_id="1@N01"), True, id="whose every ask needs it"),
        pytest.param(SOURCE, False, id="whose API takes none"),
    ],
)
def test_a_source_needs_a_secret_if_any_of_its_asks_may(source: AnySource, expected: bool):
    assert web.needs_secret(source) is expected
    assert expected or not any(web.start_requests(source)["needs_secret"].to_pylist())


def test_prints_on_several_pages_are_as_many_as_each_page_says():
    page = '<span class="total">3 prints found.</span><span class="page">Viewing prints {} of 3.</span>{}'
    card = '<div class="img"><a class="img" href="/image/mfa/{}"><img></a></div>'
    link = '<a rel="next" href="/source/mfa?start=2">Next</a>'
    pages = {
        "https://ukiyo-e.org/source/mfa": page.format("1 to 2", card.format(1) + card.format(2) + link),
        "https://ukiyo-e.org/source/mfa?start=2": page.format("3 to 3", card.format(3)),
    }
    prints = UkiyoeSource(name="p", museums=["mfa"])
    answers = [answer("", url=url, kind="listing", expects="html") for url in pages]
    found = web.parse_answers(prints, answers, lambda asked: pages[asked["url"]].encode())
    assert web.count_notes(found.reports, found.records) == []
    alone = web.parse_answers(prints, answers[:1], lambda asked: pages[asked["url"]].encode())
    assert web.count_notes(alone.reports, alone.records) == ["source/mfa: the source states 3, found 2"]
