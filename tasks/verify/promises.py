"""The checks of the contract's columns and rules, over all tables of a release."""

from collections.abc import Collection, Iterator, Mapping

import pyarrow as pa

from schemas.contract import DataContract, major
from schemas.release import columns_of
from tasks.core import verify as core
from tasks.core.contract.rules import completed, foretold
from tasks.io.files import contracts
from tasks.io.store.release_tables import to_plain_types
from tasks.io.store.releases import Release
from tasks.subjects.promises import broken_promises

_OF_THE_DAY = frozenset({"diversity", "histograms", "shares", "attributes", "unread"})
"""What a release says of itself as it was published: a purge leaves these numbers."""


def schemas(release: Release, *, but: Collection[str]) -> Iterator[str]:
    """Promised columns that a table's files lack or have in another type; of contracts that the program has.

    but: tables that are not looked at.
    """
    for name, contract in _known_contracts(release).items():
        for path in _parts(release, contract) if name not in but else ():
            yield from core.schema_problems(name, release.schema(path), columns_of(contract.table))


def promises(release: Release) -> Iterator[str]:
    """A problem for each rule that is broken.

    The rules are those of the program's own copy of that contract, never what the release brings with it: SQL of a
    stranger is not run. Those of an earlier one are completed by what its releases kept before it was written down; of
    a later one of the same major, which takes nothing away, the program's own rules are asked.
    """
    tables = {}
    known = _known_contracts(release) or _foretold_contracts(release)
    for name, contract in known.items():
        parts = _parts(release, contract)
        if parts and not (release.manifest.amended and name in _OF_THE_DAY):
            tables[name] = _whole([release.table(path, but="image") for path in parts])
    if {"images", "annotations", "ledger"} <= tables.keys():  # else another check says so
        yield from broken_promises(tables, known)


def _known_contracts(release: Release) -> Mapping[str, DataContract]:
    """The program's own copy of the contract that the release says it keeps, by table, with the release's attributes;
    empty where it has none.
    """
    version, own = release.manifest.contract_version, contracts.contracts()
    if version != contracts.version():
        kept = contracts.published("release").get(version, {})
        own = {table: completed(contract, own[table]) for table, contract in kept.items()}
    return contracts.with_attributes(own, release.attributes)


def _foretold_contracts(release: Release) -> Mapping[str, DataContract]:
    own = contracts.contracts()
    if major(release.manifest.contract_version) != major(contracts.version()):
        return {}
    return {table: foretold(later, own[table]) for table, later in release.contract_files(own).items()}


def _parts(release: Release, contract: DataContract) -> list[str]:
    return release.parts(contract.path.removesuffix("/*.parquet").removesuffix(".parquet"))


def _whole(files: list[pa.Table]) -> pa.Table:
    """The rows of all files of a table, some of which may hold dictionaries where others do not."""
    if any(file.schema != files[0].schema for file in files):
        files = [to_plain_types(file) for file in files]
    return pa.concat_tables(files, promote_options="default")
