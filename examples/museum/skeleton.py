"""Bodies: seventeen joints in COCO's order, posed standing, walking, sitting or reclining.

Angles are radians from straight down, positive towards the right of the picture. Lengths are in body heights,
x to the right, y down, the ground at y = 0.
"""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
PoseName = Literal["standing", "walking", "sitting", "reclining"]

NOSE, LEFT_EYE, RIGHT_EYE, LEFT_EAR, RIGHT_EAR = range(5)
LEFT_SHOULDER, RIGHT_SHOULDER, LEFT_ELBOW, RIGHT_ELBOW, LEFT_WRIST, RIGHT_WRIST = range(5, 11)
LEFT_HIP, RIGHT_HIP, LEFT_KNEE, RIGHT_KNEE, LEFT_ANKLE, RIGHT_ANKLE = range(11, 17)


class Body(NamedTuple):
    """One posed body.

    joints: (17, 2). seen: (17,), False for what the head's turn hides. yaw: 0 faces the viewer, pi/2 the right edge.
    """

    joints: Points
    seen: NDArray[np.bool_]
    head: Points
    head_radius: float
    neck: Points
    yaw: float
    pose: PoseName


class _Angles(NamedTuple):
    lean: float
    thighs: tuple[float, float]
    shins: tuple[float, float]
    arms: tuple[tuple[float, float], tuple[float, float]]
    thigh_share: float


def body(rng: np.random.Generator, pose: PoseName, head_radius: float) -> Body:
    """A body in that pose, looking somewhere, doing something with its arms. The left limb comes first in pairs."""
    yaw = _yaw(rng, pose)
    side, ahead = np.cos(yaw), np.sin(yaw)
    towards = float(np.sign(ahead)) if abs(ahead) > 0.2 else float(rng.choice([-1.0, 1.0]))
    angles = _angles(rng, pose, side, ahead, towards)
    joints, neck = _trunk_and_limbs(angles, side)
    head = neck + (0.03 + head_radius) * np.array([np.sin(angles.lean) + 0.25 * ahead * 0.3, -np.cos(angles.lean)])
    joints[:5] = head + head_radius * _face(yaw)
    everything = np.vstack([joints, head, neck])
    if pose == "reclining":
        everything = _laid_down(rng, everything, towards)
    everything -= np.array([everything[11:13, 0].mean(), everything[:, 1].max() + 0.03])
    return Body(everything[:17], _seen(yaw), everything[17], head_radius, everything[18], yaw, pose)


def _yaw(rng: np.random.Generator, pose: PoseName) -> float:
    """Walkers are seen from a side; nobody else is seen from behind as often as from the front."""
    quarter = np.pi / 4
    views = (2, -2, 1, -1) if pose == "walking" else (0, 0, 1, -1, 2, -2, 4)
    return float(quarter * rng.choice(views) + rng.uniform(-0.3, 0.3))


def _angles(rng: np.random.Generator, pose: PoseName, side: float, ahead: float, towards: float) -> _Angles:
    arms = (_arm(rng, side, towards), _arm(rng, -side, towards))
    if pose == "walking":
        swing = rng.uniform(0.25, 0.6) * rng.choice([-1.0, 1.0])
        bend = towards * rng.uniform(0.1, 0.5, 2)
        return _Angles(
            float(0.08 * towards),
            (float(swing), float(-swing)),
            (float(swing - bend[0]), float(-swing - bend[1])),
            arms,
            1.0,
        )
    if pose == "sitting" and abs(ahead) > 0.45:
        thighs, shins = towards * rng.uniform(1.15, 1.65, 2), towards * rng.uniform(-0.3, 0.25, 2)
        return _Angles(float(-0.1 * towards), _pair(thighs), _pair(shins), arms, 1.0)
    spread = rng.uniform(0.3, 0.8, 2) if pose == "sitting" else rng.uniform(0.02, 0.14, 2)
    thighs = spread * np.array([side, -side]) + 0.08 * ahead * rng.uniform(-1, 1, 2)
    shins = thighs * rng.uniform(-0.2, 0.9)
    share = 0.45 if pose == "sitting" else 1.0
    return _Angles(float(rng.normal(0.0, 0.05)), _pair(thighs), _pair(shins), arms, share)


def _pair(values: Points) -> tuple[float, float]:
    return float(values[0]), float(values[1])


def _arm(rng: np.random.Generator, side: float, towards: float) -> tuple[float, float]:
    """Upper arm and forearm: hanging, on the hip, raised, pointing, holding something, or across the chest."""
    outwards = side if abs(side) > 0.3 else towards
    gestures = [
        (0.12 * side + 0.15 * towards * rng.uniform(-1, 1), 0.1 * side + 0.3 * towards * rng.uniform(0, 1)),
        (0.75 * outwards, -0.8 * outwards),
        (2.3 * outwards * rng.uniform(0.8, 1.2), 2.6 * outwards),
        (1.4 * towards, 1.5 * towards * rng.uniform(0.8, 1.2)),
        (0.3 * outwards, 1.3 * towards),
        (0.25 * outwards, -1.8 * outwards),
    ]
    chosen = gestures[int(rng.choice(6, p=[0.42, 0.12, 0.1, 0.1, 0.16, 0.1]))]
    return float(chosen[0]), float(chosen[1])


def _along(angle: float, length: float) -> Points:
    return length * np.array([np.sin(angle), np.cos(angle)])


def _trunk_and_limbs(angles: _Angles, side: float) -> tuple[Points, Points]:
    pelvis = np.zeros(2)
    upwards = np.array([np.sin(angles.lean), -np.cos(angles.lean)])
    across = np.array([np.cos(angles.lean), np.sin(angles.lean)])
    neck = pelvis + 0.32 * upwards
    joints = np.zeros((17, 2))
    for left_first, sign in enumerate((1.0, -1.0)):
        shoulder = neck - 0.03 * upwards + sign * across * side * 0.115
        hip = pelvis + sign * across * side * 0.07
        upper, fore = angles.arms[left_first]
        elbow = shoulder + _along(upper, 0.165)
        knee = hip + _along(angles.thighs[left_first], 0.23 * angles.thigh_share)
        ankle = knee + _along(angles.shins[left_first], 0.22)
        for joint, place in (
            (LEFT_SHOULDER, shoulder),
            (LEFT_ELBOW, elbow),
            (LEFT_WRIST, elbow + _along(fore, 0.15)),
            (LEFT_HIP, hip),
            (LEFT_KNEE, knee),
            (LEFT_ANKLE, ankle),
        ):
            joints[joint + left_first] = place
    return joints, neck


def _face(yaw: float) -> Points:
    """Nose, eyes and ears on a head of radius 1, seen from the front: a sphere turned by yaw."""
    around = np.array([0.0, 0.4, -0.4, 1.5, -1.5]) + yaw
    heights = np.array([0.18, -0.12, -0.12, 0.02, 0.02])
    return np.stack([0.92 * np.sin(around), heights], axis=1)


def _seen(yaw: float) -> NDArray[np.bool_]:
    seen = np.ones(17, dtype=np.bool_)
    seen[:5] = np.cos(np.array([0.0, 0.4, -0.4, 1.5, -1.5]) + yaw) > -0.25
    return seen


def _laid_down(rng: np.random.Generator, points: Points, towards: float) -> Points:
    turn = towards * rng.uniform(1.1, 1.6)
    points = points.copy()
    # knees drawn up a little, so that a lying figure is not a fallen one
    points[LEFT_KNEE] += np.array([0.06 * towards, -0.02])
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return np.asarray(points @ spin)
