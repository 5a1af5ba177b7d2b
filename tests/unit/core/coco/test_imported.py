"""Detections of another program: which image is which, and the two files together."""

import contextlib
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.core.coco.imported import ImportedDetections, check_schemes, import_detections
from tests.support.keypoints import ANIMAL_20, COCO_17, NAMES

A, B = "a" * 64, "b" * 64
DOCUMENT: dict[str, Any] = {
    "images": [
        {"id": 1, "file_name": "Cubism/one.jpg", "metadata": {"sha256": A}},
        {"id": 2, "file_name": "Cubism/two.jpg"},
        {"id": 3, "file_name": "Fauvism/three.jpg"},
    ],
    "categories": [{"id": 1, "name": "person"}, {"id": 18, "name": "dog"}],
}
BOX: dict[str, Any] = {"image_id": 1, "category_id": 1, "bbox": [10, 20, 30.5, 40], "score": 0.5}


def imported(document: Any = DOCUMENT, rows: Any = (BOX,), classes: tuple[int, ...] = (1,)) -> ImportedDetections:
    return import_detections(json.dumps(document).encode(), json.dumps(rows).encode(), classes)


def listed(*images: dict[str, Any]) -> dict[str, Any]:
    return {"images": list(images)}


# --- which image is which


@pytest.mark.parametrize(
    ("sha256", "names", "bases", "expected"),
    [
        pytest.param(A, [], [], 1, id="by its bytes"),
        pytest.param(A, ["Cubism/two.jpg"], [], 1, id="its bytes say more than its name"),
        pytest.param(B, ["Cubism/two.jpg"], ["two.jpg"], 2, id="by its name"),
        pytest.param(B, ["else/two.jpg"], ["two.jpg"], 2, id="by the last part of its name"),
        pytest.param(B, ["else/two.jpg"], [], None, id="unless another record ends in it"),
        pytest.param(B, ["Cubism/one.jpg"], ["one.jpg"], None, id="a file that has other bytes now"),
        pytest.param(B, ["four.jpg"], ["four.jpg"], None, id="not listed"),
        pytest.param(B, ["Fauvism/three.jpg", "Cubism/two.jpg"], [], 2, id="of two records the first image"),
        pytest.param(B, [], [], None, id="no name"),
    ],
)
def test_a_blob_is_a_listed_image(sha256: str, names: list[str], bases: list[str], expected: int | None):
    assert imported().find_image(sha256, names, bases) == expected


def test_a_last_part_that_two_listed_images_share_says_nothing():
    document = listed({"id": 1, "file_name": "a/x.jpg"}, {"id": 2, "file_name": "b/x.jpg"})
    found = imported(document)
    assert found.find_image(B, ["c/x.jpg"], ["x.jpg"]) is None
    assert found.find_image(B, ["b/x.jpg"], ["x.jpg"]) == 2


@pytest.mark.parametrize(
    "place", [{"metadata": {"sha256": A.upper()}}, {"sha256": A}, {"metadata": None, "sha256": A}], ids=str
)
def test_a_digest_may_stand_in_two_places(place: dict[str, Any]):
    assert imported(listed({"id": 1, **place})).find_image(A, [], []) == 1


# --- boxes


def test_boxes_are_those_of_the_classes_asked_for_in_the_files_order():
    rows = [
        {**BOX, "image_id": 2, "score": 0.1},
        BOX,
        {**BOX, "category_id": 18},
        {**BOX, "score": 0.9, "bbox": [0, 0, 1, 1]},
    ]
    found = imported(rows=rows).boxes_of(1)
    assert found.xyxy_px.tolist() == [[10, 20, 40.5, 60], [0, 0, 1, 1]]
    assert found.scores == pytest.approx(np.array([0.5, 0.9]))
    assert found.labels.tolist() == [1, 1]
    assert all(np.isnan(points).all() for points in found.keypoints_xyv)
    both = imported(rows=rows, classes=(1, 18)).boxes_of(1)
    assert both.labels.tolist() == [1, 18, 1]


def test_a_listed_image_of_which_the_results_say_nothing_has_nothing():
    found = imported().boxes_of(3)
    assert [column.shape for column in found] == [(0, 4), (0,), (0,), (0,)]


def test_no_results_at_all_are_results():
    assert imported(rows=[]).boxes_of(1).scores.tolist() == []


def test_keypoints_are_taken_where_there_are_any():
    keypoints = [5, 6, 2] + [0, 0, 0] * 16
    found = imported(rows=[{**BOX, "keypoints": keypoints}, {**BOX, "keypoints": None}]).boxes_of(1)
    assert found.keypoints_xyv[0].reshape(-1).tolist() == keypoints
    assert np.isnan(found.keypoints_xyv[1]).all()


