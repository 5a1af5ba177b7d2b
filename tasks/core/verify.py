"""What must hold in any release beside its contract's rules: manifest, columns, closed counts, files as asked for."""

import hashlib
import itertools
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import product
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.contract import (
    README,
    SPLIT_TABLES,
    SUMS,
    TABLES,
    ContractProperty,
    FilePart,
    contract_path,
    numbers,
    parse_part,
    part_path,
    schema_path,
)
from schemas.manifests import VERSION, ReleaseManifest
from schemas.phrases import quoted
from schemas.release import RecipeStage
from tasks.core.export import digest

Row = Mapping[str, Any]

_SINCE = {"unread": (2, 2), "detections": (3,), "labels": (3, 1), "fingerprints": (3, 1)}
"""The contract since which there is a table, where that is not the first that releases kept."""

_RARE = frozenset({"takedowns", "tombstones", "coco_files", "attributes", "unread"})
"""Tables of which there is no file where they have no rows."""


def _tables_of(contract_version: str) -> list[str]:
    return [table for table in TABLES if numbers(contract_version) >= _SINCE.get(table, ())]


def split_tables(contract_version: str) -> list[str]:
    """The tables that have files for each split in a release by this contract."""
    return [table for table in _tables_of(contract_version) if table in SPLIT_TABLES]


def needed_files(contract_version: str) -> tuple[str, ...]:
    """Files that every release by this contract has, whatever it holds."""
    return (README, *map(contract_path, _tables_of(contract_version)), "ledger.parquet", "recipe.yaml")


def promised_files(contract_version: str) -> tuple[str, ...]:
    """Files that every release by this contract has beside those that are needed to check it."""
    one_file = [table for table in _tables_of(contract_version) if table not in {*SPLIT_TABLES, *_RARE, "ledger"}]
    folder = dict.fromkeys(("diversity", "histograms", "shares"), "statistics/")
    since_3 = (SUMS, *map(schema_path, _tables_of(contract_version))) if numbers(contract_version) >= (3,) else ()
    return (*(f"{folder.get(table, '')}{table}.parquet" for table in one_file), "README.md", "report.html", *since_3)


def manifest_problems(
    fields: Row, manifest: ReleaseManifest, folder: str, siblings: Mapping[str, ReleaseManifest]
) -> Iterator[str]:
    """What does not hold of a manifest. fields: its JSON. folder: its name. siblings: of the releases beside it."""
    version = manifest.contract_version
    for path in (*needed_files(version), *promised_files(version)):
        if path not in manifest.files:
            yield f"manifest.json: expected {path} among its files, got none"
    yield from _seal_problems(fields, manifest)
    yield from _version_problems(manifest, folder)
    yield from _chain_problems(manifest, siblings)


def manifest_text_problems(text: bytes, manifest: ReleaseManifest) -> Iterator[str]:
    """A manifest.json that the program spells otherwise (white space, keys, escapes): its digest can't see that."""
    # a field that a later program adds is unset in what was written before it
    expected = manifest.model_dump_json(indent=1, exclude_unset=True).encode()
    if text != expected:
        same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(text, expected, strict=False))
        place = sum(1 for _ in same)
        yield f"manifest.json: expected its fields as releases write them, got another spelling from byte {place} on"


def latest_problems(text: bytes) -> Iterator[str]:
    """A `latest` that is no version with one line feed behind it. text: all that is in it."""
    if not re.fullmatch(rb"[0-9a-f]{12}\n", text):
        yield f"latest: expected 12 hex digits and a line feed, got {quoted(text.decode(errors='replace'), 40)}"


def _seal_problems(fields: Row, manifest: ReleaseManifest) -> Iterator[str]:
    if manifest.manifest_sha256 is None:
        yield "manifest.json: expected manifest_sha256, got none"
        return
    try:
        got = digest.manifest_digest(fields)
    except ValueError as problem:  # a number of more than 53 bits, for which RFC 8785 has no form
        yield f"manifest.json: expected values that have a digest, got others ({problem})"
        return
    if got != manifest.manifest_sha256:
        yield f"manifest.json: expected fields of SHA-256 {manifest.manifest_sha256[:12]}..., got {got[:12]}..."


