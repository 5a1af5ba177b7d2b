"""A COCO file as a source's annotations: figures by file name, and what is not known."""

import json
import math
from typing import Any

import pytest

from schemas.errors import BadInput
from tasks.core.coco.source import figures_of_categories, read_figures
from tasks.core.coco.source_file import read_image
from tests.support.keypoints import COCO_17, NAMES

PERSON = {"person": COCO_17}

KEYPOINTS = [1.0, 2.0, 2.0, *[0.0] * 48]


def coco(**changes: Any) -> bytes:
    document = {
        "categories": [{"id": 7, "name": "person", "keypoints": NAMES}, {"id": 3, "name": "dog"}],
        "images": [{"id": 1, "file_name": "a.jpg"}, {"id": 2, "file_name": "b/c.jpg"}],
        "annotations": [box(), box(id=2, category_id=3, bbox=[5, 6, 7.5, 8])],
    }
    return json.dumps({**document, **changes}).encode()


def box(**changes: Any) -> dict[str, Any]:
    return {"id": 1, "image_id": 1, "category_id": 7, "bbox": [0, 1, 2, 3], **changes}


def numbered(*rows: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**row, "id": number} for number, row in enumerate(rows, 1)]


def read(data: bytes) -> dict[str, list[dict[str, Any]] | None]:
    found = read_figures("file", data, PERSON).by_file_name
    return {name: image.figures for name, image in found.items()}


def figure(category: str = "person", x: float = 0.0) -> dict[str, Any]:
    return {
        "category": category,
        "xywh_px": [x, 0.0, 1.0, 1.0],
        "is_crowd": False,
        "keypoints_xyv": None,
        "score": None,
        "source_area_px2": None,
        "segmentation": None,
        "source_coco": None,
    }


def test_figures_by_the_name_of_the_file_and_none_where_nobody_is():
    person = {
        **figure(),
        "xywh_px": [0.0, 1.0, 2.0, 3.0],
        "source_coco": '{"absent":["iscrowd"],"fields":{"id":1}}',
    }
    dog = {**figure("dog"), "xywh_px": [5.0, 6.0, 7.5, 8.0]}
    assert read(coco()) == {"a.jpg": [person, dog], "b/c.jpg": []}


def test_a_file_of_nothing():
    assert read(b'{"categories": [], "images": [], "annotations": []}') == {}


@pytest.mark.parametrize(
    ("entry", "field", "value"),
    [
        pytest.param(box(iscrowd=1), "is_crowd", True, id="a crowd"),
        pytest.param(box(iscrowd=False), "is_crowd", False, id="PoPArt's way to say no crowd"),
        pytest.param(box(iscrowd=None), "is_crowd", False, id="a null crowd"),
        pytest.param(box(keypoints=KEYPOINTS), "keypoints_xyv", KEYPOINTS, id="keypoints"),
        pytest.param(box(keypoints=[1, 2, 2] * 14), "keypoints_xyv", None, id="14 keypoints: the box stays"),
        pytest.param(box(keypoints=[1, 2]), "keypoints_xyv", None, id="keypoints that are no threes"),
        pytest.param(box(keypoints=5), "keypoints_xyv", None, id="a number for keypoints"),
        pytest.param(box(keypoints=[[1, 2, 2]] * 17), "keypoints_xyv", None, id="a list for each keypoint"),
        pytest.param(box(keypoints=[math.nan] * 51), "keypoints_xyv", None, id="NaN for keypoints"),
        pytest.param(box(keypoints=[1, 2, 3] * 17), "keypoints_xyv", None, id="a visibility of 3"),
        pytest.param(
            box(keypoints=KEYPOINTS, num_keypoints=-5), "keypoints_xyv", KEYPOINTS, id="a wrong number of them"
        ),
        pytest.param(box(category_id=3, keypoints=KEYPOINTS), "keypoints_xyv", None, id="of a category without names"),
        pytest.param(box(keypoints=[]), "keypoints_xyv", None, id="an empty list of keypoints"),
        pytest.param(box(bbox=["1", 2, "3.5", 4]), "xywh_px", [1.0, 2.0, 3.5, 4.0], id="numbers as text"),
        pytest.param(box(score=0.5), "score", None, id="a score in a file of people's boxes is not one"),
        pytest.param(box(bbox=[-3, -3, 1, 1]), "xywh_px", [-3.0, -3.0, 1.0, 1.0], id="outside its image as drawn"),
    ],
)
def test_the_figure_of_an_annotation(entry: dict[str, Any], field: str, value: Any):
    (only,) = read(coco(annotations=[entry]))["a.jpg"] or [{}]
    assert only[field] == value


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(box(bbox=[0, 0, 5]), id="three numbers"),
        pytest.param(box(bbox=[0, 0, 5, math.inf]), id="infinity"),
        pytest.param(box(bbox=[0, 0, 5, 1e300]), id="beyond any picture"),
        pytest.param(box(bbox=None), id="null"),
        pytest.param(box(bbox=["a", 0, 1, 1]), id="a word"),
        pytest.param(box(bbox=[True, 0, 1, 1]), id="true is no number"),
        pytest.param(box(bbox="1234"), id="text of four digits"),
        pytest.param(box(iscrowd="0"), id="a crowd in text"),
        pytest.param(box(category_id=3, bbox=[]), id="of another category"),
    ],
)
def test_an_annotation_that_can_not_be_read_makes_its_own_image_unknown_and_no_other(entry: dict[str, Any]):
    got = read(coco(annotations=[box(), entry, box(image_id=2)]))
    assert got["a.jpg"] is None
    assert len(got["b/c.jpg"] or ()) == 1


