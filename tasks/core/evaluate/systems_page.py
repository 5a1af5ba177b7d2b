"""Scores of systems as Markdown, for the terminal, Prefect's UI and a paper's tables."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from schemas.phrases import counted
from tasks.core.evaluate.systems import Ranking, rank_systems
from tasks.core.markdown import cell, number, table

Row = dict[str, Any]


class Headings(NamedTuple):
    """The words of a page.

    title: what was compared, and on what. system: what one is called. unit, units: likewise, one and several. metrics:
    by the key of each metric that is shown, the head of its column. counts: which of them are whole numbers. beside:
    other metrics that are whole numbers and the same for all systems, such as figures: they stand beside the units.
    """

    title: str
    system: str
    unit: str
    units: str
    metrics: Mapping[str, str]
    counts: Collection[str] = ()
    beside: Mapping[str, str] = {}


def summary_lines(scores: pa.Table, headings: Headings, ranking: Ranking) -> list[str]:
    """Lines of the summary: a table of all systems, sentences on how far each is ahead, the ranking's metric by group.

    Without a row there is nothing to compare, which one line says.
    """
    rows = scores.to_pylist()
    names = rank_systems(rows, ranking)
    whole = next((row for row in rows if row["attribute"] is None), None)
    if whole is None:
        return [f"## {cell(headings.title)}: nothing to compare"]
    lines = [
        f"## {cell(headings.title)}: {_units(whole, _own(rows, None)['all'], headings)}",
        "",
        *_all_metrics(rows, names, headings, ranking),
    ]
    if leads := lead_lines([row for row in rows if row["attribute"] is None], headings, ranking):
        lines += ["", *leads]
    for attribute in _attributes(rows):
        title = f"{headings.metrics[ranking.metric]} by {cell(attribute)}:"
        lines += ["", title, "", *_by_group(rows, names, attribute, headings, ranking)]
    return lines


def page(
    scores: pa.Table, headings: Headings, ranking: Ranking, more: Sequence[str], notes: Sequence[str], how: str
) -> str:
    """The whole page: the summary, what the protocol has besides (`more`, lines), each system by group, two systems
    side by side by group (PoPArt, Table 5), and how it was computed.
    """
    rows = scores.to_pylist()
    names = rank_systems(rows, ranking)
    lines = [f"# {cell(headings.title)}", "", *summary_lines(scores, headings, ranking)]
    if more:
        lines += ["", *more]
    for attribute in _attributes(rows):
        for name in names:
            lines += ["", f"## {cell(name)} by {cell(attribute)}", "", *_metrics_of([name], rows, attribute, headings)]
        if len(names) == 2:
            first, second = pair = list(dict.fromkeys(row["system"] for row in rows))  # as they were compared
            text = f"Each cell: {cell(first)} / {cell(second)} / the second minus the first (before rounding)."
            lines += ["", f"## Side by side, by {cell(attribute)}", "", text, ""]
            lines += _metrics_of(pair, rows, attribute, headings)
    lines += ["", *(f"- {cell(note)}" for note in notes), f"- {how}"]
    return "\n".join(lines) + "\n"


def lead_lines(rows: Sequence[Row], headings: Headings, ranking: Ranking) -> list[str]:
    """A sentence for each system and the next one: whether the resamples agree that it is better.

    rows: of one group, or of all units.
    """
    word = "lower" if ranking.is_lower_better else "higher"
    lines = []
    for row in rows:
        if row["ahead_of"] is None or row["low"] is None:
            continue
        verdict = "is better than" if row["low"] > 0 else "is not clearly better than"
        metric, lead = headings.metrics[row["metric"]], number_with_ends(row["value"], row["low"], row["high"])
        lines.append(f"- {cell(row['system'])} {verdict} {cell(row['ahead_of'])}: {metric} is {word} by {lead}.")
    return lines


def number_with_ends(value: float | None, low: float | None, high: float | None) -> str:
    """A number and its interval, if there is one.

    >>> number_with_ends(0.5, 0.25, 1.0), number_with_ends(0.5, None, None)
    ('0.500 (0.250 to 1.000)', '0.500')
    """
    return number(value) if low is None else f"{number(value)} ({number(low)} to {number(high)})"


def _all_metrics(rows: Sequence[Row], names: Sequence[str], headings: Headings, ranking: Ranking) -> list[str]:
    own = next(iter(_own(rows, None).values()))
    lines = []
    for name in names:
        cells = [_value(own[name, metric], headings, with_ends=metric == ranking.metric) for metric in headings.metrics]
        lines.append([cell(name), *cells])
    return table([headings.system, *headings.metrics.values()], lines)


def _by_group(
    rows: Sequence[Row], names: Sequence[str], attribute: str, headings: Headings, ranking: Ranking
) -> list[str]:
    """The ranking's metric of each system in each group, and by how much the first two, as they are ranked over all
    units, differ there.
    """
    leads = {
        row["group"]: number_with_ends(row["value"], row["low"], row["high"])
        for row in rows
        if row["attribute"] == attribute and [row["system"], row["ahead_of"]] == [*names[:2]]
    }
    lines = []
    for group, own in _own(rows, attribute).items():
        values = [number(own[name, ranking.metric]["value"]) for name in names]
        lead = [leads.get(group, "")] if leads else []
        lines.append([cell(group), *values, *lead, *_counts(own, names[0], headings)])
    ahead = ["first ahead by"] if leads else []
    return table([cell(attribute), *map(cell, names), *ahead, *_count_heads(headings)], lines)


def _metrics_of(names: Sequence[str], rows: Sequence[Row], attribute: str, headings: Headings) -> list[str]:
    """Each metric in each group and in all: of one system; or of two, and how far the second is above."""
    lines = []
    for label, own in [*_own(rows, attribute).items(), *_own(rows, None).items()]:
        cells = [
            _pair(*(own[name, metric]["value"] for name in names))
            if len(names) == 2
            else _value(own[names[0], metric], headings)
            for metric in headings.metrics
        ]
        lines.append([cell(label), *cells, *_counts(own, names[0], headings)])
    return table([cell(attribute), *headings.metrics.values(), *_count_heads(headings)], lines)


def _pair(first: float | None, second: float | None) -> str:
    """Two numbers and by how much the second is higher; empty text where one of them is not defined.

    >>> _pair(0.271, 0.335), _pair(0.5, 0.25), _pair(None, None)
    ('0.271 / 0.335 / +0.064', '0.500 / 0.250 / -0.250', '')
    """
    if first is None or second is None:
        return ""
    return f"{number(first)} / {number(second)} / {second - first:+.3f}"


def _value(row: Row, headings: Headings, *, with_ends: bool = False) -> str:
    if row["metric"] in headings.counts and row["value"] is not None:
        return f"{row['value']:,.0f}"
    return number_with_ends(row["value"], row["low"], row["high"]) if with_ends else number(row["value"])


def _count_heads(headings: Headings) -> list[str]:
    return [headings.units, *headings.beside.values()]


def _counts(own: Mapping[tuple[str, str], Row], name: str, headings: Headings) -> list[str]:
    """How many units a group has, and what else is counted in them."""
    units = own[name, next(iter(headings.metrics))]["units"]
    return [str(units), *(f"{own[name, metric]['value']:.0f}" for metric in headings.beside)]


def _units(whole: Row, own: Mapping[tuple[str, str], Row], headings: Headings) -> str:
    more = (f"{own[whole['system'], metric]['value']:,.0f} {label}" for metric, label in headings.beside.items())
    return ", ".join([counted(whole["units"], headings.unit, headings.units), *more])


def _attributes(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row["attribute"] for row in rows if row["attribute"] is not None))


def _own(rows: Sequence[Row], attribute: str | None) -> dict[str, dict[tuple[str, str], Row]]:
    """By group of an attribute, the systems' own values, by system and metric; without one, those of "all"."""
    own: dict[str, dict[tuple[str, str], Row]] = {}
    for row in rows:
        if row["attribute"] == attribute and row["ahead_of"] is None:
            group = "all" if attribute is None else row["group"]
            own.setdefault(group, {})[row["system"], row["metric"]] = row
    return own
