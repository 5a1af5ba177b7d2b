"""Object keypoint similarity against pycocotools, and against the figures that faster-coco-eval's own test prints."""

import contextlib
import io
from typing import Any

import numpy as np
import pytest
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from schemas.keypoints import shipped_schemes
from tasks.core.evaluate.oks import object_keypoint_similarity, oks

CLOSE = 1e-12
"""pycocotools adds 2.2e-16 to the areas that it divides by."""


def by_pycocotools(truth: np.ndarray, areas: np.ndarray, predicted: np.ndarray, sigmas: np.ndarray) -> np.ndarray:
    """(N, M), of figures in one image."""
    common: dict[str, Any] = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1], "iscrowd": 0}
    document = COCO()
    document.dataset = {
        "info": {},
        "images": [{"id": 1}],
        "categories": [{"id": 1, "name": "person"}],
        "annotations": [
            {**common, "id": number, "keypoints": pose.ravel().tolist(), "area": area, "num_keypoints": 1}
            for number, (pose, area) in enumerate(zip(truth, areas.tolist(), strict=True), 1)
        ],
    }
    results = [
        {"image_id": 1, "category_id": 1, "keypoints": pose.ravel().tolist(), "score": 1 - number / 100}
        for number, pose in enumerate(predicted)
    ]
    with contextlib.redirect_stdout(io.StringIO()):
        document.createIndex()
        evaluation = COCOeval(document, document.loadRes(results), "keypoints")
        evaluation.params.kpt_oks_sigmas = sigmas
        evaluation.params.maxDets = [100]
        evaluation._prepare()
    return evaluation.computeOks(1, 1).T


@pytest.mark.parametrize("joints", [1, 17, 20, 106])
@pytest.mark.parametrize("seed", range(5))
def test_all_pairs_are_pycocotools(joints: int, seed: int):
    draw = np.random.default_rng(seed)
    truth, predicted = draw.uniform(-20, 200, (4, joints, 3)), draw.uniform(-20, 200, (3, joints, 3))
    predicted[0] = truth[0]
    predicted[1] = truth[1] + draw.normal(0, 3, (joints, 3))
    truth[..., 2] = draw.integers(0, 3, (4, joints))
    truth[:, 0, 2] = 2  # at least one joint that counts: without one, pycocotools has another rule
    areas = np.array([1.0, 900.0, 10_000.0, 2e6])
    sigmas = np.array(shipped_schemes()["coco-17"].sigmas) if joints == 17 else draw.uniform(0.01, 0.15, joints)
    ours = oks(truth[:, None], predicted[None], areas[:, None], sigmas)
    assert np.abs(ours - by_pycocotools(truth, areas, predicted, sigmas)).max() < CLOSE


@pytest.mark.parametrize("joints", [1, 17, 20, 106])
@pytest.mark.parametrize("seed", range(5))
def test_what_poses_are_matched_by_has_pycocotools_last_bit(joints: int, seed: int):
    draw = np.random.default_rng(seed)
    truth, predicted = draw.uniform(-2, 20, (4, joints, 3)), draw.uniform(-2, 20, (3, joints, 3))
    truth[..., 2] = draw.integers(0, 3, (4, joints))
    truth[3, :, 2] = 0  # compared by its box
    areas, sigmas = draw.uniform(100, 9000, 4), draw.uniform(0.05, 0.3, joints)
    boxes = np.tile([0.0, 0.0, 1.0, 1.0], (4, 1))
    ours = object_keypoint_similarity(predicted[..., :2], truth, boxes, areas, sigmas)
    assert ours.T.tolist() == by_pycocotools(truth, areas, predicted, sigmas).tolist()


def test_the_figures_of_faster_coco_evals_test():
    """Its first figure; its second has no joint, which we count 0 (0.96, 1e-11 and 1 there)."""
    truth = np.array([[10.0, 10, 2, 20, 20, 1, 0, 0, 0], [0.0] * 9]).reshape(2, 3, 3)
    predicted = np.array([[11.0, 9, 2, 18, 22, 2, 30, 30, 2], [0.0, 0, 2] * 3, [40.0, 40, 2] * 3]).reshape(3, 3, 3)
    got = oks(truth[:, None], predicted[None], np.array([[900.0], [100.0]]), [0.1, 0.1, 0.1])
    assert got[0].tolist() == pytest.approx(
        [0.9337218969653591, 0.031095734680320564, 7.4726762063626715e-06], abs=1e-15
    )
    assert got[1].tolist() == [0, 0, 0]
