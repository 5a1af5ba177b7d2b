"""why: one record's path through the stages, read from a release or from the ledger of a refused build."""

import difflib
import json
from collections import defaultdict
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import BadInput
from schemas.phrases import listed, quoted
from schemas.reasons import MEANING, Reason
from tasks.core.record_ids import known_spellings
from tasks.core.scrape.folder import fields_of_path
from tasks.io.store import layout, releases
from tasks.io.store.datasets import read_refusal, refused_datasets
from tasks.io.store.releases import Release
from tasks.io.store.store import Store

_EXAMPLES, _LONGEST = 3, 1000


def why(url: str, record_id: str) -> str:
    """The stages that the record passed, where and why it ended. Raises BadInput if the ledger has no such record."""
    release = Release(url)
    recipe = release.recipe()
    cause = ""
    for source in (entry["folder"] for entry in recipe.sources if "folder" in entry):
        path = record_id.removeprefix(f"{source.name}:")
        if source.pattern and path != record_id and fields_of_path(source.pattern, path) is None:
            cause = cause or f"; the source's pattern {quoted(source.pattern)} does not take this path"
    row = _row(release.ledger(), record_id, release.manifest.version, cause)
    lines = _lines(row, ["scrape", *(settings.label for stage in recipe.stages for settings in stage.values())])
    if row["kept"]:
        split, sha256 = (_printable(str(row[name])) for name in ("last_split", "sha256"))
        lines.append(f"  in the release: split {split}, image_id {row['image_id']}, sha256 {sha256}")
    if row["record_id"] in release.tombstones()["record_id"].to_pylist():
        lines.append(f"  {'':<16} its image and its fields were purged")
    return "\n".join([*lines, *_attribute_lines(release, row["record_id"])])


def why_last(store_url: str, dataset: str | None, record_id: str | None) -> str:
    """What became of a record, or all, in the last build, even if refused. dataset: None: the only. Raises BadInput."""
    store = Store(store_url)
    name = _dataset(store, dataset)
    refused, release = read_refusal(store, name), releases.latest(store, name)
    if refused is None and release is not None:
        book, head = release.ledger(), f"{name}: no build was refused since release {release.manifest.version}"
        return f"{head}\n{why(release.url, record_id)}" if record_id else "\n".join([head, *_reasons(book)])
    if refused is None:
        raise BadInput(
            f"--last: expected a build of {quoted(name)} in '{store.url}' refused or 'latest', got neither: "
            "ask the release itself"
        )
    lines = [f"{name}: refused on {refused.day}: {refused.sentence}"]
    if record_id is None:
        return "\n".join([*lines, *_reasons(refused.ledger)])
    row = _row(refused.ledger, record_id, f"the refused build of {name}")
    lines += _lines(row, list(refused.labels))
    return "\n".join([*lines, f"  {'':<16} not published: the build was refused"] if row["kept"] else lines)


def _dataset(store: Store, dataset: str | None) -> str:
    known = sorted({*refused_datasets(store), *store.list_folder(layout.RELEASES)})
    if dataset is None and len(known) == 1:
        return known[0]
    if dataset is None or dataset not in known:
        names = ", ".join(known) or "none: nothing was built in it"
        raise BadInput(
            f"--dataset: expected one of those in '{store.url}' ({names}), "
            f"got {quoted(dataset) if dataset else 'nothing'}"
        )
    return dataset


def _row(ledger: pa.Table, record_id: str, where: str, cause: str = "") -> dict[str, Any]:
    record_id = record_id.encode(errors="replace").decode()  # a terminal may hand over bytes that are no UTF-8
    record_id = known_spellings([record_id], ledger["record_id"]).get(record_id, record_id)
    rows: list[dict[str, Any]] = ledger.filter(pc.equal(ledger["record_id"], record_id)).to_pylist()
    if not rows:
        near = difflib.get_close_matches(record_id, ledger["record_id"].to_pylist()[:100_000], n=3, cutoff=0.4)
        hint = f"; similar ones are {', '.join(map(_printable, near))}" if near else ""
        raise BadInput(
            f"record: expected one of the {ledger.num_rows} record_ids in the ledger of {where}, got "
            f"{quoted(record_id)}{cause or hint}"
        )
    return rows[0]


def _attribute_lines(release: Release, record_id: str) -> list[str]:
    """What the record says beyond the columns of all releases; null is not shown."""
    names = list(release.attributes)
    if not names or not release.parts("records"):
        return []
    known = release.read_columns("records.parquet", ("record_id",), ("record_id", *names))
    rows = known.filter(pc.equal(known["record_id"], record_id)).drop_columns("record_id").to_pylist()
    values = [(name, value) for row in rows for name, value in row.items() if value is not None]
    return [f"  {'attribute':<16} {name}: {_shown(value)}" for name, value in values]


def _shown(value: Any) -> str:
    """A value in one line, as people write it; texts of a list with | between."""
    if isinstance(value, list):
        return " | ".join(_shown(part) for part in value)
    text = value if isinstance(value, str) else json.dumps(value)
    return _printable(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")


def _lines(row: dict[str, Any], labels: list[str]) -> list[str]:
    end = labels.index(row["stage"]) if row["stage"] in labels else len(labels)
    lines = [_printable(row["record_id"]), *(f"  {_printable(label):<16} kept" for label in labels[:end])]
    detail = row["detail"]
    if row["kept"]:
        return [*lines, f"  {'':<16} {_printable(detail)}"] if detail else lines
    reason = _printable(str(row["reason"]))
    dropped = f"  {_printable(str(row['stage'])):<16} dropped: {reason}"
    lines.append(f"{dropped} ({_printable(detail)})" if detail else dropped)
    lines.append(f"  {'':<16} {_meaning(reason)}")
    if row["kept_record_id"]:
        where = f", in {_printable(row['last_split'])}" if row["last_split"] else ""
        lines.append(f"  {'':<16} the copy that was kept: {_printable(row['kept_record_id'])}{where}")
    elif row["last_split"]:
        lines.append(f"  {'':<16} last published in {_printable(row['last_split'])}")
    return lines


def _printable(text: str) -> str:
    """A text of a release, which may come from anybody: what a terminal would obey is written out."""
    return text if text.isprintable() else quoted(text, _LONGEST)


def _meaning(reason: str) -> str:
    """What a reason means; a release of a later version may have others."""
    return MEANING[Reason(reason)] if reason in MEANING else "a reason that this version of bilderatlas does not know"


def _reasons(ledger: pa.Table) -> list[str]:
    """How many records were kept, and how many dropped for which reason, with examples of each."""
    dropped = ledger.filter(pc.invert(ledger["kept"])).select(["stage", "reason", "record_id"])
    names: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for row in dropped.to_pylist():
        names[_printable(str(row["stage"])), _printable(str(row["reason"]))].append(_printable(row["record_id"]))
    lines = [f"{ledger.num_rows} records: {ledger.num_rows - dropped.num_rows} kept, {dropped.num_rows} dropped"]
    for (stage, reason), records in sorted(names.items(), key=lambda item: (-len(item[1]), item[0])):
        lines.append(f"  {stage:<16} {len(records):>8} {reason}: {listed(records, _EXAMPLES)}")
        lines.append(f"  {'':<16} {'':>8} {_meaning(reason)}")
    return lines
