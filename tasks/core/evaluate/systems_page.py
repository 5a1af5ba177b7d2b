"""Scores of systems as Markdown, for the terminal, Prefect's UI and a paper's tables."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from schemas.phrases import counted
from tasks.core.evaluate.systems import Ranking, rank_systems
from tasks.core.markdown import cell, number, table

Row = dict[str, Any]
Own = dict[tuple[str, str], Row]
"""Of one group, by system and metric, a system's own value."""


class Headings(NamedTuple):
    """The words of a page.

    title: what was compared, and on what. system, unit, units: what one or several are called. metrics: by the key of
    each metric that is shown, the head of its column. counts: which of them are whole numbers. beside: other metrics
    that are whole numbers and the same for all systems, such as figures: they stand beside the units.
    """

    title: str
    system: str
    unit: str
    units: str
    metrics: Mapping[str, str]
    counts: Collection[str] = ()
    beside: Mapping[str, str] = {}


def summary_lines(scores: pa.Table, headings: Headings, ranking: Ranking) -> list[str]:
    """Lines of the summary: a table of all systems, sentences on how far each is ahead, the ranking's metric by group;
    without a row, that there is nothing to compare.
    """
    rows = scores.to_pylist()
    if not rows:
        return [f"## {cell(headings.title)}: nothing to compare"]
    names, (whole, by_attribute) = rank_systems(rows, ranking), _own_values(rows)
    first = rows[0]
    beside = (f"{whole[first['system'], metric]['value']:,.0f} {label}" for metric, label in headings.beside.items())
    units = ", ".join([counted(first["units"], headings.unit, headings.units), *beside])
    cells = [
        [cell(name), *(_value(whole[name, metric], headings, ranking.metric) for metric in headings.metrics)]
        for name in names
    ]
    lines = [f"## {cell(headings.title)}: {units}", "", *table([headings.system, *headings.metrics.values()], cells)]
    if leads := lead_lines([row for row in rows if row["attribute"] is None], headings):
        lines += ["", *leads]
    for attribute, groups in by_attribute.items():
        title = f"{headings.metrics[ranking.metric]} by {cell(attribute)}:"
        first_two = [
            row for row in rows if row["attribute"] == attribute and [row["system"], row["ahead_of"]] == names[:2]
        ]
        ahead = {row["group"]: number_with_ends(row["value"], row["low"], row["high"]) for row in first_two}
        cells = []
        for group, own in groups.items():
            values = [number(own[name, ranking.metric]["value"]) for name in names]
            lead = [ahead.get(group, "")] if ahead else []
            cells.append([cell(group), *values, *lead, *_counts(own, names[0], headings)])
        heads = [cell(attribute), *map(cell, names), *(["first ahead by"] if ahead else []), *_count_heads(headings)]
        lines += ["", title, "", *table(heads, cells)]
    return lines


def page(
    scores: pa.Table, headings: Headings, ranking: Ranking, more: Sequence[str], notes: Sequence[str], how: str
) -> str:
    """The whole page: the summary, what the protocol has besides (`more`, lines), each system by group, two systems
    side by side by group (PoPArt, Table 5), and how it was computed.
    """
    rows = scores.to_pylist()
    names, (whole, by_attribute) = rank_systems(rows, ranking), _own_values(rows)
    lines = [f"# {cell(headings.title)}", "", *summary_lines(scores, headings, ranking)]
    if more:
        lines += ["", *more]
    for attribute, own in by_attribute.items():
        groups = [*own.items(), ("all", whole)]
        for name in names:
            lines += [
                "",
                f"## {cell(name)} by {cell(attribute)}",
                "",
                *_metrics_of([name], attribute, groups, headings),
            ]
        if len(names) == 2:
            first, second = pair = list(dict.fromkeys(row["system"] for row in rows))  # as they were compared
            text = f"Each cell: {cell(first)} / {cell(second)} / the second minus the first (before rounding)."
            lines += ["", f"## Side by side, by {cell(attribute)}", "", text, ""]
            lines += _metrics_of(pair, attribute, groups, headings)
    lines += ["", *(f"- {cell(note)}" for note in notes), f"- {how}"]
    return "\n".join(lines) + "\n"


def lead_lines(rows: Sequence[Row], headings: Headings) -> list[str]:
    """A sentence for each system and the next one: whether resamples agree that it is better. rows: of one group."""
    lines = []
    for row in rows:
        if row["ahead_of"] is not None and row["low"] is not None:
            verdict = "is better than" if row["low"] > 0 else "is not clearly better than"
            metric, lead = headings.metrics[row["metric"]], number_with_ends(row["value"], row["low"], row["high"])
            lines.append(f"- {cell(row['system'])} {verdict} {cell(row['ahead_of'])}: {metric} is higher by {lead}.")
    return lines


def number_with_ends(value: float | None, low: float | None, high: float | None) -> str:
    """A number and its interval, if there is one.

    >>> number_with_ends(0.5, 0.25, 1.0), number_with_ends(0.5, None, None)
    ('0.500 (0.250 to 1.000)', '0.500')
    """
    return number(value) if low is None else f"{number(value)} ({number(low)} to {number(high)})"


def _metrics_of(
    names: Sequence[str], attribute: str, groups: Sequence[tuple[str, Own]], headings: Headings
) -> list[str]:
    """Each metric in each group: of one system; or of two, and how far the second is above."""
    lines = []
    for group, own in groups:
        several = [[own[name, metric] for name in names] for metric in headings.metrics]
        cells = [
            _pair(*(row["value"] for row in rows)) if len(rows) == 2 else _value(rows[0], headings) for rows in several
        ]
        lines.append([cell(group), *cells, *_counts(own, names[0], headings)])
    return table([cell(attribute), *headings.metrics.values(), *_count_heads(headings)], lines)


def _pair(first: float | None, second: float | None) -> str:
    """Two numbers and by how much the second is higher; empty text where one of them is not defined.

    >>> _pair(0.271, 0.335), _pair(0.5, 0.25), _pair(None, None)
    ('0.271 / 0.335 / +0.064', '0.500 / 0.250 / -0.250', '')
    """
    if first is None or second is None:
        return ""
    return f"{number(first)} / {number(second)} / {second - first:+.3f}"


def _value(row: Row, headings: Headings, with_ends: str | None = None) -> str:
    """with_ends: the metric whose interval is shown."""
    if row["metric"] in headings.counts and row["value"] is not None:
        return f"{row['value']:,.0f}"
    return number_with_ends(row["value"], row["low"] if row["metric"] == with_ends else None, row["high"])


def _count_heads(headings: Headings) -> list[str]:
    return [headings.units, *headings.beside.values()]


def _counts(own: Own, name: str, headings: Headings) -> list[str]:
    """How many units a group has, and what else is counted in them."""
    units = own[name, next(iter(headings.metrics))]["units"]
    return [str(units), *(f"{own[name, metric]['value']:.0f}" for metric in headings.beside)]


def _own_values(rows: Sequence[Row]) -> tuple[Own, dict[str, dict[str, Own]]]:
    """The systems' own values over all units, and by attribute and group."""
    whole: Own = {}
    by_attribute: dict[str, dict[str, Own]] = {}
    for row in rows:
        if row["ahead_of"] is None:
            is_whole = row["attribute"] is None
            own = whole if is_whole else by_attribute.setdefault(row["attribute"], {}).setdefault(row["group"], {})
            own[row["system"], row["metric"]] = row
    return whole, by_attribute
