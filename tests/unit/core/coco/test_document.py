"""COCO documents: which images stand in them, and each field as the format has it."""

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycocotools import mask

from schemas.attributes import Attribute, with_attribute_columns
from schemas.keypoints import CocoCategory, resolve_categories
from schemas.tables import ANNOTATIONS, CATEGORIES, DETECTIONS
from tasks.core.coco import document as coco
from tasks.core.coco.box import BadBox
from tasks.core.coco.document import annotation_entry, category_table, category_table_problems, result_entry
from tasks.core.coco.reader import read_document
from tasks.core.coco.results import Detection, read_results
from tasks.core.export.images import IMAGES_BY_DIGEST
from tests.support import rowwise
from tests.support.keypoints import ANIMAL_20, COCO_17, NAMES, ZOO, plain

PERSON = plain("person")

CC0 = "https://creativecommons.org/publicdomain/zero/1.0/"
BY = "https://creativecommons.org/licenses/by/4.0/"


def image(number: int, **said: Any) -> dict[str, Any]:
    return {
        **dict.fromkeys(IMAGES_BY_DIGEST.names),
        "record_id": f"s:{number}",
        "image_id": number,
        "sha256": f"{number:064x}",
        "format": "JPEG",
        "width_px": 640,
        "height_px": 480,
        "rights_uri": CC0,
        "is_annotated": False,
        "split": "train",
        "image": {"bytes": None, "path": None},
        **said,
    }


def box(number: int, image_id: int = 1, **said: Any) -> dict[str, Any]:
    return {
        **dict.fromkeys(ANNOTATIONS.names),
        "annotation_id": number,
        "image_id": image_id,
        "record_id": f"s:{image_id}",
        "category_id": 1,
        "xywh_px": [10.0, 20.0, 30.0, 40.5],
        "area_px2": 1215.0,
        "is_crowd": False,
        "origin": "source",
        "origin_name": "source",
        **said,
    }


def found(number: int, score: float, image_id: int = 1, **said: Any) -> dict[str, Any]:
    same = {name: value for name, value in box(number, image_id).items() if name in DETECTIONS.names}
    return {**same, "detection_id": number, "score": score, "model": "yolox@0", **said}


def document(
    images: list[dict[str, Any]], boxes: list[dict[str, Any]], categories: Sequence[CocoCategory] = PERSON
) -> dict[str, Any]:
    got = coco.split_document(
        pa.Table.from_pylist(images, schema=IMAGES_BY_DIGEST),
        pa.Table.from_pylist(boxes, schema=ANNOTATIONS),
        categories,
        {"version": "v"},
    )
    assert json.loads(json.dumps(got)) == got
    return got


def unannotated(images: list[dict[str, Any]]) -> dict[str, Any]:
    table = pa.Table.from_pylist(images, schema=IMAGES_BY_DIGEST)
    places = coco.annotated_places(table, "train", is_annotated=False)
    chunks = coco.unannotated_chunks(table, PERSON, {"version": "v"}, places)
    found: dict[str, Any] = json.loads(b"".join(map(bytes, chunks)))
    return found


# --- which images


def test_a_truth_has_the_annotated_images_alone_and_negatives_among_them():
    images = [image(1, is_annotated=True), image(2), image(3, is_annotated=True)]
    got = document(images, [box(5)])
    assert got["info"] == {"version": "v", "annotation_origin": "people"}
    assert [entry["id"] for entry in got["images"]] == [1, 3]
    assert [entry["image_id"] for entry in got["annotations"]] == [1]


def test_images_that_nobody_annotated_are_listed_without_annotations():
    got = unannotated([image(1, is_annotated=True), image(2), image(3, split="val")])
    assert got["info"] == {"version": "v"}
    assert [(entry["id"], entry["is_annotated"]) for entry in got["images"]] == [(2, False)]
    assert "annotations" not in got
    assert got["categories"] == [{"id": 1, "name": "person", "supercategory": "person"}]


# --- fields


def test_a_box_without_an_outline_has_none():
    (got,) = document([image(1, is_annotated=True)], [box(5)])["annotations"]
    assert got == {
        "id": 5,
        "image_id": 1,
        "category_id": 1,
        "bbox": [10.0, 20.0, 30.0, 40.5],
        "area": 1215.0,
        "iscrowd": 0,
    }


