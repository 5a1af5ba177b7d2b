"""COCO -> tables -> COCO is the same file but for order and formatting."""

import io
import json
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import BadInput
from schemas.sources.common import Annotations
from schemas.sources.folder import FolderSource
from schemas.tables import BOXES, COCO_FILES
from tasks.core.coco import source_file
from tasks.core.export.boxes import boxes as boxes_of
from tasks.core.scrape import sources
from tests.support import keypoints
from tests.support.coco_documents import in_order

SOURCE = FolderSource(name="art", pattern="{title}.jpg", annotations=Annotations(format="coco", path="boxes.json"))
CATEGORIES = ("person", "dog")
POSE = [1, 2, 2, 3.5, 4, 1, *[0] * 45]
DEEP = json.loads("[" * 64 + "]" * 64)
RLE = {"size": [6, 8], "counts": [8, 40]}
IMAGE: dict[str, Any] = {"id": 1, "file_name": "a.jpg", "width": 8, "height": 6}
BOX: dict[str, Any] = {"id": 1, "image_id": 1, "category_id": 7, "bbox": [0, 1, 2, 3], "iscrowd": 0, "area": 6}


def document(**changes: Any) -> dict[str, Any]:
    return {
        "images": [IMAGE, {"id": 2, "file_name": "b.jpg"}],
        "annotations": [BOX],
        "categories": [{"id": 7, "name": "person", "keypoints": [*keypoints.NAMES]}, {"id": 0, "name": "dog"}],
        **changes,
    }


def box(**changes: Any) -> dict[str, Any]:
    return {**BOX, **changes}


def through_tables(data: bytes, categories: tuple[str, ...] = CATEGORIES) -> tuple[dict[str, Any], pa.Table, pa.Table]:
    """The file that the tables of a release give back, its images and annotations, and the tables."""
    paths = sorted({f"{name}.jpg" for name in "abc"})
    known = keypoints.plain(*categories)
    schemes = {category.name: category.scheme for category in known}
    read = {"boxes.json": io.BytesIO(data)}.get
    got = sources.tables_of_source(SOURCE, paths, read, lambda _: (), schemes)
    (row,) = got.coco_files.to_pylist()
    count = got.figures.num_rows
    images = got.figures.select(["record_id", "source_coco"])
    shown = images.append_column("image_id", pa.array(np.arange(count) + 1)).append_column(
        "split", pa.array(["train"] * count)
    )
    boxes = boxes_of(shown, [("source", "source", got.figures)], known)
    rows = [{**one, "category": categories[one["category_id"] - 1]} for one in boxes.to_pylist()]
    restored = source_file.restore_file(
        row, [(one["record_id"], one["source_coco"]) for one in images.to_pylist()], rows
    )
    return json.loads(b"".join(restored.chunks())), got.figures, boxes


