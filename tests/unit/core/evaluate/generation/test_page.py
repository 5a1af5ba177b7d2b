"""Scores of generators as Markdown."""

import pyarrow as pa
import pytest

from schemas.evaluate_images import GENERATION_SCORES, GenerationSettings
from tasks.core.evaluate.generation.page import page, summary_lines


def row(system: str, metric: str, value: float | None, **others: object) -> dict[str, object]:
    return {"system": system, "metric": metric, "value": value, "samples": 1200, "reference": 4, **others}


def scores(*rows: dict[str, object]) -> pa.Table:
    return pa.Table.from_pylist([dict.fromkeys(GENERATION_SCORES.names) | one for one in rows], GENERATION_SCORES)


ROWS = [
    row("b|", "fid", 2.5),
    row("b|", "kid", 0.000664, sd=0.00001),
    row("b|", "precision", 0.5, low=0.25, high=0.75),
    row("b|", "density", 1.5, low=1.25, high=1.75),
    row("a", "fid", None, samples=3),
    row("a", "inception_score", 6.5, sd=0.05, samples=3, reference=None),
]


def test_a_line_for_each_generator_in_their_order_with_blanks():
    assert summary_lines(scores(*ROWS), ["a: <few>"]) == [
        "## Generated images: 2 generators, 4 images of the reference",
        "",
        "| generator | FID | KID | IS | precision | density | samples |",
        "|---|---:|---:|---:|---:|---:|---:|",
        "| b\\| | 2.500 | 0.00066 ± 0.00001 |  | 0.500 (0.250 to 0.750) | 1.500 | 1,200 |",
        "| a |  |  | 6.500 ± 0.050 |  |  | 3 |",
        "",
        "- a: &lt;few&gt;",
    ]


def test_without_a_reference_or_a_note():
    lines = summary_lines(scores(ROWS[-1]), [])
    assert lines[0] == "## Generated images: 1 generator"
    assert lines[-1] == "| a | 6.500 ± 0.050 | 3 |"


def test_each_class_of_each_generator_and_who_is_ahead():
    by_class = [row("b|", "fid", 9.0, **{"class": "x_y", "samples": 7})]
    lead = row("b|", "precision", 0.2, low=0.1, high=0.3, ahead_of="a")
    lines = summary_lines(scores(*ROWS, *by_class, lead), [])
    assert lines[6:] == [
        "",
        "- b\\| is better than a: precision is higher by 0.200 (0.100 to 0.300).",
        "",
        "## b\\| by class",
        "",
        "| class | FID | samples |",
        "|---|---:|---:|",
        "| x_y | 9.000 | 7 |",
    ]


@pytest.mark.parametrize(
    ("metric", "replicates", "said", "not_said"),
    [
        pytest.param("copy_share", 1000, ["at least 0.95 with a training", "1,000 resamples"], [], id="all"),
        pytest.param("fid", 0, ["A blank means"], ["Copies", "resamples"], id="neither copies nor intervals"),
    ],
)
def test_the_page_says_how_it_was_computed(metric, replicates, said, not_said):
    text = page(scores(row("a", metric, 0.5)), [], GenerationSettings(), replicates, 7)
    assert text.startswith("# Generated images\n\n## Generated images: 1 generator")
    assert all(one in text for one in said)
    assert not any(one in text for one in not_said)
    assert ("seed 7" in text) == bool(replicates)
    assert "\n\n\n" not in text
