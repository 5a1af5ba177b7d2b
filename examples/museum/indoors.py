"""Grounds without a sky: rooms, curtains, gold, printed waves, and nothing in particular."""

import numpy as np

from examples.museum.colours import Image, darker, lighter, mixed, picked
from examples.museum.shapes import box, disc, draw, fade, polygon, stroke
from examples.museum.style import Style


def paint_room(rng: np.random.Generator, style: Style, canvas: Image, horizon: float) -> None:
    """A wall, perhaps striped, a floor of boards, windows, mirrors and pictures."""
    height, width = canvas.shape[:2]
    floor = horizon * height
    wall = picked(rng, (*style.light, *style.bright), 18.0)
    fade(canvas, 0, height, darker(wall, rng.uniform(0, 0.35)), wall)
    stripes = int(rng.integers(0, 12))
    for stripe in range(stripes):
        left = stripe * width / stripes
        draw(canvas, [polygon(box(left, 0, left + 0.5 * width / stripes, floor), darker(wall, 0.15))])
    boards = picked(rng, style.earth, 18.0)
    draw(canvas, [polygon(box(0, floor, width, height), boards)])
    vanish = rng.uniform(0, 1) * width
    reach = 0.4 / (0.4 + 1.0 - horizon)
    for slat in np.linspace(-1.0, 2.0, int(rng.integers(6, 16))) * width:
        joint = np.array([[vanish + reach * (slat - vanish), floor], [slat, height]])
        draw(canvas, [stroke(joint, 1.0, darker(boards, 0.3))])
    rail = rng.uniform(0.4, 0.9) * floor
    draw(canvas, [stroke(np.array([[0.0, rail], [width, rail]]), 0.012 * height, darker(wall, 0.3))])
    for _ in range(int(rng.integers(1, 5))):
        _frame(rng, style, canvas, floor)


def _frame(rng: np.random.Generator, style: Style, canvas: Image, floor: float) -> None:
    """A window, a mirror or a picture within the picture."""
    height, width = canvas.shape[:2]
    left, top = rng.uniform(-0.1, 0.85) * width, rng.uniform(-0.05, 0.5) * floor
    right, bottom = left + rng.uniform(0.12, 0.4) * width, top + rng.uniform(0.25, 0.6) * floor
    edge = 0.015 * (height + width) * 0.5
    inside = picked(rng, (*style.light, *style.earth, *style.dark), 25.0)
    shapes = [
        polygon(box(left - edge, top - edge, right + edge, bottom + edge), picked(rng, style.dark, 20.0)),
        polygon(box(left, top, right, bottom), inside),
        polygon(box(left, top + (bottom - top) * rng.uniform(0.4, 0.8), right, bottom), picked(rng, style.earth, 20.0)),
        disc((rng.uniform(left, right), (top + bottom) / 2), (2 * edge, 2 * edge), picked(rng, style.bright)),
    ]
    draw(canvas, shapes)


def paint_drape(rng: np.random.Generator, style: Style, canvas: Image, horizon: float) -> None:
    """Curtains hung in folds before a plain wall, and a floor."""
    height, width = canvas.shape[:2]
    fade(canvas, 0, height, picked(rng, style.light, 22.0), picked(rng, (*style.dark, *style.earth), 22.0))
    for _ in range(int(rng.integers(1, 4))):
        cloth = picked(rng, (*style.bright, *style.earth), 20.0)
        left, span, fall = rng.uniform(-0.3, 0.9) * width, rng.uniform(0.2, 0.6) * width, rng.uniform(0.3, 1.1) * height
        folds = int(rng.integers(4, 10))
        for fold in range(folds):
            x, shade = left + span * fold / folds, rng.uniform(0, 0.5)
            sway = np.array(
                [[x, -5], [x + rng.normal(0, 0.04) * width, fall * 0.5], [x + rng.normal(0, 0.1) * width, fall]]
            )
            draw(canvas, [stroke(sway, 1.3 * span / folds, darker(cloth, shade))])
    floor = picked(rng, (*style.earth, *style.dark), 20.0)
    draw(canvas, [polygon(box(0, horizon * height, width, height), floor)])


