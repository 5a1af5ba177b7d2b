"""Small pictures as SVG: in the original's own pixels, and no text of a source becomes markup."""

import xml.etree.ElementTree as ET

import pytest

from tasks.core.report.thumbnails import Thumbnail, drawing, picture

PICTURE = Thumbnail("data:image/jpeg;base64,AAAA", 900, 450)


def test_without_boxes_there_is_the_picture_alone():
    found = ET.fromstring(drawing(PICTURE, (), "s:1"))
    assert found.attrib == {"viewBox": "0 0 900 450", "role": "img", "aria-label": "s:1"}
    assert [child.tag for child in found] == ["image"]
    assert found[0].attrib == {"href": PICTURE.uri, "width": "900", "height": "450"}


def test_boxes_are_in_the_originals_pixels_and_their_line_goes_with_its_longer_side():
    found = ET.fromstring(drawing(PICTURE, [(1.5, 0, 10, 20.25), (0, 0, 900, 450)], "s:1"))
    boxes = [{name: child.attrib[name] for name in ("x", "y", "width", "height")} for child in found[1:]]
    assert boxes == [
        {"x": "1.5", "y": "0", "width": "10", "height": "20.25"},
        {"x": "0", "y": "0", "width": "900", "height": "450"},
    ]
    assert {child.attrib["stroke-width"] for child in found[1:]} == {"10.0"}  # 900 / 90
    assert {child.attrib["fill"] for child in found[1:]} == {"none"}


@pytest.mark.parametrize(
    ("width_px", "height_px", "ratio"),
    [(300, 200, "1.5"), (100, 900, "0.8"), (900, 100, "2.2"), (5, 0, "2.2")],
    ids=["as it is", "very high", "very wide", "no height"],
)
def test_a_picture_has_its_shape_in_a_row_but_for_extremes(width_px: int, height_px: int, ratio: str):
    html = picture(Thumbnail("data:image/jpeg;base64,AAAA", width_px, height_px), (), "s:1", "<b>said</b>")
    assert html.startswith(f"<figure style='--ratio:{ratio}'><svg")
    assert html.endswith("<figcaption><b>said</b></figcaption></figure>")


def test_what_may_not_be_seen_is_a_line():
    assert picture(None, (), "s:1", "x") == (
        "<figure><div class=none>not shown</div><figcaption>x</figcaption></figure>"
    )


@pytest.mark.parametrize("text", ["'><script>1</script>", '"&<', "' onload='1", "日本"])
def test_no_label_becomes_markup(text: str):
    found = ET.fromstring(drawing(Thumbnail(text, 3, 2), (), text))
    assert found.attrib["aria-label"] == text
    assert found[0].attrib["href"] == text
    assert len(list(found.iter())) == 2
