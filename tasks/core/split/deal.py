"""Dealing what is new: groups first, then single images, stratum by stratum, to the splits that lack most."""

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
    """The images among which new ones are dealt: those that are kept and stay."""

    view: pa.Table
    unit: _Ints
    """(N,) which unit each is of, 0..U-1."""
    images: _Ints
    """(U,)"""
    split: units.Ranks
    """(U,) the place among the splits that have seats; -1: still to be placed."""


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
    current_split = np.full(size, -1, np.int8)
    current_split[of] = np.where(split >= 0, places[split], np.int8(-1))
    return _KeptImages(view, of, np.bincount(of, minlength=size), current_split)


def deal(view: pa.Table, unit: _Ints, split: units.Ranks, settings: Split) -> units.Ranks:
    """(N,) the rank of the split of each image of a view, whose units are given; -1 in `split`: to be dealt.

    Units of several images are placed (`groups`), then single images are dealt (`seats`, `batches`), so that with those
    that lie somewhere already they come as near to the ratios as they can, stratum by stratum.

    Raises ValueError where some lie in a split without seats.
    """
    kept = _kept_images(view, unit, split, settings)
    labels = _labels(kept.view, settings)
    is_new = kept.split < 0
    is_group = is_new & ((kept.images > 1) if settings.method == "batches" else True)
    place = kept.split.copy()
    if is_group.any():
        place[is_group] = _place_groups(kept, labels, is_group, settings)
    if (is_single := is_new & ~is_group).any():
        rows = np.flatnonzero(is_single[kept.unit])
        place[kept.unit[rows]] = _deal_singles(kept, labels[0], place[kept.unit], rows, settings)
    rank = np.array([SPLITS.index(name) for name in settings.seats], np.int8)
    return rank[place[kept.unit]]


def balanced_columns(view: pa.Table, settings: Split) -> tuple[list[str], list[str]]:
    """The columns of `by` with one value a row, and those with a list of values."""
    columns = columns_by(settings.by)
    is_list = {column: pa.types.is_list(view[column].type) for column in columns}
    return [name for name in columns if not is_list[name]], [name for name in columns if is_list[name]]


def _labels(view: pa.Table, settings: Split) -> list[Strata]:
    """What is balanced: one way to part the images into strata, or several."""
    columns, _ = balanced_columns(view, settings)
    if settings.method == "batches" or not settings.by:
        return [strata(view, columns)]
    return [strata(view, [column]) for column in columns]


def _place_groups(kept: _KeptImages, labels: list[Strata], is_group: _Mask, settings: Split) -> _Ints:
    """The split of each unit in is_group."""
    found = [(kept.unit, label.stratum_index, len(label.names)) for label in labels]
    found += [_list_labels(kept, column) for column in balanced_columns(kept.view, settings)[1]]
    firsts = np.cumsum([0, *(size for _, _, size in found)])
    unit = np.concatenate([one for one, _, _ in found])
    label = np.concatenate([of + first for (_, of, _), first in zip(found, firsts, strict=False)])
    share = np.array(list(settings.seats.values())) / sum(settings.seats.values())
    size = int(firsts[-1])
    current_split = kept.split[unit]
    fixed = np.bincount(
        label[current_split >= 0] * len(share) + current_split[current_split >= 0], minlength=size * len(share)
    )
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
    from tasks.core.split import groups  # numba takes half a second to import

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
    is_settled = split >= 0
    settled = np.bincount(
        label.stratum_index[is_settled] * len(shape) + split[is_settled], minlength=size * len(shape)
    ).reshape(size, -1)
    new = np.bincount(label.stratum_index[rows], minlength=size)
    quotas = batches.seats_of(settled, new, shape, label.names, seed, f"{_PURPOSE}/short")
    figures = None
    if settings.order == "figures":
        count = kept.view["figures"].to_numpy()
        figures = batches.FigureCounts(
            count[rows], np.bincount(split[is_settled], count[is_settled], len(shape)).astype(np.int64)
        )
    names = units.take_rows(kept.view["record_id"], rows)
    return batches.deal_images(
        names, Strata(label.names, label.stratum_index[rows]), quotas, shape, figures, seed, _PURPOSE
    )


def list_labels(column: pa.ChunkedArray, name: str) -> tuple[_Ints, Strata]:
    """(M,) rows of a column of lists, and the strata of their texts, each once a row; none is a stratum, too.

    name: of the column, which says how its texts are compared.
    """
    one = column.combine_chunks()
    empty = np.asarray(pc.fill_null(pc.equal(pc.list_value_length(one), 0), True))
    rows = np.concatenate([np.asarray(pc.list_parent_indices(one), np.int64), np.flatnonzero(empty)])
    words = pa.chunked_array([pc.list_flatten(one), pa.nulls(int(empty.sum()), pa.string())])
    found = strata(pa.table({name: words}), [name])
    _, first = np.unique(rows * max(len(found.names), 1) + found.stratum_index, return_index=True)
    first.sort()
    return rows[first], found._replace(stratum_index=found.stratum_index[first])


def _list_labels(kept: _KeptImages, name: str) -> tuple[_Ints, _Ints, int]:
    """(units, labels, number of labels) of each text that each image has in a column."""
    rows, of = list_labels(kept.view[name], name)
    return kept.unit[rows], of.stratum_index, len(of.names)


def _smallest(kept: _KeptImages, is_chosen: _Mask) -> pa.ChunkedArray:
    """The smallest record_id of each chosen unit."""
    rows = np.flatnonzero(is_chosen[kept.unit])
    names = kept.view["record_id"].take(pa.array(rows))
    order = np.asarray(pc.sort_indices(names), np.int64)
    number = (np.cumsum(is_chosen) - 1)[kept.unit[rows[order]]]
    return names.take(pa.array(order[units.firsts(number)]))
