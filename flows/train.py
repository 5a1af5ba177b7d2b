"""Train a detector: from annotated images to a file of weights for `detect`."""

import os
import time
import uuid
from importlib.util import find_spec
from typing import Annotated, Any

from flows.parameters import Changes, Device, Folder, Option, Split, Store, Truth
from schemas.errors import BadInput
from schemas.phrases import error_line


def train_detector(
    truth: Truth,
    images: Folder | None = None,
    model: Annotated[str, Option("NAME")] | None = None,
    split: Split | None = None,
    also: Annotated[list[str], Option("TRUTH[,images=FOLDER][,split=SPLIT]")] | None = None,
    evaluate_truth: Annotated[str, Option("TRUTH")] | None = None,
    evaluate_images: Folder | None = None,
    evaluate_on: Split | None = None,
    store: Store = "./store",
    bind: Annotated[dict[str, str], Option("NAME=FILE")] | None = None,
    changes: Changes | None = None,
    device: Device = "auto",
    out: Annotated[str, Option("FILE.safetensors")] | None = None,
) -> dict[str, Any]:
    """Train a torchvision detector on what people drew, or go on with an interrupted training, and return its metrics.
    The settings are PoPArt's unless you change them.

    Args:
        truth: A release, or a COCO file.
        images: Folder of a COCO file's images; by default the file's own folder.
        model: A detector of torchvision by its name, or fcos_small.
        split: Train on this split; by default train of a release, all images of a COCO file.
        also: Further truths to train on, each as TRUTH[,images=FOLDER][,split=SPLIT], with the defaults of `truth`.
        evaluate_truth: A release or a COCO file to evaluate on; by default `truth`.
        evaluate_images: Folder of the images of `evaluate_truth`.
        evaluate_on: Evaluate on this split; by default val of a release. Without it a COCO file is not evaluated on.
        store: Folder or fsspec URL for checkpoints, curves and the result.
        bind: Files that the settings name; start=FILE gives the weights to start from.
        changes: Settings that differ from the defaults, as field=VALUE.
        device: What the training runs on: auto (a GPU if there is one), cpu, cuda, cuda:1 ...
        out: Also write the weights to this file.

    """
    check_libraries()
    from flows.training import settings_of, summary, training_data
    from schemas.manifests import Context
    from tasks.engine import runs
    from tasks.orchestration import flow_runs
    from tasks.train import check_out, train, write_out

    def work() -> dict[str, Any]:
        start = ["start=start"] if "start" in (bind or {}) else []
        settings = settings_of(model, [*start, *(changes or ())])
        flow_runs.rename_run(f"train · {settings.model}")
        data = training_data(truth, images, split, evaluate_truth, evaluate_images, evaluate_on, also or ())
        run, now, cores = uuid.uuid4().hex, time.time(), os.cpu_count() or 1
        context = Context(store=store, bindings=bind or {}, workers=cores, device=device, run=run, began_s=now)
        runs.check_store(context)
        if out is not None:
            check_out(out)  # now, not after hours of training
        try:
            with runs.at_work(context, "training"):
                result = train(settings, data, context)
                if out is not None:
                    write_out(out, result, context)
        except (OSError, MemoryError) as problem:  # such as a full disk or a network share that is gone
            got = f"'{error_line(problem) if str(problem) else 'too little memory'}'"
            advice = "the same command continues from the last checkpoint"
            raise BadInput(f"training: expected to finish, got {got}; {advice}") from problem
        print(summary(result, out or f"{store}/{result.weights}"))  # noqa: T201 - the result of the command
        return flow_runs.completed_run(result.metrics, f"weights: {out or result.weights}")

    return flow_runs.end_in_a_sentence(work)


def check_libraries() -> None:
    """Raise BadInput where the libraries that train are not installed: a deployment of all flows need not have them."""
    if find_spec("torchvision") is None:
        raise BadInput("train: expected torch and torchvision, got none; install bilderatlas[torch]")
