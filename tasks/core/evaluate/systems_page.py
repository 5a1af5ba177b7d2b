"""Scores of systems as Markdown, for the terminal, Prefect's UI and a paper's tables."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from schemas.phrases import counted
from tasks.core.evaluate.markdown import cell, number, table
from tasks.core.evaluate.systems import Ranking, rank_systems

Row = dict[str, Any]


class Headings(NamedTuple):
    """The words of a page.

    title: what was compared, and on what. system: what one is called. unit, units: likewise, one and several. metrics:
    by the key of each metric that is shown, the head of its column. counts: which of them are whole numbers.
    """

    title: str
    system: str
    unit: str
    units: str
    metrics: Mapping[str, str]
    counts: Collection[str] = ()


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
        f"## {cell(headings.title)}: {_units(whole['units'], headings)}",
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
    """The whole page: the summary, what the protocol has besides (`more`, lines), each system by group, and how it was
    computed.
    """
    rows = scores.to_pylist()
    lines = [f"# {cell(headings.title)}", "", *summary_lines(scores, headings, ranking)]
    if more:
        lines += ["", *more]
    for attribute in _attributes(rows):
        for name in rank_systems(rows, ranking):
            lines += ["", f"## {cell(name)} by {cell(attribute)}", "", *_of_system(rows, name, attribute, headings)]
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
        ends = f"{number(row['value'])} ({number(row['low'])} to {number(row['high'])})"
        metric = headings.metrics[row["metric"]]
        lines.append(f"- {cell(row['system'])} {verdict} {cell(row['ahead_of'])}: {metric} is {word} by {ends}.")
    return lines


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
        row["group"]: _with_ends(row)
        for row in rows
        if row["attribute"] == attribute and [row["system"], row["ahead_of"]] == [*names[:2]]
    }
    lines = []
    for group, own in _own(rows, attribute).items():
        values = [number(own[name, ranking.metric]["value"]) for name in names]
        lead = [leads.get(group, "")] if leads else []
        lines.append([cell(group), *values, *lead, str(own[names[0], ranking.metric]["units"])])
    return table([cell(attribute), *map(cell, names), *(["first ahead by"] if leads else []), headings.units], lines)


def _of_system(rows: Sequence[Row], name: str, attribute: str, headings: Headings) -> list[str]:
    lines = []
    for label, own in [*_own(rows, attribute).items(), *_own(rows, None).items()]:
        cells = [_value(own[name, metric], headings) for metric in headings.metrics]
        lines.append([cell(label), *cells, str(own[name, next(iter(headings.metrics))]["units"])])
    return table([cell(attribute), *headings.metrics.values(), headings.units], lines)


def _value(row: Row, headings: Headings, *, with_ends: bool = False) -> str:
    if row["metric"] in headings.counts and row["value"] is not None:
        return f"{row['value']:,.0f}"
    return _with_ends(row) if with_ends else number(row["value"])


def _with_ends(row: Row) -> str:
    ends = "" if row["low"] is None else f" ({number(row['low'])} to {number(row['high'])})"
    return number(row["value"]) + ends


def _units(count: int, headings: Headings) -> str:
    return counted(count, headings.unit, headings.units)


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
