"""The label of any row with nothing painted: what the folder's table and file would say, but for doings in titles.

How many people a work shows is known only when it is painted, so that a title has its sight as in the folder, and the
people's doings as chance has it.
"""

from dataclasses import replace

import numpy as np

from examples.museum import catalogue
from examples.museum.copies import plan_copy
from examples.museum.folder import cells_of
from examples.museum.holdings import holding
from examples.museum.paint import Sketch, Work, make_sketch
from examples.museum.repaint import sketch_of
from examples.museum.seeds import generator
from examples.museum.serve.hall import Entry

# from nobody to more than three: catalogue.title has words for each
_COMPANIES = 5


def entry(seed: int, row: int) -> Entry:
    """The row as the folder of that seed has it: key, artist, style, dates, size and kind of file; its own title."""
    held = holding(seed, row)
    sketch, number = sketch_of(seed, held), row if held.original is None else held.original
    work, size_px = _unpainted(sketch, seed + number), (sketch.width, sketch.height)
    extension = _extension(seed, number, work.is_grey)
    if held.relation is not None:
        plan = plan_copy(generator(seed, "copy", row), held.relation, extension, size_px)
        extension, size_px = (extension, size_px) if plan is None else (plan.extension, plan.size_px)
        # the cells' spelling of a copy's title is drawn after its rights
        work = replace(work, title=cells_of(seed, held, work, "")["title"])
    elif held.fault is not None:
        extension = ".jpg"
    said = (held.key, work.title, work.artist, work.style, work.date_text, work.year)
    return Entry(row, *said, *size_px, extension)


def painting_size(seed: int, number: int) -> tuple[int, int]:
    """Height and width of a work, which need no paint."""
    sketch = make_sketch(seed, number)
    return sketch.height, sketch.width


def _unpainted(sketch: Sketch, chance: int) -> Work:
    """A work without pixels, its title as if so many people as chance has it were there."""
    style, said = sketch.caption.style, sketch.caption
    title = catalogue.title(sketch.words, sketch.ground, chance % _COMPANIES) + sketch.title_end
    pixels = np.empty((0, 0, 3), dtype=np.uint8)
    return Work(pixels, title, said.artist, style.name, said.date_text, said.year, (), style.is_grey)


def _extension(seed: int, number: int, is_grey: bool) -> str:
    """As `prints.print_work` draws it."""
    rng = generator(seed, "print", number)
    # drawn for its turn only, as `or` passes over the second draw where the first one settles it
    _ = (is_grey and rng.uniform() < 0.6) or rng.uniform() < 0.025
    kind = rng.uniform()
    return ".png" if kind < 0.08 else ".webp" if kind < 0.12 else ".jpg"
