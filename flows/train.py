"""One training, from images that people annotated to a file of weights for `detect`."""

import os
import tempfile
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prefect import flow

from flows.settings import parse_change, set_field, settings_from_fields
from schemas.errors import BadInput
from schemas.manifests import Context
from schemas.train import TrainDetector, TrainingData
from tasks.engine import runs

if TYPE_CHECKING:
    from tasks.train import TrainingResult


@flow(name="train_detector", persist_result=False)
def train_detector(
    truth: str,
    images: str | None = None,
    model: str | None = None,
    split: str | None = None,
    evaluate_truth: str | None = None,
    evaluate_images: str | None = None,
    evaluate_on: str | None = None,
    store: str = "./store",
    bind: dict[str, str] | None = None,
    changes: list[str] | None = None,
    device: str = "auto",
    out: str | None = None,
) -> dict[str, Any]:
    """Train a detector, or go on with a training that was interrupted, and return its metrics.

    Args:
        truth: A release, or a COCO file.
        images: Where a COCO file's images lie; by default beside it.
        model: A detector of torchvision by its name, or fcos_small.
        split: Learn from these images alone; by default train of a release, all of a COCO file.
        evaluate_truth: What the detector is examined on; by default `truth`.
        evaluate_images: Where the images of `evaluate_truth` lie.
        evaluate_on: The split of the exam; by default val of a release. A COCO file has no exam unless one is named.
        store: Folder or fsspec URL that keeps checkpoints, curves and the result.
        bind: Names of files, such as the weights to start from.
        changes: Settings other than the defaults, as field=VALUE.
        device: auto (a GPU where there is one), cpu, cuda, cuda:1 ...
        out: Also write the weights to this file.

    """
    from tasks.train import bytes_of, train  # with torch, which whoever deploys all flows need not have

    settings = settings_of(model, changes or ())
    lessons = training_data(truth, images, split, evaluate_truth, evaluate_images, evaluate_on)
    context = Context(
        store=store,
        bindings=bind or {},
        workers=os.cpu_count() or 1,
        device=device,
        run=uuid.uuid4().hex,
        began_s=time.time(),
    )
    runs.store_of(context).check_writable()
    if out is not None:
        check_out(out)  # now, not after a night
    try:
        trained = train(settings, lessons, context)
        if out is not None:
            write_out(out, bytes_of(trained.weights, context))
    except (OSError, MemoryError) as problem:  # a disk that is full, a share that is gone
        line = str(problem).splitlines()[0] if str(problem) else "too little memory"
        raise BadInput(f"training: expected to go on, got '{line}'; the same command goes on from there") from problem
    print(summary(trained, out or f"{store}/{trained.weights}"))  # noqa: T201 - the terminal is where a person waits for it
    return trained.metrics


def settings_of(model: str | None, changes: list[str] | tuple[()]) -> TrainDetector:
    """The defaults with changes, each field=VALUE (a dot goes into a group, VALUE is YAML).

    Raises BadInput on what can't be.
    """
    fields: dict[str, Any] = {} if model is None else {"model": model}
    for change in changes:
        names, value = parse_change(change)
        if names == ["model"] and model not in {None, value}:
            raise BadInput(f"--set model={value}: expected one model, got --model {model} too")
        set_field(fields, names, value)
    return settings_from_fields(TrainDetector, fields)


def training_data(
    truth: str,
    images: str | None,
    split: str | None,
    evaluate_truth: str | None,
    evaluate_images: str | None,
    evaluate_on: str | None,
) -> TrainingData:
    """What to learn from and what to be examined on, where not everything is said."""
    if not _is_file(truth):
        split = split or "train"
    exam = evaluate_truth or truth
    if not _is_file(exam):
        evaluate_on = evaluate_on or "val"
    elif evaluate_truth is None and evaluate_on is None:
        return TrainingData(truth, images, split, None, None, None)
    return TrainingData(truth, images, split, exam, evaluate_images if evaluate_truth else images, evaluate_on)


def check_out(path: str) -> None:
    """Raise BadInput where no file can be written."""
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=Path(path).parent):
            pass
        if Path(path).is_dir():
            raise IsADirectoryError(f"a folder: '{path}'")
    except (OSError, ValueError) as problem:
        raise BadInput(f"--out: expected a file that can be written, got '{path}' ({problem})") from problem


def write_out(path: str, weights: bytes) -> None:
    """The weights as a file of their own, whole or not at all. Raises BadInput where it can't be written."""
    beside = Path(path).with_name(f".{uuid.uuid4().hex}")
    try:
        beside.write_bytes(weights)
        beside.replace(path)
    except OSError as problem:
        beside.unlink(missing_ok=True)
        raise BadInput(f"--out: expected a file that can be written, got '{path}' ({problem})") from problem


def summary(trained: "TrainingResult", where: str) -> str:
    """What is printed at the end: what was learnt, scores, and last where the weights lie.

    Notes come first, if not told before.
    """
    told = trained.metrics
    lines = [] if trained.is_new else list(trained.notes)
    lines.append(
        f"{'trained' if trained.is_new else 'trained before'}: {told['model']}, {told['steps']} steps, "
        f"{told['images']} images, "
        f"{told['figures']} figures, loss {told['loss']:.3f}"
    )
    for scores in told["evaluations"][-1:]:
        found = ", ".join(f"{name} {_number(scores[name])}" for name in ("AP", "AP50", "AP75", "AR100"))
        lines.append(f"on {told['evaluated_on']} ({scores['images']} images, {scores['figures']} figures): {found}")
    return "\n".join([*lines, f"weights: {where}"])


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


def _is_file(truth: str) -> bool:
    return truth.lower().endswith(".json")