def test_an_outline_is_its_sources_and_a_crowds_is_written_as_run_lengths():
    outline = "[[0,0,2,0,2,2,0,2]]"
    boxes = [box(5, segmentation=outline), box(6, segmentation=outline, is_crowd=True), box(7, is_crowd=True)]
    figure, crowd, bare = document([image(1, is_annotated=True, width_px=3, height_px=4)], boxes)["annotations"]
    assert figure["segmentation"] == [[0, 0, 2, 0, 2, 2, 0, 2]]
    assert crowd["segmentation"] == {"size": [4, 3], "counts": [0, 2, 2, 2, 6]}
    assert mask.area(mask.frPyObjects(crowd["segmentation"], 4, 3)) == 4
    assert "segmentation" not in bare


def test_a_crowd_is_1():
    (got,) = document([image(1, is_annotated=True)], [box(5, is_crowd=True)])["annotations"]
    assert got["iscrowd"] == 1
    assert type(got["iscrowd"]) is int


@pytest.mark.parametrize(
    ("keypoints", "expected"),
    [
        pytest.param([1.0, 2.0, 2.0, 3.0, 4.0, 1.0, 0.0, 0.0, 0.0], 2, id="those that are given or inferred count"),
        pytest.param([0.0] * 51, 0, id="all absent"),
    ],
)
def test_keypoints_stand_with_their_number(keypoints: list[float], expected: int):
    (got,) = document([image(1, is_annotated=True)], [box(5, keypoints_xyv=keypoints)])["annotations"]
    assert got["keypoints"] == keypoints
    assert got["num_keypoints"] == expected


def test_a_category_without_keypoints_names_none_and_neither_do_its_annotations():
    got = document([image(1, is_annotated=True)], [box(5)])
    assert not {"keypoints", "num_keypoints", "score"} & set(got["annotations"][0])
    assert got["categories"] == [{"id": 1, "name": "person", "supercategory": "person"}]


def test_where_any_figure_of_a_category_has_keypoints_all_of_it_say_how_many():
    posed = [1.0, 2.0, 2.0] * 17
    boxes = [box(5, keypoints_xyv=posed), box(6), box(7, category_id=2)]
    got = document([image(1, is_annotated=True)], boxes, plain("person", "dog"))
    assert [entry.get("num_keypoints") for entry in got["annotations"]] == [17, 0, None]
    assert got["annotations"][1]["keypoints"] == [0] * 51
    assert ["keypoints" in entry for entry in got["categories"]] == [True, False]


def test_an_image_says_where_it_comes_from():
    said = {
        "source_url": "https://m.example/1",
        "title": "T",
        "artist": "A",
        "style": "Cubism",
        "year": 1911,
        "image_url": "https://m.example/1.jpg",
    }
    (got,) = document([image(1, is_annotated=True, **said)], [])["images"]
    assert got == {
        "id": 1,
        "license": 1,
        "width": 640,
        "height": 480,
        "file_name": f"{1:064x}.jpg",
        "coco_url": "https://m.example/1.jpg",
        "is_annotated": True,
        "metadata": {
            "record_id": "s:1",
            "source_url": "https://m.example/1",
            "title": "T",
            "artist": "A",
            "style": "Cubism",
            "year": 1911,
            "sha256": f"{1:064x}",
            "rights_uri": CC0,
            "rights_text": None,
        },
    }


def test_attributes_stand_in_an_images_metadata_in_their_types():
    said = {"ziggurat": True, "aside": None, "of": 7, "size": 2.0, "methods": ["oil", 'say "hi"']}
    table = pa.Table.from_pylist(
        [image(1, is_annotated=True, **said)], schema=with_attribute_columns(IMAGES_BY_DIGEST, ATTRIBUTES)
    )
    found = coco.split_document(table, ANNOTATIONS.empty_table(), PERSON, {})["images"][0]["metadata"]
    assert {name: found[name] for name in said} == said
    assert [type(found[name]) for name in ("ziggurat", "of", "size")] == [bool, int, float]


def test_an_image_that_lies_as_a_file_is_named_by_its_path_and_one_without_an_address_has_none():
    (got,) = document([image(1, is_annotated=True, image={"bytes": None, "path": "media/00/x.jpg"})], [])["images"]
    assert (got["file_name"], got["coco_url"]) == ("media/00/x.jpg", "")


def test_licences_are_those_of_the_images_each_once_from_1():
    uris = enumerate(("NOASSERTION", BY, CC0, BY), 1)
    got = document([image(number, is_annotated=True, rights_uri=uri) for number, uri in uris], [])
    assert got["licenses"] == [
        {"id": 1, "name": "NOASSERTION", "url": "NOASSERTION"},
        {"id": 2, "name": "CC-BY-4.0", "url": BY},
        {"id": 3, "name": "CC0-1.0", "url": CC0},
    ]
    assert [entry["license"] for entry in got["images"]] == [1, 2, 3, 2]


