"""What an evaluation of sketches writes: columns of its page, agreement with people, the study of strokes."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_images import STROKES
from schemas.tables import SYSTEM_SCORES
from tasks.core.evaluate import charts
from tasks.core.evaluate.sketches.agreement import RECOGNISABILITY, MetricAgreement, has_same_sets
from tasks.core.evaluate.sketches.scores import OF_ALL, StrokeStudy, alpha_text
from tasks.core.evaluate.sketches.table import Sketches
from tasks.core.evaluate.systems import Ranking
from tasks.core.evaluate.systems_page import Headings, summary_lines
from tasks.core.markdown import cell, number, table

Study = tuple[str, str, str, StrokeStudy]
"""Method, subset, metric, and the study."""

BY_RHO = Ranking("rho")
_AGREEMENT = {
    "rho": "rho",
    "tau": "tau",
    "rho_pooled": "rho, pooled",
    "tau_pooled": "tau, pooled",
    "sets": "sets",
    "sets_left_out": "left out",
}


def headings(known: Sketches, alphas: Sequence[float]) -> Headings:
    """The words of the page, with the metrics that have a value; methods are ranked by the first. Raises BadInput where
    nothing says how recognisable a sketch is.
    """
    has_ratio = not np.isnan(known.ratio).all()
    texts = [alpha_text(alpha) for alpha in alphas] if has_ratio else []
    columns = {}
    for values, name, short in ((known.mean_oks, "mOKS", "mRS"), (known.cosine, "S_CLIP", "mRC")):
        if not np.isnan(values).all():
            columns[name] = name
            for alpha in texts:
                key, label = f"{short}_{alpha}", f"{short}@{alpha}"
                columns |= {key: label, f"{key}{OF_ALL}": f"{label} of all"}
    if not columns:
        got = "nothing that says how recognisable a sketch is"
        raise BadInput(f"sketches: expected mean_oks or clip_cosine, or --poses, got {got}")
    columns |= {"SR": "SR"} if has_ratio else {}
    columns |= {f"passing_{alpha}": f"passing@{alpha}" for alpha in texts}
    return Headings("Sketches", "method", "photo", "photos", {**columns, "sketches": "sketches"}, {"sketches"})


def own_metrics(question: str, known: Sketches, clip_scale: float) -> dict[str, NDArray[np.float64]]:
    """(S,) by name: the metrics of ours that a question of people is compared with."""
    if question == RECOGNISABILITY:
        return {"mOKS": known.mean_oks, "S_CLIP": clip_scale * known.cosine}
    return {"SR": known.ratio}


def split_leads(scores: pa.Table, compared: Mapping[str, MetricAgreement]) -> tuple[pa.Table, list[tuple[str, str]]]:
    """SYSTEM_SCORES without leads between metrics with correlations on different sets, and which pairs these are."""
    rows = scores.to_pylist()
    unlike = [
        (row["system"], row["ahead_of"])
        for row in rows
        if row["ahead_of"] is not None and not has_same_sets(compared[row["system"]], compared[row["ahead_of"]])
    ]
    kept = [row for row in rows if (row["system"], row["ahead_of"]) not in unlike]
    return pa.Table.from_pylist(kept, schema=SYSTEM_SCORES), unlike


def agreement_lines(question: str, scores: pa.Table, unlike: Sequence[tuple[str, str]]) -> list[str]:
    """How well metrics agree with people, and which of them can't be compared. scores, unlike: as of `split_leads`."""
    title, counts = f"Agreement with people: {question}", {"sets", "sets_left_out"}
    lines = summary_lines(scores, Headings(title, "metric", "photo", "photos", _AGREEMENT, counts), BY_RHO)
    notes = [
        f"- {cell(one)} and {cell(other)} are not compared: they have correlations on different photos."
        for one, other in unlike
    ]
    return [*lines, *(["", *notes] if notes else [])]


def stroke_lines(studies: Sequence[Study]) -> Iterator[str]:
    """The studies of strokes as a table, where there is one."""
    if not studies:
        return
    yield from ("By number of strokes:", "")
    lines = []
    for *names, study in studies:
        later = study.strokes[1:]
        steps = ((study.strokes, study.means), (later, study.rises), (later, study.falls))
        shares = number(study.rises_throughout), number(study.rho)
        counts = str(study.photos), str(study.left_out)
        lines.append([cell(", ".join(names)), *(_by_strokes(*each) for each in steps), *shares, *counts])
    yield from table(["sketches", "means", "rises", "falls", "rises throughout", "rho", "photos", "left out"], lines)


def strokes_table(studies: Sequence[Study]) -> pa.Table:
    """STROKES."""
    rows = []
    for method, subset, metric, study in studies:
        whole = {"method": method, "subset": subset, "metric": metric, **study._asdict()}
        rises, falls = ([math.nan, *steps.tolist()] for steps in (study.rises, study.falls))
        steps = zip(study.strokes.tolist(), study.means.tolist(), rises, falls, strict=True)
        rows += [whole | dict(zip(("strokes", "mean", "rises", "falls"), step, strict=True)) for step in steps]
    columns = [pa.array([row[field.name] for row in rows], field.type, from_pandas=True) for field in STROKES]
    return pa.table(columns, schema=STROKES)


def stroke_charts(studies: Sequence[Study]) -> dict[str, str]:
    """By name, for each metric a chart of the means against strokes, a line for each method and subset."""
    lines: dict[str, dict[str, NDArray[np.float64]]] = {}
    for method, subset, metric, study in studies:
        if study.photos:
            lines.setdefault(metric, {})[f"{method}, {subset}"] = np.stack([study.strokes, study.means], axis=1)
    return {
        f"strokes-{metric}": charts.plot_means(f"{metric} by number of strokes", "strokes", own)
        for metric, own in lines.items()
    }


def _by_strokes(numbers: NDArray[np.int64], values: NDArray[np.float64]) -> str:
    return ", ".join(f"{n}: {number(value) or '-'}" for n, value in zip(numbers, values.tolist(), strict=True))
