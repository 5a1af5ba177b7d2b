"""Scores against pycocotools: the library that we take them from, our own matching, and images that count several
times.
"""

import contextlib
import copy
import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from flows.evaluate.detector import evaluate_detector
from tasks.core.evaluate.categories import mean_over_categories
from tasks.core.evaluate.detector.scorer import OF_BOXES, box_scorer
from tasks.core.evaluate.matching import Detections, DrawnFigures, match_boxes, sort_detections
from tasks.core.evaluate.scores import NAMES, box_scores, sort_results
from tasks.core.scrape.voc_annotations import read_voc

Document = tuple[dict[str, Any], list[dict[str, Any]]]
CLOSE = 1e-12
"""pycocotools adds 2.2e-16 to the boxes that it divides by, faster-coco-eval does not."""


def ours_of(document: dict[str, Any], results: list[dict[str, Any]], at_most: int = 100) -> list[float]:
    """OF_BOXES, which are NAMES in their order, where each image counts once."""
    truth, found = as_arrays(document, results)
    return [*box_scorer(match_boxes(truth, found, at_most))(np.ones(truth.images, np.int64)).values()]


def by_pycocotools(document: dict[str, Any], results: list[dict[str, Any]], at_most: int = 100) -> list[float | None]:
    """The twelve numbers; with other limits than COCO's, each as its summary would have it."""
    truth = COCO()
    truth.dataset = copy.deepcopy(document)
    with contextlib.redirect_stdout(io.StringIO()):
        truth.createIndex()
        found = truth.loadRes(copy.deepcopy(results))
        evaluation = COCOeval(truth, found, "bbox")
        evaluation.params.maxDets = [1, 10, at_most]
        evaluation.evaluate()
        evaluation.accumulate()
    limits = evaluation.params.maxDets  # sorted by now
    precision, recall = evaluation.eval["precision"], evaluation.eval["recall"]
    most = limits.index(at_most)
    picked = [
        precision[..., 0, most],
        precision[0, ..., 0, most],
        precision[5, ..., 0, most],
        *(precision[..., area, most] for area in (1, 2, 3)),
        *(recall[..., 0, limits.index(limit)] for limit in (1, 10, at_most)),
        *(recall[..., area, most] for area in (1, 2, 3)),
    ]
    return [float(values[values > -1].mean()) if (values > -1).any() else None for values in picked]


def made(seed: int, images: int = 14, crowd: float = 0.1, steps: int | None = None) -> Document:
    """Figures of all sizes, some in crowds, and boxes that are right now and then. steps: how many scores there are,
    so that they tie.
    """
    chance = np.random.default_rng(seed)
    document: dict[str, Any] = {
        "images": [{"id": 3 * number + 1} for number in range(images)],
        "annotations": [],
        "categories": [{"id": 1, "name": "person"}],
    }
    results = []
    for image in document["images"][1:]:  # the first is empty
        for _ in range(chance.integers(0, 7)):
            box = [*chance.uniform(0, 300, 2), *chance.choice([9, 32, 60, 96, 180], 2) * chance.uniform(0.8, 1.2)]
            number = len(document["annotations"]) + 1
            document["annotations"].append(
                {
                    "id": number,
                    "image_id": image["id"],
                    "category_id": 1,
                    "bbox": [float(v) for v in box],
                    "area": float(box[2] * box[3]),
                    "iscrowd": int(chance.random() < crowd),
                }
            )
            for _ in range(chance.integers(0, 3)):
                near = [v * chance.uniform(0.8, 1.2) for v in box]
                results.append(
                    {"image_id": image["id"], "category_id": 1, "bbox": near, "score": _score(chance, steps)}
                )
        for _ in range(chance.integers(0, 4)):
            away = [float(v) for v in (*chance.uniform(0, 300, 2), *chance.uniform(5, 200, 2))]
            results.append({"image_id": image["id"], "category_id": 1, "bbox": away, "score": _score(chance, steps)})
    return document, results


def _score(chance: np.random.Generator, steps: int | None) -> float:
    return float(chance.random() if steps is None else chance.integers(0, steps) / steps)


