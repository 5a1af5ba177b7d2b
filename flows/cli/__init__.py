"""`bilderatlas`, the command: one file for each group of commands, each with `add` and the commands' functions.

Exit status: 0 done, 1 a check failed, 2 bad input, 3 refused, 130 interrupted, 143 terminated. What takes long to
import (Prefect, torch, pydantic) is imported inside the commands, so that help and typing errors are quick.
"""

import argparse
import os
import sys

from flows.cli import build, check, evaluate, museum, purge, settings, train
from flows.cli.arguments import Command
from flows.cli.signals import ended_by_signals
from schemas.errors import BadInput, BrokenPromise, Refusal

# Set before Prefect is imported: no telemetry, time enough to start on a slow disk, no tracebacks in the terminal.
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
    command: Command = arguments.command
    with ended_by_signals() as ending:
        try:
            return command(arguments)
        except BadInput as problem:
            return _failed(problem, 2)
        except Refusal as problem:
            return _failed(problem, 3)
        except BrokenPromise as problem:
            return _failed(problem, 1)
        except BaseException as problem:  # a library may make another error of an interrupt
            if ending.number is None and not isinstance(problem, KeyboardInterrupt):
                raise
            return ending.say()


def _failed(problem: object, status: int) -> int:
    print(f"bilderatlas: {problem}", file=sys.stderr)
    return status


def parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    top = argparse.ArgumentParser(
        prog="bilderatlas", description="Turn open art collections into published, reproducible datasets."
    )
    top.add_argument("--version", action=_Version, nargs=0, dest=argparse.SUPPRESS, help="print the version and exit")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for group in (build, check, purge, evaluate, train, settings, museum):
        group.add(commands)
    return top


class _Version(argparse.Action):
    """Print the installed version: it is looked up only if somebody asks."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"bilderatlas {version('bilderatlas')}")
        parser.exit()
