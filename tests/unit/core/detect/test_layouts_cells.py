"""Cells of grids and columns of classes, by hand."""

import numpy as np
import pytest

from tasks.core.detect.layouts import cell_counts, class_columns, grid_cells, shape_text, shapes_text, strong_rows


def test_cells_stand_row_by_row_and_stride_by_stride():
    grid, stride = grid_cells(16, 32, (8, 16))
    assert grid.tolist() == [[0, 0], [1, 0], [2, 0], [3, 0], [0, 1], [1, 1], [2, 1], [3, 1], [0, 0], [1, 0]]
    assert stride[:, 0].tolist() == [8] * 8 + [16] * 2


@pytest.mark.parametrize(("is_rounded_up", "count"), [(False, 2), (True, 6)])
def test_a_part_of_a_cell_counts_where_it_is_rounded_up(is_rounded_up: bool, count: int):
    grid, _ = grid_cells(9, 17, (8,), is_rounded_up=is_rounded_up)
    assert len(grid) == count
    assert cell_counts(9, 17, (8, 64)) == [6, 1]


def test_no_cell_fits():
    grid, stride = grid_cells(7, 7, (8,))
    assert (grid.shape, stride.shape) == ((0, 2), (0, 1))


def test_classes_have_columns():
    assert class_columns([2, 0], 5, 8) == [7, 5]
    assert class_columns([], 5, 5) == []
    with pytest.raises(ValueError, match=r"expected class 3, got a model of 3 classes 0\.\.2"):
        class_columns([3], 5, 8)


def test_rows_that_reach_the_score_in_any_class():
    scores = np.array([[0.1, 0.5], [0.4, 0.4], [np.nan, 0.5]], np.float32)
    assert strong_rows(scores, 0.5).tolist() == [0, 2]
    assert strong_rows(scores[:, :0], 0.5).tolist() == []


def test_shapes_in_words():
    assert (shape_text((2, 3)), shape_text(())) == ("2 x 3", "one number")
    assert shapes_text([(2, 3), ()]) == "2 (2 x 3, one number)"
    assert shapes_text([(1,)] * 7) == "7 (1, 1, 1, 1, 1, 1, ...)"
