"""People who look at the museum's works: who draws boxes and joints around the figures, and says how lifelike they are.

Each has skills of their own, drawn from a seed. A rater's answer to a work depends on the seed, the rater and the work
alone. The museum's paintings are not deformed: how deformed a work is stated, as a number of 1 to 5, and raters
do worse the higher it is.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from examples.museum.figures import Figure
from examples.museum.holdings import holding
from examples.museum.paint import make_sketch
from examples.museum.scene import Scene, draw_people
from examples.museum.seeds import generator
from schemas.evaluate_figures import LIKERT, RATINGS

_MIRRORED = (0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15)
"""COCO's joints with left and right changed."""
_SMALL = 0.15
"""A figure of this share of the picture's height is missed half as often as one of no height."""
_LEAST_SIDE_PX = 4.0
_MOST_MISSED = 0.95
"""The highest chance to miss a figure."""
_SHARED_SHIFT = 0.03
"""Standard deviation of the error that all raters share in each side of a figure, as a share of the figure."""
_SHARED_HARDNESS = 0.9
"""Standard deviation of the logarithm of a figure's hardness."""

Points = NDArray[np.float64]


class Appearance(NamedTuple):
    """What a figure is to everybody: the errors that all raters share, and that no consensus can mend.

    hardness: how many times the usual chance everybody has to miss it. outline_px: (x_min, y_min, x_max, y_max) that
    people take it for.
    """

    hardness: float
    outline_px: tuple[float, float, float, float]


class RatedWork(NamedTuple):
    """A work that raters look at. deformation: 1.0 (lifelike) to 5.0 (not at all). appearances: of each figure."""

    name: str
    width_px: int
    height_px: int
    figures: tuple[Figure, ...]
    deformation: float
    appearances: tuple[Appearance, ...]


class Skill(NamedTuple):
    """How one person draws, and rates.

    miss: chance to miss a figure of no height; it falls with the height. shift: standard deviation of each side of a
    box, as a share of the box. loose: by which share of its size each box is too large (or, below 0, too small). join:
    chance that two figures whose boxes overlap get one box. extra: mean number of boxes around nobody. swap: chance
    that left and right are taken for each other. strict: what is added to each rating. doubt: standard deviation of a
    rating.
    """

    miss: float
    shift: float
    loose: float
    join: float
    extra: float
    swap: float
    strict: float
    doubt: float


class DrawnFigure(NamedTuple):
    """A box of one rater, and its 17 joints (x, y, v)."""

    xyxy_px: Points
    joints: Points


def skill_of(seed: int, rater: int, errors: float = 1.0) -> Skill:
    """The skill of that rater. About one of nine has not understood the task: they miss much and draw badly.

    errors: how many times the usual errors everybody makes, but for ratings and left and right.
    """
    rng = generator(seed, "skill", rater)
    is_careless = rng.uniform() < 1 / 9
    worse = errors * (4.0 if is_careless else 1.0)
    return Skill(
        miss=min(0.9, worse * float(rng.uniform(0.05, 0.3))),
        shift=worse * float(rng.uniform(0.02, 0.06)),
        loose=errors * float(rng.normal(0.0, 0.04)),
        join=min(0.9, worse * float(rng.uniform(0.05, 0.3))),
        extra=worse * float(rng.uniform(0.02, 0.12)),
        swap=float(rng.uniform(0.0, 0.2)),
        strict=float(rng.normal(0.0, 0.4)),
        doubt=float(rng.uniform(0.4, 1.0)),
    )


def rated_works(seed: int, count: int) -> Iterator[RatedWork]:
    """The museum's first works, copies, series and faults left out, that have a figure. Crowds count as one figure."""
    row = -1
    while count:
        row += 1
        held = holding(seed, row)
        if held.original is not None or held.fault is not None or held.first is not None:
            continue
        width_px, height_px, figures = figures_of_work(seed, row)
        if figures:
            rng = generator(seed, "appearance", row)
            deformation = float(rng.uniform(*LIKERT))
            appearances = tuple(appearance_of(rng, figure, width_px, height_px) for figure in figures)
            yield RatedWork(held.key, width_px, height_px, figures, deformation, appearances)
            count -= 1


def appearance_of(rng: np.random.Generator, figure: Figure, width_px: int, height_px: int) -> Appearance:
    """How everybody sees that figure: about one of ten is more than three times as hard as usual."""
    x, y, width, height = figure.xywh_px
    left, top, right, bottom = rng.normal(0, _SHARED_SHIFT, 4) * (width, height, width, height)
    outline = (max(0.0, x + left), max(0.0, y + top), x + width + right, y + height + bottom)
    within = (*outline[:2], min(float(width_px), outline[2]), min(float(height_px), outline[3]))
    return Appearance(float(np.exp(rng.normal(0, _SHARED_HARDNESS))), within)


def figures_of_work(seed: int, number: int) -> tuple[int, int, tuple[Figure, ...]]:
    """Width, height and figures of a work of its own motif, without the time that painting takes."""
    sketch = make_sketch(seed, number)
    scene = Scene(sketch.caption.style, sketch.ground, sketch.height, sketch.width, sketch.horizon)
    canvas = np.zeros((scene.height, scene.width, 3), dtype=np.uint8)
    return scene.width, scene.height, draw_people(generator(seed, "people", number), scene, canvas)


