"""Sigmas by name, as one number, and as a list."""

import pytest

from schemas.errors import BadInput
from schemas.keypoints import shipped_schemes
from tasks.core.evaluate.sketches.poses import sigma_sets, subset_sigmas


def test_the_body_is_cocos():
    assert subset_sigmas("body", "coco-17", 17).tolist() == list(shipped_schemes()["coco-17"].sigmas or ())


def test_the_animals_are_mmposes_guess_joint_by_joint():
    joints = shipped_schemes()["animal-20"].joints
    values = dict(zip(joints, subset_sigmas("animal", "animal-20-guessed", 20), strict=True))
    assert {joint: values[joint] for joint in ("L_Eye", "Nose", "Throat", "R_B_Elbow", "L_F_Knee", "R_B_Paw")} == {
        "L_Eye": 0.025, "Nose": 0.035, "Throat": 0.1, "R_B_Elbow": 0.107, "L_F_Knee": 0.087, "R_B_Paw": 0.089,
    }  # fmt: skip


def test_one_for_all_joints_and_a_list():
    assert subset_sigmas("face", 0.025, 106).tolist() == [0.025] * 106
    assert subset_sigmas("hand", (0.1, 0.2), 2).tolist() == [0.1, 0.2]


def test_every_set_has_as_many_as_its_name_says():
    assert {name: len(values) for name, values in sigma_sets().items()} == {"coco-17": 17, "animal-20-guessed": 20}


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("coco", "sigmas of 'body': expected one of coco-17, animal-20-guessed, got 'coco'"),
        ("coco-17", "sigmas of 'body': expected 20, one for each joint of its poses, got 17"),
        ((0.1, 0.2), "sigmas of 'body': expected 20, one for each joint of its poses, got 2"),
    ],
)
def test_what_is_refused(setting: object, message: str):
    with pytest.raises(BadInput) as problem:
        subset_sigmas("body", setting, 20)  # type: ignore[arg-type]
    assert str(problem.value) == message
