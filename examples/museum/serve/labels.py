"""The label of any row with nothing painted: what the folder's table and file would say, but for doings in titles.

How many people a work shows is known only when it is painted, so that a title has its sight as in the folder, and the
people's doings as chance has it.
"""

import numpy as np

from examples.museum import catalogue
from examples.museum.folder import cells_of
from examples.museum.grounds import horizon
from examples.museum.holdings import Holding, holding
from examples.museum.paint import Work, size_of_work
from examples.museum.seeds import generator
from examples.museum.serve.hall import Entry
from examples.museum.styles import STYLES

_IS_GREY = {style.name: style.is_grey for style in STYLES}
# from nobody to more than three: catalogue.title has words for each
_COMPANIES = 5


def entry(seed: int, row: int) -> Entry:
    """The row as the folder of that seed has it: key, artist, style, dates, size and kind of file; its own title."""
    held = holding(seed, row)
    number = row if held.original is None else held.original
    work, height, width = _unpainted(seed, number)
    extension = _extension(seed, number, work.is_grey)
    if held.original is not None:
        extension, height, width = _copied(seed, held, extension, (height, width))
        # the cells' spelling of a copy's title is drawn after its rights
        work = _titled(work, cells_of(seed, held, work, "")["title"])
    elif held.fault is not None:
        extension = ".jpg"
    said = (held.key, work.title, work.artist, work.style, work.date_text, work.year)
    return Entry(row, *said, width, height, extension)


def painting_size(seed: int, number: int) -> tuple[int, int]:
    """Height and width of a work, which need no paint."""
    _, height, width = _unpainted(seed, number)
    return height, width


def _unpainted(seed: int, number: int) -> tuple[Work, int, int]:
    """A work without pixels, its height and width; the draws are those of `paint`, in its order."""
    rng = generator(seed, "work", number)
    said = catalogue.label(seed, rng)
    height, width = size_of_work(rng)
    ground = said.style.grounds[int(rng.integers(len(said.style.grounds)))]
    horizon(rng, ground)
    title = catalogue.title(rng, ground, (number + seed) % _COMPANIES)
    pixels = np.empty((0, 0, 3), dtype=np.uint8)
    style = said.style.name
    return Work(pixels, title, said.artist, style, said.date_text, said.year, (), _IS_GREY[style]), height, width


def _titled(work: Work, title: str) -> Work:
    return Work(work.pixels, title, work.artist, work.style, work.date_text, work.year, (), work.is_grey)


def _extension(seed: int, number: int, is_grey: bool) -> str:
    """As `prints.printed` draws it."""
    rng = generator(seed, "print", number)
    # drawn for its turn only, as `or` passes over the second draw where the first one settles it
    _ = (is_grey and rng.uniform() < 0.6) or rng.uniform() < 0.025
    kind = rng.uniform()
    return ".png" if kind < 0.08 else ".webp" if kind < 0.12 else ".jpg"


def _copied(seed: int, held: Holding, extension: str, size: tuple[int, int]) -> tuple[str, int, int]:
    """Extension, height and width of a copy, as `prints.reencoded` and `prints.resized` draw them."""
    rng = generator(seed, "copy", held.row)
    if held.relation == "exact":
        return extension, *size
    if held.relation == "reencoded":
        kind = rng.uniform()
        if kind < 0.1 and extension != ".png":
            return ".png", *size
        return ".webp" if kind < 0.2 and extension != ".webp" else ".jpg", *size
    scale = rng.uniform(min(0.9, max(0.35, 40 / min(size))), 0.9)
    return ".jpg", max(1, round(size[0] * scale)), max(1, round(size[1] * scale))
