"""The check of the contract's rules, over all tables of a release."""

from collections.abc import Iterator

import pyarrow as pa

from tasks.engine.promises import broken_promises
from tasks.io.files import contracts
from tasks.io.store.releases import Release

_OF_THE_DAY = frozenset({"diversity", "histograms", "shares"})
"""What a release says of itself as it was published: a purge leaves these numbers."""


def promises(release: Release) -> Iterator[str]:
    """A problem for each rule that is broken.

    The rules are those of the program's own copy of that contract, never what the release brings with it: SQL of a
    stranger is not run. Of a contract that the program does not have there are none to ask.
    """
    version = release.manifest.contract_version
    known = contracts.contracts() if version == contracts.version() else contracts.published("release").get(version, {})
    tables = {}
    for name, contract in known.items():
        parts = release.parts(contract.path.removesuffix("/*.parquet").removesuffix(".parquet"))
        if parts and not (release.manifest.amended and name in _OF_THE_DAY):
            tables[name] = pa.concat_tables([release.table(path, but="image") for path in parts])
    if {"images", "annotations", "ledger"} <= tables.keys():  # else another check says so
        yield from broken_promises(tables, known)
