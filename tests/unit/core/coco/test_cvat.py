"""CVAT's XML of images, written by hand in the tool's form: each shape, and what says nothing."""

import json
from typing import Any
from xml.sax.saxutils import quoteattr

import hypothesis
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.core.coco.source import FileFigures, read_figures
from tests.support.keypoints import COCO_17, NAMES

PERSON = {"person": COCO_17}
SKELETON = "<label><name>person</name><type>skeleton</type></label>" + "".join(
    f"<label><name>{name}</name><type>points</type><parent>person</parent></label>" for name in reversed(NAMES)
)


def read(*images: str, labels: str = "<label><name>person</name></label>") -> FileFigures:
    head = f"<version>1.1</version><meta><task><labels>{labels}</labels></task></meta>"
    data = f'<?xml version="1.0" encoding="utf-8"?><annotations>{head}{"".join(images)}</annotations>'
    return read_figures("file", data.encode(), PERSON, "cvat")


def image(*shapes: str, name: str = "a.jpg", width: int = 40, height: int = 30) -> str:
    return f'<image id="0" name="{name}" width="{width}" height="{height}">{"".join(shapes)}</image>'


def box(more: str = "", inner: str = "", corners: tuple[float, ...] = (1, 2, 4.5, 6)) -> str:
    xtl, ytl, xbr, ybr = corners
    return f'<box label="person" xtl="{xtl}" ytl="{ytl}" xbr="{xbr}" ybr="{ybr}" {more}>{inner}</box>'


def figures(*shapes: str, **more: Any) -> list[dict[str, Any]]:
    found = read(image(*shapes), **more).by_file_name["a.jpg"].figures
    assert found is not None
    return found


def test_a_box_lies_between_its_corners_and_keeps_what_else_is_said():
    said = 'source="manual" occluded="1" z_order="2" group_id="0"'
    (one,) = figures(box(said, '<attribute name="pose">sitting</attribute>'))
    assert one["xywh_px"] == [1, 2, 3.5, 4]
    assert not one["is_crowd"]
    for word in ('"occluded":1', '"z_order":2', '"source":"manual"', '"attributes":{"pose":"sitting"}'):
        assert word in one["source_coco"]


@pytest.mark.parametrize("value", ["true", "True", "1"])
def test_an_attribute_makes_a_crowd(value: str):
    (one,) = figures(box(inner=f'<attribute name="is_crowd">{value}</attribute>'))
    assert one["is_crowd"]


def test_a_turned_box_is_the_box_around_it_with_its_corners_as_outline():
    (one,) = figures(box('rotation="90"', corners=(10, 10, 20, 14)))
    assert one["xywh_px"] == pytest.approx([13, 7, 4, 10])
    assert one["segmentation"] is not None


def test_a_polygon_is_an_outline_and_the_box_around_it():
    (one,) = figures('<polygon label="person" points="10.0,10.0;18.0,10.0;18.0,18.0;10.0,14.0"/>')
    assert one["xywh_px"] == [10, 10, 8, 8]
    assert one["segmentation"] == "[[10.0,10.0,18.0,10.0,18.0,18.0,10.0,14.0]]"


def test_an_ellipse_is_the_box_around_it():
    (flat, turned) = figures(
        '<ellipse label="person" cx="10" cy="12" rx="5" ry="2"/>',
        '<ellipse label="person" cx="10" cy="12" rx="5" ry="2" rotation="90"/>',
    )
    assert flat["xywh_px"] == [5, 10, 10, 4]
    assert turned["xywh_px"] == pytest.approx([8, 7, 4, 10])


def test_a_masks_rows_become_the_pictures_columns():
    """In 4 x 3 px, a mask of 2 x 2 at 1, 0: rows 01, 11; so the columns of the picture are 000, 010, 110, 000."""
    data = image('<mask label="person" rle="1, 3" left="1" top="0" width="2" height="2"/>', width=4, height=3)
    (one,) = read(data).by_file_name["a.jpg"].figures or ()
    assert one["xywh_px"] == [1, 0, 2, 2]
    assert one["segmentation"] == '{"counts":[4,1,1,2,4],"size":[3,4]}'


