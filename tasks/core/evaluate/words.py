"""A comparison as Markdown: what a person reads on the terminal, in Prefect's UI and in a paper's table."""

import re
from collections.abc import Sequence
from html import escape
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.evaluate import Compare
from tasks.core.evaluate.comparison import AHEAD

Row = dict[str, Any]
COLUMNS = ("AP", "AP50", "AP75", "APS", "APM", "APL", "AR")
_OF_IMAGES = {
    "kept_share": "kept",
    "image_recall": "recall",
    "image_precision": "precision",
    "image_f1": "F1",
    "image_auc": "AUC",
}
_SHOWN_AT = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_NO_TEXT = re.compile(r"[\x00-\x1f\x7f]+")


def summary(name: str, scores: pa.Table, settings: Compare) -> list[str]:
    """Lines: boxes and images over all, the AP of each style, and whether the best is better than the next."""
    rows = scores.to_pylist()
    detectors = ranked(rows)
    whole = next(row for row in rows if row["stratum"] is None)
    lines = [
        f"## {cell(name)}: {whole['images']} images, {whole['figures']} figures",
        "",
        *_boxes(rows, detectors),
        "",
        *_ahead(rows),
        "",
        f"An image is kept for a box of at least {settings.score:g}:",
        "",
        *_images(rows, detectors),
    ]
    strata = strata_of(rows)
    return [*lines, "", "AP by style:", "", *_by_stratum(rows, detectors, strata)] if strata else lines


def full(name: str, scores: pa.Table, calibration: pa.Table, settings: Compare, notes: Sequence[str]) -> str:
    """The whole page: the summary, each detector's table by style (PoPArt, Table 5), what thresholds keep, how it was
    made.
    """
    rows = scores.to_pylist()
    lines = [f"# Detectors on {cell(name)}", "", *summary(name, scores, settings)]
    strata = strata_of(rows)
    for detector in ranked(rows) if strata else ():
        lines += ["", f"## {cell(detector)} by style", "", *_by_measure(rows, detector, strata)]
    lines += ["", "## What a threshold keeps, and what it loses", "", *_thresholds(calibration, ranked(rows)), ""]
    lines += [f"- {cell(note)}" for note in notes]
    lines += [
        f"- Boxes of category {cell(settings.category)}, the best {settings.at_most} of an image. Numbers in "
        "brackets: 95 % intervals, of AP "
        f"and AR by {settings.replicates} resamples of the images (seed {settings.seed}), of shares by Wilson. Blank: "
        "nothing to score."
    ]
    return "\n".join(lines) + "\n"


def of_presence(calibration: pa.Table) -> list[str]:
    """A warning where all images have figures: then nothing is wrongly kept, whatever is kept."""
    first = calibration.filter(pc.is_null(calibration["stratum"])).slice(0, 1).to_pylist()
    if not first or first[0]["with_figure"] < first[0]["images"]:
        return []
    return ["Every image has a figure: precision of images is 1 wherever it is defined, and AUC is not defined"]


def ranked(rows: Sequence[Row]) -> list[str]:
    """Names of the detectors by falling AP over all images."""
    aps = {row["detector"]: row["value"] for row in rows if row["stratum"] is None and row["metric"] == "AP"}
    return sorted(aps, key=lambda name: (-(aps[name] or 0.0), name))


def strata_of(rows: Sequence[Row]) -> list[str]:
    """Names of the strata, sorted."""
    return sorted({row["stratum"] for row in rows} - {None})


def cell(text: str) -> str:
    """Any text within a line of Markdown, or a cell of its table.

    >>> cell("<i>") + cell("one" + chr(10) + "two")
    '&lt;i&gt;one two'
    """
    return escape(_NO_TEXT.sub(" ", text), quote=False).replace("|", "\\|")


def number(value: float | None) -> str:
    """Three decimals; nothing where nothing is defined."""
    return "" if value is None else f"{value:.3f}"


def _boxes(rows: Sequence[Row], detectors: Sequence[str]) -> list[str]:
    table = _values(rows, None)
    lines = []
    for name in detectors:
        first, *others = (table[name, metric] for metric in COLUMNS)
        ends = "" if first["low"] is None else f" ({number(first['low'])}-{number(first['high'])})"
        lines.append([cell(name), number(first["value"]) + ends, *(number(row["value"]) for row in others)])
    return _table(["detector", *COLUMNS], lines)


def _images(rows: Sequence[Row], detectors: Sequence[str]) -> list[str]:
    table = _values(rows, None)
    lines = [[cell(name), *(number(table[name, metric]["value"]) for metric in _OF_IMAGES)] for name in detectors]
    return _table(["detector", *_OF_IMAGES.values()], lines)


def _by_stratum(rows: Sequence[Row], detectors: Sequence[str], strata: Sequence[str]) -> list[str]:
    lines = []
    for stratum in strata:
        table = _values(rows, stratum)
        counts = table[detectors[0], "AP"]
        values = [number(table[name, "AP"]["value"]) for name in detectors]
        lines.append([cell(stratum), *values, str(counts["images"]), str(counts["figures"])])
    return _table(["style", *map(cell, detectors), "images", "figures"], lines)


def _by_measure(rows: Sequence[Row], detector: str, strata: Sequence[str | None]) -> list[str]:
    lines = []
    for stratum in (*strata, None):
        table = _values(rows, stratum)
        counts = table[detector, "AP"]
        values = [number(table[detector, metric]["value"]) for metric in COLUMNS]
        lines.append(
            ["all" if stratum is None else cell(stratum), *values, str(counts["images"]), str(counts["figures"])]
        )
    return _table(["style", *COLUMNS, "images", "figures"], lines)


def _ahead(rows: Sequence[Row]) -> list[str]:
    """A sentence for each pair of neighbours: whether resamples agree on which is better."""
    lines = []
    for row in rows:
        if not row["metric"].startswith(AHEAD) or row["low"] is None:
            continue
        one, other = cell(row["detector"]), cell(row["metric"].removeprefix(AHEAD))
        ends = f"AP by {number(row['value'])} ({number(row['low'])} to {number(row['high'])})"
        is_certain = row["low"] > 0
        said = f"ahead of {other} in {ends}" if is_certain else f"not told apart from {other}: ahead in {ends}"
        lines.append(f"- {one} is {said}.")
    return lines


def _thresholds(calibration: pa.Table, detectors: Sequence[str]) -> list[str]:
    whole = calibration.filter(pc.is_null(calibration["stratum"])).to_pylist()
    lines = [
        [
            cell(name),
            f"{row['threshold']:.2f}",
            number(row["kept_share"]),
            _with_ends(row, "recall"),
            _with_ends(row, "precision"),
        ]
        for name in detectors
        for row in whole
        if row["detector"] == name and row["threshold"] in _SHOWN_AT
    ]
    return _table(["detector", "threshold", "kept", "recall", "precision"], lines)


def _with_ends(row: Row, name: str) -> str:
    low, high = number(row[f"{name}_low"]), number(row[f"{name}_high"])
    return f"{number(row[name])} ({low}-{high})" if low else number(row[name])


def _values(rows: Sequence[Row], stratum: str | None) -> dict[tuple[str, str], Row]:
    return {(row["detector"], row["metric"]): row for row in rows if row["stratum"] == stratum}


def _table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    rule = "|".join(["---", *["---:"] * (len(header) - 1)])
    return [f"| {' | '.join(header)} |", f"|{rule}|", *(f"| {' | '.join(line)} |" for line in lines)]
