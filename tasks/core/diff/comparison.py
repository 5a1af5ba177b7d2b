"""Two releases side by side: every change with a reason, the summary that a person sees first, and the opt-outs.

The list of opt-outs may be published: of a record with a tombstone it says what that says, and no more.
"""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.diff import CHANGES, MEANING, OPT_OUTS, ChangeReason, Kind
from schemas.phrases import and_more, counted, quoted_name
from schemas.reasons import Reason
from schemas.split import SPLITS
from tasks.core import tables
from tasks.core.columns import bools
from tasks.core.diff.boxes import boxes
from tasks.core.diff.columns import equals, is_in
from tasks.core.diff.fields import Common, columns_of_one, fields
from tasks.core.diff.presence import presence
from tasks.core.diff.sides import ReleasePair, Side


def compare(pair: ReleasePair) -> pa.Table:
    """CHANGES, sorted by record_id, kind and field; empty where the two say the same.

    Raises ValueError where a release does not hold together: a record twice, images that its ledger does not keep.
    """
    common = Common(pair)
    found = pa.concat_tables([CHANGES.empty_table(), presence(pair), *fields(common), *boxes(common)])
    return found.sort_by([("record_id", "ascending"), ("kind", "ascending"), ("field", "ascending")])


_MOST_SETTINGS = 20


def facts(pair: ReleasePair, changes: pa.Table, opted_out: int) -> dict[str, Any]:
    """The comparison as plain values."""
    one, other = columns_of_one(pair)
    return {
        "before": _release(pair.before),
        "after": _release(pair.after),
        "is_equal": not (changes.num_rows or pair.coco_files),
        "kinds": {str(kind): _of_kind(changes.filter(pc.equal(changes["kind"], str(kind)))) for kind in Kind},
        "opt_outs": opted_out,
        "settings": [str(change) for change in pair.recipes.changes],
        "coco_files": list(pair.coco_files),
        "programs": list(pair.programs),
        "columns": {"only_before": one, "only_after": other},
        "contract": _promise(pair),
    }


def summary(found: dict[str, Any]) -> str:
    """The comparison in lines, for the terminal."""
    before, after = found["before"], found["after"]
    lines = [f"{word} {_release_line(side)}" for word, side in (("before", before), ("after ", after))]
    if before["name"] != after["name"]:
        lines.append("the two are releases of different datasets: records are compared by their record_ids")
    lines += ["", *(_counts(found["kinds"]) or ["no record has changed"])]
    for heading, field in (
        ("settings", "settings"),
        ("COCO files of sources", "coco_files"),
        ("built with", "programs"),
    ):
        if found[field]:
            lines += ["", f"{heading}:", *(f"  {line}" for line in found[field][:_MOST_SETTINGS])]
            more = and_more(len(found[field]) - _MOST_SETTINGS)
            lines += [f" {more}"] if more else []
    for side, names in (("older", found["columns"]["only_before"]), ("newer", found["columns"]["only_after"])):
        if names:
            lines.append(f"columns of images that only the {side} release has: {', '.join(names)}")
    lines += found["contract"]
    if found["opt_outs"]:
        lines += ["", f"{counted(found['opt_outs'], 'record')} to remove from copies (opt-outs)"]
    return "\n".join(lines)


def changes_page(before: str, found: dict[str, Any] | None) -> str:
    """CHANGES.md of a release. before: the version of the one before; found: `facts`, None where it can't be read."""
    lines = [f"# Changes since {before}", ""]
    if found is None:
        return "\n".join([*lines, "That release is gone, or can't be read: the two have not been compared.", ""])
    said = [f"    {line}".rstrip() for line in summary(found).splitlines()]  # as code: no word of it is Markdown
    tables_of = (
        "`changes.parquet` has a row for each change, with its reason. `opt-outs.parquet`, and `opt-outs.txt` beside "
        "it, list what left because somebody wanted it so: whoever has copies of the images should remove these."
    )
    return "\n".join([*lines, *said, "", tables_of, ""])


def _promise(pair: ReleasePair) -> list[str]:
    """Whether readers may break, by the versions of the contracts: what breaks them needs a new major version."""
    one, other = (side.manifest for side in pair.sides)
    if one.contract_version == other.contract_version:
        return []
    means = "another major version, so that programs that read one may not read the other"
    if one.contract_major == other.contract_major:
        means = "programs that go by the lower version can read both"
    return [f"contract {quoted_name(one.contract_version)} -> {quoted_name(other.contract_version)}: {means}"]


