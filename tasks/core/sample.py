"""Which records of each stratum are drawn, rare artists before prolific ones."""

import hashlib
import re
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import Refusal
from schemas.phrases import listed, quoted_name
from schemas.reasons import Reason
from schemas.sample import Sample
from schemas.tables import SAMPLE
from tasks.core import tables
from tasks.core.columns import bools, floats
from tasks.core.names.spellings import joined_names, joined_note, keys, weigher_key
from tasks.core.strata import Strata, columns_by, counts, strata
from tasks.core.tickets import order_by_stratum, tickets, waiting_times

COLUMNS = ("record_id", "weighs_as", "is_included", "replaced_because")
"""What a view has besides the columns that are strata (`stratum_column`); with caps also `object` and what
`cap_column` names, where figures weigh `figures`.

weighs_as: whose work it is, for the weights: an artist's name, or what has a line feed in it.
"""

_Rows = NDArray[np.int64]
_Mask = NDArray[np.bool_]
_SHOWN = 5
_LAST = 64
"""Longer than any waiting time (`waiting_times`): records without figures come after all that have some."""


class _Pool(NamedTuple):
    """What is drawn from."""

    strata: Strata
    is_over_cap: _Mask
    sizes: _Rows
    """(K,) records of each stratum that no cap keeps out."""
    is_chosen: _Mask
    """(K,) whether each stratum is drawn from."""
    places: _Rows
    """(K,) how many of each are drawn, if there are so many."""


def cap_column(name: str) -> str:
    """What a view calls the column of the artist, or of an attribute, that has a cap."""
    return f"cap.{name}"


def decide(view: pa.Table, settings: Sample) -> pa.Table:
    """SAMPLE outcome of a view with COLUMNS, in its order: some records of each stratum, drawn without replacement.

    Inside a stratum a record's weight is 1 / (works of its artist there), so that each artist has the same odds
    (ArtBench-10, Algorithm 1; PoPArt, section 3.1). The shortest waiting times are drawn, -ln(u) / weight with u of
    (seed, stratum, record_id) alone: a new or missing record changes only the odds of its own artist, and a free place
    goes to the next one. Records that a person included come first, and are kept whatever the caps and numbers; those
    that a person replaced leave their place to the next.

    Spellings of one name are one artist, one stratum and one cap (`names.spellings`); u goes by the record's own
    spelling of its stratum, so that another changes nobody's. `weighs_as` is never null. Empty in, empty out. Raises
    Refusal, naming each stratum, where one has fewer records than `exactly` asks for, or more are included in it.
    """
    pool = _pool(view, settings)
    is_included, is_sent_back = bools(view["is_included"]), _is_sent_back(view)
    is_eligible = ~pool.is_over_cap & (pool.is_chosen[pool.strata.stratum_index] | is_included)
    is_in = is_eligible & ~is_sent_back
    mine = view if is_eligible.all() else view.filter(pa.array(is_eligible))
    rank = np.zeros(view.num_rows, np.int64)
    rank[is_eligible] = _ranks(mine, pool.strata.stratum_index[is_eligible], settings)
    is_drawn = is_in & ((rank < pool.places[pool.strata.stratum_index]) | is_included)
    if settings.exactly is not None:
        _check_exactly(pool, counts(pool.strata.stratum_index, len(pool.sizes), is_drawn), settings.exactly)
    return _outcome(view, pool, is_sent_back & is_eligible, is_drawn, settings)


def notes(view: pa.Table, outcome: pa.Table, settings: Sample) -> list[str]:
    """Sentences on strata that gave fewer records than asked for, on unknown values, and on spellings that are one."""
    pool = _pool(view, settings)
    names, of, unknown = pool.strata
    kept = counts(of, len(names), bools(pc.is_null(outcome["reason"])))
    sentences = []
    if settings.at_most is not None and (lacks := _lacking(pool, kept, settings.at_most)):
        few = listed([f"{quoted_name(names[place])} {kept[place]}" for place in lacks], _SHOWN)
        sentences.append(
            f"{settings.label}: {len(lacks)} of {pool.is_chosen.sum()} strata have fewer than {settings.at_most}: {few}"
        )
    if settings.total is not None and 0 < kept.sum() < settings.total:
        sentences.append(f"{settings.label}: only {kept.sum()} of the {settings.total} records asked for can be drawn")
    if settings.weight == "figures" and view.num_rows and not pc.sum(view["figures"]).as_py():
        sentences.append(f"{settings.label}: no figures are known, so all records have the same weight")
    sentences += [
        f"{settings.label}: {pool.sizes[place]} records are in the stratum {quoted_name(names[place])}; {kept[place]} "
        "of them are drawn"
        for place in sorted(unknown)
    ]
    sentences += joined_note(settings.label, joined_names(view, name_columns(settings)))
    return sentences


