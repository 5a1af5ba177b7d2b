"""One training, from what people drew to a file of weights: the loop, its checkpoints, its curves.

    trainings/<key>/checkpoints/<step>-<sha256>.safetensors   the newest two, while it runs
    trainings/<key>/model.safetensors                         weights that say whose they are: `detect` takes them as they are
    trainings/<key>/curves.parquet, curves.svg                loss, rate and scores by step; seconds, which are no content
    trainings/<key>/metrics.json                              what came out, written last; no clock in it

The key is the digest of the settings, of what was drawn, of the weights to start from and of the code: whoever asks again is
shown the result, and whoever was interrupted goes on from the newest intact checkpoint, to the same end.
"""

import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from schemas.errors import Damaged
from schemas.tables import CURVES
from schemas.train import Progress, TrainDetector
from tasks.annotated import Annotated
from tasks.core import curves, evaluate
from tasks.core import train as core
from tasks.io import augment, checkpoints, training
from tasks.io import torchvision_models as models
from tasks.io.store import Store, parquet_bytes
from tasks.keys import code_of, key_of

CODE = code_of(sys.modules[__name__])
AT_MOST = 100
_POINTS = 200
"""Points of a curve, about: the loss of one step says little, the mean over some more."""
_EXAM_BATCH = 16
_CROWD_GREY = (124, 116, 104)
"""The mean colour of ImageNet."""

Told = Callable[[int, str], None]
"""Called with steps done since the last time, and a line for a person, or nothing."""


class Course(NamedTuple):
    """Everything that a training depends on. start: bytes of the weights to begin with."""

    settings: TrainDetector
    truth: Annotated
    exam: Annotated | None
    start: bytes | None
    device: str

    @property
    def folder(self) -> str:
        """Where all of it lies in the store."""
        begun = None if self.start is None else hashlib.sha256(self.start).hexdigest()
        exam = None if self.exam is None else self.exam.sha256
        said = self.settings.model_dump(mode="json", exclude={"start", "checkpoint_every_steps"})
        key = key_of(
            settings=said,
            truth=self.truth.sha256,
            exam=exam,
            start=begun,
            device=self.device,
            code=CODE,
            of=models.VERSION,
        )
        return f"trainings/{key}"


def known(course: Course, store: Store) -> dict[str, Any] | None:
    """The metrics of this very training, if it has been gone through and its weights are whole."""
    try:
        metrics: dict[str, Any] = json.loads(store.read_bytes(f"{course.folder}/metrics.json"))
        data = store.read_bytes(f"{course.folder}/model.safetensors")
        return metrics if hashlib.sha256(data).hexdigest() == metrics["model_sha256"] else None
    except (Damaged, ValueError, KeyError):
        return None


def trained(course: Course, store: Store, told: Told) -> dict[str, Any]:
    """Go through the training, or through what is left of it, and write all that comes of it; its metrics.

    Raises BadInput if the start's weights are another model's, or the loss is no number any more.
    """
    with training.deterministic(course.settings.threads, course.device):
        trainer, progress = _begun(course, store)
        told(progress.step, "")
        pictures = training.Pictures(store.read_blob)
        _learnt(course, trainer, progress, pictures, store, told)
        return _written(course, trainer, progress, store)


def steps_of(course: Course) -> int:
    """Steps in all."""
    return core.steps_per_epoch(course.truth.images.num_rows, course.settings) * course.settings.epochs


def _begun(course: Course, store: Store) -> tuple[training.Trainer, Progress]:
    """The trainer where its newest intact checkpoint stands, or at the beginning."""
    settings = course.settings
    model = training.started(settings, course.start, core.seed_of(settings.seed, "weights"))
    is_frozen = settings.batch_norm == "frozen" or (settings.batch_norm == "auto" and course.start is not None)
    trainer = training.Trainer(model, settings, course.device, is_frozen=is_frozen)
    for data in checkpoints.intact(store, f"{course.folder}/checkpoints"):
        return trainer, Progress.model_validate(trainer.restore(data))
    return trainer, Progress()


