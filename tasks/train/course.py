"""One training, from what people drew to a file of weights: the loop, its checkpoints, its curves.

    trainings/<key>/checkpoints/<step>-<sha256>.safetensors   the newest two, while it runs
    trainings/<key>/model.safetensors                         weights that say whose they are: `detect` takes them as
    they are trainings/<key>/curves.parquet, curves.svg                loss, rate and scores by step; seconds, which are
    no content trainings/<key>/metrics.json                              what came out, written last; no clock in it

The key is the digest of the settings, of what was drawn, of the weights to start from and of the code: whoever asks
again is shown the result, and whoever was interrupted goes on from the newest intact checkpoint, to the same end.
"""

import contextlib
import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import torch
from pydantic import ValidationError

from schemas.detect import Detect
from schemas.errors import DamagedFile
from schemas.tables import CURVES
from schemas.train import Progress, TrainDetector
from tasks.core import evaluate
from tasks.core.train import curves
from tasks.core.train import lessons as core
from tasks.engine.cache_keys import cache_key, code_digest
from tasks.engine.detectors import detections
from tasks.engine.truth import GroundTruth
from tasks.io.detectors import torchvision_models as models
from tasks.io.store.store import Store, parquet_bytes
from tasks.io.training import augment, checkpoints, samples
from tasks.io.training import trainer as training

CODE = code_digest(sys.modules[__name__], detections)
AT_MOST = 100
_POINTS = 200
"""Points of a curve, about: the loss of one step says little, the mean over some more."""
_CROWD_GREY = (124, 116, 104)
"""The mean colour of ImageNet."""

Told = Callable[[int, str], None]
"""Called with steps done since the last time, and a line for a person, or nothing."""


class Course(NamedTuple):
    """Everything that a training depends on. start: bytes of the weights to begin with."""

    settings: TrainDetector
    truth: GroundTruth
    exam: GroundTruth | None
    start: bytes | None
    device: torch.device

    @property
    def folder(self) -> str:
        """Where all of it lies in the store."""
        begun = None if self.start is None else hashlib.sha256(self.start).hexdigest()
        exam = None if self.exam is None else self.exam.sha256
        said = self.settings.model_dump(mode="json", exclude={"start", "checkpoint_every_steps"})
        key = cache_key(
            settings=said,
            truth=self.truth.sha256,
            exam=exam,
            start=begun,
            device=self.device.type,
            code=CODE,
            of=models.VERSION,
        )
        return f"trainings/{key}"


def known(course: Course, store: Store) -> dict[str, Any] | None:
    """The metrics of this very training, if it has been gone through and its weights are whole."""
    try:
        metrics: dict[str, Any] = json.loads(store.read_bytes(f"{course.folder}/metrics.json"))
        data = store.read_bytes(f"{course.folder}/model.safetensors")
        is_whole = metrics.pop("sha256") == cache_key(metrics=metrics)
        return metrics if is_whole and hashlib.sha256(data).hexdigest() == metrics["model_sha256"] else None
    except (DamagedFile, ValueError, KeyError, TypeError, AttributeError):
        return None


def trained(course: Course, store: Store, told: Told) -> dict[str, Any]:
    """Go through the training, or through what is left of it, and write all that comes of it; its metrics.

    Raises BadInput if the start's weights are another model's, or the loss is no number any more.
    """
    with training.deterministic(course.settings.threads, course.device):
        trainer, progress = _begun(course, store)
        told(progress.step, "")
        pictures = samples.Pictures(store.read_blob)
        _learnt(course, trainer, progress, pictures, store, told)
        return _written(course, trainer, progress, store)


def figures_of(truth: GroundTruth) -> int:
    """Figures that can be learnt: not crowds."""
    return sum(not is_crowd for is_crowd in truth.figures["is_crowd"].to_pylist())


def steps_of(course: Course) -> int:
    """Steps in all."""
    return core.steps_per_epoch(course.truth.images.num_rows, course.settings) * course.settings.epochs


def _begun(course: Course, store: Store) -> tuple[training.Trainer, Progress]:
    """The trainer where its newest intact checkpoint stands, or at the beginning."""
    for data in checkpoints.intact(store, f"{course.folder}/checkpoints"):
        with contextlib.suppress(DamagedFile, ValidationError):
            trainer = _trainer(course)
            return trainer, Progress.model_validate(trainer.restore(data))
    return _trainer(course), Progress()


def _trainer(course: Course) -> training.Trainer:
    settings = course.settings
    model = training.started(settings, course.start, core.seed_of(settings.seed, "weights"))
    is_frozen = settings.batch_norm == "frozen" or (settings.batch_norm == "auto" and course.start is not None)
    return training.Trainer(model, settings, course.device, is_frozen=is_frozen)


