"""`bilderatlas`: what a person types.

Exit status: 0 done, 1 a check failed, 2 bad input, 3 refused, 130 interrupted.
"""

import argparse
import os
import signal
import sys
import time
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING

from flows.cli import evaluate
from flows.cli.arguments import positive
from flows.cli.train import add_train
from schemas.errors import BadInput, BrokenPromise, Refusal

if TYPE_CHECKING:
    from schemas.manifests import Context
    from schemas.recipe import Recipe

# Before Prefect is imported: no telemetry, a start-up that survives a slow disk, and no tracebacks on a person's
# terminal.
_PREFECT = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
    "DO_NOT_TRACK": "1",
}


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    for name, value in _PREFECT.items():
        os.environ.setdefault(name, value)
    arguments = parser().parse_args(argv)
    command: Callable[[argparse.Namespace], int] = arguments.command
    try:
        return command(arguments)
    except BadInput as problem:
        return _said(problem, 2)
    except Refusal as problem:
        return _said(problem, 3)
    except BrokenPromise as problem:
        return _said(problem, 1)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second press, while it tidies up, would end it without a word
        return _said("interrupted: what was done is kept; the same command goes on from there", 130)


def _said(problem: object, status: int) -> int:
    print(f"bilderatlas: {problem}", file=sys.stderr)  # noqa: T201
    return status


def _build(arguments: argparse.Namespace) -> int:
    from flows import server
    from flows.build_dataset import at_desk, build_dataset, check, runner

    recipe, context = _read(arguments)
    check(recipe, at_desk(context) if arguments.dask else context)  # before a server is started
    built = build_dataset.with_options(task_runner=runner(arguments.dask)) if arguments.dask else build_dataset
    server.start()
    release = built(
        arguments.recipe,
        store=arguments.store,
        bind=context.bindings,
        changes=arguments.set,
        limit=arguments.limit,
        workers=arguments.workers,
        part_rows=arguments.part_rows,
        device=arguments.device,
    )
    print(f"release: {release}")  # noqa: T201
    return 0


def _plan(arguments: argparse.Namespace) -> int:
    from flows.build_dataset import plan
    from tasks.engine import summary

    print(summary.plan_summary(plan(*_read(arguments))), end="")  # noqa: T201
    return 0


def _scrape(arguments: argparse.Namespace) -> int:
    from flows.build_dataset import listing
    from tasks.engine import summary

    recipe, context = _read(arguments)
    step, lines = listing(recipe, arguments.source, arguments.show, context)
    print("\n".join(lines))  # noqa: T201
    for line in (*step.notes, summary.step_line(step)):
        print(line, file=sys.stderr)  # noqa: T201
    return 0


def _read(arguments: argparse.Namespace) -> "tuple[Recipe, Context]":
    """The recipe, and what this machine provides to it."""
    from flows.recipes import bindings_from_pairs, recipe_from_file
    from schemas.manifests import Context

    bound = bindings_from_pairs(arguments.bind)
    recipe = recipe_from_file(arguments.recipe, arguments.set, arguments.limit)
    return recipe, Context(
        store=arguments.store,
        bindings=bound,
        workers=arguments.workers,
        part_rows=arguments.part_rows,
        device=arguments.device,
        run=uuid.uuid4().hex,
        began_s=time.time(),
    )


def _verify(arguments: argparse.Namespace) -> int:
    from tasks.verify import verify

    found = verify(arguments.release, is_deep=arguments.deep)
    print(found.text)  # noqa: T201
    return 0 if found.is_good else 1


def _why(arguments: argparse.Namespace) -> int:
    from tasks.why import why

    print(why(arguments.release, arguments.record_id))  # noqa: T201
    return 0


def _purge(arguments: argparse.Namespace) -> int:
    from tasks.purge import purge

    said = purge(
        arguments.name,
        arguments.store,
        arguments.record,
        arguments.reason,
        arguments.date,
        is_dry=arguments.dry_run,
        is_alone=arguments.alone,
    )
    print(said)  # noqa: T201
    return 0


