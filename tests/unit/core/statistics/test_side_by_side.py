"""Tables of several truths: each row says whose it is, and what is empty is a row where it matters."""

from typing import Any

import pyarrow as pa
import pytest

from schemas.tables import CLASS_SIZES, HISTOGRAMS, TRUTH_HISTOGRAMS, TRUTH_SHARES, TRUTH_STATISTICS
from tasks.core.statistics.side_by_side import OVERLAPS, truth_tables
from tests.support.truths import apart, box, contents, image

SCHEMAS = (TRUTH_STATISTICS, TRUTH_HISTOGRAMS, TRUTH_SHARES, CLASS_SIZES)


@pytest.mark.parametrize("truths", [[], [contents([])], [contents([image(style="Cubism", split="train")])]])
def test_tables_have_their_columns_whatever_there_is(truths: list[Any]):
    for table, schema in zip(truth_tables(truths), SCHEMAS, strict=True):
        assert table.schema.equals(schema)


def test_a_style_that_a_split_lacks_has_a_row_of_no_image():
    rows = [("train", "Cubism"), ("test", "Cubism"), ("train", "Rococo")]
    found = truth_tables([contents([image(split=split, style=style) for split, style in rows], [box(0)])]).splits
    cells = {(row["stratum"], row["split"]): row["images"] for row in found.to_pylist()}
    assert cells["Rococo", "test"] == 0
    assert cells[None, "train"] == 2
    assert found["truth"].to_pylist() == ["a"] * 6


def test_without_splits_there_is_no_table_of_them():
    assert truth_tables([contents([image(style="Cubism")])]).splits.num_rows == 0


def bins(table: pa.Table, statistic: str) -> list[tuple[Any, ...]]:
    rows = [row for row in table.to_pylist() if row["statistic"] == statistic and row["stratum"] is None]
    return [(row["moment"], row["least"], row["count"]) for row in rows]


def test_figures_are_those_of_annotated_images_and_overlaps_those_of_images_with_figures():
    images = [image(), image(), image(is_annotated=False)]
    found = truth_tables([contents(images, [*apart(0, 2), box(0)])]).histograms
    assert bins(found, "figures_per_image") == [("after", 0, 1), ("after", 3, 1), ("after", None, 1)]
    assert bins(found, OVERLAPS) == [("after", 1, 1)]
    assert bins(found, "works_per_artist") == []  # nobody knows an artist


def test_what_a_release_was_drawn_from_stands_before_it():
    row = {"statistic": "year", "moment": "before", "stratum": None, "least": 1900.0, "below": 1910.0, "count": 9}
    truth = contents([image(year=1905)], earlier=pa.Table.from_pylist([row], HISTOGRAMS))
    assert bins(truth_tables([truth]).histograms, "year") == [("before", 1900, 9), ("after", 1900, 1)]