def simulate_raters(seed: int, works: Sequence[RatedWork], raters: int, each: int, errors: float = 1.0) -> pa.Table:
    """RATINGS of so many raters, who each look at `each` of the works, drawn at random (18, 146 of 218: Ginosar et al.,
    2014, section 5.2). errors: see `skill_of`.

    Raises ValueError where there are fewer works than `each`.
    """
    if each > len(works):
        raise ValueError(f"expected at least {each} works, got {len(works)}")
    rows: list[dict[str, Any]] = []
    for rater in range(raters):
        chosen = np.sort(generator(seed, "works of rater", rater).permutation(len(works))[:each])
        skill = skill_of(seed, rater, errors)
        for place in chosen.tolist():
            work = works[place]
            rng = generator(seed, f"rater\t{rater}\t{work.name}", 0)
            rows += _rows(f"rater-{rater + 1:02d}", work, draw_figures(rng, skill, work), rate(rng, skill, work))
    return pa.Table.from_pylist(rows, schema=RATINGS)


def draw_figures(rng: np.random.Generator, skill: Skill, work: RatedWork) -> list[DrawnFigure]:
    """What the rater draws on the work, in no order that says anything; no box twice."""
    harder = 0.5 + work.deformation / LIKERT[1]
    outlines, joints = [], []
    for figure, seen_as in zip(work.figures, work.appearances, strict=True):
        usual = harder * skill.miss / (1 + figure.xywh_px[3] / work.height_px / _SMALL)
        if rng.uniform() >= min(_MOST_MISSED, seen_as.hardness * usual):
            outlines.append(np.array(seen_as.outline_px))
            joints.append(np.array(figure.keypoints, np.float64))
    drawn = []
    while outlines:
        outline, mine = outlines.pop(0), joints.pop(0)
        neighbour = next((place for place, other in enumerate(outlines) if _is_overlapping(outline, other)), None)
        if neighbour is not None and rng.uniform() < harder * skill.join:
            other = outlines.pop(neighbour)
            joints.pop(neighbour)
            outline = np.concatenate([np.minimum(outline[:2], other[:2]), np.maximum(outline[2:], other[2:])])
        drawn.append(DrawnFigure(_box(rng, skill, work, outline, harder), _joints(rng, skill, outline, mine)))
    for _ in range(int(rng.poisson(harder * skill.extra))):
        size = np.array([work.width_px, work.height_px])
        low = rng.uniform(0, 0.8, 2) * size
        box = _box(rng, skill, work, np.concatenate([low, low + rng.uniform(0.1, 0.5, 2) * size]), harder)
        drawn.append(DrawnFigure(box, np.zeros((17, 3))))
    return list({tuple(one.xyxy_px.tolist()): one for one in drawn}.values())


def rate(rng: np.random.Generator, skill: Skill, work: RatedWork) -> int:
    """How deformed the rater finds the work, 1 to 5."""
    return int(np.clip(np.floor(work.deformation + skill.strict + rng.normal(0, skill.doubt) + 0.5), *LIKERT))


def _rows(rater: str, work: RatedWork, drawn: Sequence[DrawnFigure], rating: int) -> Iterator[dict[str, Any]]:
    common = {"rater": rater, "image": work.name, "rating": rating}
    for one in drawn:
        corners = dict(zip(("x_min", "y_min", "x_max", "y_max"), one.xyxy_px.tolist(), strict=True))
        yield {**common, **corners, "keypoints_xyv": one.joints.ravel().tolist()}
    if not drawn:
        yield common


def _is_overlapping(one: Points, other: Points) -> bool:
    return bool((np.minimum(one[2:], other[2:]) > np.maximum(one[:2], other[:2])).all())


def _box(rng: np.random.Generator, skill: Skill, work: RatedWork, outline: Points, harder: float) -> Points:
    """The outline as the rater draws it: moved, too large or too small, within the picture, to 0.1 px."""
    sides = np.tile(outline[2:] - outline[:2], 2)
    grown = outline + sides * skill.loose / 2 * np.array([-1, -1, 1, 1])
    moved = grown + rng.normal(0, harder * skill.shift, 4) * sides
    limits = np.array([work.width_px, work.height_px], np.float64)
    low = np.clip(np.minimum(moved[:2], moved[2:] - _LEAST_SIDE_PX), 0, limits - _LEAST_SIDE_PX)
    high = np.clip(moved[2:], low + _LEAST_SIDE_PX, limits)
    return np.asarray(np.concatenate([low, high]).round(1))


def _joints(rng: np.random.Generator, skill: Skill, outline: Points, joints: Points) -> Points:
    """The joints as the rater sets them: a little off, and now and then left for right; those not given stay so."""
    given = joints[list(_MIRRORED)] if rng.uniform() < skill.swap else joints.copy()
    off = rng.normal(0, 0.3 * skill.shift, (len(given), 2)) * np.abs(outline[2:] - outline[:2])
    given[:, :2] = np.where(given[:, 2:] > 0, (given[:, :2] + off).round(1), 0.0)
    return given
