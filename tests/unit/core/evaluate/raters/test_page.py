"""What an evaluation of raters writes, and densities of a score."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.evaluate_figures import DISAGREEMENT, RaterSettings
from schemas.tables import SYSTEM_SCORES
from tasks.core.evaluate.deformation import UNRATED
from tasks.core.evaluate.raters import page
from tasks.core.evaluate.raters.consensus import PICTURES, figure_table, find_consensus
from tasks.core.evaluate.raters.leave_one_out import disagreement_table, leave_one_out
from tasks.core.evaluate.raters.page import GRID, density
from tests.support.raters import FIRST, SECOND, THIRD, ratings

FAR = (200, 200, 240, 260)
SETTINGS = RaterSettings()


def differences(*rows: tuple[str, str, int, int, float | None]) -> pa.Table:
    names = ("rater", "image", "missed", "extra", "worst_iou")
    return pa.Table.from_pylist([{"right": 0, **dict(zip(names, row, strict=True))} for row in rows], DISAGREEMENT)


def agreement() -> pa.Table:
    blank = dict.fromkeys(SYSTEM_SCORES.names) | {"system": "all raters", "units": 12}
    metrics = ("alpha_ordinal", "alpha_interval", "alpha_nominal", "pairwise_f1", "pairwise_oks")
    return pa.Table.from_pylist([blank | {"metric": name, "value": 0.5} for name in metrics], SYSTEM_SCORES)


def test_the_page_says_how_far_raters_agree_and_where_one_differs():
    lines = page.page_lines(agreement(), differences(("a|", "1", 2, 1, 0.125), ("b", "2", 0, 0, 0.5)))
    assert lines[0] == "## Agreement: 12 images"
    assert lines[4] == "| all raters | 0.500 | 0.500 | 0.500 | 0.500 | 0.500 |"
    assert lines[-5:] == [
        "Where a rater differs most:",
        "",
        "| rater, image | missed | extra | worst IoU |",
        "|---|---:|---:|---:|",
        "| a\\|, 1 | 2 | 1 | 0.125 |",
    ]


@pytest.mark.parametrize("rows", [[], [("a", "1", 0, 0, 0.75)]])
def test_without_a_missed_figure_or_an_extra_box_one_line_says_so(rows):
    lines = page.page_lines(agreement(), differences(*rows))
    assert lines[-1] == "No rater misses a figure or has an extra box."


def test_of_many_images_the_first_ten_are_listed():
    many = differences(*((f"r{place:02}", "1", 1, 0, None) for place in range(12)))
    lines = page.page_lines(agreement(), many)
    assert lines[-1] == "| r09, 1 | 1 | 0 |  |"


def test_notes_say_how_the_consensus_was_made():
    drawn = ratings({"a": {"1": [FIRST, FAR]}, "b": {"1": [SECOND]}, "c": {"1": [THIRD]}})
    first, second = page.notes(figure_table(drawn, find_consensus(drawn, SETTINGS)), SETTINGS)
    assert first.startswith("consensus by kmeans: 1 figures; in 1 of them a rater has two boxes, 0 have fewer")
    assert second.startswith("a box is right from an IoU of 0.5 with a figure")


def test_pictures_have_the_consensus_below_and_the_raters_boxes_above():
    drawn = ratings({**{name: {"1": [FIRST]} for name in "abd"}, "c": {"1": [FIRST, FAR]}})
    rows = disagreement_table(drawn, leave_one_out(drawn, SETTINGS))
    asked: list[tuple[str, Any]] = []

    def draw(path: str, boxes: Sequence[Any]) -> bytes | None:
        asked.append((path, boxes))
        return None

    text = page.disagreement_page(drawn, SETTINGS, rows, None, draw)
    assert asked[0] == ("1", [(FIRST, "#1f5a8a"), (FIRST, "#e0601e"), (FAR, "#e0601e")])
    assert "c, 1" in text
    assert "0 missed, 1 extra" in text
    assert "(no picture)" in text


@pytest.mark.parametrize(("file_name", "path"), [("x.png", "x.png"), (None, "1")])
def test_a_picture_has_the_file_that_is_known(file_name, path):
    drawn = ratings({"a": {"1": [FIRST]}, "b": {"1": [FIRST]}})
    pictures = pa.Table.from_pylist([dict.fromkeys(PICTURES.names) | {"image": "1", "file_name": file_name}], PICTURES)
    asked: list[str] = []

    def draw(path: str, _: Sequence[Any]) -> bytes | None:
        asked.append(path)
        return b"jpeg"

    rows = disagreement_table(drawn, leave_one_out(drawn, SETTINGS))
    text = page.disagreement_page(drawn, SETTINGS, rows, pictures, draw)
    assert asked == [path, path]
    assert "data:image/jpeg;base64,anBlZw==" in text


def test_the_consensus_shown_is_that_of_the_others():
    """Not that of all, of which nobody's scores are: a rater who drew it with one other would seem to fit it."""
    drawn = ratings({"a": {"1": [FIRST]}, "b": {"1": [FAR]}})
    asked: list[Any] = []
    rows = disagreement_table(drawn, leave_one_out(drawn, SETTINGS))
    page.disagreement_page(drawn, SETTINGS, rows, None, lambda _, boxes: asked.append(boxes))
    assert asked == [[(FAR, "#1f5a8a"), (FIRST, "#e0601e")], [(FIRST, "#1f5a8a"), (FAR, "#e0601e")]]


