"""The report's sections of numbers: those of `statistics`, which styles are in which split, rights."""

from collections.abc import Iterator, Mapping

import pyarrow as pa

from schemas.phrases import and_more
from tasks.core.report.pieces import as_row, outside, wide_table
from tasks.core.rights import allowed_use
from tasks.core.statistics import curves
from tasks.core.statistics.page import MOST_GROUPS, SplitGrid, StatisticTable, how, split_grid, statistic_tables
from tasks.core.statistics.side_by_side import TruthTables

TRUTH = "this release"
"""What the release is called among truths."""
_DRAWN = ("years", "overlaps", "classes")
"""Plots of `statistics` that the section on the choice does not have."""


def numbers(tables: TruthTables) -> str:
    """HTML of what `statistics` tells of the release. tables: of one truth, counted with its crowds."""
    drawn = "".join(curves.figures(tables, _DRAWN))
    parts = ["<section><h2>The release in numbers</h2>", f"<p>{how(has_crowds=True)}</p>"]
    parts += [_table(one) for one in statistic_tables(tables.statistics, outside)]
    return "\n".join([*parts, f"<div class=plots>{drawn}</div>" if drawn else "", "</section>"])


def _table(one: StatisticTable) -> str:
    """HTML of the table: of one truth its name in each row, or above the only column, would say nothing."""
    title = one.title or "Images and figures"
    is_by_split = one.headings[0] == "truth"
    headings = [*one.headings[1:]] if is_by_split else [one.headings[0] or "of all images", *one.headings[1:]]
    rows = [as_row(line[1:] if is_by_split else line) for line in one.lines]
    return f"<h3>{title}</h3>{wide_table(title, headings, rows)}" + (f"<p>{one.says}</p>" if one.says else "")


def styles_and_splits(shares: pa.Table) -> str:
    """HTML of a grid of SHARES: each style's images in each split, the darker the more, and empty cells to be seen."""
    grid = split_grid(shares.to_pylist())
    if grid is None:
        return ""
    title, more = "Images by style and split", and_more(grid.more)
    return "\n".join(
        [
            f"<section><h2>{title}</h2><p>{grid.sentence(outside)}</p>",
            wide_table(title, ["style", *map(outside, grid.splits)], [*_cells(grid)], kind="heat"),
            f"<p>...{more} styles, in statistics/shares.parquet.</p>" if more else "",
            "</section>",
        ]
    )


def _cells(grid: SplitGrid) -> Iterator[str]:
    most = max(max(images) for images in grid.styles.values()) or 1
    for style, images in grid.styles.items():
        cells = (
            f"<td class=n style='--share:{count / most:.2f}'>{count:,}" if count else "<td class='n empty'>none"
            for count in images
        )
        yield f"<tr><td>{outside(style)}{''.join(cells)}"


def rights(images: Mapping[str, int]) -> str:
    """HTML of a table with a row for each rights statement: its images, and what it allows. images: by rights_uri."""
    rows = [
        f"<tr><td>{outside(uri)}<td class=n>{count:,}<td>{allowed_use(uri)}"
        for uri, count in sorted(images.items(), key=lambda entry: (-entry[1], entry[0]))
    ]
    more = and_more(len(rows) - MOST_GROUPS)
    headings = ("rights", "images", "what they allow, in short")
    return (
        f"<section><h2>Rights</h2>{wide_table('Rights', headings, rows[:MOST_GROUPS], headings[2:])}"
        f"{f'<p>...{more} rights statements.</p>' if more else ''}</section>"
    )
