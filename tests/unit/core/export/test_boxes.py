"""All boxes: who is in which table, and ids that stay when other boxes come and go."""

import hashlib
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.keypoints import Category, CocoCategory, Joints, resolve_categories
from schemas.tables import ANNOTATIONS, BOXES, DETECTIONS, FIGURE
from tasks.core import ids
from tasks.core.coco.box import BadBox
from tasks.core.export.boxes import boxes, detected, drawn
from tests.support import rowwise
from tests.support.keypoints import ZOO, plain

BOTH = plain("person", "dog")

IMAGES = pa.table(
    {
        "record_id": ["a", "b", "c"],
        "image_id": [11, 22, 33],
        "split": ["train", "val", "train"],
        "title": ["A", "B", "C"],
    }
)
FIGURES = pa.schema([("record_id", pa.string()), ("figures", pa.list_(FIGURE))])


def figure(x: float = 0.0, **said: Any) -> dict[str, Any]:
    return {
        "category": "person",
        "xywh_px": [x, 1.0, 2.0, 3.5],
        "is_crowd": False,
        "keypoints_xyv": None,
        "score": None,
        **said,
    }


def found(**figures: list[dict[str, Any]] | None) -> pa.Table:
    return pa.Table.from_pylist([{"record_id": name, "figures": of} for name, of in figures.items()], schema=FIGURES)


def rows(*figures: tuple[str, str, pa.Table], categories: Sequence[CocoCategory] = BOTH) -> list[dict[str, Any]]:
    got = boxes(IMAGES, figures, categories)
    assert got.schema == BOXES
    numbers = got["annotation_id"].to_pylist()
    assert numbers == sorted(set(numbers))
    return got.to_pylist()


def source(**figures: list[dict[str, Any]] | None) -> tuple[str, str, pa.Table]:
    return ("source", "source", found(**figures))


def detector(**figures: list[dict[str, Any]] | None) -> tuple[str, str, pa.Table]:
    return ("detector", "yolox@0123456789ab", found(**figures))


def id_of(got: list[dict[str, Any]], x: float, record_id: str = "a") -> int:
    (row,) = (row for row in got if row["xywh_px"][0] == x and row["record_id"] == record_id)
    return int(row["annotation_id"])


def test_a_row_says_what_the_box_is_and_whose_image_it_lies_in():
    keypoints = [1.0, 2.0, 2.0] + [0.0] * 48
    (row,) = rows(source(b=[figure(4.5, category="dog", is_crowd=True, keypoints_xyv=keypoints)]))
    assert 1 <= row.pop("annotation_id") < 2**53
    assert row == {
        "image_id": 22,
        "record_id": "b",
        "split": "val",
        "category_id": 2,
        "xywh_px": [4.5, 1.0, 2.0, 3.5],
        "area_px2": 7.0,
        "is_crowd": True,
        "keypoints_xyv": keypoints,
        "keypoint_scheme": "coco-17",
        "score": None,
        "origin": "source",
        "origin_name": "source",
        "source_area_px2": None,
        "segmentation": None,
        "source_coco": None,
    }


def test_a_box_with_keypoints_names_its_categorys_scheme():
    drawn = [
        figure(1.0, category="dog", keypoints_xyv=[1.0, 2.0, 2.0] * 20),
        figure(2.0, category="face", keypoints_xyv=[1.0, 2.0, 2.0] * 106),
        figure(3.0, category="angel", keypoints_xyv=[1.0, 2.0, 2.0] * 17),
        figure(4.0, category="dog"),
        figure(5.0, category="thing"),
    ]
    got = sorted(rows(source(a=drawn), categories=resolve_categories(ZOO)), key=lambda row: row["xywh_px"])
    assert [row["keypoint_scheme"] for row in got] == ["animal-20", "face-106", "coco-17", None, None]
    assert [row["category_id"] for row in got] == [2, 3, 5, 2, 4]


def test_an_id_goes_by_the_numbers_of_keypoints_and_not_by_their_schemes_name():
    drawn = source(a=[figure(category="dog", keypoints_xyv=[1.0, 2.0, 2.0])])
    own = {"dog-1": Joints(joints=("nose",))}
    (one,), (other,) = (
        rows(
            drawn,
            categories=resolve_categories([Category(name="person"), Category(name="dog", keypoints=name)], own),
        )
        for name in ("dog-1", "coco-17")
    )
    assert one["annotation_id"] == other["annotation_id"]


