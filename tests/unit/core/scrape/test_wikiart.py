"""WikiArt's answers: real ImageJson records, listings, the API, pages; and that nothing but BadAnswer is raised."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.sources.wikiart import WikiartSource
from tasks.core.scrape import wikiart
from tasks.core.scrape.web_source import BadAnswer, ClaimedCount, ParsedAnswer, SourceRequest
from tasks.core.scrape.wikiart import address_of_style
from tasks.core.scrape.wikiart_work import PUBLIC_DOMAIN, WorkPage, comparable_style, hyphenated, image_url, row

SITE = "https://www.wikiart.org"
ID = "57726f82edc2cb3880bb105d"
DOCS = Path(__file__).parents[4] / "docs" / "sources" / "wikiart.md"
PAINTING = {
    "_t": "PaintingForGalleryNew",
    "_id": "5772847bedc2cb3880fded05",
    "title": "Self-portrait",
    "year": "1574",
    "width": 423,
    "height": 600,
    "artistName": "Hans von Aachen",
    "map": "0123**67*",
    "albums": None,
    "flags": 4,
    "image": "https://uploads4.wikiart.org/images/hans-von-aachen/self-portrait-1574.jpg",
    "images": None,
    "paintingUrl": "/en/hans-von-aachen/self-portrait-1574",
    "artistUrl": "/en/hans-von-aachen",
}


def source(**settings: Any) -> WikiartSource:
    return WikiartSource(name="w", **settings)


def dumped(value: Any) -> bytes:
    return json.dumps(value).encode()


def read(source_request: SourceRequest, value: Any, **settings: Any) -> ParsedAnswer:
    return wikiart.parse(source(**settings), source_request, value if isinstance(value, bytes) else dumped(value))


def image_json(**fields: Any) -> dict[str, Any]:
    return {"contentId": 7, "title": "T", "image": "https://u.wikiart.org/images/a/b.jpg", "style": "Dada"} | fields


def work_ask(content_id: int = 7) -> SourceRequest:
    return SourceRequest(f"{SITE}/en/App/Painting/ImageJson/{content_id}", "work", str(content_id))


def page(painting: Any = PAINTING, *, styles: str = "", labels: str = "", alt: str = "") -> bytes:
    parsed = json.dumps(painting).replace("&", "&amp;").replace('"', "&quot;")
    return (
        f'<html><p class="wiki-layout-painting-info-bottom" ng-init="paintingJson = {parsed}"><img itemprop="image" '
        f'alt="{alt}"><ul><li><s>Genre:</s><span><a>portrait</a></span></li><li class="dictionary-values">'
        f"<s>Style:</s><span>{styles}</span></li></ul><div class='copyright-wrapper'>{labels}</div></html>"
    ).encode()


FREE = "<a class='copyright'><i class='copyright-icon-public-domain'></i> Public domain</a>"
PAGE_ASK = SourceRequest(
    f"{SITE}/en/hans-von-aachen/self-portrait-1574", "page", "hans-von-aachen/self-portrait-1574", "html"
)


@pytest.fixture(scope="module")
def paintings(shared_data: Path) -> list[dict[str, Any]]:
    return json.loads((shared_data / "wikiart_api_imagejson" / "paintings.json").read_bytes())


@pytest.mark.parametrize(
    ("content_id", "expected"),
    [
        (
            207190,
            {"artist": "Vincent van Gogh", "title": "The Starry Night", "year": 1889, "style": "Post-Impressionism"},
        ),
        (
            225189,
            {
                "artist": "Leonardo da Vinci",
                "image": "https://uploads7.wikiart.org/images/leonardo-da-vinci/mona-lisa.jpg",
            },
        ),
    ],
)
def test_real_works_are_read(paintings: list[dict[str, Any]], content_id: int, expected: dict[str, Any]) -> None:
    found = next(work for work in paintings if work["contentId"] == content_id)
    (parsed,) = read(work_ask(content_id), found).rows
    assert {field: parsed[field] for field in expected} == expected


def test_of_599_real_works_seven_may_not_be_shown_and_all_others_have_an_image_and_a_name(
    paintings: list[dict[str, Any]],
) -> None:
    rows = [read(work_ask(work["contentId"]), work).rows[0] for work in paintings]
    assert len({parsed["key"] for parsed in rows}) == 599
    assert sum(parsed["image"] is None for parsed in rows) == 7
    assert all("!" not in (parsed["image"] or "") and (parsed["image"] or "").isascii() for parsed in rows)
    assert sum(parsed["year"] is None for parsed in rows) == 21
    assert all(hyphenated(parsed["artist"]) == folded_address(parsed["source_url"]) for parsed in rows)
    assert sum(len(parsed["styles"]) > 1 for parsed in rows) == sum("," in work["style"] for work in paintings) > 0


def folded_address(url: str) -> str:
    return url.split("/")[4]


def test_real_listings_of_a_style_and_of_a_search_are_read(shared_data: Path) -> None:
    folder = shared_data / "wikiart_other_shapes"
    listed = json.loads((folder / "paintings_by_style_json2_excerpt.json").read_bytes())
    (source_request,) = wikiart.start_requests(source(by="page", styles=["Socialist Realism"]))
    parsed = read(source_request, listed, by="page", styles=["Socialist Realism"])
    assert parsed.claims == (ClaimedCount("paintings-by-style/socialist-realism", 512, "Socialist Realism"),)
    assert parsed.requests[0].source_key == "aleksandr-deyneka/winter-in-kursk-1916"
    assert parsed.requests[1].url == source_request.url.replace("page=1", "page=2")
    by_api = read(source_request, listed, by="api2", styles=["Socialist Realism"])
    assert by_api.requests[0].source_key == "577271cfedc2cb3880c2de61"
    found = json.loads((folder / "api2_PaintingSearch_excerpt.json").read_bytes())
    works = SourceRequest(f"{SITE}/en/api/2/PaintingsByArtist?id={ID}", "api2_works", needs_secret=True)
    assert len(read(works, found, by="api2").requests) == 4
    more = read(works, found | {"hasMore": True}, by="api2").requests[-1]
    assert unquote(more.url) == f"{works.url}&paginationToken={unquote(found['paginationToken'])}"
    assert read(more, found | {"hasMore": True}, by="api2").requests[-1] == more  # a token that repeats ends the loop


def test_real_artists_are_asked_for_by_their_address(shared_data: Path) -> None:
    artists = json.loads((shared_data / "wikiart_api_imagejson" / "artists.json").read_bytes())
    (source_request,) = wikiart.start_requests(source())
    parsed = read(source_request, artists)
    assert parsed.rows == ()
    assert len(parsed.requests) == len(artists)
    assert f"{SITE}/en/App/Painting/PaintingsByArtist?artistUrl=paul-cezanne&json=2" in {
        source_request.url for source_request in parsed.requests
    }
    only = read(source_request, artists, artists=["caravaggio"], copyright="public_domain")
    assert [source_request.url.split("artistUrl=")[1] for source_request in only.requests] == ["caravaggio&json=2"]


def test_addresses_of_all_real_styles_are_known(shared_data: Path) -> None:
    known = json.loads((shared_data / "wikiart_api2_dictionaries" / "dictionaries.json").read_bytes())
    styles = {name: parsed["url"] for name, parsed in known.items() if parsed["group"] == 2}
    assert len(styles) == 193
    assert {name: address_of_style(name) for name in styles} == styles
    assert sum(hyphenated(name) != url for name, url in styles.items()) == 12
    assert not any("," in name for name in styles)  # so that ImageJson's commas only separate


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"image": "//uploads7.wikiart.org/images/a/b.jpg!Large.jpg"},
            {"image": "https://uploads7.wikiart.org/images/a/b.jpg"},
        ),
        (
            {"image": "http://uploads7.wikiart.org/images/a/b.jpeg!Large.jpeg"},
            {"image": "https://uploads7.wikiart.org/images/a/b.jpeg"},
        ),
        (
            {"image": "uploads7.wikiart.org/images/a/b(1).png"},
            {"image": "https://uploads7.wikiart.org/images/a/b(1).png"},
        ),
        ({"image": "https://uploads.wikiart.org/Content/images/FRAME-600x480.jpg"}, {"image": None}),
        ({"image": "file:///etc/passwd"}, {"image": None}),
        ({"image": "https://user@evil/x.jpg"}, {"image": None}),
        ({"image": {"url": "x"}}, {"image": None}),
        ({"completitionYear": "/Date(-12567830400000)/"}, {"year": 1571}),
        ({"completitionYear": "1890"}, {"year": 1890}),
        ({"completitionYear": 0, "yearAsString": "c.1890"}, {"year": None, "date_text": "c.1890"}),
        ({"completitionYear": 10**30}, {"year": None}),
        ({"artistName": "<b>Gogh</b>, Vincent&nbsp;van"}, {"artist": "Gogh, Vincent van"}),
        ({"artistName": "van Gogh Vincent ", "artistUrl": "/en/vincent-van-gogh"}, {"artist": "Vincent van Gogh"}),
        ({"artistName": "Gogh Vincent", "artistUrl": "somebody-else"}, {"artist": "Gogh Vincent"}),
        ({"artistUrl": "../..", "url": "x"}, {"source_url": None}),
        ({"artistUrl": "a", "url": "andré-breton"}, {"source_url": f"{SITE}/en/a/andr%C3%A9-breton"}),
        ({"style": "Expressionism, Symbolism"}, {"style": "Expressionism", "styles": ["Expressionism", "Symbolism"]}),
        ({"style": None}, {"style": None, "styles": []}),
        ({"title": float("nan")}, {"title": None}),
    ],
)
def test_odd_fields(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    (parsed,) = read(work_ask(), image_json(**fields)).rows
    assert {field: parsed[field] for field in expected} == expected
    assert "rights_uri" not in parsed  # ImageJson says nothing of rights


@pytest.mark.parametrize(
    ("wanted", "style", "expected"),
    [
        (["Symbolism"], "Dada", None),
        (["Symbolism", "Expressionism"], "Expressionism, Symbolism", "Expressionism"),  # the first that WikiArt lists
        (["symbolism"], "Expressionism, Symbolism", "symbolism"),  # spelled as in the recipe
        (["naive-art-primitivism"], "Naïve Art (Primitivism)", "naive-art-primitivism"),
        (["Post Impressionism"], "Post-Impressionism", "Post Impressionism"),
        (["Impressionism"], "Post-Impressionism", None),  # whole names only
    ],
)
def test_the_first_listed_style_that_is_wanted_is_the_works_style(
    wanted: list[str], style: str, expected: str | None
) -> None:
    rows = read(work_ask(), image_json(style=style), styles=wanted).rows
    assert [parsed["style"] for parsed in rows] == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("settings", "styles", "labels", "alt", "expected"),
    [
        ({}, "", "", "", [(None, None, None)]),
        ({}, "<a>Mannerism</a>, <a>Baroque</a>", "", "", [("Mannerism", None, None)]),
        ({"styles": ["Baroque"]}, "<a>Mannerism</a><a>Baroque</a>", "", "Mannerism", [("Baroque", None, None)]),
        (
            {"styles": ["Baroque", "Post-Impressionism"]},
            "",
            "",
            "T - post impressionism, Baroque",
            [("Post-Impressionism", None, None)],
        ),
        ({"styles": ["Art"]}, "", "", "Artemisia's Start", []),  # whole words only
        ({}, "", FREE, "", [(None, PUBLIC_DOMAIN, "Public domain")]),
        ({"copyright": "public_domain"}, "", FREE, "", [(None, PUBLIC_DOMAIN, "Public domain")]),
        # words without the sign
        (
            {},
            "",
            "<a class='copyright'>Public domain</a>",
            "",
            [(None, None, "Public domain")],
        ),
        ({}, "", FREE + "<a class='copyright'>Fair Use</a>", "", [(None, None, "Public domain; Fair Use")]),
        (
            {"copyright": "public_domain"},
            "",
            "<a class='copyright-author'>A. Heir</a><a class='copyright-clear'>Fair Use</a>",
            "",
            [],
        ),
    ],
)
def test_pages_say_style_and_rights(settings: Any, styles: str, labels: str, alt: str, expected: Any) -> None:
    rows = read(PAGE_ASK, page(styles=styles, labels=labels, alt=alt), by="page", **settings).rows
    assert [(parsed["style"], parsed["rights_uri"], parsed["rights_text"]) for parsed in rows] == expected
    for parsed in rows:
        assert (parsed["artist"], parsed["title"], parsed["date_text"]) == ("Hans von Aachen", "Self-portrait", "1574")
        assert parsed["source_url"] == PAGE_ASK.url


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("original", "https://u.wikiart.org/images/a/b.jpg"),
        ("HD", "https://u.wikiart.org/images/a/b.jpg!HD.jpg"),
        ("PinterestSmall", "https://u.wikiart.org/images/a/b.jpg!PinterestSmall.jpg"),
    ],
)
@pytest.mark.parametrize("parsed", ["", "!Large.jpg", "!Blog.jpg"])
def test_image_sizes(size: Any, expected: str, parsed: str) -> None:
    assert image_url(f"https://u.wikiart.org/images/a/b.jpg{parsed}", size) == expected


LISTS = f"{SITE}/en/paintings-by-style/dada?json=2&layout=new&page=1&resultType=masonry"
ALPHABET = f"{SITE}/en/App/Artist/AlphabetJson?v=new"
OF_MONET = f"{SITE}/en/App/Painting/PaintingsByArtist?artistUrl=claude-monet&json=2"
UPDATED = f"{SITE}/en/api/2/UpdatedArtists"


@pytest.mark.parametrize(
    ("settings", "urls"),
    [
        ({}, [ALPHABET]),
        ({"styles": ["Dada"]}, [ALPHABET, LISTS]),
        ({"styles": ["Dada"], "copyright": "public_domain"}, [f"{ALPHABET}&inPublicDomain=true"]),
        ({"artists": ["claude-monet"]}, [OF_MONET]),
        ({"artists": ["claude-monet"], "styles": ["Dada"]}, [OF_MONET]),  # a part of a style is not counted
        ({"artists": ["claude-monet"], "copyright": "public_domain"}, [f"{ALPHABET}&inPublicDomain=true"]),
        ({"by": "api2"}, [UPDATED]),
        ({"by": "api2", "styles": ["Dada"]}, [LISTS]),
        ({"by": "api2", "artists": ["claude-monet", ID]}, [f"{SITE}/en/api/2/PaintingsByArtist?id={ID}", UPDATED]),
        ({"by": "api2", "artists": [ID]}, [f"{SITE}/en/api/2/PaintingsByArtist?id={ID}"]),
        ({"by": "page"}, [ALPHABET]),
        ({"by": "page", "styles": ["Dada"], "copyright": "public_domain"}, [LISTS]),
        (
            {"by": "page", "artists": ["é"]},
            [f"{SITE}/en/%C3%A9/mode/all-paintings?json=2&layout=new&page=1&resultType=masonry"],
        ),
        (
            {"by": "page", "styles": ["Dada"], "style_addresses": {"Dada": "dada-0"}},
            [f"{SITE}/en/paintings-by-style/dada-0?json=2&layout=new&page=1&resultType=masonry"],
        ),
    ],
)
def test_first_asks(settings: Any, urls: list[str]) -> None:
    requests = wikiart.start_requests(source(**settings))
    assert [source_request.url for source_request in requests] == urls
    assert all(
        source_request.source_key is None and source_request.needs_secret == ("/api/2/" in source_request.url)
        for source_request in requests
    )


def listing(total: Any = 1, works: Any = None) -> dict[str, Any]:
    work = {"id": ID, "paintingUrl": "/en/a/b", "title": "T"}
    return {"Paintings": [work] if works is None else works, "AllPaintingsCount": total, "PageSize": 60}


@pytest.mark.parametrize(
    ("page_number", "total", "works", "asked"),
    [
        (1, 0, [], []),
        (1, 60, None, ["b"]),
        (1, 61, None, ["b", "page=2"]),
        (2, 61, None, ["b"]),
        (1, 3600, None, ["b", "page=2"]),
        (1, 3601, None, ["b", "page=2", "AlphabetJson?v=new"]),  # the listing will not give them all
        (59, 4000, None, ["b", "page=60"]),
        (60, 4000, None, ["b"]),  # where the real listings stop
        (2, 4000, [], []),  # an empty page ends a listing whatever it claims
    ],
)
def test_listings_of_a_style_stop_at_3600(page_number: int, total: int, works: Any, asked: list[str]) -> None:
    source_request = SourceRequest(LISTS.replace("page=1", f"page={page_number}"), "style")
    parsed = read(source_request, listing(total, works), by="page", styles=["Dada"])
    assert [
        source_request.url.split("/")[-1].split("&layout=new&")[-1].split("&resultType")[0]
        for source_request in parsed.requests
    ] == asked
    assert parsed.claims == (ClaimedCount("paintings-by-style/dada", total, "Dada"),)
    by_json = read(source_request, listing(total, works), styles=["Dada"])
    assert (by_json.rows, by_json.requests, by_json.claims) == ((), (), parsed.claims)


@pytest.mark.parametrize(
    ("kind", "settings", "items"),
    [
        ("works", {}, [{"contentId": 1}, {"title": "no id"}, None, {"contentId": True}, {"contentId": "../1"}]),
        ("api2_works", {"by": "api2"}, {"data": [{"id": ID}, {"id": "x"}, 3, {"id": None}, {}], "hasMore": False}),
        ("api2_artists", {"by": "api2"}, {"data": [{"id": ID}, {"id": "x"}, 3, [], {"url": "a"}], "hasMore": None}),
        ("artists", {}, [{"url": "a"}, {"url": ".."}, "a", {"url": ""}, {"url": 5}]),
        (
            "artist",
            {"by": "page"},
            listing(
                9,
                [
                    {"paintingUrl": "/en/a/b"},
                    {"paintingUrl": "/en/a"},
                    0,
                    {"paintingUrl": "//evil/a/b"},
                    {"paintingUrl": "/en/../b"},
                ],
            ),
        ),
    ],
)
def test_a_bad_item_is_a_row_without_key_and_the_rest_of_the_listing_is_kept(
    kind: str, settings: Any, items: Any
) -> None:
    source_request = SourceRequest(f"{SITE}/en/a/mode/all-paintings?json=2&page=1", kind)
    parsed = read(source_request, items, **settings)
    assert len(parsed.requests) == 1
    assert [(dropped["key"], dropped["image"]) for dropped in parsed.rows] == [(None, None)] * 4


@pytest.mark.parametrize(
    ("source_request", "value", "message"),
    [
        (work_ask(), b"<html>", "ImageJson/7: expected JSON, got b'<html>'"),
        (work_ask(), b"\xff", "expected JSON"),
        (work_ask(), b"[" * 100_000, "expected JSON"),
        (work_ask(), [], "expected an object, got \\[\\]"),
        (work_ask(), None, "expected an object, got None"),
        (work_ask(), image_json(contentId=8), "expected contentId 7, got 8"),
        (SourceRequest("u", "api2_work", ID), {"id": 1}, f"expected id {ID}, got 1"),
        (SourceRequest("u", "works"), {}, "expected a list of works, got {}"),
        (SourceRequest("u", "artists"), None, "expected a list of artists, got None"),
        (SourceRequest("u", "api2_works"), {"Message": "Limit exceeded"}, "expected a list of data, got None"),
        (SourceRequest("u", "api2_works"), [], "expected an object"),
        (
            SourceRequest("u", "api2_works"),
            {"data": [], "hasMore": True},
            "paginationToken, since hasMore is true, got None",
        ),
        (SourceRequest("u", "api2_works"), {"data": [], "hasMore": True, "paginationToken": "a b"}, "got 'a b'"),
        (SourceRequest(LISTS, "style"), listing("60"), "expected AllPaintingsCount, a number, got '60'"),
        (SourceRequest(LISTS, "style"), listing(True), "got True"),
        (SourceRequest(LISTS, "style"), listing(works={"a": 1}), "expected a list of Paintings"),
        (SourceRequest("u", "style"), listing(), "expected an address with page="),
        (PAGE_ASK, b"", "expected ng-init with paintingJson in the page, got None"),
        (PAGE_ASK, b"<a ng-init='paintingJson = [1]'>", "got 'paintingJson = \\[1\\]'"),
        (PAGE_ASK, b"<a ng-init='paintingJson = {'>", "got 'paintingJson = {'"),
    ],
)
def test_an_answer_of_another_shape_is_quoted(source_request: SourceRequest, value: Any, message: str) -> None:
    with pytest.raises(BadAnswer, match=message):
        read(source_request, value)


def test_an_artist_whom_the_recipe_names_has_works() -> None:
    assert read(SourceRequest("u", "works"), []).requests == ()
    with pytest.raises(BadAnswer, match="expected works of an artist that the recipe names, got an empty list"):
        read(SourceRequest("u", "works"), [], artists=["clod-monet"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"by": "api2", "copyright": "public_domain"}, "expected any with by: api2, whose answers do not state rights"),
        ({"artists": []}, "expected all or at least one name"),
        ({"styles": ["Dada", " "]}, "expected all or at least one name"),
        ({"artists": ["https://www.wikiart.org/en/claude-monet"]}, "expected the last part of a page's address"),
        ({"style_addresses": {"Dada": "dada"}}, "expected styles that are listed under styles, got 'Dada'"),
        ({"styles": ["Dada"], "style_addresses": {"Dada": "a/b"}}, "expected the last part of a page's address"),
        ({"image_size": "Huge"}, "image_size"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: Any, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        source(**settings)


KINDS = sorted(wikiart._PARSERS)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=12,
)
REAL = st.sampled_from(
    [
        dumped(image_json()),
        dumped([image_json()]),
        dumped(listing(99)),
        page(),
        page(labels="<a class=copyright><![x"),
        dumped({"data": [{"id": ID, "url": "a"}], "hasMore": True, "paginationToken": "a%2b"}),
        dumped([{"url": "a"}]),
    ]
)


@st.composite
def spoilt(draw: st.DrawFn) -> bytes:
    """A true answer with a stretch replaced by other bytes."""
    data = draw(REAL)
    start = draw(st.integers(0, len(data)))
    end = draw(st.integers(start, min(len(data), start + 12)))
    return (
        data[:start]
        + draw(st.binary(max_size=6) | st.sampled_from([b"null", b"[", b"1e999", b'"\\ud800"']))
        + data[end:]
    )


@st.composite
def odd_values(draw: st.DrawFn) -> bytes:
    """A true answer in which one field holds anything."""
    fields = draw(st.sampled_from([image_json(), listing(9), PAINTING, {"data": [], "hasMore": True}]))
    field = draw(st.sampled_from(sorted(fields)))
    return draw(st.sampled_from([dumped, page]))(fields | {field: draw(JSON)})


@given(
    data=st.binary(max_size=200) | JSON.map(dumped) | spoilt() | odd_values(),
    kind=st.sampled_from(KINDS),
    by=st.sampled_from(["json", "api2", "page"]),
    styles=st.sampled_from(["all", ("Dada", "\u0301")]),
)
def test_no_bytes_raise_anything_but_bad_answer_and_no_ask_leaves_the_site(
    data: bytes, kind: str, by: Any, styles: Any
) -> None:
    source_request = SourceRequest(LISTS, kind, "7" if "work" in kind and "works" not in kind else None)
    try:
        parsed = wikiart.parse(source(by=by, styles=styles), source_request, data)
    except BadAnswer:
        return
    assert all(
        source_request.url.startswith(f"{SITE}/en/") and source_request.url.isascii()
        for source_request in parsed.requests
    )
    for dropped_or_not in parsed.rows:
        image = dropped_or_not["image"]
        assert image is None or image.startswith("https://")
        json.dumps(dropped_or_not, allow_nan=False)


@given(st.text(max_size=30))
def test_names_that_differ_in_accents_case_and_hyphens_alone_are_one(name: str) -> None:
    assert comparable_style(hyphenated(name)) == comparable_style(name)


def test_the_example_in_the_docs_is_a_real_one(paintings: list[dict[str, Any]]) -> None:
    example = json.loads(DOCS.read_text("utf-8").split("```json")[1].split("```")[0])
    found = next(work for work in paintings if str(work["contentId"]) == example["key"])
    assert row(source(), example["key"], found, [found["style"]]) == example


@pytest.mark.parametrize(
    "html",
    [
        "<li><s>Style:</s><a>Dada</a>",
        "<LI><S> Style: </S><A HREF='x'>Da<i>da</i></A></LI>",
        "<!-- <li><s>Style:</s><a>No</a> --><li><s>Style:</s><a href=x>Dada",
        "<script>'<li><s>Style:</s><a>No</a>'</script ><li><s>Style:</s><a>Dada</a><li><a>no</a>",
        "<![if x]><?x?><li a='>' b=\"'\" =><s>Style:</s><a>D&#97;da</a>",
        "<p <li><s>Style:</s><br/><a>Dada</a> & <",
    ],
)
def test_styles_of_untidy_pages(html: str) -> None:
    assert WorkPage.of(html).styles == ["Dada"]


@pytest.mark.parametrize(
    "html", ["<a b=", "<![if", "<!--", "<s>", "<a class=copyright>", "<li><s>Style:<a>", "<p a='", '="']
)
def test_pages_take_time_linear_in_their_length(html: str) -> None:
    assert WorkPage.of(html * 20_000).work is None
