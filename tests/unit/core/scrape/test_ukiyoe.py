import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.sources.ukiyoe import UkiyoeSource
from tasks.core.scrape.records import record
from tasks.core.scrape.ukiyoe import HOSTS, MUSEUM, parse, start_requests
from tasks.core.scrape.web_source import BadAnswer, ClaimedCount, SourceRequest

SOURCE = UkiyoeSource(name="prints")
LISTING = SourceRequest("https://ukiyo-e.org/source/mfa", "listing", expects="html")
PRINT = SourceRequest("https://ukiyo-e.org/image/mfa/sc190207", "print", "mfa/sc190207", "html")
IMAGE = "https://data.ukiyo-e.org/mfa/images/sc190207.jpg"
HOLDER = (
    f'<div class="imageholder"><a href="{IMAGE}"><img src="{IMAGE.replace("images", "scaled")}" alt=\'Japanese '
    'Print "T" by A\'></a></div>'
)


def card(href="/image/mfa/sc1", alt="x"):
    return (
        f'<div class="img col-xs-6"><a href="{href}" class="img"><img src="t.jpg" alt="{alt}"/></a><div '
        'class="details"></div></div>'
    )


def listing(*cards, total="1", viewing="1 to 1", after=""):
    state = (
        f'<span class="total"><strong>{total}</strong> prints found.</span><span class="page">Viewing prints '
        f"{viewing}.</span>"
    )
    return f"<title>MFA</title>{state}{''.join(cards)}{after}".encode()


def following(href):
    return f'<span class="next"><a href="{href}" rel="next">Next</a></span>'


def real(shared_data, name):
    return (shared_data / "ukiyoe_html" / name).read_bytes()


def real_print(shared_data):
    """The real excerpt, with addresses of the documented form where the excerpt's own were shortened to x and y."""
    page = real(shared_data, "image_page_excerpt.html")
    return page.replace(b'href="x"', f'href="{IMAGE}"'.encode()).replace(
        b'src="y"', b'src="//data.ukiyo-e.org/mfa/scaled/sc190207.jpg"'
    )


@pytest.mark.parametrize(
    ("fields", "urls"),
    [
        ({}, [f"https://ukiyo-e.org/source/{museum}" for museum in ("met", "mfa", "mia", "famsf")]),
        ({"museums": ["etm"]}, ["https://ukiyo-e.org/source/etm"]),
        (
            {"museums": ["mfa", "met"], "style": "x", "rendition": "scaled"},
            ["https://ukiyo-e.org/source/mfa", "https://ukiyo-e.org/source/met"],
        ),
    ],
)
def test_first(fields, urls):
    requests = start_requests(UkiyoeSource(name="x", **fields))
    assert [source_request.url for source_request in requests] == urls
    assert {
        (source_request.kind, source_request.source_key, source_request.expects, source_request.needs_secret)
        for source_request in requests
    } == {("listing", None, "html", False)}
    assert MUSEUM.credential is None


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"museums": []}, "at least 1"),
        ({"museums": ["mfa", "met", "mfa"]}, r"expected each museum once, got .*mfa.* more than once"),
        ({"museums": ["../x"]}, "pattern"),
        ({"style": ""}, "at least 1"),
        ({"rendition": "thumbs"}, "full"),
    ],
)
def test_odd_settings_are_refused(fields, message):
    with pytest.raises(ValidationError, match=message):
        UkiyoeSource(name="x", **fields)


def test_a_real_card(shared_data):
    source_request = SourceRequest("https://ukiyo-e.org/source/etm", "listing", expects="html")
    parsed = parse(SOURCE, source_request, real(shared_data, "search_result_card.html"))
    assert parsed.requests == (
        SourceRequest("https://ukiyo-e.org/image/etm/0189204030", "print", "etm/0189204030", "html"),
    )
    assert (parsed.rows, parsed.claims) == ((), ())


def test_the_real_page_of_a_print_is_what_the_docs_say(shared_data):
    (row,) = parse(SOURCE, PRINT, real_print(shared_data)).rows
    page = (Path(__file__).parents[4] / "docs" / "sources" / "ukiyoe.md").read_text("utf-8")
    assert row == json.loads(page.partition("```json")[2].partition("```")[0])
    found = record(SOURCE, row)
    assert found["reason"] is None
    assert (found["record_id"], found["year"], found["rights_uri"]) == ("prints:mfa/sc190207", 1862, "NOASSERTION")


def test_the_real_page_of_a_print_scaled(shared_data):
    (row,) = parse(UkiyoeSource(name="x", rendition="scaled"), PRINT, real_print(shared_data)).rows
    assert row["image"] == "https://data.ukiyo-e.org/mfa/scaled/sc190207.jpg"


def test_the_real_excerpt_as_it_is_has_no_image(shared_data):
    with pytest.raises(
        BadAnswer, match=r"expected the image's URL at data.ukiyo-e.org in a.href, got 'x' \(https://ukiyo-e.org/image"
    ):
        parse(SOURCE, PRINT, real(shared_data, "image_page_excerpt.html"))