def as_arrays(document: dict[str, Any], results: list[dict[str, Any]]) -> tuple[DrawnFigures, Detections]:
    row = {image["id"]: place for place, image in enumerate(document["images"])}
    drawn = sorted(document["annotations"], key=lambda box: row[box["image_id"]])
    truth = DrawnFigures(
        len(row),
        np.array([row[box["image_id"]] for box in drawn], np.int64),
        np.array([box["bbox"] for box in drawn], float).reshape(-1, 4),
        np.array([box["area"] for box in drawn], float),
        np.array([bool(box["iscrowd"]) for box in drawn], bool),
    )
    return truth, sort_detections(
        np.array([row[box["image_id"]] for box in results], np.int64),
        np.array([box["bbox"] for box in results], float).reshape(-1, 4),
        np.array([box["score"] for box in results], float),
    )


CASES = [
    *(pytest.param(made(seed), id=f"{seed}") for seed in range(6)),
    *(pytest.param(made(seed, steps=4), id=f"{seed}, scores tie") for seed in range(10, 14)),
    pytest.param(made(20, crowd=0.6), id="mostly crowds"),
    pytest.param(made(21, images=60, steps=50), id="more images"),
]


@pytest.mark.parametrize("at_most", [1, 2, 10, 100, 300])
@pytest.mark.parametrize("case", CASES)
def test_the_twelve_numbers_are_pycocotools_own(case: Document, at_most: int):
    got = box_scores([case], at_most)
    assert [got[name] for name in NAMES] == _close(by_pycocotools(*case, at_most))


@pytest.mark.parametrize("at_most", [1, 3, 100])
@pytest.mark.parametrize("case", CASES)
def test_our_own_matching_gives_the_same_of_boxes_in_our_order(case: Document, at_most: int):
    case = (case[0], sort_results(case[1]))
    expected = box_scores([case], at_most)
    # of fewer boxes than 10, pycocotools' AR10 is still of 10
    assert [
        one for name, one in zip(NAMES, ours_of(*case, at_most), strict=True) if name != "AR10" or at_most >= 10
    ] == _close([expected[name] for name in NAMES if name != "AR10" or at_most >= 10], undefined=np.nan)


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.sampled_from([None, 2, 5]), st.integers(1, 6), st.sampled_from([0.0, 0.3]))
def test_random_small_cases_agree_three_ways(seed: int, steps: int | None, images: int, crowd: float):
    document, results = made(seed, images + 1, crowd, steps)
    if not results:
        return  # pycocotools can't read an empty list
    results = sort_results(results)
    expected = by_pycocotools(document, results)
    assert [box_scores([(document, results)])[name] for name in NAMES] == _close(expected)
    assert ours_of(document, results) == _close(expected, undefined=np.nan)


@pytest.mark.parametrize("seed", range(4))
def test_a_resample_is_what_pycocotools_says_of_images_that_are_really_there_several_times(seed: int):
    document, results = made(seed, images=20)
    times = np.random.default_rng(seed).multinomial(20, np.full(20, 1 / 20))
    assert times.max() > 2
    expected = by_pycocotools(*repeated(document, results, times))
    ours = box_scorer(match_boxes(*as_arrays(document, results)))(times)
    assert [*ours.values()] == _close(expected, undefined=np.nan)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 4))
def test_several_categories_in_one_number_are_pycocotools_own(seed: int, count: int):
    """Also those without a figure, of which pycocotools says -1, and which no mean counts."""
    cases = [made(seed + place, images=8) for place in range(count)]
    drawn = [{**box, "category_id": place} for place, case in enumerate(cases, 1) for box in case[0]["annotations"]]
    boxes = [{**box, "category_id": place} for place, case in enumerate(cases, 1) for box in case[1]]
    boxes.append({"image_id": 1, "category_id": count + 1, "bbox": [1.0, 1.0, 9.0, 9.0], "score": 0.5})
    numbered = [{**box, "id": number} for number, box in enumerate(drawn, 1)]
    categories = [{"id": place, "name": str(place)} for place in range(1, count + 2)]
    whole = {**cases[0][0], "annotations": numbered, "categories": categories}
    empty = {**cases[0][0], "annotations": []}
    arrays = [as_arrays(case[0], sort_results(case[1])) for case in (*cases, (empty, boxes[-1:]))]
    mean = mean_over_categories([box_scorer(match_boxes(*one)) for one in arrays], OF_BOXES)
    assert [*mean(np.ones(8, np.int64)).values()] == _close(
        by_pycocotools(whole, sort_results(boxes)), undefined=np.nan
    )


