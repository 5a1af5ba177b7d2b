"""Grounds under the sky: land, sea, town, night, garden."""

import numpy as np

from examples.museum.colours import Colour, Image, darker, lighter, mixed, picked
from examples.museum.shapes import box, disc, draw, fade, polygon, stroke
from examples.museum.style import Style


def _ridge(rng: np.random.Generator, canvas: Image, level: float, rise: float, shade: Colour) -> None:
    """Everything below a wavy line filled; level and rise as fractions of the height."""
    height, width = canvas.shape[:2]
    across = np.linspace(0.0, 1.0, 24)
    line = sum(
        rng.normal(0, 1.0 / (1 + 0.7 * wave)) * np.sin(2 * np.pi * (wave * across * 0.7 + rng.uniform()))
        for wave in range(1, 5)
    )
    crest = np.stack([across * width, (level - rise * line) * height], axis=1)
    draw(canvas, [polygon(np.vstack([crest, [[width, height], [0, height]]]), shade)])


def _clouds(rng: np.random.Generator, style: Style, canvas: Image, horizon: float) -> None:
    height, width = canvas.shape[:2]
    for _ in range(int(rng.integers(2, 8))):
        centre = rng.uniform(0, 1, 2) * [width, horizon * height]
        radii = rng.uniform(0.04, 0.2, 2) * [width, 0.6 * height]
        shade = mixed(picked(rng, style.light, 20.0), (255, 255, 255), rng.uniform(0, 0.5))
        draw(canvas, [disc(centre + rng.normal(0, 0.5, 2) * radii, (radii[0], radii[1]), shade) for _ in range(3)])


def _sun(rng: np.random.Generator, style: Style, canvas: Image, horizon: float) -> None:
    height, width = canvas.shape[:2]
    radius = rng.uniform(0.03, 0.11) * min(height, width)
    spot = (rng.uniform(0.05, 0.95) * width, rng.uniform(0.1, 0.9) * horizon * height)
    draw(canvas, [disc(spot, (radius, radius), lighter(picked(rng, style.bright), 0.4))])


def _sky(rng: np.random.Generator, style: Style, canvas: Image, horizon: float) -> None:
    fade(canvas, 0, canvas.shape[0], picked(rng, style.light, 18.0), picked(rng, style.light, 18.0))
    if rng.uniform() < 0.5:
        _sun(rng, style, canvas, horizon)
    _clouds(rng, style, canvas, horizon)


def paint_land(rng: np.random.Generator, style: Style, canvas: Image, horizon: float) -> None:
    """Hills behind hills under a sky, perhaps a path."""
    _sky(rng, style, canvas, horizon)
    haze = picked(rng, style.light)
    layers = int(rng.integers(2, 5))
    for layer in range(layers):
        near = (layer + 1) / layers
        shade = mixed(haze, picked(rng, (*style.earth, *style.dark) if layer < 2 else style.earth, 22.0), near)
        _ridge(rng, canvas, horizon + 0.22 * layer * (1 - horizon), 0.13 * rng.uniform(0.3, 1.3), shade)
    if rng.uniform() < 0.4:
        _path(rng, canvas, horizon, lighter(picked(rng, (*style.earth, *style.light), 20.0), 0.2))


def _path(rng: np.random.Generator, canvas: Image, horizon: float, shade: Colour) -> None:
    height, width = canvas.shape[:2]
    down = np.linspace(0.0, 1.0, 12)
    middle = rng.uniform(0.2, 0.8) + 0.25 * np.sin(down * rng.uniform(2, 6) + rng.uniform(0, 6)) * down
    half = 0.01 + rng.uniform(0.05, 0.22) * down
    rows = (horizon + 0.05 + down * (0.95 - horizon)) * height
    left, right = np.stack([(middle - half) * width, rows], 1), np.stack([(middle + half) * width, rows], 1)
    draw(canvas, [polygon(np.vstack([left, right[::-1]]), shade)])


