"""Scores of boxes: what counts and what does not. That the numbers are pycocotools' is in tests/parity."""

from typing import Any

import pytest

from tasks.core.evaluate.scores import NAMES, box_scores, release_scores, sort_results


def document(
    images: dict[int, bool | None], *boxes: tuple[int, list[float]], crowd: tuple[int, ...] = ()
) -> dict[str, Any]:
    """images: id: is_annotated (None: the field is missing). boxes: image and bbox, numbered from 1."""
    return {
        "images": [
            {"id": number, **({} if looked is None else {"is_annotated": looked})} for number, looked in images.items()
        ],
        "annotations": [
            {
                "id": number,
                "image_id": image,
                "category_id": 1,
                "bbox": box,
                "area": box[2] * box[3],
                "iscrowd": int(number in crowd),
            }
            for number, (image, box) in enumerate(boxes, 1)
        ],
        "categories": [{"id": 1, "name": "person"}],
    }


def found(image: int, box: list[float], score: float = 0.9) -> dict[str, Any]:
    return {"image_id": image, "category_id": 1, "bbox": box, "score": score}


# COCO: 32^2 and 96^2
SMALL, MEDIUM, LARGE = (
    [0.0, 0.0, 10.0, 10.0],
    [100.0, 0.0, 50.0, 50.0],
    [200.0, 0.0, 200.0, 200.0],
)


@pytest.mark.parametrize("at_most", [10, 100, 1000])
def test_a_perfect_detector_scores_1_in_every_size_that_there_is(at_most: int):
    truth = document({1: True}, (1, SMALL), (1, LARGE))
    truth["categories"].append({"id": 2, "name": "a category without a box"})
    got = box_scores([(truth, [found(1, SMALL), found(1, LARGE)])], at_most=at_most)
    assert got == pytest.approx(
        {
            "AP": 1,
            "AP50": 1,
            "AP75": 1,
            "APS": 1,
            "APM": None,
            "APL": 1,
            "AR1": 0.5,
            "AR10": 1,
            "AR100": 1,
            "ARS": 1,
            "ARM": None,
            "ARL": 1,
            "images": 1,
            "figures": 2,
        }
    )


def test_a_box_beside_everybody_scores_0():
    got = box_scores([(document({1: True}, (1, SMALL)), [found(1, MEDIUM)])])
    assert (got["AP"], got["AR100"], got["figures"]) == (0.0, 0.0, 1)


def test_without_any_box_of_a_detector_images_and_figures_are_counted_all_the_same():
    got = box_scores([(document({1: True}, (1, SMALL)), [])])
    assert (got["images"], got["figures"]) == (1, 1)


def test_a_detector_that_finds_nothing_scores_0():
    got = box_scores([(document({1: True}, (1, SMALL)), [])])
    assert (got["AP"], got["APS"], got["APM"], got["AR100"]) == (0.0, 0.0, None, 0.0)


def test_half_the_figures_found_is_the_area_under_half_the_curve():
    # at every threshold precision is 1 up to recall 0.5, and 0 above: 51 of COCO's 101 recall points
    got = box_scores([(document({1: True}, (1, SMALL), (1, [500.0, 0.0, 10.0, 10.0])), [found(1, SMALL)])])
    assert got["AP"] == pytest.approx(51 / 101)
    assert got["AR100"] == pytest.approx(0.5)


def test_a_box_that_overlaps_by_two_thirds_is_right_at_four_of_ten_thresholds():
    got = box_scores([(document({1: True}, (1, [0.0, 0.0, 30.0, 10.0])), [found(1, [0.0, 0.0, 20.0, 10.0])])])
    assert got["AP"] == pytest.approx(4 / 10)  # .50 .55 .60 .65
    assert (got["AP50"], got["AP75"]) == pytest.approx((1, 0))


@pytest.mark.parametrize(
    "pairs",
    [
        pytest.param([], id="no document"),
        pytest.param([(document({}), [])], id="no image"),
        pytest.param([(document({1: False}, (1, SMALL)), [found(1, SMALL)])], id="no image that people looked at"),
        pytest.param([(document({1: True}), [found(1, SMALL)])], id="nobody in any image"),
    ],
)
def test_where_nothing_can_be_scored_every_score_is_null(pairs: list[Any]):
    got = box_scores(pairs)
    assert {got[name] for name in NAMES} == {None}
    assert got["figures"] == 0


