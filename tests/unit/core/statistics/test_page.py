"""The page: PoPArt's Table 3 first, a column for each truth, and what nobody can tell left out."""

from collections.abc import Sequence

import pyarrow as pa
import pytest

from tasks.core.statistics import page
from tasks.core.statistics.figures import TruthContents
from tasks.core.statistics.side_by_side import truth_tables
from tests.support.truths import apart, box, contents, image


def text(truths: Sequence[TruthContents]) -> str:
    tables = truth_tables(truths)
    return page.page(tables.statistics, tables.splits, ["a: a note"], page.how(has_crowds=True))


def rows(found: str, begin: str) -> list[str]:
    return [line for line in found.splitlines() if line.startswith(begin)]


def test_a_truth_of_no_image_has_a_page_too():
    found = text([contents([])])
    assert rows(found, "| a ") == ["| a | total | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |"]
    assert "## Sizes" not in found
    assert "## Splits" not in found
    assert "- a: a note" in found


def test_table_3_has_a_row_for_each_split_and_the_total_last():
    images = [image(split="train", style="Cubism"), image(split="val"), image(split="val", is_annotated=False)]
    boxes = [box(0, keypoints=17), box(0, is_crowd=True)]
    assert rows(text([contents(images, boxes)]), "| a ") == [
        "| a | train | 1 | 1 | 0 | 0 | 2 | 1 | 17 | 1 |",
        "| a | val | 2 | 0 | 1 | 1 | 0 | 0 | 0 | 0 |",
        "| a | total | 3 | 1 | 1 | 1 | 2 | 1 | 17 | 1 |",
    ]


def test_truths_stand_side_by_side():
    found = text([contents([image()], apart(0, 6)), contents([image(width_px=3, height_px=2)], name="b|c")])
    assert rows(found, "|  |")[0] == "|  | a | b\\|c |"
    assert rows(found, "| images with 6 ") == ["| images with 6 figures or more | 100.00 % |  |"]
    assert rows(found, "| widest image") == ["| widest image, px |  | 3 x 2 |"]


def test_values_of_attributes_are_rows_the_largest_first(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(page, "MOST_GROUPS", 2)
    moods = pa.array(["sad", "merry", "merry", "calm"])
    truths = [contents([image()] * 4, [box(1)], groups={"mood": moods}, exhibits=pa.array(["1", "2", "2", None]))]
    found = text(truths)
    assert rows(found, "| mood") == ["| mood | images | classes | with figures | figures | >= 6 figures | overlap |"]
    assert rows(found, "| merry") == ["| merry | 2 | 1 | 1 | 1 | 0.00 % | 0.00 % |"]
    assert rows(found, "| calm") == ["| calm | 1 | 0 | 0 | 0 |  |  |"]
    assert rows(found, "| sad") == []
    assert "1 more value in statistics.parquet." in found


def test_empty_cells_of_splits_and_styles_are_seen():
    images = [image(split=split, style=style) for split, style in (("train", "Pop"), ("test", "Pop"), ("train", "Op"))]
    found = text([contents(images)])
    assert rows(found, "| Op") == ["| Op | 1 | **none** |"]
    assert "Without an image: 1 of 4 cells (Op in test)." in found


def test_a_grid_counts_what_it_does_not_show():
    rows = [
        {"stratum": f"s{place}", "split": split, "images": place % 2} for place in range(100) for split in ("a", "b")
    ]
    grid = page.split_grid([{"stratum": None, "split": "a", "images": 50}, *rows])
    assert grid is not None
    assert (len(grid.styles), grid.more, grid.cells, len(grid.empty)) == (60, 40, 200, 100)
    said = grid.sentence(str.upper)
    assert said.startswith("Without an image: 100 of 200 cells (S0 in A; S0 in B; S2 in A;")
    assert said.endswith("S10 in B and 88 more).")


def test_without_a_style_or_an_empty_cell_a_grid_says_so():
    assert page.split_grid([]) is None
    assert page.split_grid([{"stratum": None, "split": "a", "images": 1}]) is None
    full = page.split_grid([{"stratum": "s", "split": "a", "images": 1}])
    assert full is not None
    assert full.sentence(str) == "Without an image: 0 of 1 cell."
    assert full.more == 0


def test_whether_crowds_count_is_said():
    assert "A crowd counts as one figure" in page.how(has_crowds=True)
    assert "Crowds count as no figures" in page.how(has_crowds=False)