@pytest.mark.parametrize(
    "bbox", [[0, 0, 0, 5], [0, 0, 5, 0], [9, 9, -2, -2], [0, 0, 5, math.nan], [math.nan] * 4], ids=repr
)
def test_a_flat_box_is_left_out_alone_and_comes_back_with_its_file(bbox: list[float]):
    flat = box(id=7, bbox=bbox)
    got = read_figures("file", coco(annotations=[box(), flat, box(image_id=2)]), PERSON)
    assert {name: len(image.figures or ()) for name, image in got.by_file_name.items()} == {"a.jpg": 1, "b/c.jpg": 1}
    assert list(got.details) == ["a.jpg"]
    assert got.details["a.jpg"].startswith("box left out, the others stay: expected a box")
    ((kind, count, (example,)),) = ((row.kind, row.count, row.examples) for row in got.left_out.annotations.kinds())
    assert (kind, count) == ("annotations whose box has no area, beside others that have", 1)
    assert example.startswith("a.jpg: expected a box")
    assert not any("area" in note for note in got.notes)  # what is counted is told once
    text = got.by_file_name["a.jpg"].source_coco
    [kept] = read_image(text or "").annotations
    assert kept["id"] == 7
    assert repr(kept["bbox"]) == repr(flat["bbox"])


def test_a_flat_box_and_keypoints_of_one_image_are_both_told():
    keypoints = box(keypoints=[1, 2, 9] * 17)
    annotations = [
        keypoints,
        box(id=2, bbox=[0, 0, 0, 5]),
        box(id=3, bbox=[0, 0, 5, "x"]),
        box(id=4, bbox=[0, 0, 7, 0]),
    ]
    detail = read_figures("file", coco(annotations=[keypoints, *annotations[1::2]]), PERSON).details["a.jpg"]
    first, second = detail.split("; keypoints left out: ")
    assert first == "box left out, the others stay: expected a box of positive width and height, got [0, 0, 0, 5]"
    assert second == "expected a visibility of 0, 1 or 2 for each point, got 9 (1)"
    unread = read_figures("file", coco(annotations=annotations), PERSON).details["a.jpg"]
    assert unread.startswith("annotation unreadable, so left out: ")


def test_annotation_ids_may_stand_twice_and_are_told():
    annotations = [box(id=5), box(id=5, bbox=[1, 1, 1, 1]), box(id=None), box(id=None), box(id=9)]
    got = read_figures("file", coco(annotations=annotations), PERSON)
    assert len(got.by_file_name["a.jpg"].figures or ()) == 5
    assert got.notes == ("file: several annotations have one id, and all are kept: 5",)


def test_what_is_no_coco_file_is_refused():
    with pytest.raises(BadInput, match=r"^file: expected JSON"):
        read(b"<annotation/>")


def test_one_id_for_two_images_is_refused():
    """Each would have had the figures of both."""
    images = [{"id": 1, "file_name": "a.jpg"}, {"id": 1, "file_name": "b.jpg"}]
    with pytest.raises(BadInput, match=r"expected each image id once, got 1 id \(1\) more than once"):
        read(coco(images=images))


def test_only_the_recipes_categories_are_kept_in_one_order_whatever_the_files():
    figures = [figure("person", 2), figure("dog", 0), figure("person", 1), figure("", 0)]
    got = figures_of_categories(figures, ("person", "cat"))
    assert got == figures_of_categories(figures[::-1], ("person", "cat"))
    assert sorted(entry["xywh_px"][0] for entry in got) == [1, 2]
    assert figures_of_categories(figures, ("Person",)) == []
    assert figures_of_categories([], ("person",)) == []


