"""A COCO document: what is in it, and one sentence for everything that is none."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.core.coco.reader import (
    Annotation,
    Document,
    LeftOut,
    Schemes,
    Unread,
    read_document,
    read_fields,
    read_json,
    read_text,
    without_odd_entries,
)
from tasks.core.passed_over import Tally
from tests.support.keypoints import ANIMAL_20, NAMES

NO_SCHEMES: Schemes = {}

IMAGE: dict[str, Any] = {"id": 7, "file_name": "a.png", "width": 40, "height": 30}
BOX: dict[str, Any] = {"id": 1, "image_id": 7, "category_id": 3, "bbox": [1, 2, 3, 4], "area": 10, "iscrowd": 0}


def document(**changes: Any) -> dict[str, Any]:
    return {"images": [IMAGE], "annotations": [BOX], "categories": [{"id": 3, "name": "person"}], **changes}


def read(value: Any, schemes: Schemes = NO_SCHEMES) -> Document:
    return read_document("file", json.dumps(value).encode(), schemes)


def test_a_document():
    got = read(document(info={"year": 2014}))
    assert [(key, image.file_name, image.metadata) for key, image in got.images.items()] == [(7, "a.png", {})]
    assert got.categories == {3: "person"}
    assert got.annotations == [Annotation(7, "person", [1.0, 2.0, 3.0, 4.0], 10.0, False, None, None, BOX)]
    assert (got.bad_annotations, got.info) == ([], {"year": 2014})


def test_a_document_of_nothing():
    nothing: dict[str, Any] = {"images": [], "annotations": [], "categories": []}
    assert read(nothing) == Document({}, {}, [], [], {}, nothing, [])


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b""])
def test_a_byte_order_mark_is_no_matter(mark: bytes):
    assert read_document("file", mark + json.dumps(document()).encode()).images.keys() == {7}


def test_ids_of_images_and_categories_may_be_text_or_whole_numbers_as_fractions():
    image, box = {**IMAGE, "id": "x"}, {**BOX, "image_id": "x", "category_id": 3.0}
    assert read(document(images=[image], annotations=[box])).annotations[0].image_id == "x"


@pytest.mark.parametrize(
    ("area", "expected"),
    [
        (10, 10.0),
        (None, 12.0),
        (0, 12.0),
        (-1, 12.0),
        (10**400, 12.0),
        (float("nan"), 12.0),
        ("10", 10.0),
        (1e15, 12.0),
    ],
)
def test_the_area_is_the_files_or_else_the_boxs(area: Any, expected: float):
    assert read(document(annotations=[{**BOX, "area": area}])).annotations[0].area_px2 == expected


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"bbox": [1, 2, float("inf"), 4]}, "expected a finite number, got inf"),
        ({"bbox": None}, "expected a list of numbers, got None"),
        ({"bbox": ["a", 0, 1, 1]}, "expected a number, got 'a'"),
        ({"bbox": [10**400, 0, 1, 1]}, "expected a number, got a number of 1,329 bits"),
        ({"iscrowd": 2}, "expected iscrowd to be 0 or 1, got 2"),
    ],
)
def test_an_annotation_that_can_not_be_read_is_kept_apart_with_its_reason(change: dict[str, Any], problem: str):
    got = read(document(annotations=[BOX, {**BOX, **change}]))
    assert len(got.annotations) == 1
    (bad,) = got.bad_annotations
    assert bad[:2] == (7, "person")
    assert problem in bad.problem


@pytest.mark.parametrize(
    ("others", "flat", "bad"),
    [
        pytest.param([BOX], 1, 0, id="beside a good box"),
        pytest.param([], 0, 1, id="alone: somebody has marked a figure, and nobody knows where"),
        pytest.param([{**BOX, "image_id": 8}], 0, 1, id="beside one of another image"),
        pytest.param([{**BOX, "category_id": 4}], 0, 1, id="beside one of another category"),
        pytest.param([BOX, {**BOX, "bbox": None}], 1, 1, id="beside a good and a bad one"),
    ],
)
def test_a_box_that_encloses_nothing_is_left_out_where_there_are_others(others: list[Any], flat: int, bad: int):
    categories = [{"id": 3, "name": "person"}, {"id": 4, "name": "dog"}]
    rows = [{**BOX, "bbox": [1, 2, 0, 4]}, *others]
    got = read(document(images=[IMAGE, {**IMAGE, "id": 8}], annotations=rows, categories=categories))
    assert (len(got.flat_annotations), len(got.bad_annotations)) == (flat, bad)
    assert all("positive width" in one.problem for one in got.flat_annotations)


@pytest.mark.parametrize(
    ("scheme", "keypoints", "problem"),
    [
        (NAMES, [1, 2, 2] * 17, None),
        (NAMES, None, None),
        (None, [], None),
        (None, [1, 2, 2] * 17, "expected COCO's 17 named in category 'person', got no names"),
        (["nose"], [1, 2, 2], "expected COCO's 17, got the 1 of category 'person' ('nose')"),
        (NAMES, [1, 2, 2], "expected 51 numbers, x, y and visibility of each of 17 points, got 3"),
        (NAMES, 5, "expected a list of 51 numbers, got 5"),
        (NAMES, {}, "expected a list of 51 numbers, got {}"),
        (5, False, "expected COCO's 17 named in category 'person', got no names"),
    ],
)
def test_keypoints_that_are_not_cocos_are_left_out_of_an_annotation_that_keeps_its_box(scheme, keypoints, problem):
    categories = [{"id": 3, "name": "person", "keypoints": scheme}]
    (got,) = read(document(annotations=[{**BOX, "keypoints": keypoints}], categories=categories)).annotations
    assert got.xywh_px == [1, 2, 3, 4]
    assert got.keypoints_problem == problem
    assert got.keypoints_xyv == (None if problem or not keypoints else [1.0, 2.0, 2.0] * 17)


ANIMALS = [1.0, 2.0, 2.0] * 20


@pytest.mark.parametrize(
    ("joints", "keypoints", "problem"),
    [
        (ANIMAL_20.joints, ANIMALS, None),
        ([joint.replace("_", "-").lower() for joint in ANIMAL_20.joints], ANIMALS, None),
        (ANIMAL_20.joints, [1, 2, 2] * 17, "expected 60 numbers, x, y and visibility of each of 20 points, got 51"),
        (NAMES, [1, 2, 2] * 17, "expected the 20 of animal-20, got the 17 of category 'dog' ('nose', 'left_eye', 'r"),
        (ANIMAL_20.joints[::-1], ANIMALS, "expected the 20 of animal-20, got the 20 of category 'dog' ('R_B_Paw'"),
        (None, ANIMALS, "expected the 20 of animal-20 named in category 'dog', got no names"),
    ],
)
def test_keypoints_are_those_of_the_recipes_category(joints, keypoints, problem):
    text = document(
        annotations=[{**BOX, "keypoints": keypoints}], categories=[{"id": 3, "name": "dog", "keypoints": joints}]
    )
    (got,) = read(text, {"dog": ANIMAL_20}).annotations
    assert got.keypoints_xyv == (None if problem else ANIMALS)
    assert (got.keypoints_problem or "").startswith(problem or "")
    assert bool(got.keypoints_problem) is bool(problem)


def test_a_category_without_keypoints_takes_none():
    text = document(annotations=[{**BOX, "keypoints": [1, 2, 2]}, {**BOX, "keypoints": []}])
    some, none = read(text, {"person": None}).annotations
    assert some.keypoints_problem == (
        "expected none in category 'person', which has no keypoints in the recipe, got some"
    )
    assert (some.keypoints_xyv, none.keypoints_xyv, none.keypoints_problem) == (None, None, None)


def test_an_annotation_without_a_box_can_not_be_read():
    row = {name: value for name, value in BOX.items() if name != "bbox"}
    assert len(read(document(annotations=[row])).bad_annotations) == 1


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "file: expected a COCO file, an object, got list"),
        (None, "file: expected a COCO file, an object, got NoneType"),
        (document(images=None), "got no list of objects under 'images'"),
        (document(images=["a.png"]), "got no list of objects under 'images'"),
        (document(annotations=[BOX, 3]), "got no list of objects under 'annotations': annotations[1] is 3"),
        ({"images": [], "annotations": []}, "got no list of objects under 'categories'"),
        (document(images=[{**IMAGE, "id": None}]), "file: images[0].id: expected a whole number or text, got None"),
        (document(images=[{**IMAGE, "id": True}]), "images[0].id: expected a whole number or text, got True"),
        (document(images=[IMAGE, IMAGE]), "file: expected each image id once, got 1 id (7) more than once"),
        (document(images=[{**IMAGE, "file_name": 5}]), "expected images[0] (id 7) to have a file_name, got 5"),
        (document(images=[{**IMAGE, "file_name": ""}]), "expected images[0] (id 7) to have a file_name, got ''"),
        (document(images=[{"id": 7}]), "expected images[0] (id 7) to have a file_name, got None"),
        (document(categories=[{"id": 3}]), "expected categories[0].name to be text, got None"),
        (document(categories=[{"id": [], "name": "x"}]), "categories[0].id: expected a whole number or text, got []"),
        (
            document(categories=[{"id": 3, "name": "person"}, {"id": 3, "name": "dog"}]),
            "expected each category id once, got 1 id (3) more than once",
        ),
        (
            document(annotations=[{**BOX, "image_id": 9}]),
            "have an image_id and a category_id of the file, got 1 without",
        ),
        (
            document(annotations=[{**BOX, "image_id": "7"}]),
            "got 1 without, the first annotations[0] (id 1), image_id '7'",
        ),
        (document(annotations=[BOX, {**BOX, "image_id": [9]}, {**BOX, "category_id": 2}]), "got 2 without"),
        (document(annotations=[{**BOX, "category_id": 2}]), "annotations[0] (id 1), category_id 2"),
    ],
)
def test_what_is_no_coco_file_is_refused_in_one_sentence(value: Any, message: str):
    with pytest.raises(BadInput) as caught:
        read(value)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"{", b"[" * 100_000, b"\xff\xfe\x00", b"<x>"], ids=lambda data: repr(data[:8]))
def test_what_is_no_json_is_refused(data: bytes):
    with pytest.raises(BadInput, match="file: expected JSON, got something else"):
        read_json("file", data)


@pytest.mark.parametrize(
    ("value", "expected"), [("a", "a"), ("\ud800a", "?a"), ("", None), (5, None), (None, None), (["a"], None)]
)
def test_text_can_be_stored(value: Any, expected: str | None):
    assert read_text(value) == expected


words = st.sampled_from([*IMAGE, *BOX, "name", "images", "annotations", "categories", "keypoints", "metadata", "info"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=5),
    max_leaves=12,
)


@given(json_values, json_values)
def test_no_json_ends_in_anything_but_a_document_or_a_sentence(image: Any, box: Any):
    image = {**IMAGE, **image} if isinstance(image, dict) else image
    box = {**BOX, **box} if isinstance(box, dict) else box
    category = {"id": 3, "name": "person", "keypoints": box}
    for value in (
        image,
        box,
        document(images=[image]),
        document(annotations=[box]),
        document(categories=[box, category]),
        document(categories=[category], annotations=[{**BOX, "keypoints": image}]),
        document(info=box, annotations=[{**BOX, "bbox": image, "area": box, "iscrowd": box}]),
    ):
        check_sentences(value)


numbers = st.sampled_from([0, 1, 2, -1, 0.5, 1e7, 1e8, 10**400, "1", "x", None, True, [1], {}]) | st.floats()


@given(st.lists(numbers, max_size=60) | st.lists(numbers, min_size=51, max_size=51), st.lists(numbers, max_size=6))
def test_lists_of_anything_for_points_and_sides_end_in_an_annotation_or_a_sentence(keypoints: Any, bbox: Any):
    for scheme in (list(NAMES), None, bbox):
        category = {"id": 3, "name": "person", "keypoints": scheme}
        check_sentences(document(annotations=[{**BOX, "keypoints": keypoints, "bbox": bbox}], categories=[category]))
        got = read(document(annotations=[{**BOX, "keypoints": keypoints}], categories=[category])).annotations[0]
        assert (got.keypoints_xyv is None) == (got.keypoints_problem is not None or not keypoints)


def check_sentences(value: Any) -> None:
    """Read a document; whatever is said of it is one sentence that can be written."""
    try:
        got = read(value)
    except BadInput as problem:
        told = [str(problem)]
    else:
        told = [bad.problem for bad in got.bad_annotations]
        told += [one.keypoints_problem for one in got.annotations if one.keypoints_problem]
    for sentence in told:
        assert "expected" in sentence
        assert "got" in sentence
        assert "\n" not in sentence
        sentence.encode()


@pytest.mark.parametrize("part", ["images", "annotations", "categories"])
def test_a_part_that_stands_twice_is_refused(part: str):
    data = f'{{"images": [], "annotations": [], "categories": [], "{part}": []}}'.encode()
    with pytest.raises(BadInput, match=f"^file: expected one list under '{part}', got 2$"):
        read_document("file", data)


def test_the_names_of_parts_may_be_values():
    data = b'{"images": [{"id": 1, "file_name": "images"}], "annotations": [], "categories": [], "images2": "images"}'
    assert [image.file_name for image in read_document("file", data).images.values()] == ["images"]


@pytest.mark.parametrize(
    ("image", "info", "place"),
    [
        pytest.param('"id": 1, "id": 2', "", r"'id' 2 times in images\[0\] \(id 2\)", id="in a row"),
        pytest.param(
            '"id": "x", "a": [{"b": {"c": 1, "c": 1, "c": 2}}]',
            "",
            r"'c' 3 times in images\[0\] \(id 'x'\)",
            id="deep in a row",
        ),
        pytest.param('"id": 1', '"d": 1, "d": 1', r"'d' 2 times in its fields", id="in its info"),
    ],
)
def test_a_key_that_stands_twice_in_an_object_is_refused_with_its_row(image: str, info: str, place: str):
    """Readers take the last, and the other's value would be lost."""
    data = f'{{"images": [{{{image}, "file_name": "a"}}], "annotations": [], "categories": [], "info": {{{info}}}}}'
    with pytest.raises(BadInput, match=f"^file: expected each key once in an object, got {place}$"):
        read_document("file", data.encode())


