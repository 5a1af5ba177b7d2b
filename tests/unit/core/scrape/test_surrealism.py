import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.sources.surrealism import SurrealismSource
from tasks.core.scrape.records import record
from tasks.core.scrape.surrealism import HOSTS, MUSEUM, parse, start_requests
from tasks.core.scrape.web_source import BadAnswer, SourceRequest

SOURCE = SurrealismSource(name="surrealists")
INDEX = SourceRequest("https://surrealism.website/", "index", expects="html")
ARTIST = SourceRequest("https://surrealism.website/ernst.html", "artist", expects="html")
WORKS = b'<h1>Max  Ernst</h1><p><img src="images/celebes.jpg" alt="Celebes"></p>'


@pytest.mark.parametrize(("index", "path"), [("/", "/"), ("/artists/index.html", "/artists/index.html")])
def test_first(index, path):
    assert start_requests(SurrealismSource(name="x", index=index)) == [
        SourceRequest(f"https://surrealism.website{path}", "index", expects="html")
    ]
    assert MUSEUM.credential is None


@pytest.mark.parametrize(
    "fields", [{"index": ""}, {"index": "x.html"}, {"index": "//evil.org"}, {"index": "/a?b=c"}, {"style": ""}]
)
def test_odd_settings_are_refused(fields):
    with pytest.raises(ValidationError):
        SurrealismSource(name="x", **fields)


def test_an_index_leads_to_its_artists():
    links = (
        '<a href="https://evil.org/a.html">E</a><a href="/"> Home</a><a href="b.html"></a><a '
        'href="c.html?x=1">C</a><a>D</a>'
    )
    parsed = parse(
        SOURCE,
        INDEX,
        f'{links}<a href="ernst.html#top">Ernst</a><a href="/ernst.html">M. Ernst</a><a href="x/d.htm">D</a>'.encode(),
    )
    assert [source_request.url for source_request in parsed.requests] == [
        "https://surrealism.website/ernst.html",
        "https://surrealism.website/x/d.htm",
    ]
    assert {
        (source_request.kind, source_request.source_key, source_request.expects) for source_request in parsed.requests
    } == {("artist", None, "html")}
    assert (parsed.rows, parsed.claims) == ((), ())


def test_a_work_is_what_the_docs_say():
    page = (Path(__file__).parents[4] / "docs" / "sources" / "surrealism.md").read_text("utf-8")
    (row,) = parse(SOURCE, ARTIST, WORKS).rows
    assert row == json.loads(page.partition("```json")[2].partition("```")[0])
    assert "Not verified against the site" in page


@pytest.mark.parametrize(
    ("image", "key", "title"),
    [
        ('<img src="/a/b%20c.JPEG?v=1">', "a/b c", None),
        ('<img src="http://surrealism.website/x.png" alt="A &amp; B">', "x", "A & B"),
        ('<img src="spacer.gif" alt="-">', None, "no image of surrealism.website at 'spacer.gif': -"),
        ('<img src="https://evil.org/x.jpg">', None, "no image of surrealism.website at 'https://evil.org/x.jpg': "),
        ("<img>", None, "no image of surrealism.website at '': "),
        (
            '<img src="data:image/jpg;base64,x.jpg">',
            None,
            "no image of surrealism.website at 'data:image/jpg;base64,x.jpg': ",
        ),
    ],
)
def test_odd_images(image, key, title):
    (row,) = parse(SOURCE, ARTIST, b"<h1>A</h1>" + image.encode()).rows
    assert (row.get("key"), row["title"]) == (key, title)
    assert (record(SOURCE, row)["reason"] is None) == (key is not None)


@pytest.mark.parametrize(
    ("source_request", "data", "message"),
    [
        (
            INDEX,
            b"<title>Parked</title><a href='https://x.org/a.html'>a</a>",
            r"expected links to artists' pages .* got none; title 'Parked'",
        ),
        (INDEX, b"", "expected links"),
        (ARTIST, b"<img src=a.jpg>", r"expected one h1 with the artist's name, got \[\]"),
        (ARTIST, b"<h1>A</h1><h1>B</h1><img src=a.jpg>", r"got \['A', 'B'\]"),
        (ARTIST, b"<h1> </h1><img src=a.jpg>", r"got \[''\]"),
        (ARTIST, b"<h1>A</h1>", r"expected images of works \(img\), got none"),
        (SourceRequest(ARTIST.url, "work"), WORKS, "got 'work'"),
    ],
)
def test_bad_answers(source_request, data, message):
    with pytest.raises(BadAnswer, match=message):
        parse(SOURCE, source_request, data)


@given(st.one_of(st.binary(), st.text(alphabet="<>/=\"'& himgascr.jp1\n").map(str.encode)), st.integers(0, len(WORKS)))
def test_any_bytes_are_read_or_refused(noise, at):
    for source_request, data in ((INDEX, noise), (ARTIST, noise), (ARTIST, WORKS[:at] + noise + WORKS[at:])):
        try:
            parsed = parse(SOURCE, source_request, data)
        except BadAnswer:
            continue
        assert all(each.url.split("/")[2] in HOSTS for each in parsed.requests)
        assert len([record(SOURCE, row) for row in parsed.rows]) == len(parsed.rows)
