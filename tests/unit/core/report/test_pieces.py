"""Texts from outside stand by themselves; tables scroll in a box that the keyboard reaches."""

import pytest

from tasks.core.report.pieces import outside, record_name, wide_table
from tests.support import hostile_texts


@pytest.mark.parametrize("text", hostile_texts.EVERY)
def test_a_text_from_outside_is_isolated_and_no_markup_and_not_endless(text: str):
    html = outside(text)
    assert html.startswith("<bdi>")
    assert html.endswith("</bdi>")
    inside = html.removeprefix("<bdi>").removesuffix("</bdi>")
    assert not set("<>'\"") & set(inside)
    assert not set("\x07\x0c\x1b\ufffe") & set(inside)
    assert len(inside) < 1_500


def test_no_text_is_no_text():
    assert outside("") == "<bdi></bdi>"


def test_a_record_is_named_whole_since_a_purge_looks_for_it():
    name = "s:" + "x" * 1_000 + "<&'"
    assert record_name(name) == "<bdi>s:" + "x" * 1_000 + "&lt;&amp;&#x27;</bdi>"


def test_a_table_of_no_row_is_nothing():
    assert wide_table("a", ["b"], []) == ""


def test_a_table_lies_in_a_box_with_a_name_and_its_numbers_to_the_right():
    html = wide_table("It's", ["name", "count", "why"], ["<tr><td>a<td class=n>1<td>b"], ["why"], "heat")
    assert html.splitlines() == [
        "<div class=scroll role=group tabindex=0 aria-label='It&#x27;s'><table class=heat>"
        "<tr><th>name<th class=n>count<th>why",
        "<tr><td>a<td class=n>1<td>b",
        "</table></div>",
    ]
