"""How many figures an image has."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray


def count_figures(figures: pa.ChunkedArray, category: str, least_score: float) -> NDArray[np.int64]:
    """(N,) figures of the category in each list: annotated (score null), or detected from the score on.

    A crowd counts as one, a null list as none.
    """
    lists = figures.combine_chunks()
    flat = pc.list_flatten(lists)
    if not len(flat):
        return np.zeros(len(lists), np.int64)
    score = pc.struct_field(flat, "score")
    counted = pc.and_(
        pc.equal(pc.struct_field(flat, "category"), category),
        pc.or_(pc.is_null(score), pc.fill_null(pc.greater_equal(score, least_score), False)),
    )
    owners = np.asarray(pc.list_parent_indices(lists))
    return np.bincount(owners[np.asarray(counted)], minlength=len(lists)).astype(np.int64)


def prefer_people_counts(
    is_annotated: NDArray[np.bool_], by_people: NDArray[np.int64], by_detector: NDArray[np.int64]
) -> NDArray[np.int64]:
    """(N,) annotated counts where people have annotated the image, else the detector's."""
    return np.where(is_annotated, by_people, by_detector)
