"""One training, from annotated images to a file of weights: the loop, its checkpoints, its curves.

    trainings/<cache key>/checkpoints/<step>-<sha256>.safetensors   the newest two, while it runs
    trainings/<cache key>/model.safetensors                         weights with metadata, which `detect` accepts
    trainings/<cache key>/curves.parquet, curves.svg                loss, learning rate, scores and seconds by step
    trainings/<cache key>/metrics.json                              the result, written last; no times in it

The cache key is the digest of the settings, the annotated images, the start weights and the code. The same question
again returns the stored result; an interrupted training goes on from its newest intact checkpoint, to the same result.
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
from schemas.train import TrainDetector, TrainingProgress
from tasks.core.evaluate.scores import box_scores
from tasks.core.train import augment, curves, lessons, schedule
from tasks.engine.cache_keys import cache_key, code_digest
from tasks.io.detectors import torchvision_models as models
from tasks.io.store import layout
from tasks.io.store.store import Store, parquet_bytes
from tasks.io.training import samples
from tasks.io.training import trainer as trainers
from tasks.io.training.augment import apply_change
from tasks.subjects.detectors import detections
from tasks.subjects.ground_truth import GroundTruth

CODE = code_digest(sys.modules[__name__], detections)
AT_MOST = 100
_POINTS = 200
"""About so many points for each curve: a point is the mean of several steps, as one step's loss varies too much."""
_CROWD_GREY = (124, 116, 104)
"""The mean colour of ImageNet."""

ReportProgress = Callable[[int, str], object]
"""Called with the steps done since the last call, and a line to print or an empty text."""


class TrainingRun(NamedTuple):
    """Everything that a training depends on. start: the file of start weights."""

    settings: TrainDetector
    truth: GroundTruth
    evaluation: GroundTruth | None
    start: bytes | None
    device: torch.device

    @property
    def folder(self) -> str:
        """Its folder in the store."""
        key = cache_key(
            settings=self.settings.model_dump(mode="json", exclude={"start", "checkpoint_every_steps"}),
            truth=self.truth.sha256,
            evaluation=None if self.evaluation is None else self.evaluation.sha256,
            start=None if self.start is None else hashlib.sha256(self.start).hexdigest(),
            device=self.device.type,
            code=CODE,
            versions=models.VERSION,
        )
        return layout.training_folder(key)


def read_metrics(run: TrainingRun, store: Store) -> dict[str, Any] | None:
    """The metrics of this training if it has ended and its files are intact, else None."""
    try:
        metrics: dict[str, Any] = json.loads(store.read_bytes(f"{run.folder}/{layout.TRAINING_METRICS}"))
        data = store.read_bytes(f"{run.folder}/{layout.TRAINED_WEIGHTS}")
        is_whole = metrics.pop("sha256") == cache_key(metrics=metrics)
        return metrics if is_whole and hashlib.sha256(data).hexdigest() == metrics["model_sha256"] else None
    except (DamagedFile, ValueError, KeyError, TypeError, AttributeError):
        return None


def run_training(run: TrainingRun, store: Store, report: ReportProgress) -> dict[str, Any]:
    """Run the training, or the rest of it, and write its results; returns its metrics. Raises BadInput as `train`."""
    with trainers.deterministic(run.settings.threads, run.device):
        trainer, progress = _trainer(run), TrainingProgress()
        for data in trainers.intact_checkpoints(store, layout.checkpoints_folder(run.folder)):
            with contextlib.suppress(DamagedFile, ValidationError):
                progress = TrainingProgress.model_validate(trainer.restore(data))
                break
            trainer = _trainer(run)  # it may be half restored
        report(progress.step, "")
        progress = _run_steps(run, trainer, progress, store, report)
        return _write_results(run, trainer, progress, store)


def count_figures(truth: GroundTruth) -> int:
    """Figures to learn from: all but crowds."""
    return sum(not is_crowd for is_crowd in truth.figures["is_crowd"].to_pylist())


