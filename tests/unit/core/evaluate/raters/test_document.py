"""The consensus as COCO: what is written is what the comparison's own reader reads."""

import json

import pyarrow as pa
import pytest

from schemas.errors import BadInput
from schemas.evaluate_figures import RaterSettings
from tasks.core.coco.truth import read_truth_file
from tasks.core.evaluate.raters.consensus import find_consensus
from tasks.core.evaluate.raters.document import PICTURES, consensus_document
from tasks.core.evaluate.raters.ratings import read_ratings
from tests.support.raters import FIRST, SECOND, THIRD, row, table

FAR = (200, 200, 240, 260)
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
CONSENSUS = find_consensus(RATINGS, RaterSettings())
PICTURE_ROWS = [
    {"image": "b.jpg", "file_name": "images/b.jpg", "width_px": 300, "height_px": 400},
    {"image": "0.jpg", "file_name": "images/0.jpg"},
    {"image": "a.jpg", "file_name": "images/a.jpg"},
]


def pictures(*rows: dict) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=PICTURES)


def test_images_and_figures_from_1():
    got = consensus_document(RATINGS, CONSENSUS)
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
    got = consensus_document(RATINGS, CONSENSUS, pictures(*PICTURE_ROWS))
    truth = read_truth_file("consensus.json", json.dumps(got).encode(), ["person"])
    assert [image["file_name"] for image in truth.images] == ["images/a.jpg", "images/b.jpg"]
    assert [figure["xywh_px"] for figure in truth.figures] == [[11, 10, 39, 40], [200, 200, 40, 60]]
    assert (truth.notes, len(truth.ids)) == ((), 3)
    assert truth.deformation == {2: 4, 3: 2}


def test_pictures_give_names_sizes_and_images_that_nobody_saw():
    images = consensus_document(RATINGS, CONSENSUS, pictures(*PICTURE_ROWS))["images"]
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
        consensus_document(RATINGS, CONSENSUS, pictures(*rows))
    assert str(problem.value) == said