ODD = [
    pytest.param({}, id="a plain file"),
    pytest.param({"annotations": []}, id="no annotations"),
    pytest.param({"annotations": [{**BOX, "id": 0}, {**BOX, "id": -5}]}, id="ids 0 and negative"),
    pytest.param(
        {
            "images": [{**IMAGE, "id": "0001"}, {"id": "1", "file_name": "b.jpg"}],
            "annotations": [box(id="x", image_id="0001"), box(id="", image_id="1")],
        },
        id="ids as text",
    ),
    pytest.param({"images": [{**IMAGE, "id": 0}], "annotations": [box(image_id=0)]}, id="an image of id 0"),
    pytest.param({"images": [{**IMAGE, "id": -1}], "annotations": [box(image_id=-1)]}, id="an image of id -1"),
    pytest.param({"annotations": [BOX, BOX, box(id=2)]}, id="an annotation twice"),
    pytest.param({"annotations": [box(), box(bbox=[5, 5, 1, 1])]}, id="one id for two annotations"),
    pytest.param(
        {"annotations": [{"image_id": 1, "category_id": 7, "bbox": [0, 1, 2, 3]}]}, id="no id, no area, no iscrowd"
    ),
    pytest.param({"annotations": [box(area=5.5)]}, id="an area of its own"),
    pytest.param({"annotations": [box(area="6")]}, id="an area as text"),
    pytest.param(
        {"annotations": [box(area=-1), box(area=None), box(area=True), box(area=[6])]}, id="areas that are none"
    ),
    pytest.param({"annotations": [box(segmentation=[[0, 1, 2, 1, 2, 4.5]])]}, id="a polygon"),
    pytest.param({"annotations": [box(segmentation=[[2, 1, 2, 4, 0, 4, 0, 1]])]}, id="the box as a polygon"),
    pytest.param(
        {"annotations": [box(segmentation=[]), box(segmentation=[[1]]), box(segmentation=None)]}, id="no polygons"
    ),
    pytest.param({"annotations": [box(segmentation=RLE, iscrowd=1)]}, id="a crowd with run lengths"),
    pytest.param({"annotations": [box(segmentation={**RLE, "counts": "88"})]}, id="compressed run lengths"),
    pytest.param({"annotations": [box(segmentation={**RLE, "size": [9, 9]})]}, id="run lengths of another size"),
    pytest.param({"annotations": [box(iscrowd=v) for v in (True, False, 0, 1, 1.0, None)]}, id="crowds in all ways"),
    pytest.param({"annotations": [box(keypoints=POSE, num_keypoints=2)]}, id="keypoints"),
    pytest.param({"annotations": [box(keypoints=POSE)]}, id="keypoints that nobody has counted"),
    pytest.param({"annotations": [box(keypoints=POSE, num_keypoints=99)]}, id="keypoints with another count"),
    pytest.param({"annotations": [box(keypoints=[1, 2, 2] * 106, num_keypoints=106)]}, id="106 keypoints"),
    pytest.param({"annotations": [box(keypoints=[1, 2, 9] * 17)]}, id="keypoints of odd visibility"),
    pytest.param({"annotations": [box(keypoints=[]), box(keypoints=None, num_keypoints=0)]}, id="no keypoints"),
    pytest.param({"annotations": [box(category_id=0, keypoints=[1, 2, 2])]}, id="keypoints of no scheme"),
    pytest.param({"annotations": [box(category_id=0), box(category_id=0.0), box(image_id=1.0)]}, id="ids with a point"),
    pytest.param(
        {"categories": [{"id": 2, "name": "person"}, {"id": 1, "name": "dog"}, {"id": 7, "name": "person"}]},
        id="categories in their order, one name twice",
    ),
    pytest.param(
        {"categories": [{"id": "p", "name": "person"}], "annotations": [box(category_id="p")]}, id="a category of text"
    ),
    pytest.param(
        {"categories": [{"id": 7, "name": "person", "skeleton": [[1, 2]], "supercategory": "being", "x": None}]},
        id="all of a category",
    ),
    pytest.param(
        {
            "info": {"year": 2023, "n": 10**40, "x": "é\ud800"},
            "licenses": [{"id": 1, "name": "CC0", "url": "https://creativecommons.org/publicdomain/zero/1.0/"}],
            "type": "instances",
            "more": [{"deep": [1.5, None]}],
        },
        id="fields of the file",
    ),
    pytest.param({"info": None, "licenses": {}, "more": math.nan}, id="odd fields of the file"),
    pytest.param({"info": {"year": math.nan}, "licenses": [math.inf]}, id="numbers that JSON does not have, in fields"),
    pytest.param(
        {
            "images": [
                {
                    **IMAGE,
                    "license": 3,
                    "flickr_url": "http://x",
                    "date_captured": "2013",
                    "metadata": {"a": {"b": [1]}},
                },
                {"id": 2, "file_name": "b.jpg", "width": "wide", "height": -1, "coco_url": None},
            ]
        },
        id="all of an image",
    ),
    pytest.param(
        {"annotations": [box(score=0.5, attributes={"a": [True, 1, 1.0, "1"]}, note="\udc00")]}, id="unknown fields"
    ),
    pytest.param({"annotations": [box(area=math.nan, x=math.inf, y=[-math.inf])]}, id="NaN and infinities"),
    pytest.param({"annotations": [box(area=10**400, x=2**70, id=2**80)]}, id="huge numbers"),
    pytest.param({"annotations": [box(bbox=["0", 1, 2, "3"])]}, id="a box as text"),
    pytest.param({"annotations": [box(bbox=[-3.25, -1e6, 1e7, 0.1])]}, id="a box beyond its picture"),
    pytest.param({"annotations": [box(), box(id=2, bbox=[0, 0, 0, 5]), box(id=3)]}, id="a box that holds nothing"),
    pytest.param({"annotations": [box(bbox=[math.nan, 0, 1, 1]), box(bbox=None), box(iscrowd=7)]}, id="what is no box"),
    pytest.param({"images": [{**IMAGE, "is_annotated": False}]}, id="an image that nobody has annotated"),
    pytest.param(
        {
            "images": [{**IMAGE, "id": n} for n in (3, 1, 2)],
            "annotations": [box(id=n, image_id=1 + n % 3) for n in range(6)],
        },
        id="one file name three times",
    ),
    pytest.param(
        {"images": [{**IMAGE, "id": 1}, {**IMAGE, "id": 2}], "annotations": [box(bbox=None), box(image_id=2, bbox=[])]},
        id="one file name twice, with what is no box",
    ),
]


