"""COCO files as they are written have no problem; each thing that says something else is one, and is named."""

import copy
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from schemas import tables
from tasks.core import verify_coco as verify
from tasks.core.coco.document import category_entry, release_info, split_document, split_results
from tasks.core.export.images import IMAGES_BY_DIGEST
from tests.support.keypoints import plain

SHA256 = "ab" * 32
CC0 = "https://creativecommons.org/publicdomain/zero/1.0/"
IMAGE: dict[str, Any] = {
    **dict.fromkeys(IMAGES_BY_DIGEST.names),
    "record_id": "museum:1",
    "image_id": 7,
    "title": "A Room",
    "year": 1650,
    "rights_uri": CC0,
    "sha256": SHA256,
    "width_px": 100,
    "height_px": 80,
    "format": "PNG",
    "split": "train",
    "is_annotated": True,
}
OTHER = {**IMAGE, "record_id": "museum:2", "image_id": 8, "rights_uri": "NOASSERTION", "is_annotated": False}
PEOPLES: dict[str, Any] = {
    **dict.fromkeys(tables.ANNOTATIONS.names),
    "annotation_id": 3,
    "image_id": 7,
    "category_id": 1,
    "xywh_px": [-1.0, 2.0, 300.0, 4.0],
    "area_px2": 1200.0,
    "is_crowd": False,
    "keypoints_xyv": [1.0, 2.0, 1.0] * 17,
    "origin": "source",
}
DETECTORS: dict[str, Any] = {
    **PEOPLES,
    "annotation_id": 4,
    "xywh_px": [0.0, 0.0, 100.0, 80.0],
    "area_px2": 8000.0,
    "keypoints_xyv": None,
    "score": 0.5,
    "origin": "detector",
}
WEAK = {**DETECTORS, "annotation_id": 5, "image_id": 8, "score": 0.123}
FACTS = verify.CocoFacts(release_info("Rooms", "0123456789ab"), plain("person", "angel"), 0.3, is_amended=False)


class Split:
    """A split's rows and its COCO files, to be tampered with. is_by_people: whether people have annotated any image."""

    def __init__(self, *, is_by_people: bool = True) -> None:
        self.images = [copy.deepcopy(IMAGE), copy.deepcopy(OTHER)]
        self.boxes = copy.deepcopy([PEOPLES, DETECTORS, WEAK] if is_by_people else [DETECTORS, WEAK])
        if not is_by_people:
            self.images[0]["is_annotated"] = False
        images, boxes = self.tables()
        self.document = split_document(images, boxes, FACTS.categories, 0.3, FACTS.info)
        self.results = split_results(boxes)

    def tables(self) -> tuple[pa.Table, pa.Table]:
        return (
            pa.Table.from_pylist(self.images, schema=IMAGES_BY_DIGEST),
            pa.Table.from_pylist(self.boxes, schema=tables.ANNOTATIONS),
        )

    def problems(self, facts: verify.CocoFacts = FACTS) -> list[str]:
        images, boxes = self.tables()
        return [
            *verify.coco_problems("train", self.document, self.results, images, boxes),
            *verify.header_problems("train", self.document, images, boxes.to_pylist(), facts),
            *verify.coco_value_problems("train", self.document, self.results, images.to_pylist(), boxes.to_pylist()),
        ]


Tamper = Callable[[Split], Any]


@pytest.mark.parametrize("is_by_people", [True, False])
def test_files_as_they_are_written_have_no_problem(is_by_people: bool):
    assert Split(is_by_people=is_by_people).problems() == []


def image(split: Split) -> dict[str, Any]:
    return split.document["images"][0]


def box(split: Split) -> dict[str, Any]:
    return split.document["annotations"][0]


