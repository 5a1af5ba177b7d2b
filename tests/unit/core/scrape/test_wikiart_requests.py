"""WikiArt's addresses by each of its three routes: nothing that a recipe or an answer says leaves its place in them."""

from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.sources.wikiart import WikiartSource
from tasks.core.scrape import wikiart as addresses
from tasks.core.scrape.web_source import SourceRequest

SITE = "https://www.wikiart.org"


def source(**settings: object) -> WikiartSource:
    return WikiartSource.model_validate({"name": "w", **settings})


@pytest.mark.parametrize(
    ("style", "address"),
    [
        pytest.param("Cubism", "cubism", id="a plain name"),
        pytest.param("Post-Impressionism", "post-impressionism", id="a hyphen"),
        pytest.param("Fauvism  ", "fauvism", id="blanks"),
        pytest.param("ARCHAIC", "archaic-period", id="an address of its own, in any case"),
        pytest.param("Kanō school style", "kano-school", id="accents"),
        pytest.param("L'art pompier", "lart-pompier", id="an apostrophe"),
        pytest.param("Nouveau Réalisme", "nouveau-r-alisme", id="the site's own way with accents"),
        pytest.param("Komnenian style (1081-1185)", "komnenian-style-1081-1185", id="brackets"),
        pytest.param("?", "", id="no letters"),
    ],
)
def test_the_address_of_a_style(style: str, address: str):
    assert addresses.address_of_style(style) == address


def test_a_recipe_may_say_the_address_itself():
    ask = addresses.style_request(source(styles=["Cubism"], style_addresses={"Cubism": "cubism-1"}), "Cubism")
    assert ask.url.startswith(f"{SITE}/en/paintings-by-style/cubism-1?json=2&")
    assert (ask.kind, ask.source_key, ask.needs_secret) == ("style", None, False)


@pytest.mark.parametrize(
    ("settings", "ask"),
    [
        ({"by": "api2"}, SourceRequest(f"{SITE}/en/api/2/UpdatedArtists", "api2_artists", needs_secret=True)),
        ({"by": "page"}, SourceRequest(f"{SITE}/en/App/Artist/AlphabetJson?v=new", "artists")),
        ({"by": "json", "copyright": "any"}, SourceRequest(f"{SITE}/en/App/Artist/AlphabetJson?v=new", "artists")),
        (
            {"by": "json", "copyright": "public_domain"},
            SourceRequest(f"{SITE}/en/App/Artist/AlphabetJson?v=new&inPublicDomain=true", "artists"),
        ),
    ],
)
def test_the_list_of_artists(settings: dict[str, str], ask: SourceRequest):
    assert addresses.all_artists_request(source(**settings)) == ask


@pytest.mark.parametrize(
    ("by", "url", "kind"),
    [
        ("page", f"{SITE}/en/a%2Fb%3F/mode/all-paintings?json=2&layout=new&page=1&resultType=masonry", "artist"),
        ("json", f"{SITE}/en/App/Painting/PaintingsByArtist?artistUrl=a%2Fb%3F&json=2", "works"),
    ],
)
def test_an_artists_works_whatever_the_address_holds(by: str, url: str, kind: str):
    assert addresses.artist_works_request(source(by=by), "a/b?") == SourceRequest(url, kind)


@pytest.mark.parametrize(
    ("by", "ask"),
    [
        ("page", SourceRequest(f"{SITE}/en/a/b%20%3F", "page", "a/b ?", "html")),
        ("json", SourceRequest(f"{SITE}/en/App/Painting/ImageJson/7", "work", "7")),
        ("api2", SourceRequest(f"{SITE}/en/api/2/Painting?id=7", "api2_work", "7", needs_secret=True)),
    ],
)
def test_the_ask_for_one_work_bears_its_key(by: str, ask: SourceRequest):
    assert addresses.work_request(source(by=by), ask.source_key or "") == ask


def test_only_the_api_wants_the_secret():
    assert addresses.api2_works_request("5").needs_secret
    assert addresses.api2_works_request("5").url == f"{SITE}/en/api/2/PaintingsByArtist?id=5"


@given(st.text(min_size=1), st.integers(1, 999))
def test_no_name_of_an_artist_leads_off_the_site(artist: str, page: int):
    try:
        artist.encode()
    except UnicodeEncodeError:  # a lone surrogate: wikiart_work.address lets none through
        return
    for by in ("page", "json"):
        parts = urlsplit(addresses.artist_works_request(source(by=by), artist).url)
        assert (parts.scheme, parts.netloc, parts.fragment) == ("https", "www.wikiart.org", "")
        assert set(parse_qs(parts.query)) <= {"json", "layout", "page", "resultType", "artistUrl"}
    assert parse_qs(urlsplit(addresses.listing_url("x", page)).query)["page"] == [str(page)]