@pytest.mark.parametrize("changes", ODD)
def test_a_file_comes_back_as_it_was(changes: dict[str, Any]):
    wanted = document(**changes)
    got, *_ = through_tables(json.dumps(wanted).encode())
    assert in_order(got) == in_order(wanted)


def test_halves_of_characters_in_a_file_name_come_back():
    wanted = document(images=[{"id": 1, "file_name": "a.jpg"}, {"id": 2, "file_name": "b.jpg", "x": "\ud83d"}])
    got, *_ = through_tables(json.dumps(wanted).encode())
    assert in_order(got) == in_order(wanted)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        pytest.param(
            {"images": [IMAGE, IMAGE]},
            r"each image id once, got 1 id \(1\) more .*, 1 at the places 0, 1 of",
            id="an id twice",
        ),
        pytest.param({"images": [{"file_name": "a.jpg"}]}, r"images\[0\]\.id: expected", id="an image without an id"),
        pytest.param({"images": [{"id": 2**63, "file_name": "a"}]}, r"images\[0\]\.id: expected", id="a huge id"),
        pytest.param(
            {"annotations": [BOX, box(id=5, x=DEEP)]},
            r"annotations\[1\] \(id 5\): expected lists and objects nested at most 64 deep",
            id="too deep",
        ),
        pytest.param(
            {"images": [{**IMAGE, "x": DEEP}], "annotations": []},
            r"images\[0\] \(id 1\): expected lists and objects nested at most 64 deep",
            id="an image too deep",
        ),
    ],
)
def test_what_can_not_come_back_is_refused_with_its_row(changes: dict[str, Any], sentence: str):
    with pytest.raises(BadInput, match=sentence) as caught:
        through_tables(json.dumps(document(**changes)).encode())
    assert "\n" not in str(caught.value)


def test_ten_thousand_lists_deep_is_one_sentence():
    data = json.dumps(document(info="?")).replace('"?"', "[" * 10_000 + "]" * 10_000).encode()
    with pytest.raises(BadInput, match=r"^source 'art': 'boxes.json': expected"):
        through_tables(data)


def test_annotations_of_categories_that_the_recipe_does_not_have_are_not_given_back():
    wanted = document(annotations=[BOX, box(id=2, category_id=0)])
    got, *_ = through_tables(json.dumps(wanted).encode(), ("person",))
    assert got["annotations"] == [{**BOX, "bbox": [0.0, 1.0, 2.0, 3.0], "area": 6.0}]
    assert got["categories"] == wanted["categories"]


