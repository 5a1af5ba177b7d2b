"""Keypoint schemes: what ships, and what a recipe may write of its own."""

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.keypoints import (
    MOST_JOINTS,
    Category,
    CocoCategory,
    Joints,
    KeypointScheme,
    bare_name,
    resolve_categories,
    scheme_problems,
    shipped_schemes,
)
from tests.support.keypoints import ANIMAL_20, COCO_17, FACE_106, ZOO, plain

ROOT = Path(__file__).resolve().parents[3]
SCHEMES = list(shipped_schemes().values())
every_scheme = pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.name)


# --- those that ship


@every_scheme
def test_a_shipped_scheme_lies_in_the_file_of_its_name_and_cites_its_source(scheme: KeypointScheme):
    assert (ROOT / f"schemas/keypoints/{scheme.name}.yaml").is_file()
    assert re.search(r"\d{4}", scheme.source or "")
    assert scheme.name.endswith(f"-{len(scheme.joints)}")


@pytest.mark.parametrize(
    ("scheme", "digest"),
    [(ANIMAL_20, "cd162087c553"), (COCO_17, "02aee82625ea"), (FACE_106, "a0584e424fd1")],
    ids=lambda value: getattr(value, "name", None),
)
def test_a_shipped_scheme_never_changes(scheme: KeypointScheme, digest: str):
    """Releases only name it: what it says must be what it said when they were built."""
    said = repr((scheme.joints, scheme.skeleton, scheme.flip_pairs, scheme.sigmas))
    assert hashlib.sha256(said.encode()).hexdigest().startswith(digest)


@every_scheme
def test_mirrored_twice_a_figure_is_as_it_was(scheme: KeypointScheme):
    mirror = {one: other for pair in scheme.flip_pair_numbers for one, other in (pair, pair[::-1])}
    assert all(mirror[mirror[joint]] == joint for joint in mirror)
    assert all(joint != other for joint, other in mirror.items())
    assert len(mirror) == 2 * len(scheme.flip_pairs)


@every_scheme
def test_a_skeleton_joins_joints_each_pair_once(scheme: KeypointScheme):
    bones = [frozenset(bone) for bone in scheme.skeleton_numbers]
    assert all(1 <= end <= len(scheme.joints) for bone in bones for end in bone)
    assert len({*bones}) == len(bones)
    mirror = {one: other for pair in scheme.flip_pair_numbers for one, other in (pair, pair[::-1])}
    assert {frozenset(mirror.get(end, end) for end in bone) for bone in bones} == {*bones}


def test_what_has_no_partner_lies_in_the_middle():
    def alone(scheme: KeypointScheme) -> list[str]:
        paired = {joint for pair in scheme.flip_pairs for joint in pair}
        return [joint for joint in scheme.joints if joint not in paired]

    assert alone(COCO_17) == ["nose"]
    assert alone(ANIMAL_20) == ["Nose", "Throat", "TailBase", "Withers"]
    assert [int(joint[4:]) for joint in alone(FACE_106)] == [16, 51, 52, 53, 54, 60, 87, 93, 98, 102]


def test_sigmas_are_those_that_somebody_has_measured():
    assert ANIMAL_20.sigmas is FACE_106.sigmas is None
    assert COCO_17.sigmas is not None
    assert dict(zip(COCO_17.joints, COCO_17.sigmas, strict=True))["left_hip"] == 0.107
    # left and right are equally hard
    sigma = dict(zip(COCO_17.joints, COCO_17.sigmas, strict=True))
    assert all(sigma[left] == sigma[right] for left, right in COCO_17.flip_pairs)


@every_scheme
def test_the_page_on_keypoints_shows_every_joint_in_its_order(scheme: KeypointScheme):
    page = (ROOT / "docs/keypoints.md").read_text(encoding="utf-8")
    section = page.partition(f"## {scheme.name}\n")[2].partition("\n## ")[0]
    assert section
    if scheme is not FACE_106:  # of which the page shows groups of numbers
        assert re.findall(r"^\| \d+ \| `([^`]+)` \|", section, re.M) == list(scheme.joints)


# --- of one's own


