"""Several truths as one: ids that clash, images that are held out, and an order that does not matter."""

from typing import Any

import pyarrow as pa
import pytest

from schemas.tables import ANNOTATED_FIGURES, ANNOTATED_IMAGES
from tasks.core.train import several_truths

Row = dict[str, Any]


def images(**blobs: str) -> pa.Table:
    """ANNOTATED_IMAGES with these ids (as _7) and blobs."""
    rows = [{"image_id": int(name[1:]), "sha256": blob, "width_px": 9, "height_px": 9} for name, blob in blobs.items()]
    return pa.Table.from_pylist(rows, schema=ANNOTATED_IMAGES)


def figures(*widths_of_ids: tuple[int, float]) -> pa.Table:
    """ANNOTATED_FIGURES: in each of the images, a figure of a width."""
    rows = [
        {
            "image_id": number,
            "category": "person",
            "xywh_px": [0, 0, width, 5],
            "area_px2": 5 * width,
            "is_crowd": False,
        }
        for number, width in widths_of_ids
    ]
    return pa.Table.from_pylist(rows, schema=ANNOTATED_FIGURES)


def drawn(joined: several_truths.Tables) -> dict[int, tuple[str, list[float]]]:
    """Of each image by its id: its blob, and the widths of its figures."""
    widths: dict[int, list[float]] = {}
    for row in joined[1].to_pylist():
        widths.setdefault(row["image_id"], []).append(row["xywh_px"][2])
    return {row["image_id"]: (row["sha256"], widths.get(row["image_id"], [])) for row in joined[0].to_pylist()}


PEOPLE = images(_3="aa", _7="bb"), figures((3, 1.0), (7, 2.0), (7, 2.5))
POPART = images(_3="cc", _4="dd", _7="bb"), figures((3, 3.0), (7, 4.0))


@pytest.mark.parametrize(
    ("truths", "expected"),
    [
        ({}, {}),  # no truth
        ({"f": (images(), figures())}, {}),  # a truth of no image
        ({"f": (images(_9="aa"), figures())}, {1: ("aa", [])}),  # an image without figures
        ({"f": PEOPLE}, {1: ("aa", [1.0]), 2: ("bb", [2.0, 2.5])}),  # one truth
        (
            {"f": PEOPLE, "0": POPART},  # equal ids, and an image that both have
            {1: ("cc", [3.0]), 2: ("dd", []), 3: ("bb", [4.0]), 4: ("aa", [1.0]), 5: ("bb", [2.0, 2.5])},
        ),
        (
            {"f": (images(_9007199254740993="aa"), figures((9007199254740993, 1.0))), "0": (images(), figures())},
            {1: ("aa", [1.0])},  # an id beyond 53 bits, beside a truth of no image
        ),
    ],
)
def test_images_are_numbered_anew_and_keep_their_figures(
    truths: dict[str, several_truths.Tables], expected: dict[int, tuple[str, list[float]]]
):
    joined = several_truths.join_truths(truths)
    assert drawn(joined) == expected
    assert (joined[0].schema, joined[1].schema) == (ANNOTATED_IMAGES, ANNOTATED_FIGURES)
    assert several_truths.join_truths(dict(reversed(truths.items()))) == joined


@pytest.mark.parametrize(
    ("held_out", "trained", "left_out"),
    [
        (set(), [3, 4, 7], []),  # nothing is held out
        ({"ee"}, [3, 4, 7], []),  # what is held out is none of them
        ({"bb", "ee"}, [3, 4], [7]),  # one of them
        ({"bb", "cc", "dd"}, [], [3, 4, 7]),  # all
    ],
)
def test_images_that_are_held_out_leave_with_their_figures(held_out: set[str], trained: list[int], left_out: list[int]):
    kept, held = several_truths.separate_images(POPART[0], held_out)
    assert (kept["image_id"].to_pylist(), held["image_id"].to_pylist()) == (trained, left_out)
    assert {*several_truths.figures_in(kept, POPART[1])["image_id"].to_pylist()} == {3, 7} & {*trained}


@pytest.mark.parametrize(
    ("truths", "count"),
    [
        ([], 0),  # no truth
        ([PEOPLE[0]], 0),  # one truth
        ([images(_1="aa", _2="aa")], 0),  # twice in one truth
        ([PEOPLE[0], POPART[0]], 1),  # in two
        ([PEOPLE[0], POPART[0], PEOPLE[0]], 2),  # in two, and in three
    ],
)
def test_images_of_several_truths_are_counted_once(truths: list[pa.Table], count: int):
    assert several_truths.count_shared(truths) == count
