"""`bilderatlas evaluate sketches`, `classification` ...: protocols that read tables and arrays of other programs."""

import argparse
from typing import TYPE_CHECKING

from flows.cli.arguments import add_command, add_resampling, add_set

if TYPE_CHECKING:
    from flows.cli.arguments import Commands

_TABLE = ".parquet, .csv or .json"


def add(protocols: "Commands") -> None:
    """Add the protocols."""
    parser = add_command(
        protocols,
        "sketches",
        sketches,
        "how recognisable and how simple sketches are, and whether people agree (docs/evaluating/sketches.md)",
    )
    parser.add_argument("sketches", metavar="SKETCHES", help=f"a table with one row for each sketch ({_TABLE})")
    parser.add_argument("--poses", metavar="FILE", help="a table of keypoints in photos and sketches, for mOKS")
    parser.add_argument("--answers", metavar="FILE", help="a table of what people said")
    _add_named(parser, "--metric", "another metric and its table, compared with what people said")
    _add_common(parser, "photos")
    parser = add_command(
        protocols,
        "classification",
        classification,
        "how often classifiers are right, and what they take for what (docs/evaluating/classification.md)",
    )
    _add_named(parser, "--predictions", f"a classifier and its table of predictions ({_TABLE})")
    _add_common(parser, "images")


def _add_named(parser: argparse.ArgumentParser, option: str, text: str) -> None:
    parser.add_argument(option, action="append", default=[], metavar="NAME=FILE", help=f"{text}; may be repeated")


def _add_common(parser: argparse.ArgumentParser, units: str) -> None:
    parser.add_argument(
        "--by",
        action="append",
        default=[],
        metavar="COLUMN",
        help="also give every number for each value of this column; may be repeated",
    )
    add_set(parser, "FIELD=VALUE")
    parser.add_argument("--out", metavar="FOLDER", help="write the page, tables (Parquet) and charts (SVG) there")
    add_resampling(parser, units)


def sketches(arguments: argparse.Namespace) -> int:
    """Print the tables as Markdown."""
    from flows.evaluate.tables import evaluate_sketches

    print(
        evaluate_sketches.fn(
            arguments.sketches,
            arguments.poses,
            arguments.answers,
            arguments.metric,
            arguments.set,
            arguments.by,
            arguments.out,
            arguments.bootstrap,
            arguments.seed,
        )
    )
    return 0


def classification(arguments: argparse.Namespace) -> int:
    """Print the tables as Markdown."""
    from flows.evaluate.tables import evaluate_classification

    print(
        evaluate_classification.fn(
            arguments.predictions, arguments.set, arguments.by, arguments.out, arguments.bootstrap, arguments.seed
        )
    )
    return 0
