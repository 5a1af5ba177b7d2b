"""Which boxes are right: the best first, each figure once, crowds and other sizes apart."""

import pyarrow as pa
import pytest

from schemas.tables import ANNOTATED_FIGURES, ANNOTATED_IMAGES, DETECT
from tasks.core.evaluate.kernels import IGNORED, RIGHT, WRONG
from tasks.core.evaluate.matching import (
    Detections,
    DrawnFigures,
    detections_of_measure,
    figures_of,
    match_boxes,
)
from tests.support.evaluate import LARGE, SMALL, detections, figures


def verdicts(truth: DrawnFigures, boxes: Detections, area: int = 0, step: int = 0, at_most: int = 100) -> list[int]:
    return match_boxes(truth, boxes, at_most).verdicts[area, step].tolist()


@pytest.mark.parametrize(
    ("truth", "boxes", "expected"),
    [
        pytest.param(figures(), detections(), [], id="nothing at all"),
        pytest.param(figures((0, SMALL)), detections(), [], id="nothing found"),
        pytest.param(figures(), detections((0, SMALL, 0.9)), [WRONG], id="nobody there"),
        pytest.param(
            figures((0, SMALL)), detections((0, SMALL, 0.9), (0, SMALL, 0.8)), [RIGHT, WRONG], id="each figure once"
        ),
        pytest.param(
            figures((0, SMALL)), detections((0, SMALL, 0.1), (0, LARGE, 0.8)), [WRONG, RIGHT], id="by falling score"
        ),
        pytest.param(
            figures((0, SMALL), crowd=(0,)),
            detections((0, SMALL, 0.9), (0, SMALL, 0.8)),
            [IGNORED] * 2,
            id="a crowd takes all",
        ),
        pytest.param(
            figures((0, SMALL), (0, SMALL), crowd=(0,)),
            detections((0, SMALL, 0.9)),
            [RIGHT],
            id="a figure before a crowd",
        ),
        pytest.param(figures((0, SMALL), images=2), detections((1, SMALL, 0.9)), [WRONG], id="only in its own image"),
        pytest.param(figures((0, SMALL)), detections((0, [0, 0, 0, 0], 0.9)), [WRONG], id="a box without an area"),
    ],
)
def test_what_becomes_of_each_box(truth: DrawnFigures, boxes: Detections, expected: list[int]):
    assert verdicts(truth, boxes) == expected


def test_a_box_of_two_thirds_is_right_at_the_first_four_thresholds():
    truth, boxes = figures((0, [0, 0, 30, 10])), detections((0, [0, 0, 20, 10], 0.9))
    assert [verdicts(truth, boxes, step=step)[0] for step in range(10)] == [RIGHT] * 4 + [WRONG] * 6


@pytest.mark.parametrize(
    ("area", "expected"), [(0, [RIGHT, WRONG]), (1, [RIGHT, IGNORED]), (2, [IGNORED] * 2), (3, [IGNORED, WRONG])]
)
def test_figures_and_boxes_of_other_sizes_do_not_count(area: int, expected: list[int]):
    assert verdicts(figures((0, SMALL)), detections((0, SMALL, 0.9), (0, LARGE, 0.8)), area=area) == expected


@pytest.mark.parametrize(
    ("side", "ranges"), [(31.9, [1, 1, 0, 0]), (32.0, [1, 1, 1, 0]), (96.0, [1, 0, 1, 1]), (96.1, [1, 0, 0, 1])]
)
def test_both_ends_of_a_range_of_areas_belong_to_it(side: float, ranges: list[int]):
    assert match_boxes(figures((0, [0, 0, side, side])), detections()).figures.tolist() == [ranges]


@pytest.mark.parametrize(("at_most", "expected"), [(1, [WRONG]), (2, [WRONG, RIGHT]), (9, [WRONG, RIGHT])])
def test_only_the_best_boxes_of_an_image_count(at_most: int, expected: list[int]):
    assert verdicts(figures((0, SMALL)), detections((0, LARGE, 0.9), (0, SMALL, 0.8)), at_most=at_most) == expected


def test_equal_scores_keep_the_order_of_images():
    matched = match_boxes(figures((1, SMALL), images=3), detections((2, SMALL, 0.5), (0, SMALL, 0.5), (1, SMALL, 0.5)))
    assert matched.image.tolist() == [0, 1, 2]
    assert matched.verdicts[0, 0].tolist() == [WRONG, RIGHT, WRONG]


def test_each_box_has_its_place_among_those_of_its_image():
    matched = match_boxes(
        figures((0, SMALL), images=3), detections((0, SMALL, 0.5), (0, SMALL, 0.9), (2, SMALL, 0.7), (0, LARGE, 0.1))
    )
    assert [*zip(matched.image.tolist(), matched.place.tolist(), strict=True)] == [(0, 0), (2, 0), (0, 1), (0, 2)]


def test_tables_become_arrays_and_images_of_one_blob_share_its_boxes():
    images = pa.Table.from_pylist(
        [{"image_id": number, "sha256": sha} for number, sha in ((3, "b"), (5, "a"), (9, "b"), (11, "c"))],
        schema=ANNOTATED_IMAGES,
    )
    figures = pa.Table.from_pylist(
        [{"image_id": 9, "category": "person", "xywh_px": SMALL, "area_px2": 7.0, "is_crowd": True}],
        schema=ANNOTATED_FIGURES,
    )
    boxes = [
        {"category": "person", "xywh_px": SMALL, "score": 0.3},
        {"category": "dog", "xywh_px": LARGE, "score": 0.9},
    ]
    rows = [
        {"sha256": "a", "figures": []},
        {"sha256": "b", "figures": boxes},
        {"sha256": "c", "reason": "broken_image"},
    ]
    truth, got = (
        figures_of(images, figures),
        detections_of_measure(images, pa.Table.from_pylist(rows, schema=DETECT), "person"),
    )
    assert (truth.image.tolist(), truth.area_px2.tolist(), truth.is_crowd.tolist()) == ([2], [7.0], [True])
    assert (got.image.tolist(), got.score.tolist(), got.xywh_px.tolist()) == ([0, 2], [0.3, 0.3], [SMALL, SMALL])
