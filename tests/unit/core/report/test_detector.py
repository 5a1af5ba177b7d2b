"""What the report says of the detector: on images that people have annotated, and only there."""

from typing import Any
from xml.etree import ElementTree

import pyarrow as pa
import pytest

from schemas.tables import ANNOTATIONS, IMAGES
from tasks.core.report.detector import section

BOX = {"category_id": 1, "xywh_px": [0.0, 0.0, 9.0, 9.0], "area_px2": 81.0, "is_crowd": False}


def images(*is_annotated: bool | None) -> pa.Table:
    rows = [{"image_id": number, "is_annotated": said} for number, said in enumerate(is_annotated)]
    return pa.Table.from_pylist(rows, schema=IMAGES).drop_columns("image")


def boxes(*said: tuple[int, float | None], **more: Any) -> pa.Table:
    """(image, score; None: by people)."""
    rows = [
        {
            **BOX,
            "annotation_id": place,
            "image_id": image,
            "score": score,
            "origin": "source" if score is None else "detector",
            "origin_name": "d<1>",
            **more,
        }
        for place, (image, score) in enumerate(said)
    ]
    return pa.Table.from_pylist(rows, schema=ANNOTATIONS)


def test_what_half_keeps_is_said_and_drawn():
    text = section(
        images(True, True, True, False), boxes((0, None), (1, None), (0, 0.5), (2, 0.9), (3, 0.9)), ["person"]
    )
    assert "d&lt;1&gt; at 0.5 keeps 2 of 3 images, among them 1 of 2 with a figure" in text
    drawing = ElementTree.fromstring(text[text.index("<svg") : text.index("</div>")])
    assert sum(element.get("class") == "line" for element in drawing.iter()) == 4


@pytest.mark.parametrize(
    ("shown", "drawn"),
    [
        pytest.param(images(), boxes(), id="nothing"),
        pytest.param(images(True), boxes((0, None)), id="no detector"),
        pytest.param(images(False, None), boxes((0, 0.9)), id="nobody has looked"),
        pytest.param(images(True), boxes((0, 0.9)), id="nobody is there"),
        pytest.param(images(True), boxes((0, None), (0, 0.9), category_id=2), id="another category"),
    ],
)
def test_without_truth_or_detector_nothing_is_said(shown: pa.Table, drawn: pa.Table):
    assert section(shown, drawn, ["person", "dog"]) == ""