def test_numbers_count_from_1():
    scheme = Joints(joints=("a", "b", "c"), skeleton=(("c", "a"),), flip_pairs=(("b", "c"),))
    assert (scheme.skeleton_numbers, scheme.flip_pair_numbers, scheme.sigmas) == ([[3, 1]], [[2, 3]], None)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        pytest.param({"joints": []}, "at least 1 item", id="no joints"),
        pytest.param({"joints": [f"j{n}" for n in range(MOST_JOINTS + 1)]}, "at most 1000 items", id="1,001"),
        pytest.param({"joints": ["a", 7, "c"]}, "valid string", id="a number for a name"),
        pytest.param({"joints": ["a", "", "c"]}, "at least 1 character", id="an empty name"),
        pytest.param({"joints": ["a", "_ -", "c"]}, "expected names that differ in more than case", id="a bare name"),
        pytest.param({"joints": ["left eye", "Left_Eye"]}, "- and _, got 'Left_Eye'", id="one name in two spellings"),
        pytest.param({"joints": ["a", "b", "x" * 101]}, "at most 100 characters", id="a long name"),
        pytest.param({"skeleton": [["a", "d"]]}, "skeleton: expected names of joints, got 'd'", id="an unknown joint"),
        pytest.param({"skeleton": [["a", "A"]]}, "skeleton: expected names of joints, got 'A'", id="in other letters"),
        pytest.param({"skeleton": [["a", "a"]]}, "skeleton: expected two joints, got 'a' twice", id="to itself"),
        pytest.param({"skeleton": [["a", "b", "c"]]}, "at most 2 items", id="three ends"),
        pytest.param({"skeleton": [[1, 2]]}, "valid string", id="numbers for names"),
        pytest.param(
            {"flip_pairs": [["a", "b"], ["b", "c"]]}, "flip_pairs: expected each joint in one pair, got 'b'", id="two"
        ),
        pytest.param(
            {"flip_pairs": [["a", "a"]]}, "flip_pairs: expected two joints, got 'a' twice", id="its own mirror"
        ),
        pytest.param({"sigmas": [0.1, 0.1]}, "sigmas: expected 3, one for each joint, got 2", id="too few sigmas"),
        pytest.param({"sigmas": []}, "sigmas: expected 3, one for each joint, got 0", id="no sigmas, but a list"),
        pytest.param({"sigmas": [0.1, 0, 0.1]}, "greater than 0", id="a sigma of 0"),
        pytest.param({"sigmas": [0.1, float("nan"), 0.1]}, "finite number", id="a sigma that is no number"),
        pytest.param({"colour": "red"}, "Extra inputs", id="an unknown field"),
    ],
)
def test_a_scheme_that_does_not_hold_together_is_refused(changes: dict[str, Any], said: str):
    with pytest.raises(ValidationError) as caught:
        Joints.model_validate({"joints": ["a", "b", "c"], **changes})
    assert said in str(caught.value)


names = st.lists(st.text(min_size=1, max_size=8).filter(bare_name), min_size=1, max_size=12, unique_by=bare_name)


@given(names, st.data())
def test_any_names_make_a_scheme_whose_numbers_lead_back_to_them(joints: list[str], data: st.DataObject):
    order = data.draw(st.permutations(joints))
    pairs = list(zip(order[::2], order[1::2], strict=False))
    scheme = Joints(joints=tuple(joints), skeleton=tuple(pairs), flip_pairs=tuple(pairs))
    assert [tuple(scheme.joints[place - 1] for place in pair) for pair in scheme.flip_pair_numbers] == pairs
    assert scheme.skeleton_numbers == scheme.flip_pair_numbers


# --- categories


def test_a_name_alone_has_cocos_keypoints():
    assert plain("person", "angel") == (
        CocoCategory(name="person", supercategory="person", scheme=COCO_17),
        CocoCategory(name="angel", supercategory="angel", scheme=COCO_17),
    )
    assert resolve_categories([Category.model_validate("person")]) == plain("person")


def test_a_category_names_its_scheme():
    person, dog, face, thing, angel = resolve_categories(ZOO)
    assert [category.scheme for category in (person, dog, face, thing, angel)] == [
        COCO_17, ANIMAL_20, FACE_106, None, COCO_17,
    ]  # fmt: skip
    assert (dog.supercategory, face.supercategory) == ("animal", "face")


def test_a_scheme_of_ones_own_is_found_by_its_name():
    own = {"hand-2": Joints(joints=("wrist", "thumb"), source="me")}
    (hand,) = resolve_categories([Category(name="hand", keypoints="hand-2")], own)
    assert hand.scheme == KeypointScheme(name="hand-2", joints=("wrist", "thumb"), source="me")


def test_names_that_nobody_has_or_that_are_taken_are_told():
    own = {"coco-17": Joints(joints=("nose",)), "mine": Joints(joints=("nose",))}
    categories = [Category(name="person"), Category(name="dog", keypoints="animal-21")]
    assert list(scheme_problems(categories, own)) == [
        "keypoint_schemes: expected a name that no scheme of the program has, got 'coco-17'",
        "categories[1].keypoints: expected one of animal-20, coco-17, face-106, mine, got 'animal-21'",
    ]
    with pytest.raises(ValueError, match="got 'animal-21'"):
        resolve_categories(categories, {})
