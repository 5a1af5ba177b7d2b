"""Detectors compared on images that people have annotated: which of them should choose the images of a dataset?"""

import contextlib
import os
import sys
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from flows.parameters import (
    Attributes,
    Categories,
    Count,
    Device,
    File,
    Folder,
    Option,
    Out,
    Resamples,
    SeedOfResamples,
    Share,
    Split,
    Store,
    Truth,
    documented,
)
from schemas.errors import BadInput
from schemas.phrases import quoted

if TYPE_CHECKING:
    from pydantic import BaseModel

    from flows.detector_options import DetectorRequest, ResultsRequest
    from schemas.evaluate_figures import DetectorSettings, VocSettings
    from schemas.manifests import Context
    from tasks.evaluate.evaluation import Evaluation
    from tasks.subjects.ground_truth import GroundTruth

Settings = TypeVar("Settings", bound="BaseModel")
_OPTIONS_OF = {"voc": ("ratings", "people", "far_corner", "iou"), "coco": ("score",)}
"""What only one of the protocols has."""


@documented
def evaluate_detector(
    truth: Truth,
    images: Folder | None = None,
    split: Split | None = None,
    detectors: Annotated[list[str], Option("NAME=MODEL[:FILE][,SETTING=VALUE...]", "--detector")] | None = None,
    results: Annotated[list[str], Option("NAME=FILE")] | None = None,
    release_detections: bool = False,
    categories: Categories | None = None,
    by: Attributes | None = None,
    store: Store = "./store",
    out: Out | None = None,
    score: Share | None = None,
    bootstrap: Resamples = 1000,
    seed: SeedOfResamples = 0,
    workers: Count | None = None,
    device: Device = "auto",
    protocol: Literal["coco", "voc"] = "coco",
    ratings: File | None = None,
    people: File | None = None,
    far_corner: Literal["x+w-1", "x+w"] | None = None,
    iou: Annotated[Share, Option("IOU")] | None = None,
) -> "Evaluation":
    """Compare detectors with what people drew, and return the tables as Markdown.

    Args:
        truth: A release (its folder or URL, or its name's `latest`), or a COCO JSON file.
        images: The folder with the images of a COCO file (its `file_name`s), where detectors run; by default the file's
            own folder.
        detectors: Each as NAME=MODEL[:FILE][,setting=value ...], such as nano=yolox:yolox_nano.onnx,least_score=0.05.
        results: Each as NAME=FILE: detections of another program, in COCO's results format, with the truth's image ids.
            Any finite scores; boxes and scores are taken as they are.
        release_detections: Also compare the detections that are stored in the release.
        categories: Boxes of these categories count, by default person; of several each is scored, and their mean.
            all: every category of the truth.
        store: Folder or fsspec URL that keeps the detections, so that nothing is computed twice.
        out: Folder for the tables (Markdown, Parquet) and charts (SVG); by default nothing is written.
        score: For coco, an image counts as one with a figure if it has a box with at least this score, 0 to 1; by
            default 0.5.
        workers: Number of parts that run at the same time, 1 or more; by default one for each core.
        device: Where detectors run: auto (a GPU if there is one), cpu, cuda, cuda:1 ...
        protocol: coco (AP over ten IoUs, by size), or voc (AP at IoU 0.5 by PASCAL VOC's rule, best F).
        ratings: For voc, a table (.parquet, .csv, .json) with image_id and rating, 1 (lifelike) to 5: every number by
            how deformed people find the figures.
        people: For voc, a table of raters' boxes, as of `evaluate raters`: a dot for each of them in the plot.
        far_corner: For voc, the x_max of a box: its last pixel (x+w-1, the default), or the edge after it (x+w).
        iou: For voc, the overlap (IoU) from which on a box is right, above 0; by default 0.5.

    """
    from flows.evaluate import running
    from schemas.manifests import Context
    from tasks.evaluate.detector import compare_by_coco
    from tasks.evaluate.voc import compare_by_voc
    from tasks.subjects.truth import load_ground_truth

    def work() -> "Evaluation":
        given: dict[str, Any] = {"detectors": detectors, "results": results, "release_detections": release_detections}
        given |= {"score": score, "ratings": ratings, "people": people, "far_corner": far_corner, "iou": iou}
        requests, files, settings, rule = check_options(protocol, given)
        resampling = running.Resampling(bootstrap, seed)
        chosen = running.Chosen(tuple(categories or ("person",)), split, tuple(by or ()))
        bindings = {name: value for request in requests for name, value in request.bindings.items()}
        threads, run = workers or os.cpu_count() or 2, uuid.uuid4().hex
        context = Context(store=store, bindings=bindings, workers=threads, device=device, run=run, began_s=time.time())
        release = truth if release_detections else None
        bare = None if requests else load_ground_truth(truth, images, None, chosen)
        # the baseline of voc needs the images' sizes, which may stand in their files alone
        reads_images = bare is None or (protocol == "voc" and bare.images["width_px"].null_count > 0)
        with _at_work(requests, context) if reads_images else contextlib.nullcontext():
            ground_truth = bare if bare and not reads_images else load_ground_truth(truth, images, context, chosen)
            found = _all_detections(requests, files, release, ground_truth, context)
            boxes, notes = _boxes_by_name(found, ground_truth.images.num_rows)
            if protocol == "coco":
                return compare_by_coco(ground_truth, boxes, settings, resampling, notes)
            return compare_by_voc(ground_truth, boxes, rule, resampling, ratings=ratings, people=people, notes=notes)

    return running.run("detectors", out, work)


