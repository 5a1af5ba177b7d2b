"""The section on what the choice has changed, and the card's table of it."""

import re
import xml.etree.ElementTree as ET
from html import unescape
from typing import Any

import pyarrow as pa
import pytest

from tasks.core.report import choice
from tasks.core.statistics.choice import VIEW, Statistics, statistics
from tests.support.pages import without_isolation

EVIL = "<script>alert('x')</script>\"&"
WANTED = {"train": 3, "val": 1, "test": 1}


def view(*rows: tuple[Any, ...]) -> pa.Table:
    """Rows of stratum, artist, year, width_px, height_px, figures."""
    said = [
        dict(zip(VIEW.names, (f"s:{n}", *row, *[None] * (6 - len(row))), strict=True)) for n, row in enumerate(rows)
    ]
    return pa.Table.from_pylist(said, schema=VIEW)


def counted(before: pa.Table, after: pa.Table, splits: list[str] | None = None) -> Statistics:
    split = pa.array(splits or ["train"] * after.num_rows, pa.string())
    return statistics({"measured": before, "before": before, "after": after}, split, WANTED)


BEFORE = view(
    ("Cubism", "A", 1911, 3, 2, 1), ("Cubism", "A", 1912, 3, 2, 6), ("Cubism", "B", 1913, 1, 1, 0),
    ("Rococo", "C", 1750, 1, 4, 7),
    ("Rococo", "C", None, 1, 4, None), ("Fresco", "D", 1350, 1, 1, 2),
)  # fmt: skip
AFTER = view(("Cubism", "A", 1911, 3, 2, 1), ("Cubism", "B", 1913, 1, 1, 0), ("Rococo", "C", None, 1, 4, 7))


@pytest.fixture(scope="module")
def text() -> str:
    return without_isolation(choice.section(counted(BEFORE, AFTER, ["train", "train", "val"])))


@pytest.mark.parametrize(
    "said",
    [
        pytest.param("<td><b>all together</b><td class=n>6 → 3<td class=n>4 → 3<td class=n>3.8 → 3.0", id="all first"),
        pytest.param(
            "<td>Cubism<td class=n>3 → 2<td class=n>2 → 2<td class=n>1.9 → 2.0<td class=n>0.17 → 0.00", id="a style"
        ),
        pytest.param(
            "<td>Fresco<td class=n>1 → -<td class=n>1 → -<td class=n>1.0 → -<td class=n>0.00 → -",
            id="a style that went",
        ),
        pytest.param("6 or more: 40.0 % before, 33.3 % after.", id="PoPArt's six figures, of those that were counted"),
        pytest.param("figures: people's boxes. 6", id="only people have counted"),
        pytest.param("from 1350 on. In each style, before and after are scaled to", id="where the years begin"),
        pytest.param("fullest decade. Without a year: 1 → 1.", id="years that are not known, none too old"),
        pytest.param(
            "<td>train<td class=n>2<td class=n>60.0 %<td class=n>66.7 %<td class=n>1<td class=n>12.5 %", id="a split"
        ),
        pytest.param("<td>test<td class=n>0<td class=n>20.0 %<td class=n>0.0 %", id="a split that got nothing"),
        pytest.param(
            "<p>No split of any style is a whole image or more away from the wanted number.</p>", id="no drift"
        ),
    ],
)
def test_the_section_says(text: str, said: str):
    assert said in text.replace("&#x27;", "'")


def test_the_section_has_the_papers_plots(text: str):
    titles = re.findall(r"<title id='\w+-t'>(.*?)</title>", text)
    assert titles == [
        "Works per artist",
        "Aspect ratios",
        "Effective number of artists",
        "Styles and years",
        "Figures per image",
    ]
    assert len(set(re.findall(r"id='([\w-]+)'", text))) == 10


def test_styles_stand_by_what_there_is_after_then_before_then_by_name():
    before = view(*[("a", "X")] * 2, *[("b", "X")] * 3, *[("c", "X")] * 2, *[("d", "X")] * 9)
    after = view(("b", "X"), ("c", "X"), ("c", "X"), ("e", "X"))
    found = choice.changes(counted(before, after).diversity)
    assert [change.name for change in found] == [choice.ALL, "c", "b", "e", "d", "a"]
    assert [change.before is None for change in found] == [False, False, False, True, False, False]


def test_what_was_only_measured_is_no_change():
    found = statistics(
        {"measured": view(("a", "X")), "before": view(("b", "X")), "after": view()}, pa.array([], pa.string()), {}
    )
    assert [change.name for change in choice.changes(found.diversity)] == [choice.ALL, "b"]


def test_nothing_is_an_empty_section():
    assert choice.section(counted(view(), view())) == ""


def test_what_is_not_known_has_no_plot():
    text = choice.section(counted(view(("a", "X")), view(("a", "X"))))
    assert re.findall(r"<title id='(\w+)-t'>", text) == ["works", "effective"]
    assert "None" not in text


def test_the_split_that_is_farthest_off_is_told_in_images():
    rows = [(EVIL, "X")] * 10
    text = without_isolation(choice.section(counted(view(*rows), view(*rows), ["val"] * 10)))
    assert "has 10 images in val instead of 2.0.</p>" in text
    assert "<script" not in text


def test_no_text_of_a_source_becomes_markup():
    rows = [(EVIL, EVIL, 1900, 1, 1, 1)]
    text = choice.section(counted(view(*rows), view(*rows)))
    assert "<script" not in text
    assert "&lt;script&gt;" in text


def test_many_styles_make_no_long_page():
    rows = [(f"Style {n}", f"Artist {a}", 1300 + 7 * n, 2 + a, 3, a) for n in range(90) for a in range(9)]
    text = choice.section(counted(view(*rows), view(*rows)))
    assert len(text) < 150_000
    assert "<p>... and 68 more styles.</p>" in text
    assert text.count("68 more styles are in the tables.") == 2


def test_a_few_very_old_works_do_not_press_all_others_together():
    rows = [("a", "X", 1900 + n % 50) for n in range(200)]
    text = choice.section(counted(view(("a", "X", 1010), ("b", "Y", 1020), *rows), view(("a", "X", 1010), *rows)))
    assert "from 1900 on." in text
    assert "Older, and not shown: 2 → 1.</figcaption>" in text


def test_who_has_counted_the_figures_is_told():
    found = counted(BEFORE, AFTER)._replace(score=0.35)
    assert (
        "people's boxes where they have annotated the image, else the detector's from 0.35 on. 6 or more"
        in unescape(choice.section(found))
    )


def test_a_style_of_odd_characters_leaves_the_drawings_well_formed():
    odd = "Op\x00\x07\ufffe <Art>"
    text = choice.section(counted(view((odd, odd, 1900, 1, 1, 1)), view((odd, odd, 1900, 1, 1, 1))))
    drawings = [ET.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", text)]
    assert len(drawings) == 5
    assert "Op\ufffd\ufffd\ufffd <Art>" in {found.text for svg in drawings for found in svg.iter("text")}
    assert "<td>Op\ufffd\ufffd\ufffd &lt;Art&gt;<td" in without_isolation(text)


def test_figures_above_what_is_shown_are_in_the_last_bar():
    rows = [("a", "X", None, 1, 1, count) for count in (0, 14, 15, 16, 110)]
    text = choice.section(counted(view(*rows), view(*rows)))
    assert ">15+</text>" in text
    assert ">13</text>" in text
    assert ">14</text>" not in text, "each second has room"
    assert ">16" not in text