@pytest.mark.parametrize(
    ("tamper", "said"),
    [
        pytest.param(lambda s: image(s).update(height=81), "images: expected what the table says", id="a height"),
        pytest.param(lambda s: image(s).pop("height"), "images: expected what the table says", id="no height"),
        pytest.param(lambda s: image(s).update(is_annotated=False), "images: expected what", id="not annotated"),
        pytest.param(lambda s: image(s).update(file_name="x.png"), "images: expected what", id="another file"),
        pytest.param(lambda s: image(s).update(metadata={"artist": "A"}), "images: expected what", id="an artist"),
        pytest.param(lambda s: image(s).update(license=9), "images: expected what the table says", id="no licence"),
        pytest.param(
            lambda s: image(s).update(license=1), "images: expected what the table says", id="not its licence"
        ),
        pytest.param(lambda s: box(s).update(area=1.0), "annotations: expected what the table says", id="an area"),
        pytest.param(lambda s: box(s).update(bbox=[0, 0, 1, 1]), "annotations: expected what", id="a box"),
        pytest.param(lambda s: box(s).update(iscrowd=1), "annotations: expected what the table says", id="a crowd"),
        pytest.param(lambda s: box(s).pop("iscrowd"), "annotations: expected what the table says", id="no crowd"),
        pytest.param(lambda s: box(s).update(score=0.5), "annotations: expected what", id="a score of people"),
        pytest.param(lambda s: box(s).update(segmentation=[[0.0] * 8]), "annotations: expected what", id="an outline"),
        pytest.param(lambda s: box(s).update(segmentation=[]), "annotations: expected what", id="an empty outline"),
        pytest.param(lambda s: box(s).pop("segmentation"), "annotations: expected what", id="no outline"),
        pytest.param(
            lambda s: box(s).update(keypoints=[0.0] * 51, num_keypoints=0), "annotations: expected what", id="points"
        ),
        pytest.param(lambda s: box(s).update(num_keypoints=3), "expected num_keypoints to count", id="their number"),
        pytest.param(lambda s: s.results[0].update(score=0.4), "expected boxes of the table", id="a result's score"),
    ],
)
def test_files_that_say_something_else_than_the_tables(tamper: Tamper, said: str):
    split = Split()
    tamper(split)
    (problem,) = split.problems()
    assert problem.startswith("coco/train.")
    assert said in problem


@pytest.mark.parametrize(
    "tamper",
    [
        pytest.param(lambda s: image(s).update(metadata={}), id="a file of an earlier contract"),
        pytest.param(lambda s: s.results[0].update(keypoints=[]), id="no keypoints"),
        pytest.param(lambda s: s.document["info"].update(year=2026), id="more in the info"),
        pytest.param(lambda s: s.document["licenses"][0].update(text="free"), id="more of a licence"),
        pytest.param(lambda s: box(s).update(colour="red"), id="more of a box"),
        pytest.param(lambda s: s.document["annotations"].reverse(), id="another order"),
    ],
)
def test_what_files_may_have_or_lack(tamper: Tamper):
    split = Split()
    tamper(split)
    assert split.problems() == []


@pytest.mark.parametrize(
    ("tamper", "said"),
    [
        pytest.param(
            lambda s: s.document["info"].update(version="ffffffffffff"),
            "expected info.version '0123456789ab', got 'ffffffffffff'",
            id="another version",
        ),
        pytest.param(lambda s: s.document["info"].pop("bbox"), "expected info.bbox 'x_min,", id="no frame"),
        pytest.param(
            lambda s: s.document["info"].update(description="Halls"),
            "expected info.description 'Rooms', got 'Halls'",
            id="another title",
        ),
        pytest.param(
            lambda s: s.document["info"].update(annotation_origin="detector"),
            "expected info.annotation_origin 'people', got 'detector'",
            id="boxes of somebody else",
        ),
        pytest.param(
            lambda s: s.document["licenses"][1].update(name="mine"),
            "licence 2: name: expected 'CC0-1.0', got 'mine'",
            id="a name",
        ),
        pytest.param(
            lambda s: s.document["licenses"].append({"id": 3}),
            "expected 2 licences, as the images have, got 3",
            id="one more",
        ),
        pytest.param(
            lambda s: s.document["categories"][0].update(keypoints=["nose"]), "expected keypoints", id="other keypoints"
        ),
        pytest.param(lambda s: s.document["categories"][0].pop("skeleton"), "expected skeleton", id="no skeleton"),
        pytest.param(
            lambda s: s.document["categories"][1].update(supercategory="bird"),
            "expected supercategory 'angel' of category 'angel', got 'bird'",
            id="a kind of category",
        ),
    ],
)
def test_a_header_that_says_something_else(tamper: Tamper, said: str):
    split = Split()
    tamper(split)
    (problem,) = split.problems()
    assert problem.startswith(f"coco/train.json: {said}")


