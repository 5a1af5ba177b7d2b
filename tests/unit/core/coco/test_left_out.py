"""Entries of a COCO file that say nothing: counted, and all others stay."""

import json
from typing import Any

import pytest

from schemas.errors import BadInput
from tasks.core.coco.left_out import LeftOut, without_odd_entries
from tasks.core.coco.reader import read_document
from tasks.core.passed_over import Tally

IMAGE, BOX = {"id": 1, "file_name": "a.jpg"}, {"image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1]}


@pytest.mark.parametrize(
    ("images", "annotations", "kinds"),
    [
        ([IMAGE], [BOX], {}),
        ([IMAGE, None, 3], [BOX], {"entries of `images` that are no objects": 2}),
        ([IMAGE, {"id": 2}], [BOX, {**BOX, "image_id": 2}],
         {"images without a file name": 1, "annotations of no image of the file": 1}),
        ([IMAGE], [BOX, "box"], {"entries of `annotations` that are no objects": 1}),
        ([IMAGE], [BOX, {}], {"annotations of no image of the file": 1}),
        ([{**IMAGE, "id": "x"}], [{**BOX, "image_id": "x"}], {}),
        ([{**IMAGE, "id": 1.0}], [BOX], {}),
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
    document = {"images": [IMAGE, None, 7, {"id": 5}, image], "annotations": [], "categories": []}
    with pytest.raises(BadInput, match=words):
        read_document("a.json", json.dumps(document).encode(), left_out=LeftOut(Tally(), Tally()))
