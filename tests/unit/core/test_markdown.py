"""Texts of other people in Markdown, as CommonMark reads them: text, whatever they hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tasks.core.markdown import as_text, cell, number, table

HOSTILE = [
    "![b](http://127.0.0.1:9/beacon.png) Cubism",
    "[x](javascript:alert(1))",
    '<a href="http://evil.example">x</a><img src=x>',
    "<http://evil.example>",
    "\\[x](http://evil.example)",
    "[x]: http://evil.example\n[x]",
    "`code` ![x][y]",
    "a\n\n# heading\n\n    block",
    "&lt;b&gt; &#33;&#91;x](y)",
    "one | two\n---|---",
]
LIVE = {"link_open", "image", "html_inline", "html_block", "heading_open", "code_block", "fence", "table_open"}


def kinds(text: str) -> set[str]:
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
    return {one.type for token in tokens for one in (token, *(token.children or ()))}


@pytest.mark.parametrize("escape", [as_text, cell])
@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_text_comes_to_life(text: str, escape):
    assert not kinds(f"- {escape(text)}") & LIVE


@given(st.text("[]()!<>&#|`\\*_~ab:/.\n ", max_size=40))
def test_a_text_is_read_as_it_was(text: str):
    (inline,) = [token for token in MarkdownIt("commonmark").parse(f"x {as_text(text)}") if token.type == "inline"]
    assert "".join(one.content for one in inline.children or ()) == f"x {' '.join(text.split())}".strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("plain", "plain"),
        ("a|b", "a\\|b"),
        ("![a](b)", "!\\[a](b)"),
        ("\\[a](b)", "\\\\\\[a](b)"),
        ("a\r\n\tb", "a b"),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("\x00x\x7f", " x "),
        ('"quoted"', '"quoted"'),
    ],
)
def test_any_text_is_one_cell(text: str, expected: str):
    assert cell(text) == expected


@pytest.mark.parametrize(("value", "text"), [(None, ""), (0.0, "0.000"), (0.12345, "0.123"), (-0.0004, "-0.000")])
def test_a_number_has_three_decimals_or_there_is_none(value: float | None, text: str):
    assert number(value) == text


def test_a_table_has_its_first_column_to_the_left():
    assert table(["a", "b"], [["x", "1"]]) == ["| a | b |", "|---|---:|", "| x | 1 |"]
    assert table(["a"], []) == ["| a |", "|---|"]
