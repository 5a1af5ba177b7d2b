"""Ledgers and tombstones for tests of a purge."""

from typing import Any

import pyarrow as pa

from schemas.tables import LEDGER, TOMBSTONES

DOWN = {"record_id": "s:1", "reason": "taken_down", "detail": "heirs (2024-05-01)", "sha256": "a"}


def ledger_of(*rows: dict[str, Any]) -> pa.Table:
    blank = {"source": "s", "kept": False, "image_id": 7}
    return pa.Table.from_pylist([{**blank, **row} for row in rows], schema=LEDGER)


def tombstones_of(*rows: tuple[str | None, ...]) -> pa.Table:
    """Rows of record_id, date, reason, sha256, and scope, which is `work` if it is left out."""
    full = [(*row, "work")[:5] for row in rows]
    return pa.Table.from_pylist([dict(zip(TOMBSTONES.names, row, strict=True)) for row in full], schema=TOMBSTONES)
