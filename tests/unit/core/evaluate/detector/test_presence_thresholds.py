"""What thresholds keep, counted by hand: of all images, of groups, of each category."""

import numpy as np
import pytest

from schemas.tables import THRESHOLDS
from tasks.core.evaluate.detector.presence import GRID, Presence, presence_notes, threshold_lines, threshold_table

SEEN = Presence(np.array([True, True, False, False]), np.array([0.9, 0.5, 0.4, -1.0]))
NOBODY = Presence(np.zeros(4, np.bool_), np.array([0.95, -1.0, -1.0, -1.0]))
STYLES = {"style": ["Dada", "Dada", None, None]}


def kept(rows: list[dict], threshold: float, **which: str | None) -> tuple[int, int]:
    (row,) = [
        row
        for row in rows
        if row["threshold"] == threshold
        and (row["attribute"], row["group"]) == (which.get("attribute"), which.get("group"))
    ]
    return row["kept"], row["kept_with_figure"]


def test_the_grid_is_what_it_says():
    assert (GRID[0], GRID[9], GRID[-1], len(GRID)) == (0.05, 0.5, 0.95, 19)


def test_each_system_has_a_row_for_each_threshold_and_group():
    table = threshold_table({"a": {"person": SEEN}}, STYLES)
    rows = table.to_pylist()
    assert table.schema == THRESHOLDS
    assert len(rows) == 3 * len(GRID)
    assert [kept(rows, at) for at in (0.4, 0.45, 0.5, 0.9, 0.95)] == [(3, 2), (2, 2), (2, 2), (1, 1), (0, 0)]
    assert kept(rows, 0.4, attribute="style", group="unknown") == (1, 0)
    (whole,) = [row for row in rows if row["threshold"] == 0.9 and row["attribute"] is None]
    assert (whole["images"], whole["with_figure"], whole["kept_share"]) == (4, 2, 0.25)
    assert (whole["recall"], whole["recall_low"], whole["recall_high"]) == pytest.approx(
        (0.5, 0.0945, 0.9055), abs=1e-4
    )
    (none,) = [row for row in rows if row["threshold"] == 0.95 and row["attribute"] is None]
    assert (none["precision"], none["precision_low"]) == (None, None)


def test_several_categories_are_one_row_and_one_each():
    rows = threshold_table({"a": {"person": SEEN, "eel": NOBODY}}, {}).to_pylist()
    assert kept(rows, 0.95) == (1, 1), "kept for an eel, and there is a person"
    assert kept(rows, 0.95, attribute="category", group="eel") == (1, 0)
    assert kept(rows, 0.9, attribute="category", group="person") == (1, 1)


def test_the_page_shows_some_thresholds_with_their_intervals():
    lines = threshold_lines(threshold_table({"a|b": {"person": SEEN}}, STYLES), ["a|b"])
    assert lines[0] == "| detector | threshold | kept | recall | precision |"
    assert len(lines) == 2 + 10
    assert "| a\\|b | 0.90 | 0.250 | 0.500 (0.095 to 0.905) | 1.000 (0.207 to 1.000) |" in lines


@pytest.mark.parametrize(("has_figure", "is_warned"), [([True, True], True), ([True, False], False)])
def test_where_every_image_has_a_figure_a_note_says_so(has_figure: list[bool], is_warned: bool):
    seen = Presence(np.array(has_figure, np.bool_), np.zeros(len(has_figure)))
    assert bool(presence_notes(threshold_table({"a": {"person": seen}}, {}))) == is_warned
    assert presence_notes(threshold_table({}, {})) == []
