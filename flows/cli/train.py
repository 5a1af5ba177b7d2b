"""`bilderatlas train ...`: a detector trained on what people drew."""

import argparse
from importlib.util import find_spec
from typing import TYPE_CHECKING

from flows.cli.arguments import add_bind, add_command, add_device, add_group, add_set, add_store
from schemas.errors import BadInput

if TYPE_CHECKING:
    from flows.cli.arguments import Commands


def add(commands: "Commands") -> None:
    """Add the command and what it can train."""
    kinds = add_group(commands, "train", "train a detector on what people drew", "WHAT")
    _add_detector(
        add_command(
            kinds,
            "detector",
            train_detector,
            "train a torchvision detector on a release or a COCO file, with PoPArt's settings unless you change them",
        )
    )


def _add_detector(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("truth", metavar="TRUTH", help="a release (folder, URL or `latest`), or a COCO JSON file")
    parser.add_argument("--images", metavar="FOLDER", help="folder of a COCO file's images (default: the file's own)")
    parser.add_argument("--model", metavar="NAME", help="a detector of torchvision by its name, or fcos_small")
    parser.add_argument("--split", metavar="SPLIT", help="train on this split (default: train; of a COCO file: all)")
    parser.add_argument(
        "--also",
        action="append",
        default=[],
        metavar="TRUTH[,images=FOLDER][,split=SPLIT]",
        help="also train on this release or COCO file, but on no image held out for evaluation; may be repeated",
    )
    parser.add_argument("--evaluate-on", metavar="SPLIT", help="evaluate on this split (default: val of a release)")
    parser.add_argument("--evaluate-truth", metavar="TRUTH", help="evaluate on another release or COCO file")
    parser.add_argument("--evaluate-images", metavar="FOLDER", help="folder of that COCO file's images")
    add_store(parser)
    add_bind(parser, "a file that the settings name; start=FILE gives the weights to start from", "NAME=FILE")
    add_set(parser, "FIELD=VALUE")
    add_device(parser, "what it trains on")
    parser.add_argument("--out", metavar="FILE.safetensors", help="also write the trained weights to this file")


def train_detector(arguments: argparse.Namespace) -> int:
    """Train; the flow prints the scores and where the weights are."""
    if find_spec("torchvision") is None:
        raise BadInput("train: expected torch and torchvision, got none; install bilderatlas[torch]")
    from flows.recipes import bindings_from_pairs
    from flows.runner import start_server
    from flows.train import train_detector

    bindings = bindings_from_pairs(arguments.bind)
    start = ["start=start"] if "start" in bindings else []
    start_server()
    train_detector(
        arguments.truth,
        arguments.images,
        arguments.model,
        arguments.split,
        arguments.also,
        arguments.evaluate_truth,
        arguments.evaluate_images,
        arguments.evaluate_on,
        arguments.store,
        bindings,
        [*start, *arguments.set],
        arguments.device,
        arguments.out,
    )
    return 0
