"""What an evaluation of sketches writes, from a few sketches by hand."""

import numpy as np
import pytest

from schemas.errors import BadInput
from schemas.evaluate_images import STROKES as STROKES_SCHEMA
from tasks.core.evaluate.sketches import page
from tasks.core.evaluate.sketches.agreement import agreement_scorer, agreements
from tasks.core.evaluate.sketches.scores import stroke_studies
from tasks.core.evaluate.sketches.table import check_sketches
from tasks.core.evaluate.systems import score_systems
from tests.support.sketches import measured, table

PHOTO, PEOPLE = np.array([0, 0, 0, 1, 1, 1]), np.array([1.0, 2, 3, 1, 2, 3])
FULL, ROUGH = [1.0, 2, 3, 4, 5, 6], [1.0, 3, 2, 4, 5, 6]
HALF = [1.0, 2, 3, *[np.nan] * 3]


def compare(**metrics: list[float]) -> tuple[list[tuple[str, str]], list[tuple[str, str]], list[str]]:
    """The leads that stay, those that do not, and the lines."""
    compared = agreements({name: np.array(values) for name, values in metrics.items()}, PEOPLE, PHOTO)
    systems = {name: agreement_scorer(one) for name, one in compared.items()}
    scores, unlike = page.split_leads(score_systems(systems, 2, {}, page.BY_RHO, 20, 0), compared)
    leads = [(row["system"], row["ahead_of"]) for row in scores.to_pylist() if row["ahead_of"]]
    return leads, unlike, page.agreement_lines("simplicity", scores, unlike)


def test_leads_between_metrics_on_the_same_photos_stay():
    leads, unlike, lines = compare(full=FULL, rough=ROUGH)
    assert (leads, unlike) == ([("full", "rough")], [])
    assert not [line for line in lines if "not compared" in line]


def test_leads_between_metrics_on_different_photos_go_and_a_line_says_so():
    leads, unlike, lines = compare(full=FULL, half=HALF, rough=ROUGH)
    assert (leads, unlike) == ([], [("full", "half"), ("half", "rough")])
    assert lines[-3:] == [
        "",
        "- full and half are not compared: they have correlations on different photos.",
        "- half and rough are not compared: they have correlations on different photos.",
    ]


def test_nothing_to_compare():
    assert compare() == ([], [], ["## Agreement with people: simplicity: nothing to compare"])


@pytest.mark.parametrize(
    ("row", "first", "missing"),
    [((0.5, 0.2, 2.0), "mOKS", ""), ((None, 0.2, 2.0), "S_CLIP", "mOKS"), ((0.5, None, 2.0), "mOKS", "S_CLIP")],
)
def test_metrics_without_a_value_have_no_column(row: tuple, first: str, missing: str):
    columns = page.headings(check_sketches("t", measured(row)), [0.75, 1.75]).metrics
    assert next(iter(columns)) == first
    assert missing not in columns
    assert {"SR": "SR", "passing_0.75": "passing@0.75", "passing_1.75": "passing@1.75"}.items() <= columns.items()


def test_without_complexities_there_is_no_column_of_an_alpha():
    assert list(page.headings(check_sketches("t", table({"mean_oks": 0.5})), [0.75]).metrics) == ["mOKS", "sketches"]
    with pytest.raises(BadInput, match="got nothing that says how recognisable a sketch is"):
        page.headings(check_sketches("t", table({})), [0.75])


STROKES = (8, 16, 32)


def studies(*photos: list[float | None]) -> list[page.Study]:
    """One list of mOKS for each photo, by number of strokes; None where there is no sketch."""
    rows = [
        {"photo": f"p{place}", "strokes": strokes, "mean_oks": value}
        for place, values in enumerate(photos)
        for strokes, value in zip(STROKES, values, strict=True)
        if value is not None
    ]
    return list(stroke_studies(check_sketches("t", table(*rows)), 2.5))


def test_a_line_of_strokes_has_rises_falls_and_photos_that_are_left_out():
    got = list(page.stroke_lines(studies([0.1, 0.2, 0.3], [0.3, 0.2, 0.5], [0.1, None, 0.2])))
    assert got[2:] == [
        "| sketches | means | rises | falls | rises throughout | rho | photos | left out |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
        "| anime, body, mOKS | 8: 0.200, 16: 0.200, 32: 0.400 | 16: 0.500, 32: 1.000 | 16: 0.500, 32: 0.000 "
        "| 0.500 | 0.750 | 2 | 1 |",
    ]


def test_strokes_as_a_table():
    got = page.strokes_table(studies([0.1, 0.2, 0.3], [0.3, 0.2, 0.5], [0.1, None, 0.2]))
    assert got.schema == STROKES_SCHEMA
    columns = ("strokes", "mean", "rises", "falls", "rises_throughout", "rho", "rho_photos", "photos", "left_out")
    rows = [[row[name] for name in columns] for row in got.to_pylist()]
    assert rows == [
        [8, pytest.approx(0.2), None, None, 0.5, pytest.approx(0.75), 2, 2, 1],
        [16, pytest.approx(0.2), 0.5, 0.5, 0.5, pytest.approx(0.75), 2, 2, 1],
        [32, pytest.approx(0.4), 1.0, 0.0, 0.5, pytest.approx(0.75), 2, 2, 1],
    ]


def test_strokes_of_which_no_photo_has_all():
    nobody = studies([0.1, None, None], [None, 0.2, 0.4])
    assert "| 8: -, 16: -, 32: - | 16: -, 32: - |" in list(page.stroke_lines(nobody))[-1]
    assert page.strokes_table(nobody)["mean"].null_count == 3
    assert page.stroke_charts(nobody) == {}


def test_no_study_of_strokes():
    assert (list(page.stroke_lines([])), page.strokes_table([]).num_rows, page.stroke_charts([])) == ([], 0, {})


def test_a_chart_of_strokes():
    charts = page.stroke_charts(studies([0.1, 0.2, 0.3]))
    assert list(charts) == ["strokes-mOKS"]
    assert "mOKS by number of strokes" in charts["strokes-mOKS"]
    assert ">anime, body</text>" in charts["strokes-mOKS"]


def test_which_of_our_metrics_a_question_is_compared_with():
    known = check_sketches("t", measured((0.5, 0.2, 2.0)))
    got = page.own_metrics("recognisability", known, 2.5)
    assert {name: values.tolist() for name, values in got.items()} == {"mOKS": [0.5], "S_CLIP": [0.5]}
    assert list(page.own_metrics("simplicity", known, 2.5)) == ["SR"]
