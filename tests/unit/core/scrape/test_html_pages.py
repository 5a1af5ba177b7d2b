import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.scrape.html_pages import parse_page, resolve_link
from tasks.core.scrape.web_source import BadAnswer


@pytest.mark.parametrize(
    ("data", "tag", "texts"),
    [
        (b"", "p", []),
        (b"<p>a<p>b", "p", ["ab"]),  # never closed: they end with the page, and only the outer one counts
        (b"<p>a</p></p></div><p>b &amp; c</p>", "p", ["a", "b & c"]),  # ends of nothing
        (b"<b><p>a</b>b</p><p> c\n d </p>", "p", ["a", "c d"]),  # ends in a wrong order
        (b"<p>a<img src=x>b<br/>c</p>", "p", ["abc"]),
        (b"<script><p>no</p></script><p>yes<style>p{}</style></p>", "p", ["yes"]),
        (b"<P CLASS=x>a</P><!-- <p>no</p> -->", "p", ["a"]),
        (b"<p>\xff\xfe</p>", "p", ["��"]),
        (b"<p>a</p><p", "p", ["a"]),  # cut off
        (b"<title>T</title><p></p>", "p", [""]),
    ],
)
def test_elements(data, tag, texts):
    read = parse_page(data)
    assert [read.text(element) for element in read.all(tag)] == texts


def test_what_lies_within_an_element():
    read = parse_page(b"<title> A\nB </title><div class='img big'><a class=img href=1 href=2>x</a></div><a>y</a>")
    assert read.title == "A B"
    card = read.one("div", "img")
    assert [each.attributes for each in read.all("a", within=card)] == [{"class": "img", "href": "1"}]
    assert read.one("a", "nothing") is None
    assert read.text(None) == ""
    assert read.one("div", "im") is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "data",
    [
        b"<div>" * 300_000,
        b"<a" * 300_000,
        b"</b>" * 300_000,
        b"<!--" * 300_000,
        b"<b>" * 9_999 + b"</i>" * 99_999,
        b"&" * 900_000,
    ],
)
def test_hostile_pages_take_no_time(data):
    begun_s = time.process_time()  # the program's own: others may use the machine, too
    parse_page(data).all("div")
    assert time.process_time() - begun_s < 20  # a second or two, or, if it grew with the square, days


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"<![x y]><p>", r"expected a page of HTML, got b'<!\[x y\]><p>'"), (b" " * 8_000_001, "got 8000001")],
)
def test_what_is_no_page_is_refused(data, message):
    with pytest.raises(BadAnswer, match=message):
        parse_page(data)


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("b", "https://a.org/x/b"),
        ("/b#c", "https://a.org/b"),
        ("http://B.org:80/ü d?e=1", "https://b.org/%C3%BC%20d?e=1"),
        ("//b.org", "https://b.org"),
        (" b ", "https://a.org/x/b"),
        ("javascript:alert(1)", None),
        ("mailto:a@b.org", None),
        ("data:image/png;base64,xx", None),
        ("http://[", None),
        ("https://u@b.org/", None),
        ("https://b.org:8080/", None),
        ("https://b.org:x/", None),
        ("https:///b", "https://a.org/b"),  # as browsers do
    ],
)
def test_links(href, expected):
    found = resolve_link("https://a.org/x/y", href)
    assert (found.geturl() if found else None) == expected


@given(st.one_of(st.binary(), st.text(alphabet="<>/!-[]&;#\"'= pdiva\n").map(str.encode)))
def test_any_bytes_are_a_page_or_refused(data):
    try:
        read = parse_page(data)
    except BadAnswer:
        return
    for at, element in enumerate(read.elements):
        assert at < element.first <= element.last <= len(read.elements)
        assert read.text(element) is not None


@given(st.text())
def test_any_text_is_a_link_or_none(href):
    found = resolve_link("https://a.org/", href)
    assert found is None or found.geturl().startswith("https://")
