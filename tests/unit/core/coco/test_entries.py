"""What is written into COCO files: by the rule by which it is read."""

import json

import pytest

from tasks.core.coco.box import BadBox
from tasks.core.coco.entries import annotation_entry, result_entry
from tasks.core.coco.reader import read_document
from tasks.core.coco.results import Detection, read_results


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
