"""Fields that museums' APIs have in common: what hostile and odd ones become."""

import time

import pytest

from tasks.core.scrape.web_source import QUALIFIER, text_without_tags


@pytest.mark.parametrize("value", [None, "", " \t\n", "<i></i>", "&nbsp;", "&lt;br/&gt;", 0, 7, True, b"text", ["a"]])
def test_what_is_no_text_is_none(value):
    assert text_without_tags(value) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("  The Arch\n", "The Arch"),
        ("<i>Ukiyo-e</i> print", "Ukiyo-e print"),
        ("Armor (&lt;i&gt;Gusoku&lt;/i&gt;)", "Armor (Gusoku)"),
        ("Dürer &amp; S&ouml;hne", "Dürer & Söhne"),
        ('<a href="http://x/?a=1&amp;b=2" title="y">Leaf</a>', "Leaf"),
        ("one<br />two<BR>three", "onetwothree"),
        ("one\n<p\nclass='a'>two</p>", "one\ntwo"),
        # signs that are no tags stay
        ("1 < 2 > 0", "1 < 2 > 0"),
        ("<1820>", "<1820>"),
        ("a <- b", "a <- b"),
        ("<!-- no tag -->", "<!-- no tag -->"),
        ("half a <i", "half a <i"),
        ("&amp;lt;i&amp;gt;", "&lt;i&gt;"),
        ("<<i>b>", "<b>"),
    ],
)
def test_text_loses_its_tags_and_nothing_else(value, expected):
    assert text_without_tags(value) == expected


@pytest.mark.parametrize(("length", "is_tag"), [(199, True), (200, True), (201, False)])
def test_a_very_long_tag_is_text(length, is_tag):
    text = f"a<i{'x' * length}>b"
    assert text_without_tags(text) == ("ab" if is_tag else text)


def test_signs_without_end_take_no_time():
    start_s = time.monotonic()
    hostile = "<i" * 200_000
    assert text_without_tags(hostile) == hostile
    assert time.monotonic() - start_s < 5


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("Attributed to", "Attributed"),
        ("WORKSHOP OF", "WORKSHOP"),
        ("In the manner of", "manner"),
        ("(possibly)", "possibly"),
        ("Formerly attributed to the circle of", "Formerly"),
        ("Formerly", "Formerly"),
        ("", None),
        ("Issued by", None),
        ("Stylebook by", None),
        ("Copyist", None),
        ("Afterwards", None),
        ("Unattributed", None),
    ],
)
def test_whole_words_qualify_an_attribution_and_roles_do_not(prefix, expected):
    match = QUALIFIER.search(prefix)
    assert (match and match[0]) == expected
