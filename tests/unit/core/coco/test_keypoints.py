"""Keypoints: three numbers for each joint of a scheme, and the sentence for everything else."""

import contextlib
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.keypoints import KeypointScheme
from tasks.core.coco.keypoints import (
    VISIBILITIES,
    BadKeypoints,
    check_names,
    count_problems,
    read_keypoints,
)
from tests.support.keypoints import ANIMAL_20, COCO_17, FACE_106, NAMES

NUMBERS = 51

REST = [0, 0, 0] * 16
CROWDPOSE = [
    "left_shoulder", "right_shoulder", "left_elbow", "right_elbow", "left_wrist", "right_wrist", "left_hip",
    "right_hip", "left_knee", "right_knee", "left_ankle", "right_ankle", "head", "neck",
]  # fmt: skip
# 17 of animals (AP-10K): as many as COCO's, and others
AP_10K = [
    "left_eye", "right_eye", "nose", "neck", "root_of_tail", "left_shoulder", "left_elbow", "left_front_paw",
    "right_shoulder", "right_elbow", "right_front_paw", "left_hip", "left_knee", "left_back_paw", "right_hip",
    "right_knee", "right_back_paw",
]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param([5, 6, 2, *REST], [5.0, 6.0, 2.0], id="17 points"),
        pytest.param([5, 6, 1, *REST], [5.0, 6.0, 1.0], id="labelled, but hidden"),
        pytest.param([5, 6, 0, *REST], [5.0, 6.0, 0.0], id="not labelled: x and y stay, and mean nothing"),
        pytest.param([-5, 9e6, 2, *REST], [-5.0, 9e6, 2.0], id="outside any picture, as boxes may be"),
        pytest.param([5, 6, 2.0, *REST], [5.0, 6.0, 2.0], id="a visibility as a fraction that is whole"),
        pytest.param(["5", "6.5", "2", *REST], [5.0, 6.5, 2.0], id="numbers as text"),
        pytest.param([], None, id="an empty list"),
        pytest.param((), None, id="an empty tuple"),
        pytest.param(None, None, id="null"),
    ],
)
def test_keypoints(value: Any, expected: list[float] | None):
    got = read_keypoints(value, 17)
    assert (got and got[:3]) == expected
    assert got is None or len(got) == NUMBERS


@pytest.mark.parametrize(
    ("value", "message"),
    [
        pytest.param([1, 2, 2] * 14, "of each of 17 points, got 42", id="CrowdPose's 14"),
        pytest.param([1, 2, 2] * 20, "of each of 17 points, got 60", id="20 of an animal"),
        pytest.param([1, 2, 2] * 106, "of each of 17 points, got 318", id="106 of a face"),
        pytest.param([1, 2, 2], "of each of 17 points, got 3", id="one point"),
        pytest.param([1, 2], "of each of 17 points, got 2", id="no threes"),
        pytest.param([[1, 2, 2]] * 17, "got 17 values, such as a list", id="a list for each point"),
        pytest.param([[1, 2, 2]] * 51, "expected a number, got [1, 2, 2]", id="51 lists"),
        pytest.param([1, 2, 3, *REST], "expected a visibility of 0, 1 or 2 for each point, got 3", id="v = 3"),
        pytest.param([1, 2, -1, *REST], "expected a visibility of 0, 1 or 2 for each point, got -1", id="v = -1"),
        pytest.param([1, 2, 0.7, *REST], "got 0.7", id="a confidence for a visibility"),
        pytest.param([1, 2, True, *REST], "expected a number, got True", id="true is no number"),
        pytest.param([1, 2, None, *REST], "expected a number, got None", id="a null among numbers"),
        pytest.param([1, math.nan, 0, *REST], "expected a finite number, got nan", id="NaN, even of an unlabelled one"),
        pytest.param([math.inf, 1, 2, *REST], "expected a finite number, got inf", id="infinity"),
        pytest.param([1, 1e8, 2, *REST], "expected numbers of at most 10000000 px, got 1e+08", id="beyond the limit"),
        pytest.param([10**400, 1, 2, *REST], "expected a number, got a number of 1,329 bits", id="beyond all floats"),
        pytest.param(5, "expected a list of 51 numbers, got 5", id="a number"),
        pytest.param("nose", "expected a list of 51 numbers, got 'nose'", id="a word"),
        pytest.param({"nose": [1, 2]}, "expected a list of 51 numbers, got {", id="an object"),
        pytest.param(True, "expected a list of 51 numbers, got True", id="true"),
    ],
)
def test_what_is_none_of_cocos(value: Any, message: str):
    with pytest.raises(BadKeypoints) as caught:
        read_keypoints(value, 17)
    assert message in str(caught.value)


