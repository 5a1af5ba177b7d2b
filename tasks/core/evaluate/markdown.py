"""A comparison as Markdown, for the terminal, Prefect's UI and a paper's tables."""

import math
import re
from collections.abc import Sequence
from html import escape
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.evaluate import CompareSettings
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
_ESCAPED = str.maketrans({"|": "\\|", "[": "\\[", "\\": "\\\\"})
"""With it, no text is a link, a picture or the end of a cell."""


def summary_lines(name: str, scores: pa.Table, settings: CompareSettings) -> list[str]:
    """Lines of the summary: numbers for boxes and for images, the detectors compared, and the AP of each group.

    Without a row about all images there is nothing to compare, which one line says.
    """
    rows = scores.to_pylist()
    detectors = rank_detectors(rows)
    whole = next((row for row in rows if row["attribute"] is None), None)
    if whole is None:
        return [f"## {cell(name)}: no detector was compared"]
    lines = [
        f"## {cell(name)}: {whole['images']} images, {whole['figures']} figures",
        "",
        *_boxes(rows, detectors),
        "",
        *_lead_lines(rows),
        "",
        f"An image is kept if it has a box with a score of at least {settings.score:g}:",
        "",
        *_images(rows, detectors),
    ]
    for attribute, strata in strata_names(rows).items():
        lines += ["", f"AP by {cell(attribute)}:", "", *_by_stratum(rows, detectors, attribute, strata)]
    return lines


def page(name: str, scores: pa.Table, calibration: pa.Table, settings: CompareSettings, notes: Sequence[str]) -> str:
    """The whole page: the summary, each detector's table by group, two detectors side by side by group (PoPArt,
    Table 5), what thresholds keep, and how it was computed.
    """
    rows = scores.to_pylist()
    detectors = rank_detectors(rows)
    lines = [f"# Detectors on {cell(name)}", "", *summary_lines(name, scores, settings)]
    for attribute, strata in strata_names(rows).items():
        for detector in detectors:
            title = f"## {cell(detector)} by {cell(attribute)}"
            lines += ["", title, "", *_by_measure(rows, detector, attribute, strata)]
        if len(detectors) == 2:
            lines += ["", f"## Side by side, by {cell(attribute)}", "", *_side_by_side(rows, attribute, strata)]
    lines += [
        "",
        "## What a threshold keeps and what it misses",
        "",
        *_thresholds(calibration, detectors),
        "",
    ]
    lines += [f"- {cell(note)}" for note in notes]
    lines += [
        f"- {_which_count(settings)}, at most the best {settings.at_most} of each image. "
        f"Numbers in brackets are 95 % intervals: of AP and AR from {settings.replicates} resamples of the images "
        f"(seed {settings.seed}), of shares by Wilson's formula. A blank means that there is nothing to score."
    ]
    return "\n".join(lines) + "\n"


def presence_notes(calibration: pa.Table) -> list[str]:
    """A warning where all images have figures: then no image can be kept wrongly."""
    first = calibration.filter(pc.is_null(calibration["attribute"])).slice(0, 1).to_pylist()
    if not first or first[0]["with_figure"] < first[0]["images"]:
        return []
    return ["Every image has a figure, so that the precision of images is always 1 and their AUC is not defined"]


def rank_detectors(rows: Sequence[Row]) -> list[str]:
    """Names of the detectors by falling AP over all images."""
    aps = {row["detector"]: row["value"] for row in rows if row["attribute"] is None and row["metric"] == "AP"}
    return sorted(aps, key=lambda name: (-(aps[name] or 0.0), name))


def strata_names(rows: Sequence[Row]) -> dict[str, list[str]]:
    """By attribute, in the order of the rows, the names of its strata, sorted."""
    names: dict[str, set[str]] = {}
    for row in rows:
        if row["attribute"] is not None:
            names.setdefault(row["attribute"], set()).add(row["stratum"])
    return {attribute: sorted(strata) for attribute, strata in names.items()}


def cell(text: str) -> str:
    """Any text as a part of one line of Markdown, or as a cell of a table.

    >>> cell("<i>") + cell("one" + chr(10) + "two")
    '&lt;i&gt;one two'
    """
    return escape(_NO_TEXT.sub(" ", text), quote=False).translate(_ESCAPED)


def number(value: float | None) -> str:
    """The number with three decimals; empty text for None and NaN."""
    return "" if value is None or math.isnan(value) else f"{value:.3f}"