@pytest.mark.parametrize(
    ("rows", "fields"),
    [
        ("", {"title": "T", "artist": "A", "date_text": None}),  # from the image's alternative text
        ('<p class="row title"><strong>Title:</strong></p>', {"title": "T"}),
        (
            '<p class="row date"><strong>Date:</strong><span> ca. 1830 &ndash;\n 1844 </span></p>',
            {"date_text": "ca. 1830 – 1844"},
        ),
        (
            '<p class="row artist"><span><a>K &amp; <b>L</b></a></span></p><p class="row artist"><span>M</span></p>',
            {"artist": "K & L|M"},
        ),
    ],
)
def test_odd_fields_of_a_print(rows, fields):
    (row,) = parse(SOURCE, PRINT, (HOLDER + rows).encode()).rows
    assert {name: row[name] for name in fields} == fields


def test_an_alternative_text_of_another_form_is_no_title():
    (row,) = parse(SOURCE, PRINT, HOLDER.replace("Japanese Print", "Print").encode()).rows
    assert (row["title"], row["artist"]) == (None, None)


@pytest.mark.parametrize(
    ("data", "requests", "rows", "claims"),
    [
        (listing(total="0", viewing="0 to 0"), [], 0, [0]),
        (listing(card(), total="1"), ["image/mfa/sc1"], 0, [1]),
        (listing(card("https://ukiyo-e.org/image/mfa/sc1")), ["image/mfa/sc1"], 0, [1]),  # absolute, as it was in 2020
        (listing(card("/image/mfa/a%20b%C3%BC")), ["image/mfa/a%20b%C3%BC"], 0, [1]),
        (
            listing(card(), total="37,045", viewing="1 to 100", after=following("/source/mfa?start=100")),
            ["image/mfa/sc1", "source/mfa?start=100"],
            0,
            [37045],
        ),
        (
            listing(
                card("/image/met/1"), card("/upload/x"), card(""), card("//evil.org/image/mfa/1"), card("/image/mfa/..")
            ),
            [],
            5,
            [1],
        ),
        (listing(card("/image/mfa/%2e%2e%2fx"), card("/image/mfa/%ff"), card("http://[")), [], 3, [1]),
        (b'<div class="img"></div>', [], 1, []),
        (b"<p>many prints found.</p>" + card().encode(), ["image/mfa/sc1"], 0, []),
    ],
)
def test_listings(data, requests, rows, claims):
    parsed = parse(SOURCE, LISTING, data)
    assert [source_request.url for source_request in parsed.requests] == [
        f"https://ukiyo-e.org/{path}" for path in requests
    ]
    assert len(parsed.rows) == rows
    assert [record(SOURCE, row)["reason"] for row in parsed.rows] == ["bad_record"] * rows
    assert parsed.claims == tuple(ClaimedCount("source/mfa", count) for count in claims)


def test_each_page_of_a_listing_claims_what_the_first_one_does():
    source_request = SourceRequest(f"{LISTING.url}?start=100", "listing", expects="html")
    assert parse(SOURCE, source_request, listing(card(), total="101", viewing="101 to 101")).claims == (
        ClaimedCount("source/mfa", 101),
    )


@pytest.mark.parametrize(
    ("source_request", "data", "message"),
    [
        (
            LISTING,
            b"<title>Just a moment...</title>",
            r"expected prints \(div.img\), got none; title 'Just a moment...' \(https://ukiyo-e",
        ),
        (LISTING, b"", "expected prints"),
        (LISTING, listing(total="7"), "expected prints"),
        (
            LISTING,
            listing(card(), total="101", viewing="1 to 100"),
            r"next page \(rel=next\), got none after 100 of 101",
        ),
        (
            LISTING,
            listing(card(), after=following("https://evil.org/source/mfa?start=1")),
            "got 'https://evil.org/source/mfa",
        ),
        (LISTING, listing(card(), after=following("/source/met?start=1")), "next page of /source/mfa"),
        (LISTING, listing(card(), after=following("/source/mfa?start=1&x=2")), "start=N"),
        (PRINT, b"<title>404</title>", r"expected the print \(div.imageholder\), got none; title '404'"),
        (PRINT, HOLDER.replace("https://data", "https://evil").encode(), "got 'https://evil.ukiyo-e.org"),
        (SourceRequest(PRINT.url, "print"), HOLDER.encode(), "expected a request for a listing or a print"),
        (SourceRequest(PRINT.url, "artist"), b"", "got 'artist'"),
    ],
)
def test_bad_answers(source_request, data, message):
    with pytest.raises(BadAnswer, match=message):
        parse(SOURCE, source_request, data)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_bytes_are_read_or_refused(shared_data, data):
    whole = [listing(card(), total="9", after=following("/source/mfa?start=1")), real_print(shared_data)]
    page = data.draw(st.sampled_from(whole))
    at, length = data.draw(st.integers(0, len(page))), data.draw(st.integers(0, 40))
    mutated = st.binary(max_size=12).map(lambda noise: page[:at] + noise + page[at + length :])
    value = data.draw(
        st.one_of(
            st.binary(), mutated, st.dictionaries(st.text(), st.integers()).map(lambda it: json.dumps(it).encode())
        )
    )
    for source_request in (LISTING, PRINT):
        try:
            parsed = parse(SOURCE, source_request, value)
        except BadAnswer:
            continue
        assert all(each.url.split("/")[2] in HOSTS and each.url.isascii() for each in parsed.requests)
        assert len([record(SOURCE, row) for row in parsed.rows]) == len(parsed.rows)