def name_columns(settings: Sample) -> list[str]:
    """The columns of a view in which spellings of one name are one."""
    weighs = ["weighs_as"] if settings.weight == "inverse_artist" else []
    return [*columns_by(settings.by), *map(cap_column, caps_of_values(settings)), *weighs]


def caps_of_values(settings: Sample) -> dict[str, int]:
    """How many records at most are drawn of each artist, and of each value of an attribute, by the field's name."""
    caps = settings.at_most_per
    return ({} if caps.artist is None else {"artist": caps.artist}) | caps.of_attributes


def _pool(view: pa.Table, settings: Sample) -> _Pool:
    found = strata(view, columns_by(settings.by))
    is_over_cap = _over_cap(view, settings)
    sizes = counts(found.stratum_index, len(found.names), ~is_over_cap)
    there = counts(found.stratum_index, len(found.names), ~is_over_cap & ~_is_sent_back(view))
    is_chosen = np.full(len(sizes), settings.top is None)
    if settings.top is not None:  # the largest strata, ties by name, and never the unknown one
        known = [place for place in np.flatnonzero(sizes).tolist() if place not in found.unknown]
        is_chosen[sorted(known, key=lambda place: (-sizes[place], found.names[place]))[: settings.top]] = True
    places = _draw_sizes(found.names, sizes * is_chosen, there * is_chosen, settings)
    return _Pool(found, is_over_cap, sizes, is_chosen, places)


def _lacking(pool: _Pool, counted: _Rows, wanted: int) -> list[int]:
    """Places of the chosen strata of which fewer are counted, the least first."""
    lacks = np.flatnonzero(pool.is_chosen & (counted < wanted)).tolist()
    return sorted(lacks, key=lambda place: (counted[place], pool.strata.names[place]))


def _over_cap(view: pa.Table, settings: Sample) -> _Mask:
    """(N,) which records are beyond the first n of their object, or n by chance of their artist or attribute's value.

    Records that a person included or replaced are never among them, and do not count; null has no cap.
    """
    at_most, over = settings.at_most_per.object, np.zeros(view.num_rows, np.bool_)
    is_free = ~(bools(view["is_included"]) | _is_sent_back(view))
    if at_most is not None:
        rows = np.flatnonzero(is_free)
        over[rows[_beyond_the_first(view.take(pa.array(rows)), at_most)]] = True
    for name, count in caps_of_values(settings).items():
        column, purpose = cap_column(name), f"{settings.label}/cap" + (f"/{name}" if name != "artist" else "")
        rows = np.flatnonzero(is_free & ~over & bools(pc.is_valid(view[column])))
        capped = view.select(["record_id", column]).take(pa.array(rows))
        values, own = strata(capped, [column]), strata(capped, [column], is_to_the_letter=True)
        drawn = tickets(capped["record_id"], settings.seed or 0, purpose, own.names, own.stratum_index)
        order = order_by_stratum(values.stratum_index, drawn, capped["record_id"])
        over[rows[order[_places_in_runs(values.stratum_index[order]) >= count]]] = True
    return over


def _beyond_the_first(view: pa.Table, count: int) -> list[int]:
    """Rows of records that are not among the first `count` of their object, in natural order of record_ids."""
    of = strata(view.select(["object"]), ["object"])
    many = counts(of.stratum_index, len(of.names)) > count
    many[list(of.unknown)] = False
    rows = np.flatnonzero(many[of.stratum_index])
    names = view["record_id"].take(pa.array(rows)).to_pylist()
    in_order = sorted(
        zip(of.stratum_index[rows].tolist(), map(_natural_order, names), names, rows.tolist(), strict=True)
    )
    place = _places_in_runs(np.array([number for number, *_ in in_order], np.int64))
    return [row for (*_, row), before in zip(in_order, place.tolist(), strict=True) if before >= count]


def _ranks(view: pa.Table, of: _Rows, settings: Sample) -> _Rows:
    """(N,) the place of each record in the order in which its stratum is drawn."""
    own = strata(view, columns_by(settings.by), is_to_the_letter=True)
    drawn = tickets(view["record_id"], settings.seed or 0, settings.label, own.names, own.stratum_index)
    waits = waiting_times(drawn)
    if settings.weight == "inverse_artist":
        waits *= _works_of_artist(view["weighs_as"], of)
    elif settings.weight == "figures":
        figures = floats(view["figures"])
        waits = np.where(figures > 0, waits / np.maximum(figures, 1), waits + _LAST)
    waits[bools(view["is_included"])] = 0  # before all others: no draw is as short, but for one in 2**53
    waits[_is_sent_back(view)] = np.inf  # behind all others; the works of its artist are as many as they were
    order = order_by_stratum(of, waits, view["record_id"])
    rank = np.empty(len(order), np.int64)
    rank[order] = _places_in_runs(of[order])
    return rank


