"""Several truths as one: images that are held out leave, ids that two truths share become different."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from schemas.tables import ANNOTATED_FIGURES, ANNOTATED_IMAGES
from tasks.core.tables import with_columns

Tables = tuple[pa.Table, pa.Table]
"""The images and the figures of a truth: ANNOTATED_IMAGES and ANNOTATED_FIGURES."""


def separate_images(images: pa.Table, held_out: Collection[str]) -> Tables:
    """The ANNOTATED_IMAGES to train on, and those whose SHA-256 is held out; each in the order they had.

    >>> trained, held = separate_images(pa.table({"sha256": ["b", "a", "b"]}), {"a", "c"})
    >>> trained["sha256"].to_pylist(), held["sha256"].to_pylist()
    (['b', 'b'], ['a'])
    """
    is_held_out = pc.is_in(images["sha256"], value_set=pa.array(sorted(held_out), pa.string()))
    return images.filter(pc.invert(is_held_out)), images.filter(is_held_out)


def figures_in(images: pa.Table, figures: pa.Table) -> pa.Table:
    """The figures that are drawn in these images, in the order they had."""
    return figures.filter(pc.is_in(figures["image_id"], value_set=images["image_id"]))


def join_truths(truths: Mapping[str, Tables]) -> Tables:
    """All truths, by digest, in two tables; images get numbers from 1, by digest and place. Empty in, empty out."""
    all_images, all_figures = [ANNOTATED_IMAGES.empty_table()], [ANNOTATED_FIGURES.empty_table()]
    first = 1
    for digest in sorted(truths):
        images, figures = truths[digest]
        places = pc.index_in(figures["image_id"], value_set=images["image_id"])
        all_figures.append(with_columns(figures, {"image_id": pc.add(places.cast(pa.int64()), first)}))
        ids = pa.array(range(first, first + images.num_rows), pa.int64())
        all_images.append(with_columns(images, {"image_id": ids}))
        first += images.num_rows
    return pa.concat_tables(all_images).combine_chunks(), pa.concat_tables(all_figures).combine_chunks()


def count_shared(truths: Iterable[pa.Table]) -> int:
    """How many different images, by their bytes, are in more than one of these ANNOTATED_IMAGES.

    >>> count_shared([pa.table({"sha256": ["a", "a", "b"]}), pa.table({"sha256": ["b", "c"]})])
    1
    """
    counts = Counter(sha256 for images in truths for sha256 in {*images["sha256"].to_pylist()})
    return sum(count > 1 for count in counts.values())
