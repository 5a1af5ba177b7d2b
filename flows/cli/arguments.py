"""What the commands' parsers share: how a command is added, and the arguments that several commands take."""

import argparse
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from schemas.phrases import quoted

if TYPE_CHECKING:
    # the class is private to argparse, and takes a type only where types are checked
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_MOST_RESAMPLES = 100_000  # as in flows/parameters.py, whose library would take its time to import

Command = Callable[[argparse.Namespace], int]
"""Runs with the parsed arguments and returns the exit status."""


def add_command(commands: "Commands", name: str, command: Command, summary: str) -> argparse.ArgumentParser:
    """The parser of a new command, which has no arguments yet. `summary` is its line in the list of commands."""
    parser = commands.add_parser(name, help=summary, description=f"{summary[:1].upper()}{summary[1:]}.")
    parser.set_defaults(command=command)
    return parser


def add_group(commands: "Commands", name: str, summary: str, metavar: str = "COMMAND") -> "Commands":
    """The place for commands below a new command, such as `evaluate detector`."""
    parser = commands.add_parser(name, help=summary, description=f"{summary[:1].upper()}{summary[1:]}.")
    return parser.add_subparsers(required=True, metavar=metavar)


def add_store(parser: argparse.ArgumentParser) -> None:
    """`--store`."""
    parser.add_argument(
        "--store", default="./store", metavar="URL", help="folder or fsspec URL of the store (default: %(default)s)"
    )


def add_bind(parser: argparse.ArgumentParser, text: str, metavar: str = "NAME=VALUE") -> None:
    """`--bind`, which may be given several times."""
    parser.add_argument("--bind", action="append", default=[], metavar=metavar, help=f"{text}; may be repeated")


def add_set(parser: argparse.ArgumentParser, metavar: str) -> None:
    """`--set`, which may be given several times."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar=metavar,
        help="change one setting for this run; VALUE is YAML; may be repeated (`bilderatlas settings` lists them all)",
    )


def add_workers(parser: argparse.ArgumentParser) -> None:
    """`--workers`."""
    parser.add_argument(
        "--workers",
        type=positive,
        default=os.cpu_count() or 2,
        metavar="N",
        help="parts of a stage that run at the same time (default: %(default)s)",
    )


def add_device(parser: argparse.ArgumentParser, text: str) -> None:
    """`--device`."""
    parser.add_argument(
        "--device",
        default="auto",
        metavar="DEVICE",
        help=f"{text}: auto (a GPU if there is one), cpu, cuda, cuda:1 ... (default: %(default)s)",
    )


def add_categories(parser: argparse.ArgumentParser) -> None:
    """`--category` and `--by`, each of which may be given several times."""
    parser.add_argument(
        "--category",
        action="append",
        metavar="NAME",
        help="category to compare (default: person); may be repeated: then each is scored, and their mean. all: every "
        "category of the truth",
    )
    parser.add_argument(
        "--by",
        action="append",
        metavar="ATTRIBUTE",
        help="also give every number for each value of this attribute of images, such as style; may be repeated",
    )


def add_resampling(parser: argparse.ArgumentParser, units: str) -> None:
    """`--bootstrap` and `--seed`."""
    parser.add_argument(
        "--bootstrap",
        type=resamples,
        default=1000,
        metavar="N",
        help=f"resamples of the {units} for 95 %% intervals, up to 100,000, 0 for none (default: %(default)s)",
    )
    parser.add_argument(
        "--seed", type=whole, default=0, metavar="N", help="seed of the resamples (default: %(default)s)"
    )


def whole(text: str) -> int:
    """A whole number, 0 or more."""
    return _whole_from(0, text)


def positive(text: str) -> int:
    """A whole number, 1 or more."""
    return _whole_from(1, text)


def number(text: str) -> float:
    """A number; what range it must be in, the command says."""
    try:
        return float(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(f"expected a number, got {quoted(text)}") from problem


def resamples(text: str) -> int:
    """A number of resamples, 0 to 100,000: more of them make no interval better, and take forever."""
    try:
        value = int(text)
    except ValueError:
        value = -1
    if not 0 <= value <= _MOST_RESAMPLES:
        expected = f"expected a whole number from 0 to {_MOST_RESAMPLES:,}"
        raise argparse.ArgumentTypeError(f"{expected}, got {quoted(text)}")
    return value


def _whole_from(least: int, text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if value < least:
        raise argparse.ArgumentTypeError(f"expected a whole number from {least} on, got {quoted(text)}")
    return value
