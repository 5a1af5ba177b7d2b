"""What a person sees of a comparison first: which releases, how many changes of which kind, and why."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.diff import MEANING, ChangeReason, Kind
from schemas.phrases import and_more, counted, quoted_name
from schemas.split import SPLITS
from tasks.core.diff.fields import columns_of_one
from tasks.core.diff.sides import Pair, Side

_MOST_SETTINGS = 20


def facts(pair: Pair, changes: pa.Table, opted_out: int) -> dict[str, Any]:
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


def as_text(found: dict[str, Any]) -> str:
    """The comparison in lines, for the terminal."""
    before, after = found["before"], found["after"]
    lines = [
        f"{name} {_name(side)}: {side['kept']:,} of {side['records']:,} records kept ({_splits(side['by_split'])})"
        for name, side in (("before", before), ("after ", after))
    ]
    if before["name"] != after["name"]:
        lines.append("the two are releases of different datasets: records are compared by their record_ids")
    lines += ["", *(_counts(found["kinds"]) or ["no record has changed"])]
    told = (
        ("settings", found["settings"]),
        ("COCO files of sources", found["coco_files"]),
        ("built with", found["programs"]),
    )
    for heading, entries in told:
        if entries:
            shown = entries[:_MOST_SETTINGS]
            lines += ["", f"{heading}:", *(f"  {line}" for line in shown)]
            lines += [f"  {and_more(len(entries) - len(shown)).strip()}"] * (len(entries) > len(shown))
    for side, names in (("older", found["columns"]["only_before"]), ("newer", found["columns"]["only_after"])):
        if names:
            lines.append(f"columns of images that only the {side} release has: {', '.join(names)}")
    lines += found["contract"]
    if found["opt_outs"]:
        lines += ["", f"{counted(found['opt_outs'], 'record')} to remove from copies (opt-outs)"]
    return "\n".join(lines)


def _promise(pair: Pair) -> list[str]:
    """Whether readers may break, by the versions of the contracts: what breaks them needs a new major version."""
    one, other = pair.before.manifest, pair.after.manifest
    if one.contract_version == other.contract_version:
        return []
    versions = f"contract {quoted_name(one.contract_version)} -> {quoted_name(other.contract_version)}"
    if one.contract_major != other.contract_major:
        return [f"{versions}: another major version, so that programs that read one may not read the other"]
    return [f"{versions}: programs that go by the lower version can read both"]


def _release(side: Side) -> dict[str, Any]:
    kept = side.ledger.filter(side.ledger["kept"])
    by_split = {row["values"]: row["counts"] for row in pc.value_counts(kept["last_split"]).to_pylist()}
    manifest = side.manifest
    return {
        "name": manifest.name,
        "version": manifest.version,
        "contract": manifest.contract_version,
        "lineage": manifest.lineage,
        "amended": manifest.amended.date if manifest.amended else None,
        "records": side.ledger.num_rows,
        "kept": kept.num_rows,
        "by_split": {name: by_split[name] for name in SPLITS if name in by_split},
    }


def _of_kind(rows: pa.Table) -> dict[str, Any]:
    """Records and rows of one kind, by reason and by the split in which they are, or were."""
    reasons = pc.value_counts(rows["reason"]).to_pylist()
    splits = pc.value_counts(pc.coalesce(rows["split_after"], rows["split_before"])).to_pylist()
    return {
        "records": pc.count_distinct(rows["record_id"]).as_py(),
        "rows": rows.num_rows,
        "by_reason": {row["values"]: row["counts"] for row in sorted(reasons, key=lambda row: -row["counts"])},
        "by_split": {str(row["values"]): row["counts"] for row in sorted(splits, key=lambda row: str(row["values"]))},
    }


def _name(side: dict[str, Any]) -> str:
    amended = f", amended {quoted_name(side['amended'])}" if side["amended"] else ""
    name, version = quoted_name(side["name"]), quoted_name(side["version"])
    return f"{name} {version} (contract {quoted_name(side['contract'])}, lineage {side['lineage']}{amended})"


def _splits(by_split: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in by_split.items()) or "no split"


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
