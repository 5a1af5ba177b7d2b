"""Clothes, hair and faces: the shapes of one posed body."""

from typing import Literal, NamedTuple, get_args

import numpy as np

from examples.museum.colours import Colour, colours_from_hex, darker, lighter, mixed, picked
from examples.museum.shapes import Points, Shape, disc, polygon, stroke
from examples.museum.skeleton import (
    LEFT_ANKLE,
    LEFT_ELBOW,
    LEFT_EYE,
    LEFT_HIP,
    LEFT_KNEE,
    LEFT_SHOULDER,
    LEFT_WRIST,
    NOSE,
    RIGHT_EYE,
    Body,
)

Garment = Literal["robe", "gown", "tunic", "suit"]
Hat = Literal["none", "brim", "hood", "crown", "bun"]

_SKINS = colours_from_hex("f3d7bd e8be98 d9a77c b97f55 8d5a3a 5f3a26 efc9b0")
_HAIRS = colours_from_hex("1d1713 3c2616 6b4323 a9783c d9c08a 8a8580 7d2f1a")
_GOLD = colours_from_hex("e2b83c")[0]


class Look(NamedTuple):
    """Colours, clothes and build of one figure."""

    skin: Colour
    hair: Colour
    top: Colour
    bottom: Colour
    garment: Garment
    hat: Hat
    girth: float


def look(rng: np.random.Generator, clothes: tuple[Colour, ...], skins: tuple[Colour, ...]) -> Look:
    """Somebody: clothes of the palette's colours, skin of people's colours unless the style has its own."""
    garments: tuple[Garment, ...] = get_args(Garment)
    hats: tuple[Hat, ...] = get_args(Hat)
    return Look(
        picked(rng, skins or _SKINS, 7.0),
        picked(rng, _HAIRS, 8.0),
        picked(rng, clothes, 16.0),
        picked(rng, clothes, 16.0),
        garments[int(rng.choice(4, p=[0.25, 0.25, 0.2, 0.3]))],
        hats[int(rng.choice(5, p=[0.42, 0.2, 0.14, 0.08, 0.16]))],
        float(rng.uniform(0.85, 1.3)),
    )


def shapes_of_body(posed: Body, dressed: Look, joints: Points, head: Points, neck: Points, size: float) -> list[Shape]:
    """The dressed body from far to near; joints, head and neck in pixels, size the standing height in pixels."""
    far = 0 if np.sin(posed.yaw) > 0 else 1
    near = 1 - far
    return [
        *_arm(dressed, joints, far, size, shade=0.25),
        *_leg(dressed, joints, far, size, shade=0.25),
        *_leg(dressed, joints, near, size, shade=0.0),
        *_trunk(dressed, joints, neck, size),
        stroke(np.array([neck, head]), 0.05 * size, dressed.skin),
        *_head(posed, dressed, joints, head, posed.head_radius * size),
        *_arm(dressed, joints, near, size, shade=0.0),
    ]


def _arm(dressed: Look, joints: Points, side: int, size: float, shade: float) -> list[Shape]:
    shoulder, elbow, wrist = joints[[LEFT_SHOULDER + side, LEFT_ELBOW + side, LEFT_WRIST + side]]
    sleeve = darker(dressed.top, shade + 0.08)
    skin = darker(dressed.skin, shade)
    width = 0.055 * size * dressed.girth
    return [
        stroke(np.array([elbow, wrist]), 0.75 * width, sleeve if dressed.garment in ("suit", "robe") else skin),
        stroke(np.array([shoulder, elbow]), width, sleeve),
        disc(wrist, (0.026 * size, 0.026 * size), skin),
    ]


def _leg(dressed: Look, joints: Points, side: int, size: float, shade: float) -> list[Shape]:
    hip, knee, ankle = joints[[LEFT_HIP + side, LEFT_KNEE + side, LEFT_ANKLE + side]]
    cloth = darker(dressed.skin if dressed.garment == "tunic" else dressed.bottom, shade)
    width = 0.075 * size * dressed.girth
    toes = ankle + np.array([0.03 * size * float(np.sign(ankle[0] - hip[0]) or 1.0), 0.008 * size])
    return [
        stroke(np.array([ankle, toes]), 0.042 * size, darker(dressed.hair, 0.4)),
        stroke(np.array([knee, ankle]), 0.62 * width, cloth),
        stroke(np.array([hip, knee]), width, cloth),
    ]


def _trunk(dressed: Look, joints: Points, neck: Points, size: float) -> list[Shape]:
    shoulders = _left_to_right(joints[LEFT_SHOULDER : LEFT_SHOULDER + 2])
    hips = _left_to_right(joints[LEFT_HIP : LEFT_HIP + 2])
    bulk = 0.035 * size * dressed.girth
    outwards = np.array([[-bulk, 0.0], [bulk, 0.0]])
    top, bottom = shoulders + outwards, hips + outwards
    middle, aside = hips.mean(axis=0), np.array([1.1 * bulk, 0.0])
    return [
        *(_skirt(dressed, joints, hips, size) if dressed.garment in ("robe", "gown") else []),
        polygon(np.array([top[0], neck, top[1], bottom[1], bottom[0]]), dressed.top),
        stroke(hips, 0.09 * size, dressed.top),
        stroke(np.array([shoulders[0] + [0, bulk], hips[0]]), 0.03 * size, lighter(dressed.top, 0.3), is_detail=True),
        stroke(np.array([middle - aside, middle + aside]), 0.02 * size, darker(dressed.bottom, 0.4)),
    ]