@pytest.mark.parametrize(
    ("said", "name"),
    [
        pytest.param({}, "a\tsource\tsource\t1\t[0.0, 1.0, 2.0, 3.5]\tFalse\tNone\t", id="a plain box"),
        pytest.param(
            {"keypoints_xyv": [1.0, 2.0, 2.0], "is_crowd": True, "score": 0.5},
            "a\tsource\tsource\t1\t[0.0, 1.0, 2.0, 3.5]\tTrue\t0.5\t" + hashlib.sha256(b"[1.0, 2.0, 2.0]").hexdigest(),
            id="a box with all that one can have",
        ),
    ],
)
def test_an_id_is_that_of_a_name_that_no_later_version_may_change(said: dict[str, Any], name: str):
    one, two = rows(source(a=[figure(**said), figure(**said)]))
    assert {one["annotation_id"], two["annotation_id"]} == {ids.natural_id(name), ids.natural_id(f"{name}\t2")}


def test_areas_are_rounded_so_that_no_machine_says_another():
    (row,) = rows(source(a=[figure(xywh_px=[0.0, 0.0, 0.1, 0.7])]))
    assert row["area_px2"] == 0.07  # 0.1 * 0.7 is 0.06999999999999999
    (row,) = rows(source(a=[figure(xywh_px=[0.0, 0.0, 1.05, 1.13])]))
    assert row["area_px2"] == 1.19  # 1.1865: to a hundredth


@pytest.mark.parametrize(
    "boxes",
    [
        pytest.param((), id="no boxes at all"),
        pytest.param((source(),), id="no annotated image"),
        pytest.param((source(a=[], b=None),), id="images without figures"),
        pytest.param((source(z=[figure()]),), id="figures of images that were dropped"),
    ],
)
def test_where_nothing_is_drawn_the_table_is_empty(boxes: tuple[Any, ...]):
    assert rows(*boxes) == []


def test_a_detectors_keypoints_are_pre_annotations_and_an_image_it_has_not_looked_at_has_none():
    (row,) = rows(detector(a=[figure(keypoints_xyv=[1.0, 2.0, 2.0], score=0.9)], b=None))
    assert (row["record_id"], row["keypoints_xyv"], row["origin"]) == ("a", [1.0, 2.0, 2.0], "detector")


def test_people_and_detectors_stand_side_by_side():
    got = rows(source(a=[figure()]), detector(a=[figure(score=0.9)], c=[figure(score=0.1)]))
    assert sorted((row["record_id"], row["origin"], row["score"]) for row in got) == [
        ("a", "detector", 0.9),
        ("a", "source", None),
        ("c", "detector", 0.1),
    ]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param((source(a=[figure(1)]),), id="another place"),
        pytest.param((source(b=[figure()]),), id="another image"),
        pytest.param((source(a=[figure(category="dog")]),), id="another category"),
        pytest.param((source(a=[figure(is_crowd=True)]),), id="a crowd"),
        pytest.param((source(a=[figure(keypoints_xyv=[1.0, 2.0, 2.0])]),), id="with keypoints"),
        pytest.param((source(a=[figure(keypoints_xyv=[])]),), id="with an empty list of them"),
        pytest.param((detector(a=[figure()]),), id="another origin"),
        pytest.param((("source", "another", found(a=[figure()])),), id="another origin's name"),
        pytest.param((source(a=[figure(score=0.5)]),), id="another score"),
    ],
)
def test_each_thing_that_a_box_is_makes_another_id(other: tuple[Any, ...]):
    assert rows(source(a=[figure()]))[0]["annotation_id"] != rows(*other)[0]["annotation_id"]


def test_an_id_depends_on_neither_the_images_id_nor_its_split():
    moved = pa.table({"record_id": ["a"], "image_id": [99], "split": ["test"]})
    (row,) = boxes(moved, [source(a=[figure()])], plain("person")).to_pylist()
    assert row["annotation_id"] == rows(source(a=[figure()]))[0]["annotation_id"]


places = st.lists(st.integers(0, 30), max_size=8, unique=True)


@given(places, places, st.randoms(use_true_random=False))
def test_ids_stay_when_other_boxes_come_and_go_in_any_order(before: list[int], after: list[int], chance: Any):
    mixed = after.copy()
    chance.shuffle(mixed)
    one = rows(source(a=[figure(float(x)) for x in before]), detector(b=[figure(score=0.5)]))
    two = rows(detector(c=[figure(score=0.7)]), source(a=[figure(float(x)) for x in mixed]))
    for x in set(before) & set(after):
        assert id_of(one, x) == id_of(two, x)
    assert len(one) == len(before) + 1


