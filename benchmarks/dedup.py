"""Finding copies beside the peers, on the same two cores: the search beside faiss, hashes and verdicts beside
imagededup.

    python -m benchmarks.dedup FOLDER_OF_IMAGES [--rounds 3] [--originals 636] [--parts search hash pairs second-look]

FOLDER_OF_IMAGES: pictures of different works. All that is made of them lies below build/, and is made once.
"""

import argparse
import itertools
import os
import shutil
import statistics
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import dedup_grades, dedup_peers, dedup_quality, dedup_search, dedup_works, fetch_pictures
from benchmarks.campaign import table
from benchmarks.dedup_peers import CORES, built, child
from benchmarks.dedup_variants import IMAGEDEDUP, TRANSFORMS
from benchmarks.dedup_works import ORIGINAL, Work
from benchmarks.results import ROOT, even, write
from schemas.dedup import Dedup

WORK = ROOT / "build" / "dedup"
FOUND, OURS, ALONE = "imagededup", "bilderatlas", "bilderatlas, without thumbnails"
KEYS = (*Dedup.model_fields["by"].default, "mirrored", "turned")
DROPS = ("same_file", "reencoded", "resized", "recoloured", "cropped", "mirrored", "turned")
DEFAULT_BITS = 10
"""imagededup's own threshold; 0 is the strictest."""
LARGE = 320
"""Images as large as museums publish them, of which sixteen are drawn."""
COPIES_EVERY = 4
"""One copy for so many originals: a fifth of all images are copies."""
_SEED = 1

Rows = list[dict[str, Any]]
Part = tuple[Rows, dict[str, float]]


def main() -> int:
    """Measure, write benchmarks/results/dedup.json, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER_OF_IMAGES")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--originals", type=int, help="take the first N images (default: all)")
    parts = ("search", "hash", "pairs", "second-look")
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts)
    asked = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):  # what is started from here stays on these cores
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    measured: dict[str, Callable[[], Part]] = {
        "search": lambda: dedup_search.measured(asked.rounds),
        "hash": lambda: hashing(asked.folder, asked.originals, asked.rounds),
        "pairs": lambda: pairing(asked.folder, asked.originals),
        "second-look": lambda: second_look(asked.folder, asked.originals, asked.rounds),
    }
    rows: Rows = []
    ratios: dict[str, float] = {}
    for part in asked.parts:
        more, figures = measured[part]()
        rows += [{"part": part, **row} for row in more]
        ratios |= figures
    write("dedup", even(rows), ratios)
    return 0


# --- decode and hash


def hashing(folder: Path, originals: int | None, rounds: int) -> Part:
    """Images per second of either, alternately, on paintings and on images as large as museums publish them."""
    python, versions = dedup_peers.installed()
    works, _ = _their_test(folder, originals)
    rows: Rows = []
    ratios: dict[str, float] = {}
    for kind, images in (("", works / "images"), ("_large", _large())):
        processes = _best_processes(python, images)
        sides = {
            FOUND: partial(child, python, "imagededup", images, "--processes", processes),
            OURS: partial(child, sys.executable, "ours", images),
            ALONE: partial(child, sys.executable, "ours", images, "--without-thumbnails"),
        }
        runs = alternating(sides, rounds)
        settings = {FOUND: f"{_words(versions)}; PHash, {processes} processes"}
        count, size = len(list(images.iterdir())), f"{_mean_kb(images)} kB"
        rows += [
            {
                "side": side,
                "images": count,
                "mean size": size,
                **speeds(found),
                "settings": settings.get(side, f"inspection.inspect, {CORES} threads"),
            }
            for side, found in runs.items()
        ]
        ratios[f"hash{kind}_vs_imagededup"] = times_as_fast(runs[OURS], runs[FOUND])
        ratios[f"hash{kind}_without_thumbnails_vs_imagededup"] = times_as_fast(runs[ALONE], runs[FOUND])
    return rows, ratios


def alternating(sides: Mapping[str, Callable[[], dict[str, Any]]], rounds: int) -> dict[str, Rows]:
    """All runs of each side, every other round in the opposite order."""
    runs: dict[str, Rows] = {side: [] for side in sides}
    for number in range(rounds):
        for side in list(sides)[:: -1 if number % 2 else 1]:
            runs[side].append(sides[side]())
            print(f"{runs[side][-1]['images'] / runs[side][-1]['work_s']:8.1f} images/s  {side}", flush=True)
    return runs


def speeds(runs: Rows) -> dict[str, Any]:
    """The median of the runs' images per second, the slowest and the fastest, and the median of their CPU."""
    found = [run["images"] / run["work_s"] for run in runs]
    return {
        "images/s": round(statistics.median(found), 1),
        "slowest to fastest": f"{min(found):.1f} to {max(found):.1f}",
        "CPU ms/image": round(statistics.median(1000 * run["cpu_s"] / run["images"] for run in runs), 3),
    }


