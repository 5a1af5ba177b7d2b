"""The consensus by hand, whatever the order of rows, and as a COCO document."""

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from schemas.evaluate_figures import RaterSettings
from tasks.core.coco.truth import read_truth_file
from tasks.core.evaluate.raters.consensus import (
    PICTURES,
    consensus_document,
    draw_starts,
    figure_table,
    find_consensus,
    median_count,
)
from tasks.core.evaluate.raters.ratings import read_ratings
from tests.support.raters import FIRST, SECOND, THIRD, random_ratings, ratings, row, table

BOTH = pytest.mark.parametrize(
    "settings", [RaterSettings(), RaterSettings(consensus="overlap")], ids=["kmeans", "overlap"]
)
FAR = (200, 200, 240, 260)


@BOTH
def test_the_median_of_each_corner(settings: RaterSettings):
    got = find_consensus(ratings({"a": {"1": [FIRST]}, "b": {"1": [SECOND]}, "c": {"1": [THIRD]}}), settings)
    assert (got.image.tolist(), got.xyxy_px.tolist(), got.figure.tolist()) == ([0], [[11, 10, 50, 50]], [0, 0, 0])


@BOTH
def test_two_figures_in_two_images(settings: RaterSettings):
    drawn = {"a": {"1": [FAR, FIRST], "2": [FAR]}, "b": {"1": [SECOND, FAR], "2": []}, "c": {"1": [THIRD], "2": [FAR]}}
    got = find_consensus(ratings(drawn), settings)
    assert got.image.tolist() == [0, 0, 1]
    assert got.xyxy_px.tolist() == [[11, 10, 50, 50], [*FAR], [*FAR]]
    assert got.figure.tolist() == [0, 0, 0, 1, 1, 2, 2]


@BOTH
def test_nobody_drew_anything(settings: RaterSettings):
    got = find_consensus(ratings({"a": {"1": []}, "b": {"1": []}}), settings)
    assert (got.xyxy_px.shape, len(got.image), len(got.figure)) == ((0, 4), 0, 0)


@pytest.mark.parametrize(
    ("drew", "kmeans", "overlap"),
    [
        pytest.param("110", 1, 1, id="two of three"),
        pytest.param("100", 0, 0, id="one of three"),
        pytest.param("1100", 1, 1, id="half: half a figure is rounded up, and half of the raters are enough"),
        pytest.param("1000", 0, 0, id="a quarter"),
        pytest.param("10", 1, 1, id="one of two"),
    ],
)
def test_who_drew_nothing_counts_0(drew: str, kmeans: int, overlap: int):
    given_boxes = ratings({str(place): {"1": [FIRST] if one == "1" else []} for place, one in enumerate(drew)})
    assert len(find_consensus(given_boxes, RaterSettings()).image) == kmeans
    assert len(find_consensus(given_boxes, RaterSettings(consensus="overlap")).image) == overlap


def test_seven_of_ten_are_as_many_as_asked_for():
    drawn = {str(place): {"1": [FIRST] if place < 7 else []} for place in range(10)}
    assert len(find_consensus(ratings(drawn), RaterSettings(consensus="overlap", agreement=0.7)).image) == 1
    assert len(find_consensus(ratings(drawn), RaterSettings(consensus="overlap", agreement=0.71)).image) == 0


@pytest.mark.parametrize(
    ("counts", "expected"), [([], 0), ([0], 0), ([3], 3), ([1, 2], 2), ([0, 1], 1), ([0, 0, 5], 0), ([1, 4, 2, 2], 2)]
)
def test_the_median_rater_rounds_half_up(counts: list[int], expected: int):
    assert median_count(np.array(counts, np.int64)) == expected


def test_doubtful_figures_are_reported():
    drawn = {
        "a": {"1": [FIRST, SECOND]},
        "b": {"1": [FIRST, FAR]},
        "c": {"1": [SECOND]},
        "d": {"1": [THIRD, (11, 11, 50, 50)]},
        "e": {"1": []},
    }
    whole = ratings(drawn)
    got = figure_table(whole, find_consensus(whole, RaterSettings())).to_pylist()
    names = ("image", "figure", "raters", "boxes", "seen_by", "has_rater_twice", "is_minority")
    assert [tuple(row[name] for name in names) for row in got] == [
        ("1", 1, 4, 6, 5, True, False),
        ("1", 2, 1, 1, 5, False, True),
    ]
    assert [row["x_max"] for row in got] == [50, 240]


def test_a_table_of_no_figures():
    whole = ratings({"a": {"1": []}, "b": {"1": []}})
    assert figure_table(whole, find_consensus(whole, RaterSettings())).num_rows == 0


@BOTH
@given(seed=st.integers(0, 10_000))
def test_the_order_of_rows_and_the_names_of_raters_make_no_difference(settings: RaterSettings, seed: int):
    rows = random_ratings(seed)
    turned = rows.take(list(range(rows.num_rows))[::-1])
    other = {name: str(9 - place) for place, name in enumerate(sorted(set(rows["rater"].to_pylist())))}
    renamed = turned.set_column(0, "rater", pa.array([other[name] for name in turned["rater"].to_pylist()]))
    one, two, three = (find_consensus(read_ratings(each), settings) for each in (rows, turned, renamed))
    assert all(np.array_equal(mine, theirs) for mine, theirs in zip(one, two, strict=True))
    if settings.consensus == "kmeans":
        assert np.array_equal(one.xyxy_px, three.xyxy_px)
    assert (one.xyxy_px[:, 2:] > one.xyxy_px[:, :2]).all()


