"""PASCAL VOC's XML: hand cases, what it can't hold, and what our own reader reads back."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.coco.voc import voc_files
from tasks.core.scrape.voc_annotations import read_voc

IMAGE = {"id": 7, "file_name": "7 & 8.jpg", "width": 40, "height": 20}


def written(*boxes: dict[str, Any], said: dict[int, dict[str, Any]] | None = None, name: str = "person") -> Any:
    document = {"images": [IMAGE], "annotations": [*boxes], "categories": [{"id": 1, "name": name}]}
    return voc_files(document, said or {})


def box(bbox: list[float], number: int = 3, iscrowd: int = 0) -> dict[str, Any]:
    return {"id": number, "image_id": 7, "category_id": 1, "bbox": bbox, "iscrowd": iscrowd}


def test_a_file_is_as_vocs_development_kit_has_it():
    (text,) = written(box([0, 2, 10, 2])).texts.values()
    assert text.decode() == (
        "<annotation>\n  <folder>JPEGImages</folder>\n  <filename>7 &amp; 8.jpg</filename>\n  <size>\n"
        "    <width>40</width>\n    <height>20</height>\n    <depth>3</depth>\n  </size>\n"
        "  <segmented>0</segmented>\n  <object>\n    <name>person</name>\n    <pose>Unspecified</pose>\n"
        "    <truncated>0</truncated>\n    <difficult>0</difficult>\n    <bndbox>\n      <xmin>1</xmin>\n"
        "      <ymin>3</ymin>\n      <xmax>10</xmax>\n      <ymax>4</ymax>\n    </bndbox>\n  </object>\n</annotation>\n"
    )


def test_an_image_without_boxes_has_a_file_without_objects():
    (text,) = written().texts.values()
    found = read_voc(text)
    assert (found.figures, found.size_px) == ([], (40, 20))


def test_a_crowd_is_difficult_and_counted():
    found = written(box([1, 1, 2, 2], iscrowd=1), box([5, 5, 2, 2], 4))
    assert found.crowds == 1
    assert [figure["source_coco"] for figure in read_voc(found.texts[7]).figures] == [
        '{"fields":{"difficult":1,"pose":"Unspecified","truncated":0}}',
        '{"fields":{"difficult":0,"pose":"Unspecified","truncated":0}}',
    ]


def test_what_a_voc_file_said_of_an_object_is_said_again():
    said = {"pose": "Left", "difficult": 1, "truncated": 1, "occluded": 1, "id": 9}
    (figure,) = read_voc(written(box([1, 1, 2, 2]), said={3: said}).texts[7]).figures
    assert figure["source_coco"] == '{"fields":{"difficult":1,"occluded":1,"pose":"Left","truncated":1}}'


@pytest.mark.parametrize("name", ["<b>&", "Person, sitting", "人"])
def test_a_category_keeps_its_name(name: str):
    (figure,) = read_voc(written(box([1, 1, 2, 2]), name=name).texts[7]).figures
    assert figure["category"] == name


numbers = st.floats(-1000, 100_000)
lengths = st.floats(0.01, 100_000)


@given(st.tuples(numbers, numbers, lengths, lengths))
def test_a_box_comes_back(bbox: tuple[float, ...]):
    (figure,) = read_voc(written(box([*bbox])).texts[7]).figures
    assert figure["xywh_px"] == pytest.approx(bbox, abs=1e-9)


@given(st.tuples(*[st.integers(-1000, 100_000)] * 2, *[st.integers(1, 100_000)] * 2))
def test_a_box_of_whole_pixels_comes_back_exactly(bbox: tuple[int, ...]):
    (figure,) = read_voc(written(box([*bbox])).texts[7]).figures
    assert figure["xywh_px"] == [*bbox]
