"""The inner loop of `memorisation`: the largest similarities of each row, ties by place."""

import numpy as np
from numpy.typing import NDArray

from tasks.core.jit import compiled


@compiled
def insert_most_similar(
    rows: NDArray[np.int64], similarities: NDArray[np.float32], table: NDArray[np.float32], start: int
) -> None:
    """Bring the k most similar of each query up to date with the next columns.

    rows, similarities: (Q, k), by falling similarity, -inf where there is none yet. table: (Q, C) the similarities of
    rows `start` and following. Of equal ones the earlier row comes first.
    """
    last = rows.shape[1] - 1
    for query in range(len(table)):
        for column in range(table.shape[1]):
            similarity = table[query, column]
            place = last
            while place >= 0 and similarities[query, place] < similarity:
                if place < last:
                    similarities[query, place + 1] = similarities[query, place]
                    rows[query, place + 1] = rows[query, place]
                similarities[query, place] = similarity
                rows[query, place] = start + column
                place -= 1
