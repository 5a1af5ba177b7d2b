"""train (measure): a detector learns from figures that people drew.

A training that was gone through is shown, not repeated.
"""

from typing import Any, NamedTuple

from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.errors import BadInput
from schemas.manifests import Context
from schemas.train import Lessons, TrainDetector
from tasks.engine import runs
from tasks.engine.progress import progress
from tasks.engine.truth import GroundTruth, load_ground_truth
from tasks.io.detectors.devices import chosen
from tasks.io.files import inputs
from tasks.train import course as training

MAX_START_BYTES = 4 * 2**30


class Trained(NamedTuple):
    """Metrics, where the weights lie below the store, and what a person should know."""

    metrics: dict[str, Any]
    weights: str
    notes: tuple[str, ...]
    is_new: bool


@task(cache_policy=NO_CACHE, **runs.NO_RETRY)
def train(settings: TrainDetector, lessons: Lessons, context: Context) -> Trained:
    """Go through a training, or show what came of it; what is interrupted goes on from its newest checkpoint.

    Raises BadInput where there is nothing to learn from, the weights to start from are another model's, there is no
    such device, or the loss is no number any more.
    """
    store, device, start = runs.store_of(context), chosen(context.device), _start(settings, context)
    truth = load_ground_truth(lessons.truth, lessons.folder, context, category=settings.category, split=lessons.split)
    if not training.figures_of(truth):
        raise BadInput(f"{truth.name}: expected figures of '{settings.category}', got nothing but crowds")
    exam = None
    if lessons.exam is not None:
        exam = load_ground_truth(
            lessons.exam, lessons.exam_folder, context, category=settings.category, split=lessons.exam_split
        )
    course = training.Course(settings, truth, exam, start, device)
    metrics, notes = training.known(course, store), tuple(_notes(truth, exam))
    is_new = metrics is None
    if metrics is None:
        with progress("train", training.steps_of(course)) as told:
            for note in notes:
                told(0, note)
            metrics = training.trained(course, store, told)
    return Trained(metrics, f"{course.folder}/model.safetensors", notes, is_new)


def bytes_of(weights: str, context: Context) -> bytes:
    """The file of weights that a training has left. Raises DamagedFile if it is gone."""
    return runs.store_of(context).read_bytes(weights)


def _start(settings: TrainDetector, context: Context) -> bytes | None:
    if settings.start is None:
        return None
    if settings.start not in context.bindings:
        raise BadInput(f"binding '{settings.start}': expected --bind {settings.start}=FILE, got none")
    return inputs.read(f"binding '{settings.start}'", context.bindings[settings.start], MAX_START_BYTES)


def _notes(truth: GroundTruth, exam: GroundTruth | None) -> list[str]:
    """Sentences on what was left out, and on images that are learnt from and examined."""
    notes = [f"{found.name}: {note}" for found in (truth, exam) if found is not None for note in found.notes]
    if exam is not None:
        both = len({*truth.images["sha256"].to_pylist()} & {*exam.images["sha256"].to_pylist()})
        notes += [f"{both} images are in what is learnt from and in the exam: its scores flatter"] if both else []
    return notes
