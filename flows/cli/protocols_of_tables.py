"""`bilderatlas evaluate raters`, `recognition` ...: protocols that read tables and arrays of other programs."""

import argparse
from typing import TYPE_CHECKING

from flows.cli.arguments import Command, add_categories, add_command, add_device, add_resampling, add_set, add_workers

if TYPE_CHECKING:
    from flows.cli.arguments import Commands

_TABLE = ".parquet, .csv, .tsv or .json"
_VECTORS = ".npy, .npz with one array, or a table with a column `vector`"


def add(protocols: "Commands") -> None:
    """Add the protocols."""
    summary = "people's boxes and ratings, each against the consensus of the others"
    _add_raters(_add(protocols, "raters", raters, summary))
    summary = "pose estimators by COCO's average precision of keypoints"
    _add_keypoints(_add(protocols, "keypoints", keypoints, summary))
    summary = "how photographs of artworks are recognised among a museum's exhibits"
    _add_recognition(_add(protocols, "recognition", recognition, summary))
    summary = "how recognisable and simple sketches are, and whether people agree"
    _add_sketches(_add(protocols, "sketches", sketches, summary))
    summary = "the images of generators against a reference set"
    _add_generation(_add(protocols, "generation", generation, summary))
    summary = "how often classifiers are right, and what they take for what"
    _add_classification(_add(protocols, "classification", classification, summary))


def _add(protocols: "Commands", name: str, command: Command, summary: str) -> argparse.ArgumentParser:
    return add_command(protocols, name, command, f"{summary} (docs/evaluating/{name}.md)")


def _add_raters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ratings", metavar="RATINGS", help=f"a table with one row for each box of a rater ({_TABLE})")
    parser.add_argument(
        "--pictures", metavar="FILE", help="a table of each image: image, file_name, width_px, height_px"
    )
    parser.add_argument("--images", metavar="FOLDER", help="the images, for a page of where raters differ most")
    parser.add_argument("--category", default="person", help="what the figures of the COCO file are (%(default)s)")
    parser.add_argument("--scheme", default="coco-17", metavar="NAME", help="scheme of the keypoints (%(default)s)")
    _add_common(parser, "images", has_groups=False)


def _add_keypoints(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("truth", metavar="TRUTH", help="a release (folder, URL or `latest`), or a COCO JSON file")
    _add_named(parser, "--results", "a pose estimator and its poses in COCO's results format")
    parser.add_argument("--split", metavar="SPLIT", help="use only images of this split")
    add_categories(parser)
    _add_common(parser, "images", has_groups=False)


def _add_recognition(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--gallery", required=True, metavar="FILE", help=f"a table of exhibits: id, class ({_TABLE})")
    parser.add_argument("--test", required=True, metavar="FILE", help="a table of the queries: id, class")
    parser.add_argument("--val", metavar="FILE", help="a table of the queries by which k and tau are chosen")
    text = f"a system's vectors, in the order of the tables ({_VECTORS})"
    _add_named(parser, "--system", text, "NAME=GALLERY,VAL,TEST")
    _add_named(parser, "--predictions", "another system's table of what it says: id, prediction, confidence")
    _add_common(parser, "queries")
    add_workers(parser)
    add_device(parser, "where vectors are multiplied")


def _add_sketches(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sketches", metavar="SKETCHES", help=f"a table with one row for each sketch ({_TABLE})")
    parser.add_argument("--poses", metavar="FILE", help="a table of keypoints in photos and sketches, for mOKS")
    parser.add_argument("--answers", metavar="FILE", help="a table of what people said")
    _add_named(parser, "--metric", "another metric and its table, compared with what people said")
    _add_common(parser, "photos")


def _add_generation(parser: argparse.ArgumentParser) -> None:
    text = f"a generator's samples: their features ({_VECTORS}), and manifold, probabilities, training, table, images"
    _add_named(parser, "--system", text, "NAME=FEATURES[,KIND=FILE...]")
    for option, text in (
        ("--reference", "features of the reference set, and manifold, table"),
        ("--training", "features of the training images, for those nearest to each sample, and table, images"),
    ):
        parser.add_argument(option, metavar="FEATURES[,KIND=FILE...]", help=text)
    _add_common(parser, "samples", has_groups=False)


def _add_classification(parser: argparse.ArgumentParser) -> None:
    _add_named(parser, "--predictions", f"a classifier and its table of predictions ({_TABLE})")
    _add_common(parser, "images")


def _add_named(parser: argparse.ArgumentParser, option: str, text: str, metavar: str = "NAME=FILE") -> None:
    parser.add_argument(option, action="append", default=[], metavar=metavar, help=f"{text}; may be repeated")


def _add_common(parser: argparse.ArgumentParser, units: str, *, has_groups: bool = True) -> None:
    if has_groups:
        parser.add_argument(
            "--by",
            action="append",
            default=[],
            metavar="COLUMN",
            help="also give every number for each value of this column; may be repeated",
        )
    add_set(parser, "FIELD=VALUE")
    _add_out(parser)
    add_resampling(parser, units)


def _add_out(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar="FOLDER", help="write the page, tables (Parquet) and charts (SVG) there")


def raters(given: argparse.Namespace) -> int:
    """Print the tables as Markdown."""
    from flows.evaluate.raters import evaluate_raters

    files = (given.ratings, given.pictures, given.images)
    options = (given.category, given.scheme, given.set, given.out, given.bootstrap, given.seed)
    print(evaluate_raters.fn(*files, *options))
    return 0


def keypoints(given: argparse.Namespace) -> int:
    """Print the tables as Markdown."""
    from flows.evaluate.keypoints import evaluate_keypoints

    options = (given.category, given.split, given.by, given.set, given.out, given.bootstrap, given.seed)
    print(evaluate_keypoints.fn(given.truth, given.results, *options))
    return 0


def recognition(given: argparse.Namespace) -> int:
    """Print the tables as Markdown."""
    from flows.evaluate.recognition import evaluate_recognition

    options = (given.val, given.set, given.by, given.out, given.bootstrap, given.seed, given.workers, given.device)
    print(evaluate_recognition.fn(given.gallery, given.test, given.system, given.predictions, *options))
    return 0


def sketches(given: argparse.Namespace) -> int:
    """Print the tables as Markdown."""
    from flows.evaluate.sketches import evaluate_sketches

    options = (given.metric, given.set, given.by, given.out, given.bootstrap, given.seed)
    print(evaluate_sketches.fn(given.sketches, given.poses, given.answers, *options))
    return 0


def generation(given: argparse.Namespace) -> int:
    """Print the tables as Markdown."""
    from flows.evaluate.generation import evaluate_generation

    options = (given.set, given.out, given.bootstrap, given.seed)
    print(evaluate_generation.fn(given.system, given.reference, given.training, *options))
    return 0


def classification(given: argparse.Namespace) -> int:
    """Print the tables as Markdown."""
    from flows.evaluate.classification import evaluate_classification

    print(evaluate_classification.fn(given.predictions, given.set, given.by, given.out, given.bootstrap, given.seed))
    return 0