def test_a_mask_in_the_frame_of_the_picture_has_the_box_around_its_pixels():
    data = image('<mask label="person" rle="5, 2, 5" left="0" top="0" width="4" height="3"/>', width=4, height=3)
    (one,) = read(data).by_file_name["a.jpg"].figures or ()
    assert one["xywh_px"] == [1, 1, 2, 1]


@given(st.data())
def test_a_mask_is_the_same_pixels_in_either_form(data: st.DataObject):
    width, height = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6))
    left, top = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    wide, high = data.draw(st.integers(1, width - left)), data.draw(st.integers(1, height - top))
    bits = data.draw(st.lists(st.booleans(), min_size=wide * high, max_size=wide * high))
    hypothesis.assume(any(bits))
    runs, last = [], False
    for bit in bits:
        if bit != last or not runs:
            runs += [0, 0] if bit and not runs else [0]
        runs[-1] += 1
        last = bit
    rle = ", ".join(map(str, runs))
    shape = f'<mask label="person" rle="{rle}" left="{left}" top="{top}" width="{wide}" height="{high}"/>'
    (one,) = read(image(shape, width=width, height=height)).by_file_name["a.jpg"].figures or ()
    counts = json.loads(one["segmentation"])["counts"]
    found = np.repeat(np.arange(len(counts)) % 2, counts).reshape(width, height).T.astype(bool)
    expected = np.zeros((height, width), bool)
    expected[top : top + high, left : left + wide] = np.reshape(bits, (high, wide))
    assert np.array_equal(found, expected)
    assert 0 not in counts[1:-1]
    down, across = np.nonzero(expected)
    sides = (across.max() - across.min() + 1, down.max() - down.min() + 1)
    assert one["xywh_px"] == [across.min(), down.min(), *sides]


@pytest.mark.parametrize("rle", ["1, 9", "-1, 5", "4"])
def test_a_mask_that_can_not_be_is_its_box_alone(rle: str):
    found = figures(f'<mask label="person" rle="{rle}" left="39" top="0" width="2" height="2"/>')
    assert [one["segmentation"] for one in found] == [None]


def skeleton(group: int, **points: str) -> str:
    parts = "".join(f'<points label="{name}" {said}/>' for name, said in points.items())
    return f'<skeleton label="person" group_id="{group}">{parts}</skeleton>'


POSE = {
    "nose": 'points="10,12" outside="0" occluded="0"',
    "left_eye": 'points="14,8" outside="0" occluded="1"',
    "right_eye": 'points="1,1" outside="1" occluded="0"',
}


def test_a_skeleton_alone_has_the_box_around_its_points_and_joints_go_by_name():
    (one,) = figures(skeleton(0, **POSE), labels=SKELETON)
    assert one["xywh_px"] == [10, 8, 4, 4]
    assert one["keypoints_xyv"][:9] == [10, 12, 2, 14, 8, 1, 0, 0, 0]
    assert not any(one["keypoints_xyv"][9:])


def test_a_skeleton_and_a_box_in_one_group_are_one_figure():
    found = figures(skeleton(3, **POSE), box('group_id="3"'), box('group_id="4"'), labels=SKELETON)
    assert [one["xywh_px"] for one in found] == [[1, 2, 3.5, 4]] * 2
    assert sorted(one["keypoints_xyv"] is None for one in found) == [False, True]


def test_of_two_boxes_and_a_skeleton_in_one_group_nobody_knows_whose_it_is():
    two = [box('group_id="3"'), box('group_id="3"', corners=(10, 10, 12, 12))]
    for skeletons in ([skeleton(3, **POSE)], [skeleton(3, **POSE), skeleton(3, **POSE)]):
        found = read(image(*skeletons, *two), labels=SKELETON)
        drawn = found.by_file_name["a.jpg"].figures or ()
        assert [one["keypoints_xyv"] for one in drawn] == [None, None]
        assert found.left_out.annotations.total == len(skeletons)


