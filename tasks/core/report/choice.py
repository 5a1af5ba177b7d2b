"""The report's section on what the choice has changed (artists, years, shapes, figures, splits); the card's table."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from schemas.phrases import and_more
from tasks.core import plots
from tasks.core.report.pieces import outside, wide_table
from tasks.core.statistics.choice import Statistics, share_of_at_least
from tasks.core.statistics.figures import MANY
from tasks.core.statistics.points import by_rank, first_decade, shares_by_edge, steps_since

ALL = "all together"
_MOST_FIGURES = 15
_MOMENTS = ("before", "after")
_MARKS = {0.125: "1:8", 0.25: "1:4", 0.5: "1:2", 1.0: "1:1", 2.0: "2:1", 4.0: "4:1", 8.0: "8:1"}

_Row = Mapping[str, Any]
_Bins = defaultdict[tuple[str, str, str | None], list[_Row]]


class StratumChange(NamedTuple):
    """One stratum before and after; None where it was not there."""

    name: str
    before: _Row | None
    after: _Row | None


def changes(diversity: pa.Table) -> list[StratumChange]:
    """What became of each stratum of DIVERSITY: all together, then by most images after, most before, and names."""
    of: defaultdict[str | None, dict[str, _Row]] = defaultdict(dict)
    for row in diversity.to_pylist():
        of[row["stratum"]][row["moment"]] = row

    def rank(name: str | None) -> tuple[bool, int, int, str]:
        before, after = (int(of[name][moment]["images"]) if moment in of[name] else 0 for moment in _MOMENTS)
        return name is not None, -after, -before, name or ""

    shown = [name for name in sorted(of, key=rank) if {*_MOMENTS} & of[name].keys()]
    return [
        StratumChange(ALL if name is None else name, of[name].get("before"), of[name].get("after")) for name in shown
    ]


def cells(change: StratumChange) -> list[str]:
    """Images, artists, effective artists and Gini coefficient as "before → after", "-" where there was nothing."""
    forms = {"images": ",d", "artists": ",d", "effective_artists": ",.1f", "gini": ".2f"}
    sides = (change.before, change.after)
    return [" → ".join("-" if row is None else format(row[name], forms[name]) for row in sides) for name in forms]


def section(statistics: Statistics) -> str:
    """The section as HTML; empty where there is nothing to tell."""
    rows = changes(statistics.diversity)
    if not rows:
        return ""
    bins, without_value = _bins(statistics.histograms)
    parts = [
        "<section><h2>What the choice has changed</h2>",
        "<p>Before: the images that the draw chose from. After: the images of this release. The effective number of "
        "artists is the number of artists with equally many works that would be as diverse (exp of the Shannon "
        "entropy); the Gini coefficient is 0 if all artists have equally many works and close to 1 if one has nearly "
        "all. Works without a known artist count as the works of one artist. All numbers are in "
        "<code>statistics/*.parquet</code>.</p>",
        "<div class=plots>",
        _works(bins),
        _aspects(bins),
        _effective(rows[1:]),
        _years(bins, without_value, rows[1:]),
        _figures(bins, statistics.score),
        "</div>",
        _table(rows),
        _splits(statistics.shares),
        "</section>",
    ]
    return "\n".join(part for part in parts if part)


def _works(bins: _Bins) -> str:
    lines = {moment: by_rank(bins["works_per_artist", moment, None]) for moment in _MOMENTS}
    says = (
        "Each artist's works, the most prolific artist first; both axes are logarithmic. The flatter the line, the "
        "more evenly the works are spread over artists. All unknown artists count as one."
    )
    labels = plots.PlotLabels("works", "Works per artist", says, "artists, most works first", "works")
    return plots.rank_plot(labels, lines)


def _effective(rows: Sequence[StratumChange]) -> str:
    def artists(row: _Row | None) -> float | None:
        return None if row is None else float(row["effective_artists"])

    says = (
        "So many equally prolific artists would be as diverse. It is never more than the number of images, so compare "
        "styles of similar size. Styles with the most images first."
    )
    labels = plots.PlotLabels("effective", "Effective number of artists", says, "effective artists")
    return plots.dot_plot(labels, [(row.name, artists(row.before), artists(row.after)) for row in rows], _MOMENTS)


def _years(bins: _Bins, without_year: _Bins, rows: Sequence[StratumChange]) -> str:
    of = [bins["year", moment, None] for moment in _MOMENTS]
    if not any(of):
        return ""
    since = first_decade([*of[0], *of[1]])

    def points(moment: str, style: str) -> list[tuple[float, float]]:
        return steps_since(bins["year", moment, style], since)

    lines = [(row.name, points("before", row.name), points("after", row.name)) for row in rows]
    early = [sum(row["count"] for row in rows if row["least"] < since) for rows in of]
    unknown = [sum(row["count"] for row in without_year["year", moment, None]) for moment in _MOMENTS]
    says = f"Images by decade, from {since:.0f} on. In each style, before and after are scaled to their fullest decade."
    says += f" Older, and not shown: {_arrows(early)}." if any(early) else ""
    says += f" Without a year: {_arrows(unknown)}." if any(unknown) else ""
    return plots.ridge_plot(plots.PlotLabels("years", "Styles and years", says, "year"), lines, _MOMENTS)


def _aspects(bins: _Bins) -> str:
    measured, after = (shares_by_edge(bins["aspect_ratio", moment, None]) for moment in ("measured", "after"))
    says = (
        "Share of images by width : height; left of 1:1 they are higher than wide. "
        "Values beyond 1:8 and 8:1 are not shown."
    )
    labels = plots.PlotLabels("aspect", "Aspect ratios", says, "width : height", "share of images")
    return plots.step_plot(labels, {"all measured images": measured, "after": after}, _MARKS)


def _figures(bins: _Bins, score: float | None) -> str:
    of = {moment: bins["figures_per_image", moment, None] for moment in _MOMENTS}
    most = min(_MOST_FIGURES, max((int(rows[-1]["least"]) for rows in of.values() if rows), default=0))
    if not most:
        return ""
    names = [f"{number}{'+' * (number == _MOST_FIGURES)}" for number in range(most + 1)]
    shares_of_many = [f"{_percent(share_of_at_least(rows, MANY))} {moment}" for moment, rows in of.items()]
    whose = "" if score is None else f" where they have annotated the image, else the detector's from {score:g} on"
    says = f"Share of images by number of figures: people's boxes{whose}. {MANY} or more: {', '.join(shares_of_many)}."
    labels = plots.PlotLabels("figures", "Figures per image", says, "figures in an image", "share of images")
    return plots.bar_plot(labels, {moment: _by_number(rows, most) for moment, rows in of.items()}, names)


def _by_number(bins: Sequence[_Row], most: int) -> list[float]:
    """Shares of 0 .. most figures; the last holds all above too."""
    shares, total = [0.0] * (most + 1), sum(row["count"] for row in bins)
    for row in bins:
        shares[min(int(row["least"]), most)] += row["count"] / total
    return shares


def _table(rows: Sequence[StratumChange]) -> str:
    lines = []
    for change in rows[: plots.ROWS + 1]:
        name = f"<b>{ALL}</b>" if change is rows[0] else outside(change.name)
        lines.append(f"<tr><td>{name}" + "".join(f"<td class=n>{cell}" for cell in cells(change)))
    headings = ["style", "images", "artists", "effective artists", "Gini coefficient"]
    more = and_more(len(rows) - 1 - plots.ROWS)
    return f"<h3>Style by style</h3>{wide_table('Style by style', headings, lines)}" + (
        f"<p>...{more} styles.</p>" if more else ""
    )


def _splits(shares: pa.Table) -> str:
    lines = [
        f"<tr><td>{outside(row['split'])}<td class=n>{row['images']:,}<td class=n>{_percent(row['wanted_share'])}"
        f"<td class=n>{_percent(row['images_share'])}<td class=n>{row['figures']:,}"
        f"<td class=n>{_percent(row['figures_share'])}"
        for row in shares.to_pylist()
        if row["stratum"] is None
    ]
    headings = ["split", "images", "wanted", "got", "figures", "share of figures"]
    return f"<h3>Splits</h3>{wide_table('Splits', headings, lines)}{_farthest(shares)}" if lines else ""


def _farthest(shares: pa.Table) -> str:
    rows = [row for row in shares.to_pylist() if row["stratum"] is not None and row["wanted_share"] is not None]
    if not rows:
        return ""
    totals: Counter[str] = Counter()
    for row in rows:
        totals[row["stratum"]] += row["images"]

    def wanted(row: _Row) -> float:
        return float(row["wanted_share"] * totals[row["stratum"]])

    row = max(rows, key=lambda row: abs(row["images"] - wanted(row)))
    if abs(row["images"] - wanted(row)) < 1:
        return "<p>No split of any style is a whole image or more away from the wanted number.</p>"
    return (
        f"<p>Farthest from the wanted number: {outside(row['stratum'])} has {row['images']:,} images in "
        f"{outside(row['split'])} instead of {wanted(row):,.1f}.</p>"
    )


def _bins(histograms: pa.Table) -> tuple[_Bins, _Bins]:
    """Rows by statistic, moment and stratum (None: all together), in their order: those of values, and of no value."""
    known: _Bins = defaultdict(list)
    unknown: _Bins = defaultdict(list)
    for row in histograms.to_pylist():
        bins = unknown if row["least"] is None else known
        bins[row["statistic"], row["moment"], row["stratum"]].append(row)
    return known, unknown


def _arrows(counts: Sequence[int]) -> str:
    return " → ".join(f"{count:,}" for count in counts)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"
