"""COCO files as they are written have no problem; each thing that says something else is one, and is named."""

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest

from schemas import tables
from tasks.core import verify_coco as verify
from tasks.core.coco.document import (
    annotated_places,
    category_entry,
    release_info,
    split_document,
    split_results,
    unannotated_chunks,
)
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
DRAWN: dict[str, Any] = {
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
OUTLINED = {**DRAWN, "annotation_id": 9, "keypoints_xyv": None, "segmentation": "[[1,2,3,4,5,6]]"}
DETECTED: dict[str, Any] = {
    **dict.fromkeys(tables.DETECTIONS.names),
    "detection_id": 4,
    "image_id": 7,
    "category_id": 1,
    "xywh_px": [0.0, 0.0, 100.0, 80.0],
    "area_px2": 8000.0,
    "score": 0.5,
}
WEAK = {**DETECTED, "detection_id": 5, "image_id": 8, "score": 0.123}
FACTS = verify.CocoFacts(release_info("Rooms", "0123456789ab"), plain("person", "angel"), {1}, is_amended=False)
PATHS = verify.paths_of("train")


class Split:
    """A split's rows and its COCO files, to be tampered with."""

    def __init__(self) -> None:
        self.images = [copy.deepcopy(IMAGE), copy.deepcopy(OTHER)]
        self.drawn, self.detected = copy.deepcopy([DRAWN, OUTLINED]), copy.deepcopy([DETECTED, WEAK])
        images = pa.Table.from_pylist(self.images, schema=IMAGES_BY_DIGEST)
        drawn = pa.Table.from_pylist(self.drawn, schema=tables.ANNOTATIONS)
        self.document = split_document(images, drawn, FACTS.categories, FACTS.info)
        places = annotated_places(images, is_annotated=False)
        chunks = unannotated_chunks(images, FACTS.categories, FACTS.info, places)
        self.unannotated = json.loads(b"".join(map(bytes, chunks)))
        self.results = split_results(pa.Table.from_pylist(self.detected, schema=tables.DETECTIONS), 0.3)

    def problems(self, facts: verify.CocoFacts = FACTS) -> list[str]:
        whole = pa.Table.from_pylist(self.images, schema=IMAGES_BY_DIGEST)
        here, others = (whole.take(annotated_places(whole, is_annotated=wanted)) for wanted in (True, False))
        return [
            *verify.document_problems(PATHS.annotated, self.document, here, self.drawn, facts, ()),
            *verify.unannotated_problems(PATHS.unannotated, self.unannotated, others, facts, ()),
            *verify.results_problems(PATHS.detections, self.results, self.detected, 0.3),
        ]


Tamper = Callable[[Split], Any]


def test_files_as_they_are_written_have_no_problem():
    assert Split().problems() == []


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
        pytest.param(lambda s: box(s).update(area=1.0), "annotations: expected what the table says", id="an area"),
        pytest.param(lambda s: box(s).update(bbox=[0, 0, 1, 1]), "annotations: expected what", id="a box"),
        pytest.param(lambda s: box(s).update(iscrowd=1), "annotations: expected what the table says", id="a crowd"),
        pytest.param(lambda s: box(s).pop("iscrowd"), "annotations: expected what the table says", id="no crowd"),
        pytest.param(lambda s: box(s).update(score=0.5), "annotations: expected what", id="a score of people"),
        pytest.param(lambda s: box(s).update(segmentation=[[0.0] * 8]), "annotations: expected what", id="an outline"),
        pytest.param(
            lambda s: s.document["annotations"][1].pop("segmentation"), "annotations: expected what", id="no outline"
        ),
        pytest.param(
            lambda s: box(s).update(keypoints=[0.0] * 51, num_keypoints=0), "annotations: expected what", id="points"
        ),
        pytest.param(lambda s: box(s).update(num_keypoints=3), "annotations: expected what", id="their number"),
        pytest.param(
            lambda s: s.document["annotations"].pop(),
            "expected the 2 annotations of the split, got 0 others, and 1",
            id="a box less",
        ),
        pytest.param(
            lambda s: s.document["images"].append({**image(s), "id": 8}),
            "expected the 1 annotated images of the split, got 1 others, and 0 missing",
            id="an image that nobody annotated",
        ),
        pytest.param(
            lambda s: s.unannotated.update(annotations=[]),
            "expected a list of images without annotations",
            id="a truth",
        ),
        pytest.param(
            lambda s: s.unannotated["images"][0].update(height=81), "images: expected what the table says", id="others"
        ),
        pytest.param(
            lambda s: s.results.pop(), "expected 1 boxes, as in the table, got none for 1", id="a result less"
        ),
        pytest.param(
            lambda s: s.results.append({**s.results[0], "image_id": 8}),
            "expected boxes of the table, got 1",
            id="a result more",
        ),
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
        pytest.param(lambda s: s.results[0].update(keypoints=[]), id="no keypoints"),
        pytest.param(lambda s: s.document["info"].update(year=2026), id="more in the info"),
        pytest.param(lambda s: s.document["licenses"][0].update(text="free"), id="more of a licence"),
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
            lambda s: s.document["licenses"][0].update(name="mine"),
            "licence 1: name: expected 'CC0-1.0', got 'mine'",
            id="a name",
        ),
        pytest.param(
            lambda s: s.document["licenses"].append({"id": 3}),
            "expected 1 licences, as the images have, got 2",
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
    split.document["licenses"].insert(0, {"id": 1, "name": "mine", "url": "https://example.org/mine"})
    assert any(problem.startswith("coco/train.json: expected 1 licences") for problem in split.problems())


def test_a_purge_leaves_what_stands_above_the_lists():
    split = Split()
    split.images, split.drawn, split.detected = split.images[1:], [], split.detected[1:]
    split.document.update(images=[], annotations=[])
    split.results = []
    now = FACTS._replace(with_keypoints=())  # of the one that is gone
    assert split.problems(now._replace(is_amended=True)) == []
    licences, *keypoints = split.problems(now)  # of a file that was written so
    assert licences.startswith("coco/train.json: expected 0 licences, as the images have, got 1")
    assert all("None of category 'person'" in problem for problem in keypoints)


def test_after_a_purge_a_figure_may_have_keypoints_that_are_none():
    split = Split()
    split.drawn = split.drawn[1:]  # the other one of its category had keypoints
    split.document["annotations"] = split.document["annotations"][1:]
    now = FACTS._replace(with_keypoints=())
    assert split.problems(now._replace(is_amended=True)) == []
    assert len(split.problems(now)) == 3


def test_a_box_that_is_none_is_for_the_rules_of_its_table():
    split = Split()
    split.drawn[0]["xywh_px"] = [0.0, 0.0, 0.0, 1.0]
    assert split.problems() == []


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        pytest.param([("person", True), ("angel", False)], [], id="as they are written"),
        pytest.param(
            [("person", True), ("angel", True)],
            ["expected keypoints None of category 'angel', got ['nose',", "expected skeleton None of category 'angel'"],
            id="keypoints that nothing has",
        ),
        pytest.param([("angel", False), ("person", True)], ["expected the categories"], id="another order"),
        pytest.param([("person", True)], ["expected the categories ['person', 'angel'], got [(1,"], id="less"),
    ],
)
def test_categories_are_the_recipes_counted_from_1(entries: list[tuple[str, bool]], said: list[str]):
    categories = [
        category_entry(number, *plain(name), has_keypoints=has) for number, (name, has) in enumerate(entries, 1)
    ]
    found = list(verify.category_problems("coco/val.json", {"categories": categories}, FACTS.categories, {1}))
    assert len(found) == len(said)
    assert all(problem.startswith(f"coco/val.json: {text}") for problem, text in zip(found, said, strict=True))