def test_boxes_that_are_equal_in_everything_have_two_ids_and_the_first_stays_when_one_goes():
    one, two = rows(source(a=[figure()])), rows(source(a=[figure(), figure()]))
    assert len(two) == 2
    assert one[0]["annotation_id"] in {row["annotation_id"] for row in two}


def test_the_order_in_which_origins_come_changes_nothing():
    boxes = [source(a=[figure(), figure(3)], c=[figure()]), detector(a=[figure(score=0.5)])]
    assert rows(*boxes) == rows(*boxes[::-1])


def test_colliding_ids_are_parted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ids, "natural_id", lambda _: 7)
    assert [row["annotation_id"] for row in rows(source(a=[figure(), figure(1), figure(2)]))] == [7, 8, 9]


def test_categories_are_numbered_from_1_in_the_recipes_order():
    got = rows(source(a=[figure(category="dog"), figure(9)]), categories=plain("dog", "person"))
    assert {row["xywh_px"][0]: row["category_id"] for row in got} == {0.0: 1, 9.0: 2}


sides = st.one_of(
    st.integers(1, 30_000).map(lambda tenths: tenths / 10), st.floats(1e-6, 1e7), st.sampled_from([0.005, 1.005, 1e7])
)
places_px = st.one_of(sides, sides.map(lambda side: -side), st.sampled_from([0.0, -0.0, 1e-5]))
scores = st.one_of(st.none(), st.integers(0, 1000).map(lambda thousandths: thousandths / 1000), st.floats(0, 1))
keypoints = st.one_of(st.none(), st.lists(st.one_of(places_px, st.integers(0, 2).map(float)), max_size=6))
figures = st.builds(
    dict,
    category=st.sampled_from(["person", "dog"]),
    xywh_px=st.tuples(places_px, places_px, sides, sides).map(list),
    is_crowd=st.booleans(),
    keypoints_xyv=keypoints,
    score=scores,
)
records = st.sampled_from(["a", "b", "ü\t1", "dropped"])
tables = st.dictionaries(records, st.one_of(st.none(), st.lists(st.one_of(figures, st.just(figure())), max_size=4)))


@given(st.lists(st.tuples(st.sampled_from(["source", "detector"]), st.sampled_from(["x", "y"]), tables), max_size=3))
def test_in_columns_all_is_as_row_by_row(given_boxes: list[tuple[str, str, dict[str, Any]]]):
    images = pa.table({"record_id": ["a", "b", "ü\t1"], "image_id": [1, 2, 3], "split": ["train", "val", "test"]})
    several = [(origin, name, found(**of)) for origin, name, of in given_boxes]
    got = boxes(images, several, plain("dog", "person"))
    assert got.equals(rowwise.annotations(images, several, plain("dog", "person")))
    # each stands in one of the two tables
    ids_of = [
        table[column].to_pylist() for table, column in ((drawn(got), "annotation_id"), (detected(got), "detection_id"))
    ]
    assert sorted([*ids_of[0], *ids_of[1]]) == got["annotation_id"].to_pylist()


def test_what_people_drew_and_what_a_detector_found_are_two_tables():
    got = boxes(IMAGES, [source(a=[figure()]), detector(b=[figure(score=0.5)])], BOTH)
    people, machine = drawn(got), detected(got)
    assert (people.schema, machine.schema) == (ANNOTATIONS, DETECTIONS)
    assert [(row["record_id"], row["origin"]) for row in people.to_pylist()] == [("a", "source")]
    (row,) = machine.to_pylist()
    assert (row["record_id"], row["score"], row["model"]) == ("b", 0.5, "yolox@0123456789ab")
    by_id = dict(zip(got["record_id"].to_pylist(), got["annotation_id"].to_pylist(), strict=True))
    assert (people["annotation_id"][0].as_py(), row["detection_id"]) == (by_id["a"], by_id["b"])


@pytest.mark.parametrize(
    "xywh",
    [
        pytest.param([0.0, 0.0, 0.0, 1.0], id="no width"),
        pytest.param([0.0, 0.0, 1.0, -1.0], id="a negative height"),
        pytest.param([2e7, 0.0, 1.0, 1.0], id="beyond any picture"),
        pytest.param([float("nan"), 0.0, 1.0, 1.0], id="no number"),
        pytest.param(None, id="no box"),
    ],
)
def test_what_is_no_box_stops_the_program(xywh: list[float] | None):
    with pytest.raises(BadBox, match="expected"):
        rows(source(a=[figure(), figure(xywh_px=xywh)]))


def test_a_category_that_the_recipe_has_not_stops_the_program():
    with pytest.raises(AssertionError, match="expected boxes of the categories person, dog, got one of cat"):
        rows(source(a=[figure(category="cat")]))
