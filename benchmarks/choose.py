"""Sampling and splitting: 81,446 real rows, and synthetic ones up to ten million; beside pandas and numpy.

    python -m benchmarks.choose FOLDER [--rounds 3]
    python -m benchmarks.choose FOLDER --side ours|peer [--rows N]

FOLDER: lists of `Style/artist_title.jpg,class` in style_train.csv and style_val.csv (WikiArt's, as ArtGAN refined
them).

The first measures all, each side as a process of its own, prints the table and the ratios and draws
docs/choose-growth.svg. The others are one side, once, and print a line of JSON; without --rows of the real list.

Real rows: 6,000 of each style where there are so many, drawn with artist-inverse weights (ArtBench-10, Algorithm 1),
then split
5:1 inside each style. Synthetic rows: the same draw, 1/60 of the rows of each of thirty styles, and then all rows, of
which a fiftieth lies in groups, split 3:1:1 by style and figures: more than a build would do. The bound is one hash of
each row's name for each draw, and three sorts of all rows.

The peer is what one would write with pandas and numpy: `Generator.choice(replace=False, p=...)` in each style, and a
shuffle of each style that is cut by the ratios. It knows no groups and no figures, and each row's fate depends on all
others.
"""

import argparse
import csv
import json
import resource
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks import results
from benchmarks.growth import plot
from benchmarks.results import ROOT

