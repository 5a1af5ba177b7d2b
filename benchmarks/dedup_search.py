"""The search for near keys beside faiss's exhaustive one, on as many threads, and how it grows.

    python -m benchmarks.dedup_search [--rounds 3]
    python -m benchmarks.dedup_search ours KEYS RADIUS_BITS [--kind half-set]
    python -m benchmarks.dedup_search faiss KEYS RADIUS_BITS [--queries N]

The first measures all, prints the table and the ratios and draws docs/dedup-growth.svg. The others are one side, once,
and print a line of JSON; faiss runs in an environment of its own below build/, where nothing of ours is.

faiss compares every key with every other: its time for a million keys is that for ten thousand of them against the
million, a hundred times, and that for a hundred thousand keys, a hundred times. Both are measured; the ratio takes the
lower.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import growth, results
from benchmarks.results import ROOT, markdown

FAISS = "1.15.1"
THREADS = 2
RADIUS_BITS = 8
GROWTH = (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
ODD = ((1_000_000, 8, "half-set"), (100_000, 16, "random"), (1_000_000, 12, "random"), (1_000_000, 16, "random"))
KINDS = ("random", "half-set")
PLOT = ROOT / "docs" / "dedup-growth.svg"
_SLICE = 10_000
_SEED = 4
_AT_ONCE = 1 << 16

Rows = list[dict[str, Any]]


# --- the keys


def keys_of(size: int, kind: str) -> NDArray[np.uint64]:
    """(size,) distinct keys, the same for every side; each hundredth is another one with 1 to 8 bits flipped.

    half-set: 32 of 64 bits are set, as in a pHash. The copies are the exception.
    """
    rng = np.random.default_rng(_SEED)
    parts = [_drawn(min(_AT_ONCE, size - start), kind, rng) for start in range(0, size, _AT_ONCE)]
    keys = np.concatenate(parts)
    copies = slice(size - size // 100, size)
    for turn in range(8):
        flips = np.uint64(1) << rng.integers(0, 64, size // 100, np.uint64)
        keys[copies] = (
            keys[: size // 100] ^ flips
            if turn == 0
            else keys[copies] ^ np.where(rng.random(len(flips)) < 0.5, flips, 0)
        )
    while len(twice := _repeated(keys)):
        keys[twice] = _drawn(len(twice), kind, rng)
    return keys


def _drawn(size: int, kind: str, rng: np.random.Generator) -> NDArray[np.uint64]:
    if kind == "random":
        return rng.integers(0, 2**64, size, np.uint64)
    places = np.argpartition(rng.random((size, 64), np.float32), 32, axis=1)[:, :32].astype(np.uint64)
    return np.bitwise_or.reduce(np.uint64(1) << places, axis=1)


def _repeated(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    ordered = np.sort(keys)
    if not np.any(ordered[1:] == ordered[:-1]):
        return np.empty(0, np.int64)  # nearly always, and in less memory than what follows
    order = np.argsort(keys, kind="stable")
    return order[1:][keys[order[1:]] == keys[order[:-1]]]


# --- the sides


def by_us(size: int, radius_bits: int, kind: str) -> dict[str, Any]:
    """Seconds of one search, its pairs, and the largest memory in the process above what it held before the search.

    The memory is that of the compiler too. Its first call is timed apart: it loads the machine code, or makes it once.
    """
    keys = keys_of(size, kind)
    start_mb = _held_mb()
    from tasks.core.dedup import search, search_bands

    began_s = time.monotonic()
    search_bands.banded_pairs(keys[:1000], None, radius_bits, THREADS)
    first_s = time.monotonic() - began_s
    began_s = time.monotonic()
    pairs, _ = search.near_pairs(keys, radius_bits, THREADS)
    work_s = time.monotonic() - began_s
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"work_s": work_s, "pairs": len(pairs), "peak_mb": peak_mb - start_mb, "first_s": first_s}


def _held_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def by_faiss(size: int, radius_bits: int, queries: int) -> dict[str, Any]:
    """Seconds of `range_search` of the first `queries` keys in an index of all, and its hits: each pair twice, each
    key itself.
    """
    import faiss

    faiss.omp_set_num_threads(THREADS)
    words = keys_of(size, "random").view(np.uint8).reshape(-1, 8)
    index = faiss.IndexBinaryFlat(64)
    index.add(words)
    began_s = time.monotonic()
    limits, _, _ = index.range_search(words[:queries], radius_bits + 1)  # it takes what is strictly nearer
    return {"work_s": time.monotonic() - began_s, "hits": int(limits[-1])}


def faiss_installed() -> Path:
    """The Python of an environment below build/ that has faiss."""
    folder = ROOT / "build" / f"faiss-{FAISS}"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", f"faiss-cpu=={FAISS}", "numpy>=2"], check=True)
        (folder / "ready").touch()
    return python


def _alone(python: Path | str, *words: object) -> dict[str, Any]:
    """What a side prints when it runs in a process of its own."""
    return results.child("benchmarks.dedup_search", python, *words)


# --- side by side


def measured(rounds: int = 3) -> tuple[Rows, dict[str, float]]:
    """Rows of all searches and the ratios; draws the growth into docs/dedup-growth.svg.

    search_1e6_vs_faiss_flat: ours as a fraction of faiss's time, smaller is better: the median of the rounds, in which
    the sides follow each other. search_1e7_s, search_1e7_peak_mb: ours, seconds and megabytes above the start.
    """
    python = faiss_installed()
    against = [_round(python) for _ in range(rounds)]
    grown = {size: _alone(sys.executable, "ours", size, RADIUS_BITS) for size in GROWTH}
    odd = {case: _alone(sys.executable, "ours", *case[:2], "--kind", case[2]) for case in ODD}
    PLOT.write_text(_plot([(size, found["work_s"]) for size, found in grown.items()], _by_law(against)), "utf-8")
    rows = [*_rows_against(against), *(_our_row(size, RADIUS_BITS, "random", found) for size, found in grown.items())]
    rows += [_our_row(size, radius_bits, kind, found) for (size, radius_bits, kind), found in odd.items()]
    largest = grown[GROWTH[-1]]
    return rows, {
        "search_1e6_vs_faiss_flat": round(statistics.median(_fraction(found) for found in against), 6),
        "search_1e7_s": round(largest["work_s"], 2),
        "search_1e7_peak_mb": round(largest["peak_mb"]),
    }


def _plot(points: growth.Points, faiss_1e6_s: float) -> str:
    law = [(size, faiss_1e6_s * (size / 1e6) ** 2) for size, _ in points]
    told = f"all pairs within {RADIUS_BITS} bits, {THREADS} threads, seconds"
    law_told = f"dashed: faiss IndexBinaryFlat by its square law ({growth.said(faiss_1e6_s)} at 1e6)"
    return growth.plot(points, told, "keys of 64 bits, random", law, law_told)


def _round(python: Path) -> dict[str, dict[str, Any]]:
    """Every side once; faiss twice, each time 1e10 comparisons."""
    found = {
        "ours_1e5": _alone(sys.executable, "ours", 100_000, RADIUS_BITS),
        "faiss_1e5": _alone(python, "faiss", 100_000, RADIUS_BITS, "--queries", 100_000),
        "ours_1e6": _alone(sys.executable, "ours", 1_000_000, RADIUS_BITS),
        "faiss_1e6": _alone(python, "faiss", 1_000_000, RADIUS_BITS, "--queries", _SLICE),
    }
    expected = 100_000 + 2 * found["ours_1e5"]["pairs"]
    if found["faiss_1e5"]["hits"] != expected:
        raise SystemExit(f"expected faiss to find what we find, {expected} hits, got {found['faiss_1e5']['hits']}")
    return found


def _estimates_s(found: dict[str, dict[str, Any]]) -> tuple[float, float]:
    """faiss's seconds for a million keys: by the square law from a hundred thousand, and from a slice of the
    queries.
    """
    return found["faiss_1e5"]["work_s"] * 100, found["faiss_1e6"]["work_s"] * (1_000_000 / _SLICE)


def _fraction(found: dict[str, dict[str, Any]]) -> float:
    return float(found["ours_1e6"]["work_s"]) / min(_estimates_s(found))


def _by_law(against: Sequence[dict[str, dict[str, Any]]]) -> float:
    return statistics.median(min(_estimates_s(found)) for found in against)


def _rows_against(against: Sequence[dict[str, dict[str, Any]]]) -> Rows:
    ours_s = statistics.median(found["ours_1e6"]["work_s"] for found in against)
    law_s, slice_s = (statistics.median(column) for column in zip(*map(_estimates_s, against), strict=True))
    flat = f"faiss {FAISS} IndexBinaryFlat"
    return [
        _row("ours, median", 1_000_000, RADIUS_BITS, ours_s, against[0]["ours_1e6"]["pairs"]),
        _row(f"{flat}, by its time for 1e5", 1_000_000, RADIUS_BITS, law_s),
        _row(f"{flat}, by its time for {_SLICE} queries", 1_000_000, RADIUS_BITS, slice_s),
    ]


def _our_row(size: int, radius_bits: int, kind: str, found: dict[str, Any]) -> dict[str, Any]:
    return _row(f"ours, {kind} keys", size, radius_bits, found["work_s"], found["pairs"], round(found["peak_mb"]))


def _row(
    side: str, size: int, radius_bits: int, work_s: float, pairs: int | str = "", peak_mb: int | str = ""
) -> dict[str, Any]:
    return {
        "side": side,
        "keys": size,
        "radius_bits": radius_bits,
        "seconds": round(work_s, 3),
        "pairs": pairs,
        "peak MB above start": peak_mb,
        "threads": THREADS,
    }


def main() -> None:
    """One side once, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("side", nargs="?", choices=("ours", "faiss"))
    parser.add_argument("keys", nargs="?", type=int)
    parser.add_argument("radius_bits", nargs="?", type=int, default=RADIUS_BITS)
    parser.add_argument("--kind", choices=KINDS, default="random")
    parser.add_argument("--queries", type=int, default=_SLICE)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    if asked.side == "ours":
        print(json.dumps(by_us(asked.keys, asked.radius_bits, asked.kind)))
    elif asked.side == "faiss":
        print(json.dumps(by_faiss(asked.keys, asked.radius_bits, asked.queries)))
    else:
        rows, ratios = measured(asked.rounds)
        print(markdown(rows))
        print(json.dumps(ratios))


if __name__ == "__main__":
    main()
