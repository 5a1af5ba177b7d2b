"""The questions of a release's datasheet, as data: a build answers some, and people others, in their recipe."""

import functools
from importlib import resources
from typing import Any, Literal, NamedTuple

import yaml

Asker = Literal["gebru", "srinivasan"]


class Question(NamedTuple):
    """A question: by which word people answer it, in which words it is asked, whose it is, and what the build says to
    it (questions.yaml).
    """

    key: str
    ask: str
    of: Asker
    build: tuple[str, ...] = ()
    is_whole: bool = True


@functools.cache
def sections() -> dict[str, tuple[Question, ...]]:
    """The questions of each section, in their order."""
    return {
        entry["section"]: tuple(Question(key, **said) for key, said in entry["questions"].items())
        for entry in _read("questions")
    }


def question_keys() -> tuple[str, ...]:
    """The keys of all questions, in their order."""
    return tuple(question.key for questions in sections().values() for question in questions)


@functools.cache
def limitations() -> tuple[str, ...]:
    """What one should know before using a release's images: sentences with places for values."""
    return tuple(_read("limitations"))


def _read(name: str) -> Any:
    return yaml.safe_load(resources.files(__name__).joinpath(f"{name}.yaml").read_text(encoding="utf-8"))