def times_as_fast(ours: Rows, theirs: Rows) -> float:
    """The median of the ratios within each round, so that a round in which the machine was slow counts as any other."""
    return round(
        statistics.median(float(other["work_s"] / one["work_s"]) for one, other in zip(ours, theirs, strict=True)), 3
    )


def _best_processes(python: Path, images: Path) -> int:
    """With how many processes imagededup is fastest here."""
    found = {count: child(python, "imagededup", images, "--processes", count)["work_s"] for count in (1, 2, 3, 4)}
    return min(found, key=found.__getitem__)


def _their_test(folder: Path, originals: int | None) -> tuple[Path, list[Work]]:
    """Originals and five variants of each, as imagededup's documentation describes its test."""
    works = WORK / f"imagededup-test-{originals or 'all'}"
    return works, dedup_works.written(folder, works, IMAGEDEDUP, _SEED, originals)


def _large() -> Path:
    folder = WORK / "large"
    if not (folder / "ready").exists():
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "drawn").mkdir(parents=True)
        (folder / "images").mkdir()
        pictures = [path.read_bytes() for path in fetch_pictures.drawn(folder / "drawn", 16)]
        for number in range(LARGE):
            (folder / "images" / f"{number:04}.jpg").write_bytes(fetch_pictures.image(number, pictures))
        (folder / "ready").touch()
    return folder / "images"


def _mean_kb(images: Path) -> int:
    return round(statistics.fmean(path.stat().st_size for path in images.iterdir()) / 1000)


