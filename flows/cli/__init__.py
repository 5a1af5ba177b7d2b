"""`bilderatlas`, the command: one file for each group of commands; each is a function, or what Python calls, too.

Exit status: 0 done, 1 a check or the machine failed, 2 bad input, 3 refused, 130 interrupted, 141 nobody reads what is
printed, 143 terminated. What takes long to import is imported inside the commands, so that help is quick.
"""

import argparse
import contextlib
import functools
import gc
import os
import select
import signal
import sys
import traceback
from typing import Any, NoReturn

import bilderatlas
from examples.museum import cli as museum
from flows.cli import build, references, releases, serve
from flows.cli.arguments import Command, add_command, add_group, summary_of
from flows.cli.signals import ended_by_signals
from flows.evaluate import PROTOCOLS
from flows.train import train_detector
from schemas.errors import BadInput
from schemas.phrases import printable, quoted
from tasks.orchestration.failures import Failure, failure_of, plain_sentence

_OBJECTS_BETWEEN_COLLECTIONS = 20_000
"""Most of what a short command makes is modules, no garbage: to look through them often takes a tenth of its time."""

_STDERR = 2
_LONGEST_ERROR = 500  # characters of a sentence on what was typed


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    _open_missing_streams()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    arguments = parser().parse_args(argv)
    arguments.words = sys.argv[1:] if argv is None else argv
    command: Command = arguments.command
    with ended_by_signals() as ending:
        try:
            return _status(command, arguments)
        except BaseException as problem:  # a library may make another error of an interrupt
            if ending.number is None and not isinstance(problem, KeyboardInterrupt):
                raise
            return ending.say()


def _open_missing_streams() -> None:
    """Let standard streams that are closed (`>&-`) write to nowhere: else the next file would take their place."""
    while (handle := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        os.set_inheritable(handle, True)
    os.close(handle)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - until the process ends


def _status(command: Command, arguments: argparse.Namespace) -> int:
    try:
        _check_texts(arguments)
        status = command(arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        if not _has_lost_its_reader():
            raise
        # `bilderatlas settings | head -1` has what it wants. What is left in the buffer goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except Exception as problem:
        failure = failure_of(problem) or _prefect_settings_failure(problem)
        if failure is None:
            raise
        with contextlib.suppress(OSError):  # where there is no room for the sentence either, the status still says it
            print(f"bilderatlas: {failure.sentence}", file=sys.stderr, flush=True)
        return failure.status


def _check_texts(arguments: argparse.Namespace) -> None:
    """Raise BadInput for bytes that are no UTF-8: in tables, on pages and in most file systems there can be none."""
    for value in vars(arguments).values():
        for text in value if isinstance(value, list) else [value]:
            try:
                str(text).encode()
            except UnicodeEncodeError:
                raise BadInput(f"expected a command in UTF-8, got {quoted(str(text))}") from None


def _has_lost_its_reader() -> bool:
    output = select.poll()
    output.register(sys.stdout, 0)  # errors are always told
    return any(event & select.POLLERR for _, event in output.poll(0))


def _prefect_settings_failure(problem: Exception) -> Failure | None:
    """What to tell of a variable of the environment, or a line of a profile, with which Prefect can't be imported."""
    from pydantic import ValidationError

    modules = [frame.f_globals.get("__name__", "") for frame, _ in traceback.walk_tb(problem.__traceback__)]
    if not isinstance(problem, ValidationError) or not any(name.startswith("prefect.settings") for name in modules):
        return None
    first = problem.errors()[0]
    place = "".join(f"{name}: " for name in first["loc"])
    sentence = f"PREFECT_...: expected settings that Prefect can read, got '{place}{first['msg']}'"
    return Failure(plain_sentence(sentence), 2)


def parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    top = _Parser(prog="bilderatlas", description="Turn open art collections into published, reproducible datasets.")
    top.add_argument("--version", action=_Version, nargs=0, dest=argparse.SUPPRESS, help="print the version and exit")
    commands: Any = top.add_subparsers(required=True, metavar="COMMAND")
    add_command(commands, "build", bilderatlas.build, build.build)
    # it takes what `build` takes, so that one may change the word alone
    add_command(commands, "plan", bilderatlas.build, build.plan, "Show what a build would do, without doing it.")
    for function in (build.scrape, *releases.COMMANDS):
        add_command(commands, function.__name__, function)
    group = add_group(commands, "evaluate", "measure detectors, sketches ... as the papers do", "PROTOCOL")
    for protocol, measure in PROTOCOLS.items():
        page = "evaluating" if protocol == "detector" else f"evaluating/{protocol}"
        summary = f"{summary_of(measure).removesuffix('.')} (docs/{page}.md)."
        add_command(group, protocol, measure, functools.partial(build.evaluate, protocol), summary)
    group = add_group(commands, "train", "train a detector on what people drew", "WHAT")
    add_command(group, "detector", train_detector, build.train)
    add_command(commands, "settings", references.settings)
    add_command(commands, "schema", references.schema)
    group = add_group(commands, "contract", "compare two versions of a contract")
    add_command(group, "diff", references.contract_diff)
    add_command(commands, "serve", serve.serve)
    add_command(commands, "deploy", serve.deploy)
    museum.add(commands)
    return top


class _Parser(argparse.ArgumentParser):
    """Parser of commands whose errors are one line, whatever was typed."""

    def error(self, message: str) -> NoReturn:
        """End with one sentence and status 2."""
        super().error(
            printable(message if len(message) <= _LONGEST_ERROR else f"{message[:_LONGEST_ERROR]}...").strip()
        )


class _Version(argparse.Action):
    """Print the installed version: it is looked up only if somebody asks."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"bilderatlas {version('bilderatlas')}")
        parser.exit()
