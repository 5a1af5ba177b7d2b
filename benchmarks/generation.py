"""FID from features beside the usual lines of numpy and scipy; KID and precision and recall by themselves.

    python -m benchmarks.generation [--images 50000] [--columns 2048] [--rounds 3]
    python -m benchmarks.generation --side ours|peer|kid|manifold --images N --columns D

The first measures all, each side as a process of its own, ours and the peer's by turns, prints the table and writes
benchmarks/results/generation.json, unless the size is another one. The second is one side, once, and prints a line of
JSON: what Python takes to start and to import, and what the features take to draw, are left out.

The peer is what FID's implementations do: `numpy.cov` of both sets, and `scipy.linalg.eigvals` of the product of the
covariances. Features are of 32 bits, not negative, with a few wide directions and many narrow ones, as an Inception
network's are. Both sides have the threads that BLAS takes by itself. KID: 100 subsets of 1,000. Precision, recall,
density and coverage are measured at a fifth of the images.
"""

import argparse
import importlib
import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import results

IMAGES, COLUMNS, ROUNDS = 50_000, 2_048, 3
_AT_ONCE = 5_000
_SEED = 14
_FIFTH = 5

Floats = NDArray[np.float32]


def features(images: int, columns: int, seed: int) -> Floats:
    """(images, columns), of 32 bits; drawn block by block, so that the drawing does not need more than the features."""
    mix = np.random.default_rng(_SEED).normal(size=(columns, columns)) * np.exp(-np.arange(columns) / columns * 4)
    mix = (mix / np.sqrt(columns)).astype(np.float32)
    table = np.empty((images, columns), np.float32)
    for start in range(0, images, _AT_ONCE):
        rows = min(_AT_ONCE, images - start)
        normal = np.random.default_rng([seed, start]).standard_normal((rows, columns), np.float32)
        table[start : start + rows] = np.maximum(normal @ mix + np.float32(0.3 + 0.01 * seed), 0)
    return table


def ours(samples: Floats, reference: Floats) -> dict[str, float]:
    from tasks.core.evaluate.generation.set_scores import frechet_distance, moments

    return {"fid": frechet_distance(moments("samples", samples), moments("reference", reference))}


def peer(samples: Floats, reference: Floats) -> dict[str, float]:
    from scipy.linalg import eigvals

    (one, first), (other, second) = (
        (table.mean(axis=0, dtype=np.float64), np.cov(table, rowvar=False)) for table in (samples, reference)
    )
    roots = np.sqrt(eigvals(first @ second).astype(np.complex128)).real.sum()
    step = one - other
    return {"fid": float(step @ step + np.trace(first) + np.trace(second) - 2 * roots)}


def kid(samples: Floats, reference: Floats) -> dict[str, float]:
    from tasks.core.evaluate.generation.set_scores import kernel_distance

    size = min(1000, len(samples))
    return kernel_distance(samples, reference, subset_size=size)._asdict()


def manifold(samples: Floats, reference: Floats) -> dict[str, float]:
    from tasks.core.evaluate.generation.manifold import manifold_scores

    manifold_scores(samples[:10], reference[:10])  # machine code
    return manifold_scores(samples[: len(samples) // _FIFTH], reference[: len(reference) // _FIFTH])._asdict()


SIDES: dict[str, Callable[[Floats, Floats], dict[str, float]]] = {
    "ours": ours,
    "peer": peer,
    "kid": kid,
    "manifold": manifold,
}
NAMES = {
    "ours": "FID, bilderatlas",
    "peer": "FID, numpy and scipy",
    "kid": "KID, bilderatlas",
    "manifold": "precision, recall, density, coverage of a fifth, bilderatlas",
}


def side(name: str, images: int, columns: int) -> dict[str, Any]:
    """Seconds, the peak of memory beyond the features, and the scores of one side."""

    importlib.import_module("scipy.linalg")  # its time is not what is measured
    samples, reference = features(images, columns, 1), features(images, columns, 2)
    before = _peak_mb()
    began_s = time.monotonic()
    scores = SIDES[name](samples, reference)
    return {
        "seconds": time.monotonic() - began_s,
        "peak_mb": _peak_mb(),
        "growth_mb": _peak_mb() - before,
        "scores": scores,
    }


def measured(images: int, columns: int, rounds: int) -> None:
    runs: dict[str, list[dict[str, Any]]] = {}
    for number in range(rounds):
        for name in ("ours", "peer")[:: -1 if number % 2 else 1]:
            runs.setdefault(name, []).append(_child(name, images, columns))
            print(f"{name} {runs[name][-1]['seconds']:.2f} s", flush=True)
    for name in ("kid", "manifold"):
        runs[name] = [_child(name, images, columns)]
    rows = [_row(name, found, images, columns) for name, found in runs.items()]
    distances = [runs[name][0]["scores"]["fid"] for name in ("ours", "peer")]
    ratios = {
        "fid_vs_numpy": round(_median(runs["ours"]) / _median(runs["peer"]), 3),
        "fid_relative_difference": float(f"{abs(distances[0] / distances[1] - 1):.2e}"),
        "fid_growth_mb": round(max(run["growth_mb"] for run in runs["ours"])),
        "kid_s": round(_median(runs["kid"]), 2),
        "manifold_fifth_s": round(_median(runs["manifold"]), 2),
    }
    if (images, columns) == (IMAGES, COLUMNS):
        results.write("generation", rows, ratios)
    else:
        print(results.markdown(rows))
        print(json.dumps(ratios))


def _child(name: str, images: int, columns: int) -> dict[str, Any]:
    return results.child(
        "benchmarks.generation", sys.executable, "--side", name, "--images", images, "--columns", columns
    )


def _row(name: str, found: list[dict[str, Any]], images: int, columns: int) -> dict[str, Any]:
    return {
        "what": NAMES[name],
        "images": f"2 x {images // (_FIFTH if name == 'manifold' else 1)}",
        "columns": columns,
        "seconds": round(_median(found), 2),
        "peak MB": round(max(run["peak_mb"] for run in found)),
        "of which beyond the features": round(max(run["growth_mb"] for run in found)),
        "scores": ", ".join(f"{metric} {value:.9g}" for metric, value in found[0]["scores"].items()),
    }


def _median(found: list[dict[str, Any]]) -> float:
    return float(statistics.median(run["seconds"] for run in found))


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    """Measure all, or be one side."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=IMAGES)
    parser.add_argument("--columns", type=int, default=COLUMNS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--side", choices=tuple(SIDES))
    asked = parser.parse_args()
    if asked.side is None:
        measured(asked.images, asked.columns, asked.rounds)
    else:
        print(json.dumps(side(asked.side, asked.images, asked.columns)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