def test_two_boxes_that_are_equal_are_two_boxes():
    assert len(figures_of_categories([figure(), figure()], ("person",))) == 2


# --- what is left out, and told


CROWDPOSE = ["left_shoulder", "right_shoulder", "left_elbow", "right_elbow", "left_wrist", "right_wrist", "left_hip"]


def test_keypoints_of_another_scheme_are_left_out_and_told_for_each_image_and_for_the_file():
    categories = [
        {"id": 7, "name": "person", "keypoints": CROWDPOSE},
        {"id": 8, "name": "person", "keypoints": list(NAMES)},
        {"id": 3, "name": "dog", "keypoints": ["nose"]},
    ]
    annotations = [
        box(keypoints=[1, 2, 2] * 7),
        box(keypoints=[1, 2, 1] * 7, image_id=2),
        box(keypoints=[1, 2, 2] * 7, image_id=2),
        box(keypoints=KEYPOINTS, category_id=8, image_id=2),
        box(keypoints=[1, 2, 9] * 17, category_id=8, image_id=2),
        box(keypoints=[1, 2, 2], category_id=3, image_id=2),
        box(keypoints=[], image_id=2),
    ]
    got = read_figures("file", coco(categories=categories, annotations=numbered(*annotations)), PERSON)
    seven = "expected COCO's 17, got the 7 of category 'person' ('left_shoulder', 'right_shoulder', 'left_elbow', ...)"
    three = "expected a visibility of 0, 1 or 2 for each point, got 9"
    assert got.details == {
        "a.jpg": f"keypoints left out: {seven} (1)",
        "b/c.jpg": f"keypoints left out: {seven} (2); {three} (1)"[:200],
    }
    assert got.notes == (f"file: the keypoints of 4 figures are left out, their boxes stay: {seven} (3); {three} (1)",)
    image = got.by_file_name["b/c.jpg"]
    assert image is not None
    assert [figure["keypoints_xyv"] for figure in image.figures] == [None, None, KEYPOINTS, None, None, None]


def test_annotations_that_can_not_be_read_are_told():
    annotations = numbered(box(bbox=[0, 0, 0, 5]), box(bbox=None, image_id=2), box(bbox=[1, 2, 3], image_id=2))
    got = read_figures("file", coco(annotations=annotations), PERSON)
    assert {name: image.figures for name, image in got.by_file_name.items()} == {"a.jpg": None, "b/c.jpg": None}
    assert got.details == {
        "a.jpg": "annotation unreadable, so left out: expected a box of positive width and height, got [0, 0, 0, 5]",
        "b/c.jpg": "annotation unreadable, so left out: expected a box as [x, y, width, height] in px: expected a list "
        "of numbers, got None",
    }
    (row,) = got.left_out.annotations.kinds()
    assert (row.kind, row.count) == ("annotations that can't be read", 3)
    assert row.examples[0] == "a.jpg: expected a box of positive width and height, got [0, 0, 0, 5]"
    assert got.notes == ()


def test_categories_that_differ_in_case_alone_are_told():
    categories = [{"id": 1, "name": "Person"}, {"id": 2, "name": "dog"}, {"id": 3, "name": "Bird"}]
    data = coco(categories=categories, annotations=numbered(*(box(category_id=number) for number in (1, 2, 3))))
    assert read_figures("file", data, {**PERSON, "dog": None}).notes == (
        "file: boxes of 'Person' (1; the recipe has 'person') are left out, since case and blanks count",
    )
    assert read_figures("file", data, dict.fromkeys(("dog", "Bird"))).notes == ()


def test_a_file_that_can_be_read_whole_says_nothing():
    assert read_figures("file", coco(), PERSON)[1:3] == ({}, ())


@pytest.mark.parametrize(
    ("sides", "expected"),
    [
        pytest.param({}, (None, None), id="none"),
        pytest.param({"width": 640, "height": 480}, (640, 480), id="whole numbers"),
        pytest.param({"width": 640.0, "height": "480"}, (640, None), id="text is none"),
        pytest.param({"width": 0, "height": -480}, (None, None), id="nothing, as some tools write it"),
        pytest.param({"width": 640.5, "height": True}, (None, None), id="no whole number"),
        pytest.param({"width": 1e300, "height": 2**40}, (None, 2**31 - 1), id="huge"),
        pytest.param({"width": None, "height": [480]}, (None, None), id="null and a list"),
    ],
)
def test_the_size_of_an_image_as_its_file_says_it(sides, expected):
    data = coco(images=[{"id": 1, "file_name": "a.jpg", **sides}, {"id": 2, "file_name": "b.jpg"}])
    image = read_figures("file", data, PERSON).by_file_name["a.jpg"]
    assert image is not None
    assert image.size_px == expected
