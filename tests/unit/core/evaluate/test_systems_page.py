"""Scores of systems as a page."""

import time

import pytest

from schemas.tables import SYSTEM_SCORES
from tasks.core.evaluate.systems import Ranking, score_systems
from tasks.core.evaluate.systems_page import Headings, _pair, page, summary_lines
from tests.support.systems import ACCURACY, GOOD, POOR, STYLES

HEADINGS = Headings(
    "Models on | <b>", "model", "query", "queries", {"accuracy": "ACC", "error": "error", "never": "never"}
)
BESIDE = HEADINGS._replace(metrics={"accuracy": "ACC"}, beside={"works": "works"})
SYSTEMS = {"poor": POOR, "good": GOOD}


@pytest.fixture(scope="module")
def scores():
    return score_systems(SYSTEMS, 20, {"style": STYLES}, ACCURACY, 200, 0)


def test_a_summary_has_a_table_of_all_systems_the_leads_and_a_table_by_group(scores):
    lines = summary_lines(scores, HEADINGS, ACCURACY)
    assert lines[0] == "## Models on \\| &lt;b&gt;: 20 queries"
    assert lines[2] == "| model | ACC | error | never |"
    assert lines[4].startswith("| good | 0.900 (0.7")
    assert lines[4].endswith(" | 0.100 |  |")
    assert lines[5].startswith("| poor | 0.400 (0.")
    assert lines[7].startswith("- good is better than poor: ACC is higher by 0.500 (0.")
    assert lines[9:13] == [
        "ACC by style:",
        "",
        "| style | good | poor | first ahead by | queries |",
        "|---|---:|---:|---:|---:|",
    ]
    assert lines[13].startswith("| Rococo | 1.000 | 0.800 | 0.200 (0.000 to 0.")
    assert lines[14].startswith("| unknown | 0.800 | 0.000 | 0.800 (0.")
    assert len([line for line in lines if line.startswith("- ")]) == 1, "sentences are about all units"


def test_one_system_alone_is_ahead_of_nobody():
    lines = summary_lines(score_systems({"a": GOOD}, 20, {"style": STYLES}, ACCURACY, 120, 0), HEADINGS, ACCURACY)
    assert "| style | a | queries |" in lines


def test_what_is_not_certain_is_not_called_better():
    lines = summary_lines(score_systems({"a": GOOD, "b": GOOD}, 20, {}, ACCURACY, 120, 0), HEADINGS, ACCURACY)
    assert "- a is not clearly better than b: ACC is higher by 0.000 (0.000 to 0.000)." in lines


def test_a_page_has_every_system_by_group_what_the_protocol_adds_and_how_it_was_computed(scores):
    text = page(scores, HEADINGS, ACCURACY, ["## Grid", "k = 3"], ["left <out>"], "By 200 resamples.")
    assert text.startswith("# Models on \\| &lt;b&gt;\n\n## ")
    assert text.index("## Grid") < text.index("## good by style") < text.index("## poor by style")
    assert (
        "| Rococo | 1.000 | 0.000 |  | 10 |\n| unknown | 0.800 | 0.200 |  | 10 |\n| all | 0.900 | 0.100 |  | 20 |"
        in text
    )
    assert text.endswith("- left &lt;out&gt;\n- By 200 resamples.\n")


def test_nothing_to_compare_is_one_line():
    lines = summary_lines(SYSTEM_SCORES.empty_table(), HEADINGS, Ranking("accuracy"))
    assert lines == ["## Models on \\| &lt;b&gt;: nothing to compare"]


def test_counts_are_whole_numbers():
    systems = {"a": lambda times: {"accuracy": 1234.0, "error": 0.0, "never": 0.0}}
    lines = summary_lines(
        score_systems(systems, 1, {}, ACCURACY, 0, 0), HEADINGS._replace(counts={"accuracy"}), ACCURACY
    )
    assert lines[4] == "| a | 1,234 | 0.000 | 0.000 |"


def counting(accuracy: float):
    return lambda times: {"accuracy": accuracy, "works": 1000.0 * times.sum()}


def test_what_is_counted_stands_beside_the_units_and_one_unit_is_in_the_singular():
    lines = summary_lines(score_systems({"a": counting(0.5)}, 1, {}, ACCURACY, 0, 0), BESIDE, ACCURACY)
    assert lines[0].endswith(": 1 query, 1,000 works")
    assert lines[2:5] == ["| model | ACC |", "|---|---:|", "| a | 0.500 |"]
    text = page(
        score_systems({"a": counting(0.5)}, 20, {"style": STYLES}, ACCURACY, 0, 0), BESIDE, ACCURACY, (), (), ""
    )
    assert "| style | a | queries | works |\n|---|---:|---:|---:|\n| Rococo | 0.500 | 10 | 10000 |" in text
    assert "| style | ACC | queries | works |" in text


def side_by_side(systems: dict, groups: dict) -> list[str]:
    """The lines of the page's section, from its heading on; none where it has none."""
    text = page(score_systems(systems, 20, groups, ACCURACY, 0, 0), BESIDE, ACCURACY, (), (), "how")
    _, heading, rest = text.partition("## Side by side, by style\n")
    return rest.partition("\n- how")[0].strip().splitlines() if heading else []


def test_two_systems_stand_side_by_side_in_the_order_in_which_they_were_compared():
    """PoPArt, Table 5: the second is the one with more training data."""
    lines = side_by_side({"a|b": counting(0.4614), "c": counting(0.4776)}, {"style": STYLES})
    assert lines == [
        "Each cell: a\\|b / c / the second minus the first (before rounding).",
        "",
        "| style | ACC | queries | works |",
        "|---|---:|---:|---:|",
        "| Rococo | 0.461 / 0.478 / +0.016 | 10 | 10000 |",
        "| unknown | 0.461 / 0.478 / +0.016 | 10 | 10000 |",
        "| all | 0.461 / 0.478 / +0.016 | 20 | 20000 |",
    ]


@pytest.mark.parametrize(("names", "groups"), [("a", {"style": STYLES}), ("abc", {"style": STYLES}), ("ab", {})])
def test_only_two_systems_with_groups_stand_side_by_side(names: str, groups: dict):
    assert side_by_side({name: counting(0.5) for name in names}, groups) == []


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        (None, None, ""),  # nothing to score
        (0.1, None, ""),  # only one has a number
        (0.0, 0.0, "0.000 / 0.000 / +0.000"),
        (1.0, 0.0, "1.000 / 0.000 / -1.000"),  # worse
    ],
)
def test_a_pair_of_numbers_has_its_difference(first: float | None, second: float | None, text: str):
    assert _pair(first, second) == text


def test_the_time_of_a_page_goes_by_the_groups_and_not_by_their_square():
    units = 10_000
    scores = score_systems(
        {"mine": lambda _: {"accuracy": 1.0}}, units, {"by": [*map(str, range(units))]}, ACCURACY, 0, 0
    )
    start = time.process_time()
    text = page(scores, Headings("Scores", "system", "unit", "units", {"accuracy": "accuracy"}), ACCURACY, (), (), "")
    assert text.count("\n") > 2 * units
    assert time.process_time() - start < 2  # the square took 10 s