@pytest.mark.parametrize(
    ("names", "keypoints", "message"),
    [
        pytest.param(None, [1, 2, 2] * 17, None, id="a document that names no keypoints: 17 are COCO's"),
        pytest.param(NAMES, [1, 2, 1] * 17, None, id="labelled, but hidden"),
        pytest.param(
            NAMES,
            [1, 2, 0.7] * 17,
            "results: expected a visibility of 0, 1 or 2 for each keypoint, got 0.7",
            id="a confidence",
        ),
        pytest.param(
            ["nose"],
            [1, 2, 2] * 17,
            "results: keypoints: expected COCO's 17, got the 1 of category",
            id="of another scheme",
        ),
        pytest.param([*NAMES[1:], "tail"], [1, 2, 2] * 17, "got the 17 of category '1' ('left_eye'", id="of an animal"),
        pytest.param(["nose"], None, None, id="another scheme, and no keypoints"),
        pytest.param(None, [1, 2, 2] * 20, "results: keypoints: expected COCO's 17 of category 1, got 20", id="20"),
    ],
)
def test_keypoints_that_a_release_can_not_hold_are_refused(names: Any, keypoints: Any, message: str | None):
    document = {**DOCUMENT, "categories": [{"id": 1, "name": "person", "keypoints": names}]}
    rows = [BOX, {**BOX, "keypoints": keypoints}]
    if message is None:
        found = imported(document, rows)
        assert len(found.boxes_of(1).scores) == 2
        check_schemes(found, {1: COCO_17})
        return
    with pytest.raises(BadInput) as caught:
        check_schemes(imported(document, rows), {1: COCO_17})
    assert message in str(caught.value)


def test_each_class_has_the_keypoints_of_its_category():
    rows = [{**BOX, "keypoints": [5, 6, 2] * 17}, {**BOX, "category_id": 18, "keypoints": [7, 8, 2] * 20}, BOX]
    categories = [{"id": 1, "name": "person"}, {"id": 18, "name": "dog", "keypoints": ANIMAL_20.joints}]
    found = imported({**DOCUMENT, "categories": categories}, rows, classes=(1, 18))
    assert [points.shape for points in found.boxes_of(1).keypoints_xyv] == [(17, 3), (20, 3), (1, 3)]
    check_schemes(found, {1: COCO_17, 18: ANIMAL_20})
    for schemes, message in (
        ({1: ANIMAL_20, 18: ANIMAL_20}, "expected the 20 of animal-20 of category 1, got 17"),
        ({1: COCO_17, 18: None}, "expected no keypoints of category 18, which has none in the recipe"),
    ):
        with pytest.raises(BadInput) as caught:
            check_schemes(found, schemes)
        assert message in str(caught.value)


def test_confidences_of_a_class_that_nobody_asks_for_are_no_matter():
    rows = [BOX, {**BOX, "category_id": 18, "keypoints": [1, 2, 0.7] * 17}]
    assert len(imported(rows=rows).boxes_of(1).scores) == 1


def test_an_empty_box_is_left_out():
    found = imported(rows=[BOX, {**BOX, "bbox": [1, 2, 0, 5]}]).boxes_of(1)
    assert found.xyxy_px.tolist() == [[10, 20, 40.5, 60]]


def test_ids_may_be_text():
    document = listed({"id": "a", "file_name": "x.jpg"}, {"id": 2, "file_name": "y.jpg"})
    found = imported(document, [{**BOX, "image_id": "a"}, {**BOX, "image_id": 2}])
    assert found.find_image(B, ["x.jpg"], []) == "a"
    assert len(found.boxes_of("a").scores) == len(found.boxes_of(2).scores) == 1


# --- files that are none


def test_results_of_an_image_that_is_not_listed_are_refused():
    with pytest.raises(BadInput, match="results: expected ids of images that are listed, got 4"):
        imported(rows=[BOX, {**BOX, "image_id": 4}])


@pytest.mark.parametrize(
    ("document", "message"),
    [
        pytest.param([], "images: expected a COCO file, an object, got list", id="a list"),
        pytest.param({}, "images: expected a COCO file, got no list of objects under 'images'", id="an empty object"),
        pytest.param({"images": ["x"]}, "got no list of objects under 'images'", id="names alone"),
        pytest.param(listed({"file_name": "x"}), "images: images[0].id: expected a whole number or text", id="no id"),
        pytest.param(
            listed({"id": 1}, {"id": 1}), "expected each image id once, got 1 id (1) more than once", id="an id twice"
        ),
        pytest.param(
            {**DOCUMENT, "categories": [{"id": 18, "name": "dog"}]},
            "expected a category of id 1, got [18]",
            id="no person",
        ),
    ],
)
def test_what_is_no_coco_file_is_refused_in_one_sentence(document: Any, message: str):
    with pytest.raises(BadInput) as caught:
        imported(document)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"\xff\xfe\x00", b"[" * 200_000, b"no json"], ids=lambda data: repr(data[:8])
)
@pytest.mark.parametrize("which", ["images", "results"])
def test_what_is_no_json_is_told_in_a_sentence(which: str, data: bytes):
    given = {"images": json.dumps(DOCUMENT).encode(), "results": b"[]", which: data}
    with pytest.raises(BadInput, match=f"{which}: expected JSON, got something else"):
        import_detections(given["images"], given["results"], (1,))


words = st.sampled_from([*BOX, "keypoints", "id", "images", "file_name", "sha256"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=5),
    max_leaves=12,
)


@given(json_values, json_values)
def test_no_json_ends_in_anything_but_a_sentence(document: Any, rows: Any):
    row = {**BOX, **rows} if isinstance(rows, dict) else rows
    for pair in ((document, rows), (DOCUMENT, rows), (document, []), (DOCUMENT, [row])):
        with contextlib.suppress(BadInput):
            imported(*pair)
