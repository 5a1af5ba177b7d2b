"""Which strata have no image in some split."""

from typing import Any

import pyarrow as pa
import pytest

from schemas.split import Split
from tasks.core.split.drift import Gap, gap_notes, gaps

Row = tuple[str | None, str | None]


def dealing(**settings: Any) -> Split:
    return Split.model_validate({"label": "split", "seed": 1, **settings})


def parts(*rows: Row, **columns: list[Any]) -> tuple[pa.Table, pa.ChunkedArray]:
    """rows: style and split."""
    view = {"style": pa.chunked_array([[style for style, _ in rows]], pa.string())}
    more = {name: pa.chunked_array([values]) for name, values in columns.items()}
    return pa.table({**view, **more}), pa.chunked_array([[split for _, split in rows]], pa.string())


FULL: list[Row] = [("Dada", "train"), ("Dada", "val"), ("Dada", "test")]


@pytest.mark.parametrize(
    ("rows", "settings", "expected"),
    [
        pytest.param([], {}, [], id="nobody"),
        pytest.param(FULL, {}, [], id="some in each split"),
        pytest.param([("Dada", None)], {}, [], id="what is dropped is in none"),
        pytest.param(
            [*FULL, ("Op Art", "val")], {}, [("Op Art", {"train": 0, "val": 1, "test": 0})], id="a single image"
        ),
        pytest.param(
            [*FULL, (None, "train"), ("", "train")],
            {},
            [("unknown", {"train": 2, "val": 0, "test": 0})],
            id="what is unknown, too",
        ),
        pytest.param([*FULL[:2], ("DADA", "test")], {}, [], id="spellings of one name are one"),
        pytest.param(FULL[:2], {"ratios": {"train": 1, "val": 1}}, [], id="a split that the recipe doesn't have"),
        pytest.param(
            [("Dada", "train"), ("Dada", "test"), ("Fauvism", "train")],
            {"keep": "subset", "ratios": None},
            [("Fauvism", {"train": 1, "test": 0})],
            id="splits of the sources: those that have images",
        ),
        pytest.param(
            [*FULL, ("Ukiyo-e", "ood"), ("Dada", "ood")],
            {"hold_out": {"source": ["artic"]}},
            [],
            id="what is held out is dealt by no ratio",
        ),
        pytest.param(FULL[:2], {"by": None}, [("all", {"train": 1, "val": 1, "test": 0})], id="all in one"),
    ],
)
def test_gaps(rows: list[Row], settings: dict[str, Any], expected: list[tuple[str, dict[str, int]]]):
    assert gaps(*parts(*rows), dealing(**settings))[0] == [Gap(*entry) for entry in expected]


def test_each_column_of_iterative_and_each_text_of_a_list_is_by_itself():
    view, split = parts(*FULL, styles=[["Dada", "Pop"], ["dada"], ["Dada", "DADA"]])
    settings = dealing(by=["style", "styles"], method="iterative")
    assert gaps(view, split, settings) == ([Gap("Pop", {"train": 1, "val": 0, "test": 0})], 3)


def test_all_are_told_however_small_and_the_largest_first():
    rows: list[Row] = [*FULL, ("Small", "train"), ("Large", "train"), ("Large", "val"), ("Also small", "test")]
    assert list(gap_notes(*parts(*rows), dealing())) == [
        "split: 3 of 4 strata have no image in some split (train/val/test): Large (1/1/0), Also small (0/0/1), "
        "Small (1/0/0)"
    ]
    assert list(gap_notes(*parts(*FULL), dealing())) == []


def test_of_very_many_twenty_are_told_and_the_page_has_all():
    rows: list[Row] = [(f"s{number:02}", "train") for number in range(30)]
    (said,) = gap_notes(*parts(*rows), dealing())
    assert said.endswith("s19 (1/0/0) and 10 more; report.html lists all")


def test_one_stratum():
    assert list(gap_notes(*parts(("Dada", "train")), dealing(by=None))) == [
        "split: the only stratum has no image in some split (train/val/test): all (1/0/0)"
    ]
