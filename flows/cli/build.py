"""`bilderatlas build`, `plan` and `scrape`: a recipe, built, planned, or its sources only listed."""

import argparse
import contextlib
import os
import sys
import time
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING

from flows.cli.arguments import add_bind, add_command, add_device, add_set, add_store, add_workers, positive
from schemas.errors import BadInput

if TYPE_CHECKING:
    from flows.builds import Build
    from flows.cli.arguments import Commands
    from schemas.manifests import Context
    from schemas.recipe import Recipe


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
    """Build a release. Everything that can be checked beforehand is checked before a server is started, and where there
    is nothing to do, none is started; a server that PREFECT_API_URL names learns of every build.
    """
    began_s = time.time()  # before the imports, which take seconds
    from flows.build_dataset import build_dataset, check, without_gpu
    from flows.builds import begun_build
    from flows.runner import DASK, cluster_address, is_server_named, runner, shared_server

    recipe, context = _recipe_and_context(arguments, began_s)
    dask, named_by = (cluster_address(), DASK) if arguments.dask is None else (arguments.dask, "--dask")
    check(recipe, context if dask is None else without_gpu(context))
    if dask is not None:
        from flows.cluster import check_cluster  # takes a second to import

        check_cluster(dask, named_by)
    with begun_build(recipe, context) as begun:
        if not is_server_named() and begun.is_stored():
            steps = begun.finish()
            print(begun.summary(steps), "nothing to do: the store has all of it", sep="\n")
            print(f"release: {steps[-1].release}")
            return 0
        flow = build_dataset.with_options(task_runner=runner(dask))
        with shared_server(dask), _unless_untold(begun) as untold:
            flow(
                arguments.recipe,
                store=arguments.store,
                bind=context.bindings,
                changes=arguments.set,
                limit=arguments.limit,
                workers=arguments.workers,
                part_rows=arguments.part_rows,
                device=arguments.device,
                previous=arguments.previous,
            )
        release = begun.finish()[-1].release
    print(f"release: {release}", flush=True)
    if untold:
        os._exit(0)  # else Prefect would try to send each event that it still has, for seconds each
    return 0


@contextlib.contextmanager
def _unless_untold(begun: "Build") -> Iterator[list[Exception]]:
    """Where the build has ended and Prefect's server can't be told so, go on as if it had been; why it was not told."""
    from httpx import HTTPError

    untold: list[Exception] = []
    try:
        yield untold
    except HTTPError as problem:
        if not begun.is_finished:
            raise
        untold.append(problem)
        print(f"bilderatlas: Prefect's server was not told that the build has ended: {problem}", file=sys.stderr)


def plan(arguments: argparse.Namespace) -> int:
    """Print what a build would do."""
    from flows import build_dataset
    from tasks.engine import summary

    print(summary.plan_summary(build_dataset.plan(*_recipe_and_context(arguments))), end="")
    return 0


def scrape(arguments: argparse.Namespace) -> int:
    """Print some records of the sources; notes and counts go to stderr."""
    from flows.build_dataset import list_records
    from tasks.engine import summary

    recipe, context = _recipe_and_context(arguments)
    step, lines = list_records(recipe, arguments.source, arguments.show, context)
    print("\n".join(lines))
    for line in (*step.notes, summary.step_line(step)):
        print(line, file=sys.stderr)
    return 0


def _recipe_and_context(arguments: argparse.Namespace, began_s: float | None = None) -> "tuple[Recipe, Context]":
    """The recipe, and what this machine provides for it. began_s: when the command began; None: now."""
    from flows.recipes import bindings_from_pairs, recipe_from_file
    from schemas.manifests import Context

    if arguments.previous == "":
        raise BadInput("--previous: expected a version, or `none`, got ''")
    bindings = bindings_from_pairs(arguments.bind)
    recipe = recipe_from_file(arguments.recipe, arguments.set, arguments.limit)
    return recipe, Context(
        store=arguments.store,
        bindings=bindings,
        workers=arguments.workers,
        part_rows=arguments.part_rows,
        device=arguments.device,
        previous=arguments.previous or "",
        run=uuid.uuid4().hex,
        began_s=time.time() if began_s is None else began_s,
        command=("bilderatlas", *arguments.words),
    )
