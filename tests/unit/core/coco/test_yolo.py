"""Boxes in shares of a picture's sides: hand cases, edges, and back again."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.coco.yolo import yolo_labels

CATEGORIES = [{"id": 1, "name": "person"}, {"id": 2, "name": "horse"}]


def document(*boxes: dict[str, Any], width: int = 40, height: int = 20) -> dict[str, Any]:
    images = [{"id": 7, "width": width, "height": height}, {"id": 8, "width": 5, "height": 5}]
    return {"images": images, "annotations": [*boxes], "categories": CATEGORIES}


def box(bbox: list[float], category_id: int = 1, iscrowd: int = 0) -> dict[str, Any]:
    return {"image_id": 7, "category_id": category_id, "bbox": bbox, "iscrowd": iscrowd}


@pytest.mark.parametrize(
    ("boxes", "expected", "counts"),
    [
        pytest.param([box([50, 5, 20, 10])], "", (0, 1, 0), id="beyond the picture"),
        pytest.param([box([40, 5, 20, 10])], "", (0, 1, 0), id="beyond it by no more than its edge"),
        pytest.param([box([-10, -5, 20, 10])], "0 0.125 0.125 0.25 0.25\n", (0, 0, 1), id="cut at the upper left"),
        pytest.param([box([30, 15, 20, 10])], "0 0.875 0.875 0.25 0.25\n", (0, 0, 1), id="cut at the lower right"),
        pytest.param([box([10, 5, 20, 10], iscrowd=1)], "", (1, 0, 0), id="a crowd"),
        pytest.param([box([0, 0, 40, 20])], "0 0.5 0.5 1 1\n", (0, 0, 0), id="the whole picture"),
        pytest.param([box([10, 5, 20, 10], 2)], "1 0.5 0.5 0.5 0.5\n", (0, 0, 0), id="the second category is 1"),
        pytest.param(
            [box([0, 0, 10, 10]), box([20, 0, 10, 5], 2)],
            "0 0.125 0.25 0.25 0.5\n1 0.625 0.125 0.25 0.25\n",
            (0, 0, 0),
            id="two",
        ),
    ],
)
def test_lines(boxes: list[dict[str, Any]], expected: str, counts: tuple[int, int, int]):
    texts = {7: expected, 8: ""} if expected else {8: ""}  # no picture of somebody is one of nobody
    assert yolo_labels(document(*boxes)) == (texts, *counts, frozenset() if expected else {7})


sides = st.integers(1, 100_000)


@given(sides, sides, st.data())
def test_a_box_comes_back_to_a_ten_thousandth_of_a_pixel(width: int, height: int, data: st.DataObject):
    x, y = (data.draw(st.floats(0, 0.98 * side)) for side in (width, height))
    wide, high = (data.draw(st.floats(0.01 * side, side - at)) for side, at in ((width, x), (height, y)))
    found = yolo_labels(document(box([x, y, wide, high]), width=width, height=height))
    number, *shares = found.texts[7].split()
    centre_x, centre_y, share_x, share_y = map(float, shares)
    assert number == "0"
    assert all(0 <= share <= 1 for share in (centre_x, centre_y, share_x, share_y))
    back = [(centre_x - share_x / 2) * width, (centre_y - share_y / 2) * height, share_x * width, share_y * height]
    assert back == pytest.approx([x, y, wide, high], abs=1.5e-4)


def test_a_category_that_the_file_does_not_have_is_told():
    with pytest.raises(LookupError):
        yolo_labels(document(box([1, 1, 2, 2], 3)))