def test_at_most_forty_pictures_are_drawn():
    drawn = ratings({name: {str(image): [FIRST] for image in range(30)} for name in "ab"})
    rows = disagreement_table(drawn, leave_one_out(drawn, SETTINGS))
    assert rows.num_rows == 60
    text = page.disagreement_page(drawn, SETTINGS, rows, None, lambda *_: None)
    assert text.count("<figure>") == 40


def test_a_curve_for_all_images_and_one_for_each_bucket_that_was_rated():
    counts = leave_one_out(
        ratings({name: {image: [FIRST] for image in "123"} for name in "abc"} | {"d": {"2": [FAR]}}), SETTINGS
    )
    text = page.distribution_chart(counts, [3, 1, UNRATED], 0.1)
    places = [text.index(label) for label in ("all</text>", "deformation 1</text>", "deformation 3</text>")]
    assert places == sorted(places)
    assert f"deformation {UNRATED}" not in text


def test_without_an_f_there_is_no_chart():
    drawn = ratings({"a": {"1": [FIRST]}, "b": {"2": [FIRST]}})
    assert page.distribution_chart(leave_one_out(drawn, SETTINGS), [1, 1], 0.1) == ""


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.floats(0.02, 0.2))
def test_the_area_is_1_also_for_values_at_the_ends(values: list[float], bandwidth: float):
    got = density(np.array(values), bandwidth)
    assert np.trapezoid(got, GRID) == pytest.approx(1, abs=0.005)
    assert (got >= 0).all()


def test_a_peak_and_a_bump():
    got = density(np.array([0.9] * 15 + [0.6] * 3), 0.05)
    assert GRID[got.argmax()] == pytest.approx(0.9)
    bump = got[(GRID > 0.5) & (GRID < 0.7)]
    assert bump.argmax() not in (0, len(bump) - 1)


def test_at_the_end_a_bell_is_twice_as_high():
    assert density(np.array([1.0]), 0.1)[-1] == pytest.approx(2 * density(np.array([0.5]), 0.1)[100])


@pytest.mark.parametrize("values", [[], [np.nan]])
def test_nothing_has_no_density(values: list[float]):
    assert density(np.array(values), 0.05).tolist() == [0] * len(GRID)


def test_what_is_not_defined_is_left_out():
    assert density(np.array([0.3, np.nan]), 0.05).tolist() == density(np.array([0.3]), 0.05).tolist()