def _release(side: Side) -> dict[str, Any]:
    manifest, splits = side.manifest, side.kept["last_split"]
    by_split = {row["values"]: row["counts"] for row in pc.value_counts(splits).to_pylist()}
    return {
        "name": manifest.name,
        "version": manifest.version,
        "contract": manifest.contract_version,
        "lineage": manifest.lineage,
        "amended": manifest.amended.date if manifest.amended else None,
        "records": side.ledger.num_rows,
        "kept": len(splits),
        "by_split": {name: by_split[name] for name in SPLITS if name in by_split},
    }


def _of_kind(rows: pa.Table) -> dict[str, Any]:
    reasons = pc.value_counts(rows["reason"]).to_pylist()
    splits = pc.value_counts(pc.coalesce(rows["split_after"], rows["split_before"])).to_pylist()
    return {
        "records": pc.count_distinct(rows["record_id"]).as_py(),
        "rows": rows.num_rows,
        "by_reason": {row["values"]: row["counts"] for row in sorted(reasons, key=lambda row: -row["counts"])},
        "by_split": {str(row["values"]): row["counts"] for row in sorted(splits, key=lambda row: str(row["values"]))},
    }


def _release_line(side: dict[str, Any]) -> str:
    name, version, contract = (quoted_name(side[field]) for field in ("name", "version", "contract"))
    amended = f", amended {quoted_name(side['amended'])}" if side["amended"] else ""
    splits = ", ".join(f"{name} {count:,}" for name, count in side["by_split"].items()) or "no split"
    return (
        f"{name} {version} (contract {contract}, lineage {side['lineage']}{amended}): {side['kept']:,} of "
        f"{side['records']:,} records kept ({splits})"
    )


def _counts(kinds: dict[str, Any]) -> list[str]:
    lines = []
    for kind, found in kinds.items():
        if found["rows"]:
            splits = ", ".join(f"{quoted_name(name)} {count:,}" for name, count in found["by_split"].items())
            rows = "" if found["rows"] == found["records"] else f", {counted(found['rows'], 'row')}"
            lines.append(f"{kind}: {counted(found['records'], 'record')}{rows} ({splits})")
            for reason, count in found["by_reason"].items():
                lines.append(f"  {count:>9,} {reason:<22} {MEANING[ChangeReason(reason)]}")
    return lines


REASONS = (
    Reason.TAKEN_DOWN,
    Reason.EXCLUDED,
    Reason.OPTED_OUT,
    Reason.ROBOTS_DISALLOW,
    Reason.RIGHTS_NOT_OPEN,
    Reason.GONE,
)
"""Drops that somebody outside wanted: people, or a source that no longer offers the image or not so freely."""
_DATE = r"\((?P<date>\d{4}-\d{2}-\d{2})\)$"


def opt_outs(pair: ReleasePair) -> pa.Table:
    """OPT_OUTS, by record_id: what the older release shows and the newer drops for one of REASONS, and what has been
    taken down since, shown or not.
    """
    book, before, stones = pair.after.ledger, pair.before.ledger, pair.after.tombstones
    book = book.filter(pa.array(is_in(book["reason"], pa.array([str(reason) for reason in REASONS]))))
    was = tables.lookup(before, "record_id", book["record_id"])
    is_down, was_down = (equals(side["reason"], str(Reason.TAKEN_DOWN)) for side in (book, was))
    is_new = pa.array(bools(was["kept"]) | (is_down & ~was_down))
    book, was = book.filter(is_new), was.filter(is_new)
    stone = tables.lookup(stones, "record_id", book["record_id"])
    is_purged = pc.is_valid(stone["record_id"])
    date = pc.struct_field(pc.extract_regex(pc.fill_null(book["detail"], ""), _DATE), "date")
    found = pa.table(
        [
            book["record_id"],
            book["image_id"],
            pc.if_else(is_purged, stone["sha256"], pc.coalesce(was["sha256"], book["sha256"])),
            book["reason"],
            pc.if_else(is_purged, stone["reason"], book["detail"]),
            pc.if_else(is_purged, stone["date"], date),
        ],
        schema=OPT_OUTS,
    )
    return found.sort_by("record_id")


def opt_out_lines(found: pa.Table, before: str, after: str) -> str:
    """OPT_OUTS as text: a heading, then a line each of record_id, image_id, SHA-256, reason and date, with tabs."""
    cells = [
        pc.replace_substring_regex(pc.fill_null(found[name].cast(pa.string()), ""), r"\s|\pC", " ")
        for name in ("record_id", "image_id", "sha256", "reason", "date")
    ]
    lines = pc.binary_join_element_wise(*cells, "\t").to_pylist()
    heading = f"# What left between release {before} and release {after}: record_id, image_id, sha256, reason, date"
    return "\n".join([heading, *lines, ""])
