"""What a case of the campaign is, and what is found of it."""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple


class Fault(StrEnum):
    """What is wrong with an ending."""

    TRACEBACK = "traceback"
    HANG = "hang"
    UNTRUE = "untrue reason"
    CHANGE = "silent change"
    OTHER = "another ending"


class Wrong(NamedTuple):
    """A fault, and what came out instead of what is right."""

    fault: Fault
    came_out: str


class Verdict(NamedTuple):
    """What is found of one case: what was done, and what is wrong with how it ended, if anything."""

    number: int
    what: str
    wrong: Wrong | None


Judge = Callable[[Sequence[int], "Scene"], Iterator[Verdict]]


class Family(NamedTuple):
    """Cases of one kind. Case `number` of a seed is always the same.

    cases: how many the whole campaign has. sample: how many of them `make test` has. judge: runs the cases of these
    numbers. at_once: how many of them go into one run, such as the images of one build. limit_s: of one run.
    """

    name: str
    about: str
    cases: int
    sample: int
    judge: Judge
    at_once: int = 1
    limit_s: float = 60.0


class Scene(NamedTuple):
    """Where cases run.

    seed: of the campaign. folder: an empty one. museum: a painted museum of 160 records, and `larger` the same with
    16 more. built: a store in which that museum has been built; rebuilt: one in which `larger` has been built after it.
    None of these four may be changed.
    """

    seed: int
    folder: Path
    museum: Path
    larger: Path
    built: Path
    rebuilt: Path

    def chance(self, family: str, number: int) -> random.Random:
        """The chance of one case."""
        return random.Random(f"{self.seed}/{family}/{number}")


def one_by_one(family: str, case: Callable[[int, random.Random, "Scene"], tuple[str, Wrong | None]]) -> Judge:
    """A judge whose cases have nothing to do with each other, each in a folder of its own."""

    def judge(numbers: Sequence[int], scene: Scene) -> Iterator[Verdict]:
        for number in numbers:
            own = scene._replace(folder=scene.folder / str(number))
            own.folder.mkdir()
            yield Verdict(number, *case(number, scene.chance(family, number), own))

    return judge


def first_wrong(found: Iterable[Wrong | None]) -> Wrong | None:
    """The first thing that is wrong."""
    return next((wrong for wrong in found if wrong is not None), None)
