"""What a person asked a purge for, checked before anything is removed, and what the purge tells."""

from collections.abc import Collection, Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import BadInput
from schemas.phrases import and_more, quoted
from tasks.core import by_hand
from tasks.core.record_ids import known_spellings


def known_ids(record_ids: Collection[str], ledgers: Sequence[pa.Table]) -> list[str]:
    """The ids that a person named, each as the LEDGERs of the dataset's releases have it; unknown ones as they are."""
    chunks = [chunk for book in ledgers for chunk in book["record_id"].chunks]
    spellings = known_spellings(record_ids, pc.unique(pa.chunked_array(chunks, pa.string())))
    return [spellings.get(name, name) for name in record_ids]


def check_request(
    dataset: str, record_ids: Collection[str], reason: str, day: str | None, ledgers: list[pa.Table], *, is_alone: bool
) -> None:
    """Raise BadInput if a day or a reason is none, an option that describes records comes without any, or none of the
    dataset's LEDGERs knows a record.
    """
    if day is not None and not by_hand.is_day(day):
        raise BadInput(f"--date: expected a day such as 2024-12-31, got {quoted(day)}")
    for option, is_given in (("--reason", bool(reason)), ("--date", day is not None), ("--alone", is_alone)):
        if is_given and not record_ids:
            raise BadInput(f"{option}: expected --record with it, got none")
    if record_ids and not reason:
        raise BadInput("--reason: expected why the records are purged, got nothing")
    for record_id in record_ids:
        if not any(pc.index(ledger["record_id"], record_id).as_py() >= 0 for ledger in ledgers):
            raise BadInput(f"--record: expected a record that a release of '{dataset}' knows, got {quoted(record_id)}")
    if record_ids and not by_hand.is_line(reason, by_hand.LONGEST_REASON):
        raise BadInput(
            f"--reason: expected 1 to {by_hand.LONGEST_REASON} characters in one line, got {len(reason)} characters "
            f"in {len(reason.splitlines())} lines"
        )


_MOST_RECORDS = 20


def lines(
    dataset: str, tombstones: pa.Table, changes: Sequence[str], files_in_use: Mapping[str, str], *, is_dry: bool
) -> Iterator[str]:
    """The report, line by line. changes: what was removed where, in lines; none: nothing was left to do.
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