numbers = st.sampled_from([0, 1, 2, 0.5, 3, -1]) | st.floats() | st.integers() | st.none()


@given(st.lists(numbers, min_size=NUMBERS, max_size=NUMBERS) | st.lists(numbers) | st.text() | st.booleans())
def test_a_value_is_51_good_numbers_or_a_sentence(value: Any):
    with contextlib.suppress(BadKeypoints):
        got = read_keypoints(value, 17)
        assert got is None or (len(got) == NUMBERS and {*got[2::3]} <= {*VISIBILITIES})
        assert got is None or all(math.isfinite(number) and abs(number) <= 1e7 for number in got)


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(list(NAMES), id="as COCO writes them"),
        pytest.param([name.replace("_", " ").title() for name in NAMES], id="in other letters"),
        pytest.param([name.replace("_", "-") for name in NAMES], id="with hyphens"),
    ],
)
def test_the_names_of_cocos(names: list[str]):
    check_names("person", names, COCO_17)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        pytest.param(CROWDPOSE, "got the 14 of category 'person' ('left_shoulder', 'right_shoulder', 'left", id="14"),
        pytest.param(AP_10K, "got the 17 of category 'person' ('left_eye', 'right_eye', 'nose', ...)", id="17 others"),
        pytest.param([*NAMES[1:], NAMES[0]], "got the 17 of category 'person'", id="in another order"),
        pytest.param([*NAMES, "neck"], "got the 18 of category 'person'", id="one more"),
        pytest.param(list(NAMES[:2]), "got the 2 of category 'person' ('nose', 'left_eye')", id="two"),
        pytest.param([*range(17)], "got the 17 of category 'person' (0, 1, 2, ...)", id="numbers for names"),
        pytest.param([None] * 17, "got the 17 of category 'person' (None, None, None, ...)", id="nulls"),
        pytest.param(None, "named in category 'person', got no names", id="none"),
        pytest.param([], "named in category 'person', got no names", id="an empty list"),
        pytest.param("nose", "named in category 'person', got no names", id="a word"),
        pytest.param({"nose": 1}, "named in category 'person', got no names", id="an object"),
    ],
)
def test_names_of_another_scheme(names: Any, message: str):
    with pytest.raises(BadKeypoints) as caught:
        check_names("person", names, COCO_17)
    assert message in str(caught.value)


@pytest.mark.parametrize("scheme", [ANIMAL_20, FACE_106], ids=lambda scheme: scheme.name)
def test_other_schemes_have_their_own_number_and_names(scheme: KeypointScheme):
    joints = len(scheme.joints)
    assert read_keypoints([1, 2, 2] * joints, joints) == [1.0, 2.0, 2.0] * joints
    with pytest.raises(BadKeypoints, match=f"expected {3 * joints} numbers, x, y and .* of {joints} points, got 51"):
        read_keypoints([1, 2, 2] * 17, joints)
    check_names("dog", [name.upper().replace("_", " ") for name in scheme.joints], scheme)
    with pytest.raises(BadKeypoints, match=f"expected the {joints} of {scheme.name}, got the 17 of category 'dog'"):
        check_names("dog", list(NAMES), scheme)
    with pytest.raises(BadKeypoints, match=f"expected the {joints} of {scheme.name} named in category 'dog', got no"):
        check_names("dog", None, scheme)


def test_problems_are_counted_the_most_frequent_first_and_three_of_them():
    assert count_problems([]) == ""
    assert count_problems(["a", "b", "c", "b", "d"]) == "b (2); a (1); c (1); ..."
