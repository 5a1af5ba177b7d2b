"""What another program has found: which image is which, and every way in which a file can be none."""

import contextlib
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.core.coco import results

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


def elsewhere(document: Any = DOCUMENT, rows: Any = (BOX,), classes: tuple[int, ...] = (1,)) -> results.Elsewhere:
    return results.elsewhere(json.dumps(document).encode(), json.dumps(rows).encode(), classes)


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
    assert elsewhere().image_id(sha256, names, bases) == expected


def test_a_last_part_that_two_listed_images_share_says_nothing():
    document = listed({"id": 1, "file_name": "a/x.jpg"}, {"id": 2, "file_name": "b/x.jpg"})
    found = elsewhere(document)
    assert found.image_id(B, ["c/x.jpg"], ["x.jpg"]) is None
    assert found.image_id(B, ["b/x.jpg"], ["x.jpg"]) == 2


@pytest.mark.parametrize(
    "place", [{"metadata": {"sha256": A.upper()}}, {"sha256": A}, {"metadata": None, "sha256": A}], ids=str
)
def test_a_digest_may_stand_in_two_places(place: dict[str, Any]):
    assert elsewhere(listed({"id": 1, **place})).image_id(A, [], []) == 1


# --- boxes


def test_boxes_are_those_of_the_classes_asked_for_in_the_files_order():
    rows = [
        {**BOX, "image_id": 2, "score": 0.1},
        BOX,
        {**BOX, "category_id": 18},
        {**BOX, "score": 0.9, "bbox": [0, 0, 1, 1]},
    ]
    found = elsewhere(rows=rows).found(1)
    assert found.xyxy_px.tolist() == [[10, 20, 40.5, 60], [0, 0, 1, 1]]
    assert found.scores == pytest.approx(np.array([0.5, 0.9]))
    assert found.labels.tolist() == [1, 1]
    assert np.isnan(found.keypoints_xyv).all()
    both = elsewhere(rows=rows, classes=(1, 18)).found(1)
    assert both.labels.tolist() == [1, 18, 1]


def test_a_listed_image_of_which_the_results_say_nothing_has_nothing():
    found = elsewhere().found(3)
    assert [column.shape for column in found] == [(0, 4), (0,), (0,), (0, 17, 3)]


def test_no_results_at_all_are_results():
    assert elsewhere(rows=[]).found(1).scores.tolist() == []


def test_keypoints_are_taken_where_there_are_any():
    keypoints = [5, 6, 2] + [0, 0, 0] * 16
    found = elsewhere(rows=[{**BOX, "keypoints": keypoints}, {**BOX, "keypoints": None}]).found(1)
    assert found.keypoints_xyv[0].reshape(-1).tolist() == keypoints
    assert np.isnan(found.keypoints_xyv[1]).all()


# --- files that are none


def bad(changes: dict[str, Any]) -> list[dict[str, Any]]:
    return [BOX, {**BOX, **changes}]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        pytest.param({"a": 1}, "results: expected a list of boxes, got dict", id="a whole COCO file"),
        pytest.param([7], r"results\[0\]: expected an object with image_id", id="a number"),
        pytest.param([{}], r"results\[0\]: expected image_id to be a whole number, got 'None'", id="nothing said"),
        pytest.param(bad({"image_id": True}), r"results\[1\]: expected image_id", id="true is no id"),
        pytest.param(bad({"image_id": "1"}), "expected image_id", id="an id in text"),
        pytest.param(bad({"image_id": 1.5}), "expected image_id", id="an id and a half"),
        pytest.param(bad({"image_id": 10**30}), "expected image_id", id="an id beyond all numbers"),
        pytest.param(
            bad({"image_id": 4}), "expected the id of a listed image, got 4", id="an image that is not listed"
        ),
        pytest.param(bad({"category_id": None}), "expected category_id", id="no category"),
        pytest.param(bad({"bbox": [1, 2, 3]}), "expected bbox as x, y, width, height in px", id="three numbers"),
        pytest.param(bad({"bbox": [1, 2, 3, "4"]}), "expected bbox", id="text in a box"),
        pytest.param(bad({"bbox": [1, 2, -3, 4]}), "expected bbox", id="a width below 0"),
        pytest.param(bad({"bbox": [1, 2, 3, float("nan")]}), "expected bbox", id="NaN in a box"),
        pytest.param(bad({"bbox": [1, 2, 3, float("inf")]}), "expected bbox", id="infinity in a box"),
        pytest.param(bad({"bbox": [1, 2, 3, 10**400]}), "expected bbox", id="a number beyond all floats"),
        pytest.param(bad({"bbox": None}), "expected bbox", id="no box"),
        pytest.param(bad({"score": 1.01}), "expected a score of 0 to 1, got 1.01", id="a score above 1"),
        pytest.param(bad({"score": -0.1}), "expected a score", id="a score below 0"),
        pytest.param(bad({"score": float("nan")}), "expected a score", id="no number for a score"),
        pytest.param(bad({"score": None}), "expected a score", id="no score"),
        pytest.param(bad({"keypoints": [1, 2, 2]}), "expected keypoints as 17", id="one keypoint"),
        pytest.param(bad({"keypoints": [1, 2, 3] * 17}), "expected keypoints as 17", id="a visibility of 3"),
        pytest.param(bad({"keypoints": []}), "expected keypoints as 17", id="an empty list of keypoints"),
        pytest.param(bad({"keypoints": "nose"}), "expected keypoints as 17", id="keypoints in words"),
    ],
)
def test_what_is_no_results_file_is_told_in_a_sentence(rows: Any, said: str):
    with pytest.raises(BadInput, match=said) as caught:
        elsewhere(rows=rows)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("document", "said"),
    [
        pytest.param([], "images: expected a COCO file with a list of images, got none", id="a list"),
        pytest.param({}, "with a list of images", id="an empty object"),
        pytest.param({"images": {"1": {}}}, "with a list of images", id="images by id"),
        pytest.param(
            listed({"file_name": "x"}), r"images\[0\]: expected an object with a whole number as id", id="no id"
        ),
        pytest.param({"images": ["x"]}, r"images\[0\]: expected an object", id="names alone"),
        pytest.param(listed({"id": 1}, {"id": 1}), "expected each image id once, got 1 again", id="an id twice"),
        pytest.param(
            {**DOCUMENT, "categories": [{"id": 18}]}, r"expected a category of id 1, got \[18\]", id="no person"
        ),
    ],
)
def test_what_is_no_coco_file_is_told_in_a_sentence(document: Any, said: str):
    with pytest.raises(BadInput, match=said):
        elsewhere(document)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"\xff\xfe\x00", b"[" * 200_000, b"no json"], ids=lambda data: repr(data[:8])
)
@pytest.mark.parametrize("which", ["images", "results"])
def test_what_is_no_json_is_told_in_a_sentence(which: str, data: bytes):
    given = {"images": json.dumps(DOCUMENT).encode(), "results": b"[]", which: data}
    with pytest.raises(BadInput, match=f"{which}: expected JSON, got '"):
        results.elsewhere(given["images"], given["results"], (1,))


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
            elsewhere(*pair)
