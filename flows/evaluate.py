"""Detectors compared on images that people have annotated: which of them should choose the images of a dataset?"""

import os
import re
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import yaml
from prefect import flow
from prefect.context import FlowRunContext
from pydantic import ValidationError

from flows.build_dataset import runner
from schemas.detect import FAMILIES, Detect
from schemas.errors import BadInput
from schemas.evaluate import CompareSettings
from schemas.manifests import Context
from tasks.detect import check_detector, detections
from tasks.engine import runs
from tasks.engine.truth import GroundTruth, load_ground_truth
from tasks.evaluate import (
    blobs_of,
    compare,
    detections_by_detector,
    detections_in_release,
    detections_in_results,
    make_folder,
    write_comparison,
)

_NAME = re.compile(r"[\w.@+ -]{1,60}")


class DetectorRequest(NamedTuple):
    """One detector of a comparison: what tables call it, its settings, and what they need of this machine."""

    name: str
    settings: Detect
    bindings: dict[str, str]


@flow(name="evaluate_detector", task_runner=runner(os.environ.get("BILDERATLAS_DASK")), persist_result=False)
def evaluate_detector(
    truth: str,
    images: str | None = None,
    split: str | None = None,
    detectors: list[str] | None = None,
    results: list[str] | None = None,
    release_detections: bool = False,
    category: str = "person",
    by: Literal["style"] | None = None,
    store: str = "./store",
    out: str | None = None,
    score: float = 0.5,
    bootstrap: int = 1000,
    seed: int = 0,
    workers: int = 2,
    device: str = "auto",
) -> str:
    """Compare detectors on what people drew, and return the tables as Markdown.

    Args:
        truth: A release (its folder or URL, or its name's `latest`), or a COCO JSON file.
        images: The folder in which a COCO file's `file_name`s are found; by default the file's own.
        split: Only images of this split.
        detectors: Each as NAME=MODEL[:FILE][,setting=value ...], such as nano=yolox:yolox_nano.onnx,least_score=0.05.
        results: Each as NAME=FILE: what another program has found, in COCO's results format, by the truth's image ids.
        release_detections: Compare what the release's own detector has found, too.
        category: Whose boxes count.
        by: style, for every number of each style, too.
        store: Folder or fsspec URL that keeps what detectors find; nothing is computed twice.
        out: Folder for the tables (Markdown, Parquet) and drawings (SVG); none by default.
        score: From where on a box says that an image has a figure.
        bootstrap: Resamples of the images for the 95 % intervals; 0 for none.
        seed: Of the resamples.
        workers: Parts that run at once.
        device: What detectors run on: auto (a GPU where there is one), cpu, cuda, cuda:1 ...

    """
    asked, files = parse_requests(detectors or (), results or (), is_release_asked=release_detections)
    try:
        settings = CompareSettings(category=category, by=by, score=score, replicates=bootstrap, seed=seed)
    except ValidationError as problem:
        raise BadInput(_sentence("evaluate", problem)) from problem
    bound = {name: value for one in asked for name, value in one.bindings.items()}
    context = Context(
        store=store, bindings=bound, workers=workers, device=device, run=uuid.uuid4().hex, began_s=time.time()
    )
    runs.store_of(context).check_writable()
    if out is not None:
        make_folder(out)
    for one in asked:
        check_detector(one.settings, context)
    looked = load_ground_truth(truth, images, context, category=category, split=split)
    found: dict[str, Any] = {}
    notes: list[str] = []
    for name, boxes, said in _detections(
        asked, files, truth if release_detections else None, looked, category, context
    ):
        if name in found:
            raise BadInput(f"expected each name once, got '{name}' twice")
        found[name] = boxes
        notes += said
        print(f"{name}: {len(boxes.image)} boxes in {looked.images.num_rows} images", file=sys.stderr)  # noqa: T201
    # without a flow (a test, a benchmark) there are no task runs
    call = compare if FlowRunContext.get() else compare.fn
    compared = call(looked, found, settings, notes, context)
    if out is not None:
        write_comparison(compared, out)
    for note in (*looked.notes, *notes):
        print(note, file=sys.stderr)  # noqa: T201
    return compared.summary


