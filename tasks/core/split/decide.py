"""Which split each record is in: what is published stays, groups come next, single images fill what is lacking."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.reasons import Reason
from schemas.split import SPLITS, Split
from schemas.tables import SPLIT
from tasks.core import tables
from tasks.core.split import batches, groups, seats, units
from tasks.core.strata import Strata, strata
from tasks.core.tickets import order_by_stratum, tickets

COLUMNS = ("record_id", "is_kept", "published", "figures")
"""What a view has besides the columns in `by`; any number of bonds, named `copies...` or `together...`; with roles also
`role`."""

_PURPOSE = "split"
"""Of its draws; not the stage's label, so that a stage of another name deals the same."""

_Ints = NDArray[np.int64]
_Mask = NDArray[np.bool_]


class _KeptImages(NamedTuple):
    """The images among which new ones are dealt: those that are kept and stay."""

    view: pa.Table
    unit: _Ints
    """(N,) which unit each is of, 0..U-1."""
    images: _Ints
    """(U,)"""
    split: units.Ranks
    """(U,) the place among the splits that have seats; -1: still to be placed."""


def decide(view: pa.Table, settings: Split) -> pa.Table:
    """SPLIT outcome of the kept records of a view with COLUMNS, in their order.

    view: record_id unique; is_kept false for what earlier stages dropped as a copy, whose published split still counts;
    published: the split in which a record was last published, null if in none. Records that share a word of a bond are
    one unit, and ties chain; a unit never parts. Its images and its figures are summed.

    A unit lies where any of it was published, in the split of the highest rank (train < val < test); records that were
    published in another are dropped: nothing that is published moves. Then units of several images are placed
    (`groups`), then single images are dealt (`seats`, `deal`), so that with what is published they come as near to the
    ratios as they can, stratum by stratum.

    With roles the gallery lies in train. A query that a `copies` bond ties to an image of the gallery is dropped; all
    other bonds tie within a role only. Empty in, empty out; the order of rows changes nothing else.
    """
    return _with_roles(view, settings) if settings.roles else _one_role(view, settings)


def is_settled(view: pa.Table, settings: Split) -> bool:
    """Whether all kept records lie where they were published, or where their role says: then nothing is dealt."""
    if settings.roles:
        view = view.filter(pc.equal(view["role"], "query"))
    was = units.published_of(units.units_of(view["record_id"], _bonds(view)), view["published"])
    return not np.any(_bools(view["is_kept"]) & (was < 0))


def _one_role(view: pa.Table, settings: Split) -> pa.Table:
    is_kept, own = _bools(view["is_kept"]), units.ranks(view["published"])
    unit = units.units_of(view["record_id"], _bonds(view))
    split = units.published_of(unit, view["published"])
    moves = (own >= 0) & (own != split)
    stays = is_kept & ~moves
    if np.any(split[stays] < 0):
        split[stays] = _deal(_kept_images(_rows_where(view, stays), unit[stays], split[stays], settings), settings)
    reason = pa.array([str(Reason.JOINED_ACROSS_SPLITS)]).take(pa.array(np.zeros(len(unit), np.int8), mask=~moves))
    outcome = tables.outcome(
        SPLIT,
        view["record_id"],
        group_id=_take_rows(view["record_id"], unit),
        split=units.names_of(np.where(moves, np.int8(-1), split)),
        reason=reason,
        detail=pa.array(_move_details(own, split, moves), pa.string()) if moves.any() else reason,
    )
    return _rows_where(outcome, is_kept)


def _move_details(own: units.Ranks, split: units.Ranks, moves: _Mask) -> list[str | None]:
    details: list[str | None] = [None] * len(own)
    for row in np.flatnonzero(moves):
        details[row] = f"published in {SPLITS[own[row]]}, its group in {SPLITS[split[row]]}"
    return details


