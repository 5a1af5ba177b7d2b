"""Commands from signatures: what a parameter's type and its line in the docstring become on the command line."""

import argparse
import inspect
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import pytest

from flows.cli.arguments import add_command, number, whole
from flows.parameters import (
    MOST,
    MOST_RESAMPLES,
    Argument,
    Count,
    Doc,
    Option,
    Resamples,
    Share,
    descriptions,
    documented,
)
from schemas.errors import BadInput


def sample(
    place: Annotated[str, Argument("PLACE")],
    other: Annotated[str, Argument("OTHER")] | None = None,
    names: Annotated[list[str], Option("NAME", "--name")] | None = None,
    bind: Annotated[Mapping[str, str], Option("NAME=VALUE")] | None = None,
    texts: Annotated[Sequence[str] | Mapping[str, Any], Option("X", "--set")] | None = None,
    count: Count | None = None,
    resamples: Resamples = 1000,
    iou: Annotated[Share, Option("IOU")] | None = None,
    kind: Literal["a", "b"] = "a",
    is_quick: bool = False,
) -> int:
    """Show it. In the help of all commands this sentence is left out.

    Args:
        place: A place, or HTTP://...
        other: Another
            place.
        names: 100 % of it.
        bind: Pairs.
        texts: Texts.
        count: How many.
        resamples: How often.
        iou: Overlap.
        kind: Which.
        is_quick: At once.

    """
    raise NotImplementedError


def typed(*words: str) -> dict[str, Any]:
    """What the function is given when these words are typed."""
    calls: list[dict[str, Any]] = []
    parser = argparse.ArgumentParser(exit_on_error=False)
    commands = parser.add_subparsers()
    add_command(commands, "show", sample, lambda given, _: calls.append(given) or 0)
    arguments = parser.parse_args(["show", *words])
    arguments.words = words
    assert arguments.command(arguments) == 0
    (given,) = calls
    return given


def test_what_is_left_out_is_as_the_signature_says():
    assert typed("here") == {
        "place": "here",
        "other": None,
        "names": [],
        "bind": {},
        "texts": [],
        "count": None,
        "resamples": 1000,
        "iou": None,
        "kind": "a",
        "is_quick": False,
    }  # fmt: skip


def test_each_kind_of_parameter_is_read():
    given = typed(
        *("here", "there", "--name", "a", "--name", "b", "--bind", "x=y=z", "--set", "s=1", "--count", "3"),
        *("--resamples", "0", "--iou", "0.5", "--kind", "b", "--is-quick"),
    )  # fmt: skip
    assert given["other"] == "there"
    assert given["names"] == ["a", "b"]
    assert given["bind"] == {"x": "y=z"}
    assert (given["count"], given["resamples"], given["iou"], given["kind"]) == (3, 0, 0.5, "b")
    assert given["is_quick"] is True


def test_a_pair_that_is_none_is_bad_input():
    with pytest.raises(BadInput, match=r"^--bind: expected NAME=VALUE, got 'x'$"):
        typed("here", "--bind", "x")


def test_help_says_what_the_docstring_says():
    assert descriptions(sample)["other"] == "Another place."
    parser = argparse.ArgumentParser(prog="it", formatter_class=lambda prog: argparse.HelpFormatter(prog, width=200))
    commands = parser.add_subparsers()
    add_command(commands, "show", sample)
    assert "show it\n" in parser.format_help()
    text = " ".join(commands.choices["show"].format_help().split())
    for line in (
        "PLACE a place, or HTTP://...",
        "--name NAME 100 % of it; may be repeated",
        "--resamples N how often (default: 1000)",
        "--iou IOU overlap",
        "--kind {a,b} which (default: a)",
        "Show it. In the help of all commands this sentence is left out.",
    ):
        assert line in text


def test_what_the_docstring_leaves_out_the_types_say():
    @documented
    def measure(
        first: Annotated[str, Option("A"), Doc("Of its type.")] | None,
        place: str,
        other: Annotated[Annotated[str, Doc("Of the inner type.")], Doc("word " * 25)],
        last: Annotated[str, Doc("Of its type.")],
        undescribed: str,
    ) -> None:
        """Measure.

        Args:
            place: Here,
                or there.
            last: Its own.

        """

    assert inspect.getdoc(measure) == (
        "Measure.\n\nArgs:\n    first: Of its type.\n    place: Here,\n        or there.\n"
        f"    other: {' '.join(['word'] * 21)}\n        word word word word\n    last: Its own."
    )


@pytest.mark.parametrize("text", ["-1", "1.5", "many", "", "9" * 30])
def test_whole_numbers_are_checked(text: str):
    assert whole(0, MOST, "0") == 0
    with pytest.raises(argparse.ArgumentTypeError, match=f"^expected a whole number from 0 on, got '{text}'$"):
        whole(0, MOST, text)
    with pytest.raises(argparse.ArgumentTypeError, match=r"^expected a whole number from 1 on, got '0'$"):
        whole(1, MOST, "0")
    with pytest.raises(argparse.ArgumentTypeError) as raised:
        whole(1, MOST, "a" * 5000)
    assert len(str(raised.value)) < 300


def test_a_number_is_one_and_a_long_text_that_is_none_is_cut():
    assert number("1e-3") == 0.001
    with pytest.raises(argparse.ArgumentTypeError, match=r"^expected a number, got 'a{80}\.\.\.'$"):
        number("a" * 5000)


def test_resamples_have_an_end():
    assert whole(0, MOST_RESAMPLES, str(MOST_RESAMPLES)) == 100_000
    for text in ("100001", "9" * 30, "-1"):
        expected = f"^expected a whole number from 0 to 100,000, got '{text}'$"
        with pytest.raises(argparse.ArgumentTypeError, match=expected):
            whole(0, MOST_RESAMPLES, text)
