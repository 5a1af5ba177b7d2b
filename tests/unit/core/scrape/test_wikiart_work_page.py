"""A work's HTML page on WikiArt: pieces of any text, what is collected of them, and whose rights it shows."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.sources.wikiart import WikiartSource
from tasks.core.scrape.web_source import BadAnswer
from tasks.core.scrape.wikiart_work import PUBLIC_DOMAIN, WorkPage, page_row, styles_in_text

URL = "https://www.wikiart.org/en/a/b"
ICON = "<i class='x copyright-icon-public-domain'></i>"


def source(**settings: Any) -> WikiartSource:
    return WikiartSource.model_validate({"name": "w", **settings})


def html(painting: str = '{"title": "T"}', body: str = "") -> bytes:
    said = painting.replace("&", "&amp;").replace('"', "&quot;")
    return f'<p ng-init="paintingJson = {said}">{body}'.encode()


@given(st.text(alphabet="<>/!-='\" abs&;", max_size=80) | st.text())
def test_any_text_is_a_page(text: str):
    page = WorkPage.of(text)
    assert all(isinstance(label, str) for label in [*page.labels, *page.styles])


# --- what is collected


def test_texts_that_are_too_long_are_cut():
    page = WorkPage.of(f"<a class=copyright>{'x' * 3000}</a><img itemprop=image alt='{'y' * 3000}'>")
    assert [len(label) for label in page.labels] == [2000]
    assert len(page.alt) == 2000


def test_styles_are_links_in_the_list_item_of_that_label():
    page = WorkPage.of(
        "<a>before</a><li><s>Style:</s><a>Cubism</a>, <a>Da<b>da</b></a></li><li><a>no label</a></li>"
        "<li><s>Genre:</s><a>portrait</a></li>"
    )
    assert page.styles == ["Cubism", "Dada"]


def test_the_first_image_and_the_first_painting_count():
    page = WorkPage.of(
        "<img itemprop=image alt=one><img itemprop=image alt=two><p ng-init='paintingJson = 1'>"
        "<p ng-init='paintingJson = 2'><p ng-init='other = 3'>"
    )
    assert (page.alt, page.work) == ("one", "paintingJson = 1")


# --- rows


@pytest.mark.parametrize(
    "painting", ["", "[]", "null", '{"title": ', "x", "[" * 100_000], ids=["none", "a list", "null", "cut", "x", "deep"]
)
def test_a_page_without_its_painting_is_no_answer(painting: str):
    with pytest.raises(BadAnswer, match=f"^{URL}: expected ng-init with paintingJson in the page, got"):
        page_row(source(copyright="any"), "a/b", URL, html(painting))


def test_a_page_of_something_else_is_no_answer():
    with pytest.raises(BadAnswer, match="got None"):
        page_row(source(copyright="any"), "a/b", URL, b"<html>busy")


@pytest.mark.parametrize(
    ("body", "is_public", "text"),
    [
        pytest.param(f"<a class=copyright>{ICON} Public domain</a>", True, "Public domain", id="icon and label"),
        pytest.param("<a class=copyright>Public domain</a>", False, "Public domain", id="no icon"),
        pytest.param(f"<a class=copyright>{ICON}</a>", False, None, id="no label"),
        pytest.param(
            f"<a class=copyright>{ICON}Public domain</a><a class=copyright>Fair use</a>",
            False,
            "Public domain; Fair use",
            id="two labels",
        ),
        pytest.param("", False, None, id="nothing"),
    ],
)
def test_a_work_is_public_where_icon_and_every_label_say_so(body: str, is_public: bool, text: str | None):
    row = page_row(source(copyright="any"), "a/b", URL, html(body=body))
    assert row is not None
    assert (row["rights_uri"], row["rights_text"]) == (PUBLIC_DOMAIN if is_public else None, text)
    wanted = page_row(source(copyright="public_domain"), "a/b", URL, html(body=body))
    assert wanted == (row if is_public else None)


def test_without_listed_styles_the_alt_text_names_them():
    body = "<img itemprop=image alt='Nude, 1912, Post-Impressionism, Cubism - by A'>"
    wanted = source(copyright="any", styles=["Cubism", "Impressionism", "Post-Impressionism"])
    row = page_row(wanted, "a/b", URL, html(body=body))
    assert row is not None
    assert (row["style"], row["styles"]) == ("Post-Impressionism", ["Post-Impressionism", "Impressionism", "Cubism"])


@pytest.mark.parametrize(
    ("wanted", "alt", "styles"),
    [
        pytest.param("all", "Cubism", [], id="all: nothing to look for"),
        pytest.param(["Cubism"], "", [], id="no text"),
        pytest.param(["Cubism"], "Cubisme", [], id="part of a word"),
        pytest.param(["Pop Art"], "POP-ART!", ["Pop Art"], id="signs and case"),
        pytest.param(["Art", "Art Deco"], "Art Deco", ["Art Deco", "Art"], id="of one place the longest first"),
        pytest.param(["Dada", "Cubism"], "Cubism and Dada", ["Cubism", "Dada"], id="in the order of the text"),
    ],
)
def test_styles_that_a_text_names(wanted: Any, alt: str, styles: list[str]):
    assert styles_in_text(source(styles=wanted), alt) == styles


def test_what_ng_init_says_after_the_painting_does_not_matter():
    painting = json.dumps({"title": "A & B"}) + "; other = 1"
    row = page_row(source(copyright="any"), "a/b", URL, html(painting))
    assert row is not None
    assert row["title"] == "A & B"
