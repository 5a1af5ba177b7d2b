"""The dataset card: what a release is, in Markdown, for whoever opens its folder."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from schemas.contract import SPLIT_TABLES, parse_part
from schemas.manifests import FileEntry, ReleaseManifest, Step
from schemas.phrases import and_more
from schemas.reasons import MEANING, Reason
from schemas.recipe import Recipe
from schemas.split import SPLITS
from tasks.core import rights
from tasks.core.attribute_statistics import AttributeSummary
from tasks.core.markdown import as_text
from tasks.core.passed_over import yielded
from tasks.core.plots import ROWS
from tasks.core.report import choice
from tasks.core.rights import allowed_use

_CHANGES_LINE = (
    "- `CHANGES.md`, `changes.parquet`: what is another since the release before; `opt-outs.txt`: what to remove from "
    "copies."
)
FORMATS_LINE = (
    "- `formats/<name>/`: the images as other programs read them; `formats/README.md` says what each folder is."
)


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
    opening, contents, *others = known_parts(recipe, manifest, rights, scores, diversity, attributes)
    dropped = ["## What was dropped", "", *drop_table(steps), "", *passed_over_lines(steps)]
    return "\n".join([opening, contents, *dropped, *others, *_file_lines(manifest.files, has_scores=bool(scores)), ""])


def known_parts(
    recipe: Recipe,
    manifest: ReleaseManifest,
    rights: Mapping[str, int],
    scores: Mapping[str, Any] | None,
    diversity: pa.Table | None,
    attributes: Sequence[AttributeSummary],
) -> list[str]:
    """The parts of the card that follow from the release alone, in their order, of which `verify` asks each."""
    counts = manifest.counts
    by_split = counts["by_split"] if isinstance(counts["by_split"], dict) else {}
    opening = [
        f"# {recipe.title or recipe.name}",
        "",
        (recipe.description or "").strip(),
        "",
        f"Version `{manifest.version}`, lineage {manifest.lineage}, contract {manifest.contract_version}, "
        f"content `sha256:{manifest.content_sha256}`.",
        "",
        "Read one table at a time, such as `images` or `annotations`: all Parquet files of this folder together "
        "are no table. `annotations` is what people or sources drew, `detections` what a detector found.",
        "",
    ]
    contents = [
        "## Contents",
        "",
        f"{counts['records']} records were listed; {counts['kept']} images are kept, {counts['dropped']} were dropped. "
        "`ledger.parquet` has one row for each record, with the reason.",
        "",
        *_table("split | images", (f"{split} | {by_split[split]}" for split in sorted(by_split))),
        "",
    ]
    of_rights = [
        "## Rights",
        "",
        *_table(
            "rights | images | what they allow, in short",
            (f"{as_text(uri)} | {count} | {allowed_use(uri)}" for uri, count in sorted(rights.items())),
        ),
        "",
        "`attribution` of `images`, and `ATTRIBUTION.md`, say whom to name for each image. The texts of the licences "
        "count, not these summaries.",
        "",
    ]
    more = (_attribute_lines(attributes, counts["kept"]), _diversity_lines(diversity), _detector_lines(scores))
    return ["\n".join(lines) for lines in (opening, contents, of_rights, *more) if lines]


def _file_lines(files: Collection[str], *, has_scores: bool) -> list[str]:
    ends = {path.partition(".")[2] for path in files if path.startswith("coco/")}
    of_coco = {
        "json": "- `coco/<split>.json`: the annotated images of a split with their annotations, as COCO has them.",
        "unannotated.json": "- `coco/<split>.unannotated.json`: images that nobody has annotated: no negatives.",
        "detections.json": "- `coco/<split>.detections.json`: the detector's boxes in COCO's results format.",
    }
    return [
        "## Files",
        "",
        "- `images/<split>-*.parquet`: the images. `annotations/<split>-*.parquet`: what people or sources drew. "
        "`detections/<split>-*.parquet`: what a detector found. `contract/` describes each column.",
        "- `ledger.parquet`: one row for each record, kept or dropped.",
        "- `categories.parquet`: the categories, with the names, skeleton and mirrored pairs of their keypoints.",
        *(line for end, line in of_coco.items() if end in ends),
        "- `records.parquet`: what was known about every record, kept or not; `relations.parquet`: which records are "
        "copies, details or mirror images of each other.",
        "- `statistics/*.parquet`: artists, years, shapes, figures and splits in numbers; `report.html` shows them.",
        *(["- `evaluation.json`: the detector compared with people's boxes."] if has_scores else []),
        *(line for line in [FORMATS_LINE] if any(path.startswith("formats/") for path in files)),
        *([_CHANGES_LINE] if "CHANGES.md" in files else []),
        "- `ATTRIBUTION.md`: whom to name for each image, by licence.",
        "- `croissant.json`: tables, columns and digests for programs, as MLCommons' Croissant describes datasets.",
        "- `recipe.yaml`: the settings of this build. `manifest.json`: digests of all files. `SHA256SUMS`: the same, "
        "for `sha256sum -c`.",
    ]


def _table(headings: str, rows: Iterable[str]) -> list[str]:
    """Lines of a Markdown table; headings, rows: cells with | between them."""
    return [f"| {headings} |", f"{'|---' * (headings.count('|') + 1)}|", *(f"| {row} |" for row in rows)]


def drop_table(steps: Sequence[Step]) -> list[str]:
    """Lines of a Markdown table: what each stage kept and dropped, and why."""
    rows = []
    for step in steps:
        rows.append(f"{step.label} | {step.kept} | {sum(step.dropped.values())} | |")
        rows += [f"| | {count} | {reason} | {MEANING[Reason(reason)]}" for reason, count in step.dropped.items()]
    return _table("stage | kept | dropped | reason | meaning", rows)


def passed_over_lines(steps: Sequence[Step]) -> list[str]:
    """Lines of what sources list and what yields no record or figure, by kind; none where there is nothing of it.

    Without examples: whoever publishes a folder does not mean the names of the files that stay at home.
    """
    rows = [row for step in steps for row in step.passed_over]
    lines = ["## What was passed over", ""] if rows else []
    for is_record, sentence in (
        (True, "What the sources list and what is no record, so that `ledger.parquet` does not have it."),
        (
            False,
            "What the sources' annotations leave open: images without any, and entries of which no figure was taken. "
            "Their images may be records.",
        ),
    ):
        mine = [
            f"{as_text(', '.join(row.sources))} | {as_text(row.kind)} | {row.count} | {row.listed} {row.unit}"
            for row in rows
            if (yielded(row.unit) == "record") is is_record
        ]
        lines += [sentence, "", *_table("source | what | count | of", mine), ""] if mine else []
    return lines


def _diversity_lines(diversity: pa.Table | None) -> list[str]:
    rows = choice.changes(diversity) if diversity is not None else []
    if not rows:
        return []
    cells = (f"{as_text(row.name)} | {' | '.join(choice.cells(row))}" for row in rows[: ROWS + 1])
    more = and_more(len(rows) - 1 - ROWS)
    return [
        "## Artists before and after the choice",
        "",
        *_table("style | images | artists | effective artists | Gini coefficient", cells),
        "",
        *([f"...{more} styles.", ""] if more else []),
    ]


def _attribute_lines(attributes: Sequence[AttributeSummary], images: object) -> list[str]:
    if not attributes:
        return []
    rows = (
        f"`{of.name}` | {of.type} | {of.images} | {as_text(', '.join(of.values))} | {as_text(of.description)}"
        for of in attributes
    )
    return [
        "## Attributes",
        "",
        f"Columns of `images` beyond those of all releases, which this recipe declares; of {images} images so many "
        "have a value, and the most frequent ones are these. `statistics/attributes.parquet` has more of them.",
        "",
        *_table("attribute | type | images | values | meaning", rows),
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


_OF_THE_HUB = frozenset(
    {
        *("cc0-1.0", "cc-by-2.0", "cc-by-2.5", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0"),
        *("cc-by-nc-2.0", "cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nd-4.0", "cc-by-nc-nd-3.0", "cc-by-nc-nd-4.0"),
        *("cc-by-nc-sa-2.0", "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0"),
    }
)
"""The Creative Commons licences among those that the hub has words for, which are SPDX's in small letters
(https://huggingface.co/docs/hub/repositories-licenses)."""

_SPLIT_LINES = re.compile(r"  - split: .*\n    path: (?P<table>\w+)/(?P<split>.+)-\?{5}-of-\?{5}\.parquet\n")
_EMPTY_CONFIG = re.compile(r"- config_name: .*\n(?:  default: true\n)?  data_files:\n(?!  -)")


def card_head(title: str, files: Mapping[str, FileEntry], rights_uris: Iterable[str]) -> dict[str, Any]:
    """What stands above the card, as YAML, by which Hugging Face's hub and `datasets` know the files of each split.

    It gives no numbers of rows: `datasets` refuses a folder whose counts are not those of the card, and a purge changes
    them. A split without rows is left out, since `datasets` has none without. rights_uris: of the kept images.
    """
    configs = [_config(table, files) for table in SPLIT_TABLES]
    return {
        "pretty_name": title,
        "license": sorted({hub_licence(uri) for uri in rights_uris}) or ["unknown"],
        "configs": [config for config in configs if config["data_files"]],
    }


def hub_licence(rights_uri: str) -> str:
    """The hub's word for a licence.

    >>> hub_licence("https://creativecommons.org/licenses/by-sa/4.0/"), hub_licence("NOASSERTION")
    ('cc-by-sa-4.0', 'unknown')
    """
    if rights_uri == "NOASSERTION":
        return "unknown"
    word = (rights.spdx_id(rights_uri) or "").lower()
    return word if word in _OF_THE_HUB else "other"


def _config(table: str, files: Mapping[str, FileEntry]) -> dict[str, Any]:
    parts = {path: part for path in files if (part := parse_part(path)) is not None and part.table == table}
    filled = {part.split for path, part in parts.items() if files[path].rows}
    # `datasets` takes no hyphens in a name; and val-*.parquet would be the files of val-2, too
    data_files = [
        {"split": split.replace("-", "_"), "path": f"{table}/{split}-?????-of-?????.parquet"}
        for split in [*(name for name in SPLITS if name in filled), *sorted(filled - {*SPLITS})]
    ]
    return {"config_name": table, **({"default": True} if table == "images" else {}), "data_files": data_files}


def without_empty_splits(text: str, rows: Mapping[str, int]) -> str:
    """A card whose head names only splits that have rows (of each file by split); one without a head stays as it is."""
    if not text.startswith("---\n"):
        return text
    head, end, rest = text.partition("\n---\n")
    filled = {(part.table, part.split) for path in rows if rows[path] and (part := parse_part(path)) is not None}
    head = _SPLIT_LINES.sub(lambda found: found[0] if (found["table"], found["split"]) in filled else "", f"{head}\n")
    return _EMPTY_CONFIG.sub("", head).removesuffix("\n") + end + rest