def test_licences_are_told_where_two_have_one_number():
    split = Split()
    split.document["licenses"].insert(0, {"id": 2, "name": "mine", "url": "https://example.org/mine"})
    assert any(problem.startswith("coco/train.json: expected 2 licences") for problem in split.problems())


def entry_of(row: dict[str, Any], split: Split) -> dict[str, Any]:
    images, _ = split.tables()
    rows = pa.Table.from_pylist([row], schema=tables.ANNOTATIONS)
    unseen = images.set_column(
        images.schema.get_field_index("is_annotated"), "is_annotated", pa.array([False, False], pa.bool_())
    )
    return split_document(unseen, rows, FACTS.categories, 0.0, {})["annotations"][0]


@pytest.mark.parametrize(
    ("is_by_people", "tamper", "said"),
    [
        pytest.param(
            True,
            lambda s: s.document["annotations"].append(entry_of(DETECTORS, s)),
            "expected people's boxes alone, got 1 others, and 0 missing",
            id="a detector's among people's",
        ),
        pytest.param(
            False,
            lambda s: s.document["annotations"].clear(),
            "expected a detector's boxes from score 0.3 on, got 0 others, and 1 missing",
            id="a detector's that is missing",
        ),
        pytest.param(
            False,
            lambda s: s.document["annotations"].append(entry_of(WEAK, s)),
            "expected a detector's boxes from score 0.3 on, got 1 others, and 0 missing",
            id="a detector's below the score",
        ),
    ],
)
def test_boxes_are_chosen_by_origin_and_score(is_by_people: bool, tamper: Tamper, said: str):
    split = Split(is_by_people=is_by_people)
    tamper(split)
    assert split.problems() == [f"coco/train.json: {said}"]


def test_a_recipe_without_a_score_says_nothing_of_a_detectors_boxes():
    split = Split(is_by_people=False)
    split.document["annotations"].clear()
    assert split.problems(FACTS._replace(least_score=None)) == []


def test_a_purge_leaves_what_stands_above_the_lists():
    split = Split()
    split.images, split.boxes = split.images[1:], split.boxes[2:]  # the one that people had annotated is gone
    split.document.update(images=split.document["images"][1:], annotations=[])
    split.results = split.results[1:]
    assert split.problems(FACTS._replace(is_amended=True)) == []
    origin, licences = split.problems()  # of a file that was written so
    assert origin.startswith("coco/train.json: expected info.annotation_origin 'detector', got 'people'")
    assert licences.startswith("coco/train.json: expected 1 licences, as the images have, got 2")


def test_a_box_that_is_none_is_for_the_rules_of_its_table():
    split = Split()
    split.boxes[0]["xywh_px"] = [0.0, 0.0, 0.0, 1.0]
    assert split.problems() == []


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        pytest.param([("person", True), ("angel", False)], [], id="as they are written"),
        pytest.param([("person", True), ("angel", True)], [], id="another with keypoints"),
        pytest.param([("angel", False), ("person", True)], ["expected the categories"], id="another order"),
        pytest.param([("person", True)], ["expected the categories ['person', 'angel'], got [(1,"], id="less"),
    ],
)
def test_categories_are_the_recipes_counted_from_1(entries: list[tuple[str, bool]], said: list[str]):
    categories = [
        category_entry(number, *plain(name), has_keypoints=has) for number, (name, has) in enumerate(entries, 1)
    ]
    found = list(verify.category_problems("val", {"categories": categories}, FACTS.categories))
    assert len(found) == len(said)
    assert all(problem.startswith(f"coco/val.json: {text}") for problem, text in zip(found, said, strict=True))


@pytest.mark.parametrize(
    ("files", "said"),
    [
        pytest.param(["coco/train.json", "coco/train.detections.json", "README.md"], [], id="both"),
        pytest.param(
            ["coco/train.json"],
            ["manifest.json: expected coco/train.detections.json among its files, got none"],
            id="no detections",
        ),
        pytest.param(
            ["coco/train.json", "coco/train.detections.json", "coco/dev.json"],
            ["coco/dev.json: expected COCO files of the release's splits alone, got this one"],
            id="a split that there is not",
        ),
    ],
)
def test_files_of_all_splits(files: list[str], said: list[str]):
    assert list(verify.file_problems(files, ["train"])) == said
