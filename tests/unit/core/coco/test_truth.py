"""What people drew, out of a COCO file: what counts, what is left out, and one sentence for everything that is no such
file.
"""

import json
from typing import Any

import pyarrow as pa
import pytest

from schemas.errors import BadInput
from schemas.tables import BOXES
from tasks.core.coco.truth import check_boxes, figure_table, read_truth_file

IMAGE = {"id": 7, "file_name": "a.png", "width": 40, "height": 30}
BOX = {"id": 1, "image_id": 7, "category_id": 1, "bbox": [1, 2, 3, 4], "area": 10, "iscrowd": 0}


def document(**changes: Any) -> dict[str, Any]:
    return {"images": [IMAGE], "annotations": [BOX], "categories": [{"id": 1, "name": "person"}], **changes}


def read(value: Any, category: str = "person") -> Any:
    return read_truth_file("truth", json.dumps(value).encode(), [category])


def test_an_image_and_its_box():
    got = read(document())
    assert got.images == [
        {"image_id": 7, "file_name": "a.png", "split": None, "style": None, "width_px": 40, "height_px": 30}
    ]
    assert got.figures == [
        {
            "image_id": 7,
            "category": "person",
            "xywh_px": [1.0, 2.0, 3.0, 4.0],
            "is_crowd": False,
            "area_px2": 10.0,
            "keypoints_xyv": None,
        }
    ]
    assert (got.notes, got.category_ids, got.ids) == ((), {"person": 1}, frozenset({7}))


@pytest.mark.parametrize(
    ("said", "style"),
    [
        ({"style": "Rococo"}, "Rococo"),
        ({"wikiart_style": "Ukiyo-e"}, "Ukiyo-e"),
        ({"style": "", "wikiart_style": "Cubism"}, "Cubism"),
        ({"style": 4}, None),
        ({"style": "\ud800Cubism"}, "?Cubism"),
        ("Cubism", None),
        (None, None),
    ],
)
def test_the_style_is_ours_or_poparts_or_unknown(said: Any, style: str | None):
    assert read(document(images=[{**IMAGE, "metadata": said}])).images[0]["style"] == style


def test_half_a_character_in_a_name_is_a_question_mark_so_that_it_can_be_stored_and_looked_for():
    image = read(document(images=[{**IMAGE, "file_name": "\udfffa.png", "split": "te\ud800st"}])).images[0]
    assert (image["file_name"], image["split"]) == ("?a.png", "te?st")


@pytest.mark.parametrize(("said", "is_looked_at"), [(True, True), (False, False), (None, True)])
def test_an_image_counts_unless_it_says_that_nobody_looked(said: Any, is_looked_at: bool):
    got = read(document(images=[{**IMAGE, "is_annotated": said}]))
    assert (len(got.images), len(got.figures)) == (int(is_looked_at), int(is_looked_at))
    assert got.ids == {7}


@pytest.mark.parametrize(
    "change",
    [
        {"bbox": [1, 2, 0, 4]},
        {"bbox": [1, 2, 3]},
        {"bbox": [1, 2, 3, float("inf")]},
        {"bbox": "1 2 3 4"},
        {"bbox": None},
        {"bbox": [1, 2, 3, True]},
        {"bbox": [1, 2, 10**400, 4]},
        {"bbox": [1, 2, 1e300, 4]},
        {"iscrowd": 2},
    ],
)
def test_an_image_with_an_annotation_that_can_not_be_read_is_left_out_with_a_note(change: dict[str, Any]):
    other = {**IMAGE, "id": 8}
    got = read(document(images=[IMAGE, other], annotations=[{**BOX, **change}, {**BOX, "image_id": 8}]))
    assert [row["image_id"] for row in got.images] == [8]
    assert [row["image_id"] for row in got.figures] == [8]
    assert got.notes == ("left out because an annotation can't be read: 1 image (7)",)


def test_a_box_without_an_area_is_left_out_alone_where_there_are_others():
    got = read(document(annotations=[BOX, {**BOX, "bbox": [1, 2, 0, 4]}, {**BOX, "bbox": [1, 2, 3, float("nan")]}]))
    assert [row["image_id"] for row in got.images] == [7]
    assert len(got.figures) == 1
    assert got.notes == ("left out because they have no area: 2 boxes in 1 image (7)",)


def test_other_categories_are_passed_over_and_a_bad_box_of_theirs_matters_to_nobody():
    categories = [{"id": 1, "name": "person"}, {"id": 4, "name": "dog"}]
    dog = {**BOX, "category_id": 4, "bbox": []}
    got = read(document(annotations=[BOX, dog], categories=categories))
    assert (len(got.images), len(got.figures), got.category_ids) == (1, 1, {"person": 1})
    assert read(document(annotations=[BOX], categories=categories), "dog").category_ids == {"dog": 4}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (document(images=[IMAGE, IMAGE]), "expected each image id once, got 1 id (7) more than once"),
        (document(images=[{**IMAGE, "id": "x"}], annotations=[]), "expected whole numbers as ids of images, got 'x'"),
        (document(categories=[{"id": 1, "name": "dog"}]), "expected a category 'person', got ['dog']"),
        (document(categories=[{"id": 1, "name": "person"}, {"id": 2, "name": "person"}]), "under the ids [1, 2]"),
        (document(info={"annotation_origin": "detector"}), "expected boxes by people"),
    ],
)
def test_anything_else_is_refused_in_one_sentence(value: Any, said: str):
    with pytest.raises(BadInput) as problem:
        read(value)
    assert said in str(problem.value)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("data", [b"", b"{", b"[" * 100_000, b"\xff\xfe", b"<svg>"])
