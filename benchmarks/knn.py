"""Exact nearest neighbours: beside the bare matrix product that any exact search must make.

    python -m benchmarks.knn [--rows 1000000] [--queries 2000] [--dimensions 512] [--most 50] [--rounds 3] [--out FILE]

Gallery and queries are unit vectors, drawn from a seed: nothing is nearer than chance has it. The peer is
the same product, block by block with the same sizes, threads and memory, whose results are thrown away; ours also
selects. Both run in one process after a first small round, alternately, every other round in the opposite order.
`of_matmul` is the speed of ours as a share of the peer's: the median of the ratios within each round. The peak is that
of the whole process, with interpreter and libraries, less the gallery. The neighbours of five queries are checked
against sums in 64 bits.
"""

import argparse
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import results
from tasks.core.evaluate.recognition.neighbours import (
    BLOCK_ROWS,
    QUERIES_AT_ONCE,
    Neighbours,
    Vectors,
    multiply,
    nearest_neighbours,
)

_SEED = 21
_CHECKED = 5
_AT_ONCE = 10_000
_WARM_UP_ROWS = 2 * BLOCK_ROWS


def unit_vectors(count: int, dimensions: int, seed: int) -> Vectors:
    """(count, dimensions), drawn in blocks that are no larger than those of the search."""
    chance = np.random.default_rng(seed)
    drawn = np.empty((count, dimensions), np.float32)
    for start in range(0, count, _AT_ONCE):
        block = drawn[start : start + _AT_ONCE]
        chance.standard_normal(out=block, dtype=np.float32)
        block /= np.sqrt(np.einsum("ij,ij->i", block, block))[:, None]
    return drawn


def product_alone(gallery: Vectors, queries: Vectors) -> None:
    """Every block's product as `nearest_neighbours` asks for it, into the same memory, and nothing else."""
    products = np.empty((min(len(queries), QUERIES_AT_ONCE), BLOCK_ROWS), np.float32)
    for first in range(0, len(gallery), BLOCK_ROWS):
        block = gallery[first : first + BLOCK_ROWS]
        for start in range(0, len(queries), QUERIES_AT_ONCE):
            part = queries[start : start + QUERIES_AT_ONCE]
            multiply(part, block, products.reshape(-1)[: len(part) * len(block)].reshape(len(part), len(block)))


def is_exact(gallery: Vectors, queries: Vectors, found: Neighbours) -> bool:
    """Whether the first queries' neighbours are those of sums in 64 bits, rounded to 32, equal ones by row."""
    few = queries[:_CHECKED].astype(np.float64)
    blocks = [
        (gallery[start : start + _AT_ONCE].astype(np.float64) @ few.T).astype(np.float32)
        for start in range(0, len(gallery), _AT_ONCE)
    ]
    for query, exact in enumerate(np.concatenate(blocks).T):
        nearest = np.argsort(-exact, kind="stable")[: found.rows.shape[1]]
        if not np.array_equal(exact[nearest], found.similarities[query]):
            return False
    return True


def measured(rows: int, queries: int, dimensions: int, most: int, rounds: int) -> list[dict[str, Any]]:
    """One row a side: seconds of each round, what they come to, and the peak of memory above the gallery."""
    gallery, asked = unit_vectors(rows, dimensions, _SEED), unit_vectors(queries, dimensions, _SEED + 1)
    found: list[Neighbours] = []
    sides: dict[str, Callable[[Vectors], None]] = {
        "product alone": lambda vectors: product_alone(vectors, asked),
        "bilderatlas": lambda vectors: found.append(nearest_neighbours(vectors, asked, most)),
    }
    for side in sides.values():
        side(gallery[:_WARM_UP_ROWS])
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(rounds):
        for name in list(sides)[:: -1 if number % 2 else 1]:
            start = time.perf_counter()
            sides[name](gallery)
            seconds[name].append(time.perf_counter() - start)
            print(f"{name}: {seconds[name][-1]:.2f} s", flush=True)
    peak_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - gallery.nbytes) / 1e6
    return [
        {
            "side": name,
            "gallery": rows,
            "queries": queries,
            "dimensions": dimensions,
            "most": most,
            "seconds": [round(second, 3) for second in seconds[name]],
            "GFLOP/s": round(2e-9 * rows * queries * dimensions / statistics.median(seconds[name]), 1),
            "peak MB above the gallery": round(peak_mb),
            "exact": is_exact(gallery, asked, found[-1]) if name == "bilderatlas" else "",
        }
        for name in sides
    ]


def main() -> int:
    """Measure, and write benchmarks/results/knn.json."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("rows", 1_000_000), ("queries", 2000), ("dimensions", 512), ("most", 50), ("rounds", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--out", type=Path, help="another place for the result, for trials")
    asked = parser.parse_args()
    rows = measured(asked.rows, asked.queries, asked.dimensions, asked.most, asked.rounds)
    peer, ours = (row["seconds"] for row in rows)
    ratio = statistics.median(one / other for one, other in zip(peer, ours, strict=True))
    ratios = {"of_matmul": round(ratio, 3), "peak_mb": rows[0]["peak MB above the gallery"]}
    results.write("knn", rows, ratios, path=asked.out)
    return 0 if rows[1]["exact"] else 1


if __name__ == "__main__":
    sys.exit(main())