def test_categories_count_from_1():
    boxes = [box(5, keypoints_xyv=[1.0, 2.0, 2.0] * 17)]
    person, dog = document([image(1, is_annotated=True)], boxes, plain("person", "dog"))["categories"]
    assert dog == {"id": 2, "name": "dog", "supercategory": "dog"}
    assert (person["id"], person["name"]) == (1, "person")
    assert len(person["keypoints"]) == 17
    assert person["keypoints"][:3] == ["nose", "left_eye", "right_eye"]
    assert {end for bone in person["skeleton"] for end in bone} == set(range(1, 18))  # counted from 1


def test_another_category_says_which_keypoints_its_boxes_have():
    boxes = [box(5, category_id=2, keypoints_xyv=[1.0, 2.0, 2.0] * 17), box(6)]
    person, saint, dog = document([image(1, is_annotated=True)], boxes, categories=plain("person", "saint", "dog"))[
        "categories"
    ]
    assert saint["keypoints"] == list(NAMES)
    assert "keypoints" not in person
    assert "keypoints" not in dog


def test_each_category_names_the_joints_of_its_own_scheme():
    categories = resolve_categories(ZOO)
    entries = [coco.category_entry(number, of, has_keypoints=True) for number, of in enumerate(categories, 1)]
    person, dog, face, thing, angel = entries
    assert person["keypoints"] == angel["keypoints"] == list(NAMES)
    assert (dog["supercategory"], dog["keypoints"]) == ("animal", list(ANIMAL_20.joints))
    assert dog["skeleton"][:2] == [[1, 2], [1, 3]]
    assert (face["keypoints"][-1], face["skeleton"]) == ("kpt-105", [])
    assert thing == {"id": 4, "name": "thing", "supercategory": "thing"}


BONES = """
    left_ankle left_knee, left_knee left_hip, right_ankle right_knee, right_knee right_hip, left_hip right_hip,
    left_shoulder left_hip, right_shoulder right_hip, left_shoulder right_shoulder, left_shoulder left_elbow,
    right_shoulder right_elbow, left_elbow left_wrist, right_elbow right_wrist, left_eye right_eye, nose left_eye,
    nose right_eye, left_eye left_ear, right_eye right_ear, left_ear left_shoulder, right_ear right_shoulder
"""


def test_the_skeleton_is_cocos_bone_by_bone():
    person = coco.category_entry(1, *PERSON, has_keypoints=True)
    names = [f"{person['keypoints'][one - 1]} {person['keypoints'][two - 1]}" for one, two in person["skeleton"]]
    assert names == [" ".join(bone.split()) for bone in BONES.split(",")]


def test_left_stands_before_right_in_every_pair_of_keypoints():
    pairs = NAMES[1:]
    assert all(
        (one.removeprefix("left_") == two.removeprefix("right_")) and one != two
        for one, two in zip(pairs[::2], pairs[1::2], strict=True)
    )


# --- detections


def test_detections_are_the_boxes_of_the_detector_from_a_score_on():
    boxes = pa.Table.from_pylist([found(7, 0.01), found(8, 0.9, 2)], schema=DETECTIONS)
    low, high = (
        {"image_id": number, "category_id": 1, "bbox": [10.0, 20.0, 30.0, 40.5], "score": score}
        for number, score in ((1, 0.01), (2, 0.9))
    )
    assert coco.split_results(boxes) == [low, high]
    assert coco.split_results(boxes, 0.5) == [high]
    assert coco.split_results(DETECTIONS.empty_table()) == []


def test_a_detectors_keypoints_stand_in_its_results():
    keypoints = [1.0, 2.0, 2.0] + [0.0] * 48
    boxes = [found(7, 0.9, keypoints_xyv=keypoints), found(8, 0.8)]
    first, second = coco.split_results(pa.Table.from_pylist(boxes, schema=DETECTIONS))
    assert first["keypoints"] == keypoints
    assert "keypoints" not in second


# --- paths


@pytest.mark.parametrize(
    ("form", "ending"),
    [
        pytest.param("JPEG", "jpg", id="the usual ending"),
        pytest.param("JPEG2000", "jp2", id="one with a number"),
        pytest.param("MPO", "bin", id="a format that has none here"),
    ],
)
def test_files_are_named_by_their_digest(form: str, ending: str):
    assert coco.file_name("ab" * 32, form) == f"{'ab' * 32}.{ending}"
    assert coco.media_path("ab" * 32, form) == f"media/ab/{'ab' * 32}.{ending}"
    assert coco.media_paths(pa.array(["ab" * 32]), pa.array([form]))[0].as_py() == coco.media_path("ab" * 32, form)