def test_columns_hold_what_they_can_and_the_rest_is_short():
    pose = [float(value) for value in POSE]
    entry = box(area=5.5, segmentation=[[0, 1, 2, 1, 2, 4]], keypoints=POSE, num_keypoints=2)
    _, _, boxes = through_tables(json.dumps(document(annotations=[entry])).encode())
    (row,) = boxes.select(["area_px2", "source_area_px2", "segmentation", "keypoints_xyv", "source_coco"]).to_pylist()
    assert row == {
        "area_px2": 6.0,
        "source_area_px2": 5.5,
        "segmentation": "[[0,1,2,1,2,4]]",
        "keypoints_xyv": pose,
        "source_coco": '{"fields":{"id":1}}',
    }
    assert boxes.schema == BOXES


def test_what_a_file_says_of_no_image_is_one_row():
    got, _ = source_file.head({**document(), "info": {"b": 1, "a": "é"}, "type": "x"})
    assert pa.Table.from_pylist([{"source": "s", "path": "p", **got}], schema=COCO_FILES).to_pylist() == [
        {
            "source": "s",
            "path": "p",
            "images": 2,
            "annotations": 1,
            "info": '{"a":"é","b":1}',
            "licenses": None,
            "categories": json.dumps(document()["categories"], sort_keys=True, separators=(",", ":")),
            "other_fields": '{"fields":{"type":"x"}}',
        }
    ]


def test_figures_that_were_read_and_left_out_come_back():
    """As those of an image that turned out to have another size."""
    wanted = document(annotations=[BOX, box(id=2, category_id=0, area=3)])
    _, figures, _ = through_tables(json.dumps(wanted).encode())
    first, second = figures.to_pylist()
    text = source_file.with_figures(first["source_coco"], first["figures"])
    row = {"info": None, "licenses": None, "other_fields": None, "categories": json.dumps(wanted["categories"])}
    images = [("a", text), ("b", second["source_coco"])]
    got = source_file.restore_file(row, images, [])
    assert in_order(json.loads(b"".join(got.chunks()))) == in_order(wanted)


def test_rows_of_other_lists_stand_with_the_image_that_they_name():
    """So that what is taken down takes them along."""
    captions = [
        {"image_id": 1, "caption": "a"},
        {"image_id": 2, "caption": "b"},
        {"image_id": 2.0, "caption": "c"},
        {"image_id": 9, "caption": "of no image"},
        {"image_id": [], "caption": "of nobody"},
        "no object",
    ]
    wanted = document(captions=captions, regions=[{"image_id": 2}], empty=[], type="x")
    got, figures, _ = through_tables(json.dumps(wanted).encode())
    found, expected = (
        sorted(json.dumps(row, sort_keys=True) for row in rows) for rows in (got.pop("captions"), captions)
    )
    assert found == expected
    assert in_order(got) == in_order({name: value for name, value in wanted.items() if name != "captions"})
    first, second = (json.loads(text) for text in figures["source_coco"].to_pylist()[:2])
    assert first["rows"] == {"captions": captions[:1]}
    assert second["rows"] == {"captions": captions[1:3], "regions": [{"image_id": 2}]}
    kept = json.loads(source_file.head(wanted, [1, 2])[0]["other_fields"])["fields"]
    assert kept == {"captions": captions[3:], "regions": [], "empty": [], "type": "x"}


def test_rows_of_an_earlier_image_of_one_name_come_back():
    images = [IMAGE, {"id": 2, "file_name": "a.jpg"}]
    wanted = document(images=images, captions=[{"image_id": 1, "n": 1}, {"image_id": 2, "n": 2}])
    got, _, _ = through_tables(json.dumps(wanted).encode())
    assert in_order(got) == in_order(wanted)


def test_two_records_of_one_image_give_it_back_once():
    _, figures, boxes = through_tables(json.dumps(document()).encode())
    text = figures["source_coco"][0].as_py()
    row = {"info": None, "licenses": None, "other_fields": None, "categories": None}
    rows = [{**one, "record_id": name, "category": "person"} for one in boxes.to_pylist() for name in "xyz"]
    got = source_file.restore_file(row, [("x", text), ("y", text)], rows)
    assert (len(got.images), len(got.annotations)) == (1, 1)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{", id="no JSON"),
        pytest.param("[]", id="a list"),
        pytest.param('{"image": []}', id="an image that is a list"),
        pytest.param('{"image": {}, "annotations": {}}', id="annotations in an object"),
        pytest.param('{"image": {}, "others": [{}]}', id="another without an image"),
        pytest.param('{"image": {}, "figures": [1]}', id="a figure that is a number"),
        pytest.param('{"image": {}, "rows": []}', id="rows of no list"),
        pytest.param('{"image": {}, "rows": {"captions": [1]}}', id="a row that is a number"),
    ],
)
def test_what_no_release_has_is_told(text: str):
    with pytest.raises(ValueError, match="xpect"):
        source_file.read_image(text)


