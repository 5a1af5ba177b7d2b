"""A comparison as charts: well-formed whatever a name holds, and each value at its place."""

import math
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schemas.tables import SYSTEM_SCORES
from tasks.core.evaluate import charts
from tasks.core.evaluate.systems import Ranking, score_systems
from tests.support.systems import ACCURACY, GOOD, POOR, STYLES

SVG = "{http://www.w3.org/2000/svg}"
Row = dict[str, Any]
THRESHOLDS = pa.schema(
    [("system", pa.string()), ("attribute", pa.string()), ("group", pa.string())]
    + [(name, pa.float64()) for name in ("threshold", "kept_share", "recall", "precision")]
)


def score(system: str, value: float | None, **more: Any) -> Row:
    return {"system": system, "metric": "AP", "value": value, **more}


def scores(*rows: Row) -> ET.Element:
    return ET.fromstring(charts.plot_systems(pa.Table.from_pylist(list(rows), SYSTEM_SCORES), Ranking("AP"), "AP"))


def thresholds(names: list[str], *rows: Row) -> ET.Element:
    return ET.fromstring(charts.plot_thresholds(pa.Table.from_pylist(list(rows), THRESHOLDS), names))


def of_class(tree: ET.Element, word: str) -> list[ET.Element]:
    return [child for child in tree.iter() if child.get("class") == word]


def test_without_a_detector_there_is_an_empty_frame():
    tree = thresholds([])
    assert tree.find(f"{SVG}title") is not None
    assert of_class(thresholds([]), "line") == []


def test_each_detector_has_a_dot_at_its_value_the_best_on_top():
    tree = scores(score("low", 0.25), score("high", 0.5, low=0.4, high=1.0), score("other", None))
    names = [text.text for text in of_class(tree, "end")]
    assert names == ["high", "low"]
    high, low = of_class(tree, "dot")
    # the axis goes from 190 px to 616 px, for 0 to 1: the interval's end
    assert (float(high.get("cx", "")), float(low.get("cx", ""))) == (
        pytest.approx(403, abs=0.1),
        pytest.approx(296.5, abs=0.1),
    )
    assert float(high.get("cy", "")) < float(low.get("cy", ""))
    (reach,) = of_class(tree, "reach")
    assert reach.get("d", "").startswith("M360.4 ")  # 190 + 0.4 x 426


def test_styles_are_pale_dots_below_and_other_measures_are_left_out():
    tree = scores(
        score("a", 0.5), score("a", 0.9, attribute="style", group="Dada"), {**score("a", 0.1), "metric": "AP50"}
    )
    assert len(of_class(tree, "dot")) == 1
    assert len(of_class(tree, "pale")) == 1
    assert "pale dots: each style" in "".join(tree.itertext())
    assert "pale dots" not in "".join(scores(score("a", 0.5)).itertext())


@pytest.mark.parametrize("name", ["<b>&'\"", "x" * 60, "日本", "a b"])
def test_any_name_is_text_and_a_long_one_is_cut(name: str):
    tree = scores(score(name, 0.5))
    (shown,) = (text.text or "" for text in of_class(tree, "end"))
    assert shown == name if len(name) <= 24 else ("…" in shown and len(shown) <= 24)


def points(detector: str, **more: Any) -> list[Row]:
    plain = {"system": detector, "kept_share": 1.0, "recall": 0.5, "precision": None, **more}
    return [{**plain, "threshold": threshold} for threshold in (0.0, 1.0)]


def test_three_panels_with_a_line_each_where_there_is_a_value():
    tree = thresholds(
        ["a", "b"],
        *points("a"),
        *points("b", precision=1.0),
        *points("a", attribute="style", group="Dada", recall=0.0),
    )
    assert [text.text for text in of_class(tree, "title")] == [
        "kept share of all images",
        "recall of images with a figure",
        "precision of images kept",
    ]
    paths = [line.get("d", "") for line in of_class(tree, "line")]
    # kept and recall of both, precision of b alone, two in the legend
    assert len(paths) == 2 + 2 + 1 + 2
    assert paths[0] == "M40 40L340 40"
    assert paths[2] == "M386 165L686 165"  # a recall of a half in the middle of 250 px


def test_a_chart_of_systems_has_a_dot_for_each_system_and_a_pale_one_for_each_group():
    scores = score_systems({"a <b>": GOOD, "poor": POOR}, 20, {"style": STYLES, "year": STYLES}, ACCURACY, 150, 0)
    svg = charts.plot_systems(scores, ACCURACY, "ACC & more")
    ET.fromstring(svg)
    assert svg.count("class='dot'") == 2
    assert svg.count("class='pale'") == 4
    assert "pale dots: each style" in svg


def test_values_below_zero_lie_in_the_chart():
    scores = score_systems({"a": lambda times: {"alpha": -0.5}}, 3, {}, Ranking("alpha"), 0, 0)
    svg = ET.fromstring(charts.plot_systems(scores, Ranking("alpha"), "alpha"))
    (dot,) = [node for node in svg.iter() if node.get("class") == "dot"]
    assert float(dot.get("cx")) == 190


def test_a_metric_that_no_system_has_is_no_chart():
    scores = score_systems({"a": GOOD}, 20, {}, Ranking("never"), 0, 0)
    assert charts.plot_systems(scores, Ranking("never"), "never") == ""


def test_means_against_a_number_have_a_line_with_dots_for_each_name():
    svg = charts.plot_means("mOKS & more", "strokes", {"a <b>": [(8, 0.1), (64, 0.5)], "c": [(8, -0.25), (32, 0.2)]})
    tree = ET.fromstring(svg)
    assert len(of_class(tree, "ring")) == 4
    paths = [line.get("d", "") for line in of_class(tree, "line")]
    assert paths[:2] == ["M110 146.7L460 40", "M110 240L260 120"]
    assert "strokes" in [text.text for text in of_class(tree, "mid")]


@pytest.mark.parametrize("value", [0.0, -1.0, 1e-9])
def test_one_mean_alone_is_a_chart(value: float):
    tree = ET.fromstring(charts.plot_means("t", "strokes", {"a": [(8, value)]}))
    assert len(of_class(tree, "ring")) == 1


def test_no_means_are_no_chart():
    assert charts.plot_means("t", "strokes", {}) == ""
    assert charts.plot_densities("t", {}) == ""


@pytest.mark.parametrize("count", [2, 40, 60])
def test_names_of_a_matrix_differ_and_stand_apart(count):
    names = [f"Follower of the Master of the Legend {place:02}" for place in range(count)]
    tree = ET.fromstring(charts.plot_matrix("a: rows", names, np.eye(count)))
    written = [text for text in tree.iter(f"{SVG}text") if "…" in (text.text or "")]
    assert len({text.text for text in written}) == count
    turned = [text for text in written if text.get("transform")]
    step = float(turned[1].get("x", "")) - float(turned[0].get("x", ""))
    letters = float((turned[0].get("style") or "font-size:12px").removeprefix("font-size:").removesuffix("px"))
    assert letters <= step * math.sin(math.radians(50)) + 1e-9, "lines that are turned by 50 degrees"


@pytest.mark.parametrize(
    ("ends", "title"),
    [
        ({}, "AP"),
        ({"low": 0.4, "high": 0.6}, "AP with 95 % intervals"),
    ],
)
def test_a_title_names_intervals_only_where_there_are_any(ends, title):
    shown = of_class(scores(score("one", 0.5, **ends)), "title")
    assert [text.text for text in shown] == [title]