def paint_sea(rng: np.random.Generator, style: Style, canvas: Image, horizon: float) -> None:
    """Water under a sky, its waves, perhaps a shore."""
    height, width = canvas.shape[:2]
    _sky(rng, style, canvas, horizon)
    water = mixed(picked(rng, style.dark, 20.0), picked(rng, style.light, 20.0), rng.uniform(0.2, 0.75))
    fade(
        canvas, round(horizon * height), height, lighter(water, rng.uniform(0, 0.4)), darker(water, rng.uniform(0, 0.4))
    )
    for _ in range(int(rng.integers(10, 40))):
        row = height * (horizon + (1 - horizon) * rng.uniform() ** 1.5)
        left, span = rng.uniform(-0.1, 1) * width, rng.uniform(0.05, 0.35) * width
        shade = lighter(water, rng.uniform(0.1, 0.6)) if rng.uniform() < 0.7 else darker(water, 0.3)
        draw(canvas, [stroke(np.array([[left, row], [left + span, row + rng.normal(0, 2)]]), 0.012 * height, shade)])
    if rng.uniform() < 0.6:
        _ridge(rng, canvas, rng.uniform(0.75, 0.98), rng.uniform(0.03, 0.12), picked(rng, style.earth, 20.0))


def paint_town(rng: np.random.Generator, style: Style, canvas: Image, horizon: float) -> None:
    """A row of houses along a street."""
    height, width = canvas.shape[:2]
    _sky(rng, style, canvas, horizon)
    street = horizon * height
    left = -rng.uniform(0, 0.1) * width
    while left < width:
        right = left + rng.uniform(0.08, 0.3) * width
        roof = street - rng.uniform(0.15, 1.0) * street
        wall = mixed(picked(rng, (*style.light, *style.earth), 25.0), picked(rng, style.dark), rng.uniform(0, 0.6))
        draw(canvas, [polygon(box(left, roof, right, street), wall)])
        _windows(rng, style, canvas, (left, roof, right, street))
        left = right + (rng.uniform(0, 0.1) * width if rng.uniform() < 0.3 else 0)
    draw(canvas, [polygon(box(0, street, width, height), picked(rng, style.earth, 22.0))])
    _path(rng, canvas, horizon - 0.03, picked(rng, (*style.light, *style.dark), 20.0))


def _windows(rng: np.random.Generator, style: Style, canvas: Image, wall: tuple[float, float, float, float]) -> None:
    left, top, right, bottom = wall
    columns, rows = int(rng.integers(1, 4)), int(rng.integers(1, 5))
    shade = picked(rng, (*style.dark, *style.bright), 18.0)
    wide, high = (right - left) / (2 * columns + 1), (bottom - top) / (2 * rows + 1)
    shapes = [
        polygon(
            box(
                left + wide * (2 * c + 1), top + high * (2 * r + 1), left + wide * (2 * c + 2), top + high * (2 * r + 2)
            ),
            shade,
        )
        for c in range(columns)
        for r in range(rows)
    ]
    draw(canvas, shapes)


def paint_night(rng: np.random.Generator, style: Style, canvas: Image, horizon: float) -> None:
    """Stars, a moon, dark hills."""
    height, width = canvas.shape[:2]
    dark = picked(rng, style.dark, 15.0)
    fade(canvas, 0, height, dark, mixed(dark, picked(rng, style.light), rng.uniform(0.1, 0.5)))
    for _ in range(int(rng.integers(5, 30))):
        radius = rng.uniform(0.002, 0.012) * (height + width)
        draw(
            canvas, [disc(rng.uniform(0, 1, 2) * [width, horizon * height], (radius, radius), picked(rng, style.light))]
        )
    _sun(rng, style, canvas, horizon)
    for layer in range(int(rng.integers(1, 4))):
        shade = mixed(picked(rng, style.earth, 20.0), dark, rng.uniform(0.2, 0.7))
        _ridge(rng, canvas, horizon + 0.2 * layer, rng.uniform(0.03, 0.2), shade)


def paint_garden(rng: np.random.Generator, style: Style, canvas: Image, horizon: float) -> None:
    """Hedges, a path, many flowers."""
    height, width = canvas.shape[:2]
    _sky(rng, style, canvas, horizon)
    _ridge(rng, canvas, horizon, 0.04, picked(rng, style.earth, 20.0))
    for _ in range(int(rng.integers(6, 22))):
        spot = rng.uniform([0, horizon - 0.25], [1, horizon + 0.2]) * [width, height]
        radii = rng.uniform(0.04, 0.14, 2) * min(height, width)
        draw(canvas, [disc(spot, (radii[0], radii[1]), darker(picked(rng, style.earth, 24.0), rng.uniform(0, 0.5)))])
    if rng.uniform() < 0.6:
        _path(rng, canvas, horizon + 0.05, lighter(picked(rng, style.light, 15.0), 0.2))
    spots = rng.uniform([0, horizon + 0.1], [1, 1], (int(rng.integers(20, 90)), 2)) * [width, height]
    dot = 0.006 * (height + width)
    draw(canvas, [disc(spot, (dot, dot), picked(rng, style.bright, 20.0)) for spot in spots])
