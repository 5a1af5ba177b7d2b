"""Dealing what is new: groups first, then single images, stratum by stratum, to the splits that lack most."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.split import SPLITS, Split
from tasks.core.split import batches, units
from tasks.core.strata import Strata, columns_by, strata
from tasks.core.tickets import order_by_stratum, tickets

_PURPOSE = "split"
"""Of its draws; not the stage's label, so that a stage of another name deals the same."""

_Ints = NDArray[np.int64]
_Mask = NDArray[np.bool_]


class _KeptImages(NamedTuple):
    """The images among which new ones are dealt: those that are kept and stay.

    unit: (N,) which unit each is of, 0..U-1. images: (U,). split: (U,) the place among those with seats; -1: none yet.
    """

    view: pa.Table
    unit: _Ints
    images: _Ints
    split: units.Ranks


def _kept_images(view: pa.Table, unit: _Ints, split: units.Ranks, settings: Split) -> _KeptImages:
    places = np.full(len(SPLITS), -1, np.int8)
    places[[SPLITS.index(name) for name in settings.seats]] = np.arange(len(settings.seats))
    if np.any(places[split[split >= 0]] < 0):
        raise ValueError(
            f"expected what is published to lie in {', '.join(settings.seats)}, got some in splits without seats"
        )
    is_named = np.zeros(int(unit.max(initial=-1)) + 1, np.bool_)
    is_named[unit] = True
    of, size = (np.cumsum(is_named) - 1)[unit], int(is_named.sum())
    current_split = np.full(size, -1, np.int8)
    current_split[of] = np.where(split >= 0, places[split], np.int8(-1))
    return _KeptImages(view, of, np.bincount(of, minlength=size), current_split)


def deal(view: pa.Table, unit: _Ints, split: units.Ranks, settings: Split) -> units.Ranks:
    """(N,) the rank of the split of each image of a view, whose units are given; -1 in `split`: to be dealt.

    Units of several images are placed (`groups`), then single images are dealt (`batches`), stratum by stratum. Raises
    ValueError where some lie in a split without seats.
    """
    kept = _kept_images(view, unit, split, settings)
    labels = list(groupings(view, settings))
    is_new = kept.split < 0
    is_group = is_new & ((kept.images > 1) if settings.method == "batches" else True)
    place = kept.split.copy()
    if is_group.any():
        place[is_group] = _place_groups(kept, labels, is_group, settings)
    if (is_single := is_new & ~is_group).any():
        rows = np.flatnonzero(is_single[kept.unit])
        place[kept.unit[rows]] = _deal_singles(kept, labels[0][1], place[kept.unit], rows, settings)
    rank = np.array([SPLITS.index(name) for name in settings.seats], np.int8)
    return rank[place[kept.unit]]


def balanced_columns(view: pa.Table, settings: Split) -> tuple[list[str], list[str]]:
    """The columns of `by` with one value a row, and those with a list of values."""
    columns = columns_by(settings.by)
    is_list = {column: pa.types.is_list(view[column].type) for column in columns}
    return [name for name in columns if not is_list[name]], [name for name in columns if is_list[name]]


def groupings(view: pa.Table, settings: Split) -> Iterator[tuple[_Ints | slice, Strata]]:
    """Rows and their strata for each way to part the images: all columns of `by` together, or `iterative` each."""
    columns, lists = balanced_columns(view, settings)
    is_each = settings.method == "iterative" and settings.by
    for together in [[column] for column in columns] if is_each else [columns]:
        yield slice(None), strata(view, together)
    for column in lists:
        yield list_labels(view[column], column)


