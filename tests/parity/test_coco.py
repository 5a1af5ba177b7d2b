"""COCO documents and scores against pycocotools: it reads what we write, and scores what we score."""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from schemas.tables import FIGURE
from tasks.core.coco import document as coco
from tasks.core.evaluate.scores import NAMES, box_scores
from tasks.core.export.boxes import boxes, detected, drawn
from tasks.core.export.images import IMAGES_BY_DIGEST
from tests.support.keypoints import plain

CATEGORIES = ("person", "dog")


def release(seed: int, images: int = 12, most: int = 9) -> tuple[pa.Table, pa.Table]:
    """Both tables of one split: people's boxes of all sizes, some of them crowds, and a detector's that is right now
    and then.
    """
    chance = np.random.default_rng(seed)
    shown, people, found = [], [], []
    for number in range(1, images + 1):
        shown.append(
            {
                **dict.fromkeys(IMAGES_BY_DIGEST.names),
                "record_id": f"s:{number}",
                "image_id": 1000 + number,
                "sha256": f"{number:064x}",
                "format": "PNG",
                "width_px": 500,
                "height_px": 400,
                "rights_uri": "NOASSERTION",
                "is_annotated": bool(number % 4),
                "split": "train",
                "image": {"bytes": None, "path": None},
            }
        )
        real = [_box(chance) for _ in range(chance.integers(0, most))] if number % 4 else []
        people.append({"record_id": f"s:{number}", "figures": [_figure(box, chance, None) for box in real]})
        near = [[value + chance.normal(0, 4) for value in box[:2]] + box[2:] for box in real if chance.random() < 0.7]
        guesses = [*near, *(_box(chance) for _ in range(chance.integers(0, 4)))]
        found.append(
            {"record_id": f"s:{number}", "figures": [_figure(box, chance, float(chance.random())) for box in guesses]}
        )
    kinds = pa.schema([("record_id", pa.string()), ("figures", pa.list_(FIGURE))])
    tables = [("source", "source", people), ("detector", "yolox@0", found)]
    table = pa.Table.from_pylist(shown, schema=IMAGES_BY_DIGEST)
    figures = [(origin, name, pa.Table.from_pylist(rows, schema=kinds)) for origin, name, rows in tables]
    return table, boxes(table, figures, plain(*CATEGORIES))


def _box(chance: np.random.Generator) -> list[float]:
    side = float(chance.choice([12, 50, 150]))
    return [
        float(chance.integers(0, 300)),
        float(chance.integers(0, 200)),
        side,
        side * float(chance.choice([0.5, 1, 2])),
    ]


def _figure(box: list[float], chance: np.random.Generator, score: float | None) -> dict[str, Any]:
    category = CATEGORIES[int(chance.random() < 0.3)]
    is_crowd = score is None and bool(chance.random() < 0.1)
    return {
        "category": category,
        "xywh_px": [round(v, 1) for v in box],
        "is_crowd": is_crowd,
        "keypoints_xyv": None,
        "score": None if score is None else round(score, 3),
    }


@contextlib.contextmanager
def silence() -> Any:
    with contextlib.redirect_stdout(io.StringIO()):
        yield


def scored(truth: dict[str, Any], results: list[dict[str, Any]], max_dets: list[int]) -> COCOeval:
    with silence():
        reference = COCO()
        reference.dataset = json.loads(json.dumps(truth))
        reference.createIndex()
        evaluation = COCOeval(reference, reference.loadRes(json.loads(json.dumps(results))), "bbox")
        evaluation.params.maxDets = max_dets
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation


@pytest.fixture(scope="module", params=[1, 2, 3])
def made(request: pytest.FixtureRequest) -> tuple[pa.Table, pa.Table, dict[str, Any], list[dict[str, Any]]]:
    images, several = release(request.param)
    return (
        images,
        several,
        coco.split_document(images, drawn(several), plain(*CATEGORIES), {"version": "v"}),
        coco.split_results(detected(several)),
    )


def test_pycocotools_reads_the_file_and_finds_every_annotated_image_box_and_category(made: Any, tmp_path: Path):
    images, several, document, _ = made
    (tmp_path / "train.json").write_text(json.dumps(document), encoding="utf-8")
    with silence():
        read = COCO(str(tmp_path / "train.json"))
    by_people = drawn(several).to_pylist()
    assert set(read.getImgIds()) == set(images.filter(images["is_annotated"])["image_id"].to_pylist())
    assert set(read.getAnnIds()) == {row["annotation_id"] for row in by_people}
    assert read.getCatIds(catNms=["dog"]) == [2]
    for row in by_people:
        (entry,) = read.loadAnns([row["annotation_id"]])
        assert (entry["bbox"], entry["iscrowd"]) == (row["xywh_px"], int(row["is_crowd"]))


def test_the_truth_against_itself_scores_1(made: Any):
    _, _, document, _ = made
    boxes = [box for box in document["annotations"] if not box["iscrowd"]]
    counts = [sum(box["image_id"] == image["id"] for box in boxes) for image in document["images"]]
    as_found = [
        {"image_id": box["image_id"], "category_id": box["category_id"], "bbox": box["bbox"], "score": 1.0}
        for box in boxes
    ]
    got = box_scores([(document, as_found)], at_most=max(counts))
    for name in ("AP", "AP50", "AP75", "APS", "APM", "APL", "AR100", "ARS", "ARM", "ARL"):
        assert got[name] == pytest.approx(1)
    assert got["figures"] == len(boxes)


def test_scores_are_pycocotools_own(made: Any):
    _, _, document, found = made
    looked = {image["id"] for image in document["images"] if image["is_annotated"]}
    truth = {**document, "images": [image for image in document["images"] if image["id"] in looked]}
    stats = scored(truth, [box for box in found if box["image_id"] in looked], [1, 10, 100]).stats
    got = box_scores([(document, found)])
    assert [got[name] for name in NAMES] == [
        None if value < 0 else pytest.approx(value, rel=0, abs=1e-12) for value in stats
    ]
    assert got["images"] == 9
    assert 0 < (got["AP"] or 0) < 1


def test_a_limit_that_no_image_reaches_changes_nothing(made: Any):
    _, _, document, found = made
    assert box_scores([(document, found)], at_most=1000) == pytest.approx(box_scores([(document, found)], at_most=100))


@pytest.mark.parametrize("at_most", [2, 5, 20])
def test_a_limit_gives_the_scores_of_so_many_of_the_best_boxes(made: Any, at_most: int):
    _, _, document, found = made
    best: list[dict[str, Any]] = []
    for key in {(box["image_id"], box["category_id"]) for box in found}:  # pycocotools counts in each category
        mine = [box for box in found if (box["image_id"], box["category_id"]) == key]
        best += sorted(mine, key=lambda box: -box["score"])[:at_most]
    got, expected = box_scores([(document, found)], at_most=at_most), box_scores([(document, best)], at_most=100)
    for name in set(NAMES) - {"AR10"}:
        assert got[name] == pytest.approx(expected[name])


def test_the_order_of_boxes_changes_nothing(made: Any):
    _, _, document, found = made
    assert box_scores([({**document, "annotations": document["annotations"][::-1]}, found)]) == pytest.approx(
        box_scores([(document, found)])
    )