def count_steps(run: TrainingRun) -> int:
    """Steps in all."""
    return schedule.steps_per_epoch(run.truth.images.num_rows, run.settings) * run.settings.epochs


def _trainer(run: TrainingRun) -> trainers.Trainer:
    settings = run.settings
    model = trainers.initial_model(settings, run.start, schedule.derive_seed(settings.seed, "weights"))
    is_frozen = settings.batch_norm == "frozen" or (settings.batch_norm == "auto" and run.start is not None)
    return trainers.Trainer(model, settings, run.device, is_frozen=is_frozen)


def _run_steps(
    run: TrainingRun, trainer: trainers.Trainer, progress: TrainingProgress, store: Store, report: ReportProgress
) -> TrainingProgress:
    settings, images = run.settings, lessons.lessons_from_tables(run.truth.images, run.truth.figures)
    pictures, per_epoch = samples.PictureCache(store.read_blob), schedule.steps_per_epoch(len(images), settings)
    total, last_s = per_epoch * settings.epochs, time.monotonic()
    every = max(1, total // _POINTS)

    def sample(epoch: int, place: int) -> samples.TrainingSample:
        return make_sample(images[place], settings, pictures, epoch)

    groups = _groups([lesson.image_id for lesson in images], settings, progress.step)
    for group in samples.prefetch(sample, groups, samples.loader_threads(is_gpu=run.device.type == "cuda")):
        step = progress.step
        rate = schedule.learning_rate(settings, step, per_epoch)
        losses = trainer.step(group, rate, schedule.derive_seed(settings.seed, "step", step))
        now_s = time.monotonic()
        progress, last_s = progress.with_step(losses, now_s - last_s), now_s
        is_epoch = progress.step % per_epoch == 0
        if is_epoch or progress.step % every == 0:
            progress = progress.with_point(rate)
        line = ""
        if is_epoch:
            line, progress = _end_epoch(run, trainer, progress, store, per_epoch)
        if is_epoch or progress.step % settings.checkpoint_every_steps == 0 or progress.step == total:
            data = trainer.state(progress.model_dump(mode="json"))
            trainers.write_checkpoint(store, layout.checkpoints_folder(run.folder), progress.step, data)
        report(1, line)
    return progress


def _groups(image_ids: Sequence[int], settings: TrainDetector, first: int) -> Iterator[tuple[int, list[int]]]:
    size, per_epoch = settings.batch * settings.accumulate, schedule.steps_per_epoch(len(image_ids), settings)
    for epoch in range(first // per_epoch, settings.epochs):
        places = schedule.order_of_epoch(image_ids, settings.seed, epoch)
        for step in range(max(first - epoch * per_epoch, 0), per_epoch):
            yield epoch, places[step * size : (step + 1) * size]


def make_sample(
    lesson: lessons.Lesson, settings: TrainDetector, pictures: samples.PictureCache, epoch: int
) -> samples.TrainingSample:
    """The sample of a lesson in an epoch: reduced, crowds (neither figures nor background) grey, then changed."""
    size = augment.reduced_size(*lesson.size_px, settings.least_side_px, settings.most_side_px)
    scale = np.array([size[0] / lesson.size_px[0], size[1] / lesson.size_px[1]] * 2, np.float32)
    pixels, boxes = pictures.load_resized(lesson.sha256, size), lesson.figures_xyxy_px * scale
    if len(lesson.crowds_xyxy_px):
        mask = augment.crowd_mask(lesson.crowds_xyxy_px * scale, boxes, size)
        pixels = np.where(mask[:, :, None], np.array(_CROWD_GREY, np.uint8), pixels)
    rng = np.random.default_rng(schedule.derive_seed(settings.seed, "augment", epoch, lesson.image_id))
    for change in augment.draw_changes(settings.augment, rng):
        pixels = apply_change(pixels, *change)
        if change.name == "flip":
            boxes = augment.mirror_boxes(boxes, size[0])
    return samples.TrainingSample(pixels, augment.without_empty_boxes(boxes))


def _end_epoch(
    run: TrainingRun, trainer: trainers.Trainer, progress: TrainingProgress, store: Store, per_epoch: int
) -> tuple[str, TrainingProgress]:
    """A line on the epoch that has ended, and the progress with its scores, if it is one to be evaluated."""
    epoch = progress.step // per_epoch
    line = f"epoch {epoch} of {run.settings.epochs}: loss {progress.mean('loss', progress.step - per_epoch):.3f}"
    is_due = epoch % run.settings.evaluate_every == 0 or epoch == run.settings.epochs
    if run.evaluation is None or not is_due:
        return line, progress
    scores = evaluate_model(run.evaluation, run, trainer, store)
    row = {"epoch": epoch, "step": progress.step, **scores}
    progress = progress.model_copy(update={"scores": (*progress.scores, row)})
    shown = {name: value for name in ("AP", "AP50", "AR100") if (value := scores[name]) is not None}
    progress = progress.with_values(shown)
    return f"{line}, AP {scores['AP'] or 0:.3f}, AP50 {scores['AP50'] or 0:.3f}", progress


def evaluate_model(
    evaluation: GroundTruth, run: TrainingRun, trainer: trainers.Trainer, store: Store
) -> dict[str, float | int | None]:
    """COCO's scores of the model's current state, from what `detect` would find: those of `evaluate detector`."""
    settings, category = run.settings, run.settings.category
    detect = Detect(model=settings.model, classes={category: 1}, at_most=AT_MOST)
    blobs = sorted({*evaluation.images["sha256"].to_pylist()})
    with trainers.detector_of(trainer.model, detect, settings.detect_sides_px, run.device) as detector:
        rows = detections.rows(detector, detect, blobs, store.read_blob)
        figures = {row["sha256"]: row.get("figures") or [] for row in rows}
    truth = lessons.truth_document(evaluation.images, evaluation.figures, category)
    return box_scores([(truth, lessons.detection_results(evaluation.images, figures))], AT_MOST)


def _write_results(
    run: TrainingRun, trainer: trainers.Trainer, progress: TrainingProgress, store: Store
) -> dict[str, Any]:
    settings, folder = run.settings, run.folder
    metadata = models.WeightsMetadata(settings.model, (settings.category,), *settings.detect_sides_px)
    model = models.weights_bytes(trainer.model, metadata)
    store.write_bytes(f"{folder}/{layout.TRAINED_WEIGHTS}", model)
    rows = pa.Table.from_pylist(list(progress.rows), schema=CURVES)
    store.write_bytes(f"{folder}/{layout.TRAINING_CURVES}", parquet_bytes(rows))
    store.write_bytes(f"{folder}/{layout.TRAINING_PLOT}", curves.curves_svg(rows, settings.model).encode())
    metrics = {
        "model": settings.model,
        "category": settings.category,
        "device": run.device.type,
        "steps": progress.step,
        "settings": settings.model_dump(mode="json", exclude={"checkpoint_every_steps"}),
        "truth": run.truth.name,
        "truth_sha256": run.truth.sha256,
        "images": run.truth.images.num_rows,
        "figures": count_figures(run.truth),
        "loss": progress.mean("loss", progress.step - progress.step // settings.epochs),
        "evaluated_on": run.evaluation.name if run.evaluation else None,
        "evaluations": list(progress.scores),
        "model_sha256": hashlib.sha256(model).hexdigest(),
    }
    sealed = {**metrics, "sha256": cache_key(metrics=metrics)}
    store.write_bytes(f"{folder}/{layout.TRAINING_METRICS}", (json.dumps(sealed, indent=1) + "\n").encode())
    trainers.clear_checkpoints(store, layout.checkpoints_folder(folder))
    return metrics
