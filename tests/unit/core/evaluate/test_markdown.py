"""A comparison in words: tables whose cells no name can break, and sentences that say what the resamples bear out."""

from typing import Any

import pyarrow as pa
import pytest

from schemas.evaluate import CompareSettings
from schemas.tables import SCORES
from tasks.core.evaluate import markdown

Row = dict[str, Any]
IMAGES = ("kept_share", "image_recall", "image_precision", "image_f1", "image_auc")
SETTINGS = CompareSettings()
_CALIBRATION = ("kept_share", "recall", "precision")
CALIBRATION = pa.schema(
    [("detector", pa.string()), ("attribute", pa.string()), ("stratum", pa.string()), ("threshold", pa.float64())]
    + [("images", pa.int64()), ("with_figure", pa.int64())]
    + [(name + end, pa.float64()) for name in _CALIBRATION for end in ("", "_low", "_high")]
)


def rows_of(name: str, ap: float | None, stratum: str | None = None, **values: float | None) -> list[Row]:
    """All measures of a detector, AP without an interval; those that are not given are null."""
    plain = {
        "attribute": stratum and "style",
        "stratum": stratum,
        "images": 10,
        "figures": 7,
        "low": None,
        "high": None,
    }
    given = {**dict.fromkeys((*markdown.COLUMNS, *IMAGES)), "AP": ap, **values}
    return [{"detector": name, "metric": metric, "value": value, **plain} for metric, value in given.items()]


def lead(one: str, other: str, value: float, low: float | None, high: float | None) -> Row:
    row = rows_of(one, value)[0]
    return {**row, "metric": f"{markdown.AHEAD}{other}", "low": low, "high": high}


def table(*rows: Row) -> pa.Table:
    return pa.Table.from_pylist(list(rows))


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("", ""),
        ("plain", "plain"),
        ("a|b", "a\\|b"),
        ("![a](b)", "!\\[a](b)"),
        ("\\[a](b)", "\\\\\\[a](b)"),
        ("a\r\n\tb", "a b"),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("\x00x\x7f", " x "),
        ('"quoted"', '"quoted"'),
    ],
)
def test_any_text_is_one_cell(text: str, cell: str):
    assert markdown.cell(text) == cell


@pytest.mark.parametrize(("value", "text"), [(None, ""), (0.0, "0.000"), (0.12345, "0.123"), (-0.0004, "-0.000")])
def test_a_number_has_three_decimals_or_there_is_none(value: float | None, text: str):
    assert markdown.number(value) == text


@pytest.mark.parametrize(
    ("aps", "names"),
    [
        ({}, []),
        ({"b": 0.5, "a": 0.5}, ["a", "b"]),
        ({"a": 0.1, "b": 0.5}, ["b", "a"]),
        ({"a": None, "b": 0.0, "c": 0.1}, ["c", "a", "b"]),
    ],
)
def test_the_best_detector_comes_first(aps: dict[str, float | None], names: list[str]):
    rows = [row for name, ap in aps.items() for row in (*rows_of(name, ap), *rows_of(name, 0.9, "Cubism"))]
    assert markdown.rank_detectors(rows) == names


def test_the_summary_of_one_detector_without_styles():
    first = {**rows_of("a|b", 0.5)[0], "low": 0.25, "high": 0.75}
    lines = markdown.summary_lines("a <set>", table(first, *rows_of("a|b", 0.5, kept_share=0.4)[1:]), SETTINGS)
    assert lines[0] == "## a &lt;set&gt;: 10 images, 7 figures"
    assert "| a\\|b | 0.500 (0.250-0.750) |  |  |  |  |  |  |" in lines
    assert "| a\\|b | 0.400 |  |  |  |  |" in lines
    assert not [line for line in lines if "AP by style" in line]


def test_styles_have_a_line_each_with_their_own_counts():
    dada = [{**row, "images": 3, "figures": 2} for row in rows_of("a", 0.25, "Dada")]
    lines = markdown.summary_lines("t", table(*rows_of("a", 0.5), *rows_of("a", None, "Cubism"), *dada), SETTINGS)
    assert lines[-3:] == ["|---|---:|---:|---:|", "| Cubism |  | 10 | 7 |", "| Dada | 0.250 | 3 | 2 |"]


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.1, 0.3, ["- a is better than b: AP is higher by 0.200 (0.100 to 0.300)."]),
        (0.0, 0.3, ["- a is not clearly better than b: AP is higher by 0.200 (0.000 to 0.300)."]),
        (-0.1, 0.3, ["- a is not clearly better than b: AP is higher by 0.200 (-0.100 to 0.300)."]),
        (None, None, []),
    ],
)
def test_what_the_resamples_say_of_two(low: float | None, high: float | None, said: list[str]):
    scores = table(*rows_of("a", 0.5), *rows_of("b", 0.3), lead("a", "b", 0.2, low, high))
    assert [line for line in markdown.summary_lines("t", scores, SETTINGS) if line.startswith("- ")] == said


