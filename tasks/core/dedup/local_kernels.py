"""The arithmetic of `local`, compiled and free of Python's lock.

Places are (M, 4) uint8, as in `local.Keypoints`; row m of both sides is a match of two keypoints.
"""

import numpy as np
from numpy.typing import NDArray

from tasks.core.dedup.local import LEVEL_SCALE
from tasks.core.jit import compiled

Places = NDArray[np.uint8]

_MOST_TURN = 15
"""Steps of 2 degrees: pictures turned by more are found by their hashes, where `by` asks for it."""
_MOST_LEVELS_OFF = 3
_OFF_PX = 16.0
_OFF_SHARE = 0.2
"""How far places may lie from where another match has them, in px and of the way there: perspective changes scale."""
_APART_PX = 6
"""Nearer keypoints, of other sizes, are one place."""


@compiled
def count_matches(starts: NDArray[np.int64], mine: Places, others: Places, most: int) -> NDArray[np.int64]:
    """(G,) for each group of matches, at starts[g] .. starts[g + 1], how many of its first `most` lie alike."""
    found = np.zeros(len(starts) - 1, np.int64)
    for group in range(len(starts) - 1):
        start, stop = starts[group], min(starts[group + 1], starts[group] + most)
        if stop - start >= 2:
            found[group] = matches_on_one_place(mine[start:stop], others[start:stop]).sum()
        else:
            found[group] = stop - start
    return found


@compiled
def matches_on_one_place(mine: Places, others: Places) -> NDArray[np.bool_]:
    """(M,) the most matches that lie to each other in one picture as in the other, each at a place of its own.

    Each match is taken as the one that is right; of two with as many, the first.
    """
    best = np.zeros(len(mine), np.bool_)
    most = 0
    for hypothesis in range(len(mine)):
        if not _is_upright(mine[hypothesis], others[hypothesis]):
            continue
        chosen = np.zeros(len(mine), np.bool_)
        count = 0
        for match in range(len(mine)):
            if not _lies_alike(mine[hypothesis], others[hypothesis], mine[match], others[match]):
                continue
            if not _is_any_place_taken(chosen, mine, others, match):
                chosen[match] = True
                count += 1
        if count > most:
            best, most = chosen, count
    return best


@compiled
def _is_any_place_taken(chosen: NDArray[np.bool_], mine: Places, others: Places, match: int) -> bool:
    """Whether an earlier chosen match has one of its two places where this one has it."""
    for earlier in range(match):
        if chosen[earlier] and (
            _is_same_place(mine[earlier], mine[match]) or _is_same_place(others[earlier], others[match])
        ):
            return True
    return False


@compiled
def _is_upright(mine: NDArray[np.uint8], other: NDArray[np.uint8]) -> bool:
    turn = (np.int64(mine[3]) - np.int64(other[3])) % 180
    return bool(min(turn, 180 - turn) <= _MOST_TURN)


@compiled
def _lies_alike(
    mine: NDArray[np.uint8], other: NDArray[np.uint8], my_next: NDArray[np.uint8], next_other: NDArray[np.uint8]
) -> bool:
    """Whether a match lies where another would have it: upright, of like size, in like direction and distance."""
    levels = np.int64(other[2]) - np.int64(mine[2])
    off_levels = np.int64(next_other[2]) - np.int64(my_next[2]) - levels
    if abs(off_levels) > _MOST_LEVELS_OFF or not _is_upright(my_next, next_other):
        return False
    scale = LEVEL_SCALE**levels
    right, down = float(my_next[0]) - float(mine[0]), float(my_next[1]) - float(mine[1])
    off_right = float(next_other[0]) - float(other[0]) - scale * right
    off_down = float(next_other[1]) - float(other[1]) - scale * down
    allowed = _OFF_PX * max(1.0, scale) + _OFF_SHARE * scale * max(abs(right), abs(down))
    return bool(max(abs(off_right), abs(off_down)) <= allowed)


@compiled
def _is_same_place(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> bool:
    right, down = np.int64(one[0]) - np.int64(other[0]), np.int64(one[1]) - np.int64(other[1])
    return bool(max(abs(right), abs(down)) < _APART_PX)
