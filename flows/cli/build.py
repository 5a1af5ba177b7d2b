"""`bilderatlas build`, `plan` and `scrape`: a recipe, built, planned, or its sources only listed."""

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING

from flows.cli.arguments import add_bind, add_command, add_device, add_set, add_store, add_workers, positive
from schemas.errors import BadInput

if TYPE_CHECKING:
    from flows.cli.arguments import Commands
    from flows.local_build import BuildRequest


def add(commands: "Commands") -> None:
    """Add the three commands."""
    for parser in (
        add_command(commands, "build", build, "build the dataset of a recipe and publish a release"),
        add_command(commands, "plan", plan, "show what a build would do, without doing it"),
    ):
        _add_recipe(parser)
        parser.add_argument(
            "--dask", metavar="ADDRESS", help="run the parts on this Dask cluster, such as tcp://scheduler:8786"
        )
        add_workers(parser)
        add_device(parser, "what detectors run on")
        parser.add_argument(
            "--part-rows", type=positive, metavar="N", help="rows in a part (default: chosen by the number of workers)"
        )
        parser.add_argument(
            "--previous",
            metavar="VERSION",
            help="the release whose splits images keep (default: `latest`), or `none` to assign all splits anew",
        )
    parser = add_command(commands, "scrape", scrape, "list the records of a recipe's sources; no image is fetched")
    _add_recipe(parser)
    parser.add_argument("--source", metavar="NAME", help="list only this source")
    parser.add_argument(
        "--show", type=positive, default=10, metavar="N", help="number of records to print (default: %(default)s)"
    )
    parser.set_defaults(workers=1, part_rows=None, device="auto", previous=None)


def _add_recipe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "recipe", metavar="RECIPE", help="path of a recipe's YAML file, or the name of a recipe that ships"
    )
    add_store(parser)
    add_bind(parser, "a folder, file or address that the recipe names and this machine provides")
    add_set(parser, "stages.LABEL.FIELD=VALUE")
    parser.add_argument(
        "--limit",
        type=positive,
        metavar="N",
        help="take only N records of each source; such a release never becomes `latest`",
    )


def build(arguments: argparse.Namespace) -> int:
    """Build a release, and print where it is."""
    began_s = time.time()  # before the imports, which take seconds
    from flows.local_build import build_here

    built = build_here(_request(arguments), arguments.dask, began_s, _command(arguments))
    print(f"release: {built.release}", flush=True)
    if not built.is_told:
        os._exit(0)  # else Prefect would try to send each event that it still has, for seconds each
    return 0


def plan(arguments: argparse.Namespace) -> int:
    """Print what a build would do."""
    from flows import build_dataset
    from tasks.page import summary

    print(summary.plan_summary(build_dataset.plan(*_request(arguments).read(command=_command(arguments)))), end="")
    return 0


def scrape(arguments: argparse.Namespace) -> int:
    """Print some records of the sources; notes and counts go to stderr."""
    from flows.build_dataset import list_records
    from tasks.page import summary

    recipe, context = _request(arguments).read(command=_command(arguments))
    step, lines = list_records(recipe, arguments.source, arguments.show, context)
    print("\n".join(lines))
    for line in (*step.notes, summary.step_line(step)):
        print(line, file=sys.stderr)
    return 0


def _request(arguments: argparse.Namespace) -> "BuildRequest":
    from flows.local_build import BuildRequest
    from flows.recipes import bindings_from_pairs

    if arguments.previous == "":
        raise BadInput("--previous: expected a version, or `none`, got ''")
    return BuildRequest(
        arguments.recipe,
        arguments.store,
        bindings_from_pairs(arguments.bind),
        arguments.set,
        arguments.limit,
        arguments.workers,
        arguments.part_rows,
        arguments.device,
        arguments.previous,
    )


def _command(arguments: argparse.Namespace) -> tuple[str, ...]:
    return ("bilderatlas", *arguments.words)
