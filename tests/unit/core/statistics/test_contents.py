"""What is counted of a release, of a COCO file and of VOC's files: the same rows, whoever wrote them."""

from typing import Any

import pyarrow as pa
import pytest

from schemas.errors import BadInput
from schemas.tables import BOXES, IMAGES
from tasks.core.coco.source import ImageFigures
from tasks.core.scrape.voc_annotations import read_voc
from tasks.core.statistics.contents import (
    RELEASE_BOXES,
    RELEASE_IMAGES,
    CountedBy,
    VocImage,
    contents_of_coco,
    contents_of_release,
    contents_of_voc,
)

ALL = CountedBy()
BOX = [0.0, 0.0, 9.0, 9.0]


# --- a release


def release(images: list[dict[str, Any]], boxes: list[dict[str, Any]], counted_by: CountedBy = ALL, **more: Any) -> Any:
    columns = pa.schema([IMAGES.field(name) for name in RELEASE_IMAGES])
    table = pa.Table.from_pylist(images, columns)
    for name, values in more.items():
        table = table.append_column(name, pa.array(values))
    drawn = pa.Table.from_pylist(boxes, pa.schema([BOXES.field(name) for name in RELEASE_BOXES]))
    return contents_of_release("art 1", table, drawn, ["person", "dog"], counted_by)


def drawn(image_id: int, category_id: int = 1, origin: str = "person", **more: Any) -> dict[str, Any]:
    plain = {"xywh_px": BOX, "is_crowd": False, "keypoints_xyv": None}
    return {**plain, "image_id": image_id, "category_id": category_id, "origin": origin, **more}


IMAGES_2 = [{"image_id": 9, "is_annotated": True, "style": "Pop"}, {"image_id": 4, "is_annotated": None}]


def test_a_release_of_no_image_is_counted():
    found = release([], [])
    assert (found.images.num_rows, found.figures.num_rows, found.categories) == (0, 0, ("dog", "person"))


def test_boxes_of_a_release_are_those_of_people_in_annotated_images():
    boxes = [drawn(9, 2), drawn(9, 1, "detector"), drawn(4), drawn(9, keypoints_xyv=[1, 1, 2, 0, 0, 0, 3, 3, 1])]
    found = release(IMAGES_2, boxes)
    rows = found.figures.to_pylist()
    assert [(row["image"], row["category"], row["keypoints"]) for row in rows] == [(0, "dog", 0), (0, "person", 2)]
    assert found.images["is_annotated"].to_pylist() == [True, False]


def test_categories_attributes_and_exhibits_of_a_release():
    found = release(
        IMAGES_2, [drawn(9, 2)], CountedBy(("person",), ("style", "mood")), mood=[3, None], object_id=[7, 8]
    )
    assert found.figures.num_rows == 0
    assert {name: values.to_pylist() for name, values in found.groups.items()} == {
        "style": ["Pop", None],
        "mood": ["3", None],
    }
    assert found.exhibits.to_pylist() == ["7", "8"]


def test_a_category_that_a_release_does_not_have_is_refused():
    with pytest.raises(BadInput, match="expected one of the release's"):
        release(IMAGES_2, [], CountedBy(("cat",)))


# --- COCO


def document(**changes: Any) -> dict[str, Any]:
    images = [{"id": 7, "file_name": "a.png", "metadata": {"style": "Pop", "artist": "A", "year": 1950, "mood": "sad"}}]
    boxes = [{"id": 1, "image_id": 7, "category_id": 1, "bbox": [1, 2, 3, 4], "iscrowd": 0}]
    return {"images": images, "annotations": boxes, "categories": [{"id": 1, "name": "person"}], **changes}


def coco(counted_by: CountedBy = ALL, **changes: Any) -> Any:
    return contents_of_coco("truth", document(**changes), counted_by)


@pytest.mark.parametrize("categories", [[], [{"id": 1, "name": "person"}, {"id": 2, "name": "dog"}]])
def test_a_file_of_nothing_is_counted(categories: list[dict[str, Any]]):
    found = coco(images=[], annotations=[], categories=categories)
    assert (found.images.num_rows, found.figures.num_rows) == (0, 0)
    assert {*found.categories} == {category["name"] for category in categories}


def test_an_image_and_its_box():
    found = coco()
    assert found.figures.to_pylist() == [
        {"image": 0, "category": "person", "xywh_px": [1, 2, 3, 4], "is_crowd": False, "keypoints": 0}
    ]
    (row,) = found.images.to_pylist()
    assert (row["style"], row["artist"], row["year"], row["is_annotated"]) == ("Pop", "A", 1950, True)
    assert found.exhibits is None


