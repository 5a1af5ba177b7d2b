"""The statistics of several truths side by side, as Markdown: a column for each, PoPArt's Table 3 first."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from schemas.phrases import and_more, counted
from tasks.core.markdown import cell, table
from tasks.core.statistics.figures import MANY

Row = Mapping[str, Any]
Place = tuple[str, str | None, str | None, str | None]
"""Truth, split, attribute and group."""
Values = Mapping[str, float | None]
MOST_GROUPS = 60
"""Values of an attribute, or styles, that a table shows; all are in the Parquet files."""
_MOST_CELLS = 12


def _whole(value: float) -> str:
    return f"{value:,.0f}"


def _decimal(value: float) -> str:
    return f"{value:,.2f}"


def _percent(value: float) -> str:
    return f"{100 * value:.2f} %"


def _plain(value: float) -> str:
    return f"{value:.0f}"


class Statistic(NamedTuple):
    """A row of a table. names: what is shown, of a size both sides."""

    label: str
    names: tuple[str, ...]
    write: Callable[[float], str] = _whole


TABLE_3 = (
    Statistic("images", ("images",)),
    Statistic("with figures", ("with_figures",)),
    Statistic("without", ("without_figures",)),
    Statistic("not annotated", ("not_annotated",)),
    Statistic("figures", ("figures",)),
    Statistic("crowds", ("crowds",)),
    Statistic("keypoints", ("keypoints",)),
    Statistic("styles", ("styles",)),
)
_CROWDED = (
    Statistic("figures per image: mean", ("mean_figures",), _decimal),
    Statistic("figures per image: median", ("median_figures",), "{:g}".format),
    Statistic("figures per image: most", ("most_figures",)),
    Statistic(f"images with {MANY} figures or more", ("many_figures_share",), _percent),
    Statistic("figures that overlap another (more than half of the smaller box)", ("overlapping_share",), _percent),
    Statistic("figures that overlap another (IoU > 0)", ("touching_share",), _percent),
    Statistic("most overlapping pairs in an image (more than half of the smaller box)", ("most_overlapping_pairs",)),
    Statistic("most overlapping pairs in an image (IoU > 0)", ("most_touching_pairs",)),
    Statistic("share of an image that figures cover together: mean", ("covered_share",), _percent),
    Statistic("nearest other figure, in diagonals of the image: mean", ("mean_proximity",), _decimal),
    Statistic("figures of at most 16 x 16 px", ("small_share",), _percent),
    Statistic("figures of at most 16 x 16 px, sides counted with + 1", ("small_with_edges_share",), _percent),
)
_SIZES = tuple(
    Statistic(f"{word} {what}, px", (f"{word}_{what}_width_px", f"{word}_{what}_height_px"))
    for what in ("image", "figure")
    for word in ("widest", "highest")
)
_WORKS = (
    Statistic("width : height, least", ("least_aspect",), _decimal),
    Statistic("width : height, most", ("most_aspect",), _decimal),
    Statistic("images from 1 : 2 to 2 : 1", ("moderate_aspect_share",), _percent),
    Statistic("artists", ("artists",)),
    Statistic("effective artists", ("effective_artists",), _decimal),
    Statistic("Gini coefficient of works by artist", ("artists_gini",), _decimal),
    Statistic("share of the largest artist", ("largest_artist_share",), _percent),
    Statistic("images without an artist", ("unknown_artist",)),
    Statistic("images with a year", ("known_years_share",), _percent),
    Statistic("first year", ("first_year",), _plain),
    Statistic("median year", ("median_year",), _plain),
    Statistic("last year", ("last_year",), _plain),
)
_CLASSES = (
    Statistic("classes", ("classes",)),
    Statistic("images a class: mean", ("mean_images_of_class",), _decimal),
    Statistic("images a class: most", ("most_images_of_class",)),
    Statistic("classes with one image", ("single_image_classes_share",), _percent),
)
_OF_GROUPS = (
    *(one for one in TABLE_3 if one.names[0] in {"images", "figures", "with_figures"}),
    *(one._replace(label=label) for one, label in zip(_CROWDED[3:5], (f">= {MANY} figures", "overlap"), strict=True)),
)


class StatisticTable(NamedTuple):
    """A table of the page, or of a report; all texts as `write` of `statistic_tables` has them.

    title: None: it needs none. headings, lines: of its cells; says: a sentence below it, or none.
    """

    title: str | None
    headings: Sequence[str]
    lines: Sequence[Sequence[str]]
    says: str = ""


def page(numbers: pa.Table, shares: pa.Table, notes: Sequence[str], meaning: str) -> str:
    """The whole page. numbers: TRUTH_STATISTICS, shares: TRUTH_SHARES of all truths, in their order. meaning: that of
    the numbers. What no truth has is left out.
    """
    truths = list(dict.fromkeys(numbers["truth"].to_pylist()))
    lines = [f"# Statistics of {' and '.join(map(cell, truths))}"]
    found = [*statistic_tables(numbers, cell)]
    for truth in truths:
        grid = split_grid([row for row in shares.to_pylist() if row["truth"] == truth])
        found += [_grid_table(cell(truth), grid)] if grid else []
    for one in found:
        lines += ["", f"## {one.title}"] if one.title else []
        lines += ["", *table(one.headings, one.lines), *(["", one.says] if one.says else [])]
    return "\n".join([*lines, "", *(f"- {cell(note)}" for note in notes), f"- {meaning}", ""])


def statistic_tables(numbers: pa.Table, write: Callable[[str], str]) -> Iterator[StatisticTable]:
    """The tables of TRUTH_STATISTICS, all but those that are of nothing. write: how a text from outside is written."""
    found = _by_place(numbers)
    truths = list(dict.fromkeys(truth for truth, *_ in found))
    yield _rows_by_split(None, found, TABLE_3, write)
    for title, statistics in (("How crowded", _CROWDED), ("Sizes", _SIZES), ("Works", _WORKS)):
        side_by_side = _side_by_side(title, found, truths, statistics, write)
        if side_by_side.lines:
            yield side_by_side
    if any("classes" in values for values in found.values()):
        yield _rows_by_split("Classes", found, _CLASSES, write)
    for attribute in dict.fromkeys(attribute for _, _, attribute, _ in found if attribute is not None):
        yield _groups(found, truths, attribute, write)


def how(*, has_crowds: bool) -> str:
    """What the numbers mean, in a sentence or two. has_crowds: as of `count_images`."""
    crowds = "A crowd counts as one figure" if has_crowds else "Crowds count as no figures, and overlap nothing"
    return (
        f"{crowds}. Means, medians and shares of images are over those with figures; images that nobody annotated are "
        "neither with figures nor without. Overlaps are a reading: PoPArt does not define them (docs/statistics.md)."
    )


def _by_place(numbers: pa.Table) -> dict[Place, dict[str, float | None]]:
    found: dict[Place, dict[str, float | None]] = {}
    for row in numbers.to_pylist():
        place = row["truth"], row["split"], row["attribute"], row["group"]
        found.setdefault(place, {})[row["statistic"]] = row["value"]
    return found


def write_value(statistic: Statistic, values: Values) -> str:
    """A cell; empty where there is nothing to tell.

    >>> write_value(_SIZES[0], {"widest_image_width_px": 6298.0, "widest_image_height_px": 3049.0})
    '6,298 x 3,049'
    """
    known = [value for name in statistic.names if (value := values.get(name)) is not None]
    return " x ".join(map(statistic.write, known))


def _rows_by_split(
    title: str | None, found: Mapping[Place, Values], statistics: Sequence[Statistic], write: Callable[[str], str]
) -> StatisticTable:
    """A row for each split of each truth, and its total below."""
    places = [place for place in found if place[2] is None and statistics[0].names[0] in found[place]]
    lines = []
    for truth in dict.fromkeys(place[0] for place in places):
        mine = [place for place in places if place[0] == truth]
        for place in [*(place for place in mine if place[1] is not None), *(p for p in mine if p[1] is None)]:
            split = "total" if place[1] is None else write(place[1])
            lines.append([write(truth), split, *(write_value(one, found[place]) for one in statistics)])
    return StatisticTable(title, ["truth", "split", *(one.label for one in statistics)], lines)


def _side_by_side(
    title: str,
    found: Mapping[Place, Values],
    truths: Sequence[str],
    statistics: Sequence[Statistic],
    write: Callable[[str], str],
) -> StatisticTable:
    """A column for each truth; rows of nothing are left out."""
    whole = [found[truth, None, None, None] for truth in truths]
    lines = [[one.label, *(write_value(one, values) for values in whole)] for one in statistics]
    return StatisticTable(title, ["", *map(write, truths)], [line for line in lines if any(line[1:])])


def _groups(
    found: Mapping[Place, Values], truths: Sequence[str], attribute: str, write: Callable[[str], str]
) -> StatisticTable:
    """A row for each value, the largest first, and columns for each truth."""
    totals: dict[str, float] = {}
    for (_, _, of, group), values in found.items():
        if of == attribute and group is not None:
            totals[group] = totals.get(group, 0) + (values["images"] or 0)
    names = sorted(totals, key=lambda name: (-totals[name], name))
    of_classes = [one for one in _CLASSES[:1] if any("classes" in values for values in found.values())]
    own = [values for (_, _, of, _), values in found.items() if of == attribute]
    wanted = [*_OF_GROUPS[:1], *of_classes, *_OF_GROUPS[1:]]
    statistics = [one for one in wanted if any(one.names[0] in values for values in own)]
    lead = {truth: f"{write(truth)}: " if len(truths) > 1 else "" for truth in truths}
    heads = [f"{lead[truth]}{one.label}" for truth in truths for one in statistics]
    lines = []
    for name in names[:MOST_GROUPS]:
        mine = [found.get((truth, None, attribute, name), {}) for truth in truths]
        lines.append([write(name), *(write_value(one, values) for values in mine for one in statistics)])
    more = len(names) - MOST_GROUPS
    says = f"{counted(more, 'more value')} in statistics.parquet." if more > 0 else ""
    return StatisticTable(f"By {write(attribute)}", [write(attribute), *heads], lines, says)


class SplitGrid(NamedTuple):
    """Images of each style in each split. styles: the first MOST_GROUPS, with the images in each of the splits; empty:
    styles without an image in a split, with it; cells, more: how many cells there are, and styles not in `styles`.
    """

    splits: Sequence[str]
    styles: Mapping[str, Sequence[int]]
    empty: Sequence[tuple[str, str]]
    cells: int
    more: int

    def sentence(self, write: Callable[[str], str]) -> str:
        """How many cells are empty, and the first of them. write: how a style or a split is written."""
        names = [f"{write(style)} in {write(split)}" for style, split in self.empty[:_MOST_CELLS]]
        some = f" ({'; '.join(names)}{and_more(len(self.empty) - _MOST_CELLS)})"
        return f"Without an image: {len(self.empty):,} of {counted(self.cells, 'cell')}{some if names else ''}."


def split_grid(rows: Sequence[Row]) -> SplitGrid | None:
    """Which cells are empty: what a split lacks can't be tested there. rows: of SHARES; None without any style."""
    by_style: dict[str, dict[str, int]] = {}
    for row in rows:
        if row["stratum"] is not None:
            by_style.setdefault(row["stratum"], {})[row["split"]] = row["images"]
    if not by_style:
        return None
    splits = list(next(iter(by_style.values())))
    return SplitGrid(
        splits,
        {style: [images[split] for split in splits] for style, images in [*by_style.items()][:MOST_GROUPS]},
        [(style, split) for style, images in by_style.items() for split in splits if not images[split]],
        len(by_style) * len(splits),
        max(0, len(by_style) - MOST_GROUPS),
    )


def _grid_table(truth: str, grid: SplitGrid) -> StatisticTable:
    lines = [
        [cell(style), *(f"{count:,}" if count else "**none**" for count in images)]
        for style, images in grid.styles.items()
    ]
    says = grid.sentence(cell)
    says += f" {counted(grid.more, 'more style')} in splits.parquet." if grid.more else ""
    return StatisticTable(f"Splits and styles of {truth}", ["style", *map(cell, grid.splits)], lines, says)
