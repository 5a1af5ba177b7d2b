"""What the museum's labels say: artists of a long tail, their styles, titles and dates."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from examples.museum.seeds import generator
from examples.museum.style import Ground, Style
from examples.museum.styles import STYLES

ARTISTS = 320
UNKNOWN = "Unknown"


def _words(text: str) -> list[str]:
    return text.split("|" if "|" in text else None)


_GIVEN = _words(
    "Adelheid Amadou Anselm Aurelia Baldo Beatrix Bram Casimir Celeste Corentin Dagny Edmee Eitaro Elske Fumiko "
    "Gaspard Giacinta Hadrian Hanneke Ilse Isidore Jolanda Kaspar Leonie Ludovico Mariken Matsuo Nadezhda Odilon "
    "Pelagia Quirin Rosalba Sanae Severin Tjark Umberto Valentina Wenzel Yusuf Zofia"
)
_STARTS = _words("Al Bel Cor Dra Els Fen Gru Hol Ive Jar Kel Lam Mor Nie Ost Pre Quar Ros Sten Tor Ull Var Wes Yl Zan")
_MIDDLES = _words("da be li mo ra ven sto ti no ga ri la")
_ENDS = _words("ck berg elli eau ström mann oya wicz ini off dt ard sen que ez ña")
_PLACES = _words("the Mill|a Ferry|the Old Port|the Salt Road|Vellmar|the Walled Garden|Sankt Orban|the Third Bridge")
_SIGHTS: dict[Ground, str] = {
    "land": "Hills near|Evening over|The Valley of|Harvest at",
    "sea": "Boats off|Squall before|Calm Sea near|Low Tide by",
    "room": "Interior at|The Blue Room of|Still Life from|A Chamber in",
    "town": "A Street in|Market Day at|Roofs of|Rain in",
    "night": "Nocturne at|Moonrise near|Lanterns of|Midnight by",
    "garden": "Flowers of|The Orchard by|Spring at|Roses from",
    "drape": "Curtain from|Study of Drapery at|The Empty Stage of|Red Cloth at",
    "waves": "The Wave near|Distant Mountain from|Islands off|Wind at",
    "gold": "Altarpiece of|Panel from|The Gilded Arch of|Vigil at",
    "abstract": "Composition with|Rhythm of|Construction near|Fugue of",
}
_PEOPLE = {
    1: "Portrait of a Stranger|The Messenger|A Bather|The Reader|The Fiddler|A Pilgrim|The Gardener",
    2: "The Conversation|Two Sisters|The Visit|The Quarrel|A Walk",
    3: "Three Companions|The Bargain|The Card Players",
}
_ENDINGS = _words("|, Evening|, Morning Mist|, Overcast|, Second Version| II| (Study)")
_COMPANY = "The Procession|A Feast|The Gathering|Dancers|The Ferry Passengers|The Choir"


class Artist(NamedTuple):
    """Somebody who never lived: name, numbers of one to three styles, first and last year of work."""

    name: str
    styles: tuple[int, ...]


class Label(NamedTuple):
    """Who made a work, how and when. Year None: the museum does not say; date_text may say something all the same."""

    artist: str
    style: Style
    date_text: str
    year: int | None


@lru_cache(maxsize=8)
def artists(seed: int) -> tuple[Artist, ...]:
    """All artists of one museum, the most prolific first; the first styles go round so that none is missing."""
    rng = generator(seed, "artists", 0)
    order = rng.permutation(len(STYLES))
    found: dict[str, Artist] = {}
    while len(found) < ARTISTS:
        name = _name(rng)
        others = rng.integers(0, len(STYLES), int(rng.choice(3, p=[0.6, 0.28, 0.12])))
        first = int(order[len(found) % len(STYLES)])
        found.setdefault(name, Artist(name, tuple(dict.fromkeys([first, *(int(other) for other in others)]))))
    return tuple(found.values())


def _name(rng: np.random.Generator) -> str:
    parts = [
        _one_of(rng, _STARTS),
        *(_one_of(rng, _MIDDLES) for _ in range(int(rng.integers(0, 2)))),
        _one_of(rng, _ENDS),
    ]
    return f"{_one_of(rng, _GIVEN)} {''.join(parts)}"


def _one_of(rng: np.random.Generator, words: list[str]) -> str:
    return words[int(rng.integers(len(words)))]


def label(seed: int, rng: np.random.Generator) -> Label:
    """The label of one work: a few artists made many works, many made few (Zipf), some are unknown."""
    if rng.uniform() < 0.06:
        name, styles = UNKNOWN, tuple(range(len(STYLES)))
    else:
        weights = 1.0 / (np.arange(ARTISTS) + 4.0)
        name, styles = artists(seed)[int(rng.choice(ARTISTS, p=weights / weights.sum()))]
    style = STYLES[styles[int(rng.integers(len(styles)))]]
    year = int(rng.integers(style.years[0], style.years[1] + 1))
    return Label(name, style, *_date(rng, year))


def label_again(rng: np.random.Generator, first: Label) -> Label:
    """The label of a work that shows the motif of another, by the same hand, up to four years later."""
    if first.year is None:
        return first
    return Label(first.artist, first.style, *_date(rng, first.year + int(rng.integers(5))))


def _date(rng: np.random.Generator, year: int) -> tuple[str, int | None]:
    forms: tuple[tuple[str, int | None], ...] = (
        (str(year), year),
        (f"c. {year - year % 5}", year - year % 5),
        (f"{year - int(rng.integers(1, 4))}-{year}", year),
        (f"before {year}", year),
        (f"{year // 100 + 1}th century", None),
        ("n.d.", None),
        ("", None),
    )
    return forms[int(rng.choice(len(forms), p=[0.55, 0.16, 0.12, 0.05, 0.05, 0.03, 0.04]))]


def title(rng: np.random.Generator, ground: Ground, people: int) -> str:
    """A title that fits: a sight where nobody is, people's doings where somebody is."""
    place = _one_of(rng, _PLACES)
    sight = f"{_one_of(rng, _words(_SIGHTS[ground]))} {place}"
    if people == 0:
        return sight
    doing = _one_of(rng, _words(_PEOPLE.get(people, _COMPANY)))
    return (doing, f"{doing}, {sight}", f"{doing} by {place}")[int(rng.integers(3))]


def ending(rng: np.random.Generator) -> str:
    """What stands behind the title of a work whose motif was painted before; sometimes nothing."""
    return _one_of(rng, _ENDINGS)