def test_images_that_nobody_annotated_or_can_read_have_no_box_but_are_counted():
    images = [
        {"id": 1, "file_name": "a", "is_annotated": False},
        {"id": 2, "file_name": "b"},
        {"id": 3, "file_name": "c"},
    ]
    boxes = [
        {"image_id": 2, "category_id": 1, "bbox": [0, 0, "wide", 1]},
        {"image_id": 2, "category_id": 1, "bbox": BOX},
        {"image_id": 1, "category_id": 1, "bbox": BOX},
    ]
    found = coco(images=images, annotations=boxes)
    assert found.figures.num_rows == 0
    assert found.images["is_annotated"].to_pylist() == [True, False, False]
    assert found.notes == ("left out because an annotation can't be read: 1 image (2)",)


def test_keypoints_are_counted_as_they_are():
    boxes = [
        {"image_id": 7, "category_id": 1, "bbox": BOX, "keypoints": value}
        for value in ([5, 6, 2, 0, 0, 0], [5, 6, 7], [], None, [1, 1, 1] * 14)
    ]
    assert sorted(coco(annotations=boxes).figures["keypoints"].to_pylist()) == [0, 0, 0, 1, 14]


@pytest.mark.parametrize("year", ["1950", True, 1e3, 2**40, None])
def test_a_year_that_is_no_whole_number_is_unknown(year: Any):
    images = [{"id": 7, "file_name": "a", "metadata": {"year": year}}]
    assert coco(images=images).images["year"].to_pylist() == [None]


def test_an_attribute_that_no_image_has_is_refused_but_a_file_may_be_without_styles():
    plain = [{"id": 7, "file_name": "a"}]
    assert coco(CountedBy(by=("style",)), images=plain).groups["style"].to_pylist() == [None]
    with pytest.raises(BadInput, match="truth: expected an attribute that annotated images have"):
        coco(CountedBy(by=("mood",)), images=plain)
    assert coco(CountedBy(by=("mood",))).groups["mood"].to_pylist() == ["sad"]


# --- VOC


def xml(*corners: tuple[int, int, int, int], name: str = "person") -> ImageFigures:
    objects = "".join(
        f"<object><name>{name}</name><bndbox><xmin>{a}</xmin><ymin>{b}</ymin><xmax>{c}</xmax><ymax>{d}</ymax></bndbox></object>"
        for a, b, c, d in corners
    )
    return read_voc(f"<annotation><size><width>50</width><height>40</height></size>{objects}</annotation>".encode())


def test_a_box_goes_from_corner_to_corner_and_equal_corners_enclose_nothing():
    found = contents_of_voc("people", [VocImage("Pop/a.jpg", "train", xml((1, 2, 11, 22), (5, 5, 5, 9)), True)], ALL)
    assert found.figures["xywh_px"].to_pylist() == [[1, 2, 10, 20], [5, 5, 0, 4]]
    (row,) = found.images.to_pylist()
    assert (row["style"], row["split"], row["width_px"], row["height_px"]) == ("Pop", "train", 50, 40)


def test_what_is_not_annotated_is_noted():
    images = [VocImage("a", None, None, False), VocImage("b", None, xml((9, 9, 1, 1), (1, 1, 2, 2)), True)]
    assert contents_of_voc("people", images, ALL).notes == (
        "not annotated, as they have no XML that can be read: 1 image (a)",
        "left out because they have no area: 1 box",
    )


def test_a_folder_of_nobody_is_counted_whatever_the_category():
    found = contents_of_voc("people", [VocImage("a", None, None, True)], CountedBy(("person",)))
    assert (found.images.num_rows, found.figures.num_rows, found.categories) == (1, 0, ("person",))


@pytest.mark.parametrize(
    ("counted_by", "problem"),
    [
        (CountedBy(("dog",)), "people: expected a category 'dog', got"),
        (
            CountedBy(by=("artist",)),
            "--by: expected style, all that VOC's files say of an image, got 'artist'",
        ),
    ],
)
def test_what_vocs_files_do_not_say_is_refused(counted_by: CountedBy, problem: str):
    with pytest.raises(BadInput, match=problem):
        contents_of_voc("people", [VocImage("a", None, xml((1, 1, 9, 9)), True)], counted_by)
