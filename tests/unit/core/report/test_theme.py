"""Colours by day and by night: the same names, and enough contrast for words (4.5:1) and marks (3:1), WCAG 2.2, AA."""

import re

import pytest

from tasks.core import plots
from tasks.core.drawing import COLOURS, pen
from tasks.core.report import copies, page, pieces, side_by_side, theme


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb (WCAG 2.2)."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("colours", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
class TestEach:
    @pytest.mark.parametrize("ground", ["ground", "wash"])
    @pytest.mark.parametrize("words", ["ink", "quiet", "link", "stays"])
    def test_words_can_be_read(self, colours, words, ground):
        assert contrast(colours[words], colours[ground]) >= 4.5

    @pytest.mark.parametrize(("words", "ground"), [("on-button", "button"), ("ink", "removed"), ("ink", "added")])
    def test_words_on_grounds_of_their_own_can_be_read(self, colours, words, ground):
        assert contrast(colours[words], colours[ground]) >= 4.5

    @pytest.mark.parametrize("mark", ["mark", "faint", "edge", *(f"pen-{place}" for place in range(len(COLOURS)))])
    def test_marks_can_be_seen(self, colours, mark):
        assert contrast(colours[mark], colours["ground"]) >= 3


def test_both_have_the_same_names_and_every_style_asks_for_no_other():
    assert theme.LIGHT.keys() == theme.DARK.keys()
    styles = plots.STYLE + copies.STYLE + page.STYLE + pieces.STYLE + side_by_side.STYLE
    of_elements = {"ratio", "share"}
    assert {*re.findall(r"var\(--([\w-]+)", styles)} - of_elements == {*theme.LIGHT}


def test_no_style_of_a_page_has_a_colour_of_its_own():
    own = plots.STYLE.replace(plots.drawing.STYLE, "") + copies.STYLE + pieces.STYLE + side_by_side.STYLE
    assert re.findall(r":[^;{}]*#[0-9a-f]{3,8}\b", own) == []


def test_lines_of_plots_take_the_colours_of_the_page():
    for place, colour in enumerate(COLOURS):
        assert f"stroke='{colour}'" in pen(place)
        assert f".plot [stroke='{colour}']{{stroke:var(--pen-{place})}}" in theme.STYLE