GROWTH = (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
PLOT = ROOT / "docs" / "choose-growth.svg"
PER_STYLE = 6000
_SEED = 10
_AT_ONCE = 1_000_000
_STYLES = 30

Rows = list[dict[str, Any]]


# --- the rows


def real(folder: Path) -> pa.Table:
    """record_id, style and artist of each row of the lists, sorted."""
    rows = []
    for name in ("style_train.csv", "style_val.csv"):
        with (folder / name).open(encoding="utf-8", newline="") as file:
            for *words, _ in csv.reader(file):  # titles hold commas
                style, file_name = ",".join(words).split("/", 1)
                rows.append(
                    {
                        "record_id": f"wikiart:{style}/{file_name}",
                        "style": style.replace("_", " "),
                        "artist": file_name.split("_")[0],
                    }
                )
    return pa.Table.from_pylist(sorted(rows, key=lambda row: row["record_id"]))


def synthetic(rows: int) -> pa.Table:
    """As many rows: styles by Zipf's law, artists with long tails, figures as in PoPArt's Figure 6, a fiftieth in
    groups of two.
    """
    parts = [_part(start, min(_AT_ONCE, rows - start), rows) for start in range(0, rows, _AT_ONCE)]
    return pa.concat_tables(parts)


def _part(start: int, rows: int, whole: int) -> pa.Table:
    chance = np.random.default_rng([_SEED, start])
    odds = 1 / np.arange(1, _STYLES + 1)
    artists = np.minimum(chance.pareto(0.7, rows) * 10, max(10, whole // 40)).astype(np.int64)
    number = np.arange(start, start + rows)
    numbers = pc.utf8_lpad(pa.array(number).cast(pa.string()), 8, "0")
    grouped = chance.random(rows) < 0.02
    return pa.table(
        {
            "record_id": pc.binary_join_element_wise("wikiart", numbers, ":"),
            "style": pa.array([f"Style {place:02}" for place in range(_STYLES)]).take(
                pa.array(chance.choice(_STYLES, rows, p=odds / odds.sum()))
            ),
            "artist": pc.binary_join_element_wise("Artist", pa.array(artists).cast(pa.string()), " "),
            "figures": np.minimum(np.exp(chance.normal(0.85, 1.05, rows)).astype(np.int64) + 1, 110),
            "group": pa.array(number // 2, mask=~grouped).cast(pa.string()),
        }
    )


# --- the sides


def ours(table: pa.Table, is_real: bool) -> dict[str, Any]:
    """Seconds of both decisions with what is told of them, of the first call (it loads machine code) and the last.

    Peak memory.
    """
    from schemas.sample import Sample
    from schemas.split import Split
    from tasks.core import sample
    from tasks.core.split import decide, drift

    size = table.num_rows
    nobody = pa.array(np.zeros(size, np.bool_))
    view = (
        table.select(["record_id", "style", "artist"])
        .rename_columns(["record_id", "style", "weighs_as"])
        .append_column("is_included", nobody)
        .append_column("replaced_because", pa.nulls(size, pa.string()))
    )
    settings = Sample(label="sample", seed=_SEED, at_most=PER_STYLE if is_real else size // 60)
    ratios = {"train": 5, "test": 1} if is_real else {"train": 3, "val": 1, "test": 1}
    dealing = Split.model_validate(
        {"label": "split", "seed": _SEED, "ratios": ratios, "order": None if is_real else "figures"}
    )
    found = []
    for _ in range(2 if is_real else 1):
        began_s = time.monotonic()
        drawn = sample.decide(view, settings)
        told = sample.notes(view, drawn, settings)
        drawn_s = time.monotonic() - began_s
        if is_real:
            kept = table.filter(pc.is_null(drawn["reason"]))
        else:
            kept = table
            drawn = None
        began_s = time.monotonic()
        to_deal = _to_deal(kept)
        dealt = decide.decide(to_deal, dealing)
        told += drift.notes(to_deal, dealt, dealing)
        found.append((drawn_s + time.monotonic() - began_s, drawn_s))
    return {
        "first_s": found[0][0],
        "work_s": found[-1][0],
        "sample_s": found[-1][1],
        "peak_mb": _peak_mb(),
        "rows": size,
        "splits": {row["values"]: row["counts"] for row in pc.value_counts(dealt["split"]).to_pylist()},
        **(_of_real(table, drawn, told) if is_real else {}),
    }


def _to_deal(table: pa.Table) -> pa.Table:
    size = table.num_rows
    every = {
        "record_id": table["record_id"],
        "style": table["style"],
        "is_kept": np.ones(size, np.bool_),
        "published": pa.nulls(size, pa.string()),
    }
    if "group" not in table.column_names:
        return pa.table({**every, "figures": np.zeros(size, np.int64)})
    return pa.table({**every, "figures": table["figures"], "copies_0": table["group"]})


def _of_real(table: pa.Table, drawn: pa.Table, told: list[str]) -> dict[str, Any]:
    from tasks.core.statistics.choice import diversity

    kept = table.filter(pc.is_null(drawn["reason"]))
    before, after = (
        {row["stratum"] or "all": row for row in diversity(of["style"], of["artist"]).to_pylist()}
        for of in (table, kept)
    )
    rows = [
        {
            "style": style,
            "works": f"{before[style]['images']} -> {after[style]['images']}",
            "lacks": max(0, PER_STYLE - after[style]["images"]) if style != "all" else "",
            "artists": f"{before[style]['artists']} -> {after[style]['artists']}",
            "effective artists": f"{before[style]['effective_artists']:.1f} -> {after[style]['effective_artists']:.1f}",
            "Gini": f"{before[style]['gini']:.3f} -> {after[style]['gini']:.3f}",
        }
        for style in sorted(before, key=lambda style: -before[style]["images"])
    ]
    return {"styles": rows, "notes": told}


def peer(table: pa.Table, is_real: bool) -> dict[str, Any]:
    """The same with pandas and numpy."""
    size, frame = table.num_rows, table.select(["record_id", "style", "artist"]).to_pandas()
    most = PER_STYLE if is_real else size // 60
    began_s = time.monotonic()
    chance = np.random.default_rng(_SEED)
    works = frame.groupby(["style", "artist"])["record_id"].transform("size").to_numpy()
    drawn = []
    for rows in frame.groupby("style").indices.values():
        odds = 1 / works[rows]
        drawn.append(chance.choice(rows, min(most, len(rows)), replace=False, p=odds / odds.sum()))
    sampled_s = time.monotonic() - began_s
    split = np.empty(size, dtype=object)
    for rows in drawn if is_real else frame.groupby("style").indices.values():
        shuffled = chance.permutation(rows)
        ends = [len(rows) * 5 // 6] if is_real else [len(rows) * 3 // 5, len(rows) * 4 // 5]
        for name, part in zip(("train", "val", "test"), np.split(shuffled, ends), strict=False):
            split[part] = name
    return {"work_s": time.monotonic() - began_s, "sample_s": sampled_s, "peak_mb": _peak_mb(), "rows": size}


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# --- all of it


def measured(folder: Path, rounds: int) -> None:
    """Measure, write benchmarks/results/choose.json, print both tables, draw the plot."""
    runs: dict[tuple[str, int], Rows] = {}
    for number in range(rounds):
        for side in ("ours", "peer")[:: -1 if number % 2 else 1]:
            runs.setdefault((side, 0), []).append(_child(folder, side, 0))
    for size in GROWTH:
        for side in ("ours", "peer"):
            repeats = rounds if size < 3_000_000 or side == "ours" else 1
            runs[side, size] = [_child(folder, side, size) for _ in range(repeats)]
            print(f"{size:>10} {side} {runs[side, size][-1]['work_s']:.2f} s", flush=True)
    rows = [_row(side, size, found) for (side, size), found in runs.items()]
    PLOT.write_text(
        plot(
            [(size, _median(runs["ours", size], "work_s")) for size in GROWTH],
            "sampled and split, seconds, one thread",
            "rows",
            [(size, _median(runs["peer", size], "work_s")) for size in GROWTH],
            "dashed: pandas and numpy, without groups and figures",
        ),
        encoding="utf-8",
    )
    styles = runs["ours", 0][0]["styles"]
    print(results.markdown(styles))
    results.write(
        "choose",
        results.even([*rows, *styles]),
        {
            "real_81446_s": round(_median(runs["ours", 0], "first_s"), 3),
            "synthetic_1e7_s": round(_median(runs["ours", GROWTH[-1]], "work_s"), 2),
            "synthetic_1e7_peak_mb": round(max(run["peak_mb"] for run in runs["ours", GROWTH[-1]]), 0),
            "real_vs_pandas": round(_median(runs["peer", 0], "work_s") / _median(runs["ours", 0], "work_s"), 2),
            "synthetic_1e7_vs_pandas": round(
                _median(runs["peer", GROWTH[-1]], "work_s") / _median(runs["ours", GROWTH[-1]], "work_s"), 2
            ),
        },
    )


def _child(folder: Path, side: str, size: int) -> dict[str, Any]:
    return results.child(
        "benchmarks.choose", sys.executable, folder, "--side", side, *(["--rows", size] if size else [])
    )


def _row(side: str, size: int, found: Rows) -> dict[str, Any]:
    return {
        "side": {"ours": "bilderatlas", "peer": "pandas and numpy"}[side],
        "rows": found[0]["rows"],
        "what": "synthetic" if size else "real",
        "seconds": round(_median(found, "work_s"), 3),
        "of which sampling": round(_median(found, "sample_s"), 3),
        "first call": round(_median(found, "first_s"), 3) if "first_s" in found[0] else "",
        "peak MB": round(max(run["peak_mb"] for run in found)),
    }


def _median(runs: Rows, name: str) -> float:
    return float(statistics.median(run[name] for run in runs))


def main() -> int:
    """Measure all, or be one side."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--side", choices=("ours", "peer"))
    parser.add_argument("--rows", type=int)
    asked = parser.parse_args()
    if asked.side is None:
        measured(asked.folder, asked.rounds)
        return 0
    table = synthetic(asked.rows) if asked.rows else real(asked.folder)
    print(json.dumps({"ours": ours, "peer": peer}[asked.side](table, not asked.rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