def test_what_is_no_json_is_refused(data: bytes):
    with pytest.raises(BadInput, match="truth: expected JSON, got something else"):
        read_truth_file("truth", data, ["person"])


def test_figures_have_one_order_whatever_theirs():
    one, two = ({**read(document()).figures[0], "image_id": number} for number in (1, 2))
    assert figure_table([two, one]).equals(figure_table([one, two]))


@pytest.mark.parametrize("keypoints", [[1, 2], [1, 2, float("nan")], [[1, 2, 2]] * 17, {"nose": 1}, 5, [1, 2, 0.5]])
def test_keypoints_that_can_not_be_read_leave_the_box_which_is_all_that_is_compared(keypoints: Any):
    got = read(document(annotations=[{**BOX, "keypoints": keypoints}]))
    assert (len(got.figures), got.figures[0]["keypoints_xyv"], got.notes) == (1, None, ())
    assert got.keypoint_notes[0].startswith("left out keypoints: expected ")


@pytest.mark.parametrize(
    ("names", "scheme"),
    [
        (None, None),
        ([], None),
        (["a", "A"], None),
        (["a", 1], None),
        (["Left Eye", "tail"], ("Left Eye", "tail")),
    ],
)
def test_keypoints_are_as_they_are_and_a_scheme_is_what_its_category_names(names: Any, scheme: Any):
    got = read(
        document(
            annotations=[{**BOX, "keypoints": [1, 2, 2, 3, 4, 1]}],
            categories=[{"id": 1, "name": "person", "keypoints": names}],
        )
    )
    assert got.figures[0]["keypoints_xyv"] == [1, 2, 2, 3, 4, 1]
    assert scheme == (got.schemes["person"] and got.schemes["person"].joints)


DETECTED = {"xywh_px": [1.0, 2.0, 3.0, 4.0], "score": 0.5, "origin": "detector"}


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ({"xywh_px": [1.0, 2.0, 0.0, 4.0]}, "the box"),
        ({"xywh_px": [1.0, 2.0, 3.0, -4.0]}, "the box"),
        ({"xywh_px": [1e300, 2.0, 3.0, 4.0]}, "the box"),
        ({"xywh_px": [1.0, 2.0, 3.0, 10_000_001.0]}, "the box"),
        ({"xywh_px": [float("nan")] * 4}, "the box"),
        ({"xywh_px": [None] * 4}, "the box"),
        ({"score": None}, "a detector's score None"),
        ({"score": float("nan")}, "a detector's score nan"),
        ({"score": -0.1}, "a detector's score -0.1"),
        ({"score": 1.1}, "a detector's score 1.1"),
    ],
)
def test_boxes_and_scores_of_a_release_that_are_none_are_told(row, line):
    schema = pa.schema([BOXES.field(name) for name in DETECTED])
    check_boxes(pa.Table.from_pylist([DETECTED, {**DETECTED, "score": None, "origin": "person"}], schema))
    check_boxes(schema.empty_table())
    with pytest.raises(ValueError, match=line):
        check_boxes(pa.Table.from_pylist([DETECTED, {**DETECTED, **row}], schema))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("oil", "oil"),
        ("\ud800", "?"),
        ("", None),
        (None, None),
        (3, "3"),
        (3.0, "3"),
        (-0.0, "0"),
        (2.5, "2.5"),
        (10**400, str(10**400)),
        (True, "true"),
    ],
)
def test_an_attribute_of_an_image_is_text(value: Any, text: str | None):
    images = [{**IMAGE, "metadata": {"of": value, "other": 1}}, {"id": 8, "file_name": "b.png", "of": "the image's"}]
    truth = read_truth_file("t", json.dumps(document(images=images)).encode(), ["person"], ["of"])
    assert truth.attributes == {"of": {8: "the image's"} | ({} if text is None else {7: text})}


@pytest.mark.parametrize(
    ("image", "text"),
    [({"metadata": {"style": 3}}, "3"), ({"style": "Baroque"}, "Baroque"), ({"metadata": {"style": "a"}}, "a")],
)
def test_the_style_to_group_by_may_be_any_value_in_either_place(image: Any, text: str):
    data = json.dumps(document(images=[{**IMAGE, **image}])).encode()
    assert read_truth_file("t", data, ["person"], ["style"]).attributes == {"style": {7: text}}


def test_an_attribute_that_no_image_has_is_refused_also_where_there_is_none():
    with pytest.raises(BadInput, match=r"t: expected an attribute that annotated images have \(none\), got 'of'"):
        read_truth_file("t", json.dumps(document()).encode(), ["person"], ["of"])


def test_all_twice_is_all():
    assert read_truth_file("t", json.dumps(document()).encode(), ["all", "all"]).category_ids == {"person": 1}


@pytest.mark.parametrize("value", [[1], {"a": 1}, float("inf"), float("nan")])
def test_an_attribute_that_is_no_value_is_refused(value: Any):
    data = json.dumps(document(images=[{**IMAGE, "metadata": {"of": value}}])).encode()
    with pytest.raises(BadInput, match="t: expected "):
        read_truth_file("t", data, ["person"], ["of"])


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1, 1), (5.0, 5), (0, None), (6, None), (2.5, None), (True, None), ("3", None), (None, None), ([1], None)],
)
def test_the_deformation_of_an_image_is_a_whole_number_of_1_to_5_or_none(value: Any, expected: int | None):
    image = {"id": 1, "file_name": "a.png", "metadata": {"deformation": value}}
    document = {"images": [image], "annotations": [], "categories": [{"id": 1, "name": "person"}]}
    truth = read_truth_file("t", json.dumps(document).encode(), ["person"])
    assert truth.deformation == ({} if expected is None else {1: expected})