def _words(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


# --- pairs


def pairing(folder: Path, originals: int | None) -> Part:
    """Precision and recall of pairs on imagededup's own kind of test: in a group of six images, all 15 pairs are
    right.
    """
    python, versions = dedup_peers.installed()
    works, truth = _their_test(folder, originals)
    group_of = {Path(work.image).name: work.original for work in truth}
    theirs = child(python, "pairs", works / "images", "--within", DEFAULT_BITS, 0)["pairs"]
    build = built(works, WORK / f"{works.name}-build", KEYS, DROPS)
    name_of = {work.key: Path(work.image).name for work in truth}
    ours = pairs_of_clusters(dedup_grades.clusters(table(build.release, "ledger")), name_of)
    sides: tuple[tuple[str, str, Iterable[Sequence[str]], str], ...] = (
        (
            f"imagededup_{DEFAULT_BITS}_bits",
            FOUND,
            theirs[str(DEFAULT_BITS)],
            f"PHash, threshold {DEFAULT_BITS}, its default",
        ),
        ("imagededup_0_bits", FOUND, theirs["0"], "PHash, threshold 0"),
        ("bilderatlas", OURS, ours, f"keys {', '.join(KEYS)}; drops {', '.join(DROPS)}; pairs in one cluster"),
    )
    rows: Rows = []
    ratios: dict[str, float] = {}
    for figure, side, pairs, settings in sides:
        found = scored(pairs, group_of)
        said = f"{_words(versions)}; {settings}" if side == FOUND else settings
        rows.append({"side": side, "images": len(group_of), **found, "settings": said})
        ratios |= {f"{figure}_{name}": found[name] for name in ("precision", "recall")}
    return rows, ratios


def pairs_of_clusters(cluster: Mapping[str, str], name_of: Mapping[str, str]) -> list[tuple[str, str]]:
    """Pairs of file names of works for which the same one stayed."""
    members: dict[str, list[str]] = {}
    for key, stays in cluster.items():
        members.setdefault(stays, []).append(name_of[key])
    return [pair for names in members.values() for pair in itertools.combinations(names, 2)]


def scored(pairs: Iterable[Sequence[str]], group_of: Mapping[str, str]) -> dict[str, Any]:
    """How many of the pairs are of one group, and how many of the pairs that groups have were found."""
    found = {frozenset(pair) for pair in pairs}
    right = sum(len({group_of[name] for name in pair}) == 1 for pair in found)
    sizes = [len(list(members)) for _, members in itertools.groupby(sorted(group_of.values()))]
    there = sum(size * (size - 1) // 2 for size in sizes)
    return {
        "pairs": len(found),
        "right": right,
        "of": there,
        "precision": round(right / len(found), 5) if found else 1.0,
        "recall": round(right / there, 5) if there else 1.0,
    }


# --- the second look


def second_look(folder: Path, originals: int | None, rounds: int) -> Part:
    """What thumbnails and verification add to decoding and hashing, where a fifth of the images are copies.

    Verification alone is timed on the very pairs that a build has looked at; the build's whole stage is a row of its
    own.
    """
    works = WORK / f"fifth-{originals or 'all'}"
    everything = dedup_works.paintings_at(_SEED, originals)
    chosen = a_fifth(dedup_works.written(folder, everything, TRANSFORMS, _SEED, originals))
    _select(everything, works, {work.key for work in chosen})
    scratch = WORK / f"{works.name}-build"
    shutil.rmtree(scratch, ignore_errors=True)  # its seconds are those of a first build
    stage_s = built(works, scratch, dedup_quality.KEYS, dedup_quality.DROPS).stage_s["dedup"]
    images = works / "images"
    runs = alternating(
        {
            "decode and hash": partial(child, sys.executable, "ours", images, "--without-thumbnails"),
            "and thumbnails": partial(child, sys.executable, "ours", images),
        },
        2 * rounds,
    )
    looked = child(sys.executable, "verified", images, "--store", scratch / "store")
    hash_s, with_thumbnails_s = (statistics.median(run["work_s"] for run in found) for found in runs.values())
    thumbnails_s = max(0.0, with_thumbnails_s - hash_s)
    seconds = {
        "decode and hash": hash_s,
        "thumbnails": thumbnails_s,
        "verification": looked["work_s"],
        "the build's whole stage dedup": stage_s,
    }
    count = len(chosen)
    rows = [
        {"side": OURS, "images": count, "what": what, "ms/image": round(1000 * work_s / count, 3)}
        for what, work_s in seconds.items()
    ]
    return rows, {
        "second_look_of_hashing": round((thumbnails_s + looked["work_s"]) / hash_s, 3),
        "second_look_pairs_per_image": round(looked["pairs"] / count, 3),
        "second_look_ms_per_pair": round(1000 * looked["cpu_s"] / max(1, looked["pairs"]), 3),
        "dedup_stage_of_hashing": round((thumbnails_s + stage_s) / hash_s, 3),
    }


def a_fifth(truth: Sequence[Work]) -> list[Work]:
    """All originals, and for one in COPIES_EVERY of them one copy: another transform for each."""
    originals = [work for work in truth if work.transform == ORIGINAL]
    copies = [work for work in truth if work.transform != ORIGINAL]
    each = len(copies) // max(1, len(originals))
    some = range(0, len(originals), COPIES_EVERY)
    return originals + [copies[number * each + number // COPIES_EVERY % each] for number in some if each]


def _select(everything: Path, works: Path, keys: Collection[str]) -> None:
    """A folder with just these works of everything."""
    shutil.rmtree(works, ignore_errors=True)
    (works / "images").mkdir(parents=True)
    rows = [row for row in dedup_works.rows_of(everything / "works.csv") if row["key"] in keys]
    for row in rows:
        os.link(everything / row["image"], works / row["image"])
    dedup_works.write_table(works / "works.csv", list(rows[0]), (list(row.values()) for row in rows))


if __name__ == "__main__":
    sys.exit(main())
