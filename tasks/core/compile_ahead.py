"""The inner loops of a build, compiled before any build needs them: `python -m tasks.core.compile_ahead`.

What is compiled is kept beside the source, so this is done once (`make setup` does it); else the first build does it
on its way, for some twenty seconds.
"""

import numpy as np
import pyarrow as pa

from tasks.core import ewa, tickets
from tasks.core.dedup import local, local_lists, relate, search_bands
from tasks.core.dedup.views import View
from tasks.core.split import stratify
from tasks.core.statistics import crowding, overlaps


def compile_ahead() -> None:
    """Call every function that a build has compiled, on next to nothing, with the types that it has there."""
    rng = np.random.default_rng(0)
    hashes = rng.integers(0, 2**64, 64, dtype=np.uint64)
    search_bands.banded_pairs(hashes, None, 8, 1)
    search_bands.banded_pairs(hashes[:32], hashes[32:], 8, 1)
    picture = rng.integers(0, 256, (96, 128), dtype=np.uint8)
    relate.measure_agreement(picture, picture, View())
    places = np.stack([*[np.arange(8, 168, 16)] * 2, *[np.zeros(10)] * 2], axis=1).astype(np.uint8)
    keypoints = local.Keypoints(hashes[:10], places)
    for stored in keypoints:  # as Arrow's tables are
        stored.setflags(write=False)
    local_lists.matches_within(local.KeypointTable(keypoints, np.array([0, 10])))
    relate.measure_local_agreement(picture, picture, (keypoints, keypoints))
    ewa.resize(picture[..., None].repeat(3, axis=2), (8, 8))
    one = np.ones(1, np.int64)
    stratify.place_units(one - 1, one - 1, one, one, one - 1, np.ones((1, 3)), np.ones(3))
    boxes = np.ones((2, 4))
    overlaps.count_overlaps(one.repeat(2) - 1, boxes)
    crowding.crowding(one.repeat(2) - 1, boxes, boxes[:1, :2])
    tickets.tickets(pa.chunked_array([["a"]]), 0, "", [""], one - 1)


if __name__ == "__main__":
    compile_ahead()