def _place_groups(
    kept: _KeptImages, labels: Sequence[tuple[_Ints | slice, Strata]], is_group: _Mask, settings: Split
) -> _Ints:
    """The split of each unit in is_group."""
    firsts = np.cumsum([0, *(len(found.names) for _, found in labels)])
    unit = np.concatenate([kept.unit[rows] for rows, _ in labels])
    label = np.concatenate([found.stratum_index + first for (_, found), first in zip(labels, firsts, strict=False)])
    share = np.array(list(settings.seats.values())) / sum(settings.seats.values())
    size = int(firsts[-1])
    current_split = kept.split[unit]
    fixed = np.bincount(
        label[current_split >= 0] * len(share) + current_split[current_split >= 0], minlength=size * len(share)
    )
    # where a split has more of a label than its share, the others share what is new, as in `seats_of`: what is
    # published of one label is not made up for by another
    wants = np.maximum(np.bincount(label, minlength=size)[:, None] * share - fixed.reshape(size, len(share)), 0)
    shares = wants / np.maximum(wants.sum(axis=1, keepdims=True), 1e-9)
    chosen = np.flatnonzero(is_group)
    number = np.full(len(is_group), -1)
    number[chosen] = np.arange(len(chosen))
    is_mine = is_group[unit]
    pair, images = np.unique(number[unit[is_mine]] * size + label[is_mine], return_counts=True)
    wanted = shares * np.bincount(pair % size, images, size)[:, None]
    every, names = np.zeros(len(chosen), np.int64), _smallest_names(kept, number)
    ticket = tickets(names, settings.seed or 0, f"{_PURPOSE}/groups", [""], every)
    whole = wanted.sum(axis=0) / wanted.sum() * kept.images[chosen].sum()  # an image counts once, whatever its labels
    from tasks.core.split import stratify  # numba takes half a second to import

    return stratify.place_units(
        pair // size, pair % size, images, kept.images[chosen], order_by_stratum(every, ticket, names), wanted, whole
    )


def _deal_singles(kept: _KeptImages, label: Strata, split: units.Ranks, rows: _Ints, settings: Split) -> units.Ranks:
    """The split of each of these rows, which are units of one image; split: (N,) of every image, -1 for none yet."""
    seed, size, shape = settings.seed or 0, len(label.names), np.array(list(settings.seats.values()))
    is_settled = split >= 0
    lies_in = label.stratum_index[is_settled] * len(shape) + split[is_settled]
    settled = np.bincount(lies_in, minlength=size * len(shape)).reshape(size, -1)
    mine = Strata(label.names, label.stratum_index[rows])
    new = np.bincount(mine.stratum_index, minlength=size)
    quotas = batches.seats_of(settled, new, shape, label.names, seed, f"{_PURPOSE}/short")
    figures = None
    if settings.order == "figures":
        count = kept.view["figures"].to_numpy()
        by_split = np.bincount(split[is_settled], count[is_settled], len(shape)).astype(np.int64)
        figures = batches.FigureCounts(count[rows], by_split)
    names = units.take_rows(kept.view["record_id"], rows)
    return batches.deal_images(names, mine, quotas, shape, figures, seed, _PURPOSE)


def list_labels(column: pa.ChunkedArray, name: str) -> tuple[_Ints, Strata]:
    """(M,) rows of a column of lists, and the strata of their texts, each once a row; none is a stratum, too."""
    one = column.combine_chunks()
    empty = np.asarray(pc.fill_null(pc.equal(pc.list_value_length(one), 0), True))
    rows = np.concatenate([np.asarray(pc.list_parent_indices(one), np.int64), np.flatnonzero(empty)])
    words = pa.chunked_array([pc.list_flatten(one), pa.nulls(int(empty.sum()), pa.string())])
    found = strata(pa.table({name: words}), [name])
    _, first = np.unique(rows * max(len(found.names), 1) + found.stratum_index, return_index=True)
    first.sort()
    return rows[first], found._replace(stratum_index=found.stratum_index[first])


def _smallest_names(kept: _KeptImages, number: _Ints) -> pa.ChunkedArray:
    """The smallest record_id of each chosen unit. number: (U,) of the chosen ones, -1 for others."""
    of = number[kept.unit]
    rows = np.flatnonzero(of >= 0)
    names = kept.view["record_id"].take(pa.array(rows))
    order = np.asarray(pc.sort_indices(names), np.int64)
    return names.take(pa.array(order[units.firsts(of[rows[order]])]))
