"""The report's table of attributes."""

import re
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa
import pytest

from schemas.tables import BOXES, IMAGES, UNREAD
from tasks.core.attribute_statistics import AttributeSummary
from tasks.core.names.spellings import SpelledName
from tasks.core.report import sections
from tasks.core.report.sections import detector, unread
from tasks.core.split.drift import Gap
from tests.support.pages import without_isolation


def test_a_row_says_what_an_attribute_is_and_nothing_of_it_is_html():
    summary = AttributeSummary("room", "string", 1200, ("<b>A</b> (7)", "3 others"), 'the room\'s "name" & more')
    assert without_isolation(sections.attributes([summary])).splitlines()[1] == (
        "<tr><td>room<td>string<td class=n>1,200<td>&lt;b&gt;A&lt;/b&gt; (7), 3 others"
        "<td>the room&#x27;s &quot;name&quot; &amp; more"
    )


def test_without_attributes_there_is_no_section():
    assert sections.attributes([]) == ""


def test_nothing_to_say():
    assert sections.empty_splits([]) == sections.spellings([]) == ""


def test_each_stratum_has_a_row_however_many_there_are():
    many = [Gap(f"<s{number}>", {"train": 1200, "test": 0}) for number in range(50)]
    page = without_isolation(sections.empty_splits(many))
    assert page.count("<tr>") == 51
    assert "<tr><td>&lt;s7&gt;<td class=n>1,200<td class=n>0" in page
    assert "<th>stratum<th class=n>train<th class=n>test" in page


def test_each_name_has_a_row_with_all_its_spellings():
    names = [
        SpelledName("style", [("Dada", 3), ("DADA", 1)]),
        SpelledName("artist", [("Henri Martin", 12), ("<b>\u200b", 1)]),
    ]
    page = without_isolation(sections.spellings(names))
    rows = [line for line in page.splitlines() if line.startswith("<tr>")]
    assert rows == [
        "<tr><td>artist<td>&#x27;Henri Martin&#x27; (12), &#x27;&lt;b&gt;\\u200b&#x27; (1)",
        "<tr><td>style<td>&#x27;Dada&#x27; (3), &#x27;DADA&#x27; (1)",
    ]


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
    return pa.Table.from_pylist(rows, schema=BOXES)


def test_what_half_keeps_is_said_and_drawn():
    text = without_isolation(
        detector(images(True, True, True, False), boxes((0, None), (1, None), (0, 0.5), (2, 0.9), (3, 0.9)), ["person"])
    )
    assert "d&lt;1&gt; at 0.5 keeps 2 of 3 images, among them 1 of 2 with a figure" in text
    drawings = [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", text)]
    lines = [sum(element.get("class") == "line" for element in one.iter()) for one in drawings]
    assert lines == [2, 2, 2], "each plot has the line and its mark in the legend"
    assert "<tr><td>d&lt;1&gt;<td class=n>0.50<td class=n>0.667<td class=n>0.500 (0.095 to 0.905)" in text


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
    assert detector(shown, drawn, ["person", "dog"]) == ""


def row(words: str) -> dict[str, object]:
    return {
        "field": "date",
        "source": "m",
        "words": words,
        "text": f"1024 {words}",
        "records": 1200,
        "record_id": "m:1",
    }


def table(*words: str) -> pa.Table:
    return pa.Table.from_pylist([row(word) for word in words], schema=UNREAD)


def test_where_all_was_understood_it_says_nothing():
    assert unread(table()) == ""


def test_words_stand_with_their_text_and_their_number_and_bring_no_markup():
    page = without_isolation(unread(table("AH", "<script>")))
    assert "<td>&#x27;AH&#x27;<td>&#x27;1024 AH&#x27;<td class=n>1,200<td>m:1" in page
    assert "<script>" not in page
    assert "2 expressions, the commonest first" in page


def test_the_commonest_fifty_are_shown():
    page = unread(table(*(f"w{number:03}" for number in range(51))))
    assert "The first 50 of 51" in page
    assert page.count("<tr><td>") == 50
    assert "w050" not in page
