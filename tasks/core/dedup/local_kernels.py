"""The arithmetic of `local`, compiled and free of Python's lock.

Places are (M, 4) uint8, as in `local.Keypoints`; row m of both sides is a match of two keypoints.
"""

import numpy as np
from numpy.typing import NDArray

from tasks.core.dedup.sizes import LEVEL_SCALE, MOST_TURN
from tasks.core.jit import compiled

Places = NDArray[np.uint8]

_MOST_LEVELS_OFF = 3
_OFF_PX = 16.0
_OFF_SHARE = 0.2
"""How far places may lie from where another match has them, in px and of the way there: perspective changes scale."""
_APART_PX = 6
"""Nearer keypoints, of other sizes, are one place."""
_UP = np.cumprod(np.full(255, LEVEL_SCALE))
_SCALES = np.concatenate([1 / _UP[::-1], [1.0], _UP])
"""Of -255 .. 255 levels: to raise to a power for each match takes most of the time, and is not the same everywhere."""


@compiled
def matches_on_one_place(mine: Places, others: Places) -> NDArray[np.bool_]:
    """(M,) the most matches that lie to each other in one picture as in the other, each at a place of its own. Each is
    taken as the one that is right; of two with as many, the first.
    """
    clashes = _clashes(mine, others)
    best = np.zeros(len(mine), np.bool_)
    most = 0
    for hypothesis in range(len(mine)):
        if not _is_upright(mine[hypothesis], others[hypothesis]):
            continue
        chosen, is_taken = np.zeros((2, len(mine)), np.bool_)
        count = 0
        for match in range(len(mine)):
            if count + len(mine) - match <= most:
                break
            if not is_taken[match] and _lies_alike(mine[hypothesis], others[hypothesis], mine[match], others[match]):
                chosen[match] = True
                count += 1
                is_taken |= clashes[match]
        if count > most:
            best, most = chosen, count
    return best


@compiled
def _clashes(mine: Places, others: Places) -> NDArray[np.bool_]:
    """(M, M) whether two matches share one of their two places."""
    clashes = np.zeros((len(mine), len(mine)), np.bool_)
    for one in range(len(mine)):
        for other in range(one):
            clashes[other, one] = _is_same_place(mine[one], mine[other]) or _is_same_place(others[one], others[other])
    return clashes


@compiled
def _is_upright(mine: NDArray[np.uint8], other: NDArray[np.uint8]) -> bool:
    return is_near_angle(mine[3], other[3])


@compiled
def is_near_angle(one: np.uint8, other: np.uint8) -> bool:
    """Whether two angles, in steps of two degrees, differ by no more than pictures may be turned."""
    turn = (np.int64(one) - np.int64(other)) % 180
    return bool(min(turn, 180 - turn) <= MOST_TURN)


@compiled
def _lies_alike(
    mine: NDArray[np.uint8], other: NDArray[np.uint8], my_next: NDArray[np.uint8], next_other: NDArray[np.uint8]
) -> bool:
    """Whether a match lies where another would have it: upright, of like size, in like direction and distance."""
    levels = np.int64(other[2]) - np.int64(mine[2])
    off_levels = np.int64(next_other[2]) - np.int64(my_next[2]) - levels
    if abs(off_levels) > _MOST_LEVELS_OFF or not _is_upright(my_next, next_other):
        return False
    scale = _SCALES[levels + 255]
    right, down = float(my_next[0]) - float(mine[0]), float(my_next[1]) - float(mine[1])
    off_right = float(next_other[0]) - float(other[0]) - scale * right
    off_down = float(next_other[1]) - float(other[1]) - scale * down
    allowed = _OFF_PX * max(1.0, scale) + _OFF_SHARE * scale * max(abs(right), abs(down))
    return bool(max(abs(off_right), abs(off_down)) <= allowed)


@compiled
def _is_same_place(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> bool:
    right, down = np.int64(one[0]) - np.int64(other[0]), np.int64(one[1]) - np.int64(other[1])
    return bool(max(abs(right), abs(down)) < _APART_PX)