@pytest.mark.parametrize(
    "shape",
    [
        '<points label="person" points="1,2"/>',
        '<polyline label="person" points="1,2;3,4"/>',
        '<cuboid label="person"/>',
        '<box label="person" xtl="1"/>',
        '<box xtl="1" ytl="1" xbr="2" ybr="2"/>',
        '<polygon label="person" points="1,2;3"/>',
        '<mask label="person" rle="x" left="1" top="1" width="1" height="1"/>',
    ],
)
def test_of_an_image_with_a_shape_that_is_no_figure_nobody_knows_what_is_in_it(shape: str):
    found = read(image(box(), shape))
    assert found.by_file_name["a.jpg"].figures is None
    assert found.left_out.annotations.total == 2  # with the good one beside it


def test_an_image_without_shapes_is_one_without_an_annotation_and_a_tag_is_no_shape():
    found = read(image(name="a.jpg"), image('<tag label="person"/>', name="b.jpg"), image(box(), name="c/d.jpg"))
    assert found.by_file_name.keys() == {"c/d.jpg"}
    (kind,) = found.left_out.images.kinds()
    assert (kind.kind, kind.count, kind.examples) == ("images without a shape", 2, ("a.jpg", "b.jpg"))
    assert found.by_file_name["c/d.jpg"].size_px == (40, 30)


def whole(text: str) -> bytes:
    return f"<annotations>{text}</annotations>".encode()


@pytest.mark.parametrize(
    ("data", "got"),
    [
        (b"{}", "no XML"),
        (b"<html/>", "XML whose root is <html>"),
        (b"<!DOCTYPE a [<!ENTITY b 'c'>]><annotations/>", "XML with a DTD"),
        (whole('<track id="0"/>'), "a video's tracks"),
    ],
)
def test_what_is_no_file_of_cvats_is_one_sentence(data: bytes, got: str):
    with pytest.raises(BadInput, match=f"^file: expected CVAT's XML of images, got .*{got}"):
        read_figures("file", data, PERSON, "cvat")


def test_a_line_of_another_label_is_left_out_and_counted():
    found = read(image(box(), '<polyline label="crack" points="1,2;3,4"/>'))
    assert len(found.by_file_name["a.jpg"].figures or ()) == 1
    assert found.left_out.annotations.total == 1


def test_an_image_without_a_name_is_counted_and_one_of_no_size_has_none():
    found = read(image(box()).replace('name="a.jpg"', ""), image(box(), name="b.jpg").replace('"40"', '"?"'))
    assert found.by_file_name.keys() == {"b.jpg"}
    assert found.by_file_name["b.jpg"].size_px == (None, 30)
    assert found.left_out.images.total == 1


def test_a_box_that_is_none_is_told_and_others_stay():
    found = read(image(box(corners=(5, 5, 5, 9)), box()))
    assert [one["xywh_px"] for one in found.by_file_name["a.jpg"].figures or ()] == [[1, 2, 3.5, 4]]
    assert "box left out" in found.details["a.jpg"]


texts = st.sampled_from(["", "1", "-1", "2.5", "nan", "1e999", "9" * 30, "1,2;3,4", "1,2", "x", "0", "90", "1, 3"])
KEYS = (
    *("label", "xtl", "ytl", "xbr", "ybr", "points", "cx", "cy", "rx", "ry", "rotation"),
    *("rle", "left", "top", "width", "height", "group_id", "occluded"),
)
shapes = st.tuples(
    st.sampled_from(["box", "polygon", "mask", "ellipse", "skeleton", "points", "tag"]),
    st.dictionaries(st.sampled_from(KEYS), texts, max_size=9),
)


@given(st.lists(shapes, max_size=3))
def test_whatever_stands_in_a_shape_is_read_or_told(parts: list[tuple[str, dict[str, str]]]):
    drawn = [f"<{tag} {' '.join(f'{key}={quoteattr(text)}' for key, text in said.items())}/>" for tag, said in parts]
    found = read(image(*drawn), image(box(), name="good.jpg"))
    assert len(found.by_file_name["good.jpg"].figures or ()) == 1
