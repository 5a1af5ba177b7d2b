"""Train, val and test: dealt in batches inside each style, groups kept together, published images kept where they are."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from schemas.draw import Split
from schemas.reasons import Reason
from schemas.tables import SPLIT
from tasks.core import tables
from tasks.core.components import smallest_connected
from tasks.core.draws import ticket

RANK = {"train": 0, "val": 1, "test": 2}
UNITS = pa.schema([("unit", pa.string()), ("style", pa.string()), ("figures", pa.int64()), ("published", pa.string())])
DRAWN = pa.schema([("unit", pa.string()), ("split", pa.string())])


def units_of(names: Sequence[str], bonds: Iterable[Sequence[str | None]]) -> list[str]:
    """For each record the smallest record_id of those that bonds tie to it.

    Each bond gives a word per record (null: none); records with one word in one bond are tied, and ties chain.

    >>> units_of(["a", "b", "c", "d"], [["x", None, "x", None], [None, "y", "y", None]])
    ['a', 'a', 'a', 'd']
    """
    first: dict[tuple[int, str], int] = {}
    ties = [
        (row, first.setdefault((which, word), row))
        for which, bond in enumerate(bonds)
        for row, word in enumerate(bond)
        if word is not None
    ]
    apart = [(left, right) for left, right in ties if left != right]
    return smallest_connected(names, np.arange(len(names)), np.array(apart, np.int64).reshape(-1, 2))


def units(
    record_id: Sequence[str],
    unit: Sequence[str],
    style: Sequence[str | None],
    figures: Sequence[int],
    published: Sequence[str | None],
    is_kept: Sequence[bool],
) -> pa.Table:
    """UNITS, sorted: what is dealt.

    A unit has the style of its first kept record, the most figures of any kept one, and the published split of highest
    rank (train < val < test) of any, kept or not. A unit with nothing kept is left out.
    """
    rows = sorted(zip(record_id, unit, style, figures, published, is_kept, strict=True), key=lambda row: row[0])
    found: dict[str, dict[str, Any]] = {}
    for _, name, of, count, _, stays in rows:
        if stays:
            row = found.setdefault(name, {"unit": name, "style": of or "", "figures": count, "published": None})
            row["figures"] = max(row["figures"], count)
    for _, name, _, _, split, _ in rows:
        if name in found and RANK.get(str(split), -1) > RANK.get(str(found[name]["published"]), -1):
            found[name]["published"] = split
    return pa.Table.from_pylist([found[name] for name in sorted(found)], schema=UNITS)


def draw(new: pa.Table, settings: Split) -> pa.Table:
    """DRAWN: a split for each unit without one.

    Inside each style the units, most figures first, are walked in batches of as many as there are seats (3 train, 1 val,
    1 test); in each batch chance deals the seats (PoPArt, section 3.3). A short last batch draws its places from the
    same seats: the rest stay empty. Ties in the number of figures fall by ticket too.
    """
    seed, label = settings.seed or 0, settings.label
    lists: dict[str, list[tuple[int, int, str]]] = {}
    for row in new.to_pylist():
        key = -row["figures"] if settings.order == "figures" else 0
        lists.setdefault(row["style"] if settings.by else "", []).append(
            (key, ticket(seed, f"{label}/order", row["unit"]), row["unit"])
        )
    seats = [split for split in RANK for _ in range(settings.ratios.get(split, 0))]  # type: ignore[call-overload]
    dealt: dict[str, str] = {}
    for style, listed in lists.items():
        ordered = [unit for _, _, unit in sorted(listed)]
        for start in range(0, len(ordered), len(seats)):
            dealt.update(_dealt(ordered[start : start + len(seats)], seats, seed, f"{label}/{style}"))
    return pa.table({"unit": sorted(dealt), "split": [dealt[unit] for unit in sorted(dealt)]}, schema=DRAWN)


def outcome(
    record_id: pa.ChunkedArray, unit: Sequence[str], published: Sequence[str | None], split_of: Mapping[str, str]
) -> pa.Table:
    """SPLIT outcome. A record that was published in another split than its unit's is dropped: nothing published moves."""
    splits = [split_of.get(name) for name in unit]
    moved = [None not in (was, now) and was != now for was, now in zip(published, splits, strict=True)]
    return tables.outcome(
        SPLIT, record_id, group_id=list(unit), split=[None if m else now for m, now in zip(moved, splits, strict=True)],
        reason=[Reason.JOINED_ACROSS_SPLITS if m else None for m in moved],
        detail=[f"published in {was}, its group in {now}" if m else None for m, was, now in zip(moved, published, splits, strict=True)],
    )  # fmt: skip


def _dealt(batch: Sequence[str], seats: Sequence[str], seed: int, purpose: str) -> dict[str, str]:
    """A seat for each unit of a batch: all seats' places are shuffled by ticket, empty places along with the units."""
    places = [*batch, *(f"empty/{batch[0]}/{number}" for number in range(len(seats) - len(batch)))]
    shuffled = sorted(places, key=lambda place: ticket(seed, f"{purpose}/seat", place))
    return {place: seat for place, seat in zip(shuffled, seats, strict=True) if place in set(batch)}
