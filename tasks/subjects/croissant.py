"""`croissant.json` of a release, from its own files: whoever writes it, checks it or amends it gets the same bytes."""

import pyarrow as pa

from schemas.contract import CROISSANT, TABLES, contract_path, schema_path
from schemas.manifests import ReleaseManifest
from schemas.release import ReleaseRecipe
from tasks.core.export.croissant import PromisedTable, croissant, croissant_text
from tasks.core.export.responsible_ai import FACTS_FROM, CollectionFacts, collection_facts
from tasks.io.files import contracts
from tasks.io.store.releases import Release


def croissant_file(
    recipe: ReleaseRecipe, manifest: ReleaseManifest, facts: CollectionFacts, modified: str | None = None
) -> bytes:
    """The file of a release by the program's own contract. manifest: its Parquet files; modified: see `croissant`."""
    promised = contracts.with_attributes(contracts.contracts(), recipe.attributes)
    schemas = contracts.arrow_schemas(recipe.attributes)
    tables = {name: PromisedTable(contract.table, schemas[name]) for name, contract in promised.items()}
    return croissant_text(croissant(recipe, manifest, tables, facts, modified))


def croissant_of(release: Release, manifest: ReleaseManifest, modified: str | None) -> bytes:
    """The file of a release by whatever contract, as its own folder describes it. manifest: of its files as they are.

    Raises DamagedFile where a file that it follows from is gone or odd.
    """
    try:
        facts = collection_facts({table: _columns(release, table) for table in FACTS_FROM})
        tables = {
            name: PromisedTable(contract.table, _schema(release, name))
            for name, contract in release.contract_files(_tables(manifest)).items()
        }
        return croissant_text(croissant(release.recipe(), manifest, tables, facts, modified))
    except (LookupError, TypeError, ValueError, AttributeError, pa.ArrowException) as problem:  # a stranger's tables
        raise release.damage(CROISSANT, "what follows from tables as releases have them", problem) from problem


def _tables(manifest: ReleaseManifest) -> list[str]:
    """The tables that its own contract describes."""
    return [table for table in TABLES if {contract_path(table), schema_path(table)} <= manifest.files.keys()]


def _columns(release: Release, table: str) -> pa.Table:
    read = release.column_reader(table)
    return pa.table({name: read(name) for name in FACTS_FROM[table]})


def _schema(release: Release, table: str) -> pa.Schema:
    path = schema_path(table)
    try:
        return pa.ipc.read_schema(pa.BufferReader(release.read(path)))
    except (pa.ArrowException, OSError) as problem:
        raise release.damage(path, "an Arrow schema", problem) from problem
