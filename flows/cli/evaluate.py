"""`bilderatlas evaluate ...`: the papers' measures; here, detectors compared with what people drew."""

import argparse
import contextlib
from typing import TYPE_CHECKING

from flows.cli import protocols_of_tables
from flows.cli.arguments import (
    add_categories,
    add_command,
    add_device,
    add_group,
    add_resampling,
    add_store,
    add_workers,
    number,
)

if TYPE_CHECKING:
    from flows.cli.arguments import Commands


def add(commands: "Commands") -> None:
    """Add the command and its protocols."""
    protocols = add_group(commands, "evaluate", "measure detectors, sketches ... as the papers do", "PROTOCOL")
    _add_detector(
        add_command(
            protocols,
            "detector",
            evaluate_detector,
            "COCO AP and AR of detectors on images that people annotated, overall and by style (docs/evaluating.md)",
        )
    )
    protocols_of_tables.add(protocols)


def _add_detector(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("truth", metavar="TRUTH", help="a release (folder, URL or `latest`), or a COCO JSON file")
    parser.add_argument("--images", metavar="FOLDER", help="folder of a COCO file's images (default: the file's own)")
    parser.add_argument("--split", metavar="SPLIT", help="use only images of this split")
    parser.add_argument(
        "--detector",
        action="append",
        default=[],
        metavar="NAME=MODEL[:FILE][,SETTING=VALUE...]",
        help="a detector and its weights, such as nano=yolox:yolox_nano.onnx or dalal=hog; may be repeated",
    )
    parser.add_argument(
        "--results",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="detections of another program as COCO results, with the truth's image ids; may be repeated",
    )
    parser.add_argument(
        "--release-detections", action="store_true", help="also compare the detections stored in the release"
    )
    add_categories(parser)
    parser.add_argument(
        "--protocol",
        choices=["coco", "voc"],
        default="coco",
        help="coco: AP over ten IoUs, by size; voc: AP at IoU 0.5 by PASCAL VOC's rule, best F, full-frame baseline "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--ratings", metavar="FILE", help="for voc: a table with image_id and rating, 1 (lifelike) to 5 (not at all)"
    )
    parser.add_argument(
        "--people", metavar="FILE", help="for voc: a table of raters' boxes, a dot for each of whom is in the plot"
    )
    parser.add_argument(
        "--far-corner",
        choices=["x+w-1", "x+w"],
        help="for voc: the x_max of a box, its last pixel or the edge after it (default: x+w-1)",
    )
    parser.add_argument(
        "--iou", type=number, metavar="IOU", help="for voc: the overlap from which on a box is right (default: 0.5)"
    )
    add_store(parser)
    parser.add_argument("--out", metavar="FOLDER", help="write tables (Markdown, Parquet) and drawings (SVG) there")
    add_device(parser, "what detectors run on")
    parser.add_argument(
        "--score",
        type=number,
        metavar="P",
        help="for coco: score from which a box means that the image has a figure (default: 0.5)",
    )
    add_resampling(parser, "images")
    add_workers(parser)


def evaluate_detector(arguments: argparse.Namespace) -> int:
    """Print the tables as Markdown. What was typed is checked before a server is started."""
    from flows.detector_options import parse_requests
    from flows.evaluate.detector import evaluate_detector, refuse_options_of_others
    from flows.runner import cluster_address, shared_server

    parse_requests(arguments.detector, arguments.results, with_release=arguments.release_detections)
    of_voc = {name: getattr(arguments, name) for name in ("ratings", "people", "far_corner", "iou")}
    refuse_options_of_others(arguments.protocol, voc=of_voc, coco={"score": arguments.score})
    is_run = bool(arguments.detector)  # without a detector that runs nothing is stored, and no server is needed
    with shared_server(cluster_address()) if is_run else contextlib.nullcontext():
        tables = (evaluate_detector if is_run else evaluate_detector.fn)(
            arguments.truth,
            images=arguments.images,
            split=arguments.split,
            detectors=arguments.detector,
            results=arguments.results,
            release_detections=arguments.release_detections,
            categories=arguments.category,
            by=arguments.by,
            store=arguments.store,
            out=arguments.out,
            score=arguments.score,
            bootstrap=arguments.bootstrap,
            seed=arguments.seed,
            workers=arguments.workers,
            device=arguments.device,
            protocol=arguments.protocol,
            ratings=arguments.ratings,
            people=arguments.people,
            far_corner=arguments.far_corner,
            iou=arguments.iou,
        )
    print(tables)
    return 0
