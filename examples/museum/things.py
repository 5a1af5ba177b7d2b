"""What stands about and is nobody: trees, columns, vases, animals, boats, furniture."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from examples.museum.colours import darker, lighter, mixed, picked
from examples.museum.shapes import Points, Shape, disc, polygon, stroke
from examples.museum.style import Ground, Style


class Thing(NamedTuple):
    """Shapes that belong together and stand on one line of the ground."""

    shapes: tuple[Shape, ...]
    base_px: float
    size_px: float


_Maker = Callable[[np.random.Generator, Style, Points, float], list[Shape]]


def _tree(rng: np.random.Generator, style: Style, foot: Points, size: float) -> list[Shape]:
    bark, leaf = picked(rng, style.dark), picked(rng, style.earth, 20.0)
    top = foot - [rng.normal(0, 0.06) * size, 0.62 * size]
    crown = [
        disc(top + rng.normal(0, 0.13, 2) * size, (rng.uniform(0.12, 0.24) * size, rng.uniform(0.1, 0.2) * size), shade)
        for shade in (darker(leaf, 0.3), leaf, darker(leaf, 0.12), lighter(leaf, 0.18))
    ]
    return [stroke(np.array([foot, top]), 0.07 * size, bark), *crown]


def _cypress(rng: np.random.Generator, style: Style, foot: Points, size: float) -> list[Shape]:
    leaf = mixed(picked(rng, style.earth), picked(rng, style.dark), 0.55)
    tip, width = foot - [rng.normal(0, 0.04) * size, size], rng.uniform(0.09, 0.17) * size
    flame = np.array([[0.5 * width, 0], [width, -0.35 * size], tip - foot, [-width, -0.3 * size]]) + foot
    return [polygon(flame, leaf), stroke(np.array([foot, tip]), 0.02 * size, lighter(leaf, 0.2), is_detail=True)]


def _pine(rng: np.random.Generator, style: Style, foot: Points, size: float) -> list[Shape]:
    bark, leaf = picked(rng, style.dark), picked(rng, style.earth, 18.0)
    bend = foot + np.array([[0, 0], [rng.normal(0, 0.12), -0.4], [rng.normal(0, 0.15), -0.75]]) * size
    pads = [
        disc(
            bend[1 + i % 2] + rng.normal(0, [0.2, 0.1]) * size, (0.23 * size, 0.07 * size), darker(leaf, 0.15 * (i % 3))
        )
        for i in range(5)
    ]
    return [stroke(bend, 0.06 * size, bark), *pads]


def _column(rng: np.random.Generator, style: Style, foot: Points, size: float) -> list[Shape]:
    stone, half = picked(rng, style.light), rng.uniform(0.05, 0.09) * size
    shaft = foot + np.array([[-half, 0], [half, 0], [0.85 * half, -size], [-0.85 * half, -size]])
    flutes = [
        stroke(foot + np.array([[x * half, 0], [x * half, -size]]), 0.2 * half, darker(stone, 0.25), is_detail=True)
        for x in (-0.4, 0.1, 0.6)
    ]
    caps = [
        stroke(foot + np.array([[-1.4 * half, y], [1.4 * half, y]]), 0.6 * half, lighter(stone, 0.15))
        for y in (0, -size)
    ]
    return [polygon(shaft, stone), *flutes, *caps]


def _vase(rng: np.random.Generator, style: Style, foot: Points, size: float) -> list[Shape]:
    glaze, size = picked(rng, style.bright), 0.55 * size
    belly = foot - [0, 0.3 * size]
    stems = belly + np.stack([rng.normal(0, 0.28, 5), -rng.uniform(0.5, 0.95, 5)], axis=1) * size
    flowers = [disc(stem, (0.1 * size, 0.1 * size), picked(rng, style.bright, 20.0)) for stem in stems]
    stalks = [stroke(np.array([belly, stem]), 0.03 * size, picked(rng, style.earth)) for stem in stems]
    neck = stroke(np.array([belly, belly - [0, 0.3 * size]]), 0.2 * size, glaze)
    gleam = disc(belly - [0.1 * size, 0.05 * size], (0.05 * size, 0.13 * size), lighter(glaze, 0.5), is_detail=True)
    return [*stalks, *flowers, neck, disc(belly, (0.27 * size, 0.3 * size), glaze), gleam]


def _beast(rng: np.random.Generator, style: Style, foot: Points, size: float) -> list[Shape]:
    """A horse, cow or dog, as the size and the neck will have it."""
    hide, size = picked(rng, (*style.dark, *style.earth), 25.0), rng.uniform(0.45, 0.9) * size
    facing, neck_rise = float(rng.choice([-1.0, 1.0])), rng.uniform(0.0, 0.4)
    back = foot - [0, 0.42 * size]
    half = np.array([0.25 * facing * size, 0.0])
    chest, rump = back + half, back - half
    face = chest + np.array([0.2 * facing, -0.08 - neck_rise]) * size
    legs = [
        stroke(np.array([hip, [hip[0] + step, foot[1]]]), 0.075 * size, darker(hide, shade))
        for hip, step, shade in zip(
            (chest, chest, rump, rump), rng.normal(0, 0.06, 4) * size, (0.3, 0.05, 0.3, 0.05), strict=True
        )
    ]
    tail = stroke(np.array([rump, rump + np.array([-0.15 * facing, 0.15]) * size]), 0.04 * size, darker(hide, 0.3))
    muzzle = disc(face + np.array([0.07 * facing, 0.03]) * size, (0.12 * size, 0.07 * size), hide, -0.5 * facing)
    ear = stroke(np.array([face, face - np.array([0.02 * facing, 0.09]) * size]), 0.04 * size, darker(hide, 0.2))
    body = stroke(np.array([chest, rump]), 0.27 * size, hide)
    return [
        legs[0],
        legs[2],
        tail,
        body,
        stroke(np.array([chest, face]), 0.13 * size, hide),
        legs[1],
        legs[3],
        ear,
        muzzle,
    ]


def _boat(rng: np.random.Generator, style: Style, foot: Points, size: float) -> list[Shape]:
    wood, sail = picked(rng, style.dark, 20.0), picked(rng, (*style.bright, *style.light))
    hull = foot + np.array([[-0.5, -0.2], [0.5, -0.22], [0.32, 0.0], [-0.36, 0.0]]) * size
    mast = foot + np.array([[0.0, -0.18], [rng.normal(0, 0.03), -0.95]]) * size
    bulge = rng.uniform(-0.45, 0.45)
    cloth = np.array(
        [mast[1], mast[1] + np.array([bulge, 0.4]) * size, mast[0] + np.array([0.9 * bulge, -0.05]) * size]
    )
    return [stroke(mast, 0.03 * size, wood), polygon(np.vstack([cloth, mast[:1]]), sail), polygon(hull, wood)]


def _table(rng: np.random.Generator, style: Style, foot: Points, size: float) -> list[Shape]:
    cloth, size = picked(rng, (*style.bright, *style.earth)), 0.8 * size
    top = foot + np.array([[-0.45, -0.42], [0.45, -0.42], [0.52, -0.3], [-0.52, -0.3]]) * size
    skirt = foot + np.array([[-0.52, -0.3], [0.52, -0.3], [0.5, -0.12], [-0.48, -0.1]]) * size
    legs = [
        stroke(foot + np.array([[x, -0.2], [x, 0.0]]) * size, 0.05 * size, picked(rng, style.dark))
        for x in (-0.42, 0.42)
    ]
    spots = foot + np.stack([rng.uniform(-0.4, 0.4, 4), rng.uniform(-0.48, -0.38, 4)], axis=1) * size
    fruit = [disc(spot, (0.06 * size, 0.06 * size), picked(rng, style.bright, 20.0)) for spot in spots]
    return [*legs, polygon(skirt, darker(cloth, 0.25)), polygon(top, cloth), *fruit]


def _bush(rng: np.random.Generator, style: Style, foot: Points, size: float) -> list[Shape]:
    leaf, size = picked(rng, style.earth, 20.0), 0.5 * size
    spots = foot + np.stack([rng.normal(0, 0.35, 6), rng.uniform(-0.4, -0.05, 6)], axis=1) * size
    leaves = [disc(spot, (0.25 * size, 0.2 * size), darker(leaf, 0.1 * (i % 4))) for i, spot in enumerate(spots)]
    buds = [disc(spot - [0, 0.1 * size], (0.04 * size, 0.04 * size), picked(rng, style.bright)) for spot in spots]
    return [*leaves, *buds]


def _house(rng: np.random.Generator, style: Style, foot: Points, size: float) -> list[Shape]:
    wall, roof = picked(rng, style.light), picked(rng, (*style.earth, *style.bright))
    wide, high = rng.uniform(0.3, 0.6) * size, rng.uniform(0.4, 0.7) * size
    box = foot + np.array([[-wide, 0], [wide, 0], [wide, -high], [-wide, -high]])
    gable = foot + np.array(
        [[-1.15 * wide, -high], [1.15 * wide, -high], [rng.normal(0, 0.3) * wide, -high - 0.3 * size]]
    )
    holes = [
        polygon(
            foot + np.array([[x, y], [x + 0.1, y], [x + 0.1, y - 0.14], [x, y - 0.14]]) * size, picked(rng, style.dark)
        )
        for x, y in ((-0.22, -0.1), (0.08, -0.12), (-0.05, -0.02))
    ]
    return [polygon(box, wall), polygon(gable, roof), *holes]


_OUTDOORS: tuple[_Maker, ...] = (_tree, _tree, _cypress, _pine, _bush, _beast, _house, _column)
_INDOORS: tuple[_Maker, ...] = (_table, _vase, _column, _vase, _beast)
_MAKERS: dict[Ground, tuple[_Maker, ...]] = {
    "sea": (_boat, _boat, _boat, _pine, _beast),
    "waves": (_boat, _pine, _boat, _bush),
    "room": _INDOORS,
    "drape": _INDOORS,
    "gold": (_column, _vase, _cypress, _house),
    "abstract": (_vase, _table, _column, _tree, _house),
    "town": (_house, _house, _column, _beast, _tree),
}


def thing(
    rng: np.random.Generator, style: Style, ground: Ground, foot_px: tuple[float, float], size_px: float
) -> Thing:
    """Something that may stand on that ground, about size_px high."""
    makers = _MAKERS.get(ground, _OUTDOORS)
    maker = makers[int(rng.integers(len(makers)))]
    return Thing(tuple(maker(rng, style, np.array(foot_px), size_px)), foot_px[1], size_px)
