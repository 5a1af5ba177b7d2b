"""A list in COCO's results format: what a detection is, and one sentence for everything that is none."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.core.coco.results import Detection, Results, read_results

BOX: dict[str, Any] = {"image_id": 1, "category_id": 1, "bbox": [10, 20, 30.5, 40], "score": 0.5}
KEYPOINTS = [5, 6, 2] + [0, 0, 0] * 16


def read(rows: Any) -> Results:
    return read_results("results", json.dumps(rows).encode())


def test_detections_in_the_order_of_the_file():
    assert read([{**BOX, "score": 1}, {**BOX, "image_id": "a", "bbox": [0, 0, "1", 1]}]) == (
        [Detection(1, 1, [10, 20, 30.5, 40], 1.0, None), Detection("a", 1, [0, 0, 1, 1], 0.5, None)],
        0,
    )
    assert read([]) == ([], 0)


@pytest.mark.parametrize(
    ("value", "expected"), [(KEYPOINTS, KEYPOINTS), ([1, 2, 0.5] * 20, [1, 2, 0.5] * 20), (None, None), ([], None)]
)
def test_keypoints_are_read_where_there_are_any(value: Any, expected: Any):
    assert read([{**BOX, "keypoints": value}]).detections[0].keypoints_xyv == expected


@pytest.mark.parametrize("bbox", [[1, 2, 0, 4], [1, 2, 3, 0.0], [0, 0, 0, 0]])
def test_an_empty_box_is_left_out_and_counted(bbox: list[float]):
    assert read([BOX, {**BOX, "bbox": bbox}, BOX]) == ([read([BOX]).detections[0]] * 2, 1)


def bad(**changes: Any) -> list[dict[str, Any]]:
    return [BOX, {**BOX, **changes}]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        pytest.param({"a": 1}, "results: expected COCO results, a list of boxes, got dict", id="a whole COCO file"),
        pytest.param([7], "results[0]: expected an object with image_id", id="a number"),
        pytest.param([{}], "results[0]: image_id: expected a whole number or text, got None", id="an empty object"),
        pytest.param(bad(image_id=True), "results[1]: image_id: expected a whole number", id="true is no id"),
        pytest.param(bad(image_id=1.5), "image_id: expected a whole number", id="an id and a half"),
        pytest.param(bad(image_id=10**30), "image_id: expected a whole number", id="an id beyond 64 bits"),
        pytest.param(bad(category_id=None), "category_id: expected a whole number or text, got None", id="no category"),
        pytest.param(bad(bbox=[1, 2, 3]), "expected a box as [x, y, width, height] in px, got 3", id="three numbers"),
        pytest.param(bad(bbox=[1, 2, -3, 4]), "expected a box of positive width and height", id="a width below 0"),
        pytest.param(bad(bbox=[1, 2, 3, float("nan")]), "expected a finite number, got nan", id="NaN in a box"),
        pytest.param(bad(bbox=[1, 2, 3, float("inf")]), "expected a finite number, got inf", id="infinity in a box"),
        pytest.param(bad(bbox=[1, 2, 1e300, 4]), "expected numbers of at most 10000000 px", id="1e300"),
        pytest.param(
            bad(bbox=[1, 2, 10**400, 4]), "expected a number, got a number of 1,329 bits", id="beyond all floats"
        ),
        pytest.param(bad(bbox=None), "expected a list of numbers, got None", id="no box"),
        pytest.param(bad(score=1.01), "expected a score of 0 to 1, got 1.01", id="a score above 1"),
        pytest.param(bad(score=-0.1), "expected a score of 0 to 1, got -0.1", id="a score below 0"),
        pytest.param(bad(score=float("nan")), "expected a score of 0 to 1, got nan", id="NaN for a score"),
        pytest.param(
            bad(score=10**400), "expected a score of 0 to 1, got a number of 1,329 bits", id="a score beyond all floats"
        ),
        pytest.param(bad(score=None), "expected a score of 0 to 1, got None", id="no score"),
        pytest.param(bad(score=True), "expected a score of 0 to 1, got True", id="true is no score"),
        pytest.param(bad(keypoints=[1, 2]), "expected keypoints as x, y, visibility", id="no visibility"),
        pytest.param(bad(keypoints=[1, 2, 2] * 1001), "expected keypoints as x, y, visibility", id="1,001 points"),
        pytest.param(bad(keypoints=[1, 2, 3] * 17), "expected keypoints as x, y, visibility", id="a visibility of 3"),
        pytest.param(bad(keypoints="nose"), "expected keypoints as x, y, visibility", id="keypoints in words"),
        pytest.param(
            bad(bbox=[1, 2, 0, 4], score=2), "expected a score of 0 to 1, got 2", id="an empty box hides none"
        ),
    ],
)
def test_what_is_no_results_file_is_refused_in_one_sentence(rows: Any, message: str):
    with pytest.raises(BadInput) as caught:
        read(rows)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe\x00", b"[" * 200_000], ids=lambda data: repr(data[:8]))
def test_what_is_no_json_is_refused(data: bytes):
    with pytest.raises(BadInput, match="results: expected JSON, got something else"):
        read_results("results", data)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*BOX, "keypoints"]), inner),
    max_leaves=12,
)


@given(json_values)
def test_no_json_ends_in_anything_but_results_or_a_sentence(row: Any):
    for rows in (row, [row], [{**BOX, **row} if isinstance(row, dict) else row]):
        try:
            read(rows)
        except BadInput as problem:
            sentence = str(problem)
        else:
            continue
        assert sentence.startswith("results")
        assert "expected" in sentence
        assert "got" in sentence
        assert "\n" not in sentence
        sentence.encode()


@pytest.mark.parametrize("score", [-7.25, 0, 1e300])
def test_any_finite_score_is_taken_where_it_is_asked_for(score: float):
    row = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1], "score": score}
    (got,) = read_results("results", json.dumps([row]).encode(), as_given=True).detections
    assert got.score == score


@pytest.mark.parametrize("score", [None, True, "high", [1]])
def test_what_is_no_number_is_no_score(score: object):
    row = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1], "score": score}
    with pytest.raises(BadInput, match="expected a finite score, got"):
        read_results("results", json.dumps([row]).encode(), as_given=True)


def test_an_empty_box_stays_where_rows_are_taken_as_given_and_one_that_is_none_is_refused_all_the_same():
    row = {"image_id": 1, "category_id": 1, "bbox": [1, 2, 0, 4], "score": 0.5}
    (got,) = read_results("results", json.dumps([row]).encode(), as_given=True).detections
    assert got.xywh_px == [1, 2, 0, 4]
    assert read_results("results", json.dumps([row]).encode()) == ([], 1)
    for bbox in ([1, 2, -1, 4], [1, 2, 3], None):
        with pytest.raises(BadInput, match=r"^results\[0\]: expected a box"):
            read_results("results", json.dumps([{**row, "bbox": bbox}]).encode(), as_given=True)
