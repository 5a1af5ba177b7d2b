"""What keypoints are: the one rule for COCO's `keypoints`, whoever wrote them.

Each category of a recipe has one scheme (schemas.keypoints), by default the 17 points of COCO's persons. Each point is
x, y and a visibility v: 0 (not labelled: x and y mean nothing), 1 (labelled, but hidden) or 2 (labelled and seen).
Points of another scheme, such as the 14 of CrowdPose, are never taken for these: they are left out and counted.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from schemas.keypoints import DEFAULT, KeypointScheme, bare_name, shipped_schemes
from schemas.phrases import quoted
from tasks.core.coco.box import MAX_PX, read_number

VISIBILITIES = (0.0, 1.0, 2.0)
_SHOWN_NAMES, _SHOWN_PROBLEMS = 3, 3
_NO_NAME = re.compile(r"[^a-z0-9_-]+")


class BadKeypoints(ValueError):
    """Keypoints that a release can't hold; the message says what was expected and what was met."""


def read_keypoints(value: Any, joints: int) -> list[float] | None:
    """x, y and visibility of so many joints in one list, out of `keypoints`; None for null and for an empty list.

    Raises BadKeypoints for anything else than 3 numbers a joint, for a visibility other than 0, 1 and 2, and for
    numbers that are not finite or beyond MAX_PX. Points may lie outside their picture. `num_keypoints` is not read.

    >>> read_keypoints([5, 6, 2, 0, 0, 0], 2)
    [5.0, 6.0, 2.0, 0.0, 0.0, 0.0]
    """
    numbers = 3 * joints
    if value is None or value in ([], ()):
        return None
    if not isinstance(value, list | tuple):
        raise BadKeypoints(f"expected a list of {numbers} numbers, got {quoted(value)}")
    if len(value) != numbers:
        values = " values, such as a list" if isinstance(value[0], list | tuple) else ""
        raise BadKeypoints(
            f"expected {numbers} numbers, x, y and visibility of each of {joints} points, got {len(value)}{values}"
        )
    found = [_coordinate(one) for one in value]
    if strange := [v for v in found[2::3] if v not in VISIBILITIES]:
        raise BadKeypoints(f"expected a visibility of 0, 1 or 2 for each point, got {strange[0]:g}")
    return found


def check_names(category: str, names: Any, scheme: KeypointScheme) -> None:
    """Raise BadKeypoints unless the names that a category gives to its keypoints are the scheme's, in that order.

    Case, blanks, hyphens and underscores make no difference. Points without names may be any.
    """
    if not isinstance(names, list) or not names:
        raise BadKeypoints(f"expected {called(scheme)} named in category {quoted(category)}, got no names")
    if [bare_name(name) for name in names] != [bare_name(name) for name in scheme.joints]:
        first = ", ".join([*map(quoted, names[:_SHOWN_NAMES]), *["..."] * (len(names) > _SHOWN_NAMES)])
        raise BadKeypoints(f"expected {called(scheme)}, got the {len(names)} of category {quoted(category)} ({first})")


def scheme_of_names(category: str, names: Any) -> KeypointScheme | None:
    """The scheme that a COCO category means by its names of joints: one of the program's, or one of just these names,
    which nobody has measured sigmas of. None where it names no joints, or two alike.

    >>> scheme_of_names("Hand", ["wrist", "thumb"]).name, scheme_of_names("Hand", ["a", "A"]), scheme_of_names("", [])
    ('hand', None, None)
    """
    if not isinstance(names, list) or not names:
        return None
    bare = [bare_name(name) for name in names]
    for scheme in shipped_schemes().values():
        if bare == [bare_name(name) for name in scheme.joints]:
            return scheme
    try:
        return KeypointScheme(name=scheme_name(category), joints=tuple(names))
    except ValueError:
        return None


def scheme_name(text: str) -> str:
    """A name that a scheme may have, of a category's or a file's.

    >>> scheme_name("My Hand!"), scheme_name("手")
    ('my-hand', 'own')
    """
    return _NO_NAME.sub("-", text.lower()).strip("-_")[:63] or "own"


def called(scheme: KeypointScheme) -> str:
    """What sentences call a scheme's points.

    >>> from schemas.keypoints import shipped_schemes
    >>> [called(scheme) for scheme in shipped_schemes().values()]
    ['the 20 of animal-20', "COCO's 17", 'the 106 of face-106']
    """
    return f"COCO's {len(scheme.joints)}" if scheme.name == DEFAULT else f"the {len(scheme.joints)} of {scheme.name}"


def count_problems(problems: Iterable[str]) -> str:
    """The problems, the most frequent first, each with its number.

    >>> count_problems(["b", "a", "b"])
    'b (2); a (1)'
    """
    counted = sorted(Counter(problems).items(), key=lambda item: (-item[1], item[0]))
    told = [f"{problem} ({times})" for problem, times in counted[:_SHOWN_PROBLEMS]]
    return "; ".join([*told, *["..."] * (len(counted) > _SHOWN_PROBLEMS)])


def _coordinate(value: Any) -> float:
    try:
        number = read_number(value)
    except ValueError as problem:
        raise BadKeypoints(str(problem)) from problem
    if abs(number) > MAX_PX:
        raise BadKeypoints(f"expected numbers of at most {MAX_PX:.0f} px, got {number:g}")
    return number
