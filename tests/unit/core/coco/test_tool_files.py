"""The COCO document that a tool's file comes to."""

from schemas.keypoints import KeypointScheme
from tasks.core.coco.tool_files import document_of, hull_of, joints_in_order, points_of


def test_categories_are_numbered_as_they_come_and_a_row_without_one_has_none():
    rows = [{"category": "b", "bbox": [1]}, {"category": "", "bbox": [2]}, {"category": "a", "bbox": [3]}]
    document = document_of([{"id": 1}], rows, {"a": ["x"]})
    assert document == {
        "images": [{"id": 1}],
        "annotations": [
            {"id": 1, "category_id": 2, "bbox": [1]},
            {"id": 2, "category_id": None, "bbox": [2]},
            {"id": 3, "category_id": 1, "bbox": [3]},
        ],
        "categories": [{"id": 1, "name": "a", "keypoints": ["x"]}, {"id": 2, "name": "b"}],
    }


def test_joints_take_the_schemes_order_where_they_are_its_names():
    scheme = KeypointScheme(name="hand", joints=("wrist", "thumb_tip", "palm"))
    assert joints_in_order("hand", ["Thumb tip", "wrist"], {"hand": scheme}) == ["wrist", "Thumb tip", "palm"]
    assert joints_in_order("hand", ["thumb", "wrist"], {"hand": scheme}) == ["thumb", "wrist"]
    assert joints_in_order("hand", ["b", "a"], {"hand": None}) == ["b", "a"]


def test_points_and_hull():
    assert points_of(["a", "b"], {"b": (1, 2, 1), "c": (3, 4, 2)}) == [0, 0, 0, 1, 2, 1]
    assert hull_of([(3, 4), (1, 9)]) == [1, 4, 2, 5]
