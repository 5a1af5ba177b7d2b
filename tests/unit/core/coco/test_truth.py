"""What people drew, out of a COCO file: what counts, what is left out, and one sentence for everything that is no such
file.
"""

import json
from typing import Any

import pytest

from schemas.errors import BadInput
from tasks.core.coco.truth import counted, figure_table, listed

IMAGE = {"id": 7, "file_name": "a.png", "width": 40, "height": 30}
BOX = {"id": 1, "image_id": 7, "category_id": 1, "bbox": [1, 2, 3, 4], "area": 10, "iscrowd": 0}


def document(**changes: Any) -> dict[str, Any]:
    return {"images": [IMAGE], "annotations": [BOX], "categories": [{"id": 1, "name": "person"}], **changes}


def read(value: Any, category: str = "person") -> Any:
    return listed("truth", json.dumps(value).encode(), category)


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
    assert (got.notes, got.category_id, got.ids) == ((), 1, frozenset({7}))


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
    ("area", "expected"),
    [(10, 10.0), (None, 12.0), (0, 12.0), (-1, 12.0), (10**400, 12.0), (float("nan"), 12.0), ("10", 12.0)],
)
def test_the_area_is_the_files_or_else_the_boxs(area: Any, expected: float):
    assert read(document(annotations=[{**BOX, "area": area}])).figures[0]["area_px2"] == expected


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
        {"keypoints": [1, 2]},
        {"keypoints": [1, 2, float("nan")]},
    ],
)
def test_an_image_with_a_box_that_is_none_is_left_out_and_told(change: dict[str, Any]):
    other = {**IMAGE, "id": 8}
    got = read(document(images=[IMAGE, other], annotations=[{**BOX, **change}, {**BOX, "image_id": 8}]))
    assert [row["image_id"] for row in got.images] == [8]
    assert [row["image_id"] for row in got.figures] == [8]
    assert got.notes == ("left out for a box that is none: 1 image (7)",)


def test_other_categories_are_passed_over_and_a_bad_box_of_theirs_matters_to_nobody():
    categories = [{"id": 1, "name": "person"}, {"id": 4, "name": "dog"}]
    dog = {**BOX, "category_id": 4, "bbox": []}
    got = read(document(annotations=[BOX, dog], categories=categories))
    assert (len(got.images), len(got.figures), got.category_id) == (1, 1, 1)
    assert read(document(annotations=[BOX], categories=categories), "dog").category_id == 4


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "no object"),
        (document(images=None), "no list of objects under 'images'"),
        (document(annotations=[3]), "no list of objects under 'annotations'"),
        (document(images=[{**IMAGE, "id": "7"}]), "expected images[].id to be a whole number"),
        (document(images=[{**IMAGE, "id": True}]), "expected images[].id to be a whole number"),
        (document(images=[{**IMAGE, "id": 2**60}]), "expected images[].id to be a whole number"),
        (document(images=[{**IMAGE, "file_name": 5}]), "expected images[].file_name to be text"),
        (document(images=[IMAGE, IMAGE]), "expected each image id once, got again 1 id (7)"),
        (document(annotations=[{**BOX, "image_id": 9}]), "got 1 without"),
        (document(annotations=[{**BOX, "image_id": [9]}]), "got 1 without"),
        (document(annotations=[{**BOX, "category_id": 2}]), "got 1 without"),
        (document(annotations=[{**BOX, "category_id": []}]), "got 1 without"),
        (document(categories=[{"id": 1, "name": "dog"}]), "expected a category 'person', got ['dog']"),
        (
            document(categories=[{"id": 1, "name": "person"}, {"id": 1, "name": "dog"}]),
            "each category id once, got 2 categories of 1 ids",
        ),
        (document(categories=[{"id": 1, "name": "person"}, {"id": 2, "name": "person"}]), "under the ids [1, 2]"),
        (document(info={"annotation_origin": "detector"}), "expected boxes by people"),
    ],
)
def test_anything_else_is_refused_in_one_sentence(value: Any, said: str):
    with pytest.raises(BadInput) as problem:
        read(value)
    assert said in str(problem.value)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("data", [b"", b"{", b"[" * 100_000, b"\xff\xfe", b"<html>"])
def test_what_is_no_json_is_refused(data: bytes):
    with pytest.raises(BadInput, match="truth: expected a COCO file, got no JSON"):
        listed("truth", data, "person")


def test_figures_have_one_order_whatever_theirs():
    one, two = ({**read(document()).figures[0], "image_id": number} for number in (1, 2))
    assert figure_table([two, one]).equals(figure_table([one, two]))


@pytest.mark.parametrize(("count", "said"), [(1, "1 id (0)"), (3, "3 ids (0, 1, 2)"), (4, "4 ids (0, 1, 2, ...)")])
def test_counting_shows_the_first_three(count: int, said: str):
    assert counted(list(range(count)), "id") == said
