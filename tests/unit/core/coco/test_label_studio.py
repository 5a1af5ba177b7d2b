"""Label Studio's JSON, written by hand in the tool's form: regions, tasks that nobody did, and several people."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.core.coco.source import FileFigures, read_figures
from tests.support.keypoints import COCO_17

PERSON = {"person": COCO_17}
FULL = {"original_width": 200, "original_height": 100, "image_rotation": 0}
Row = dict[str, Any]


def read(*tasks: Any) -> FileFigures:
    return read_figures("file", json.dumps([*tasks]).encode(), PERSON, "label_studio")


def task(*annotations: Row, image: str = "/data/upload/3/0a1b2c3d-a.jpg") -> Row:
    return {"id": 9, "data": {"image": image}, "annotations": [*annotations], "predictions": [{"result": [region()]}]}


def made(*results: Row, **more: Any) -> Row:
    return {"id": 1, "result": [*results], "was_cancelled": False, **more}


def region(number: str = "r1", kind: str = "rectanglelabels", label: str = "person", **value: Any) -> Row:
    where = {"x": 10, "y": 20, "width": 25, "height": 50, "rotation": 0, **value}
    return {"id": number, "type": kind, "value": {**where, kind: [label]}, **FULL}


def figures(*results: Row) -> list[Row]:
    found = read(task(made(*results))).by_file_name["a.jpg"].figures
    assert found is not None
    return found


def test_a_rectangle_is_in_per_cent_of_the_pictures_sides():
    (one,) = figures(region())
    assert one["xywh_px"] == [20, 20, 50, 50]
    assert read(task(made(region()))).by_file_name["a.jpg"].size_px == (200, 100)


def test_a_rectangle_and_its_label_in_two_parts_are_one():
    parts = [
        {"id": "r", "type": "rectangle", "value": {"x": 0, "y": 0, "width": 10, "height": 10}, **FULL},
        {"id": "r", "type": "labels", "value": {"x": 0, "labels": ["person"]}, **FULL},
    ]
    (one,) = figures(*parts)
    assert (one["category"], one["xywh_px"]) == ("person", [0, 0, 20, 10])


def test_a_turned_rectangle_turns_about_its_upper_left_corner():
    (one,) = figures(region(x=50, y=50, width=10, height=10, rotation=90))
    assert one["xywh_px"] == pytest.approx([90, 50, 10, 20])


def test_a_polygon_and_an_ellipse():
    points = [[0, 0], [10, 0], [10, 20]]
    polygon = {"id": "p", "type": "polygonlabels", "value": {"points": points, "polygonlabels": ["person"]}, **FULL}
    oval = {"x": 50, "y": 50, "radiusX": 10, "radiusY": 20, "ellipselabels": ["person"]}
    ellipse = {"id": "e", "type": "ellipselabels", "value": oval, **FULL}
    first, second = figures(polygon, ellipse)
    assert (first["xywh_px"], second["xywh_px"]) == ([0, 0, 20, 20], [80, 30, 40, 40])
    assert first["segmentation"] == "[[0.0,0.0,20.0,0.0,20.0,20.0]]"


def test_key_points_are_those_of_their_region():
    nose = {"id": "k", "type": "keypointlabels", "parentID": "r1", **FULL}
    nose["value"] = {"x": 10, "y": 30, "width": 0.5, "keypointlabels": ["nose"]}
    (one,) = figures(nose, region(), {"type": "relation", "from_id": "k", "to_id": "r1"})
    assert one["keypoints_xyv"][:3] == [20, 30, 2]
    assert not any(one["keypoints_xyv"][3:])


def test_a_region_without_a_box_of_another_label_is_left_out_and_counted():
    found = read(task(made(region("other"), region(kind="brushlabels", label="sky"))))
    assert len(found.by_file_name["a.jpg"].figures or ()) == 1
    assert found.left_out.annotations.total == 1


def test_key_points_of_no_region_and_twice_in_one_are_counted():
    nose = {"type": "keypointlabels", "parentID": "r1", **FULL}
    value = {"x": 10, "y": 30, "keypointlabels": ["nose"]}
    points = [{**nose, "id": "a", "value": value}, {**nose, "id": "b", "value": {**value, "x": 20}}]
    lost = {**nose, "id": "c", "parentID": "gone", "value": value}
    found = read(task(made(region(), *points, lost)))
    (one,) = found.by_file_name["a.jpg"].figures or ()
    assert one["keypoints_xyv"][:3] == [20, 30, 2]
    assert found.left_out.annotations.total == 2


def test_where_people_disagree_whether_there_is_anybody_nobody_knows():
    found = read(task(made(region()), made()))
    assert found.by_file_name["a.jpg"].figures is None
    assert found.left_out.annotations.total == 1


def test_what_is_of_the_whole_image_is_no_figure():
    assert figures({"id": "c", "type": "choices", "value": {"choices": ["portrait"]}}) == []


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param({**region(), "image_rotation": 90}, id="turned in the tool"),
        pytest.param({**region(), "type": "brushlabels"}, id="strokes"),
        pytest.param({**region(), "original_width": None}, id="no size"),
        pytest.param(region(x="?"), id="no number"),
        pytest.param(region(kind="rectangle"), id="no label"),
        pytest.param(region(kind="keypointlabels"), id="a point alone"),
        pytest.param({**region(), "value": 7}, id="no value"),
    ],
)
def test_of_an_image_with_a_region_that_says_not_where_nobody_knows_what_is_in_it(odd: Row):
    found = read(task(made(region("other"), odd)))
    assert found.by_file_name["a.jpg"].figures is None
    assert found.left_out.annotations.total == 2  # with the good one of the same image


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        pytest.param([], None, id="nobody"),
        pytest.param([made(region(), was_cancelled=True)], None, id="skipped"),
        pytest.param([made()], 0, id="looked at, and nobody there"),
        pytest.param([made(region(), was_cancelled=True), made(region())], 1, id="skipped by one"),
        pytest.param([made(region(), region("r2")), made(region())], 1, id="the last of two"),
        pytest.param([made(region(), region("r2"), ground_truth=True), made(region())], 2, id="the ground truth"),
    ],
)
def test_which_annotation_counts(annotations: list[Row], expected: int | None):
    found = read(task(*annotations))
    drawn = found.by_file_name["a.jpg"].figures
    assert (None if drawn is None else len(drawn)) == expected
    others = len([each for each in annotations if not each["was_cancelled"]]) - 1
    assert (found.left_out.annotations.total > 0) == (others > 0)


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("/data/upload/3/0a1b2c3d-my%20work.jpg", "my work.jpg"),
        ("/data/upload/0a1b2c3d-a.jpg", "a.jpg"),
        ("/data/upload/3/plain.jpg", "plain.jpg"),
        ("/data/local-files/?d=works/a%20b.jpg", "works/a b.jpg"),
        ("https://a.example/works/1.jpg", "https://a.example/works/1.jpg"),
        ("http://localhost:8080/data/upload/3/0a1b2c3d-a.jpg", "a.jpg"),
        ("http://localhost:8080/data/local-files/?d=works/a.jpg", "works/a.jpg"),
        ("works/1.jpg", "works/1.jpg"),
    ],
)
def test_the_name_of_an_images_file(image: str, expected: str):
    assert read(task(made(region()), image=image)).by_file_name.keys() == {expected}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"n": 1}, None),
        ({"title": "Mona Lisa", "img": "/data/upload/1/0a1b2c3d-a.jpg"}, "a.jpg"),
        ({"caption": "x", "picture": "s3://bucket/b.jpg"}, "s3://bucket/b.jpg"),
        ({"one": "a.jpg", "two": "b.jpg"}, None),
        ({"title": "x"}, None),
        ({"image": ["a.jpg", "b.jpg"], "title": "c.jpg"}, None),
    ],
)
def test_the_image_is_the_field_of_that_name_or_the_one_place_of_a_picture(data: Row, expected: str | None):
    found = read({"id": 4, "data": data, "annotations": [made(region())]}, task(made(region())))
    assert found.by_file_name.keys() == {expected or "a.jpg", "a.jpg"}
    assert found.left_out.images.total == (expected is None) + (expected == "a.jpg")


@pytest.mark.parametrize(
    "data", [b"{}", b"[7]", b'[{"image": "a.jpg", "label": []}]', b'[{"data": {}, "annotations": 1}]']
)
def test_anything_but_a_list_of_tasks_is_one_sentence(data: bytes):
    with pytest.raises(BadInput, match=r"^file: expected Label Studio's JSON, a list of tasks"):
        read_figures("file", data, PERSON, "label_studio")


odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", "person", "x", "1e999", 10**400]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["x", "y", "width", "points", "labels", "rotation", "id"]), inner, max_size=4)
    ),
    max_leaves=6,
)
KEYS = ("id", "type", "value", "original_width", "original_height", "image_rotation", "parentID")
odd_region = st.dictionaries(st.sampled_from(KEYS), odd, max_size=7)
kinds = st.sampled_from(["rectanglelabels", "polygonlabels", "ellipselabels", "keypointlabels", "choices"])


@given(st.lists(st.tuples(odd_region, kinds, odd), max_size=4))
def test_whatever_stands_in_a_region_is_read_or_told(parts: list[Any]):
    results = [{**region(), **changes, "type": kind} for changes, kind, _ in parts]
    results += [{**region(), "value": value} for *_, value in parts]
    found = read(task(made(*results)), task(made(region()), image="good.jpg"))
    assert len(found.by_file_name["good.jpg"].figures or ()) == 1
