"""The content digests of a release's tables, computed from its files by the rule of its own contract."""

import pyarrow as pa

from tasks.core.export import digest, row_digest
from tasks.io.store.releases import Release

_BY_COLUMN_SINCE = 2
"""The contract's major version since which tables are digested column by column."""


def table_digest(release: Release, table: str) -> str:
    """SHA-256 of a table's content, as hex.

    Raises DamagedFile where a file can't be read, or a column is missing in one; and ValueError for values of which no
    digest can be computed, such as a number that is not finite.
    """
    key = digest.PRIMARY_KEYS[table]
    if release.manifest.contract_major < _BY_COLUMN_SINCE:
        return row_digest.table_digest(release.batches(table), key)
    try:
        return digest.table_digest(release.column_names(table), release.column_reader(table), key)
    except pa.ArrowException as problem:
        raise ValueError(str(problem)) from problem
