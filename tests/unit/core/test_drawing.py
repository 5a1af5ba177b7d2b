"""How plots are drawn: values at their px, round ticks, lines that differ, and no text that becomes markup."""

import re
import xml.etree.ElementTree as ET
from itertools import combinations

import numpy as np
import pytest

from tasks.core import drawing
from tasks.core.drawing import Axis

UNIT = Axis(0, 1, 0, 100)


@pytest.mark.parametrize(
    ("axis", "value", "px"),
    [
        pytest.param(Axis(0, 10, 100, 200), 0, 100, id="the beginning"),
        pytest.param(Axis(0, 10, 100, 200), 2.5, 125, id="a quarter"),
        pytest.param(Axis(0, 10, 200, 100), 2.5, 175, id="upwards"),
        pytest.param(Axis(0, 10, 100, 200), 11, 200, id="too much"),
        pytest.param(Axis(0, 10, 100, 200), -1, 100, id="too little"),
        pytest.param(Axis(5, 5, 100, 200), 5, 100, id="an axis of one value"),
        pytest.param(Axis(1, 100, 0, 200, True), 10, 100, id="a logarithm"),
        pytest.param(Axis(1, 100, 0, 200, True), 0, 0, id="none has no logarithm"),
    ],
)
def test_values_become_px(axis: Axis, value: float, px: float):
    assert axis.at(value) == px


@pytest.mark.parametrize(
    ("axis", "ticks"),
    [
        pytest.param(Axis(0, 10, 0, 1), [0, 2, 4, 6, 8, 10], id="to ten"),
        pytest.param(Axis(0, 0.11, 0, 1), [0, 0.05, 0.1], id="small shares"),
        pytest.param(Axis(1487, 1999, 0, 1), [1600, 1800], id="years"),
        pytest.param(Axis(7, 7, 0, 1), [7], id="one value"),
        pytest.param(Axis(1, 12, 0, 1, True), [1, 2, 5, 10], id="few powers of ten"),
        pytest.param(Axis(1, 13_060, 0, 1, True), [1, 10, 100, 1_000, 10_000], id="many"),
    ],
)
def test_ticks_are_round(axis: Axis, ticks: list[float]):
    assert axis.ticks() == pytest.approx(ticks)


def test_twelve_lines_differ_in_colour_and_dash_and_no_two_of_six_are_of_one_colour():
    pens = [drawing.pen(place) for place in range(12)]
    assert len({*pens}) == 12
    for one, other in combinations(range(6), 2):
        assert pens[one].split()[0] != pens[other].split()[0]


def test_a_line_goes_through_its_points_and_leaves_out_what_nobody_sees():
    assert drawing.line([(0, 1), (0.5, 0)], UNIT, UNIT) == "M0 100L50 0"
    assert drawing.line(np.array([(0, 0), (0.001, 0), (0.002, 0)]), UNIT, UNIT) == "M0 0L0.2 0"
    assert drawing.line([], UNIT, UNIT) == ""


def test_steps_begin_at_nothing_and_keep_their_height_to_the_next():
    assert drawing.stairs([(1, 0.5), (2, 0)]) == [(1, 0.0), (1, 0.5), (2, 0.5), (2, 0)]


@pytest.mark.parametrize(
    ("name", "fitted"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param("Cubism", "Cubism", id="as it is"),
        pytest.param("W" * 50, "W" * 7 + "…", id="wide letters"),
        pytest.param("i" * 50, "i" * 19 + "…", id="slim letters"),
        pytest.param("画" * 50, "画" * 7 + "…", id="as wide as high"),
        pytest.param("e\u0301" * 5, "e\u0301" * 5, id="accents take no room"),
    ],
)
def test_a_name_is_cut_by_the_room_that_it_takes(name: str, fitted: str):
    assert drawing.fitting(name, 100) == fitted


def test_a_bar_stands_on_the_axis():
    assert drawing.bar(10, 20, 100, 40) == "M10 100V40H20V100z"


def test_ticks_have_a_line_and_words():
    drawn = drawing.x_axis(UNIT, 5, 90, ["a", "b"], [0, 1])
    assert re.findall(r">([^<]+)</text>", drawn) == ["a", "b"]
    assert "d='M0 5V90M100 5V90'" in drawn
    assert "V90" not in drawing.x_axis(UNIT, 5, 90, ["a"], [0.5], has_lines=False)
    assert re.findall(r">([^<]+)</text>", drawing.y_axis(Axis(0, 2000, 90, 5), 0, 100)) == [
        "0",
        "500",
        "1,000",
        "1,500",
        "2,000",
    ]


def test_a_legend_has_a_mark_for_each_name():
    marks = [
        ("one", drawing.legend_line("before")),
        ("two", drawing.legend_dot("dot", 3)),
        ("three", drawing.legend_box("area")),
    ]
    tree = ET.fromstring(f"<svg>{drawing.legend_above(400, marks)}</svg>")
    assert [node.get("class") for node in tree if node.tag != "text"] == ["area", "dot", "before"]
    left = [float(node.get("x", "")) for node in tree.iter("text")]
    assert left == sorted(left, reverse=True)
    names = ["a", "b", "c"]
    assert len(list(drawing.legend_below(0, 10, names, 2))) == 3
    assert [drawing.legend_height(names[:count], 2) for count in range(4)] == [0, 18, 18, 36]


def test_a_plot_on_paper_stands_alone_and_no_text_is_markup():
    svg = drawing.on_paper(10, 20, "<script>&\x00", [drawing.text(1, 2, "<b>")])
    tree = ET.fromstring(svg)
    assert tree.get("viewBox") == "0 0 10 20"
    assert "<script" not in svg
    assert "<b>" in "".join(tree.itertext())
