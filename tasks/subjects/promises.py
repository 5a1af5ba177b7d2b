"""What a release promises, asked of its tables, published or not: the rules of contracts; and the content digests."""

from collections.abc import Iterator, Mapping

import pyarrow as pa

from schemas.contract import DataContract
from tasks.core import contract
from tasks.core.export import digest
from tasks.io.files import sql_rules
from tasks.io.store.releases import Release


def broken_promises(tables: Mapping[str, pa.Table], contracts: Mapping[str, DataContract]) -> Iterator[str]:
    """A sentence for each rule that these tables break. tables: some of the contracts', without image bytes."""
    # a rule names its own table by its name, and others by their path
    paths = {contracts[name].path: table for name, table in tables.items()}
    with sql_rules.opened({**tables, **paths}) as answer:
        for name in tables:
            for rule in contract.rules(contracts[name]):
                try:
                    ((value,),) = answer(rule.query)
                    if not contract.is_kept(rule, value):
                        yield contract.problem(rule, value, answer(rule.rows) if rule.rows else [])
                except sql_rules.NoAnswer as problem:
                    yield f"{name}: expected {rule.expected}, got tables that can't be asked ({problem})"


def table_digest(release: Release, table: str) -> str:
    """A table's SHA-256, as hex. Raises DamagedFile, and ValueError for values without one, as an infinite number."""
    try:
        names, read = release.column_names(table), release.column_reader(table)
        return digest.table_digest(names, read, digest.PRIMARY_KEYS[table])
    except pa.ArrowException as problem:
        raise ValueError(str(problem)) from problem
