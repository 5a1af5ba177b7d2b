"""Several truths as one, by hand: what each gives, what is left out and told, and the digest of all."""

import itertools

import pyarrow as pa
import pytest

pytest.importorskip("torchvision")

from schemas.errors import BadInput
from schemas.tables import ANNOTATED_FIGURES, ANNOTATED_IMAGES
from tasks.subjects.ground_truth import GroundTruth
from tasks.train import TruthShare, join_truths, name_apart


def truth(name: str, blobs: str, *crowds: bool, notes: tuple[str, ...] = ()) -> GroundTruth:
    """A truth of images 1, 2 ..., whose blobs are letters; the first has a figure for each value, a crowd if true."""
    images = [
        {"image_id": number, "sha256": blob, "width_px": 9, "height_px": 9} for number, blob in enumerate(blobs, 1)
    ]
    figures = [
        {"image_id": 1, "category": "person", "xywh_px": [0, 0, 5, 5], "area_px2": 25.0, "is_crowd": is_crowd}
        for is_crowd in crowds
    ]
    tables = (
        pa.Table.from_pylist(images, schema=ANNOTATED_IMAGES),
        pa.Table.from_pylist(figures, schema=ANNOTATED_FIGURES),
    )
    return GroundTruth(name, *tables, f"digest of {name}", notes)


def test_each_truth_says_what_it_gives():
    people, popart = truth("people", "abc", False, True, notes=("odd",)), truth("popart", "dce", False, False)
    joined = join_truths([popart, people], {"d", "z"})
    assert joined.shares == (
        TruthShare("people", "digest of people", 3, 1, 0),
        TruthShare("popart", "digest of popart", 2, 0, 1),
    )
    assert joined.notes == (
        "people: odd",
        "popart: left out, as they are held out for evaluation: 1 image (1)",
        "images that several truths have, trained on with the figures of each: 1",
    )
    assert joined.truth.name == "people + popart"
    assert joined.truth.images["image_id"].to_pylist() == [1, 2, 3, 4, 5]
    assert joined.truth.images["sha256"].to_pylist() == ["a", "b", "c", "c", "e"]
    assert joined.truth.figures["image_id"].to_pylist() == [1, 1]


@pytest.mark.parametrize(
    ("names", "places", "expected"),
    [
        ([], [], []),  # no truth
        (["a", "b"], ["x/a.json", "y/b.json"], ["a", "b"]),  # names that differ
        (
            ["train", "b", "train"],
            ["x/train.json", "b", "s3://y/train.json"],
            ["x/train", "b", "y/train"],
        ),  # not all do
        (["train", "train"], ["train.json", "y/train.json"], ["train", "y/train"]),  # a file in no folder
        (["train", "train"], ["a/y/train.json", "b/y/train.json"], ["y/train", "y/train"]),  # folders of one name
    ],
)
def test_truths_of_one_name_are_told_apart_by_their_folders(names: list[str], places: list[str], expected: list[str]):
    named = name_apart([truth(name, "a", False) for name in names], places)
    assert [one.name for one in named] == expected


def test_the_order_of_truths_changes_nothing():
    truths = [truth("x", "ab", False), truth("x", "ab", True)._replace(sha256="1"), truth("y", "ba", False)]
    joined = [join_truths(order, {"b"}) for order in itertools.permutations(truths)]
    assert all(one == joined[0] for one in joined)


def test_the_digest_is_of_all_truths_and_of_what_is_left_of_them():
    one, other = truth("one", "ab", False), truth("other", "cd", False)
    digests = {
        join_truths(truths, held_out).truth.sha256
        for truths, held_out in [
            ([one, other], set()),
            ([one, other], {"b"}),
            ([one, truth("third", "cd", False)], set()),  # the same images, of another truth
            ([one], set()),
        ]
    }
    assert len(digests) == 4


@pytest.mark.parametrize(
    ("truths", "problem"),
    [
        pytest.param(
            [truth("people", "ab", False), truth("people", "ab", False)],
            "--also: expected each truth once, got the images and figures of people twice",
            id="the same truth",
        ),
        pytest.param(
            [truth("people", "abz", False), truth("popart", "zz", False)],
            r"popart: expected images to train on, got none \(left out, .*: 2 images \(1, 2\)\)",
            id="all images held out",
        ),
        pytest.param(
            [truth("people", "ab", True), truth("popart", "zb", False)],
            r"people \+ popart: expected figures to train on, got none in the images that are not held out",
            id="no figures but crowds and those held out",
        ),
    ],
)
def test_truths_that_add_nothing_are_refused(truths: list[GroundTruth], problem: str):
    with pytest.raises(BadInput, match=f"^{problem}$"):
        join_truths(truths, {"z"})
