"""What a person asked a purge for, checked before anything is removed."""

from collections.abc import Collection, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import BadInput
from schemas.phrases import quoted
from tasks.core import by_hand
from tasks.core.record_ids import known_spellings


def known_ids(record_ids: Collection[str], ledgers: Sequence[pa.Table]) -> list[str]:
    """The ids that a person named, each as the LEDGERs of the dataset's releases have it; unknown ones as they are."""
    everyone = pc.unique(
        pa.chunked_array([chunk for book in ledgers for chunk in book["record_id"].chunks], pa.string())
    )
    spellings = known_spellings(record_ids, everyone)
    return [spellings.get(name, name) for name in record_ids]


def check_request(
    dataset: str,
    record_ids: Collection[str],
    reason: str,
    day: str | None,
    ledgers: Sequence[pa.Table],
    *,
    is_alone: bool,
) -> None:
    """Check the options of a purge against the LEDGERs of the dataset's releases.

    Raises BadInput if a day or a reason is none, an option that describes records comes without any, or no release
    knows a record.
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
