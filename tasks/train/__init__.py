"""train (measure): train a detector on annotated figures. A finished training is read from the store, not repeated."""

import json
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.errors import BadInput
from schemas.manifests import Context
from schemas.phrases import quoted
from schemas.split import HELD_OUT
from schemas.train import TrainDetector, TrainingData, TrainingTruth
from tasks.core.coco.ids import count_with_examples
from tasks.core.train import several_truths as core
from tasks.engine import runs
from tasks.engine.cache_keys import cache_key
from tasks.io.detectors.devices import choose_device
from tasks.io.files import inputs, outputs
from tasks.io.store import layout
from tasks.orchestration import retries
from tasks.orchestration.progress import progress
from tasks.subjects.ground_truth import GroundTruth, digest_of_tables
from tasks.subjects.truth import Chosen, blobs_of_splits, load_ground_truth
from tasks.train import training_run

MAX_START_BYTES = 4 * 2**30
_HELD_OUT = frozenset({"val", "test", HELD_OUT})


class TrainingResult(NamedTuple):
    """Metrics (in "truths", what each of several truths gave), the path of the weights in the store, notes to print."""

    metrics: dict[str, Any]
    weights: str
    notes: tuple[str, ...]
    is_new: bool


class TruthShare(NamedTuple):
    """What one of several truths gives: images and figures (crowds apart) that are trained on, images held out."""

    name: str
    sha256: str
    images: int
    figures: int
    left_out: int


class JoinedTruth(NamedTuple):
    """Truths to train on as one. shares: what each gives, by name; empty if there is but one. notes: on all of them."""

    truth: GroundTruth
    shares: tuple[TruthShare, ...]
    notes: tuple[str, ...]


@task(task_run_name="train", cache_policy=NO_CACHE, **retries.NO_RETRY)
def train(settings: TrainDetector, data: TrainingData, context: Context) -> TrainingResult:
    """Train a detector, go on from its newest checkpoint, or return the stored result. Raises BadInput."""
    store, device, start = runs.store_of(context), choose_device(context.device), None
    if settings.start is not None:
        if settings.start not in context.bindings:
            raise BadInput(f"binding '{settings.start}': expected --bind {settings.start}=VALUE, got none")
        start = inputs.read(f"binding '{settings.start}'", context.bindings[settings.start], MAX_START_BYTES)
    joined, evaluation = _load_truths(settings.category, data, context)
    run = training_run.TrainingRun(settings, joined.truth, evaluation, start, device)
    metrics, sources = training_run.read_metrics(run, store), [joined.truth, *([evaluation] if evaluation else [])]
    notes = (*joined.notes, *(f"{source.name}: {note}" for source in sources for note in source.notes))
    if both := core.count_shared(source.images for source in sources):
        notes = (*notes, f"{both} images are used for training and for evaluation: the scores are too high")
    shares = [share._asdict() for share in joined.shares]
    if is_new := metrics is None:
        if shares:
            text = json.dumps(shares, indent=1) + "\n"
            store.write_bytes(f"{run.folder}/{layout.TRAINING_TRUTHS}", text.encode())
        with progress("train", training_run.count_steps(run)) as report:
            for note in notes:
                report(0, note)
            metrics = training_run.run_training(run, store, report)
    if shares:
        metrics = {**metrics, "truths": shares}
    return TrainingResult(metrics, f"{run.folder}/model.safetensors", notes, is_new)


def check_out(path: str) -> None:
    """Raise BadInput if `write_out` could not write this file; its folder is made if need be."""
    outputs.check_writable("--out", path)


def write_out(path: str, result: TrainingResult, context: Context) -> None:
    """Write the weights of a training to a file, whole or not at all. Raises BadInput if it can't be written."""
    outputs.write_file("--out", path, runs.store_of(context).read_bytes(result.weights))


