"""The real recipe on real paintings: the ledger, the COCO files by pycocotools, the detector's figures."""

import contextlib
import copy
import io
import json
from collections import Counter

import pytest
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from flows.build_dataset import run_stages
from flows.recipes import recipe_from_file
from schemas.manifests import Context, Step
from tasks.core.evaluate.scores import box_scores
from tasks.io.store.releases import Release
from tasks.verify import verify
from tests.support.desk import ROOT

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def steps(tmp_path_factory, shared_data) -> tuple[Step, ...]:
    bound = {
        "images": str(shared_data / "peopleart"),
        "weights": str(shared_data / "weights/yolox_nano/yolox_nano.onnx"),
    }
    context = Context(store=str(tmp_path_factory.mktemp("peopleart")), bindings=bound)
    return run_stages(recipe_from_file(str(ROOT / "deployments/recipes/peopleart.yaml")), context)


@pytest.fixture(scope="module")
def release(steps) -> Release:
    return Release(steps[-1].release)


@pytest.fixture(scope="module")
def files(release) -> list[tuple[dict, list]]:
    """(document, detections) of each split."""
    splits = ("train", "val", "test")
    return [
        (json.loads(release.read(f"coco/{split}.json")), json.loads(release.read(f"coco/{split}.detections.json")))
        for split in splits
    ]


def test_the_ledger_has_a_row_for_each_of_the_636_paintings_and_the_counts_close(release, steps):
    ledger = release.ledger().to_pylist()
    assert len(ledger) == 636
    assert Counter(row["reason"] for row in ledger if not row["kept"]) == Counter(
        {reason: count for step in steps for reason, count in step.dropped.items()}
    )
    assert verify(release.url, is_deep=True).problems == ()


def test_every_style_is_dealt_about_three_to_one_to_one(release):
    rows = [row for batch in release.batches("images") for row in batch.select(["style", "split"]).to_pylist()]
    by_style = {
        style: Counter(row["split"] for row in rows if row["style"] == style)
        for style in {row["style"] for row in rows}
    }
    assert len(by_style) == 19
    for style, found in by_style.items():
        whole = 5 * (sum(found.values()) // 5)
        assert found["train"] >= 3 * whole // 5, style
        assert found["val"] >= whole // 5, style
        assert found["test"] >= whole // 5, style
        assert max(found["val"], found["test"]) <= whole // 5 + 1, style


def test_pycocotools_loads_each_file_and_the_truth_against_itself_is_perfect(files):
    for document, _ in files:
        with contextlib.redirect_stdout(io.StringIO()):
            truth = COCO()
            truth.dataset = copy.deepcopy(document)
            truth.createIndex()
            perfect = [
                {"image_id": box["image_id"], "category_id": box["category_id"], "bbox": box["bbox"], "score": 1.0}
                for box in document["annotations"]
                if not box["iscrowd"]
            ]
            most = max(Counter(box["image_id"] for box in perfect).values())
            evaluation = COCOeval(truth, truth.loadRes(perfect), "bbox")
            evaluation.params.maxDets = [1, 10, most]
            evaluation.evaluate()
            evaluation.accumulate()
        precision = evaluation.eval["precision"][:, :, :, 0, -1]
        assert precision[precision > -1].mean() == 1.0
        assert document["info"]["annotation_origin"] == "people"


def test_the_detector_scores_on_the_403_annotated_paintings_what_was_measured_elsewhere(files, steps):
    scores = box_scores(files)
    assert (scores["images"], scores["figures"]) == (403, 1387)
    assert scores["AP"] == pytest.approx(0.26, abs=0.03)
    assert scores["AP50"] == pytest.approx(0.50, abs=0.07)
    assert f"AP {scores['AP']:.3f}" in steps[-1].notes[0]


def test_every_image_has_a_source_a_licence_and_a_hash(release):
    for batch in release.batches("images"):
        for row in batch.to_pylist():
            assert row["source"] == "peopleart"
            assert row["rights_uri"] == "NOASSERTION"
            assert len(row["sha256"]) == 64
            assert row["image"]["bytes"][:2] == b"\xff\xd8"
