"""Has the generator learnt its training images by heart? The training images that are most like each sample.

ArtBench, section 4.4 and appendix A.8: the seven nearest training images of each sample, by ResNet-50 features, shown
in a row beside it. The paper names no distance; cosine similarity, the threshold and the share are ours.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from schemas.evaluate_images import NEIGHBOURS
from tasks.core.evaluate.generation.features import Features, check_ids, check_pair
from tasks.core.evaluate.picture_page import picture_page
from tasks.core.evaluate.recognition.neighbours import Neighbours, nearest_neighbours
from tasks.core.evaluate.recognition.vectors import normal_blocks, normalise

_MOST_ROWS = 40


def nearest_training_images(samples: Features, training: Features, neighbours: int = 7) -> Neighbours:
    """Rows and cosine similarities, -1..1, of each sample's nearest training images; all of them where there are fewer.

    samples: (M, d), training: (N, d). A row of zeros has the similarity 0 to every row. Copies of one training image
    tie, as similarities have 32 bits. Raises BadInput for features that don't fit (`check_pair`).

    >>> rows, similarities = nearest_training_images(np.array([[2.0, 0.0]]), np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> rows.tolist(), similarities.tolist()
    ([[1, 0]], [[1.0, 0.0]])
    """
    check_pair(samples, training, "training images")
    most = min(neighbours, len(training))
    found = nearest_neighbours(normal_blocks(training), normalise(samples), most)
    return found._replace(similarities=np.clip(found.similarities, -1, 1))


def neighbour_table(system: str, found: Neighbours, sample_ids: Sequence[str], training_ids: Sequence[str]) -> pa.Table:
    """NEIGHBOURS of one generator, by sample and rank. training_ids: of all rows of the gallery.

    Raises BadInput for ids that are no texts, too few, or come twice.
    """
    rows, similarities = found
    check_ids("samples", sample_ids, len(rows))
    check_ids("training images", training_ids, max(len(training_ids), int(rows.max(initial=-1)) + 1))
    names, images = (pa.array(list(ids), pa.string()) for ids in (sample_ids, training_ids))
    each = rows.shape[1]
    columns = [
        pa.repeat(system, rows.size),
        names.take(pa.array(np.repeat(np.arange(len(rows)), each))),
        np.tile(np.arange(1, each + 1, dtype=np.int32), len(rows)),
        images.take(pa.array(rows.reshape(-1))),
        similarities.reshape(-1),
    ]
    return pa.table(columns, schema=NEIGHBOURS)


def neighbour_page(
    neighbours: pa.Table,
    sample_jpeg: Callable[[str, str], bytes | None],
    training_jpeg: Callable[[str], bytes | None],
) -> str:
    """The 40 samples that are most like a training image, each with its nearest ones in a row (ArtBench, A.8).

    neighbours: NEIGHBOURS. sample_jpeg: of a generator's name and a sample's id; training_jpeg: of an id; or None.
    """
    rows_of: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in neighbours.to_pylist():
        rows_of.setdefault((row["system"], row["sample_id"]), []).append(row)
    rows = []
    for system, sample in sorted(rows_of, key=lambda key: (-rows_of[key][0]["similarity"], *key))[:_MOST_ROWS]:
        found = rows_of[system, sample]
        likest = [
            (training_jpeg(row["training_id"]), f"{row['training_id']}: {row['similarity']:.3f}") for row in found
        ]
        shown = [(sample_jpeg(system, sample), "the sample"), *likest]
        rows.append((f"{system}, {sample}: {found[0]['similarity']:.3f}", shown))
    explanation = "Each sample, and beside it the training images with the largest cosine similarity of features."
    return picture_page("Nearest training images", explanation, rows)