def _load_truths(category: str, data: TrainingData, context: Context) -> tuple[JoinedTruth, GroundTruth | None]:
    """What is trained on, and what is evaluated on. A single truth is as it is: nothing of it is held out."""

    def load(one: TrainingTruth) -> GroundTruth:
        return load_ground_truth(one.truth, one.images, context, Chosen((category,), one.split))

    truths = [load(one) for one in data.truths]
    for truth in truths:
        if not training_run.count_figures(truth):
            raise BadInput(f"{truth.name}: expected figures of {quoted(category)}, got nothing but crowds")
    evaluation = None if data.evaluation is None else load(data.evaluation)
    if len(truths) == 1:
        return JoinedTruth(truths[0], (), ()), evaluation
    held_out = held_out_blobs(data, evaluation, category, context)
    named = name_apart(truths, [one.truth for one in data.truths])
    return join_truths(named, held_out), evaluation


def held_out_blobs(data: TrainingData, evaluation: GroundTruth | None, category: str, context: Context) -> set[str]:
    """SHA-256 of images to evaluate on, and in `val`, `test` or that split of a truth that does not train on these."""
    blobs = set() if evaluation is None else {*evaluation.images["sha256"].to_pylist()}
    names = _HELD_OUT | ({data.evaluation.split} if data.evaluation and data.evaluation.split else set())
    for truth, folder in dict.fromkeys((one.truth, one.images) for one in data.truths):
        trained = {one.split for one in data.truths if one.truth == truth}
        if None not in trained:
            splits = names - {split for split in trained if split}
            blobs |= blobs_of_splits(truth, folder, context, category=category, splits=splits)
    return blobs


def name_apart(truths: Sequence[GroundTruth], places: Sequence[str]) -> list[GroundTruth]:
    """The truths, those with one name (two files `train.json`) also named by the folder of their place, path or URL."""
    counts = Counter(truth.name for truth in truths)
    folders = [PurePosixPath(place).parent.name for place in places]
    return [
        truth._replace(name=f"{folder}/{truth.name}") if folder and counts[truth.name] > 1 else truth
        for truth, folder in zip(truths, folders, strict=True)
    ]


def join_truths(truths: Sequence[GroundTruth], held_out: Collection[str]) -> JoinedTruth:
    """The truths as one, without images held out. Raises BadInput for equal ones, and where no image or box is left."""
    tables: dict[str, core.Tables] = {}
    notes: list[str] = []
    shares: list[TruthShare] = []
    for truth in sorted(truths, key=lambda truth: (truth.name, truth.sha256)):
        if truth.sha256 in tables:
            raise BadInput(f"--also: expected each truth once, got the images and figures of {truth.name} twice")
        images, left_out = core.separate_images(truth.images, held_out)
        reasons = truth.notes
        if left_out.num_rows:
            those = count_with_examples(left_out["image_id"].to_pylist(), "image")
            reasons = (*reasons, f"left out, as they are held out for evaluation: {those}")
        if not images.num_rows:
            raise BadInput(f"{truth.name}: expected images to train on, got none ({'; '.join(reasons)})")
        figures = core.figures_in(images, truth.figures)
        tables[truth.sha256] = (images, figures)
        notes += [f"{truth.name}: {reason}" for reason in reasons]
        count = figures["is_crowd"].to_pylist().count(False)
        shares.append(TruthShare(truth.name, truth.sha256, images.num_rows, count, left_out.num_rows))
    name = " + ".join(share.name for share in shares)
    if not any(share.figures for share in shares):
        raise BadInput(f"{name}: expected figures to train on, got none in the images that are not held out")
    if shared := core.count_shared(images for images, _ in tables.values()):
        notes.append(f"images that several truths have, trained on with the figures of each: {shared}")
    images, figures = core.join_truths(tables)
    digest = cache_key(truths=sorted(tables), joined=digest_of_tables(images, figures))
    return JoinedTruth(GroundTruth(name, images, figures, digest), tuple(shares), tuple(notes))