def test_only_images_that_people_looked_at_count():
    looked = document({1: True, 2: False}, (1, SMALL))
    assert box_scores([(looked, [found(1, SMALL), found(2, LARGE, 0.99)])])["AP"] == pytest.approx(1)
    everywhere = document({1: None, 2: None}, (1, SMALL))  # without the field every image counts
    got = box_scores([(everywhere, [found(1, SMALL), found(2, LARGE, 0.99)])])
    assert got["images"] == 2
    assert got["AP"] == pytest.approx(0.5)


def test_a_crowd_is_neither_hit_nor_missed():
    crowded = document({1: True}, (1, SMALL), (1, LARGE), crowd=(2,))
    for boxes in ([found(1, SMALL)], [found(1, SMALL), found(1, LARGE, 0.99)]):
        got = box_scores([(crowded, boxes)])
        assert (got["AP"], got["AR100"], got["figures"]) == pytest.approx((1, 1, 1))


def test_documents_count_together():
    one, two = document({1: True}, (1, SMALL)), document({2: True}, (2, SMALL))
    two["annotations"][0]["id"] = 2
    got = box_scores([(one, [found(1, SMALL)]), (two, [])])
    assert (got["images"], got["figures"]) == (2, 2)
    assert got["AR100"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("at_most", "expected"), [(1, 0.0), (2, 0.0), (3, 1.0), (9, 1.0), (10, 1.0), (11, 1.0), (100, 1.0)]
)
def test_only_so_many_of_the_best_boxes_of_an_image_count(at_most: int, expected: float):
    wrong = [found(1, LARGE, 0.9), found(1, LARGE, 0.8)]
    got = box_scores([(document({1: True}, (1, SMALL)), [*wrong, found(1, SMALL, 0.1)])], at_most=at_most)
    assert got["AR100"] == expected
    assert (got["AP"] or 0) > 0 if expected else got["AP"] == 0


def test_nothing_that_is_given_is_changed_and_nothing_is_printed(capsys: pytest.CaptureFixture[str]):
    truth, boxes = document({1: True}, (1, SMALL)), [found(1, SMALL)]
    kept = repr((truth, boxes))
    first = box_scores([(truth, boxes)])
    assert repr((truth, boxes)) == kept
    assert box_scores([(truth, boxes)]) == first
    assert capsys.readouterr().out == ""


# --- of a release


@pytest.mark.parametrize(
    ("looked_at", "looked_for", "expected"),
    [
        pytest.param({1, 2}, {1}, (2, 2, 0.5), id="both images"),
        pytest.param({1}, {1}, (1, 1, 1.0), id="an image that it has not looked at is not missed"),
        pytest.param({2}, {1}, (1, 1, 0.0), id="one that it has looked at, and found nothing in, is"),
        pytest.param({3}, {1}, None, id="an image that nobody has annotated"),
        pytest.param(set(), {1}, None, id="no detector"),
        pytest.param({1, 2}, set(), None, id="a detector of other categories"),
    ],
)
def test_a_release_has_scores_where_its_detector_has_looked(
    looked_at: set[int], looked_for: set[int], expected: tuple[int, int, float | None] | None
):
    truth = document({1: True, 2: True, 3: False}, (1, SMALL), (2, SMALL))
    got = release_scores([(truth, [found(1, SMALL)])], looked_at, looked_for)
    assert (got and (got["images"], got["figures"], got["AR100"])) == expected


def test_a_category_that_the_detector_does_not_know_is_not_missed():
    truth = document({1: True}, (1, SMALL), (1, LARGE))
    truth["categories"].append({"id": 2, "name": "dog"})
    truth["annotations"][1]["category_id"] = 2
    got = release_scores([(truth, [found(1, SMALL)])], {1}, {1})
    assert got is not None
    assert (got["AP"], got["figures"]) == (pytest.approx(1), 1)


def test_results_have_one_order_whatever_theirs():
    boxes = [found(2, SMALL), found(1, LARGE, 0.5), found(1, SMALL, 0.5), found(1, MEDIUM, 0.7)]
    expected = [found(1, MEDIUM, 0.7), found(1, SMALL, 0.5), found(1, LARGE, 0.5), found(2, SMALL)]
    assert sort_results(boxes) == sort_results(boxes[::-1]) == expected
