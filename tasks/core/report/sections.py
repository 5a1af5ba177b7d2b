"""The report's short sections: attributes, groups, the detector, and what was not understood."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from schemas.phrases import counted, quoted
from tasks.core.attribute_statistics import AttributeSummary
from tasks.core.coco.truth import truth_of_release
from tasks.core.evaluate import charts
from tasks.core.evaluate.detector.presence import THRESHOLD_HEADINGS, compute_presence, threshold_cells, threshold_table
from tasks.core.evaluate.detector.results import detections_of_release
from tasks.core.evaluate.matching import figures_of
from tasks.core.names.spellings import SpelledName
from tasks.core.report.pieces import as_row, outside, record_name, wide_table
from tasks.core.split.drift import Gap


def attributes(attributes: Sequence[AttributeSummary]) -> str:
    """HTML of a table with a row for each attribute; nothing where the recipe declares none."""
    if not attributes:
        return ""
    rows = [
        f"<tr><td>{outside(of.name)}<td>{of.type}<td class=n>{of.images:,}<td>{', '.join(map(outside, of.values))}"
        f"<td>{outside(of.description)}"
        for of in attributes
    ]
    return f"<h2>Attributes</h2>{wide_table('Attributes', _OF_ATTRIBUTES, rows, ('type', 'values', 'meaning'))}"


_OF_ATTRIBUTES = ("attribute", "type", "images", "values", "meaning")


def empty_splits(gaps: Sequence[Gap]) -> str:
    """HTML of a table with a row for each stratum that has no image in some split; nothing where there are none."""
    splits = list(gaps[0].images) if gaps else []
    rows = [
        f"<tr><td>{outside(gap.stratum)}" + "".join(f"<td class=n>{gap.images[split]:,}" for split in splits)
        for gap in gaps
    ]
    title = "Strata without an image in some split"
    says = f"<h2>{title}</h2><p>Nothing can be chosen or scored by these there.</p>"
    return says + wide_table(title, ["stratum", *map(outside, splits)], rows) if rows else ""


def spellings(names: Sequence[SpelledName]) -> str:
    """HTML of a table of the names that sources spell in several ways, the most frequent first; nothing without any."""
    rows = [
        f"<tr><td>{outside(name.field)}<td>" + ", ".join(map(outside, name.counts))
        for name in sorted(names, key=lambda name: (name.field, name.text))
    ]
    says = (
        "<h2>Names in several spellings</h2><p>Each of these counts as one name where works are drawn and divided: "
        "the spellings differ only in case, accents, width, hyphens, quotes, apostrophes, dots, blanks or "
        "invisible signs. In brackets: records with that spelling, of those that the draw chose from.</p>"
    )
    return says + wide_table("Names in several spellings", ["field", "spellings"], rows, ["spellings"]) if rows else ""


def detector(images: pa.Table, boxes: pa.Table, categories: Sequence[str]) -> str:
    """HTML of the calibration view for the first category; nothing without a detector, or where people drew none."""
    first = categories[0]
    looked, drawn, category_ids = truth_of_release(images, boxes, categories, [first])
    several = detections_of_release(looked, boxes, category_ids)
    if not several or not drawn.num_rows:
        return ""
    figures = figures_of(looked, drawn)
    seen = {name: {first: compute_presence(figures, own[first])} for name, own in several.items()}
    thresholds = threshold_table(seen, {})
    sentences = "; ".join(
        f"{outside(row['system'])} at 0.5 keeps {row['kept']:,} of {row['images']:,} images, among them "
        f"{row['kept_with_figure']:,} of {row['with_figure']:,} with a figure"
        for row in thresholds.filter(pc.equal(thresholds["threshold"], 0.5)).to_pylist()
    )
    names = sorted(several)
    rows = [as_row(line) for line in threshold_cells(thresholds, names, outside)]
    return (
        "<h2>What the detector would keep</h2>"
        f"<p>On the images that people have annotated ({outside(first)}): {sentences}. Images "
        "that the recipe has dropped are not among them.</p>"
        f"<div class=plots>{''.join(charts.threshold_figures(thresholds, names))}</div>"
        + wide_table("Thresholds of the detector", THRESHOLD_HEADINGS, rows)
    )


_MOST = 50


def unread(table: pa.Table) -> str:
    """HTML of the first 50 rows of UNREAD; nothing where all was understood."""
    rows = [
        f"<tr><td>{outside(row['field'])}<td>{outside(row['source'])}<td>{outside(quoted(row['words']))}"
        f"<td>{outside(quoted(row['text']))}<td class=n>{row['records']:,}<td>{record_name(row['record_id'])}"
        for row in table.slice(0, _MOST).to_pylist()
    ]
    count = table.num_rows
    what = f"The first {_MOST} of {count:,}" if count > _MOST else counted(count, "expression")
    says = (
        f"<h2>What was not understood</h2><p>{what}, the commonest first; statistics/unread.parquet has all. Works "
        "whose date was not understood have no years; names, styles and rights stay as the source wrote them.</p>"
    )
    headings = ["field", "source", "words", "in the text", "records", "first record"]
    return says + wide_table("What was not understood", headings, rows, {*headings} - {"records"}) if rows else ""
