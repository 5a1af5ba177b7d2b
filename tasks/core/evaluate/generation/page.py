"""Scores of generators as Markdown."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from schemas.evaluate_images import GenerationSettings
from schemas.phrases import counted
from tasks.core.evaluate.generation.tables import RANKING
from tasks.core.evaluate.systems_page import Headings, lead_lines
from tasks.core.markdown import cell, table

Row = dict[str, Any]

_LABELS = {
    "fid": "FID",
    "kid": "KID",
    "inception_score": "IS",
    "precision": "precision",
    "recall": "recall",
    "density": "density",
    "coverage": "coverage",
    "copy_share": "copies",
    "nearest_similarity": "nearest",
}
_HEADINGS = Headings("Generated images", "generator", "sample", "samples", _LABELS)


def summary_lines(scores: pa.Table, notes: Sequence[str]) -> list[str]:
    """A table of all generators, how far each is ahead, one table by class of each, the notes. scores:
    GENERATION_SCORES, generators in the order that they keep here.
    """
    rows = scores.to_pylist()
    names = list(dict.fromkeys(row["system"] for row in rows))
    reference = max((row["reference"] for row in rows if row["reference"] is not None), default=None)
    beside = "" if reference is None else f", {counted(reference, 'image')} of the reference"
    lines = [f"## {_HEADINGS.title}: {counted(len(names), 'generator')}{beside}", ""]
    lines += _table(rows, [(name, None) for name in names], "generator", names)
    if leads := lead_lines(rows, _HEADINGS):
        lines += ["", *leads]
    for name in names:
        if classes := [*dict.fromkeys(row["class"] for row in rows if row["system"] == name and row["class"])]:
            lines += ["", f"## {cell(name)} by class", ""]
            lines += _table(rows, [(name, one) for one in classes], "class", classes)
    return [*lines, *([""] if notes else []), *(f"- {cell(note)}" for note in notes)]


def page(scores: pa.Table, notes: Sequence[str], settings: GenerationSettings, replicates: int, seed: int) -> str:
    """The whole page: the summary, and how it was computed."""
    how = []
    if "copy_share" in scores["metric"].to_pylist():
        similarity = f"{settings.copy_similarity:g}"
        how.append(f"Copies have a cosine similarity of at least {similarity} with a training image.")
    if replicates:
        drawn = f"{replicates:,} resamples of the samples (seed {seed}), with the reference as it is"
        alike = "Generators with equally many samples have the same resamples."
        how.append(f"Numbers in brackets are 95 % intervals of {drawn}. {alike}")
    how.append("A blank means that a score is not defined, or that there are no files for it.")
    lines = [f"# {_HEADINGS.title}", "", *summary_lines(scores, notes), *([] if notes else [""])]
    return "\n".join([*lines, *(f"- {sentence}" for sentence in how)]) + "\n"


def _table(rows: Sequence[Row], parts: Sequence[tuple[str, str | None]], head: str, labels: Sequence[str]) -> list[str]:
    """A line for each part, a generator or one class of it, and a column for each metric that one of them has."""
    own = {(row["system"], row["class"], row["metric"]): row for row in rows if row["ahead_of"] is None}
    metrics = [metric for metric in _LABELS if any((*part, metric) in own for part in parts)]
    samples = {(row["system"], row["class"]): row["samples"] for row in rows}
    lines = [
        [cell(label), *(_value(own.get((*part, metric))) for metric in metrics), f"{samples[part]:,}"]
        for label, part in zip(labels, parts, strict=True)
    ]
    return table([head, *(_LABELS[metric] for metric in metrics), "samples"], lines)


def _value(row: Row | None) -> str:
    """With as many digits as KID needs, which is small; with its deviation, or the interval of the ranking."""
    if row is None or row["value"] is None:
        return ""
    digits = 5 if row["metric"] == "kid" else 3
    sd = "" if row["sd"] is None else f" ± {row['sd']:.{digits}f}"
    has_ends = row["metric"] == RANKING.metric and row["low"] is not None
    ends = f" ({row['low']:.{digits}f} to {row['high']:.{digits}f})" if has_ends else ""
    return f"{row['value']:.{digits}f}{sd}{ends}"
