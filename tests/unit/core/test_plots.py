"""Plots: nothing to show is nothing, what is shown lies inside, and no text becomes markup."""

import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from tasks.core import plots
from tasks.core.drawing import Axis
from tasks.core.plots import PlotLabels

TOLD = PlotLabels("key", "A title", "What is to be seen.", "x in px", "y in %")
EVIL = "<script>alert('x')</script>\"&"
MARKS = {0.5: "1:2", 1.0: "1:1", 2.0: "2:1"}
DRAWN = {
    "ranked": lambda told, name: plots.rank_plot(told, {name: [(1, 9), (3, 1)], "after": [(1, 2)]}),
    "steps": lambda told, name: plots.step_plot(
        told, {name: [(0.5, 0.25), (1, 0)], "after": [(1, 0.75), (2, 0)]}, {**MARKS, 4.0: name}
    ),
    "bars": lambda told, name: plots.bar_plot(told, {name: [0.5, 0.5], "after": [0, 1]}, ["0", name]),
    "pairs": lambda told, name: plots.dot_plot(
        told, [(name, 1.0, 2.5), ("b", None, 3.0), ("c", 2.0, None)], [name, "after"]
    ),
    "ridges": lambda told, name: plots.ridge_plot(
        told, [(name, [(1800, 3), (1810, 0)], []), ("b", [], [(1890, 1), (1900, 0)])], [name, "after"]
    ),
}


def drawing(text: str) -> ET.Element:
    (found,) = re.findall(r"<svg.*?</svg>", text)
    return ET.fromstring(found)


def texts(text: str) -> list[str]:
    return [found.text or "" for found in drawing(text).iter("text")]


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
class TestEach:
    def test_has_a_name_a_description_and_labels(self, draw: Any):
        svg = drawing(draw(TOLD, "before"))
        assert svg.get("role") == "img"
        for attribute, tag in (("aria-labelledby", "title"), ("aria-describedby", "desc")):
            assert svg.get(attribute) == svg.find(tag).get("id")  # type: ignore[union-attr]
        assert [svg.find(tag).text for tag in ("title", "desc")] == ["A title", "What is to be seen."]  # type: ignore[union-attr]
        assert {"x in px", "y in %", "before", "after"} <= {found.text for found in svg.iter("text")}

    def test_lets_no_text_become_markup(self, draw: Any):
        text = draw(PlotLabels("key", EVIL, EVIL, EVIL, EVIL), EVIL)
        assert "<script" not in text
        assert EVIL in texts(text)

    def test_is_well_formed_whatever_a_text_holds(self, draw: Any):
        every = "".join(map(chr, range(32))).replace("\n", "") + "\x7f\ud800\ufffe\uffff\U0001f5bc"
        drawing(draw(PlotLabels("key", every, every, every, every), every))

    def test_draws_inside_its_frame(self, draw: Any):
        svg = drawing(draw(TOLD, "before"))
        _, _, width, height = map(float, str(svg.get("viewBox")).split())
        for path in svg.iter("path"):
            at = [tuple(map(float, pair.split())) for pair in re.findall(r"[\d.]+ [\d.]+", path.get("d", ""))]
            assert all(0 <= x <= width and 0 <= y <= height for x, y in at)

    def test_is_one_line_without_what_a_policy_forbids(self, draw: Any):
        text = draw(TOLD, "before")
        assert "\n" not in text
        assert not re.search(r"href|url\(|<script|<style|\bon\w+=", text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(plots.rank_plot(TOLD, {"before": [], "after": []}), id="no artists"),
        pytest.param(plots.step_plot(TOLD, {"before": [(1, 0.0)], "after": []}, MARKS), id="no shares"),
        pytest.param(plots.bar_plot(TOLD, {"before": [0, 0], "after": []}, ["0", "1"]), id="bars of no height"),
        pytest.param(plots.bar_plot(TOLD, {"before": [], "after": []}, []), id="no bars"),
        pytest.param(plots.dot_plot(TOLD, [], ["before", "after"]), id="no rows"),
        pytest.param(plots.dot_plot(TOLD, [("a", None, None)], ["before", "after"]), id="rows without values"),
        pytest.param(plots.ridge_plot(TOLD, [("a", [], [])], ["before", "after"]), id="rows of nothing"),
    ],
)
def test_nothing_to_show_is_nothing(text: str):
    assert text == ""


def test_of_many_styles_so_many_are_drawn_as_can_be_read_and_the_rest_is_counted():
    text = plots.dot_plot(TOLD, [(f"style {n}", 1.0, 2.0) for n in range(1_024)], ["before", "after"])
    assert text.count("dot-after") == plots.ROWS + 1  # and the legend's
    assert "1,002 more styles are in the tables." in text
    assert "more styles" not in plots.dot_plot(TOLD, [("a", 1.0, 2.0)], ["before", "after"])


def test_long_names_are_cut_where_they_would_stick_out():
    assert "Mannerism (Late…" in texts(plots.dot_plot(TOLD, [("Mannerism (Late Renaissance)", 1.0, 2.0)], ["b", "a"]))


def test_a_line_of_very_many_points_is_no_longer_than_the_drawing_is_wide():
    many = [(rank, 1e6 / rank) for rank in range(1, 100_000)]
    assert len(plots.rank_plot(TOLD, {"before": many, "after": many})) < 40_000


def test_steps_go_up_at_an_edge_and_stay_level_to_the_next():
    (line, _) = (
        path.get("d") for path in drawing(DRAWN["steps"](TOLD, "before")).iter("path") if path.get("class") == "before"
    )
    x, y = Axis(0.5, 4, 46, 348, True), Axis(0, 0.75, 204, 24)
    corners = [(0.5, 0), (0.5, 0.25), (1, 0.25), (1, 0)]
    expected = "L".join(f"{x.at(at):g} {y.at(high):g}" for at, high in corners)
    assert expected in str(line)
