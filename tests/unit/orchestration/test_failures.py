"""What a person is told of a failure, and what stays a bug."""

import errno

import pytest

from schemas.errors import BadInput, BrokenPromise, DamagedFile, Overtaken, Refusal
from tasks.orchestration.failures import failure_of


@pytest.mark.parametrize(
    ("problem", "sentence", "status"),
    [
        (BadInput("expected a folder, got none"), "expected a folder, got none", 2),
        (Refusal("nothing is published"), "nothing is published", 3),
        (Overtaken("another build was quicker"), "another build was quicker", 3),
        (BrokenPromise("expected a, got b"), "expected a, got b", 1),
        (DamagedFile("expected a, got b"), "expected a, got b", 1),
        (BadInput("got '\x1b[2J'"), "got '?[2J'", 2),
        (BadInput("got 'a\nb'"), "got 'a?b'", 2),
        (BrokenPromise("expected tables:\n- one\n- two"), "expected tables:\n- one\n- two", 1),
        (BadInput("a b " * 2000), "a b " * 1000 + "...", 2),
        (BadInput(f"expected a name, got '{'a' * 5000}'"), f"expected a name, got '{'a' * 79}...", 2),
    ],
)
def test_what_a_person_can_do_something_about_is_a_sentence_and_a_status(problem, sentence, status):
    assert failure_of(problem) == (sentence, status)


def test_what_the_machine_lacks_is_told_with_what_to_do():
    failure = failure_of(OSError(errno.ENOSPC, "No space left on device", "/data/store/a"))
    assert failure is not None
    assert failure.status == 1
    assert failure.sentence == (
        "expected a machine on which this can go on, got 'No space left on device' at '/data/store/a': make room; "
        "what was done is kept: run the same command again to continue"
    )


@pytest.mark.parametrize("problem", [ValueError("x"), OSError("x"), KeyError("x"), KeyboardInterrupt()])
def test_all_else_is_a_bug(problem):
    assert failure_of(problem) is None
