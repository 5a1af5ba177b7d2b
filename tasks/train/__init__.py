"""train (measure): train a detector on annotated figures. A finished training is read from the store, not repeated."""

from typing import Any, NamedTuple

from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.errors import BadInput
from schemas.manifests import Context
from schemas.train import TrainDetector, TrainingData
from tasks.engine import retries, runs
from tasks.engine.progress import progress
from tasks.engine.truth import GroundTruth, load_ground_truth
from tasks.io.detectors.devices import choose_device
from tasks.io.files import inputs, outputs
from tasks.train import training_run

MAX_START_BYTES = 4 * 2**30


class TrainingResult(NamedTuple):
    """Metrics, the path of the weights in the store, notes to print, and whether it was trained just now."""

    metrics: dict[str, Any]
    weights: str
    notes: tuple[str, ...]
    is_new: bool


@task(task_run_name="train", cache_policy=NO_CACHE, **retries.NO_RETRY)
def train(settings: TrainDetector, data: TrainingData, context: Context) -> TrainingResult:
    """Train a detector, or return the stored result; an interrupted training goes on from its newest checkpoint.

    Raises BadInput if there is no figure to learn from, the start weights are another model's, there is no such device,
    or the loss is not finite.
    """
    store, device, start = runs.store_of(context), choose_device(context.device), _start(settings, context)
    truth = load_ground_truth(data.truth, data.images, context, category=settings.category, split=data.split)
    if not training_run.count_figures(truth):
        raise BadInput(f"{truth.name}: expected figures of '{settings.category}', got nothing but crowds")
    evaluation = None
    if data.evaluate_truth is not None:
        evaluation = load_ground_truth(
            data.evaluate_truth,
            data.evaluate_images,
            context,
            category=settings.category,
            split=data.evaluate_on,
        )
    run = training_run.TrainingRun(settings, truth, evaluation, start, device)
    metrics, notes = training_run.read_metrics(run, store), tuple(_notes(truth, evaluation))
    is_new = metrics is None
    if metrics is None:
        with progress("train", training_run.count_steps(run)) as report:
            for note in notes:
                report(0, note)
            metrics = training_run.run_training(run, store, report)
    return TrainingResult(metrics, f"{run.folder}/model.safetensors", notes, is_new)


def check_out(path: str) -> None:
    """Raise BadInput if `write_out` could not write this file; its folder is made if need be."""
    outputs.check_writable("--out", path)


def write_out(path: str, result: TrainingResult, context: Context) -> None:
    """Write the weights of a training to a file, whole or not at all. Raises BadInput if it can't be written."""
    outputs.write_file("--out", path, runs.store_of(context).read_bytes(result.weights))


def _start(settings: TrainDetector, context: Context) -> bytes | None:
    if settings.start is None:
        return None
    if settings.start not in context.bindings:
        raise BadInput(f"binding '{settings.start}': expected --bind {settings.start}=FILE, got none")
    return inputs.read(f"binding '{settings.start}'", context.bindings[settings.start], MAX_START_BYTES)


def _notes(truth: GroundTruth, evaluation: GroundTruth | None) -> list[str]:
    """Sentences on what was left out, and on images that are both learnt from and evaluated on."""
    sources = [truth] if evaluation is None else [truth, evaluation]
    notes = [f"{source.name}: {note}" for source in sources for note in source.notes]
    if evaluation is not None:
        both = len({*truth.images["sha256"].to_pylist()} & {*evaluation.images["sha256"].to_pylist()})
        notes += [f"{both} images are used for training and for evaluation: the scores are too high"] if both else []
    return notes
