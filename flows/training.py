"""What a training is given, read from what a person says, and what is told at its end."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flows.settings import parse_change, set_field, settings_from_fields
from schemas.errors import BadInput
from schemas.phrases import quoted
from schemas.train import TrainDetector, TrainingData, TrainingTruth
from tasks.subjects.ground_truth import is_coco_file

if TYPE_CHECKING:
    from tasks.train import TrainingResult


def settings_of(model: str | None, changes: Sequence[str]) -> TrainDetector:
    """The default settings with changes, each field=VALUE (group.field for a group, VALUE is YAML). Raises BadInput."""
    fields: dict[str, Any] = {} if model is None else {"model": model}
    for change in changes:
        names, value = parse_change(change)
        if names == ["model"] and model not in (None, value):
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
    also: Sequence[str] = (),
) -> TrainingData:
    """The images to train and to evaluate on, with defaults for what the command leaves out. also: as `parse_truth`."""
    trained = TrainingTruth(truth, images, split or _default_split(truth))
    truths = (trained, *map(parse_truth, also))
    if evaluate_truth is None:
        if is_coco_file(truth) and evaluate_on is None:
            return TrainingData(truths, None)
        evaluate_truth, evaluate_images = truth, images
    if not is_coco_file(evaluate_truth):
        evaluate_on = evaluate_on or "val"
    return TrainingData(truths, TrainingTruth(evaluate_truth, evaluate_images, evaluate_on))


def parse_truth(text: str) -> TrainingTruth:
    """One `--also`: TRUTH[,images=FOLDER][,split=SPLIT]. Raises BadInput.

    >>> parse_truth("store/releases/popart/latest")
    TrainingTruth(truth='store/releases/popart/latest', images=None, split='train')
    >>> parse_truth("train.json,images=popart")
    TrainingTruth(truth='train.json', images='popart', split=None)
    """
    truth, *pairs = text.split(",")
    given: dict[str, str] = {}
    for pair in pairs:
        name, _, value = pair.partition("=")
        if name not in {"images", "split"} or name in given or not value:
            raise BadInput(f"--also: expected images=FOLDER or split=SPLIT after a comma, got {quoted(pair)}")
        given[name] = value
    if not truth:
        raise BadInput(f"--also: expected TRUTH[,images=FOLDER][,split=SPLIT], got {quoted(text)}")
    if "images" in given and not is_coco_file(truth):
        raise BadInput(f"--also: expected images=FOLDER with a COCO file only, got it with {quoted(truth)}")
    return TrainingTruth(truth, given.get("images"), given.get("split") or _default_split(truth))


def _default_split(truth: str) -> str | None:
    """`train` of a release; None, which is all images, of a COCO file."""
    return None if is_coco_file(truth) else "train"


def summary(result: "TrainingResult", where: str) -> str:
    """The lines to print at the end: notes that were not printed before, images and loss, scores, the weights' path."""
    metrics = result.metrics
    lines = [] if result.is_new else list(result.notes)
    lines.append(
        f"{'trained' if result.is_new else 'trained before'}: {metrics['model']}, {metrics['steps']} steps, "
        f"{metrics['images']} images, {metrics['figures']} figures, loss {metrics['loss']:.3f}"
    )
    lines += [
        f"of {share['name']}: {share['images']} images, {share['figures']} figures; {share['left_out']} images left out"
        for share in metrics.get("truths", ())
    ]
    for scores in metrics["evaluations"][-1:]:
        shown = {name: scores[name] for name in ("AP", "AP50", "AP75", "AR100")}
        values = ", ".join(f"{name} none" if value is None else f"{name} {value:.3f}" for name, value in shown.items())
        lines.append(f"on {metrics['evaluated_on']} ({scores['images']} images, {scores['figures']} figures): {values}")
    return "\n".join([*lines, f"weights: {where}"])
