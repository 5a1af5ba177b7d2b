"""`bilderatlas`, the command: one file for each group of commands, each with `add` and the commands' functions.

Exit status: 0 done, 1 a check or the machine failed, 2 bad input, 3 refused, 130 interrupted, 141 nobody reads what is
printed, 143 terminated. What takes long to import (Prefect, torch, pydantic) is imported inside the commands, so that
help and typing errors are quick.
"""

import argparse
import contextlib
import errno
import gc
import os
import select
import signal
import sys
import traceback

from flows.cli import build, check, contract, diff, evaluate, museum, prune, purge, schema, settings, train, unpack
from flows.cli.arguments import Command
from flows.cli.signals import ended_by_signals
from schemas.errors import BadInput, BrokenPromise, Refusal, is_service_error
from schemas.phrases import error_line, printable, quoted

# Set before Prefect and pyarrow are imported: no telemetry, time enough to start on a slow disk, no tracebacks in the
# terminal; and freed memory goes back to the system at once (a tenth less at the peak of a build, in the same time).
_ENVIRONMENT = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
    "DO_NOT_TRACK": "1",
    "MIMALLOC_PURGE_DELAY": "0",
}

_MACHINE = {
    errno.ENOSPC: "make room",
    errno.EDQUOT: "make room, or have the quota raised",
    errno.EFBIG: "this file system, or a limit (`ulimit -f`), allows no such large file",
    errno.EROFS: "nothing can be written there",
    errno.EACCES: "this user may not do that there",
    errno.EPERM: "this user may not do that there",
    errno.EIO: "the disk or its connection fails",
    errno.ESTALE: "a network share has gone away",
    errno.EMFILE: "this process may open no more files: raise the limit (`ulimit -n`)",
    errno.ENFILE: "this machine can open no more files",
    errno.ENOMEM: "it has too little memory",
    **dict.fromkeys(
        (errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENOTEMPTY, errno.ELOOP, errno.ENXIO),
        "something else is in the place of that file or folder: move it away",
    ),
    errno.ENAMETOOLONG: "choose a shorter path",
}
"""What a machine can lack while a command runs, and what to do. Any other OSError is a bug, and keeps its traceback."""

_OF_RIGHTS = ("Credential", "Auth", "Token")
"""What the names of a storage library's errors hold where somebody must log in, or be let in, before it can work."""

_OBJECTS_BETWEEN_COLLECTIONS = 20_000
"""Most of what a short command makes is modules, no garbage: to look through them often takes a tenth of its time."""

_STDERR = 2
_LONGEST_PLACE, _LONGEST_SENTENCE = 300, 4_000  # characters


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    _open_missing_streams()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    arguments = parser().parse_args(argv)
    command: Command = arguments.command
    with ended_by_signals() as ending:
        try:
            return _status(command, arguments)
        except BaseException as problem:  # a library may make another error of an interrupt
            if ending.number is None and not isinstance(problem, KeyboardInterrupt):
                raise
            return ending.say()


def _open_missing_streams() -> None:
    """Let what was started without a standard stream (`>&-`) write to nowhere: else the next file would take its
    place, and libraries that ask whether it is a terminal would fail.
    """
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
    except BadInput as problem:
        return _failed(problem, 2)
    except Refusal as problem:
        return _failed(problem, 3)
    except BrokenPromise as problem:
        return _failed(problem, 1)
    except Exception as problem:
        outside = _failure_outside(problem)
        if outside is None:
            raise
        return _failed(*outside)


def _check_texts(arguments: argparse.Namespace) -> None:
    """Raise BadInput for bytes that are no UTF-8: in tables, on pages and in most file systems there can be none."""
    for value in vars(arguments).values():
        for text in value if isinstance(value, list) else [value]:
            try:
                str(text).encode()
            except UnicodeEncodeError:
                raise BadInput(f"expected a command in UTF-8, got {quoted(str(text))}") from None


def _has_lost_its_reader() -> bool:
    """Whether standard output is a pipe that nobody reads any more."""
    output = select.poll()
    output.register(sys.stdout, 0)  # errors are always told
    return any(event & select.POLLERR for _, event in output.poll(0))


def _failure_outside(problem: Exception) -> tuple[str, int] | None:
    """The sentence and the exit status for what a machine or a storage service lacks; None for all else."""
    if isinstance(problem, OSError) and problem.errno in _MACHINE:
        return _machine_sentence(problem), 1
    if (sentence := _prefect_settings_sentence(problem)) is not None:
        return sentence, 2
    if not is_service_error(problem):
        return None
    sentence = f"expected a storage service that can be used, got '{error_line(problem)}'"
    if any(word in type(problem).__name__ for word in _OF_RIGHTS):
        return sentence, 2
    return f"{sentence}; what was done is kept: run the same command again to continue", 1


def _prefect_settings_sentence(problem: Exception) -> str | None:
    """The sentence for a variable of the environment, or a line of a profile, with which Prefect can't be imported;
    None for all else.
    """
    from pydantic import ValidationError

    modules = [frame.f_globals.get("__name__", "") for frame, _ in traceback.walk_tb(problem.__traceback__)]
    if not isinstance(problem, ValidationError) or not any(name.startswith("prefect.settings") for name in modules):
        return None
    first = problem.errors()[0]
    place = "".join(f"{name}: " for name in first["loc"])
    return f"PREFECT_...: expected settings that Prefect can read, got '{place}{first['msg']}'"


def _machine_sentence(problem: OSError) -> str:
    name = problem.filename if problem.filename2 is None else problem.filename2  # what a file was to be called
    place = f" at '{str(name)[:_LONGEST_PLACE]}'" if name is not None else ""
    advice = _MACHINE[problem.errno or 0]
    return (
        f"expected a machine on which this can go on, got '{os.strerror(problem.errno or 0)}'{place}: {advice}; "
        "what was done is kept: run the same command again to continue"
    )


def _failed(problem: object, status: int) -> int:
    # it may quote what a stranger wrote: a terminal would obey some of it
    sentence = "\n".join(map(printable, str(problem).split("\n")))
    if len(sentence) > _LONGEST_SENTENCE:  # whoever words it should have cut what it quotes
        sentence = f"{sentence[:_LONGEST_SENTENCE]}..."
    with contextlib.suppress(OSError):  # where there is no room for the sentence either, the status still says it
        print(f"bilderatlas: {sentence}", file=sys.stderr, flush=True)
    return status


def parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    top = argparse.ArgumentParser(
        prog="bilderatlas", description="Turn open art collections into published, reproducible datasets."
    )
    top.add_argument("--version", action=_Version, nargs=0, dest=argparse.SUPPRESS, help="print the version and exit")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for group in (build, check, contract, diff, unpack, prune, purge, evaluate, train, settings, schema, museum):
        group.add(commands)
    return top


class _Version(argparse.Action):
    """Print the installed version: it is looked up only if somebody asks."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"bilderatlas {version('bilderatlas')}")
        parser.exit()