def table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table; the cells of the first column to the left, all others to the right."""
    rule = "|".join(["---", *["---:"] * (len(header) - 1)])
    return [f"| {' | '.join(header)} |", f"|{rule}|", *(f"| {' | '.join(line)} |" for line in lines)]


def _which_count(settings: CompareSettings) -> str:
    names = ", ".join(map(cell, settings.categories))
    if len(settings.categories) == 1:
        return f"Only boxes of category {names} count"
    return (
        f"Boxes of {len(settings.categories)} categories count ({names}): AP and AR are means over those that have a "
        "figure, an image is kept for a box of any, and in each category of an image count"
    )


def _boxes(rows: Sequence[Row], detectors: Sequence[str]) -> list[str]:
    of = _values(rows, None, None)
    lines = []
    for name in detectors:
        first, *others = (of[name, metric] for metric in COLUMNS)
        ends = "" if first["low"] is None else f" ({number(first['low'])}-{number(first['high'])})"
        lines.append([cell(name), number(first["value"]) + ends, *(number(row["value"]) for row in others)])
    return table(["detector", *COLUMNS], lines)


def _images(rows: Sequence[Row], detectors: Sequence[str]) -> list[str]:
    of = _values(rows, None, None)
    lines = [[cell(name), *(number(of[name, metric]["value"]) for metric in _OF_IMAGES)] for name in detectors]
    return table(["detector", *_OF_IMAGES.values()], lines)


def _by_stratum(rows: Sequence[Row], detectors: Sequence[str], attribute: str, strata: Sequence[str]) -> list[str]:
    lines = []
    for stratum in strata:
        of = _values(rows, attribute, stratum)
        counts = of[detectors[0], "AP"]
        values = [number(of[name, "AP"]["value"]) for name in detectors]
        lines.append([cell(stratum), *values, str(counts["images"]), str(counts["figures"])])
    return table([cell(attribute), *map(cell, detectors), "images", "figures"], lines)


def _by_measure(rows: Sequence[Row], detector: str, attribute: str, strata: Sequence[str]) -> list[str]:
    lines = []
    for stratum in (*strata, None):
        of = _values(rows, None if stratum is None else attribute, stratum)
        counts = of[detector, "AP"]
        values = [number(of[detector, metric]["value"]) for metric in COLUMNS]
        lines.append(
            ["all" if stratum is None else cell(stratum), *values, str(counts["images"]), str(counts["figures"])]
        )
    return table([cell(attribute), *COLUMNS, "images", "figures"], lines)


def _side_by_side(rows: Sequence[Row], attribute: str, strata: Sequence[str]) -> list[str]:
    """Each measure of two detectors, in the order in which they were compared, and how far the second is above."""
    first, second = dict.fromkeys(row["detector"] for row in rows)
    text = f"Each cell: {cell(first)} / {cell(second)} / the second minus the first (before rounding)."
    lines = []
    for stratum in (*strata, None):
        of = _values(rows, None if stratum is None else attribute, stratum)
        counts = of[first, "AP"]
        pairs = [_pair(of[first, metric]["value"], of[second, metric]["value"]) for metric in COLUMNS]
        lines.append(
            ["all" if stratum is None else cell(stratum), *pairs, str(counts["images"]), str(counts["figures"])]
        )
    return [text, "", *table([cell(attribute), *COLUMNS, "images", "figures"], lines)]


def _pair(first: float | None, second: float | None) -> str:
    """Two numbers and by how much the second is higher; empty text where one of them has nothing to score.

    >>> _pair(0.271, 0.335), _pair(0.5, 0.25), _pair(None, None)
    ('0.271 / 0.335 / +0.064', '0.500 / 0.250 / -0.250', '')
    """
    if first is None or second is None or math.isnan(first) or math.isnan(second):
        return ""
    return f"{number(first)} / {number(second)} / {second - first:+.3f}"


def _lead_lines(rows: Sequence[Row]) -> list[str]:
    """A sentence for each detector and the next one: whether the resamples agree that it is better."""
    lines = []
    for row in rows:
        if not row["metric"].startswith(AHEAD) or row["low"] is None:
            continue
        one, other = cell(row["detector"]), cell(row["metric"].removeprefix(AHEAD))
        ends = f"AP is higher by {number(row['value'])} ({number(row['low'])} to {number(row['high'])})"
        is_certain = row["low"] > 0
        verdict = "is better than" if is_certain else "is not clearly better than"
        lines.append(f"- {one} {verdict} {other}: {ends}.")
    return lines


def _thresholds(calibration: pa.Table, detectors: Sequence[str]) -> list[str]:
    whole = calibration.filter(pc.is_null(calibration["attribute"])).to_pylist()
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
    return table(["detector", "threshold", "kept", "recall", "precision"], lines)


def _with_ends(row: Row, name: str) -> str:
    low, high = number(row[f"{name}_low"]), number(row[f"{name}_high"])
    return f"{number(row[name])} ({low}-{high})" if low else number(row[name])


def _values(rows: Sequence[Row], attribute: str | None, stratum: str | None) -> dict[tuple[str, str], Row]:
    part = attribute, stratum
    return {(row["detector"], row["metric"]): row for row in rows if (row["attribute"], row["stratum"]) == part}