def paint_gold(rng: np.random.Generator, style: Style, canvas: Image, horizon: float) -> None:
    """A gilt ground under arches, with haloes that wait for their saints."""
    height, width = canvas.shape[:2]
    fade(canvas, 0, height, picked(rng, style.light, 15.0), picked(rng, style.light, 15.0))
    arches = int(rng.integers(1, 5))
    step = width / arches
    for arch in range(arches):
        middle, top = (arch + 0.5) * step, rng.uniform(0.1, 0.4) * height
        niche = picked(rng, (*style.light, *style.bright, *style.dark), 25.0)
        foot = box(middle - 0.4 * step, top, middle + 0.4 * step, rng.uniform(0.7, 1.0) * height)
        draw(canvas, [disc((middle, top), (0.4 * step, 0.3 * step), niche), polygon(foot, niche)])
    for _ in range(int(rng.integers(0, 5))):
        radius = rng.uniform(0.04, 0.12) * (height + width) * 0.5
        spot = rng.uniform(0, 1, 2) * [width, height]
        ring = picked(rng, style.dark, 15.0)
        draw(
            canvas, [disc(spot, (radius, radius), ring), disc(spot, (0.85 * radius, 0.85 * radius), lighter(ring, 0.7))]
        )
    floor = picked(rng, style.earth, 22.0)
    draw(canvas, [polygon(box(0, horizon * height, width, height), floor)])


def paint_waves(rng: np.random.Generator, style: Style, canvas: Image, horizon: float) -> None:
    """A printed sea: bands of colour, a far mountain, a round sun, rows of scales for waves."""
    height, width = canvas.shape[:2]
    fade(canvas, 0, height, picked(rng, style.light, 15.0), picked(rng, style.light, 15.0))
    sun = rng.uniform(0.04, 0.16) * min(height, width)
    spot = rng.uniform([0.05, 0.05], [0.95, horizon]) * [width, height]
    peak, foot = rng.uniform(0.0, 1.0) * width, rng.uniform(0.15, 0.5) * width
    rows = np.array([horizon, rng.uniform(0.05, 0.7) * horizon, horizon]) * height
    cone = np.stack([[peak - foot, peak, peak + foot], rows], axis=1)
    draw(canvas, [disc(spot, (sun, sun), picked(rng, style.bright)), polygon(cone, picked(rng, style.dark, 25.0))])
    water, level = picked(rng, style.dark, 20.0), horizon * height
    while level < height:
        scale = rng.uniform(0.05, 0.14) * (height + width) * 0.5
        shade = mixed(water, picked(rng, style.light), rng.uniform(0.0, 0.8))
        crests = np.arange(rng.uniform(-1, 0) * scale, width + scale, 1.5 * scale)
        draw(canvas, [disc((x, level + scale), (0.85 * scale, scale), shade) for x in crests], 1.0, darker(water, 0.3))
        level += 0.7 * scale
        draw(canvas, [polygon(box(0, level + scale * 0.4, width, height), shade)])


def paint_abstract(rng: np.random.Generator, style: Style, canvas: Image, horizon: float) -> None:
    """Large triangles, discs, bars and boxes, from the back of the pile to the front."""
    height, width = canvas.shape[:2]
    fade(canvas, 0, height, picked(rng, style.light, 22.0), picked(rng, style.earth, 22.0))
    everything = (*style.light, *style.earth, *style.dark, *style.bright)
    for _ in range(int(rng.integers(8, 22))):
        middle, reach = rng.uniform(0, 1, 2) * [width, height], rng.uniform(0.08, 0.4) * min(width, height)
        shade, kind = picked(rng, everything, 25.0), int(rng.integers(4))
        corners = middle + rng.normal(0, 1, (3 + kind % 2, 2)) * reach
        if kind == 2:
            draw(canvas, [disc(middle, (reach, reach * rng.uniform(0.4, 1.0)), shade, rng.uniform(0, 3))])
        elif kind == 3:
            draw(canvas, [stroke(corners[:2] * 1.5 - 0.5 * middle, reach * rng.uniform(0.1, 0.5), shade)])
        else:
            draw(canvas, [polygon(corners, shade)])
