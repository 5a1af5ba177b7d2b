"""Has the generator learnt its training images by heart? The training images that are most like each sample.

ArtBench, section 4.4 and appendix A.8: the seven nearest training images of each sample, by ResNet-50 features, shown
in a row beside it. The paper names no distance; cosine similarity, the threshold and the share are ours.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.evaluate_generation import NEIGHBOURS
from tasks.core.evaluate.generation.features import BLOCK, Features, check_ids, check_pair

Neighbours = tuple[NDArray[np.int64], NDArray[np.float32]]
"""(M, k) rows of the gallery for each query, most similar first, of equal ones the earlier row; their similarities."""


def nearest_training_images(samples: Features, training: Features, neighbours: int = 7) -> Neighbours:
    """Rows and cosine similarities, -1..1, of each sample's nearest training images; all of them where there are fewer.

    samples: (M, d), training: (N, d). A row of zeros has the similarity 0 to every row. Similarities are rounded to 32
    bits before they are compared, so that copies of one training image tie. Raises BadInput for features that don't
    fit (`check_pair`).

    >>> rows, similarities = nearest_training_images(np.array([[2.0, 0.0]]), np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> rows.tolist(), similarities.tolist()
    ([[1, 0]], [[1.0, 0.0]])
    """
    check_pair(samples, training)
    rows, similarities = nearest(unit_rows(samples), unit_rows(training), neighbours)
    return rows, np.clip(similarities, -1, 1)


def nearest(queries: Features, gallery: Features, k: int) -> Neighbours:
    """The rows of the gallery with the largest inner products with each query, all of them where there are fewer.

    queries: (M, d), gallery: (N, d). Exact; only some thousand rows of products are held at once.
    """
    from tasks.core.evaluate.generation.ranking import insert_most_similar  # numba takes half a second to import

    rows = np.full((len(queries), min(k, len(gallery))), -1, np.int64)
    similarities = np.full(rows.shape, -np.inf, np.float32)
    for start in range(0, len(gallery), BLOCK):
        images = gallery[start : start + BLOCK].astype(np.float64)
        for first in range(0, len(queries), BLOCK):
            table = (queries[first : first + BLOCK].astype(np.float64) @ images.T).astype(np.float32)
            mine = slice(first, first + BLOCK)
            insert_most_similar(rows[mine], similarities[mine], table, start)
    return rows, similarities


def unit_rows(features: Features) -> NDArray[np.float32]:
    """(N, d) each row divided by its length; a row of zeros stays one."""
    units = np.empty(features.shape, np.float32)
    for start in range(0, len(features), BLOCK):
        block = features[start : start + BLOCK].astype(np.float64)
        largest = np.abs(block).max(axis=1, keepdims=True)
        block /= np.where(largest > 0, largest, 1.0)  # so that squares neither overflow nor vanish
        length = np.sqrt(np.einsum("nd,nd->n", block, block))[:, None]
        units[start : start + BLOCK] = block / np.where(length > 0, length, 1.0)
    return units


def neighbour_table(found: Neighbours, sample_ids: Sequence[str], training_ids: Sequence[str]) -> pa.Table:
    """NEIGHBOURS, by sample and rank. training_ids: of all rows of the gallery.

    Raises BadInput for ids that are no texts, too few, or come twice.
    """
    rows, similarities = found
    check_ids("samples", sample_ids, len(rows))
    check_ids("training images", training_ids, max(len(training_ids), int(rows.max(initial=-1)) + 1))
    names, images = (pa.array(list(ids), pa.string()) for ids in (sample_ids, training_ids))
    each = rows.shape[1]
    return pa.table(
        {
            "sample_id": names.take(pa.array(np.repeat(np.arange(len(rows)), each))),
            "rank": np.tile(np.arange(1, each + 1, dtype=np.int32), len(rows)),
            "training_id": images.take(pa.array(rows.reshape(-1))),
            "similarity": similarities.reshape(-1),
        },
        schema=NEIGHBOURS,
    )


def copy_share(similarities: NDArray[np.float32], threshold: float) -> float:
    """The share of samples whose nearest training image is at least so similar. similarities: (M, k), M at least 1.

    >>> copy_share(np.array([[0.99, 0.5], [0.7, 0.6]], np.float32), 0.95)
    0.5
    """
    return float(np.mean(similarities[:, 0] >= np.float32(threshold)))
