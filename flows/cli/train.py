"""`bilderatlas train detector`: how it is typed."""

import argparse
from importlib.util import find_spec
from typing import Any

from schemas.errors import BadInput


def add_train(commands: Any) -> None:
    """Add the command to the parser's commands."""
    one = commands.add_parser("train", help="train a detector on what people drew").add_subparsers(
        required=True, metavar="WHAT"
    )
    text = "Train a torchvision detector on a release or a COCO file, by PoPArt's recipe unless told otherwise."
    detector = one.add_parser("detector", help=text, description=text)
    detector.add_argument("truth", help="folder or URL of a release (or its `latest`), or a COCO file")
    detector.add_argument("--images", metavar="FOLDER", help="where the COCO file's images lie (default: beside it)")
    detector.add_argument("--model", metavar="NAME", help="a detector of torchvision, or fcos_small")
    detector.add_argument("--split", metavar="SPLIT", help="learn from this split (default: train; a COCO file: all)")
    detector.add_argument("--evaluate-on", metavar="SPLIT", help="examine on this split (default: val of a release)")
    detector.add_argument("--evaluate-truth", metavar="TRUTH", help="examine on another release or COCO file")
    detector.add_argument("--evaluate-images", metavar="FOLDER", help="where that COCO file's images lie")
    detector.add_argument("--store", default="./store", help="folder or fsspec URL (default: %(default)s)")
    detector.add_argument(
        "--bind", action="append", default=[], metavar="NAME=FILE", help="such as the weights to start from: start=FILE"
    )
    detector.add_argument(
        "--set", action="append", default=[], metavar="FIELD=VALUE", help="a setting other than PoPArt's"
    )
    detector.add_argument(
        "--device",
        default="auto",
        metavar="DEVICE",
        help="what it learns on: auto (a GPU where there is one), cpu, cuda, cuda:1 ... (default: %(default)s)",
    )
    detector.add_argument("--out", metavar="FILE.safetensors", help="also write the weights here")
    detector.set_defaults(command=_train_detector)


def _train_detector(arguments: argparse.Namespace) -> int:
    if find_spec("torchvision") is None:
        raise BadInput("train: expected torch and torchvision, got none; install bilderatlas[torch]")
    from flows import server
    from flows.recipes import bindings_from_pairs
    from flows.train import train_detector

    bound = bindings_from_pairs(arguments.bind)
    changes = [*([f"start={name}" for name in ("start",) if name in bound]), *arguments.set]
    server.start()
    train_detector(
        arguments.truth,
        arguments.images,
        arguments.model,
        arguments.split,
        arguments.evaluate_truth,
        arguments.evaluate_images,
        arguments.evaluate_on,
        arguments.store,
        bound,
        changes,
        arguments.device,
        arguments.out,
    )
    return 0