def _works_of_artist(artist: pa.ChunkedArray, of: _Rows) -> _Rows:
    """(N,) how many of the records in its stratum are by the record's artist."""
    encoded = keys(artist, weigher_key).dictionary_encode()
    pair = of * len(encoded.dictionary) + encoded.indices.to_numpy()
    if len(pair) and pair.max() < 16 * len(pair):  # sorting takes longer than counting what is mostly there
        return np.asarray(np.bincount(pair)[pair])
    _, place, works = np.unique(pair, return_inverse=True, return_counts=True)
    return np.asarray(works[place])


def _draw_sizes(names: list[str], sizes: _Rows, there: _Rows, settings: Sample) -> _Rows:
    """(K,) how many records to draw from each stratum. sizes, there: (K,) its records, and those that can be drawn.

    A total is shared out by largest remainders, equal ones by chance; who has most to spare gives what others lack.
    """
    if settings.total is None:
        return np.full(len(sizes), settings.exactly or settings.at_most or np.iinfo(np.int64).max)
    if settings.total >= there.sum():
        return there
    whole, left = np.divmod(settings.total * sizes, sizes.sum())
    chances = (f"{settings.seed or 0}\t{settings.label}/share\t{name}" for name in names)
    chance = [hashlib.sha256(text.encode()).hexdigest() for text in chances]
    order = sorted(range(len(names)), key=lambda place: (-left[place], chance[place]))
    whole[order[: settings.total - whole.sum()]] += 1
    whole = np.minimum(whole, there)
    for _ in range(settings.total - int(whole.sum())):
        whole[np.argmax(there - whole)] += 1
    return np.asarray(whole)


def _check_exactly(pool: _Pool, drawn: _Rows, exactly: int) -> None:
    names = pool.strata.names
    if lacks := _lacking(pool, drawn, exactly):
        lacking = [f"{names[place]} has {drawn[place]}, {exactly - drawn[place]} too few" for place in lacks]
        raise Refusal(
            f"sample: expected exactly {exactly} records of each stratum, but {len(lacks)} of {pool.is_chosen.sum()} "
            f"have fewer: {listed(lacking, _SHOWN)}; ask for fewer, use at_most: {exactly}, or leave strata out "
            "(top, or a screen for styles)"
        )
    if len(over := np.flatnonzero(pool.is_chosen & (drawn > exactly))):
        many = listed([f"{drawn[place]} of {names[place]}" for place in over], _SHOWN)
        raise Refusal(
            f"sample: expected at most {exactly} included records in each stratum, got {many}; raise `exactly`, or "
            "include fewer"
        )


def _outcome(view: pa.Table, pool: _Pool, is_sent_back: _Mask, is_drawn: _Mask, settings: Sample) -> pa.Table:
    """SAMPLE: each undrawn record's reason, and a detail that is one for all of its stratum, or a person's word."""
    labels, of, unknown = pool.strata
    is_unknown = np.isin(of, list(unknown))
    words = [Reason.NO_STYLE, Reason.STYLE_NOT_CHOSEN, Reason.OVER_CAP, Reason.REPLACED, Reason.NOT_DRAWN]
    which = np.select(
        [~pool.is_chosen[of] & is_unknown, ~pool.is_chosen[of], pool.is_over_cap, is_sent_back], [0, 1, 2, 3], 4
    )
    kept = counts(of, len(labels), is_drawn)
    texts = [f"{label} is none of the {settings.top} largest" for label in labels]
    texts += [f"{kept[place]} of {pool.sizes[place]} of {label}" for place, label in enumerate(labels)]
    sentence = np.where(which == 1, of, of + len(labels))
    detail = pa.array(texts, pa.string()).take(pa.array(sentence, mask=is_drawn | np.isin(which, [0, 2, 3])))
    return tables.outcome(
        SAMPLE,
        view["record_id"],
        reason=pa.array([str(word) for word in words]).take(pa.array(which, mask=is_drawn)),
        detail=pc.if_else(pa.array(which == 3), view["replaced_because"].cast(pa.string()), detail),
    )


def _places_in_runs(of: _Rows) -> _Rows:
    """(N,) of rows whose equals stand together, the place of each among its equals.

    >>> _places_in_runs(np.array([4, 4, 4, 0, 7, 7])).tolist()
    [0, 1, 2, 0, 0, 1]
    """
    starts = np.flatnonzero(np.diff(of, prepend=-1))
    return np.arange(len(of)) - np.repeat(starts, np.diff(starts, append=len(of)))


def _natural_order(name: str) -> list[tuple[int, str]]:
    """Text as people order it: met:9 before met:10."""
    parts = (part.lstrip("0") if part.isdecimal() else part for part in re.split(r"(\d+)", name))
    return [(len(part), part) if place % 2 else (-1, part) for place, part in enumerate(parts)]


def _is_sent_back(view: pa.Table) -> _Mask:
    return bools(pc.is_valid(view["replaced_because"]))
