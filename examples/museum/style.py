"""What a style is: what it paints behind its people, with which colours, lines and brush."""

from typing import Literal, NamedTuple

from examples.museum.colours import Colour

Ground = Literal["land", "sea", "room", "town", "night", "garden", "drape", "waves", "gold", "abstract"]
Brush = Literal[
    "oil", "strokes", "dots", "facets", "leads", "tiles", "paper", "hatch", "screen", "plaster", "wash", "smear"
]


class Style(NamedTuple):
    """One style. Colours fall into four groups: light (skies, walls), earth (grounds), dark, and bright (clothes).

    outline: width in thousandths of the picture's longer side, 0 for none. heads: mean head radius in body heights.
    skins: empty where people have people's colours.
    """

    name: str
    years: tuple[int, int]
    grounds: tuple[Ground, ...]
    brush: Brush
    outline: float
    heads: float
    light: tuple[Colour, ...]
    earth: tuple[Colour, ...]
    dark: tuple[Colour, ...]
    bright: tuple[Colour, ...]
    skins: tuple[Colour, ...] = ()
    is_grey: bool = False
