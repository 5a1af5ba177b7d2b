"""What is behind the people, by name."""

from collections.abc import Callable

import numpy as np

from examples.museum import indoors, outdoors
from examples.museum.colours import Image
from examples.museum.style import Ground, Style

_PAINTERS: dict[Ground, Callable[[np.random.Generator, Style, Image, float], None]] = {
    "land": outdoors.paint_land,
    "sea": outdoors.paint_sea,
    "town": outdoors.paint_town,
    "night": outdoors.paint_night,
    "garden": outdoors.paint_garden,
    "room": indoors.paint_room,
    "drape": indoors.paint_drape,
    "gold": indoors.paint_gold,
    "waves": indoors.paint_waves,
    "abstract": indoors.paint_abstract,
}

_HORIZONS: dict[Ground, tuple[float, float]] = {
    "room": (0.5, 0.8),
    "drape": (0.55, 0.85),
    "gold": (0.6, 0.9),
    "town": (0.35, 0.75),
}


def paint_ground(rng: np.random.Generator, style: Style, ground: Ground, canvas: Image, floor: float) -> None:
    """Covers the canvas. floor: the line between back and floor, as a fraction of the height."""
    _PAINTERS[ground](rng, style, canvas, floor)


def horizon(rng: np.random.Generator, ground: Ground) -> float:
    """Where the floor begins, as a fraction of the height: low indoors, anywhere under a sky."""
    lowest, highest = _HORIZONS.get(ground, (0.22, 0.68))
    return float(rng.uniform(lowest, highest))