def _version_problems(manifest: ReleaseManifest, folder: str) -> Iterator[str]:
    """Version and content digest follow from what they are made of."""
    if VERSION.fullmatch(folder) and folder != manifest.version:
        yield f"manifest.json: expected version {folder}, as its folder is called, got {manifest.version}"
    if (whole := digest.content_digest(manifest.content)) != manifest.content_sha256:
        got = manifest.content_sha256
        yield f"manifest.json: expected content_sha256 {whole[:12]}... by its tables, got {got[:12]}..."
    version = digest.version(manifest.content_sha256, manifest.recipe_sha256, manifest.contract_version)
    if version != manifest.version:
        yield f"manifest.json: expected version {version} by its digests, got {manifest.version}"


def _chain_problems(manifest: ReleaseManifest, siblings: Mapping[str, ReleaseManifest]) -> Iterator[str]:
    """The release before it, and how often splits have been assigned anew."""
    if manifest.lineage < 1:
        yield f"manifest.json: expected a lineage of at least 1, got {manifest.lineage}"
    if (previous := manifest.previous) is None:
        return
    if not VERSION.fullmatch(previous) or previous == manifest.version:
        yield f"manifest.json: expected previous to be another version, got {quoted(previous, 40)}"
    if (before := siblings.get(previous)) is None:
        return  # it may have been removed since, or lie in another store
    if manifest.split_sha256 == before.split_sha256 and manifest.lineage != before.lineage:
        yield (
            f"manifest.json: expected lineage {before.lineage}, as its predecessor {previous} has with the same "
            f"settings of the split, got {manifest.lineage}"
        )
    if manifest.split_sha256 != before.split_sha256 and manifest.lineage <= before.lineage:
        yield (
            f"manifest.json: expected a lineage above {before.lineage}, since its predecessor {previous} has other "
            f"settings of the split, got {manifest.lineage}"
        )


def schema_problems(table: str, schema: pa.Schema, columns: Iterable[ContractProperty]) -> Iterator[str]:
    """Promised columns that a Parquet file lacks or has in another type."""
    for column in columns:
        name = column.name
        if name not in schema.names:
            yield f"{table}.{name}: expected the column, got none"
        elif (got := type_name(schema.field(name).type)) != column.arrow_type:
            yield f"{table}.{name}: expected {column.arrow_type}, got {got}"


def null_problems(table: str, batch: pa.RecordBatch, columns: Iterable[ContractProperty]) -> Iterator[str]:
    """Columns that may not be null, and are."""
    for column in columns:
        if column.required and column.name in batch.schema.names and batch[column.name].null_count:
            yield f"{table}.{column.name}: expected no nulls, got {batch[column.name].null_count}"


def type_name(kind: pa.DataType) -> str:
    """An Arrow type as contracts write it: dictionaries as their values, lists without Parquet's names for their items.

    >>> type_name(pa.list_(pa.string())), type_name(pa.dictionary(pa.int32(), pa.string()))
    ('list<string>', 'string')
    """
    if pa.types.is_dictionary(kind):
        return type_name(kind.value_type)
    return str(kind).replace("child: ", "").replace("element: ", "").replace("item: ", "")


def count_problems(counts: Row, is_kept: pa.ChunkedArray, splits: pa.ChunkedArray) -> Iterator[str]:
    """Counts of the manifest that the tables contradict. is_kept: of all rows of the ledger; splits: of all images."""
    by_split = dict(sorted(Counter(splits.to_pylist()).items()))
    for name, expected, got in (
        ("records", len(is_kept), counts["records"]),
        ("kept", len(splits), counts["kept"]),
        ("dropped", len(is_kept) - pc.sum(is_kept, min_count=0).as_py(), counts["dropped"]),
        ("by_split", by_split, dict(sorted(counts["by_split"].items()))),
    ):
        if expected != got:
            yield f"counts.{name}: expected {expected} as in the tables, got {got}"


def row_count_problems(path: str, listed: int | None, rows: int | None) -> Iterator[str]:
    """A file whose rows are not as many as the manifest lists. rows: None where it is no Parquet file."""
    if listed != rows:
        yield f"{path}: expected {rows if rows is not None else 'no'} rows in manifest.json, got {quoted(listed)}"


