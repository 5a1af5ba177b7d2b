"""Detectors behind the one measure: what each needs and depends on, and files of another program as a detector."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pyarrow as pa
import pytest
from PIL import Image

from flows.build_dataset import run_stages
from flows.recipes import recipe_from_file
from schemas.detect import Detect
from schemas.errors import BadInput, Refusal
from schemas.manifests import Context
from tasks.detect import check_detector, detections
from tasks.engine import runs
from tasks.io.store.releases import Release
from tasks.subjects import detectors
from tests.support.desk import WEIGHTS, by_label, computed

ODD: dict[str, Image.Image] = {
    "one pixel": Image.new("RGB", (1, 1), "red"),
    "frieze": Image.linear_gradient("L").resize((20_000, 200)),
    "cmyk": Image.linear_gradient("L").resize((90, 60)).convert("CMYK"),
    "turned": Image.linear_gradient("L").resize((300, 100)).convert("RGB"),
}


def context_of(tmp_path: Path, **bindings: Any) -> Context:
    return Context(store=str(tmp_path / "store"), bindings={"weights": str(WEIGHTS), **bindings})


def written(path: Path, value: Any) -> str:
    path.write_text(json.dumps(value), encoding="utf-8")
    return str(path)


# --- keys


def test_a_key_says_what_is_found_and_nothing_else(tmp_path):
    context, copy = context_of(tmp_path), tmp_path / "copy.onnx"
    copy.write_bytes(WEIGHTS.read_bytes())
    first = detectors.measure_key(Detect(model="plain"), context)
    same = [
        detectors.measure_key(Detect(model="plain", label="again"), context),
        detectors.measure_key(Detect(model="plain", least_side_px=500), context),
        detectors.measure_key(Detect(model="plain", weights="mine"), context_of(tmp_path, mine=str(copy))),
        detectors.measure_key(Detect(model="plain"), context.model_copy(update={"device": "cpu", "workers": 7})),
    ]
    assert {*same} == {first}
    copy.write_bytes(WEIGHTS.read_bytes() + b"\0")
    other = [
        detectors.measure_key(Detect(model="yolox"), context),
        detectors.measure_key(Detect(model="plain", least_score=0.02), context),
        detectors.measure_key(Detect(model="plain", classes={"person": 1}), context),
        detectors.measure_key(Detect(model="plain", weights="mine"), context_of(tmp_path, mine=str(copy))),
    ]
    assert len({first, *other}) == 5


@pytest.mark.parametrize(
    ("changed", "does"),
    [
        ("tasks.io.detectors.hog", False),
        ("tasks.subjects.detectors.hog", False),
        ("tasks.subjects.detectors.results", False),
        ("tasks.core.coco.imported", False),
        ("tasks.subjects.detectors.onnx", True),
        ("tasks.core.detect.layouts", True),
        ("tasks.core.detect.boxes", True),
        ("tasks.subjects.detectors.detections", True),
        ("tasks.io.images.decode", True),
        ("tasks.io.detectors.onnx", True),
        ("tasks.io.detectors.stream", True),
    ],
)
def test_only_the_code_that_runs_is_in_the_key(tmp_path, monkeypatch, changed, does):
    import tasks.engine.cache_keys

    context, plain = context_of(tmp_path), Detect(model="plain")
    before, source = detectors.measure_key(plain, context), tasks.engine.cache_keys._source

    def edited(name: str) -> str:
        return f"{source(name)}\nEDITED = 1\n" if name == changed else source(name)

    monkeypatch.setattr(tasks.engine.cache_keys, "_source", edited)
    assert (detectors.measure_key(plain, context) != before) == does


# --- bad input, before anything is built


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"model": "yolox"}, "weights for yolox: expected"),
        ({"model": "fastestdet"}, "weights for fastestdet: expected 5 numbers and class scores"),
        ({"model": "plain", "weights": "gone"}, "binding 'gone': expected a file, got"),
        ({"model": "plain", "weights_sha256": "0" * 64}, "expected weights of SHA-256 0000"),
        ({"model": "results", "images": "weights"}, "images: expected JSON, got"),
    ],
    ids=str,
)
def test_weights_that_do_not_fit_are_told_before_anything_runs(tmp_path, settings, said):
    with pytest.raises(BadInput, match=said):
        check_detector(Detect.model_validate(settings), context_of(tmp_path, gone=str(tmp_path / "gone.onnx")))


def test_hog_says_which_opencv_it_needs(tmp_path):
    if hasattr(cv2, "HOGDescriptor"):
        check_detector(Detect(model="hog"), context_of(tmp_path))
        return
    with pytest.raises(
        BadInput, match=r"expected an OpenCV with HOGDescriptor for hog \(4, or 5 with contrib\), got 5"
    ):
        check_detector(Detect(model="hog"), context_of(tmp_path))


# --- odd pictures


@pytest.mark.parametrize("model", ["plain", "results", "hog"])
def test_odd_pictures_have_boxes_inside_and_what_has_no_pixels_a_reason(tmp_path, model):
    if model == "hog" and not hasattr(cv2, "HOGDescriptor"):
        pytest.skip("this OpenCV has no HOGDescriptor")
    context = context_of(tmp_path)
    store, sizes = runs.store_of(context), {}
    for name, picture in ODD.items():
        turn = (
            {"exif": b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"}
            if name == "turned"
            else {}
        )
        picture.save(tmp_path / "one.jpg", **turn)
        width, height = picture.size
        sizes[store.write_blob((tmp_path / "one.jpg").read_bytes())] = (height, width) if turn else (width, height)
    broken = store.write_blob(b"\xff\xd8\xff nothing")
    images = [{"id": number, "sha256": sha256} for number, sha256 in enumerate([*sizes, broken])]
    boxes = [{"image_id": row["id"], "category_id": 1, "bbox": [-5, -5, 30_000, 30_000], "score": 1} for row in images]
    bound = {"listed": written(tmp_path / "l.json", {"images": images}), "found": written(tmp_path / "f.json", boxes)}
    more = {"weights": "found", "images": "listed"} if model == "results" else {}
    settings = Detect.model_validate({"model": model, "least_score": 0.0, **more})
    rows = detections(settings, pa.array(sorted([*sizes, broken])), context_of(tmp_path, **bound)).to_pylist()
    assert [row["sha256"] for row in rows if row["reason"]] == [broken]
    for row in rows:
        width, height = sizes.get(row["sha256"], (0, 0))
        if model == "results" and row["sha256"] != broken:
            assert [figure["xywh_px"] for figure in row["figures"]] == [[0.0, 0.0, float(width), float(height)]]
        for figure in row["figures"] or ():
            x, y, w, h = figure["xywh_px"]
            assert min(x, y) >= 0
            assert x + w <= width + 0.01
            assert y + h <= height + 0.01


# --- another program's results


KEYPOINTS = [20.0, 20.0, 2.0, *[0.0] * 48]
RESULTS: dict[str, Any] = {
    "name": "outside",
    "bindings": {"images": "a folder", "found": "what another program found", "listed": "in which images"},
    "sources": [{"folder": {"name": "s", "at": "images", "pattern": "{style}/{title}.png"}}],
    "stages": [
        "fetch",
        "hash",
        {"detect": {"model": "results", "weights": "found", "images": "listed"}},
        {"screen": {"label": "people", "figures": {"counted_by": "detector"}}},
        {"split": {"by": None, "order": None}},
        {"export": {"parquet": {"images": "none"}, "coco": {}}},
    ],
}


@pytest.fixture
def outside(tmp_path: Path) -> tuple[str, Context]:
    """A recipe and its bindings: four pictures, three of them listed, one with a person, one with a dog."""
    for seed, name in enumerate(("A/with", "A/dog", "B/empty", "B/unlisted")):
        path = tmp_path / "images" / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.random.default_rng(seed).integers(0, 255, (40, 60, 3), np.uint8)).save(path)
    listed = [
        {"id": 1, "file_name": "A/with.png"},
        {"id": 2, "file_name": "elsewhere/dog.png"},
        {"id": 3, "file_name": "empty.png"},
    ]
    found = [
        {"image_id": 1, "category_id": 1, "bbox": [10, 10, 100, 20], "score": 0.91234, "keypoints": KEYPOINTS},
        {"image_id": 2, "category_id": 18, "bbox": [10, 10, 20, 20], "score": 0.9},
    ]
    bindings = {
        "images": str(tmp_path / "images"),
        "found": written(tmp_path / "found.json", found),
        "listed": written(tmp_path / "listed.json", {"images": listed}),
    }
    return written(tmp_path / "recipe.yaml", RESULTS), Context(store=str(tmp_path / "store"), bindings=bindings)


def test_what_another_program_found_is_a_measure_like_any_other(outside):
    recipe, context = outside
    steps = by_label(run_stages(recipe_from_file(recipe), context))
    assert (steps["detect"].computed, steps["detect"].kept) == (4, 4)
    assert (steps["people"].kept, steps["people"].dropped) == (1, {"too_few_figures": 3})
    details = runs.store_of(context).read_table(steps["people"].outcome)["detail"].to_pylist()
    assert sorted(filter(None, details)) == ["0 of person", "0 of person", "nobody has counted person"]
    release = Release(steps["export"].release)
    (row,) = pa.concat_tables([release.table(path) for path in release.parts("detections")]).to_pylist()
    assert (row["xywh_px"], row["score"], row["keypoints_xyv"]) == ([10.0, 10.0, 50.0, 20.0], 0.912, KEYPOINTS)
    assert row["model"].startswith("results@")
    split = row["split"]
    (shown,) = json.loads(release.read(f"coco/{split}.detections.json"))
    assert (shown["bbox"], shown["keypoints"]) == ([10.0, 10.0, 50.0, 20.0], KEYPOINTS)
    # nobody has looked at these images but a program
    assert [path for path in release.manifest.files if path.startswith("coco/") and path.count(".") == 1] == []
    (image,) = json.loads(release.read(f"coco/{split}.unannotated.json"))["images"]
    assert image["id"] == shown["image_id"]


def test_results_are_looked_up_again_when_a_file_or_a_name_changes_and_else_not(outside):
    recipe, context = outside
    wished = recipe_from_file(recipe)
    run_stages(wished, context)
    assert computed(by_label(run_stages(wished, context))) == {}
    found = Path(context.bindings["found"])
    found.write_text(found.read_text().replace("0.91234", "0.5"))
    assert by_label(run_stages(wished, context))["detect"].computed == 4
    picture = Path(context.bindings["images"]) / "A/with.png"
    picture.rename(picture.with_name("now another.png"))
    with pytest.raises(Refusal, match="expected at least one image to publish, got none"):  # it is none of those listed
        run_stages(wished, context)


def test_a_releases_own_detections_come_back_as_they_went_out(built, tmp_path):
    document, found = (json.loads(built.latest.read(f"coco/train{kind}.json")) for kind in ("", ".detections"))
    bound = {"listed": written(tmp_path / "l.json", document), "found": written(tmp_path / "f.json", found)}
    context = context_of(tmp_path, **bound).model_copy(update={"store": built.store})
    shas = {image["id"]: image["metadata"]["sha256"] for image in document["images"]}
    rows = detections(
        Detect(model="results", weights="found", images="listed"), pa.array(sorted({*shas.values()})), context
    )
    by_image: dict[str, list[list[float]]] = {sha256: [] for sha256 in shas.values()}
    for box in found:
        by_image[shas[box["image_id"]]].append(box["bbox"])
    got = {row["sha256"]: sorted(figure["xywh_px"] for figure in row["figures"]) for row in rows.to_pylist()}
    assert got.keys() == by_image.keys()
    assert all(np.allclose(sorted(by_image[sha256]), boxes, atol=0.11) for sha256, boxes in got.items() if boxes)
    assert sum(map(len, got.values())) == len(found) > 20