def parse_requests(
    detectors: Sequence[str], results: Sequence[str], *, is_release_asked: bool
) -> tuple[list[DetectorRequest], list[tuple[str, str]]]:
    """What is asked for, read.

    Raises BadInput for what is said wrongly, names that repeat, and where nothing is asked for.
    """
    if not (detectors or results or is_release_asked):
        raise BadInput(
            "expected at least one detector to compare, got none: give --detector, --results or --release-detections"
        )
    asked = [_parse_detector(text, place) for place, text in enumerate(detectors, 1)]
    files = [_split_name("--results", text) for text in results]
    names = [one.name for one in asked] + [name for name, _ in files]
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"expected each name once, got '{name}' {names.count(name)} times")
    return asked, files


def _detections(
    asked: Sequence[DetectorRequest],
    files: Sequence[tuple[str, str]],
    release: str | None,
    looked: GroundTruth,
    category: str,
    context: Context,
) -> Iterator[tuple[str, Any, Sequence[str]]]:
    """Name, boxes and notes of each detector.

    Files first, since what is wrong with them should be known before anything is computed.
    """
    for name, url in files:
        yield name, *detections_in_results(name, url, looked)
    if release is not None:
        for name, boxes in detections_in_release(release, looked).items():
            yield name, boxes, ()
    for one in asked:
        boxes, notes = detections_by_detector(detections(one.settings, blobs_of(looked), context), looked, category)
        yield one.name, boxes, [f"{one.name}: {note}" for note in notes]


def _parse_detector(text: str, place: int) -> DetectorRequest:
    """One `--detector`. Settings are YAML; what is a binding in a recipe (weights, images) is a file here."""
    name, said = _split_name("--detector", text)
    head, *pairs = said.split(",")
    model, _, file = head.partition(":")
    if model not in FAMILIES:
        raise BadInput(f"--detector {name}: expected one of {', '.join(FAMILIES)}, got '{model}'")
    settings: dict[str, Any] = {"model": model, "label": _label(name, place)}
    bindings: dict[str, str] = {}
    if file:
        settings["weights"] = f"{settings['label']}-weights"
        bindings[settings["weights"]] = file
    elif FAMILIES[model] != "hog":
        raise BadInput(f"--detector {name}: expected a file, as {name}={model}:FILE, got none")
    for pair in pairs:
        field, value = _parse_setting(name, pair)
        if field == "images":
            settings[field], bindings[f"{settings['label']}-images"] = f"{settings['label']}-images", str(value)
        else:
            settings[field] = value
    try:
        return DetectorRequest(name, Detect.model_validate(settings), bindings)
    except ValidationError as problem:
        raise BadInput(_sentence(f"--detector {name}", problem)) from problem


def _parse_setting(name: str, pair: str) -> tuple[str, Any]:
    field, separator, value = pair.partition("=")
    if not separator or field in {"model", "label", "weights", "stage"}:
        raise BadInput(f"--detector {name}: expected setting=value after a comma, got '{pair}'")
    try:
        return field, yaml.safe_load(value)
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        raise BadInput(f"--detector {name}: expected a YAML value, got '{value[:80]}'") from problem


def _split_name(option: str, text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not _NAME.fullmatch(name) or not value:
        raise BadInput(f"{option}: expected NAME=..., got '{text[:80]}'")
    return name, value


def _label(name: str, place: int) -> str:
    """How progress and bindings call it: its name in the letters that labels may have, with its place, so that no two
    are alike.
    """
    return re.sub(r"[^a-z0-9]+", "-", f"detector-{place}-{name.lower()}")[:40].strip("-")


def _sentence(where: str, problem: ValidationError) -> str:
    first = problem.errors()[0]
    place = ".".join(map(str, first["loc"]))
    return f"{where}: {place + ': ' if place else ''}{first['msg'].removeprefix('Value error, ')}"