def _with_roles(view: pa.Table, settings: Split) -> pa.Table:
    """The gallery in train, queries by the ratios, less those that are copies of what hangs there."""
    is_query, is_kept = _bools(pc.equal(view["role"], "query")), _bools(view["is_kept"])
    copy = units.units_of(view["record_id"], [view[name] for name in view.column_names if name.startswith("copies")])
    hangs = np.zeros(view.num_rows, np.bool_)
    hangs[copy[~is_query & is_kept]] = True
    is_copy = is_query & hangs[copy] & is_kept
    place = view.schema.get_field_index("is_kept")
    queries = view.set_column(place, "is_kept", pa.array(is_kept & ~is_copy)).filter(pa.array(is_query))
    gallery = view.filter(pa.array(~is_query & is_kept))
    of = units.units_of(gallery["record_id"], _bonds(gallery))
    copies = view["record_id"].filter(pa.array(is_copy))
    parts = [
        _one_role(queries, settings),
        tables.outcome(
            SPLIT, copies, group_id=copies, reason=pa.array([str(Reason.COPY_ACROSS_ROLES)] * len(copies), pa.string())
        ),
        tables.outcome(
            SPLIT,
            gallery["record_id"],
            group_id=gallery["record_id"].take(pa.array(of)),
            split=pa.array(["train"] * len(of), pa.string()),
        ),
    ]
    outcome = pa.concat_tables(parts)
    return outcome.take(pc.index_in(view["record_id"].filter(pa.array(is_kept)), value_set=outcome["record_id"]))


def _kept_images(view: pa.Table, unit: _Ints, split: units.Ranks, settings: Split) -> _KeptImages:
    is_named = np.zeros(int(unit.max(initial=-1)) + 1, np.bool_)
    is_named[unit] = True
    of = (np.cumsum(is_named) - 1)[unit]
    size = int(is_named.sum())
    places = np.full(len(SPLITS), -1, np.int8)
    places[[SPLITS.index(name) for name in settings.seats]] = np.arange(len(settings.seats))
    if np.any(places[split[split >= 0]] < 0):
        raise ValueError(
            f"expected what is published to lie in {', '.join(settings.seats)}, got some in splits without seats"
        )
    placed = np.full(size, -1, np.int8)
    placed[of] = np.where(split >= 0, places[split], np.int8(-1))
    return _KeptImages(view, of, np.bincount(of, minlength=size), placed)


def _deal(kept: _KeptImages, settings: Split) -> units.Ranks:
    """(N,) the rank of each image's split."""
    labels = _labels(kept.view, settings)
    is_new = kept.split < 0
    is_group = is_new & ((kept.images > 1) if settings.method == "batches" else True)
    split = kept.split.copy()
    if is_group.any():
        split[is_group] = _place_groups(kept, labels, is_group, settings)
    if (is_single := is_new & ~is_group).any():
        rows = np.flatnonzero(is_single[kept.unit])
        split[kept.unit[rows]] = _deal_singles(kept, labels[0], split[kept.unit], rows, settings)
    rank = np.array([SPLITS.index(name) for name in settings.seats], np.int8)
    return rank[split[kept.unit]]


def _labels(view: pa.Table, settings: Split) -> list[Strata]:
    """What is balanced: one way to part the images into strata, or several."""
    if settings.method == "batches" or not settings.by:
        return [strata(view, settings.by)]
    return [strata(view, [column]) for column in settings.by if column != "styles"]


def _place_groups(kept: _KeptImages, labels: list[Strata], is_group: _Mask, settings: Split) -> _Ints:
    """The split of each unit in is_group."""
    found = [(kept.unit, label.stratum_index, len(label.names)) for label in labels]
    if "styles" in settings.by:
        found.append(_style_labels(kept))
    firsts = np.cumsum([0, *(size for _, _, size in found)])
    unit = np.concatenate([one for one, _, _ in found])
    label = np.concatenate([of + first for (_, of, _), first in zip(found, firsts, strict=False)])
    share = np.array(list(settings.seats.values())) / sum(settings.seats.values())
    size = int(firsts[-1])
    lies = kept.split[unit]
    fixed = np.bincount(label[lies >= 0] * len(share) + lies[lies >= 0], minlength=size * len(share))
    lacking = np.bincount(label, minlength=size)[:, None] * share - fixed.reshape(size, len(share))
    chosen = np.flatnonzero(is_group)
    number = np.full(len(is_group), -1)
    number[chosen] = np.arange(len(chosen))
    is_mine = is_group[unit]
    pair, images = np.unique(number[unit[is_mine]] * size + label[is_mine], return_counts=True)
    wanted = _shares(lacking) * np.bincount(pair % size, images, size)[:, None]
    every, names = np.zeros(len(chosen), np.int64), _smallest(kept, is_group)
    ticket = tickets(names, settings.seed or 0, f"{_PURPOSE}/groups", [""], every)
    whole = wanted.sum(axis=0) / wanted.sum() * kept.images[chosen].sum()  # an image counts once, whatever its labels
    return groups.place_units(
        pair // size, pair % size, images, kept.images[chosen], order_by_stratum(every, ticket, names), wanted, whole
    )