def _left_to_right(pair: Points) -> Points:
    return pair[np.argsort(pair[:, 0], kind="stable")]


def _skirt(dressed: Look, joints: Points, hips: Points, size: float) -> list[Shape]:
    is_gown = dressed.garment == "gown"
    colour = dressed.bottom if is_gown else dressed.top
    flare = (0.1 if is_gown else 0.05) * size * dressed.girth
    ankles = joints[LEFT_ANKLE : LEFT_ANKLE + 2]
    fall = ankles.mean(axis=0) - hips.mean(axis=0)
    down = fall / max(1e-6, float(np.hypot(fall[0], fall[1])))
    across = np.array([down[1], -down[0]])
    ankles = ankles[np.argsort(ankles @ across, kind="stable")]
    hem = np.array([ankles[0] - across * flare, ankles[1] + across * flare])
    waist = np.array([hips.mean(axis=0) + across * 0.08 * size, hips.mean(axis=0) - across * 0.08 * size])
    laps = [
        stroke(np.array([hips.mean(axis=0), knee]), 0.11 * size, colour) for knee in joints[LEFT_KNEE : LEFT_KNEE + 2]
    ]
    creases = ((0.2, darker(colour, 0.35)), (0.5, lighter(colour, 0.3)), (0.75, darker(colour, 0.35)))
    start = hips.mean(axis=0) + down * 0.06 * size
    folds = [
        stroke(np.array([start, hem[0] + (hem[1] - hem[0]) * share]), 0.012 * size, crease, is_detail=True)
        for share, crease in creases
    ]
    return [*laps, polygon(np.vstack([waist, hem]), colour), *folds]


def _head(posed: Body, dressed: Look, joints: Points, head: Points, radius: float) -> list[Shape]:
    fall = head - joints[LEFT_SHOULDER : LEFT_SHOULDER + 2].mean(axis=0)
    up = fall / max(1e-6, float(np.hypot(fall[0], fall[1])))
    turn = -float(np.arctan2(up[0], -up[1]))
    face = disc(head, (0.86 * radius, 1.02 * radius), dressed.skin, turn)
    behind = [disc(head + 0.35 * radius * up, (1.0 * radius, 0.8 * radius), dressed.hair, turn)]
    if dressed.hat == "hood":
        behind = [disc(head - 0.1 * radius * up, (1.25 * radius, 1.45 * radius), darker(dressed.top, 0.15), turn)]
    hat = _hat(dressed, head + 0.75 * radius * up, up, radius)
    if np.cos(posed.yaw) < -0.25:
        return [face, disc(head, (0.95 * radius, 1.05 * radius), dressed.hair, turn), *hat]
    fringe = disc(head + 0.64 * radius * up, (0.78 * radius, 0.44 * radius), dressed.hair, turn)
    return [*behind, face, fringe, *_features(posed, dressed, joints, up, radius), *hat]


def _features(posed: Body, dressed: Look, joints: Points, up: Points, radius: float) -> list[Shape]:
    if radius < 3.5:
        return []
    dot = max(0.7, 0.11 * radius)
    eyes = [
        disc(joints[eye], (dot, dot), (30, 22, 20), is_detail=True) for eye in (LEFT_EYE, RIGHT_EYE) if posed.seen[eye]
    ]
    lips = mixed(dressed.skin, (160, 30, 40), 0.6)
    return [
        *eyes,
        disc(joints[NOSE], (dot, 1.3 * dot), darker(dressed.skin, 0.25), is_detail=True),
        disc(joints[NOSE] - 0.38 * radius * up, (2.0 * dot, 0.6 * dot), lips, is_detail=True),
    ]


def _hat(dressed: Look, crown: Points, up: Points, radius: float) -> list[Shape]:
    across = np.array([-up[1], up[0]])
    if dressed.hat == "brim":
        felt = darker(dressed.bottom, 0.25)
        rim = np.array([crown - across * 1.5 * radius, crown + across * 1.5 * radius])
        return [disc(crown + up * 0.35 * radius, (0.85 * radius, 0.62 * radius), felt), stroke(rim, 0.3 * radius, felt)]
    if dressed.hat == "crown":
        zigzag = ((-0.8, 0.0), (-0.8, 0.7), (-0.4, 0.3), (0.0, 0.8), (0.4, 0.3), (0.8, 0.7), (0.8, 0.0))
        return [polygon(np.array([crown + (across * x + up * y) * radius for x, y in zigzag]), _GOLD)]
    if dressed.hat == "bun":
        return [disc(crown + up * 0.45 * radius, (0.42 * radius, 0.4 * radius), dressed.hair)]
    return []