HEAD = {"source": "s", "path": "p", "images": 1, "annotations": 0}
PLAIN = {"info": "{}", "licenses": None, "categories": "[]", "other_fields": None}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param({}, None, id="as it should be"),
        pytest.param({"info": "{"}, "coco_files of 's': expected JSON that", id="info"),
        pytest.param({"licenses": "[" * 10_000}, "coco_files of 's': expected JSON that", id="deep licences"),
        pytest.param({"other_fields": "[]"}, "coco_files of 's': expected JSON that", id="other fields in a list"),
    ],
)
def test_a_row_of_a_file_must_give_it_back(change: dict[str, Any], said: str | None):
    problems = list(source_file.row_problems([{**HEAD, **PLAIN, **change}]))
    assert len(problems) == (said is not None)
    assert said is None or said in problems[0]


# --- any file

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=4)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
IDS = st.integers(-3, 3) | st.sampled_from(["a", "1", "é"])
NUMBERS = st.integers(-5, 50) | st.floats(-5, 50) | st.sampled_from(["3", math.nan, 2**70, None, True])
OUTLINES = st.lists(st.lists(st.integers(0, 9) | st.floats(0, 9), max_size=8), max_size=2) | st.just(RLE) | VALUES
POSES = st.just(POSE) | st.lists(st.integers(0, 2), max_size=60) | VALUES
UNKNOWN = st.dictionaries(st.sampled_from(["id", "score", "attributes", "é~/"]), VALUES, max_size=2)


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """COCO files of a few images, with everything that such files have, and with much that they should not."""
    images = draw(st.lists(IDS, unique=True, min_size=1, max_size=4))
    categories = draw(st.lists(IDS, unique=True, min_size=1, max_size=3))
    names = st.sampled_from(CATEGORIES)
    known = {
        "area": NUMBERS,
        "iscrowd": st.sampled_from([0, 1, True, False, None, 2]),
        "segmentation": OUTLINES,
        "keypoints": POSES,
        "num_keypoints": st.integers(0, 17) | VALUES,
    }
    entry = st.fixed_dictionaries(
        {
            "image_id": st.sampled_from(images),
            "category_id": st.sampled_from(categories),
            "bbox": st.lists(st.integers(1, 9) | st.floats(0.5, 9), min_size=4, max_size=4) | st.just([0, 0, 0, 1]),
        },
        optional=known,
    )
    files = st.sampled_from(["a.jpg", "b.jpg", "c.jpg"])
    image = st.fixed_dictionaries({"file_name": files}, optional={"width": st.just(8), "license": VALUES, "x": VALUES})
    return {
        **draw(st.dictionaries(st.sampled_from(["info", "licenses", "type", ""]), VALUES, max_size=3)),
        "images": [{**draw(image), "id": one} for one in images],
        "annotations": [{**draw(UNKNOWN), **draw(entry)} for _ in range(draw(st.integers(0, 5)))],
        "categories": [
            {"id": one, "name": draw(names), **draw(st.sampled_from([{}, {"keypoints": [*keypoints.NAMES]}]))}
            for one in categories
        ],
    }


@pytest.mark.slow
@settings(max_examples=300)
@given(documents())
def test_any_file_comes_back_as_it_was(wanted: dict[str, Any]):
    if not isinstance(wanted.get("info"), dict) or wanted["info"].get("annotation_origin") != "detector":
        data = json.dumps(wanted).encode()
        assert in_order(through_tables(data)[0]) == in_order(wanted)
