"""Training on several truths: releases and COCO files with splits of their own, some with the same images or ids."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torchvision")

from PIL import Image

from flows.training import settings_of, training_data
from schemas.errors import BadInput
from schemas.manifests import Context
from tasks.io.detectors.devices import choose_device
from tasks.io.store.store import Store
from tasks.subjects.truth import Chosen, blobs_of_splits, load_ground_truth
from tasks.train import TrainingResult, _load_truths, held_out_blobs, train
from tasks.train.training_run import TrainingRun
from tests.support.desk import Desk

SMALL = ["epochs=1", "batch=4", "accumulate=1", "least_side_px=32", "most_side_px=48", "threads=1", "precision=float32"]


def coco_file(folder: Path, splits: dict[int, str | None], *, category: str = "person") -> str:
    """A truth with an image for each colour, all with ids from 1 on: a colour's picture is the same in every folder."""
    folder.mkdir(parents=True, exist_ok=True)
    images: list[dict[str, Any]] = []
    for number, (colour, split) in enumerate(splits.items(), 1):
        pixels = np.full((40, 60, 3), colour, np.uint8)
        pixels[5:35, 5:25] = 255 - colour
        Image.fromarray(pixels).save(folder / f"{colour}.png")
        images.append({"id": number, "file_name": f"{colour}.png", "width": 60, "height": 40, "split": split})
    boxes = [
        {
            "id": image["id"],
            "image_id": image["id"],
            "category_id": 1,
            "bbox": [5, 5, 20, 30],
            "area": 600,
            "iscrowd": 0,
        }
        for image in images
    ]
    document = {"images": images, "annotations": boxes, "categories": [{"id": 1, "name": category}]}
    path = folder / "truth.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


def context_of(store: Path) -> Context:
    return Context(store=str(store), workers=1, device="cpu")


def trained(store: Path, truth: str, *also: str, on: str | None = None, exam: str | None = None) -> TrainingResult:
    data = training_data(truth, None, "train", exam, None, on, also)
    return train.fn(settings_of("fcos_small", SMALL), data, context_of(store))


@pytest.fixture
def people(tmp_path: Path) -> str:
    """Two images in train, one in test."""
    return coco_file(tmp_path / "people", {10: "train", 20: "train", 30: "test"})


@pytest.fixture
def popart(tmp_path: Path) -> str:
    """Its first image is in the test of `people`; its test has an image of the train of `people`."""
    return coco_file(tmp_path / "popart", {30: "train", 40: "train", 50: "train", 20: "test", 60: None})


def test_each_truth_keeps_its_split_and_no_image_is_evaluated_on(people, popart, tmp_path):
    once = trained(tmp_path / "store", people, f"{popart},split=train", on="test")
    assert [
        (share["name"], share["images"], share["figures"], share["left_out"]) for share in once.metrics["truths"]
    ] == [("people/truth train", 1, 1, 1), ("popart/truth train", 2, 2, 1)]
    assert (once.metrics["images"], once.metrics["figures"], once.metrics["steps"]) == (3, 3, 1)
    assert (once.metrics["evaluated_on"], once.metrics["evaluations"][-1]["images"]) == ("truth test", 1)
    told = [note for note in once.notes if "held out for evaluation: 1 image" in note]
    assert len(told) == len(once.notes) == 2
    (written,) = (tmp_path / "store").glob("trainings/*/truths.json")
    assert json.loads(written.read_text(encoding="utf-8")) == once.metrics["truths"]

    swapped = trained(tmp_path / "store", popart, f"{people},split=train", on="test", exam=people)
    assert (swapped.is_new, swapped.weights, swapped.metrics) == (False, once.weights, once.metrics)


def test_one_truth_is_trained_on_as_ever(people, tmp_path):
    once = trained(tmp_path / "store", people, on="test")
    context, settings = context_of(tmp_path / "store"), settings_of("fcos_small", SMALL)
    truth, evaluation = (load_ground_truth(people, None, context, Chosen(split=split)) for split in ("train", "test"))
    run = TrainingRun(settings, truth, evaluation, None, choose_device("cpu"))
    assert once.weights == f"{run.folder}/model.safetensors"
    assert "truths" not in once.metrics
    assert not list((tmp_path / "store").glob("trainings/*/truths.json"))


