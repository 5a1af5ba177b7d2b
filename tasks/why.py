"""why: one record's path through the stages, read from a release."""

import difflib
from typing import Any

import pyarrow.compute as pc
import yaml

from schemas.errors import BadInput
from schemas.reasons import MEANING, Reason
from tasks.io.store.releases import Release


def why(url: str, record_id: str) -> str:
    """The stages that the record passed, and where and why it ended.

    Raises BadInput if the ledger has no such record.
    """
    release = Release(url)
    ledger = release.ledger()
    rows = ledger.filter(pc.equal(ledger["record_id"], record_id)).to_pylist()
    if not rows:
        near = difflib.get_close_matches(record_id, ledger["record_id"].to_pylist()[:100_000], n=3, cutoff=0.4)
        hint = f"; similar ones are {', '.join(near)}" if near else ""
        raise BadInput(
            f"record: expected one of the {ledger.num_rows} record_ids in the ledger of {release.manifest.version}, "
            f"got '{record_id}'{hint}"
        )
    lines = _lines(rows[0], _labels(yaml.safe_load(release.read("recipe.yaml"))))
    if record_id in release.tombstones()["record_id"].to_pylist():
        lines.append(f"  {'':<16} its image and its fields were purged")
    return "\n".join(lines)


def _labels(recipe: dict[str, Any]) -> list[str]:
    return ["scrape", *(settings["label"] for stage in recipe["stages"] for settings in stage.values())]


def _lines(row: dict[str, Any], labels: list[str]) -> list[str]:
    end = labels.index(row["stage"]) if row["stage"] in labels else len(labels)
    lines = [row["record_id"], *(f"  {label:<16} kept" for label in labels[:end])]
    if row["kept"]:
        lines.append(f"  in the release: split {row['last_split']}, image_id {row['image_id']}, sha256 {row['sha256']}")
        return lines
    reason = Reason(row["reason"])
    lines.append(
        f"  {row['stage']:<16} dropped: {reason} ({row['detail']})"
        if row["detail"]
        else f"  {row['stage']:<16} dropped: {reason}"
    )
    lines.append(f"  {'':<16} {MEANING[reason]}")
    if row["kept_record_id"]:
        where = f", in {row['last_split']}" if row["last_split"] else ""
        lines.append(f"  {'':<16} the copy that was kept: {row['kept_record_id']}{where}")
    elif row["last_split"]:
        lines.append(f"  {'':<16} last published in {row['last_split']}")
    return lines
