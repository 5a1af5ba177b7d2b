"""`bilderatlas evaluate ...`: its options, and what they start."""

import argparse
import os
from typing import Any

from flows.cli.arguments import positive, whole


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to those of the program."""
    one = commands.add_parser("evaluate", help="compute the papers' measures: compare detectors with what people drew")
    protocols = one.add_subparsers(required=True, metavar="PROTOCOL")
    _add_detector(protocols.add_parser("detector", help="COCO AP and AR of detectors, overall and by style"))


def _add_detector(one: argparse.ArgumentParser) -> None:
    one.description = (
        "Compare detectors on images that people have annotated. docs/evaluating.md says what each number means."
    )
    one.add_argument("truth", help="a release (folder, URL or its name's `latest`), or a COCO JSON file")
    one.add_argument(
        "--images", metavar="FOLDER", help="folder with the images of a COCO file (default: the folder of the file)"
    )
    one.add_argument("--split", metavar="SPLIT", help="use only images of this split")
    one.add_argument(
        "--detector",
        action="append",
        default=[],
        metavar="NAME=MODEL[:FILE][,SETTING=VALUE...]",
        help="a detector and its weights, such as nano=yolox:yolox_nano.onnx or dalal=hog",
    )
    one.add_argument(
        "--results",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="detections of another program: a COCO results file with the truth's image ids",
    )
    one.add_argument(
        "--release-detections", action="store_true", help="also compare the detections that are stored in the release"
    )
    one.add_argument("--category", default="person", help="only boxes of this category count (default: %(default)s)")
    one.add_argument("--by", choices=["style"], help="compute every number for each style, too")
    one.add_argument("--store", default="./store", help="folder or fsspec URL (default: %(default)s)")
    one.add_argument(
        "--out", metavar="FOLDER", help="write tables (Markdown, Parquet) and charts (SVG) into this folder"
    )
    one.add_argument(
        "--device",
        default="auto",
        metavar="NAME",
        help="where detectors run: auto, cpu, cuda, cuda:1 (default: %(default)s)",
    )
    one.add_argument(
        "--score",
        type=float,
        default=0.5,
        metavar="P",
        help="an image is kept if it has a box with at least this score (default: %(default)s)",
    )
    one.add_argument(
        "--bootstrap",
        type=whole,
        default=1000,
        metavar="N",
        help="number of resamples for the 95 %% intervals; 0 for none (default: %(default)s)",
    )
    one.add_argument("--seed", type=whole, default=0, metavar="N", help="seed of the resamples (default: %(default)s)")
    one.add_argument(
        "--workers",
        type=positive,
        default=os.cpu_count() or 2,
        metavar="N",
        help="how many parts run at the same time (default: %(default)s)",
    )
    one.set_defaults(command=_detector)


def _detector(arguments: argparse.Namespace) -> int:
    from flows import server
    from flows.detector_options import parse_requests
    from flows.evaluate import evaluate_detector

    # before a server is started
    parse_requests(arguments.detector, arguments.results, with_release=arguments.release_detections)
    options: dict[str, Any] = {
        name: value for name, value in vars(arguments).items() if name not in {"command", "detector"}
    }
    server.start()
    print(evaluate_detector(detectors=arguments.detector, **options))  # noqa: T201
    return 0