def check_options(
    protocol: str, given: Mapping[str, Any]
) -> "tuple[list[DetectorRequest], list[ResultsRequest], DetectorSettings, VocSettings]":
    """What is to be compared, and by which settings. Raises BadInput for options that can't be.

    given: parameters of `evaluate_detector`, by name; None is not given.
    """
    from flows.detector_options import parse_requests
    from schemas.evaluate_figures import DetectorSettings, VocSettings

    for other, names in _OPTIONS_OF.items():
        options = [f"--{name.replace('_', '-')}" for name in names if given[name] is not None]
        if options and protocol != other:
            raise BadInput(f"expected --protocol {other} with {', '.join(options)}, got --protocol {protocol}")
    rule, settings = _settings(VocSettings, given), _settings(DetectorSettings, given)
    requests, files = parse_requests(
        given["detectors"] or (), given["results"] or (), with_release=given["release_detections"]
    )
    return requests, files, settings, rule


def _settings(model: "type[Settings]", given: Mapping[str, Any]) -> "Settings":
    """The settings, with what was given. Raises BadInput."""
    from flows.settings import settings_from_fields

    fields = {name: given[name] for name in model.model_fields if given.get(name) is not None}
    return settings_from_fields(model, fields, "evaluate")


@contextlib.contextmanager
def _at_work(requests: "Sequence[DetectorRequest]", context: "Context") -> Iterator[None]:
    """While images are read and detectors run: the store is there, and in use."""
    from flows.runner import check_cluster_of_flow
    from tasks.detect import check_detector
    from tasks.engine import runs

    runs.check_store(context)
    for request in requests:
        check_detector(request.settings, context)
    if requests:
        check_cluster_of_flow()
    with runs.at_work(context, "evaluation"):
        yield


def _boxes_by_name(
    detections: Iterable[tuple[str, Mapping[str, Any], Sequence[str]]], images: int
) -> tuple[dict[str, Mapping[str, Any]], list[str]]:
    """The boxes of each detector by category, told as they come, and all notes. Raises BadInput for a name twice."""
    boxes: dict[str, Mapping[str, Any]] = {}
    notes: list[str] = []
    for name, its_boxes, its_notes in detections:
        if name in boxes:
            raise BadInput(f"expected each name once, got {quoted(name)} twice")
        boxes[name] = its_boxes
        notes += its_notes
        count = sum(len(own.image) for own in its_boxes.values())
        print(f"{name}: {count} boxes in {images} images", file=sys.stderr)  # noqa: T201
    return boxes, notes


def _all_detections(
    requests: "Sequence[DetectorRequest]",
    files: "Sequence[ResultsRequest]",
    release: str | None,
    truth: "GroundTruth",
    context: "Context",
) -> Iterator[tuple[str, Mapping[str, Any], Sequence[str]]]:
    """Name, boxes by category and notes of each detector; of files first: one that can't be read should stop the
    comparison before anything is computed.
    """
    from tasks.detect import detections
    from tasks.evaluate.detector import blobs_of, detections_by_detector, detections_in_release, detections_in_results

    for name, url in files:
        yield name, *detections_in_results(name, url, truth)
    if release is not None:
        for name, boxes in detections_in_release(release, truth).items():
            yield name, boxes, ()
    for request in requests:
        measured = detections(request.settings, blobs_of(truth), context)
        boxes, notes = detections_by_detector(measured, truth)
        yield request.name, boxes, [f"{request.name}: {note}" for note in notes]