@given(st.integers(0, 10_000))
def test_an_image_has_the_same_figures_whatever_others_there_are(seed: int):
    rows = random_ratings(seed)
    alone = read_ratings(rows.filter(pa.compute.equal(rows["image"], "i0")))
    whole = read_ratings(rows)
    got = find_consensus(whole, RaterSettings())
    assert find_consensus(alone, RaterSettings()).xyxy_px.tolist() == got.xyxy_px[got.image == 0].tolist()


def test_starts_depend_on_the_seed_and_the_image_alone():
    few, many = np.array([0, 1]), np.array([0, 0, 0, 1])
    settings = RaterSettings(starts=4)
    one = draw_starts("1", many, settings)
    assert one.shape == (4, 3)
    assert draw_starts("1", few, settings).tolist() == one[:, :1].tolist()
    assert draw_starts("2", many, settings).tolist() != one.tolist()
    assert draw_starts("1", many, RaterSettings(starts=4, seed=1)).tolist() != one.tolist()


@pytest.mark.parametrize("seed", range(20))
def test_figures_are_counted_as_a_plain_loop_counts_them(seed: int):
    whole = read_ratings(random_ratings(seed, raters=6, images=5))
    consensus = find_consensus(whole, RaterSettings())
    for place, figure in enumerate(figure_table(whole, consensus).to_pylist()):
        boxes = whole.rater[consensus.figure == place].tolist()
        image = whole.images.index(figure["image"])
        assert (figure["boxes"], figure["raters"]) == (len(boxes), len({*boxes}))
        assert figure["has_rater_twice"] == (len({*boxes}) < len(boxes))
        assert figure["seen_by"] == whole.is_seen[:, image].sum()
        assert figure["is_minority"] == (2 * len({*boxes}) < figure["seen_by"])
        assert figure["figure"] == 1 + place - consensus.image.tolist().index(image)


RATINGS = read_ratings(
    table(
        *(row("a", "b.jpg", box, 1) for box in (FAR, FIRST)),
        *(row("b", "b.jpg", box, 2) for box in (FAR, SECOND)),
        row("c", "b.jpg", THIRD),
        row("a", "a.jpg"),
        row("b", "a.jpg", FAR, 4),
        row("c", "a.jpg"),
    )
)
PICTURE_ROWS = [
    {"image": "b.jpg", "file_name": "images/b.jpg", "width_px": 300, "height_px": 400},
    {"image": "0.jpg", "file_name": "images/0.jpg"},
    {"image": "a.jpg", "file_name": "images/a.jpg"},
]


def document(*rows: dict) -> dict:
    return consensus_document(RATINGS, find_consensus(RATINGS, RaterSettings()), *([pictures(*rows)] if rows else []))


def pictures(*rows: dict) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=PICTURES)


def test_images_and_figures_from_1():
    got = document()
    assert [(image["id"], image["file_name"], image["is_annotated"]) for image in got["images"]] == [
        (1, "a.jpg", True),
        (2, "b.jpg", True),
    ]
    assert got["images"][1]["metadata"] == {"deformation": 2, "mean_rating": 1.5, "raters": 3}
    assert got["annotations"] == [
        {"id": 1, "image_id": 2, "category_id": 1, "bbox": [11, 10, 39, 40], "area": 1560, "iscrowd": 0},
        {"id": 2, "image_id": 2, "category_id": 1, "bbox": [200, 200, 40, 60], "area": 2400, "iscrowd": 0},
    ]
    assert got["categories"] == [{"id": 1, "name": "person"}]


def test_the_comparison_reads_it():
    got = document(*PICTURE_ROWS)
    truth = read_truth_file("consensus.json", json.dumps(got).encode(), ["person"])
    assert [image["file_name"] for image in truth.images] == ["images/a.jpg", "images/b.jpg"]
    assert [figure["xywh_px"] for figure in truth.figures] == [[11, 10, 39, 40], [200, 200, 40, 60]]
    assert (truth.notes, len(truth.ids)) == ((), 3)
    assert truth.deformation == {2: 4, 3: 2}


def test_pictures_give_names_sizes_and_images_that_nobody_saw():
    images = document(*PICTURE_ROWS)["images"]
    assert images[0] == {"id": 1, "file_name": "images/0.jpg", "is_annotated": False, "metadata": {}}
    assert (images[2]["width"], images[2]["height"], "width" in images[1]) == (300, 400, False)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (PICTURE_ROWS[:2], "pictures: expected each image of the ratings, got none called 'a.jpg'"),
        (PICTURE_ROWS * 2, "pictures: expected each image once, got 6 rows of 3 images"),
    ],
)
def test_pictures_that_do_not_fit_are_refused(rows: list, said: str):
    with pytest.raises(BadInput) as problem:
        document(*rows)
    assert str(problem.value) == said
