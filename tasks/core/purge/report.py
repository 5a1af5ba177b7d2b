"""What a purge tells the person who started it."""

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from schemas.phrases import and_more

_MOST_RECORDS = 20


def lines(
    dataset: str, tombstones: pa.Table, changes: Sequence[str], files_in_use: Mapping[str, str], *, is_dry: bool
) -> Iterator[str]:
    """The report, line by line: which records and why, what was changed, and which files stay.

    tombstones: TOMBSTONES of the dataset. changes: what was removed where, in lines; none: nothing was left to do.
    files_in_use: SHA-256 of the records' files that stay, to a record that uses them.
    """
    count = f"{tombstones.num_rows} record{'s' * (tombstones.num_rows != 1)}"
    if not tombstones.num_rows:
        yield f"purge {dataset}: no record is taken down"
        return
    if not changes:
        yield f"purge {dataset}: {count} purged already; nothing is left to remove"
        return
    yield f"purge {dataset}: {count}{' would be purged: this is a dry run' * is_dry}"
    rows = tombstones.slice(0, _MOST_RECORDS).to_pylist()
    yield from (f"  {row['record_id']}: {row['reason']} ({row['date']})" for row in rows)
    if more := and_more(tombstones.num_rows - _MOST_RECORDS):
        yield f"  ...{more}"
    yield from changes
    for sha256, record_id in sorted(files_in_use.items()):
        yield f"kept: the file {sha256}, which {record_id} uses too"