GONE = "coco/train.unannotated.json: expected COCO files alone for which a split has images, got this one"


@pytest.mark.parametrize(
    ("files", "kinds", "has_detector", "said"),
    [
        pytest.param(PATHS, [True, False], True, [], id="all"),
        pytest.param(PATHS[:1], [True], False, [], id="all are annotated"),
        pytest.param(PATHS[1:2], [False], False, [], id="nobody annotated any"),
        pytest.param([], [], False, [], id="no images"),
        pytest.param(
            PATHS[:2],
            [True, False],
            True,
            ["manifest.json: expected coco/train.detections.json among its files, got none"],
            id="no detections",
        ),
        pytest.param(PATHS[:2], [True], False, [GONE], id="no such images"),
        pytest.param(
            [*PATHS[:1], "coco/dev.json"],
            [True],
            False,
            ["coco/dev.json: expected COCO files alone for which a split has images, got this one"],
            id="a split that there is not",
        ),
    ],
)
def test_files_of_all_splits(files: Sequence[str], kinds: list[bool], has_detector: bool, said: list[str]):
    def problems(*, is_amended: bool) -> list[str]:
        found = verify.file_problems(
            [*files, "README.md"], {"train": kinds}, has_detector=has_detector, is_amended=is_amended
        )
        return list(found)

    assert problems(is_amended=False) == said
    assert problems(is_amended=True) == [problem for problem in said if problem != GONE]
