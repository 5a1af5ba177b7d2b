"""Who and what stands on a ground, from back to front, and who can still be seen."""

from typing import NamedTuple

import numpy as np

from examples.museum.colours import Image, picked
from examples.museum.dress import look
from examples.museum.figures import Figure, PosedFigure, crowd, figure_from_plate, pose_figure
from examples.museum.shapes import draw, draw_plate
from examples.museum.skeleton import PoseName
from examples.museum.style import Ground, Style
from examples.museum.things import Thing, thing

_POSES: tuple[PoseName, ...] = ("standing", "walking", "sitting", "reclining")
LEAST_SHOWN = 0.6
"""Of a figure, or it is not painted."""
LEAST_HEIGHT = 0.072
"""Of what can be seen of a figure, as a share of the picture's height."""
_ROOM_FOR_MANY_PX = 90


class Scene(NamedTuple):
    """A ground to stand on. horizon: as a fraction of the height."""

    style: Style
    ground: Ground
    height: int
    width: int
    horizon: float


def draw_people(rng: np.random.Generator, scene: Scene, canvas: Image) -> tuple[Figure, ...]:
    """Draws things and people onto the canvas and returns the truth of those who can be seen."""
    return draw_scene(rng, scene, canvas, *cast(rng, scene))


def cast(rng: np.random.Generator, scene: Scene) -> tuple[list[Thing], list[PosedFigure]]:
    """The things and people of a scene, where they would stand."""
    return _things(rng, scene), _people(rng, scene)


def draw_scene(
    rng: np.random.Generator, scene: Scene, canvas: Image, things: list[Thing], people: list[PosedFigure]
) -> tuple[Figure, ...]:
    """Draws these onto the canvas and returns the truth of those who can be seen; of the others nothing is drawn."""
    while True:
        plate = _plate(scene, things, people)
        shown = [who for number, who in enumerate(people, 1) if _is_shown(plate, number, who, scene)]
        if len(shown) == len(people):
            break
        people = shown
    ink = picked(rng, scene.style.dark, 6.0)
    for item in _back_to_front(things, people):
        draw(canvas, item.shapes, _outline_px(scene, item), ink)
    return tuple(figure_from_plate(plate, number, who) for number, who in enumerate(people, 1))


def _back_to_front(things: list[Thing], people: list[PosedFigure]) -> list[Thing | PosedFigure]:
    return sorted([*things, *people], key=lambda item: item.base_px)


def _outline_px(scene: Scene, item: Thing | PosedFigure) -> float:
    return min(scene.style.outline * max(scene.height, scene.width) / 1000.0, 0.022 * item.size_px)


def _plate(scene: Scene, things: list[Thing], people: list[PosedFigure]) -> Image:
    """Which figure each pixel shows: its place in `people` from 1, or 0."""
    plate = np.zeros((scene.height, scene.width), dtype=np.uint8)
    numbers = {id(who): number for number, who in enumerate(people, 1)}
    for item in _back_to_front(things, people):
        draw_plate(plate, item.shapes, _outline_px(scene, item), numbers.get(id(item), 0))
    return plate


def _is_shown(plate: Image, number: int, who: PosedFigure, scene: Scene) -> bool:
    alone = np.zeros_like(plate)
    draw_plate(alone, who.shapes, _outline_px(scene, who), 1)
    whole, seen = int(alone.sum()), int((plate == number).sum())
    if seen < max(30, LEAST_SHOWN * whole):
        return False
    return int((plate == number).any(axis=1).sum()) >= LEAST_HEIGHT * scene.height


def _things(rng: np.random.Generator, scene: Scene) -> list[Thing]:
    reach = min(scene.height, 1.6 * scene.width)
    found = []
    for _ in range(int(rng.integers(1, 8))):
        size = reach * np.exp(rng.uniform(np.log(0.14), np.log(0.7)))
        found.append(thing(rng, scene.style, scene.ground, _foot(rng, scene, size), float(size)))
    return found


def _foot(rng: np.random.Generator, scene: Scene, size: float, across: float | None = None) -> tuple[float, float]:
    """Somewhere on the floor; the larger, the nearer. across: where from left to right, 0..1, None for anywhere."""
    floor = scene.horizon * scene.height
    depth = np.clip(size / scene.height + rng.normal(0, 0.18), 0.06, 1.0)
    across = float(rng.uniform(0.02, 0.98)) if across is None else across
    return across * scene.width, float(floor + depth * (scene.height * 0.99 - floor))


def _people(rng: np.random.Generator, scene: Scene) -> list[PosedFigure]:
    if rng.uniform() < 0.3:
        return []
    shares = 1.0 / np.arange(1, 9) ** 1.25
    count = int(rng.choice(8, p=shares / shares.sum())) + 1
    reach = min(scene.height, 2.0 * scene.width)
    if reach < _ROOM_FOR_MANY_PX:
        count = min(count, 2)
    least = min(0.6, max(0.18, 34.0 / reach))
    usual = float(np.exp(rng.uniform(*np.log(_usual_sizes(rng, count, least)))))
    sizes = reach * np.clip(usual * rng.normal(1.0, 0.18, count), least, 1.1)
    # most keep some distance from each other, as sitters do
    places = (rng.permutation(count) + rng.uniform(0.1, 0.9, count)) / count
    if rng.uniform() < 0.1:
        places = rng.uniform(0.02, 0.98, count)
    people = [_person(rng, scene, float(size), float(place)) for size, place in zip(sizes, places, strict=True)]
    if count > 2 and rng.uniform() < 0.12:
        people = [*people[:7], _crowd(rng, scene, reach * max(least, 0.14))]
    return people


def _usual_sizes(rng: np.random.Generator, count: int, least: float) -> tuple[float, float]:
    """Between which sizes a picture's people are, as a share of its height: now and then far away, else near."""
    if rng.uniform() < 0.06 and least < 0.3:
        return least, 0.32
    if count == 1:
        return 0.4, 1.0
    return (max(least, 0.34), 0.9) if count < 4 else (max(least, 0.28), 0.65)


def _person(rng: np.random.Generator, scene: Scene, size: float, across: float) -> PosedFigure:
    pose = _POSES[int(rng.choice(4, p=[0.42, 0.24, 0.22, 0.12]))]
    foot = _foot(rng, scene, size, across)
    # heads are seldom cut off
    foot = (foot[0], max(foot[1], 0.97 * size))
    if size > 0.45 * scene.height and rng.uniform() < 0.3:
        foot = (foot[0], scene.height + size * float(rng.uniform(0.0, 0.4)))
    dressed = look(rng, scene.style.bright, scene.style.skins)
    head = float(np.clip(rng.normal(scene.style.heads, 0.006), 0.06, 0.12))
    return pose_figure(rng, pose, dressed, foot, size, head)


def _crowd(rng: np.random.Generator, scene: Scene, size: float) -> PosedFigure:
    """A far row of people too close together to be told apart."""
    middle, base = _foot(rng, scene, size)
    members = []
    for _ in range(int(rng.integers(9, 16))):
        foot = (middle + float(rng.normal(0, 0.8)) * size, base + float(rng.normal(0, 0.08)) * size)
        dressed = look(rng, scene.style.bright, scene.style.skins)
        members.append(pose_figure(rng, "standing", dressed, foot, size, scene.style.heads))
    return crowd(members)