def _learnt(
    course: Course, trainer: training.Trainer, progress: Progress, pictures: training.Pictures, store: Store, told: Told
) -> None:
    settings, lessons = course.settings, core.lessons(course.truth.images, course.truth.figures)
    per_epoch = core.steps_per_epoch(len(lessons), settings)
    total, last_s = per_epoch * settings.epochs, time.monotonic()
    every = max(1, total // _POINTS)

    def sample(epoch: int, place: int) -> training.Sample:
        return sample_of(lessons[place], settings, pictures, epoch)

    groups = _groups(lessons, settings, progress.step)
    for samples in training.ahead(sample, groups):
        step = progress.step
        rate = core.rate(settings, step, per_epoch)
        progress.add(trainer.step(samples, rate, core.seed_of(settings.seed, "step", step)))
        now_s = time.monotonic()
        progress.seconds, last_s = progress.seconds + now_s - last_s, now_s
        is_epoch = progress.step % per_epoch == 0
        if is_epoch or progress.step % every == 0:
            progress.close(rate)
        line = _examined(course, trainer, progress, pictures, per_epoch) if is_epoch else ""
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


def sample_of(lesson: core.Lesson, settings: TrainDetector, pictures: training.Pictures, epoch: int) -> training.Sample:
    """A lesson as this epoch sees it: reduced, crowds grey (they are neither figures nor background), altered by draws of its own."""
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
    return training.Sample(pixels, core.visible(boxes))


def _examined(
    course: Course, trainer: training.Trainer, progress: Progress, pictures: training.Pictures, per_epoch: int
) -> str:
    """A line on the epoch that has ended; its scores go into the progress where it is one to be evaluated."""
    epoch = progress.step // per_epoch
    line = f"epoch {epoch} of {course.settings.epochs}: loss {progress.mean('loss', progress.step - per_epoch):.3f}"
    is_due = epoch % course.settings.evaluate_every == 0 or epoch == course.settings.epochs
    if course.exam is None or not is_due:
        return line
    scores = scores_of(course.exam, course.settings, trainer, pictures)
    progress.scores.append({"epoch": epoch, "step": progress.step, **scores})
    progress.note({name: value for name in ("AP", "AP50", "AR100") if (value := scores[name]) is not None})
    return f"{line}, AP {scores['AP'] or 0:.3f}, AP50 {scores['AP50'] or 0:.3f}"


def scores_of(
    exam: Annotated, settings: TrainDetector, trainer: training.Trainer, pictures: training.Pictures
) -> dict[str, float | int | None]:
    """COCO's numbers of the model as it stands, see tasks/core/evaluate."""
    lessons = core.lessons(exam.images, exam.figures)
    sizes = [core.reduced_size(*one.size_px, settings.least_side_px, settings.most_side_px) for one in lessons]
    found: list[dict[str, Any]] = []
    for first in range(0, len(lessons), _EXAM_BATCH):
        some = list(zip(lessons, sizes, strict=True))[first : first + _EXAM_BATCH]
        answers = trainer.found([pictures.reduced(lesson.sha256, size) for lesson, size in some])
        for (lesson, size), (boxes, scores) in zip(some, answers, strict=True):
            found += core.results(lesson, boxes, scores, size)
    return evaluate.box_scores([(core.document(exam.images, exam.figures, settings.category), found)], AT_MOST)


def _written(course: Course, trainer: training.Trainer, progress: Progress, store: Store) -> dict[str, Any]:
    """The weights, the curves, and last the metrics."""
    settings, folder = course.settings, course.folder
    said = models.Told(settings.model, (settings.category,), settings.least_side_px, settings.most_side_px)
    model = models.saved(trainer.model, said)
    store.write_bytes(f"{folder}/model.safetensors", model)
    rows = pa.Table.from_pylist(progress.rows, schema=CURVES)
    store.write_bytes(f"{folder}/curves.parquet", parquet_bytes(rows))
    store.write_bytes(f"{folder}/curves.svg", curves.drawn(rows, settings.model).encode())
    metrics = {
        "model": settings.model, "category": settings.category, "device": course.device, "steps": progress.step,
        "settings": settings.model_dump(mode="json", exclude={"checkpoint_every_steps"}),
        "truth": course.truth.name, "truth_sha256": course.truth.sha256,
        "images": course.truth.images.num_rows, "figures": course.truth.figures.num_rows,
        "loss": progress.mean("loss", progress.step - progress.step // settings.epochs),
        "evaluated_on": course.exam.name if course.exam else None,
        "evaluations": progress.scores, "model_sha256": hashlib.sha256(model).hexdigest(),
    }  # fmt: skip
    store.write_bytes(f"{folder}/metrics.json", (json.dumps(metrics, indent=1) + "\n").encode())
    checkpoints.clear(store, f"{folder}/checkpoints")
    return metrics
