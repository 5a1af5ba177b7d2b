"""Failures that a person can mend: everywhere one sentence, and an exit status. All else is a bug with a traceback."""

import errno
import os
import re
from typing import NamedTuple

from schemas.errors import BadInput, BrokenPromise, Refusal, is_service_error
from schemas.phrases import error_line, printable

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

_LONGEST_PLACE, _LONGEST_SENTENCE = 300, 4_000  # characters
_LONG_WORD, _OF_LONG_WORD = re.compile(rf"\S{{{2 * _LONGEST_PLACE},}}"), 80
"""What is longer than two places in a row is no word of ours; its beginning says which it is."""
_STATUS: tuple[tuple[type[Exception], int], ...] = ((BadInput, 2), (Refusal, 3), (BrokenPromise, 1))


class Failure(NamedTuple):
    """What to tell a person, and the exit status of a command."""

    sentence: str
    status: int


def failure_of(problem: BaseException) -> Failure | None:
    """What to tell of a problem of input, gates, promises, machine or storage service; None for a bug."""
    for kind, status in _STATUS:
        if isinstance(problem, kind):
            # what breaks a promise is listed line by line; a line end in any other sentence is one that it quotes
            text = str(problem) if kind is BrokenPromise else printable(str(problem))
            return Failure(plain_sentence(text), status)
    if isinstance(problem, OSError) and problem.errno in _MACHINE:
        return Failure(plain_sentence(_machine_sentence(problem)), 1)
    if not is_service_error(problem):
        return None
    sentence = f"expected a storage service that can be used, got '{error_line(problem)}'"
    if any(word in type(problem).__name__ for word in _OF_RIGHTS):
        return Failure(sentence, 2)
    return Failure(f"{sentence}; what was done is kept: run the same command again to continue", 1)


def plain_sentence(sentence: str) -> str:
    r"""The sentence without what a terminal would obey, since it may quote what a stranger wrote; cut if it is long.

    >>> plain_sentence("expected a name, got '\x1b[2J'")
    "expected a name, got '?[2J'"
    """
    lines = (_LONG_WORD.sub(lambda word: f"{word[0][:_OF_LONG_WORD]}...", line) for line in sentence.split("\n"))
    sentence = "\n".join(map(printable, lines))
    # whoever words it should have cut what it quotes
    return sentence if len(sentence) <= _LONGEST_SENTENCE else f"{sentence[:_LONGEST_SENTENCE]}..."


def _machine_sentence(problem: OSError) -> str:
    name = problem.filename if problem.filename2 is None else problem.filename2  # what a file was to be called
    place = f" at '{str(name)[:_LONGEST_PLACE]}'" if name is not None else ""
    advice = _MACHINE[problem.errno or 0]
    return (
        f"expected a machine on which this can go on, got '{os.strerror(problem.errno or 0)}'{place}: {advice}; "
        "what was done is kept: run the same command again to continue"
    )