def calibrated(threshold: float, **values: Any) -> Row:
    return {
        **dict.fromkeys(CALIBRATION.names),
        "detector": "a",
        "threshold": threshold,
        "images": 4,
        "with_figure": 2,
        **values,
    }


def test_the_page_shows_some_thresholds_with_their_intervals_and_every_note():
    rows = [
        calibrated(0.5, kept_share=0.5, recall=1.0, recall_low=0.25, recall_high=1.0),
        calibrated(0.55, kept_share=0.9),
        calibrated(0.5, kept_share=0.7, attribute="style", stratum="Dada"),
    ]
    page = markdown.page(
        "t", table(*rows_of("a", 0.5)), pa.Table.from_pylist(rows, CALIBRATION), SETTINGS, ["one\nnote"]
    )
    shown = [line for line in page.splitlines() if line.startswith("| a | 0.5") and line.count("|") == 6]
    assert shown == ["| a | 0.50 | 0.500 | 1.000 (0.250-1.000) |  |"]
    assert "\n- one note\n" in page
    assert page.endswith("\n")
    assert "by style" not in page


def of_styles(name: str, **aps: float | None) -> list[Row]:
    """A detector's rows over all images, and in each style; APS has nothing to score."""
    return [*rows_of(name, 0.5), *(row for style, ap in aps.items() for row in rows_of(name, ap, style, APM=0.25))]


def side_by_side(*rows: Row) -> list[str]:
    """The lines of the page's section, from its heading on; empty where it has none."""
    page = markdown.page("t", table(*rows), CALIBRATION.empty_table(), SETTINGS, [])
    _, heading, rest = page.partition("## Side by side, by style\n")
    return rest.partition("\n## ")[0].splitlines() if heading else []


def test_two_detectors_stand_side_by_side_by_style_in_the_order_in_which_they_were_compared():
    without = of_styles("people|art", Cubism=0.511, Dada=0.9, Zen=None)
    with_popart = of_styles("+ PoPArt", Cubism=0.601, Dada=0.85, Zen=None)
    fields = {"metric": "AP ahead of people|art", "value": 0.0, "stratum": None}
    lines = side_by_side(*without, *with_popart, {**with_popart[0], **fields})
    assert lines == [
        "",
        "Each cell: people\\|art / + PoPArt / the second minus the first (before rounding).",
        "",
        "| style | AP | AP50 | AP75 | APS | APM | APL | AR | images | figures |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        "| Cubism | 0.511 / 0.601 / +0.090 |  |  |  | 0.250 / 0.250 / +0.000 |  |  | 10 | 7 |",
        "| Dada | 0.900 / 0.850 / -0.050 |  |  |  | 0.250 / 0.250 / +0.000 |  |  | 10 | 7 |",
        "| Zen |  |  |  |  | 0.250 / 0.250 / +0.000 |  |  | 10 | 7 |",
        "| all | 0.500 / 0.500 / +0.000 |  |  |  |  |  |  | 10 | 7 |",
    ]
    assert not [line for line in markdown.summary_lines("t", table(*without, *with_popart), SETTINGS) if "Side" in line]


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(of_styles("a", Dada=0.1), id="one detector"),
        pytest.param([*of_styles("a", Dada=0.1), *of_styles("b", Dada=0.1), *of_styles("c", Dada=0.1)], id="three"),
        pytest.param([*of_styles("a"), *of_styles("b")], id="no style"),
    ],
)
def test_only_two_detectors_by_style_stand_side_by_side(rows: list[Row]):
    assert side_by_side(*rows) == []


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        (None, None, ""),  # nothing to score
        (float("nan"), 0.1, ""),  # not defined
        (0.1, None, ""),  # only one has a number
        (0.0, 0.0, "0.000 / 0.000 / +0.000"),  # figures, and none was found
        (0.4614, 0.4776, "0.461 / 0.478 / +0.016"),  # the difference of the numbers, not of what is shown
        (1.0, 0.0, "1.000 / 0.000 / -1.000"),  # worse
    ],
)
def test_a_pair_of_numbers_has_its_difference(first: float | None, second: float | None, text: str):
    assert markdown._pair(first, second) == text


@pytest.mark.parametrize(
    ("with_figure", "is_warned"), [(4, True), (3, False), (None, False)], ids=["all", "not all", "none at all"]
)
def test_where_every_image_has_a_figure_a_note_says_so(with_figure: int | None, is_warned: bool):
    rows = [] if with_figure is None else [calibrated(0.5, with_figure=with_figure)]
    assert bool(markdown.presence_notes(pa.Table.from_pylist(rows, CALIBRATION))) == is_warned


def test_a_table_of_nothing_is_told_in_one_line():
    nothing = SCORES.empty_table()
    assert markdown.summary_lines("ours", nothing, SETTINGS) == ["## ours: no detector was compared"]
    text = markdown.page("ours", nothing, CALIBRATION.empty_table(), SETTINGS, ["a note"])
    assert text.startswith("# Detectors on ours\n\n## ours: no detector was compared\n")
    assert "- a note\n" in text