@pytest.mark.parametrize(
    ("split", "also", "evaluate_on", "held_out"),
    [
        pytest.param("train", ",split=train", None, {30, 20}, id="the tests of both"),
        pytest.param("train", "", None, {30}, id="one of them as a whole"),
        pytest.param(None, "", "test", {30}, id="both as a whole, but what is evaluated on"),
        pytest.param("test", ",split=test", None, set(), id="trained on with test"),
        pytest.param("train", ",split=test", "train", {10, 20, 30, 40, 50}, id="evaluated on with train"),
    ],
)
def test_what_is_held_out(split, also, evaluate_on, held_out, people, popart, tmp_path):
    data = training_data(people, None, split, None, None, evaluate_on, [f"{popart}{also}"])
    context = context_of(tmp_path / "store")
    evaluation = evaluate_on and load_ground_truth(people, None, context, Chosen(split=evaluate_on))
    files = {
        Store(context.store).write_blob((tmp_path / f"{name}.png").read_bytes()): int(name.split("/")[1])
        for name in ("people/10", "people/20", "people/30", "popart/40", "popart/50")
    }
    assert {files[blob] for blob in held_out_blobs(data, evaluation, "person", context)} == held_out


def test_what_is_out_of_the_domain_of_one_is_trained_on_in_none(popart, tmp_path):
    people = coco_file(tmp_path / "people", {10: "train", 30: "ood"})
    context = context_of(tmp_path / "store")
    data = training_data(people, None, "train", None, None, None, [f"{popart},split=train"])
    files = {Store(context.store).write_blob((tmp_path / f"people/{name}.png").read_bytes()): name for name in (10, 30)}
    held_out = held_out_blobs(data, None, "person", context)
    assert {files[blob] for blob in held_out if blob in files} == {30}


def test_a_release_holds_out_its_own_val_and_test(built: Desk, tmp_path):
    """And a COCO file with the release's bytes loses them."""
    release, folder = built.latest, tmp_path / "copies"
    folder.mkdir()
    context = context_of(tmp_path / "store")
    truth = load_ground_truth(release.url, None, context)
    rows = [row for row in truth.images.to_pylist() if row["image_id"] in {*truth.figures["image_id"].to_pylist()}]
    images, boxes = [], []
    for number, row in enumerate(
        (next(row for row in rows if row["split"] == split) for split in ("train", "test")), 1
    ):
        (folder / f"{number}.bin").write_bytes(Store(context.store).read_blob(row["sha256"]))
        images.append({"id": number, "file_name": f"{number}.bin"})
        boxes.append({"id": number, "image_id": number, "category_id": 1, "bbox": [1, 1, 9, 9], "iscrowd": 0})
    file = folder / "copies.json"
    file.write_text(
        json.dumps({"images": images, "annotations": boxes, "categories": [{"id": 1, "name": "person"}]}),
        encoding="utf-8",
    )
    data = training_data(release.url, None, None, None, None, None, [str(file)])
    joined, evaluation = _load_truths("person", data, context)
    assert [(share.name.split()[0], share.images, share.left_out) for share in joined.shares] == [
        ("copies", 1, 1),
        ("museum", truth.images["split"].to_pylist().count("train"), 0),
    ]
    assert "images that several truths have, trained on with the figures of each: 1" in joined.notes
    held_out = blobs_of_splits(release.url, None, context, category="person", splits={"val", "test"})
    assert held_out >= {*evaluation.images["sha256"].to_pylist()}
    assert not held_out & {*joined.truth.images["sha256"].to_pylist()}
    assert joined.truth.images["image_id"].to_pylist() == list(range(1, joined.truth.images.num_rows + 1))


@pytest.mark.parametrize(
    ("also", "problem"),
    [
        pytest.param(
            "{people},split=train", "expected each truth once, got .*people/truth train twice", id="the same truth"
        ),
        pytest.param(
            "{people},split=test",
            "truth test: expected images to train on, got none .left out, .*: 1 image .3",
            id="the exam itself",
        ),
        pytest.param("{people}.json", "expected a file", id="no file"),
        pytest.param("{horses}", "expected a category 'person'", id="another category"),
        pytest.param("{people},split=val", "expected images of split 'val'", id="no such split"),
    ],
)
def test_bad_input_is_one_sentence(also, problem, people, tmp_path):
    horses = coco_file(tmp_path / "horses", {70: "train"}, category="horse")
    with pytest.raises(BadInput, match=problem):
        trained(tmp_path / "store", people, also.format(people=people, horses=horses), on="test")
