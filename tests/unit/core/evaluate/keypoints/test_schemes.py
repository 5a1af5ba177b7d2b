"""Which joints are compared, by which sigmas, and one sentence where nobody can say."""

import pyarrow as pa
import pytest

from schemas.errors import BadInput
from schemas.evaluate_figures import KeypointSettings
from schemas.keypoints import KeypointScheme, shipped_schemes
from schemas.tables import ANNOTATED_FIGURES
from tasks.core.evaluate.keypoints.schemes import compared_joints

COCO, FACE = shipped_schemes()["coco-17"], shipped_schemes()["face-106"]
HAND = KeypointScheme(name="hand", joints=("wrist", "thumb", "index"))
PAW = KeypointScheme(name="paw", joints=("wrist", "claw", "index"), sigmas=(0.1, 0.2, 0.3))


def figures(*joints: int) -> pa.Table:
    rows = [
        {"image_id": 1, "category": "hand", "keypoints_xyv": None if count is None else [1.0, 2.0, 2.0] * count}
        for count in joints
    ]
    return pa.Table.from_pylist(rows, schema=ANNOTATED_FIGURES)


def compared(own: dict, *joints: int, of_file: KeypointScheme | None = None, **settings: object):
    return compared_joints("truth", own, figures(*joints), KeypointSettings(**settings), of_file)


def test_the_truths_own_scheme_is_taken_by_default_and_one_sigma_may_be_for_all_joints():
    joints, notes = compared({"hand": HAND, "foot": HAND}, 3, 3, None, sigmas=0.05)
    assert (joints.scheme, joints.first, joints.sigmas.tolist(), notes) == (HAND, 3, [0.05] * 3, [])


@pytest.mark.parametrize(
    ("settings", "sigmas"),
    [
        ({}, [0.1, 0.2, 0.3]),
        ({"sigmas": (0.4, 0.5, 0.6)}, [0.4, 0.5, 0.6]),
        ({"first": 2}, [0.1, 0.2]),
        ({"first": 2, "sigmas": (0.4, 0.5, 0.6)}, [0.4, 0.5]),
        ({"first": 2, "sigmas": (0.4, 0.5)}, [0.4, 0.5]),
    ],
)
def test_sigmas_are_those_of_the_settings_or_the_schemes_own(settings: dict, sigmas: list[float]):
    joints, _ = compared({"paw": PAW}, 3, **settings)
    assert joints.sigmas.tolist() == sigmas
    assert joints.first == len(sigmas)


def test_a_scheme_may_be_named_or_come_in_a_file_and_other_names_of_its_joints_are_told():
    assert compared({"person": None}, 17, keypoints="coco-17")[0].scheme == COCO
    assert compared({"hand": HAND}, 3, keypoints="hand", sigmas=0.1)[0].scheme == HAND
    joints, notes = compared({"hand": HAND}, 3, keypoints="paw.yaml", of_file=PAW)
    assert joints.scheme == PAW
    assert notes == ["hand calls its joints otherwise than paw (thumb for claw): they are taken in the order of paw"]


def test_the_first_joints_are_compared_where_figures_have_just_these_or_all():
    joints, _ = compared({"hand": HAND}, 2, 3, first=2, sigmas=0.1)
    assert {*joints.lengths} == {2, 3}


@pytest.mark.parametrize(
    ("own", "lengths", "settings", "said"),
    [
        (
            {"hand": None},
            (17, 17),
            {},
            "truth: expected a category that names its joints, got 'hand' without, whose figures have keypoints of 17 "
            "(2 figures); say which they are with --set keypoints=NAME, or a YAML file with their joints",
        ),
        ({"hand": None}, (None,), {}, "expected a category that names its joints, got 'hand' without; say"),
        (
            {"hand": HAND, "paw": PAW},
            (3,),
            {},
            "expected categories with the same joints, got hand, paw; compare them one by one",
        ),
        (
            {"hand": HAND},
            (3,),
            {"keypoints": "foot"},
            "keypoints: expected one of animal-20, coco-17, face-106, hand, or a YAML file, got 'foot'",
        ),
        (
            {"hand": HAND},
            (2, 2, 3),
            {"sigmas": 0.1},
            "truth: expected figures with keypoints of the 3 joints that the category 'hand' names, got figures with 2 "
            "(2 figures); --set first=2 scores the first 2",
        ),
        (
            {"hand": HAND},
            (17,),
            {"keypoints": "face-106"},
            "expected figures with keypoints of the 106 joints that face-106 has, got figures with 17 (1 figure);",
        ),
        ({"hand": HAND}, (5,), {"sigmas": 0.1}, "got figures with 5 (1 figure)"),
        ({"hand": HAND}, (None,), {}, "truth: expected figures with keypoints of hand, got none in 1 figure"),
        (
            {"hand": HAND},
            (3,),
            {},
            "sigmas: expected one for each of the 3 joints of hand, or one for all, got none; nobody has measured",
        ),
        ({"paw": PAW}, (3,), {"sigmas": (0.1, 0.2)}, "sigmas: expected 3, one for each joint of paw, got 2"),
        ({"paw": PAW}, (3,), {"first": 4}, "first: expected at most the 3 joints of paw, got 4"),
    ],
)
def test_what_nobody_can_say_is_one_sentence(own: dict, lengths: tuple, settings: dict, said: str):
    with pytest.raises(BadInput) as problem:
        compared(own, *lengths, **settings)
    assert said in str(problem.value)
