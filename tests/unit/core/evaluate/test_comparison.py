"""Several detectors on the same images, in numbers, Markdown and charts."""

import itertools
import math
from xml.etree import ElementTree

import pytest

from schemas.evaluate import CompareSettings
from tasks.core.evaluate import charts, comparison, markdown
from tests.support.evaluate import LARGE, SMALL, detections, figures

STYLES = {"style": ["Rococo"] * 12 + [None] * 12}
TRUTH = {"person": figures(*((place, SMALL if place % 2 else LARGE) for place in range(20)), images=24)}
GOOD = {"person": detections(*((place, SMALL if place % 2 else LARGE, 0.9) for place in range(18)), (23, SMALL, 0.4))}
POOR = {"person": detections(*((place, SMALL, 0.6) for place in range(6)))}
NONE = {"person": detections()}
SETTINGS = CompareSettings(by=("style",), replicates=200, seed=1)


@pytest.fixture(scope="module")
def scores():
    return comparison.score_detectors(TRUTH, {"poor": POOR, "good": GOOD, "none": NONE}, STYLES, SETTINGS)


@pytest.fixture(scope="module")
def calibration():
    return comparison.calibrate_detectors(TRUTH, {"poor": POOR, "good": GOOD, "none": NONE}, STYLES)


def one(scores, detector: str, metric: str, stratum: str | None = None) -> dict:
    (row,) = [
        row
        for row in scores.to_pylist()
        if (row["detector"], row["metric"], row["stratum"]) == (detector, metric, stratum)
    ]
    return row


def test_every_detector_has_every_number_of_every_stratum(scores):
    got = {(row["detector"], row["stratum"]) for row in scores.to_pylist()}
    assert got == {(name, stratum) for name in ("poor", "good", "none") for stratum in (None, "Rococo", "unknown")}
    assert (one(scores, "good", "AP")["images"], one(scores, "good", "AP")["figures"]) == (24, 20)
    assert (one(scores, "good", "AP", "unknown")["images"], one(scores, "good", "AP", "unknown")["figures"]) == (12, 8)


def test_numbers_and_their_intervals(scores):
    good = one(scores, "good", "AR")
    assert good["value"] == pytest.approx(0.9)
    assert 0.6 < good["low"] < 0.9 < good["high"] <= 1
    assert one(scores, "good", "AP", "Rococo")["value"] == pytest.approx(1)
    assert one(scores, "none", "AP")["value"] == 0
    medium = one(scores, "good", "APM")
    assert (medium["value"], medium["low"], medium["high"]) == (None, None, None)


def test_images_are_counted_at_the_score(scores):
    assert one(scores, "good", "image_recall")["value"] == 18 / 20
    assert one(scores, "good", "image_precision")["value"] == 1
    assert one(scores, "good", "kept_share")["value"] == 18 / 24
    assert one(scores, "none", "image_precision")["value"] is None
    assert one(scores, "good", "image_auc")["value"] == pytest.approx((18 + 2 * (3 / 4) * 0.5) / 20)


def test_each_is_compared_with_the_one_next_after_it(scores):
    ahead = [row for row in scores.to_pylist() if row["metric"].startswith(comparison.AHEAD)]
    assert [(row["detector"], row["metric"]) for row in ahead] == [
        ("good", "AP ahead of poor"),
        ("poor", "AP ahead of none"),
    ]
    for row in ahead:
        assert row["low"] <= row["value"] <= row["high"]
    assert ahead[0]["low"] > 0


def test_a_detector_is_as_good_as_itself():
    scores = comparison.score_detectors(TRUTH, {"a": GOOD, "b": GOOD}, {}, SETTINGS)
    row = one(scores, "a", "AP ahead of b")
    assert (row["value"], row["low"], row["high"]) == (0, 0, 0)
    assert "a is not clearly better than b" in "\n".join(markdown.summary_lines("t", scores, SETTINGS))


def test_the_same_seed_gives_the_same_table_and_other_detectors_change_no_interval(scores):
    again = comparison.score_detectors(TRUTH, {"good": GOOD}, STYLES, SETTINGS)
    for stratum in (None, "Rococo"):
        assert one(again, "good", "AP", stratum) == one(scores, "good", "AP", stratum)
    assert comparison.score_detectors(TRUTH, {"poor": POOR, "good": GOOD, "none": NONE}, STYLES, SETTINGS).equals(
        scores
    )
    other = comparison.score_detectors(TRUTH, {"good": GOOD}, STYLES, SETTINGS.model_copy(update={"seed": 2}))
    assert one(other, "good", "AR")["low"] != one(scores, "good", "AR")["low"]


