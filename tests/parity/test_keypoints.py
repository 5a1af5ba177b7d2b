"""Scores of keypoints against pycocotools: those of the library that we take them from, and those of our own matching,
also where images count several times.
"""

import contextlib
import copy
import io
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from schemas.keypoints import shipped_schemes
from schemas.tables import ANNOTATED_FIGURES, ANNOTATED_IMAGES
from tasks.core.evaluate.keypoints.poses import PosedFigures, Poses, posed_figures_of, poses_of
from tasks.core.evaluate.keypoints.scorer import MEASURES, keypoint_scorer, match_poses
from tests.support.keypoint_scores import keypoint_scores

Document = tuple[dict[str, Any], list[dict[str, Any]]]
CLOSE = 1e-12
BODY = np.array(shipped_schemes()["coco-17"].sigmas)
ODD = np.array([0.03, 0.1, 0.2])
"""Sigmas of a scheme of three joints."""


def by_pycocotools(document: dict[str, Any], results: list[dict[str, Any]], sigmas: np.ndarray, at_most: int) -> Any:
    """The ten numbers, as pycocotools' own summary takes their means; NaN where it says -1.

    A missing area is that of the box: pycocotools can't do without.
    """
    truth = COCO()
    truth.dataset = copy.deepcopy(document)
    for figure in truth.dataset["annotations"]:
        figure["area"] = figure["area"] or figure["bbox"][2] * figure["bbox"][3]
    with contextlib.redirect_stdout(io.StringIO()):
        truth.createIndex()
        evaluation = COCOeval(truth, truth.loadRes(copy.deepcopy(results)), "keypoints")
        evaluation.params.kpt_oks_sigmas = sigmas
        evaluation.params.maxDets = [at_most]
        evaluation.evaluate()
        evaluation.accumulate()
    precision, recall = evaluation.eval["precision"], evaluation.eval["recall"]
    picked = [
        one
        for values in (precision, recall)
        for one in (values[..., 0, 0], values[0, ..., 0, 0], values[5, ..., 0, 0], values[..., 1, 0], values[..., 2, 0])
    ]
    return [float(values[values > -1].mean()) if (values > -1).any() else np.nan for values in picked]


def made(
    seed: int, sigmas: np.ndarray, images: int = 12, steps: int | None = None, boxes: bool = False, crowd: float = 0.1
) -> Document:
    """Figures of all sizes: some are crowds, some unlabelled, some without an area; poses that are right now and then.

    steps: how many scores there are, so that they tie. boxes: whether poses have boxes of their own.
    """
    chance = np.random.default_rng(seed)
    joints = len(sigmas)
    document: dict[str, Any] = {
        "images": [{"id": 3 * number + 1} for number in range(images)],
        "annotations": [],
        "categories": [{"id": 1, "name": "person"}],
    }
    results: list[dict[str, Any]] = []

    def answer(image: int, points: np.ndarray) -> None:
        pose = {"image_id": image, "category_id": 1, "score": _score(chance, steps)}
        pose["keypoints"] = np.column_stack([points, chance.random(joints)]).ravel().tolist()
        if boxes:
            pose["bbox"] = [*points.min(axis=0), *(np.ptp(points, axis=0) * chance.uniform(0.8, 1.5) + 1)]
        results.append(pose)

    for image in document["images"][1:]:  # the first is empty
        for _ in range(chance.integers(0, 6)):
            corner, side = chance.uniform(0, 300, 2), chance.choice([20, 32, 60, 96, 180]) * chance.uniform(0.8, 1.2)
            points = corner + chance.uniform(0, side, (joints, 2))
            given = (chance.random(joints) < 0.7) * chance.integers(1, 3, joints) * (chance.random() < 0.8)
            document["annotations"].append(
                {
                    "id": len(document["annotations"]) + 1,
                    "image_id": image["id"],
                    "category_id": 1,
                    "bbox": [float(value) for value in (*corner, side, side)],
                    "area": [None, 0.0, side * side, 0.6 * side * side][chance.choice(4, p=[0.1, 0.1, 0.4, 0.4])],
                    "iscrowd": int(chance.random() < crowd),
                    "keypoints": (np.column_stack([points, given]) * (given > 0)[:, None]).ravel().tolist(),
                    "num_keypoints": int(np.count_nonzero(given)),
                }
            )
            for _ in range(chance.integers(0, 3)):
                off = chance.normal(0, 2 * sigmas[:, None] * side * chance.choice([0.1, 0.5, 1.0]), (joints, 2))
                answer(image["id"], points + off)
        for _ in range(chance.integers(0, 3)):
            answer(image["id"], chance.uniform(0, 400, 2) + chance.uniform(0, 100, (joints, 2)))
    return document, _in_our_order(results)


