"""YOLO's texts as annotations: odd lines first, then each kind, and back from what we write ourselves."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.coco.reader import LeftOut, Schemes
from tasks.core.coco.source import FileFigures, figures_of_document
from tasks.core.coco.yolo import yolo_labels
from tasks.core.coco.yolo_classes import YoloClasses
from tasks.core.coco.yolo_texts import MAX_BYTES, MAX_LINES, LabelledImage, rows_of_text, yolo_document
from tasks.core.passed_over import Tally
from tests.support.keypoints import COCO_17, NAMES

SIZE_PX = (40, 20)
CLASSES = YoloClasses({0: "person", 1: "horse"})
PERSON: Schemes = {"person": COCO_17}
GOOD = b"0 0.5 0.5 0.5 0.5\n"


def read(*images: LabelledImage, classes: YoloClasses = CLASSES, categories: Schemes = PERSON) -> FileFigures:
    return figures_of_document("file", yolo_document(images, classes), categories, LeftOut(Tally(), Tally()))


def figures(text: bytes, classes: YoloClasses = CLASSES) -> list[dict[str, Any]] | None:
    return read(LabelledImage("a.jpg", SIZE_PX, text), classes=classes).by_file_name["a.jpg"].figures


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(b"0 1.5 0.5 0.5 0.5", "line 1: expected shares of a picture's sides", id="beyond 1"),
        pytest.param(b"0 20 10 20 10", "expected shares of a picture's sides, from 0 to 1, got '20'", id="in px"),
        pytest.param(b"0 0.5 0.5 0.5 -0.5", "from 0 to 1, got '-0.5'", id="a side below 0"),
        pytest.param(b"0 0.5 0.5 0.5 inf", "expected a finite number, got 'inf'", id="infinity"),
        pytest.param(b"0 0.5 0.5 0.5 1e999", "expected a finite number", id="a number beyond all"),
        pytest.param(b"0 0,5 0,5 0,5 0,5", "expected a number, got '0,5'", id="decimal commas"),
        pytest.param(b"0,0.5,0.5,0.5,0.5", "expected the number of a class", id="commas between numbers"),
        pytest.param(b"0 0.5 0.5 0.5 0_5", "expected a number, got '0_5'", id="an underscore"),
        pytest.param(b"2 0.5 0.5 0.5 0.5", "a class that has a name, got '2'", id="a class without a name"),
        pytest.param(b"-1 0.5 0.5 0.5 0.5", "got '-1'", id="a class below 0"),
        pytest.param(b"0.5 0.5 0.5 0.5 0.5", "got '0.5'", id="half a class"),
        pytest.param(b"nan 0.5 0.5 0.5 0.5", "got 'nan'", id="NaN for a class"),
        pytest.param(b"person 0.5 0.5 0.5 0.5", "got 'person'", id="a name for a class"),
        pytest.param(b"0", "got 0 numbers", id="a class alone"),
        pytest.param(b"0 0.5 0.5 0.5", "got 3 numbers", id="three numbers"),
        pytest.param(b"0 0.5 0.5 0.5 0.5 0.9", "got a fifth, as detectors write their confidence", id="a confidence"),
        pytest.param(b"0 .1 .1 .5 .1 .5 .5 .9", "got 7 numbers; key points need kpt_shape", id="an outline and a half"),
        pytest.param(b"0 .1 .1 .5 .1 .5 nan", "expected a finite number, got 'nan'", id="NaN in an outline"),
        pytest.param(b"# nobody", "expected the number of a class", id="a remark"),
        pytest.param(GOOD + b"\n\nx", "line 4: expected the number", id="the number of its line"),
        pytest.param(GOOD.replace(b"\n", b"\r") + b"x\r", "line 2: expected the number", id="lines that end in CR"),
        pytest.param(GOOD + b"\0", "line 2: expected the number", id="a NUL"),
        pytest.param("0 0.5 0.5 0.5 0.5".encode("utf-16"), "in UTF-8, got other bytes", id="UTF-16"),
        pytest.param(GOOD * (MAX_LINES + 1), "expected at most 100,000 lines, got 100,001", id="too many lines"),
        pytest.param(b"0 " + b"0.5 " * (MAX_BYTES // 4), "expected at most 4,000,000 bytes", id="too many bytes"),
    ],
)
def test_of_an_image_with_a_line_that_can_not_be_read_nobody_knows_what_is_in_it(text: bytes, problem: str):
    found = read(LabelledImage("a.jpg", SIZE_PX, text), LabelledImage("b.jpg", SIZE_PX, GOOD))
    assert found.by_file_name["a.jpg"].figures is None
    assert len(found.by_file_name["b.jpg"].figures or ()) == 1
    assert found.details["a.jpg"].startswith("annotation unreadable, so left out: ")
    kinds = {row.kind: (row.count, row.examples) for row in found.left_out.annotations.kinds()}
    count, (example, *_) = kinds["annotations that can't be read"]
    assert count == 1
    assert problem in example or problem in found.details["a.jpg"]


def test_a_good_line_beside_one_that_can_not_be_read_is_counted_too():
    found = read(LabelledImage("a.jpg", SIZE_PX, GOOD + b"0 2 2 2 2\n" + GOOD))
    counts = {row.kind: row.count for row in found.left_out.annotations.kinds()}
    assert counts == {"annotations that can't be read": 1, "annotations of images that count as not annotated": 2}
    assert '"unread":"0 2 2 2 2"' in (found.by_file_name["a.jpg"].source_coco or "")


@pytest.mark.parametrize("text", [b"", b"\n", b" \r\n\t\n", b"\xef\xbb\xbf"])
def test_an_empty_text_is_of_an_image_that_somebody_has_looked_at(text: bytes):
    assert figures(text) == []
    assert read(LabelledImage("a.jpg", (None, None), text)).by_file_name["a.jpg"].figures == []


@pytest.mark.parametrize(
    ("text", "boxes"),
    [
        pytest.param(b"0 0.5 0.5 0.5 0.5", [("person", [10, 5, 20, 10])], id="without an end"),
        pytest.param(b"\xef\xbb\xbf0 0.5 0.5 0.5 0.5\r\n", [("person", [10, 5, 20, 10])], id="as Windows writes it"),
        pytest.param(b"  1.000000\t.5 5e-1 +0.5 0.50  ", [("horse", [10, 5, 20, 10])], id="other spellings"),
        pytest.param(b"0 0.5 0.5 1 1\n\n1 0 0 1 1", [("person", [0, 0, 40, 20]), ("horse", [-20, -10, 40, 20])]),
        pytest.param(b"0 0.5 0.5 1.004 1", [("person", [-0.08, 0, 40.16, 20])], id="rounded beyond the edge"),
        pytest.param(GOOD + GOOD, [("person", [10, 5, 20, 10])] * 2, id="two that are equal are two"),
    ],
)
def test_boxes(text: bytes, boxes: list[Any]):
    assert [(one["category"], one["xywh_px"]) for one in figures(text) or ()] == boxes


@pytest.mark.parametrize("line", [b"0 0.5 0.5 0 0.5", b"0 0.5 0.5 0.5 0", b"0 nan nan nan nan", b"0 0.5 0.5 -0.001 1"])
def test_a_box_that_encloses_nothing_is_left_out_beside_a_good_one_as_in_coco(line: bytes):
    assert figures(line) is None
    found = read(LabelledImage("a.jpg", SIZE_PX, GOOD + line))
    assert [one["xywh_px"] for one in found.by_file_name["a.jpg"].figures or ()] == [[10, 5, 20, 10]]
    assert found.details["a.jpg"].startswith("box left out, the others stay: ")


@pytest.mark.parametrize(
    ("line", "xywh_px", "outline"),
    [
        (b"0 .25 .5 .5 .5 .5 1", [10, 10, 10, 10], "[[10.0,10.0,20.0,10.0,20.0,20.0]]"),
        (b"0 0 0 1 0 1 1 0 1", [0, 0, 40, 20], "[[0.0,0.0,40.0,0.0,40.0,20.0,0.0,20.0]]"),  # an oriented box
    ],
)
def test_an_outline_has_the_box_around_it(line: bytes, xywh_px: list[float], outline: str):
    (one,) = figures(line) or ()
    assert (one["xywh_px"], one["segmentation"]) == (xywh_px, outline)


def test_boxes_and_outlines_may_stand_in_one_text():
    found = figures(GOOD + b"0 0 0 1 0 1 1\n") or ()
    assert [one["segmentation"] is None for one in found] == [True, False]


def test_an_image_of_unknown_sides_is_unknown_if_anything_is_in_it():
    found = read(
        LabelledImage("a.jpg", (None, None), GOOD), LabelledImage("b.jpg", (40, 20), GOOD, "expected x, got y")
    )
    assert [one.figures for one in found.by_file_name.values()] == [None, None]
    assert "of unknown sides" in found.details["a.jpg"]
    assert found.details["b.jpg"] == "annotation unreadable, so left out: expected x, got y"


# --- key points

POSE = YoloClasses({0: "person"}, 17, 3, {0: [*NAMES]})
FLAT = POSE._replace(point_size=2)
NOSE = "0.5 0.25 2 " + "0 0 0 " * 16


def test_key_points_are_those_of_the_scheme_by_their_names():
    (one,) = figures(f"0 0.5 0.5 0.5 0.5 {NOSE}".encode(), POSE) or ()
    assert one["keypoints_xyv"] == [20, 5, 2, *[0] * 48]
    assert one["xywh_px"] == [10, 5, 20, 10]


def test_of_points_without_a_visibility_those_at_0_0_are_not_marked():
    (one,) = figures(f"0 0.5 0.5 0.5 0.5 0.5 0.25 {'0 0 ' * 16}".encode(), FLAT) or ()
    assert one["keypoints_xyv"] == [20, 5, 2, *[0] * 48]


def test_a_box_alone_may_stand_among_poses():
    (one,) = figures(GOOD, POSE) or ()
    assert one["keypoints_xyv"] is None


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (f"0 0.5 0.5 0.5 0.5 {NOSE.replace(' 2 ', ' 0.93 ')}", "0, 1 or 2, got '0.93', as detectors write"),
        (f"0 0.5 0.5 0.5 0.5 {NOSE.replace('0.25', '1.25')}", "from 0 to 1, got '1.25'"),
        (f"0 0.5 0.5 0.5 0.5 {NOSE} 1", "or 55 as kpt_shape says, got 56"),
        ("0 0 0 1 0 1 1", "or 55 as kpt_shape says, got 6"),
        ("0 0.5 0.5 0.5 0.5 0.9", "as detectors write their confidence"),
    ],
)
def test_a_pose_that_can_not_be_read(line: str, problem: str):
    found = read(LabelledImage("a.jpg", SIZE_PX, line.encode()), classes=POSE)
    assert found.by_file_name["a.jpg"].figures is None
    assert problem in found.details["a.jpg"]


def test_without_names_of_points_the_box_stays_and_the_points_are_told():
    found = read(
        LabelledImage("a.jpg", SIZE_PX, f"0 0.5 0.5 0.5 0.5 {NOSE}".encode()), classes=POSE._replace(joints={})
    )
    (one,) = found.by_file_name["a.jpg"].figures or ()
    assert one["keypoints_xyv"] is None
    assert "got no names" in found.details["a.jpg"]


def test_without_kpt_shape_a_pose_is_no_outline():
    line = f"0 0.5 0.5 0.5 0.5 {NOSE}".encode()
    assert figures(line) is None  # 55 numbers


# --- what else a document says


def test_what_is_said_of_an_image_does_not_change_with_its_neighbours():
    one = read(LabelledImage("b.jpg", SIZE_PX, GOOD)).by_file_name["b.jpg"]
    both = read(LabelledImage("a.jpg", SIZE_PX, GOOD), LabelledImage("b.jpg", SIZE_PX, GOOD))
    assert both.by_file_name["b.jpg"] == one
    assert one.source_coco == '{"image":{"file_name":"b.jpg","height":20,"id":"b.jpg","width":40}}'
    assert (one.figures or [{}])[0]["source_coco"] is None
    assert one.size_px == SIZE_PX


def test_all_classes_are_categories_whether_or_not_there_is_one():
    document = yolo_document([], POSE._replace(names={0: "person", 7: "angel"}))
    assert [(row["id"], row["name"], "keypoints" in row) for row in document["categories"]] == [
        (1, "person", True),
        (8, "angel", False),
    ]


words = st.sampled_from(["0", "1", "9", "0.5", "1.0", ".25", "-1", "nan", "inf", "1e400", "x", "0,5", "\0", "٣", "2"])
lines = st.lists(words, max_size=12).map(" ".join)


@given(st.lists(lines, max_size=4), st.sampled_from([CLASSES, POSE, FLAT, YoloClasses({3: "dog"}, 1, 2)]))
def test_whatever_stands_in_a_text_is_read_or_told(texts: list[str], classes: YoloClasses):
    image = LabelledImage("a.jpg", SIZE_PX, "\n".join(texts).encode())
    found = read(image, LabelledImage("b.jpg", SIZE_PX, b""), classes=classes)
    said = len([text for text in texts if text.strip()])
    drawn = found.by_file_name["a.jpg"].figures
    assert len(drawn or ()) + found.left_out.annotations.total == said
    assert drawn is None or len(drawn) or not said
    assert found.by_file_name["b.jpg"].figures == []


@given(st.binary(max_size=60))
def test_whatever_the_bytes_a_text_has_rows(data: bytes):
    assert isinstance(rows_of_text(data, SIZE_PX, CLASSES), list)


# --- there and back


sides = st.integers(1, 100_000)


@given(sides, sides, st.data())
def test_boxes_that_we_write_come_back_to_less_than_a_billionth_of_a_side_and_a_millionth_of_a_pixel(
    width: int, height: int, data: st.DataObject
):
    boxes = []
    for _ in range(data.draw(st.integers(0, 3))):
        x, y = (data.draw(st.floats(0, 0.98 * side)) for side in (width, height))
        wide, high = (data.draw(st.floats(0.01 * side, side - at)) for side, at in ((width, x), (height, y)))
        boxes.append([x, y, wide, high])
    numbers = [data.draw(st.integers(1, 2)) for _ in boxes]
    document = {
        "images": [{"id": 7, "width": width, "height": height}],
        "annotations": [
            {"image_id": 7, "category_id": number, "bbox": box, "iscrowd": 0}
            for number, box in zip(numbers, boxes, strict=True)
        ],
        "categories": [{"id": 1, "name": "person"}, {"id": 2, "name": "horse"}],
    }
    text = yolo_labels(document).texts[7].encode()
    found = read(LabelledImage("a.jpg", (width, height), text)).by_file_name["a.jpg"].figures
    assert found is not None
    assert [one["category"] for one in found] == [CLASSES.names[number - 1] for number in numbers]
    bound_px = 1e-9 * max(width, height) + 1e-6
    for one, box in zip(found, boxes, strict=True):
        assert one["xywh_px"] == pytest.approx(box, abs=bound_px, rel=0)
