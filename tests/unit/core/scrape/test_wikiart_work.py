"""One work as WikiArt describes it, field by field: what each may hold, and what it then means."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.sources.wikiart import WikiartSource
from tasks.core.scrape import wikiart_work as work

SITE = "https://www.wikiart.org"


def source(**settings: Any) -> WikiartSource:
    return WikiartSource.model_validate({"name": "w", **settings})


def test_of_a_work_without_anything_there_is_a_row_without_an_image():
    row = work.row(source(), "7", {}, [])
    assert row is not None
    assert row["key"] == "7"
    assert set(row.pop("offers").values()) == {None}
    assert {name for name, value in row.items() if value not in (None, [])} == {"key"}


def test_a_work_of_no_wanted_style_is_none():
    assert work.row(source(styles=["Dada"]), "7", {"title": "T"}, ["Cubism"]) is None
    assert work.row(source(styles=["Dada"]), "7", {"title": "T"}, []) is None


@pytest.mark.parametrize(
    ("wanted", "listed", "style", "styles"),
    [
        pytest.param("all", [], None, [], id="none listed"),
        pytest.param("all", ["Cubism", "Dada"], "Cubism", ["Cubism", "Dada"], id="the first listed"),
        pytest.param(["Dada"], ["Cubism", "DADA"], "Dada", ["Cubism", "Dada"], id="the wanted one, in its spelling"),
        pytest.param(
            ["Dada", "Cubism"], ["Cubism", "Dada"], "Cubism", ["Cubism", "Dada"], id="of two the first of the work's"
        ),
        pytest.param(
            ["Naïve Art (Primitivism)"],
            ["naive-art-primitivism"],
            "Naïve Art (Primitivism)",
            ["Naïve Art (Primitivism)"],
            id="as in its address",
        ),
        pytest.param(["Dada"], ["Dada (late)"], None, ["Dada (late)"], id="a longer name is another"),
    ],
)
def test_a_works_style_is_the_first_that_is_wanted(
    wanted: Any, listed: list[str], style: str | None, styles: list[str]
):
    assert work.choose_style(source(styles=wanted), listed) == (style, styles)


@pytest.mark.parametrize(
    ("value", "size", "url"),
    [
        pytest.param(None, "original", None, id="none"),
        pytest.param(7, "original", None, id="a number"),
        pytest.param("", "original", None, id="empty"),
        pytest.param("images/a.jpg", "original", None, id="no host"),
        pytest.param("ftp://u.wikiart.org/a.jpg", "original", None, id="another scheme"),
        pytest.param("javascript:alert(1)//u.wikiart.org/a.jpg", "original", None, id="a script"),
        pytest.param(f"{SITE}/Content/images/FRAME-600x480.jpg", "original", None, id="what stands for a hidden work"),
        pytest.param("https://u.wikiart.org/" + "a" * 2000, "original", None, id="too long"),
        pytest.param(
            "http://U.Wikiart.org/a/b.jpg!Large.jpg", "original", "https://u.wikiart.org/a/b.jpg", id="made smaller"
        ),
        pytest.param("uploads.wikiart.org/a.png", "HD", "https://uploads.wikiart.org/a.png!HD.png", id="no scheme"),
        pytest.param("//u.wikiart.org/a", "Large", "https://u.wikiart.org/a!Large.jpg", id="no extension"),
        pytest.param("//u.wikiart.org/a b#c.jpg", "original", "https://u.wikiart.org/a%20b%23c.jpg", id="odd signs"),
        pytest.param("//u.wikiart.org/%C3%A9.jpg", "original", "https://u.wikiart.org/%C3%A9.jpg", id="quoted before"),
    ],
)
def test_the_address_of_an_image(value: Any, size: str, url: str | None):
    assert work.image_url(value, size) == url


@pytest.mark.parametrize(
    ("name", "address", "found"),
    [
        (None, None, None),
        ("  ", "claude-monet", None),
        ("Monet Claude", "claude-monet", "Claude Monet"),
        ("Monet Claude", None, "Monet Claude"),
        ("Monet Claude", "somebody-else", "Monet Claude"),
        ("de Chirico Giorgio", "giorgio-de-chirico", "Giorgio de Chirico"),
        ("Dürer Albrecht", "albrecht-durer", "Albrecht Dürer"),
        ("a b c d e f g h i j k l m", "m-a-b-c-d-e-f-g-h-i-j-k-l", "a b c d e f g h i j k l m"),  # 12 turns at most
    ],
)
def test_an_artists_name_in_the_order_of_the_address(name: str | None, address: str | None, found: str | None):
    assert work.artist_name(name, address) == found


@pytest.mark.parametrize(
    ("value", "address"),
    [
        (None, None),
        (7, None),
        ("", None),
        ("/en/", "en"),
        ("/en/claude-monet/", "claude-monet"),
        ("claude-monet", "claude-monet"),
        ("/en/albrecht-d%C3%BCrer", "albrecht-dürer"),
        ("/en/..", None),
        ("/en/a b", None),
        ("/en/a%3Fb", None),
        ("/en/a%00", None),
        ("/en/\ud800", None),
        ("/en/" + "a" * 301, None),
    ],
)
def test_the_last_part_of_an_address(value: Any, address: str | None):
    assert work.last_path_part(value) == address


@pytest.mark.parametrize(
    ("value", "year"),
    [
        (None, None),
        (True, None),
        (1889.0, None),
        ("", None),
        ("c.1889", None),
        ("188", None),
        (" 1889 ", 1889),
        (999, None),
        (1000, 1000),
        (2099, 2099),
        (2100, None),
        ("/Date(0)/", 1970),
        ("/Date(-1)/", 1969),
        ("/Date(31556952000)/", 1971),
        ("/Date(x)/", None),
        ("１８８９", None),
    ],
)
def test_a_year(value: Any, year: int | None):
    assert work.year(value) == year


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        (False, None),
        (float("nan"), None),
        ([], None),
        ("  ", None),
        (0, "0"),
        (1.5, "1.5"),
        ("<i>Nude</i> &amp; Cat", "Nude & Cat"),
        ("a < b > c", "a < b > c"),
        ("<br>", None),
        ("&lt;i&gt;", "<i>"),
        ("x" * 3000, "x" * 2000),
    ],
)
def test_a_text(value: Any, text: str | None):
    assert work.text(value) == text


@pytest.mark.parametrize(
    ("value", "styles"),
    [
        (None, []),
        ("", []),
        (" , ", []),
        ("Dada", ["Dada"]),
        ("Dada,  Cubism ,", ["Dada", "Cubism"]),
        (["Dada, late", None, " "], ["Dada, late"]),
        ({"a": 1}, []),
    ],
)
def test_the_styles_that_are_listed(value: Any, styles: list[str]):
    assert work.split_styles(value) == styles


@pytest.mark.parametrize(
    ("item", "row"),
    [
        (None, {"key": None, "image": None, "title": "None", "artist": None}),
        (["x"], {"key": None, "image": None, "title": "['x']", "artist": None}),
        ({"title": "T", "artistName": "A"}, {"key": None, "image": None, "title": "T", "artist": "A"}),
        ({"title": ""}, {"key": None, "image": None, "title": "{'title': ''}", "artist": None}),
    ],
)
def test_an_item_without_a_key_is_a_row_that_is_seen_to_be_dropped(item: Any, row: dict[str, Any]):
    assert work.row_without_key(item) == row


@given(
    st.dictionaries(
        st.sampled_from(["title", "image", "artistUrl", "url", "year", "completitionYear", "artistName"]),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text()),
    )
)
def test_any_work_is_a_row(fields: dict[str, Any]):
    row = work.row(source(), "k", fields, [])
    assert row is not None
    assert row["image"] is None or row["image"].startswith("https://")
    assert row["source_url"] is None or row["source_url"].startswith(f"{SITE}/en/")
