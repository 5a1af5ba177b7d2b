"""The content digests of a release's tables, computed from its files."""

import pyarrow as pa

from tasks.core.export import digest
from tasks.io.store.releases import Release


def table_digest(release: Release, table: str) -> str:
    """SHA-256 of a table's content, as hex.

    Raises DamagedFile where a file can't be read, or a column is missing in one; and ValueError for values of which no
    digest can be computed, such as a number that is not finite.
    """
    try:
        return digest.table_digest(
            release.column_names(table), release.column_reader(table), digest.PRIMARY_KEYS[table]
        )
    except pa.ArrowException as problem:
        raise ValueError(str(problem)) from problem
