"""Boxes that people drew: PASCAL VOC's corners, COCO's lists, and files that are neither."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tasks.core.scrape.annotations import BadAnnotation

from tasks.core.scrape import annotations


def voc(*objects: str, head: str = "", root: str = "annotation") -> bytes:
    return f"{head}<{root}><filename>a.jpg</filename>{''.join(objects)}</{root}>".encode()


def thing(*corners: object, name: str = "<name>person</name>") -> str:
    sides = zip(("xmin", "ymin", "xmax", "ymax"), corners, strict=False)
    return f"<object>{name}<bndbox>{''.join(f'<{side}>{value}</{side}>' for side, value in sides)}</bndbox></object>"


def boxes(data: bytes) -> list[list[float]]:
    return [figure["xywh_px"] for figure in annotations.figures_of_voc(data)]


# --- PASCAL VOC


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(voc(), [], id="nobody"),
        pytest.param(voc(thing(1, 1, 1, 1)), [[0, 0, 1, 1]], id="one pixel: corners count from 1, and both are inside"),
        pytest.param(voc(thing(1, 3, 10, 4)), [[0, 2, 10, 2]], id="a box"),
        pytest.param(voc(thing(0, 0, 5, 5)), [[-1, -1, 6, 6]], id="corners that count from 0 stay as the file says"),
        pytest.param(voc(thing("1.5", "2.25", "10.5", "4.25")), [[0.5, 1.25, 10, 3]], id="fractions"),
        pytest.param(
            voc(thing(" 1 ", "\n3", "1e1", "+4")), [[0, 2, 10, 2]], id="numbers with blanks, exponents and signs"
        ),
        pytest.param(
            voc(thing(1, 1, 2, 2), thing(5, 5, 6, 6)), [[0, 0, 2, 2], [4, 4, 2, 2]], id="two in the order of the file"
        ),
        pytest.param(voc(thing(1, 1, 2, 2) + "<part><bndbox/></part>"), [[0, 0, 2, 2]], id="what is no object is left"),
        pytest.param(
            voc(thing(1, 1, 2, 2), head='<?xml version="1.0" encoding="utf-8"?>'),
            [[0, 0, 2, 2]],
            id="with a declaration",
        ),
        pytest.param(
            voc(thing(1, 1, 2, 2), head="<!-- no <!DOCTYPE> here -->"),
            [[0, 0, 2, 2]],
            id="a comment that speaks of a DTD",
        ),
        pytest.param(b"\xef\xbb\xbf" + voc(thing(1, 1, 2, 2)), [[0, 0, 2, 2]], id="with a byte order mark"),
        pytest.param(voc(thing(1, 1, 2, 2)).decode().encode("utf-16"), [[0, 0, 2, 2]], id="in UTF-16"),
    ],
)
def test_boxes_of_voc(data: bytes, expected: list[list[float]]):
    assert boxes(data) == expected


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(b"", "no XML", id="no bytes"),
        pytest.param(b"{}", "no XML", id="JSON"),
        pytest.param(b"\x89PNG", "no XML", id="an image"),
        pytest.param(voc(thing(1, 1, 2, 2))[:-9], "no XML", id="cut off"),
        pytest.param(
            b'<?xml version="1.0" encoding="klingon"?><annotation/>', "no XML", id="an encoding that nobody knows"
        ),
        pytest.param(
            b'<?xml version="1.0" encoding="gbk"?><annotation/>', "no XML", id="an encoding that the parser can't read"
        ),
        pytest.param(voc(head="<!DOCTYPE annotation>"), "DTD", id="a DTD"),
        pytest.param(
            voc(thing("&a;", 1, 2, 2), head='<!DOCTYPE x [<!ENTITY a "1">]>'), "DTD", id="a DTD with an entity"
        ),
        pytest.param(
            voc(thing("&a;", 1, 2, 2), head='<!DOCTYPE x [<!ENTITY a "1">]>').decode().encode("utf-16"),
            "DTD",
            id="a DTD in UTF-16",
        ),
        pytest.param(
            voc(thing("&a;", 1, 2, 2), head='<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'),
            "DTD",
            id="a DTD that reads a file",
        ),
        pytest.param(voc(thing(2, 1, 1, 2)), "positive width and height", id="no width"),
        pytest.param(voc(thing(1, 2, 2, 1)), "positive width and height", id="no height"),
        pytest.param(voc(thing(9, 9, 1, 1)), "positive width and height", id="inside out"),
        pytest.param(voc(thing(1, 1, 2)), "positive width and height", id="three corners"),
        pytest.param(voc("<object><name>person</name></object>"), "positive width and height", id="no box"),
        pytest.param(voc(thing(1, 1, 2, "")), "positive width and height", id="an empty corner"),
        pytest.param(voc(thing(1, 1, 2, "two")), "no number", id="a corner in words"),
        pytest.param(voc(thing(1, 1, 2, "inf")), "positive width and height", id="a corner without end"),
        pytest.param(voc(thing(1, 1, 2, "nan")), "positive width and height", id="a corner that is no number"),
        pytest.param(
            voc(thing(1, 1, 2, 2), thing(2, 1, 1, 1)), "positive width and height", id="one of two boxes is none"
        ),
    ],
)
def test_a_file_that_is_no_voc_says_what_it_is(data: bytes, said: str):
    with pytest.raises(BadAnnotation, match=said):
        annotations.figures_of_voc(data)


@pytest.mark.parametrize(
    ("name", "category"),
    [
        pytest.param("<name> person </name>", "person", id="blanks around it"),
        pytest.param("<name/>", "", id="empty"),
        pytest.param("", "", id="missing"),
        pytest.param("<name>Käthe &amp; co</name>", "Käthe & co", id="letters and signs"),
    ],
)
def test_the_name_of_a_voc_object(name: str, category: str):
    (figure,) = annotations.figures_of_voc(voc(thing(1, 1, 2, 2, name=name)))
    assert figure == {
        "category": category,
        "xywh_px": [0, 0, 2, 2],
        "is_crowd": False,
        "keypoints_xyv": None,
        "score": None,
    }


@given(st.integers(1, 500), st.integers(1, 500), st.integers(1, 500), st.integers(1, 500))
def test_a_voc_box_covers_as_many_pixels_as_its_corners_name(x: int, y: int, w: int, h: int):
    assert boxes(voc(thing(x, y, x + w - 1, y + h - 1))) == [[x - 1, y - 1, w, h]]


# --- COCO


def coco(**changes: Any) -> bytes:
    document = {
        "categories": [{"id": 7, "name": "person"}, {"id": 3, "name": "dog"}],
        "images": [{"id": 1, "file_name": "a.jpg"}, {"id": 2, "file_name": "b/c.jpg"}],
        "annotations": [box(), box(category_id=3, bbox=[5, 6, 7.5, 8])],
    }
    return json.dumps({**document, **changes}).encode()


def box(**said: Any) -> dict[str, Any]:
    return {"id": 1, "image_id": 1, "category_id": 7, "bbox": [0, 1, 2, 3], **said}


def of_a(*entries: dict[str, Any]) -> list[dict[str, Any]] | None:
    return annotations.figures_of_coco(coco(annotations=list(entries)))["a.jpg"]


def test_figures_by_the_name_of_the_file_and_none_where_nobody_is():
    person = {
        "category": "person",
        "xywh_px": [0.0, 1.0, 2.0, 3.0],
        "is_crowd": False,
        "keypoints_xyv": None,
        "score": None,
    }
    dog = {**person, "category": "dog", "xywh_px": [5.0, 6.0, 7.5, 8.0]}
    assert annotations.figures_of_coco(coco()) == {"a.jpg": [person, dog], "b/c.jpg": []}


def test_a_file_of_nothing():
    assert annotations.figures_of_coco(b'{"categories": [], "images": [], "annotations": []}') == {}
    assert annotations.figures_of_coco(b"\xef\xbb\xbf" + coco(images=[], annotations=[])) == {}


@pytest.mark.parametrize(
    ("entry", "field", "value"),
    [
        pytest.param(box(iscrowd=1), "is_crowd", True, id="a crowd"),
        pytest.param(box(iscrowd=False), "is_crowd", False, id="PoPArt's way to say no crowd"),
        pytest.param(box(iscrowd=None), "is_crowd", False, id="a null crowd"),
        pytest.param(
            box(keypoints=[1, 2, 2, 0, 0, 0]), "keypoints_xyv", [1.0, 2.0, 2.0, 0.0, 0.0, 0.0], id="keypoints"
        ),
        pytest.param(box(keypoints=[]), "keypoints_xyv", None, id="an empty list of keypoints"),
        pytest.param(box(keypoints=None), "keypoints_xyv", None, id="null keypoints"),
        pytest.param(box(bbox=["1", 2, "3.5", 4]), "xywh_px", [1.0, 2.0, 3.5, 4.0], id="numbers as text"),
        pytest.param(box(score=0.5), "score", None, id="a score in a file of people's boxes is not one"),
        pytest.param(
            box(bbox=[-3, -3, 1, 1]), "xywh_px", [-3.0, -3.0, 1.0, 1.0], id="a box outside the image stays as drawn"
        ),
    ],
)
def test_what_a_coco_annotation_says(entry: dict[str, Any], field: str, value: Any):
    (figure,) = of_a(entry) or [{}]
    assert figure[field] == value


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(box(bbox=[0, 0, 0, 5]), id="no width"),
        pytest.param(box(bbox=[0, 0, 5, -1]), id="a height below 0"),
        pytest.param(box(bbox=[0, 0, 5]), id="three numbers"),
        pytest.param(box(bbox=[0, 0, 5, 5, 5]), id="five numbers"),
        pytest.param(box(bbox=[0, 0, 5, math.nan]), id="NaN"),
        pytest.param(box(bbox=[0, 0, math.inf, 5]), id="infinity"),
        pytest.param(box(keypoints=[1, 2]), id="keypoints that are no threes"),
        pytest.param(box(keypoints=[1, 2, math.nan]), id="a keypoint that is no number"),
    ],
)
def test_an_unreadable_box_makes_its_own_image_unknown_and_no_other(entry: dict[str, Any]):
    got = annotations.figures_of_coco(coco(annotations=[box(), entry, box(image_id=2)]))
    assert got["a.jpg"] is None
    assert got["b/c.jpg"] is not None
    assert len(got["b/c.jpg"]) == 1


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="no bytes"),
        pytest.param(b"<annotation/>", id="XML"),
        pytest.param(b"\xff\xfe\x00", id="no text"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b"null", id="null"),
        pytest.param(b'{"images": [], "annotations": []}', id="no categories"),
        pytest.param(coco(images=None), id="null for the images"),
        pytest.param(coco(images=["a.jpg"]), id="images that are text"),
        pytest.param(coco(annotations=[7]), id="annotations that are numbers"),
        pytest.param(coco(annotations=[box(image_id=9)]), id="an image that is not listed"),
        pytest.param(coco(annotations=[box(category_id=9)]), id="a category that is not listed"),
        pytest.param(coco(annotations=[{"image_id": 1, "category_id": 7}]), id="no box at all"),
        pytest.param(coco(annotations=[box(bbox=None)]), id="a null box"),
        pytest.param(coco(annotations=[box(bbox=["a", 0, 1, 1])]), id="a box of words"),
        pytest.param(coco(annotations=[box(bbox=[10**400, 0, 1, 1])]), id="a number that no fraction holds"),
        pytest.param(coco(annotations=[box(keypoints=5)]), id="a number for keypoints"),
        pytest.param(b"[" * 100_000, id="brackets deeper than the parser goes"),
    ],
)
def test_json_of_another_shape_is_no_coco_file(data: bytes):
    with pytest.raises(BadAnnotation, match=r"^no COCO file: ") as caught:
        annotations.figures_of_coco(data)
    assert len(str(caught.value)) <= 200


# --- the recipe's categories


def figure(category: str, x: float) -> dict[str, Any]:
    return {
        "category": category,
        "xywh_px": [x, 0.0, 1.0, 1.0],
        "is_crowd": False,
        "keypoints_xyv": None,
        "score": None,
    }


def test_only_the_recipes_categories_are_kept_in_one_order_whatever_the_files():
    figures = [figure("person", 2), figure("dog", 0), figure("person", 1), figure("", 0)]
    got = annotations.known(figures, ("person", "cat"))
    assert got == annotations.known(figures[::-1], ("person", "cat"))
    assert sorted(entry["xywh_px"][0] for entry in got) == [1, 2]
    assert annotations.known(figures, ("Person",)) == []
    assert annotations.known([], ("person",)) == []


def test_two_boxes_that_are_equal_are_two_boxes():
    assert len(annotations.known([figure("person", 1), figure("person", 1)], ("person",))) == 2


def test_a_well_formed_page_that_is_no_voc_file_says_nothing_about_figures():
    with pytest.raises(BadAnnotation, match="no VOC file: its root is <html>, expected <annotation>"):
        annotations.figures_of_voc(b"<html><body>not found</body></html>")