def _museum(arguments: argparse.Namespace) -> int:
    from examples.museum.cli import main as museum

    return museum(arguments)


def parser() -> argparse.ArgumentParser:
    """All that can be typed."""
    top = argparse.ArgumentParser(
        prog="bilderatlas", description="Open art collections, turned into published, reproducible datasets."
    )
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for name, command, text in (
        ("build", _build, "build a recipe's release"),
        ("plan", _plan, "say what a build would do; do nothing"),
        ("scrape", _scrape, "list the records of a recipe's sources; fetch no image"),
    ):
        one = commands.add_parser(name, help=text, description=text)
        one.add_argument("recipe", help="path of a recipe, or the name of one that ships")
        one.add_argument("--store", default="./store", help="folder or fsspec URL (default: %(default)s)")
        one.add_argument(
            "--bind",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="what the recipe names and this machine provides",
        )
        one.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="stages.LABEL.FIELD=VALUE",
            help="a setting other than the recipe's",
        )
        one.add_argument(
            "--limit", type=positive, metavar="N", help="only N records of each source; never becomes latest"
        )
        if name == "scrape":
            one.add_argument("--source", metavar="NAME", help="this source alone")
            one.add_argument(
                "--show", type=positive, default=10, metavar="N", help="records to print (default: %(default)s)"
            )
            one.set_defaults(command=command, workers=1, part_rows=None, device="auto")
            continue
        one.add_argument("--dask", metavar="ADDRESS", help="run the parts on this Dask cluster")
        one.add_argument(
            "--workers",
            type=positive,
            default=os.cpu_count() or 2,
            metavar="N",
            help="parts at once (default: %(default)s)",
        )
        one.add_argument(
            "--device",
            default="auto",
            metavar="DEVICE",
            help="what detectors run on: auto (a GPU where there is one), cpu, cuda, cuda:1 ... (default: %(default)s)",
        )
        one.add_argument(
            "--part-rows", type=positive, metavar="N", help="rows of a part (default: as suits the workers)"
        )
        one.set_defaults(command=command)
    one = commands.add_parser("verify", help="check a release's digests, contract, counts and leaks")
    one.add_argument("release", help="folder or URL of a release, or its name's `latest`")
    one.add_argument("--deep", action="store_true", help="also decode every image and measure it again")
    one.set_defaults(command=_verify)
    one = commands.add_parser("why", help="one record's way through the stages")
    one.add_argument("release")
    one.add_argument("record_id")
    one.set_defaults(command=_why)
    _add_purge(commands.add_parser("purge", help="remove what was taken down from a store and its releases"))
    evaluate.add(commands)
    one = commands.add_parser("museum", help="the pretend museum: paint works into a folder, or serve it")
    _add_museum(one)
    one.set_defaults(command=_museum)
    add_train(commands)
    return top


def _add_purge(one: argparse.ArgumentParser) -> None:
    one.description = "Remove the bytes and fields of taken-down records from a store and all releases of a dataset."
    one.add_argument("name", help="the dataset's name")
    one.add_argument("--store", default="./store", help="folder or fsspec URL (default: %(default)s)")
    one.add_argument(
        "--record",
        action="append",
        default=[],
        metavar="ID",
        help="purge this record (default: all that the newest release says are taken down)",
    )
    one.add_argument(
        "--alone",
        action="store_true",
        help="leave the copies of the works of --record, of which one may take its place",
    )
    one.add_argument("--reason", default="", metavar="TEXT", help="why, for the tombstones of --record")
    one.add_argument("--date", metavar="YYYY-MM-DD", help="when, for the tombstones of --record (default: today)")
    one.add_argument("--dry-run", action="store_true", help="say what would be removed, and remove nothing")
    one.set_defaults(command=_purge)


def _add_museum(parser: argparse.ArgumentParser) -> None:
    from examples.museum.cli import add_arguments

    add_arguments(parser)