PLAIN_IMAGE, PLAIN_BOX = {"id": 1, "file_name": "a.jpg"}, {"image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1]}


@pytest.mark.parametrize(
    ("images", "annotations", "kinds"),
    [
        ([PLAIN_IMAGE], [PLAIN_BOX], {}),
        ([PLAIN_IMAGE, None, 3], [PLAIN_BOX], {"entries of `images` that are no objects": 2}),
        ([PLAIN_IMAGE, {"id": 2}], [PLAIN_BOX, {**PLAIN_BOX, "image_id": 2}],
         {"images without a file name": 1, "annotations of no image of the file": 1}),
        ([PLAIN_IMAGE], [PLAIN_BOX, "box"], {"entries of `annotations` that are no objects": 1}),
        ([PLAIN_IMAGE], [PLAIN_BOX, {}], {"annotations of no image of the file": 1}),
        ([{**PLAIN_IMAGE, "id": "x"}], [{**PLAIN_BOX, "image_id": "x"}], {}),
        ([{**PLAIN_IMAGE, "id": 1.0}], [PLAIN_BOX], {}),
    ],
)  # fmt: skip
def test_odd_entries(images: list[Any], annotations: list[Any], kinds: dict[str, int]):
    left_out = LeftOut(Tally(), Tally())
    got, _ = without_odd_entries({"images": images, "annotations": annotations, "info": 1}, left_out)
    assert (len(got["images"]), len(got["annotations"]), got["info"]) == (1, 1, 1)
    assert {row.kind: row.count for tally in left_out for row in tally.rows(("art",), "x", 9)} == kinds


@pytest.mark.parametrize("document", [None, [], {"images": []}, {"images": {}, "annotations": []}])
def test_what_is_no_document_is_the_readers_matter(document: Any):
    left_out = LeftOut(Tally(), Tally())
    assert without_odd_entries(document, left_out)[0] is document
    assert (left_out.images.total, left_out.annotations.total) == (0, 0)


@pytest.mark.parametrize(
    "image", [{"file_name": "a.jpg"}, {"id": 2**63, "file_name": "a.jpg"}, {"id": True, "file_name": "a"}]
)
def test_an_image_whose_id_is_none_stays_for_the_reader_to_refuse(image: Any):
    got, _ = without_odd_entries({"images": [image], "annotations": []}, LeftOut(Tally(), Tally()))
    assert got["images"] == [image]


@pytest.mark.parametrize(
    ("image", "words"),
    [
        pytest.param({"file_name": "b.jpg"}, r"images\[4\]\.id", id="no id"),
        pytest.param({"file_name": "b.jpg", "id": 1}, "1 at the places 0, 4 of their list", id="one that stands twice"),
    ],
)
def test_places_are_those_of_the_file_whatever_was_left_out_before(image: dict[str, Any], words: str):
    document = {"images": [PLAIN_IMAGE, None, 7, {"id": 5}, image], "annotations": [], "categories": []}
    with pytest.raises(BadInput, match=words):
        read_fields("a.json", document, left_out=LeftOut(Tally(), Tally()))


def test_what_a_tools_reader_could_not_read_is_told_in_its_words_and_a_text_of_json_is_none():
    rows = [
        BOX,
        {"image_id": 7, "unread": Unread("a line", "expected a number, got a line")},
        {**BOX, "unread": "a line"},
    ]
    got = read_fields("file", document(annotations=rows))
    assert [(one.image_id, one.category, one.problem) for one in got.bad_annotations] == [
        (7, "", "expected a number, got a line")
    ]
    assert len(got.annotations) == 2
    assert json.dumps(rows[1]) == '{"image_id": 7, "unread": "a line"}'