def test_several_categories_are_scored_together_and_each_by_itself():
    other = figures((3, LARGE), (3, SMALL), images=24)
    truth = {**TRUTH, "dog": other, "eel": figures(images=24)}
    found = {**GOOD, "dog": detections((3, LARGE, 0.7)), "eel": detections((0, SMALL, 0.9))}
    scores = comparison.score_detectors(truth, {"good": found}, STYLES, SETTINGS)
    alone = comparison.score_detectors(TRUTH, {"good": GOOD}, {}, SETTINGS)
    values = {row["stratum"]: row for row in scores.to_pylist() if row["metric"] == "AR"}
    assert values["person"]["value"] == one(alone, "good", "AR")["value"] == pytest.approx(0.9)
    assert (values["dog"]["value"], values["eel"]["value"]) == (0.5, None)
    assert values[None]["value"] == pytest.approx((0.9 + 0.5) / 2)
    assert values[None]["low"] < values[None]["value"] < values[None]["high"]
    assert [values[name]["figures"] for name in (None, "person", "dog", "eel")] == [22, 20, 2, 0]
    recalls = {row["stratum"]: row["value"] for row in scores.to_pylist() if row["metric"] == "image_recall"}
    assert (recalls[None], recalls["dog"], recalls["eel"]) == (18 / 20, 1, None)
    assert_even(
        markdown.page("t", scores, comparison.calibrate_detectors(truth, {"good": found}, STYLES), SETTINGS, [])
    )


def test_without_resamples_there_are_no_intervals_of_ap_but_those_of_shares():
    scores = comparison.score_detectors(TRUTH, {"good": GOOD}, {}, CompareSettings(replicates=0))
    assert one(scores, "good", "AP")["low"] is None
    assert one(scores, "good", "image_recall")["low"] == pytest.approx(0.699, abs=5e-4)


def test_of_few_images_there_is_no_interval_of_ap():
    groups = {"size": ["few"] * 9 + ["more"] * 10 + ["most"] * 5}
    rows = comparison.score_detectors(TRUTH, {"good": GOOD}, groups, SETTINGS).to_pylist()
    has_interval = {row["stratum"]: row["low"] is not None for row in rows if row["metric"] == "AR"}
    assert has_interval == {None: True, "few": False, "more": True, "most": False}


def test_calibration_has_a_row_for_each_threshold(calibration):
    rows = [row for row in calibration.to_pylist() if row["detector"] == "good" and row["stratum"] is None]
    assert len(rows) == 19
    kept = {row["threshold"]: (row["kept"], row["kept_with_figure"]) for row in rows}
    assert (kept[0.4], kept[0.45], kept[0.9], kept[0.95]) == ((19, 18), (18, 18), (18, 18), (0, 0))
    shares = [row["kept_share"] for row in rows]
    assert shares == sorted(shares, reverse=True)


def test_the_tables_leave_blank_what_is_not_defined(scores, calibration):
    page = markdown.page("t", scores, calibration, SETTINGS, ["a note"])
    assert "| good | 0.9" in page
    assert page.index("| good |") < page.index("| poor |") < page.index("| none |"), "best first"
    assert "nan" not in page.lower()
    assert "None" not in page
    assert "- a note" in page
    assert_even(page)


def assert_even(page: str) -> None:
    """All lines of a table have as many cells."""
    for is_table, lines in itertools.groupby(page.splitlines(), key=lambda line: line.startswith("|")):
        assert not is_table or len({line.count("|") - line.count("\\|") for line in lines}) == 1


def test_no_name_breaks_a_table_or_a_drawing():
    name = "a|b\n<script>\x07" + "x" * 60
    scores = comparison.score_detectors(TRUTH, {name: GOOD}, {name: [name] * 24}, SETTINGS)
    calibration = comparison.calibrate_detectors(TRUTH, {name: GOOD}, {name: [name] * 24})
    page = markdown.page(name, scores, calibration, SETTINGS, [name])
    assert "<script>" not in page
    assert_even(page)
    for drawing in (charts.plot_scores(scores), charts.plot_calibration(calibration, [name])):
        assert "<script>" not in drawing
        ElementTree.fromstring(drawing)


def test_an_empty_text_is_a_group_like_any_other():
    groups = {"artist": [""] * 12 + [None] * 12}
    scores = comparison.score_detectors(TRUTH, {"good": GOOD, "poor": POOR}, groups, SETTINGS)
    page = markdown.page("t", scores, comparison.calibrate_detectors(TRUTH, {"good": GOOD}, groups), SETTINGS, [])
    assert page.count("|  | ") > 2
    assert charts.plot_scores(scores).count("class='style'") == 4


def test_drawings_show_each_detector_once(scores, calibration):
    tree = ElementTree.fromstring(charts.plot_scores(scores))
    circles = [element.get("class") for element in tree.iter() if element.tag.endswith("circle")]
    assert (circles.count("dot"), circles.count("style")) == (3, 6)
    lines = ElementTree.fromstring(charts.plot_calibration(calibration, ["good", "poor", "none"]))
    drawn_lines = [element for element in lines.iter() if element.get("class") == "line"]
    assert len(drawn_lines) == 3 * 3 - 1 + 3, "none keeps nothing, so that it has no precision; and the legend"


def test_where_all_images_have_figures_it_is_said():
    truth = {"person": figures((0, SMALL))}
    assert markdown.presence_notes(comparison.calibrate_detectors(truth, {"a": NONE}, {}))
    assert not markdown.presence_notes(comparison.calibrate_detectors(TRUTH, {"a": NONE}, {}))


def test_more_detectors_than_colours_differ_in_their_dashes():
    pens = [charts._pen(place) for place in range(12)]
    assert len(set(pens)) == 12
    assert math.isclose(len({pen.split()[0] for pen in pens}), 6)