def _in_our_order(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As `sort_poses` has them: scores go by the order of poses that have equal ones."""

    def key(pose: dict[str, Any]) -> Any:
        points = [value for place, value in enumerate(pose["keypoints"]) if place % 3 < 2]
        return pose["image_id"], -pose["score"], points, pose.get("bbox", [])

    return sorted(results, key=key)


def _score(chance: np.random.Generator, steps: int | None) -> float:
    return float(chance.random() if steps is None else chance.integers(0, steps) / steps)


def as_arrays(document: dict[str, Any], results: list[dict[str, Any]], joints: int) -> tuple[PosedFigures, Poses]:
    images = pa.Table.from_pylist([{"image_id": image["id"]} for image in document["images"]], schema=ANNOTATED_IMAGES)
    figures = [
        {
            "image_id": figure["image_id"],
            "category": "person",
            "xywh_px": figure["bbox"],
            "area_px2": figure["area"],
            "is_crowd": bool(figure["iscrowd"]),
            "keypoints_xyv": figure["keypoints"] if figure["num_keypoints"] else None,
        }
        for figure in document["annotations"]
    ]
    found = {
        "image_id": pa.array([pose["image_id"] for pose in results], pa.int64()),
        "score": pa.array([pose["score"] for pose in results], pa.float64()),
        "keypoints_xyv": pa.array([pose["keypoints"] for pose in results], pa.list_(pa.float64())),
        "xywh_px": pa.array([pose.get("bbox") for pose in results], pa.list_(pa.float64())),
    }
    return (
        posed_figures_of(images, pa.Table.from_pylist(figures, schema=ANNOTATED_FIGURES), joints),
        poses_of("generated", images, pa.table(found), joints),
    )


def check_three_ways(case: Document, sigmas: np.ndarray, at_most: int = 20) -> None:
    """The library's numbers and those of our matching are pycocotools'."""
    arrays = as_arrays(*case, len(sigmas))
    expected = pytest.approx(by_pycocotools(*case, sigmas, at_most), rel=0, abs=CLOSE, nan_ok=True)
    by_library = keypoint_scores(*arrays, sigmas, at_most)
    assert [np.nan if value is None else value for value in by_library.values()] == expected
    ours = keypoint_scorer(match_poses(*arrays, sigmas, at_most))(np.ones(len(case[0]["images"]), np.int64))
    assert list(ours.values()) == expected
    assert tuple(ours) == tuple(by_library) == MEASURES


@pytest.mark.parametrize("at_most", [1, 2, 20])
@pytest.mark.parametrize(
    "arguments",
    [
        *({"seed": seed} for seed in range(6)),
        *({"seed": seed, "boxes": True} for seed in range(6, 10)),
        *({"seed": seed, "steps": 4} for seed in range(10, 14)),
        {"seed": 20, "crowd": 0.6},
        {"seed": 21, "images": 60, "steps": 50},
    ],
    ids=str,
)
def test_the_ten_numbers_of_bodies_are_pycocotools_own(arguments: dict[str, Any], at_most: int):
    check_three_ways(made(sigmas=BODY, **arguments), BODY, at_most)


@settings(max_examples=60)
@given(
    st.integers(0, 2**32), st.sampled_from([None, 2, 5]), st.integers(2, 7), st.booleans(), st.sampled_from([0.0, 0.4])
)
def test_random_small_cases_of_another_scheme_agree_three_ways(
    seed: int, steps: int | None, images: int, boxes: bool, crowd: float
):
    case = made(seed, ODD, images, steps, boxes, crowd)
    if case[1]:  # pycocotools can't read an empty list
        check_three_ways(case, ODD)


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_images_that_count_several_times_score_like_images_that_are_there_so_many_times(seed: int, times: list[int]):
    document, results = made(seed, ODD, len(times))
    copies, found = repeated(document, results, times)
    if not found:
        return
    ours = keypoint_scorer(match_poses(*as_arrays(document, results, 3), ODD))(np.array(times))
    assert list(ours.values()) == pytest.approx(by_pycocotools(copies, found, ODD, 20), rel=0, abs=CLOSE, nan_ok=True)


def repeated(document: dict[str, Any], results: list[dict[str, Any]], times: list[int]) -> Document:
    """The same with each image so many times."""
    images, drawn, found = [], [], []
    for image, count in zip(document["images"], times, strict=True):
        for copied in range(count):
            number = 1000 * image["id"] + copied
            images.append({"id": number})
            drawn += [{**one, "image_id": number} for one in document["annotations"] if one["image_id"] == image["id"]]
            found += [{**one, "image_id": number} for one in results if one["image_id"] == image["id"]]
    numbered = [{**one, "id": place} for place, one in enumerate(drawn, 1)]
    return {**document, "images": images, "annotations": numbered}, found


def test_generated_cases_are_of_every_kind():
    figures = [figure for seed in range(6) for figure in made(seed, BODY)[0]["annotations"]]
    assert min(map(len, (figures, made(0, BODY)[1]))) > 10
    for what in (
        [figure for figure in figures if figure["iscrowd"]],
        [figure for figure in figures if not figure["num_keypoints"]],
        [figure for figure in figures if figure["area"] is None],
        [figure for figure in figures if figure["area"] == 0],
    ):
        assert len(what) > 3
    scores = [by_pycocotools(*made(seed, BODY), BODY, 20) for seed in range(6)]
    assert 0.1 < np.nanmin(scores[0][:1]) < 0.9
    assert not np.isnan(np.nanmean(scores, axis=0)).any()