# --- as row by row, byte by byte

WORDS = st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=8), st.text('a"\\\n\x01é/'))
SIDES = st.one_of(st.integers(1, 9000).map(lambda tenths: tenths / 10), st.floats(1e-6, 1e7))
PLACES = st.one_of(SIDES, SIDES.map(lambda side: -side), st.just(0.0))
IMAGES = st.builds(
    dict,
    record_id=st.sampled_from(["s:1", "ü:\t2"]),
    **dict.fromkeys(("title", "artist", "style", "source_url", "image_url"), WORDS),
    year=st.one_of(st.none(), st.integers(1000, 2099)),
    rights_uri=st.sampled_from([CC0, BY, "NOASSERTION"]),
    format=st.sampled_from(["JPEG", "PNG", "MPO"]),
    is_annotated=st.booleans(),
    image=st.sampled_from([{"bytes": None, "path": None}, {"bytes": "x", "path": "media/00/x.jpg"}]),
    aside=WORDS,
    of=st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)),
    size=st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)),
    ziggurat=st.one_of(st.none(), st.booleans()),
    methods=st.one_of(st.none(), st.lists(WORDS.filter(lambda word: word is not None), max_size=3)),
)
ATTRIBUTES = {
    "ziggurat": Attribute(type="boolean"),
    "aside": Attribute(type="string"),
    "of": Attribute(type="integer"),
    "size": Attribute(type="number"),
    "methods": Attribute(type="strings"),
}
"""Not sorted, and between COCO's own fields when they are."""
BOXES = st.builds(
    dict,
    category_id=st.sampled_from([1, 2]),
    xywh_px=st.tuples(PLACES, PLACES, SIDES, SIDES).map(list),
    area_px2=SIDES,
    source_area_px2=st.none() | SIDES,
    segmentation=st.sampled_from([None, '{"counts":"Ül\\\\1","size":[4,5]}']),
    is_crowd=st.booleans(),
    keypoints_xyv=st.one_of(st.none(), st.lists(st.one_of(PLACES, st.integers(0, 2).map(float)), max_size=9)),
)
FOUND = st.builds(
    dict,
    category_id=st.sampled_from([1, 2]),
    xywh_px=st.tuples(PLACES, PLACES, SIDES, SIDES).map(list),
    keypoints_xyv=st.one_of(st.none(), st.lists(st.one_of(PLACES, st.integers(0, 2).map(float)), max_size=9)),
    score=st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0])),
)


@given(st.lists(IMAGES, max_size=6), st.lists(BOXES, max_size=6), st.lists(FOUND, max_size=6), st.integers(1, 4))
def test_the_files_are_as_row_by_row(images: list[Any], boxes: list[Any], several: list[Any], batch: int):
    table = pa.Table.from_pylist(
        [image(number, **of) for number, of in enumerate(images)],
        schema=with_attribute_columns(IMAGES_BY_DIGEST, ATTRIBUTES),
    )
    drawn = pa.Table.from_pylist([box(number, **of) for number, of in enumerate(boxes)], schema=ANNOTATIONS)
    detected = pa.Table.from_pylist([found(number, **of) for number, of in enumerate(several)], schema=DETECTIONS)
    info, categories, numbers = {"version": "é"}, plain("person", "dog"), coco.keypoint_categories(drawn)
    here, others = (coco.annotated_places(table, is_annotated=is_annotated) for is_annotated in (True, False))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coco, "_BATCH", batch)
        got = b"".join(map(bytes, coco.document_chunks(table, drawn, categories, info, here, numbers)))
        rest = b"".join(map(bytes, coco.unannotated_chunks(table, categories, info, others)))
        results = b"".join(map(bytes, coco.results_chunks(detected, 0.5)))
    assert got == as_json(rowwise.split_document(table, drawn, categories, info, numbers))
    assert rest == as_json(rowwise.unannotated(table, categories, info))
    assert results == as_json(rowwise.split_results(detected, 0.5))


