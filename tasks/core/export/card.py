"""The dataset card: what a release is, in Markdown, for whoever opens its folder."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from schemas.manifests import PassedOver, ReleaseManifest, Step
from schemas.phrases import and_more
from schemas.reasons import MEANING, Reason
from schemas.recipe import Recipe
from tasks.core.attribute_statistics import AttributeSummary
from tasks.core.markdown import as_text
from tasks.core.passed_over import yielded
from tasks.core.plots import ROWS
from tasks.core.report import choice


def card(
    recipe: Recipe,
    manifest: ReleaseManifest,
    steps: Sequence[Step],
    rights: Mapping[str, int],
    scores: Mapping[str, Any] | None,
    diversity: pa.Table | None = None,
    attributes: Sequence[AttributeSummary] = (),
) -> str:
    """The card's text.

    rights: kept images by rights_uri; scores: the detector against people's boxes, if both are there; diversity:
    DIVERSITY; attributes: those of the recipe.
    """
    counts = manifest.counts
    by_split = counts["by_split"] if isinstance(counts["by_split"], dict) else {}
    lines = [
        f"# {recipe.title or recipe.name}",
        "",
        (recipe.description or "").strip(),
        "",
        f"Version `{manifest.version}`, lineage {manifest.lineage}, contract {manifest.contract_version}, "
        f"content `sha256:{manifest.content_sha256}`.",
        "",
        "## Contents",
        "",
        f"{counts['records']} records were listed; {counts['kept']} images are kept, {counts['dropped']} were dropped. "
        "`ledger.parquet` has one row for each record, with the reason.",
        "",
        "| split | images |",
        "|---|---|",
        *(f"| {split} | {by_split[split]} |" for split in sorted(by_split)),
        "",
        "## What was dropped",
        "",
        *drop_table(steps),
        "",
        *passed_over_lines(steps),
        "## Rights",
        "",
        "| rights | images |",
        "|---|---|",
        *(f"| {as_text(uri)} | {count} |" for uri, count in sorted(rights.items())),
        "",
        *_attribute_lines(attributes, counts["kept"]),
        *_diversity_lines(diversity),
        *_detector_lines(scores),
        "## Files",
        "",
        "- `images/<split>-*.parquet`, `annotations/<split>-*.parquet`, `ledger.parquet`: the tables; "
        "`contract/` describes each column.",
        "- `categories.parquet`: the categories, with the names, skeleton and mirrored pairs of their keypoints.",
        "- `coco/<split>.json`: COCO annotations; `coco/<split>.detections.json`: the detector's boxes in COCO's "
        "results format.",
        "- `records.parquet`: what was known about every record, kept or not; `relations.parquet`: which records are "
        "copies, details or mirror images of each other.",
        "- `statistics/*.parquet`: artists, years, shapes, figures and splits in numbers; `report.html` shows them.",
        *(["- `evaluation.json`: the detector compared with people's boxes."] if scores else []),
        "- `recipe.yaml`: the settings of this build. `manifest.json`: digests of all files.",
    ]
    return "\n".join(lines) + "\n"


def drop_table(steps: Sequence[Step]) -> list[str]:
    """Lines of a Markdown table: what each stage kept and dropped, and why."""
    rows = ["| stage | kept | dropped | reason | meaning |", "|---|---|---|---|---|"]
    for step in steps:
        rows.append(f"| {step.label} | {step.kept} | {sum(step.dropped.values())} | | |")
        rows += [f"| | | {count} | {reason} | {MEANING[Reason(reason)]} |" for reason, count in step.dropped.items()]
    return rows


def passed_over_lines(steps: Sequence[Step]) -> list[str]:
    """Lines of what sources list and what yields no record or figure, by kind; none where there is nothing of it.

    Without examples: whoever publishes a folder does not mean the names of the files that stay at home.
    """
    rows = [row for step in steps for row in step.passed_over]
    no_records = [row for row in rows if yielded(row.unit) == "record"]
    return [
        *(["## What was passed over", ""] if rows else []),
        *_table_of(
            no_records, "What the sources list and what is no record, so that `ledger.parquet` does not have it."
        ),
        *_table_of(
            [row for row in rows if row not in no_records],
            "What the sources' annotations leave open: images without any, and entries of which no figure was taken. "
            "Their images may be records.",
        ),
    ]


def _table_of(rows: Sequence[PassedOver], sentence: str) -> list[str]:
    if not rows:
        return []
    return [
        sentence,
        "",
        "| source | what | count | of |",
        "|---|---|---|---|",
        *(
            f"| {as_text(', '.join(row.sources))} | {as_text(row.kind)} | {row.count} | {row.listed} {row.unit} |"
            for row in rows
        ),
        "",
    ]


def _diversity_lines(diversity: pa.Table | None) -> list[str]:
    rows = choice.changes(diversity) if diversity is not None else []
    if not rows:
        return []
    more = and_more(len(rows) - 1 - ROWS)
    return [
        "## Artists before and after the choice",
        "",
        "| style | images | artists | effective artists | Gini coefficient |",
        "|---|---|---|---|---|",
        *(f"| {as_text(row.name)} | {' | '.join(choice.cells(row))} |" for row in rows[: ROWS + 1]),
        "",
        *([f"...{more} styles.", ""] if more else []),
    ]


def _attribute_lines(attributes: Sequence[AttributeSummary], images: object) -> list[str]:
    if not attributes:
        return []
    return [
        "## Attributes",
        "",
        f"Columns of `images` beyond those of all releases, which this recipe declares; of {images} images so many "
        "have a value, and the most frequent ones are these. `statistics/attributes.parquet` has more of them.",
        "",
        "| attribute | type | images | values | meaning |",
        "|---|---|---|---|---|",
        *(
            f"| `{of.name}` | {of.type} | {of.images} | {as_text(', '.join(of.values))} | {as_text(of.description)} |"
            for of in attributes
        ),
        "",
    ]


def _detector_lines(scores: Mapping[str, Any] | None) -> list[str]:
    if not scores or scores["AP"] is None:
        return []
    return [
        "## The detector against people's boxes",
        "",
        f"On {scores['images']} annotated images with {scores['figures']} figures: AP {scores['AP']:.3f}, "
        f"AP50 {scores['AP50']:.3f}, AR {scores['AR100']:.3f} (COCO's protocol).",
        "",
    ]