def _shares(lacking: NDArray[np.float64]) -> NDArray[np.float64]:
    """(L, S) of each label the share of what is new that each split is to get: groups have as much of it as single
    images.

    Where a split has more of a label than its share, the others share what is new, as in `seats`: what is published of
    one label is not made up for by another.
    """
    wants = np.maximum(lacking, 0)
    return np.asarray(wants / np.maximum(wants.sum(axis=1, keepdims=True), 1e-9))


def _deal_singles(kept: _KeptImages, label: Strata, split: units.Ranks, rows: _Ints, settings: Split) -> units.Ranks:
    """The split of each of these rows, which are units of one image. split: (N,) of every image, -1 where it has none
    yet.
    """
    seed, size, shape = settings.seed or 0, len(label.names), np.array(list(settings.seats.values()))
    lies = split >= 0
    placed = np.bincount(label.stratum_index[lies] * len(shape) + split[lies], minlength=size * len(shape)).reshape(
        size, -1
    )
    new = np.bincount(label.stratum_index[rows], minlength=size)
    quotas = seats.seats_of(placed, new, shape, label.names, seed, f"{_PURPOSE}/short")
    figures = None
    if settings.order == "figures":
        count = kept.view["figures"].to_numpy()
        figures = batches.FigureCounts(count[rows], np.bincount(split[lies], count[lies], len(shape)).astype(np.int64))
    names = _take_rows(kept.view["record_id"], rows)
    return batches.deal_images(
        names, Strata(label.names, label.stratum_index[rows]), quotas, shape, figures, seed, _PURPOSE
    )


def _style_labels(kept: _KeptImages) -> tuple[_Ints, _Ints, int]:
    """(units, labels, number of labels) of each style that each image has; one of none has the label of none."""
    column = kept.view["styles"].combine_chunks()
    empty = np.asarray(pc.fill_null(pc.equal(pc.list_value_length(column), 0), True))
    rows = np.concatenate([np.asarray(pc.list_parent_indices(column), np.int64), np.flatnonzero(empty)])
    words = pa.chunked_array([pc.list_flatten(column), pa.nulls(int(empty.sum()), pa.string())])
    of = strata(pa.table({"styles": words}), ["styles"])
    return kept.unit[rows], of.stratum_index, len(of.names)


def _smallest(kept: _KeptImages, is_chosen: _Mask) -> pa.ChunkedArray:
    """The smallest record_id of each chosen unit."""
    rows = np.flatnonzero(is_chosen[kept.unit])
    names = kept.view["record_id"].take(pa.array(rows))
    order = np.asarray(pc.sort_indices(names), np.int64)
    number = (np.cumsum(is_chosen) - 1)[kept.unit[rows[order]]]
    return names.take(pa.array(order[units.firsts(number)]))


def _bonds(view: pa.Table) -> list[pa.ChunkedArray]:
    return [view[name] for name in view.column_names if name.startswith(("copies", "together"))]


def _rows_where(table: pa.Table, mask: _Mask) -> pa.Table:
    """The table's rows that are true; not copied if all are."""
    return table if mask.all() else table.filter(pa.array(mask))


def _take_rows(column: pa.ChunkedArray, rows: _Ints) -> pa.ChunkedArray:
    """The column's values in these rows; not copied if these are all, in order."""
    is_whole = len(rows) == len(column) and bool(np.all(rows[1:] > rows[:-1]))
    return column if is_whole else column.take(pa.array(rows))


def _bools(column: pa.ChunkedArray) -> _Mask:
    return np.asarray(column, np.bool_)
