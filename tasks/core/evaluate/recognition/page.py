"""What only recognition has on its page and in its tables: what was chosen, distractors, and sizes of classes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

import numpy as np
import pyarrow as pa

from schemas.evaluate_images import GRID, PREDICTIONS, RecognitionSettings, Ties
from schemas.phrases import counted
from tasks.core.evaluate.recognition.recognise import Recognition
from tasks.core.evaluate.recognition.scores import scorer
from tasks.core.evaluate.recognition.tables import Gallery, Queries, QueryPredictions
from tasks.core.evaluate.systems_page import number_with_ends
from tasks.core.markdown import cell, number, table

Row = dict[str, Any]


def page_lines(found: Mapping[str, Recognition], distractors: pa.Table, sizes: pa.Table) -> list[str]:
    """Lines of Markdown, where there is something to say: the pair that each system uses, DISTRACTORS (Table 7) and
    SIZES (Fig. 8).
    """
    rows = distractors.to_pylist()
    shares, types = ([row for row in rows if (row["type"] is None) == is_share] for is_share in (True, False))
    pairs = [[cell(name), str(one.best.k), f"{one.best.tau:g}", str(one.dimensions)] for name, one in found.items()]
    pair_title = "## k, temperature and dimensions"
    parts = [
        [pair_title, "", *table(["system", "k", "tau", "dimensions"], pairs)] if pairs else [],
        _gap_lines("## GAP with shares of the distractors", shares, "share", lambda share: f"{100 * share:g}%"),
        _gap_lines("## GAP with one type of distractor", types, "type", str),
        _size_lines(sizes.to_pylist()),
    ]
    return [line for part in parts if part for line in ("", *part)][1:]


def tie_notes(found: Mapping[str, Recognition], ties: Ties) -> list[str]:
    """A sentence for each system whose GAP, or choice of k and temperature, rests on the rule for ties."""
    (unused,) = (rule for rule in get_args(Ties) if rule != ties)
    notes = []
    for name, one in found.items():
        pair, (other_pair, outcomes) = one.best[:2], (one.other[0][:2], one.other[1])
        if not one.alike and pair == other_pair:
            continue
        every = np.ones(len(outcomes.doubt), np.int64)
        own_gap, other_gap = (number(scorer(each)(every)["GAP"]) for each in (one.predictions.outcomes, outcomes))
        chosen = f" with k = {other_pair[0]} and tau = {other_pair[1]:g}" if pair != other_pair else ""
        alike = counted(one.alike, "test query has", "test queries have")
        notes.append(
            f"{name}: with tau = {pair[1]:g} {alike} a confidence of 1 in 64 bits; by ties: {unused} GAP is "
            f"{other_gap}{chosen}, here {own_gap}"
        )
    return notes


def predictions_table(queries: Queries, gallery: Gallery, several: Mapping[str, QueryPredictions]) -> pa.Table:
    """PREDICTIONS of the test queries, by system, in the order of both."""
    true = pa.array(gallery.classes, pa.string()).take(pa.array(queries.class_of, mask=~queries.is_met))
    parts = [PREDICTIONS.empty_table()]
    for name, own in several.items():
        said = (own.prediction, own.confidence, own.nearest, own.outcomes.is_right)
        columns = [pa.repeat(name, len(queries.ids)), queries.ids, true, *said]
        parts.append(pa.table(columns, schema=PREDICTIONS))
    return pa.concat_tables(parts).combine_chunks()


def grid_table(found: Mapping[str, Recognition], settings: RecognitionSettings) -> pa.Table:
    """GRID: every pair once, in the order of the settings."""
    rows = {
        (name, k, tau): {"system": name, "k": k, "tau": tau, "gap": None if np.isnan(gap) else float(gap)}
        for name, one in found.items()
        for k, gaps in zip(settings.k, one.best.gap, strict=True)
        for tau, gap in zip(settings.tau, gaps, strict=True)
    }
    return pa.Table.from_pylist([*rows.values()], schema=GRID)


def _gap_lines(title: str, rows: Sequence[Row], column: str, head: Callable[[Any], str]) -> list[str]:
    """A line for each system, with its GAP and the interval for each value of a column."""
    if not rows:
        return []
    gaps = {(row["system"], row[column]): number_with_ends(row["gap"], row["low"], row["high"]) for row in rows}
    names, values = (dict.fromkeys(row[key] for row in rows) for key in ("system", column))
    lines = [[cell(name), *(gaps[name, value] for value in values)] for name in names]
    return [title, "", *table(["system", *map(head, values)], lines)]


def _size_lines(rows: Sequence[Row]) -> list[str]:
    own = {(row["system"], row["images"]): row for row in rows}
    names = list(dict.fromkeys(row["system"] for row in rows))
    has_gain = len(names) > 1
    lines = []
    for images in dict.fromkeys(row["images"] for row in rows):
        first = own[names[0], images]
        gain = [number(first["points"]), number(first["relative"])] if has_gain else []
        lines.append([str(images), *(number(own[name, images]["acc"]) for name in names), *gain, str(first["queries"])])
    heads = ["images per class", *map(cell, names), *(["gain", "relative gain"] if has_gain else []), "queries"]
    return ["## ACC by images per class in the gallery", "", *table(heads, lines)] if lines else []