def test_real_figures_and_boxes_near_them_score_the_same(shared_data: Path):
    """403 paintings of People-Art; their boxes moved, so that no detector has to run."""
    chance = np.random.default_rng(1)
    files = sorted((shared_data / "peopleart/Annotations").rglob("*.xml"))
    document: dict[str, Any] = {"images": [], "annotations": [], "categories": [{"id": 1, "name": "person"}]}
    results = []
    for number, path in enumerate(files, 1):
        document["images"].append({"id": number})
        for figure in read_voc(path.read_bytes()).figures:
            box = figure["xywh_px"]
            document["annotations"].append(
                {
                    "id": len(document["annotations"]) + 1,
                    "image_id": number,
                    "category_id": 1,
                    "bbox": box,
                    "area": box[2] * box[3],
                    "iscrowd": 0,
                }
            )
            for _ in range(3):
                near = [float(value * chance.uniform(0.8, 1.25)) for value in box]
                results.append({"image_id": number, "category_id": 1, "bbox": near, "score": _score(chance, 1000)})
    results = sort_results(results)
    expected = by_pycocotools(document, results)
    assert [box_scores([(document, results)])[name] for name in NAMES] == _close(expected)
    assert ours_of(document, results) == _close(expected, undefined=np.nan)


def repeated(document: dict[str, Any], results: list[dict[str, Any]], times: np.ndarray) -> Document:
    """The same with each image so many times, copies side by side, each with boxes of its own."""
    images, drawn, found = [], [], []
    for image, count in zip(document["images"], times.tolist(), strict=True):
        for copied in range(count):
            number = 1000 * image["id"] + copied
            images.append({"id": number})
            drawn += [{**box, "image_id": number} for box in document["annotations"] if box["image_id"] == image["id"]]
            found += [{**box, "image_id": number} for box in results if box["image_id"] == image["id"]]
    numbered = [{**box, "id": place} for place, box in enumerate(drawn, 1)]
    return {**document, "images": images, "annotations": numbered}, found


def _close(expected: list[float | None], undefined: float | None = None) -> list[Any]:
    return [
        pytest.approx(undefined if value is None else value, rel=0, abs=CLOSE, nan_ok=True)
        if value is not None or undefined is not None
        else None
        for value in expected
    ]


def evaluated(folder: Path, truth: str, results: str, **options: Any) -> list[float | None]:
    """OF_BOXES over all categories, by the command itself; no image is on disk, and no server runs."""
    evaluate_detector(str(folder / truth), results=[f"r={folder / results}"], bootstrap=0, store="/nowhere", **options)
    rows = pq.read_table(f"{options['out']}/scores.parquet").to_pylist()
    values = {row["metric"]: row["value"] for row in rows if row["attribute"] is None}
    return [values[name] for name in OF_BOXES]


def test_cocos_published_results_have_the_published_numbers(shared_data: Path, tmp_path: Path):
    published = [0.505, 0.697, 0.573, 0.586, 0.519, 0.501, 0.387, 0.594, 0.595, 0.640, 0.566, 0.564]
    names = "instances_val2014_100.json", "instances_val2014_fakebbox100_results.json"
    got = evaluated(shared_data / "cocoapi", *names, categories=["all"], out=str(tmp_path))
    assert [round(value or 0, 3) for value in got] == published


def test_scores_far_below_a_thousandth_are_ranked_as_they_are(shared_data: Path, tmp_path: Path):
    got = evaluated(shared_data / "reports/low-scores", "truth.json", "results.json", out=str(tmp_path))
    assert got == _close([1, 1, 1, None, 1, 1, 1 / 3, 1, 1, None, 1, 1])
