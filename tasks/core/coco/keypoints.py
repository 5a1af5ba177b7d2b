"""What keypoints are: the one rule for COCO's `keypoints`, whoever wrote them.

A release has one scheme: the 17 points of COCO's persons, in COCO's order. Each is x, y and a visibility v: 0 (not
labelled: x and y mean nothing), 1 (labelled, but hidden) or 2 (labelled and seen). Points of another scheme, such as
the 14 of CrowdPose, are never taken for these: a figure keeps its box, and its points are left out and counted.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from schemas.phrases import quoted
from tasks.core.coco.box import MAX_PX, read_number

NAMES = (
    "nose", "left_eye", "right_eye", "left_ear", "right_ear", "left_shoulder", "right_shoulder", "left_elbow",
    "right_elbow", "left_wrist", "right_wrist", "left_hip", "right_hip", "left_knee", "right_knee", "left_ankle",
    "right_ankle",
)  # fmt: skip
SKELETON = (
    (16, 14), (14, 12), (17, 15), (15, 13), (12, 13), (6, 12), (7, 13), (6, 7), (6, 8), (7, 9), (8, 10), (9, 11),
    (2, 3), (1, 2), (1, 3), (2, 4), (3, 5), (4, 6), (5, 7),
)  # fmt: skip
NUMBERS = 3 * len(NAMES)
VISIBILITIES = (0.0, 1.0, 2.0)
_SHOWN_NAMES, _SHOWN_PROBLEMS = 3, 3
_BREAK = re.compile(r"[\s_-]+")


class BadKeypoints(ValueError):
    """Keypoints that a release can't hold; the message says what was expected and what was met."""


def read_keypoints(value: Any) -> list[float] | None:
    """x, y and visibility of COCO's 17 points in one list, out of `keypoints`; None for null and for an empty list.

    Raises BadKeypoints for anything else than 51 numbers, for a visibility other than 0, 1 and 2, and for numbers that
    are not finite or beyond MAX_PX. Points may lie outside their picture, as boxes may. `num_keypoints` is not read.

    >>> read_keypoints([5, 6, 2] + [0, 0, 0] * 16)[:4]
    [5.0, 6.0, 2.0, 0.0]
    """
    if value is None or (isinstance(value, list | tuple) and not value):
        return None
    if not isinstance(value, list | tuple):
        raise BadKeypoints(f"expected a list of {NUMBERS} numbers, got {quoted(value)}")
    if len(value) != NUMBERS:
        nested = ", such as a list" if isinstance(value[0], list | tuple) else ""
        raise BadKeypoints(
            f"expected {NUMBERS} numbers, x, y and visibility of each of {len(NAMES)} points, got {len(value)}"
            f"{' values' if nested else ''}{nested}"
        )
    numbers = [_coordinate(one) for one in value]
    if strange := [v for v in numbers[2::3] if v not in VISIBILITIES]:
        raise BadKeypoints(f"expected a visibility of 0, 1 or 2 for each point, got {strange[0]:g}")
    return numbers


def check_scheme(category: str, names: Any) -> None:
    """Raise BadKeypoints unless the names that a category gives to its keypoints are COCO's 17, in that order.

    Case, blanks, hyphens and underscores make no difference. A category that names none says nothing about which
    points there are, even if there are 17, as other schemes have, too.
    """
    if not isinstance(names, list) or not names:
        raise BadKeypoints(f"expected COCO's {len(NAMES)} named in category {quoted(category)}, got no names")
    if [_bare(name) for name in names] != [_bare(name) for name in NAMES]:
        first = ", ".join(quoted(name) for name in names[:_SHOWN_NAMES])
        more = ", ..." if len(names) > _SHOWN_NAMES else ""
        raise BadKeypoints(
            f"expected COCO's {len(NAMES)}, got the {len(names)} of category {quoted(category)} ({first}{more})"
        )


def problem_of(values: Sequence[float | None]) -> str | None:
    """What is wrong with keypoints of a table, or None: 51 finite numbers, with visibilities of 0, 1 and 2."""
    try:
        return None if read_keypoints([*values]) is not None else f"expected {NUMBERS} numbers or null, got no number"
    except BadKeypoints as problem:
        return str(problem)


def count_problems(problems: Iterable[str]) -> str:
    """The problems, the most frequent first, each with its number.

    >>> count_problems(["b", "a", "b"])
    'b (2); a (1)'
    """
    counted = sorted(Counter(problems).items(), key=lambda item: (-item[1], item[0]))
    told = "; ".join(f"{problem} ({times})" for problem, times in counted[:_SHOWN_PROBLEMS])
    return told if len(counted) <= _SHOWN_PROBLEMS else f"{told}; ..."


def _coordinate(value: Any) -> float:
    try:
        number = read_number(value)
    except ValueError as problem:
        raise BadKeypoints(str(problem)) from problem
    if abs(number) > MAX_PX:
        raise BadKeypoints(f"expected numbers of at most {MAX_PX:.0f} px, got {number:g}")
    return number


def _bare(name: Any) -> str:
    return _BREAK.sub("", name).casefold() if isinstance(name, str) else ""