def as_json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def test_a_box_that_is_none_is_not_written():
    none = {"xywh_px": [0.0, 0.0, 0.0, 1.0]}
    drawn = pa.Table.from_pylist([box(7), box(8, **none)], schema=ANNOTATIONS)
    detected = pa.Table.from_pylist([found(7, 0.9), found(8, 0.9, **none)], schema=DETECTIONS)
    for chunks in (
        coco.results_chunks(detected, 0.0),
        coco.document_chunks(IMAGES_BY_DIGEST.empty_table(), drawn, PERSON, {}, pa.array([], pa.int64()), ()),
    ):
        with pytest.raises(BadBox, match="expected a box of positive width"):
            list(chunks)


def test_an_annotation_that_is_written_can_be_read():
    entry = annotation_entry(5, 7, 1, (1, 2, 3, 4.5), 13.5, is_crowd=True)
    assert (entry["bbox"], entry["area"], entry["iscrowd"]) == ([1.0, 2.0, 3.0, 4.5], 13.5, 1)
    document = {
        "images": [{"id": 7, "file_name": "a"}],
        "categories": [{"id": 1, "name": "x"}],
        "annotations": [entry],
    }
    (got,) = read_document("file", json.dumps(document).encode()).annotations
    assert got == (7, "x", [1.0, 2.0, 3.0, 4.5], 13.5, True, None, None, entry)


def test_a_result_that_is_written_can_be_read():
    entry = result_entry(7, 1, [1, 2, 3, 4.5], 0.5)
    got = read_results("file", json.dumps([entry]).encode())
    assert got == ([Detection(7, 1, [1.0, 2.0, 3.0, 4.5], 0.5, None)], 0)


def test_what_is_no_box_is_not_written():
    with pytest.raises(BadBox, match="expected a box of positive width and height"):
        result_entry(7, 1, [1, 2, 0, 4], 0.5)
    with pytest.raises(BadBox, match="expected a finite number"):
        annotation_entry(5, 7, 1, [1, 2, float("nan"), 4], 1.0, is_crowd=False)


CATEGORIES_OF_ZOO = resolve_categories(ZOO)


def test_each_category_has_its_scheme_written_out():
    table = category_table(CATEGORIES_OF_ZOO)
    assert table.schema == CATEGORIES
    person, dog, face, thing, angel = table.to_pylist()
    assert dog == {
        "category_id": 2,
        "name": "dog",
        "supercategory": "animal",
        "keypoint_scheme": "animal-20",
        "keypoints": list(ANIMAL_20.joints),
        "skeleton": [
            *(1, 2, 1, 3, 2, 4, 1, 5, 2, 5, 5, 6, 6, 8, 7, 8, 6, 9, 9, 13, 13, 17, 6, 10, 10, 14, 14, 18),
            *(7, 11, 11, 15, 15, 19, 7, 12, 12, 16, 16, 20),
        ],
        "flip_pairs": [1, 2, 3, 4, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20],
        "sigmas": None,
    }
    assert person["sigmas"] == list(COCO_17.sigmas or ())
    assert person["skeleton"][:4] == [16, 14, 14, 12]
    assert {**person, "category_id": 5, "name": "angel", "supercategory": "angel"} == angel
    assert (len(face["keypoints"]), face["skeleton"], face["sigmas"]) == (106, [], None)
    assert thing == {**dict.fromkeys(CATEGORIES.names), "category_id": 4, "name": "thing", "supercategory": "thing"}


def test_no_categories_are_a_table_without_rows():
    assert category_table(()).equals(CATEGORIES.empty_table())


def test_what_follows_from_the_recipe_has_no_problem():
    assert list(category_table_problems(category_table(CATEGORIES_OF_ZOO), CATEGORIES_OF_ZOO)) == []


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("category_id", 2, "categories.category_id of 'person': expected 1, as recipe.yaml says, got 2"),
        ("name", None, "categories.name of 'person': expected 'person', as recipe.yaml says, got None"),
        ("keypoint_scheme", "coco", "expected 'coco-17', as recipe.yaml says, got 'coco'"),
        ("keypoints", ["nose"], "got ['nose']"),
        ("skeleton", [1], "got [1]"),
        ("sigmas", [0.1] * 17, "categories.sigmas of 'person': expected [0.026, 0.025,"),
    ],
)
def test_what_does_not_follow_from_the_recipe_is_told(column: str, value: Any, said: str):
    categories = plain("person")
    rows = [{**category_table(categories).to_pylist()[0], column: value}]
    (problem,) = category_table_problems(pa.Table.from_pylist(rows, schema=CATEGORIES), categories)
    assert said in problem


def test_rows_that_are_more_or_less_are_told():
    found = list(category_table_problems(category_table(plain("person", "dog")), plain("person")))
    assert found == ["categories: expected 1 rows, as recipe.yaml has categories, got 2"]
