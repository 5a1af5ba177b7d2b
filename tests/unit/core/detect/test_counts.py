"""How many figures: people's all count, a detector's from its score on."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schemas.tables import FIGURE
from tasks.core.detect import counts


def figure(score: float | None = None, category: str = "person", is_crowd: bool = False) -> dict[str, Any]:
    return {
        "category": category,
        "xywh_px": [0.0, 0.0, 1.0, 1.0],
        "is_crowd": is_crowd,
        "keypoints_xyv": None,
        "score": score,
    }


def lists(*rows: list[dict[str, Any]] | None, chunks: int = 1) -> pa.ChunkedArray:
    kind = pa.list_(FIGURE)
    step = max(1, -(-len(rows) // chunks))
    return pa.chunked_array([pa.array(rows[at : at + step], kind) for at in range(0, len(rows), step)], kind)


ROWS: tuple[list[dict[str, Any]] | None, ...] = (
    None,
    [],
    [figure(), figure()],
    [figure(0.5), figure(0.499), figure(0.9)],
    [figure(category="dog"), figure(0.99, category="dog"), figure()],
    [figure(is_crowd=True)],
    None,
    [figure(0.0)],
)


@pytest.mark.parametrize(
    ("category", "score", "expected"),
    [
        pytest.param("person", 0.5, [0, 0, 2, 2, 1, 1, 0, 0], id="a score on the line counts, and a crowd is one"),
        pytest.param("person", 0.0, [0, 0, 2, 3, 1, 1, 0, 1], id="a floor of 0 counts all"),
        pytest.param("person", 1.0, [0, 0, 2, 0, 1, 1, 0, 0], id="no floor takes away what people drew"),
        pytest.param("dog", 0.5, [0, 0, 0, 0, 2, 0, 0, 0], id="another category"),
        pytest.param("cat", 0.5, [0] * 8, id="a category that nobody drew"),
    ],
)
@pytest.mark.parametrize("chunks", [1, 3, 8])
def test_figures_are_counted_in_each_image(category: str, score: float, expected: list[int], chunks: int):
    got = counts.count_figures(lists(*ROWS, chunks=chunks), category, score)
    assert got.tolist() == expected
    assert got.dtype == np.int64


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param((), [], id="no image"),
        pytest.param((None, None), [0, 0], id="nothing but nulls"),
        pytest.param(([], []), [0, 0], id="nothing but empty lists"),
    ],
)
def test_images_without_any_figure(rows: tuple[Any, ...], expected: list[int]):
    assert counts.count_figures(lists(*rows), "person", 0.5).tolist() == expected


def test_a_slice_counts_its_own_rows_only():
    assert counts.count_figures(lists(*ROWS).slice(2, 2), "person", 0.5).tolist() == [2, 2]


def test_people_outrank_the_detector_even_where_they_saw_nobody():
    annotated = np.array([True, True, False])
    assert counts.prefer_people_counts(annotated, np.array([0, 3, 0]), np.array([5, 0, 2])).tolist() == [0, 3, 2]