def part_problems(files: Collection[str], splits: Iterable[str], tables: Collection[str]) -> Iterator[str]:
    """Files of these tables that the manifest lacks, or that are called as no release calls them (`split_tables`).

    An empty split has a file of each table, too, and of each split there are as many files as their names say.
    """
    named = {path: parse_part(path) for path in files if path.startswith(tuple(f"{table}/" for table in tables))}
    for path, part in named.items():
        if part is None:
            yield f"{path}: expected a name such as {part_path('images', 'train', 0, 1)}, got this one"
    parts = [part for part in named.values() if part is not None]
    for table, split in product(tables, splits):
        mine = [part for part in parts if (part.table, part.split) == (table, split)]
        if not mine:
            yield f"manifest.json: expected a file of {table} for split {split}, got none"
            continue
        count = max(part.of for part in mine)
        if sorted(mine) != [FilePart(table, split, number, count) for number in range(min(count, len(mine) + 1))]:
            yield f"manifest.json: expected files 0 to {count - 1} of {table} for split {split}, got {len(mine)} files"


def place_problems(record_id: str, *, has_bytes: bool, has_path: bool, export: RecipeStage) -> Iterator[str]:
    """An image that is not where the recipe's export, as far as that says it, puts images: in the table, in a file."""
    embedded = {True: "the image's bytes in the table", False: "no bytes in the table"}
    as_file = {True: "the image's file", False: "no file of it"}
    is_embedded = export.parquet.images == "embedded" if export.parquet else None
    for wanted, got, words in ((is_embedded, has_bytes, embedded), (export.media, has_path, as_file)):
        if wanted is not None and wanted != got:
            yield f"{record_id}: expected {words[wanted]}, as the recipe asks for, got {words[got]}"


def joined_problems(relations: pa.Table, ledger: pa.Table) -> Iterator[str]:
    """Pairs of kept records that the release itself takes for one work, in two splits."""
    kept = ledger.filter(ledger["kept"]).select(["record_id", "last_split"]).to_pylist()
    split_of = {row["record_id"]: row["last_split"] for row in kept}
    for row in relations.filter(pc.fill_null(relations["is_joined"], False)).to_pylist():
        splits = {split_of[name] for name in (row["a"], row["b"]) if name in split_of}
        if len(splits) > 1:
            yield (
                f"leak: expected {row['a']} and {row['b']}, which relations.parquet joins as one work, in one split, "
                f"got {sorted(splits)}"
            )


def name_problems(name: str | None, manifest_name: str) -> Iterator[str]:
    """A manifest that is called unlike its recipe."""
    if name != manifest_name:
        yield f"manifest.json: expected name {quoted(name)}, as in recipe.yaml, got {quoted(manifest_name)}"


def recipe_problems(recipe: Row, recipe_sha256: str) -> Iterator[str]:
    """A digest of recipe.yaml that is not the manifest's; none where it also goes by files that no release has."""
    stages = [stage for stage in recipe.get("stages") or () if isinstance(stage, dict)]
    settings = [of for stage in stages for of in stage.values() if isinstance(of, dict)]
    if recipe.get("by_hand") or any(of.get("verdicts") for of in settings):
        return
    content = {name: value for name, value in recipe.items() if name != "manners"}
    try:
        text = json.dumps({"recipe": content}, sort_keys=True)
    except TypeError as problem:  # YAML has dates, and keys of several kinds
        yield f"recipe.yaml: expected values that JSON has, got others ({problem})"
        return
    found = hashlib.sha256(text.encode()).hexdigest()
    if found != recipe_sha256:
        yield f"recipe.yaml: expected settings of digest {recipe_sha256}, got {found}"


def leftover_files(paths: Iterable[str], stones: pa.Table, images: pa.Table) -> Iterator[str]:
    """Image files that only records with a tombstone use. images: record_id and sha256 of all rows."""
    others = images.filter(pc.invert(pc.is_in(images["record_id"], value_set=stones["record_id"])))
    gone = set(stones["sha256"].drop_null().to_pylist()) - set(others["sha256"].to_pylist())
    for path in paths:
        if path.startswith("media/") and path.rsplit("/", 1)[-1].partition(".")[0] in gone:
            yield f"{path}: expected no image of a record with a tombstone, got one"