def _learnt(
    course: Course, trainer: training.Trainer, progress: Progress, pictures: samples.Pictures, store: Store, told: Told
) -> None:
    settings, lessons = course.settings, core.lessons(course.truth.images, course.truth.figures)
    per_epoch = core.steps_per_epoch(len(lessons), settings)
    total, last_s = per_epoch * settings.epochs, time.monotonic()
    every = max(1, total // _POINTS)

    def sample(epoch: int, place: int) -> samples.Sample:
        return sample_of(lessons[place], settings, pictures, epoch)

    groups = _groups(lessons, settings, progress.step)
    for group in samples.ahead(sample, groups, samples.loaders(is_gpu=course.device.type == "cuda")):
        step = progress.step
        rate = core.rate(settings, step, per_epoch)
        progress.add(trainer.step(group, rate, core.seed_of(settings.seed, "step", step)))
        now_s = time.monotonic()
        progress.seconds, last_s = progress.seconds + now_s - last_s, now_s
        is_epoch = progress.step % per_epoch == 0
        if is_epoch or progress.step % every == 0:
            progress.close(rate)
        line = _examined(course, trainer, progress, store, per_epoch) if is_epoch else ""
        if is_epoch or progress.step % settings.checkpoint_every_steps == 0 or progress.step == total:
            data = trainer.state(progress.model_dump(mode="json"))
            checkpoints.write(store, f"{course.folder}/checkpoints", progress.step, data)
        told(1, line)


def _groups(lessons: Sequence[core.Lesson], settings: TrainDetector, first: int) -> Iterator[tuple[int, list[int]]]:
    """(epoch, places) of every step from `first` on."""
    ids, size = [lesson.image_id for lesson in lessons], settings.batch * settings.accumulate
    per_epoch = core.steps_per_epoch(len(lessons), settings)
    for epoch in range(first // per_epoch, settings.epochs):
        places = core.order(ids, settings.seed, epoch)
        for step in range(first - epoch * per_epoch if epoch == first // per_epoch else 0, per_epoch):
            yield epoch, places[step * size : (step + 1) * size]


def sample_of(lesson: core.Lesson, settings: TrainDetector, pictures: samples.Pictures, epoch: int) -> samples.Sample:
    """A lesson as this epoch sees it: reduced, crowds grey (they are neither figures nor background), altered by draws
    of its own.
    """
    size = core.reduced_size(*lesson.size_px, settings.least_side_px, settings.most_side_px)
    scale = np.array([size[0] / lesson.size_px[0], size[1] / lesson.size_px[1]] * 2, np.float32)
    pixels, boxes = pictures.reduced(lesson.sha256, size), lesson.figures_xyxy_px * scale
    if len(lesson.crowds_xyxy_px):
        hidden = core.only_in_crowds(lesson.crowds_xyxy_px * scale, boxes, size)
        pixels = np.where(hidden[:, :, None], np.array(_CROWD_GREY, np.uint8), pixels)
    rng = np.random.default_rng(core.seed_of(settings.seed, "augment", epoch, lesson.image_id))
    for change in core.changes(settings.augment, rng):
        pixels = augment.altered(pixels, *change)
        if change.name == "flip":
            boxes = core.mirrored(boxes, size[0])
    return samples.Sample(pixels, core.visible(boxes))


def _examined(course: Course, trainer: training.Trainer, progress: Progress, store: Store, per_epoch: int) -> str:
    """A line on the epoch that has ended; its scores go into the progress where it is one to be evaluated."""
    epoch = progress.step // per_epoch
    line = f"epoch {epoch} of {course.settings.epochs}: loss {progress.mean('loss', progress.step - per_epoch):.3f}"
    is_due = epoch % course.settings.evaluate_every == 0 or epoch == course.settings.epochs
    if course.exam is None or not is_due:
        return line
    scores = scores_of(course.exam, course, trainer, store)
    progress.scores.append({"epoch": epoch, "step": progress.step, **scores})
    progress.note({name: value for name in ("AP", "AP50", "AR100") if (value := scores[name]) is not None})
    return f"{line}, AP {scores['AP'] or 0:.3f}, AP50 {scores['AP50'] or 0:.3f}"


def scores_of(
    exam: GroundTruth, course: Course, trainer: training.Trainer, store: Store
) -> dict[str, float | int | None]:
    """COCO's numbers of the model as it stands, from what `detect` would find with it: those of `evaluate detector`."""
    settings, category = course.settings, course.settings.category
    asked = Detect(model=settings.model, classes={category: 1}, at_most=AT_MOST)
    blobs = sorted({*exam.images["sha256"].to_pylist()})
    with training.seeing(trainer.model, asked, settings.detect_sides_px, course.device) as detector:
        rows = detections.rows(detector, asked, blobs, store.read_blob)
        found = {row["sha256"]: row.get("figures") or [] for row in rows}
    return evaluate.box_scores(
        [(core.truth_document(exam.images, exam.figures, category), core.detection_results(exam.images, found))],
        AT_MOST,
    )


def _written(course: Course, trainer: training.Trainer, progress: Progress, store: Store) -> dict[str, Any]:
    """The weights, the curves, and last the metrics."""
    settings, folder = course.settings, course.folder
    said = models.Told(settings.model, (settings.category,), *settings.detect_sides_px)
    model = models.saved(trainer.model, said)
    store.write_bytes(f"{folder}/model.safetensors", model)
    rows = pa.Table.from_pylist(progress.rows, schema=CURVES)
    store.write_bytes(f"{folder}/curves.parquet", parquet_bytes(rows))
    store.write_bytes(f"{folder}/curves.svg", curves.drawn(rows, settings.model).encode())
    metrics = {
        "model": settings.model,
        "category": settings.category,
        "device": course.device.type,
        "steps": progress.step,
        "settings": settings.model_dump(mode="json", exclude={"checkpoint_every_steps"}),
        "truth": course.truth.name,
        "truth_sha256": course.truth.sha256,
        "images": course.truth.images.num_rows,
        "figures": figures_of(course.truth),
        "loss": progress.mean("loss", progress.step - progress.step // settings.epochs),
        "evaluated_on": course.exam.name if course.exam else None,
        "evaluations": progress.scores,
        "model_sha256": hashlib.sha256(model).hexdigest(),
    }
    sealed = {**metrics, "sha256": cache_key(metrics=metrics)}
    store.write_bytes(f"{folder}/metrics.json", (json.dumps(sealed, indent=1) + "\n").encode())
    checkpoints.clear(store, f"{folder}/checkpoints")
    return metrics
