"""Which split each record is in: what is published stays, groups come next, single images fill what is lacking."""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.phrases import counted, listed, quoted
from schemas.reasons import Reason
from schemas.split import HELD_OUT, SPLITS, Split
from schemas.tables import SPLIT
from tasks.core import tables
from tasks.core.columns import Column, bools, whole
from tasks.core.names.spellings import SpelledName, joined_names, key_of_column, keys
from tasks.core.split import units
from tasks.core.split.deal import deal
from tasks.core.strata import columns_by

COLUMNS = ("record_id", "is_kept", "published", "figures")
"""What a view has besides the columns of `by` (`stratum_column`); any number of bonds, named `copies...`, `declared`
or `together...` (`bond_column`), each a word or a list of words; with roles also `role`, with `keep` also `keep`: the
split that its source gives a record."""

_COPIES, _BONDS = ("copies",), ("copies", "declared", "together")
_SPELLED = "; spellings of one name: "
_MOST_LISTED = 5

_JOINED = str(Reason.JOINED_ACROSS_SPLITS)
_NOT_HELD_OUT = f"not held out, its group in {HELD_OUT}"
_Ints = NDArray[np.int64]
_Mask = NDArray[np.bool_]


def bond_column(field: str) -> str:
    """What a view calls the column of a field of `together`."""
    return f"together.{field}"


def name_columns(settings: Split) -> list[str]:
    """The columns of a view in which spellings of one name are one."""
    return [*columns_by(settings.by), *map(bond_column, settings.together)]


def decide(view: pa.Table, settings: Split) -> pa.Table:
    """SPLIT outcome of the kept records of a view with COLUMNS, in their order.

    view: record_id unique; is_kept false for what earlier stages dropped as a copy, whose published split still counts;
    published: the split in which a record was last published, null if in none. Records that share a word of a bond are
    one unit, and ties chain; a unit never parts. Its images and its figures are summed. In bonds of `together`
    spellings of one name are one word (`names.spellings`).

    A unit lies where any of it was published, in the split of the highest rank (train < val < test < ood); records that
    were published in another are dropped: nothing that is published moves. Then units of several images, then single
    images are dealt (`deal`), so that all come as near to the ratios as they can, stratum by stratum.

    With `keep` a unit that was never published lies where its source has any of it, in the split of the highest rank;
    records that it has in another one are dropped, too. The ratios apply to the other units alone. What is held out
    lies in `ood`, the highest of all, and nothing else does: of its units the other records are dropped.

    With roles the gallery lies in train. A query that a `copies` bond ties to an image of the gallery is dropped; all
    other bonds tie within a role only. Empty in, empty out; the order of rows changes nothing else.
    """
    outcome = _decide(view, settings)
    return _with_spellings(view, outcome, settings) if _moved(outcome).any() else outcome


def joined_across_splits_note(label: str, outcome: pa.Table) -> Iterator[str]:
    """A sentence on images that are dropped since their groups lie in another split; none where there are none."""
    moved = outcome.filter(pa.array(_moved(outcome)))
    if not moved.num_rows:
        return
    spelled = joined_by_spelling(moved)
    why = f", {spelled} of them only because spellings of one name count as one" if spelled else ""
    rows = zip(moved["record_id"].to_pylist(), moved["detail"].to_pylist(), strict=True)
    few = listed([f"{name} ({detail.partition(_SPELLED)[0]})" for name, detail in rows], _MOST_LISTED, "; ")
    images = f"{counted(moved.num_rows, 'image')} {'is' if moved.num_rows == 1 else 'are'}"
    yield (
        f"{label}: {images} dropped as {_JOINED}, since their groups lie in another split{why}: {few}; the ledger has "
        "them all"
    )


def joined_by_spelling(outcome: pa.Table) -> int:
    """How many records are dropped only since spellings of one name are one. outcome: rows of SPLIT."""
    return pc.sum(pc.match_substring(outcome["detail"], _SPELLED)).as_py() or 0


def _decide(view: pa.Table, settings: Split) -> pa.Table:
    return _with_roles(view, settings) if settings.roles else _one_role(view, settings)


def _moved(outcome: pa.Table) -> _Mask:
    return bools(pc.equal(outcome["reason"], _JOINED))


def _with_spellings(view: pa.Table, outcome: pa.Table, settings: Split) -> pa.Table:
    """The outcome; where only spellings of one name have joined a record across splits, its detail names them."""
    bonds = [name for name in view.column_names if name.startswith(bond_column(""))]
    if not (joined := {bond: names for bond in bonds if (names := joined_names(view, [bond]))}):
        return outcome
    # a column of another name is no column of names: to the letter
    to_the_letter = [name.replace(".", "_") if name in bonds else name for name in view.column_names]
    alone = pc.is_null(_decide(view.rename_columns(to_the_letter), settings)["reason"])
    rows = np.flatnonzero(_moved(outcome) & bools(alone))
    places = pc.index_in(outcome["record_id"].take(pa.array(rows)), value_set=whole(view["record_id"]))
    details = outcome["detail"].to_pylist()
    for row, said in zip(rows.tolist(), view.select([*joined]).take(places).to_pylist(), strict=True):
        named = [spelled for bond, names in joined.items() for spelled in _spellings_of(said[bond], bond, names)]
        details[row] += _SPELLED + (listed(named, _MOST_LISTED, "; ") or "those of others in its group")
    return tables.with_columns(outcome, {"detail": pa.array(details, pa.string())})


def _spellings_of(words: str | list[str] | None, bond: str, names: Sequence[SpelledName]) -> Iterator[str]:
    """Of a record's own words in a bond, the spellings of those that have several."""
    key = key_of_column(bond)
    mine = {key(word) for word in ([words] if isinstance(words, str) else words or ())}
    for name in names:
        if key(name.text) in mine:
            yield f"{name.field} {', '.join(quoted(text) for text, _ in name.spellings)}"


def is_settled(view: pa.Table, settings: Split) -> bool:
    """Whether all kept records lie where they were published, or where their role or source has them."""
    if settings.roles:
        view = view.filter(pc.equal(view["role"], "query"))
    unit = units.units_of(view["record_id"], _bonds(view))
    _, current_split = units.settled_splits(unit, view["published"], _keep(view))
    return not np.any(bools(view["is_kept"]) & (current_split < 0))


def is_dealt(view: pa.Table, settings: Split) -> _Mask:
    """(K,) whether the ratios apply to each kept record: not to a gallery, nor to units with a split of their own."""
    dealt = np.ones(view.num_rows, np.bool_)
    if settings.roles:
        dealt = bools(pc.fill_null(pc.not_equal(view["role"], "gallery"), True))
    if _keep(view) is not None:
        mine = view.filter(pa.array(dealt))
        dealt[dealt] = ~_is_fixed(mine, units.units_of(mine["record_id"], _bonds(mine)), settings)
    return dealt[bools(view["is_kept"])]


def _one_role(view: pa.Table, settings: Split) -> pa.Table:
    is_kept, published = bools(view["is_kept"]), view["published"]
    unit = units.units_of(view["record_id"], _bonds(view))
    mine, split = units.settled_splits(unit, published, _keep(view))
    moves = (split >= 0) & (mine != split) & ((mine >= 0) | (split == SPLITS.index(HELD_OUT)))
    new = is_kept & (split < 0)
    if settings.ratios is None:
        units.check_complete(settings.label, view["record_id"], new, settings.keep or "")
    if np.any(new):
        dealt = is_kept & ~moves & ~_is_fixed(view, unit, settings)
        split[dealt] = deal(_rows_where(view, dealt), unit[dealt], split[dealt], settings)
    reason = detail = pa.array([_JOINED]).take(pa.array(np.zeros(len(unit), np.int8), mask=~moves))
    if moves.any():
        why = pc.if_else(pc.is_valid(published), "published", "kept")
        words = (why, " in ", units.names_of(mine), ", its group in ", units.names_of(split), "")
        said = pc.if_else(pa.array(mine >= 0), pc.binary_join_element_wise(*words), _NOT_HELD_OUT)
        detail = pc.if_else(pa.array(moves), said, None)
    names, lies_in = view["record_id"], units.names_of(np.where(moves, np.int8(-1), split))
    group = units.take_rows(names, unit)
    outcome = tables.outcome(SPLIT, names, group_id=group, split=lies_in, reason=reason, detail=detail)
    return _rows_where(outcome, is_kept)


def _with_roles(view: pa.Table, settings: Split) -> pa.Table:
    """The gallery in train, queries by the ratios, without those that are copies of its images."""
    everyone = view["record_id"].filter(view["is_kept"])
    view, elsewhere = _without_other_roles(view, settings)
    is_query, is_kept = bools(pc.equal(view["role"], "query")), bools(view["is_kept"])
    copy = units.units_of(view["record_id"], _bonds(view, _COPIES))
    has_gallery_image = np.zeros(view.num_rows, np.bool_)
    has_gallery_image[copy[~is_query & is_kept]] = True
    is_copy = is_query & has_gallery_image[copy] & is_kept
    queries = tables.with_columns(view, {"is_kept": pa.array(is_kept & ~is_copy)}).filter(pa.array(is_query))
    gallery = view.filter(pa.array(~is_query & is_kept))
    if (keep := _keep(gallery)) is not None:
        units.check_gallery(settings.label, gallery["record_id"], keep)
    shown, copies = gallery["record_id"], view["record_id"].filter(pa.array(is_copy))
    group, train = shown.take(pa.array(units.units_of(shown, _bonds(gallery)))), pa.repeat("train", len(shown))
    reason = pa.repeat(str(Reason.COPY_ACROSS_ROLES), len(copies))
    parts = [
        _one_role(queries, settings),
        tables.outcome(SPLIT, copies, group_id=copies, reason=reason),
        tables.outcome(SPLIT, shown, group_id=group, split=train),
        elsewhere,
    ]
    outcome = pa.concat_tables(parts)
    return outcome.take(pc.index_in(everyone, value_set=outcome["record_id"]))


def _without_other_roles(view: pa.Table, settings: Split) -> tuple[pa.Table, pa.Table]:
    """The view without what was published in a split that its role of today does not have; and SPLIT of that."""
    published, is_query = view["published"], pc.equal(view["role"], "query")
    allowed = pa.array(settings.splits_of_queries)
    fits = pc.if_else(is_query, pc.is_in(published, value_set=allowed), pc.equal(published, "train"))
    is_elsewhere = pc.and_not(pc.is_valid(published), pc.fill_null(fits, False))
    gone = view.filter(pc.and_(is_elsewhere, view["is_kept"]))
    reason = pa.repeat(_JOINED, gone.num_rows)
    detail = pc.binary_join_element_wise("published in ", gone["published"], ", where no ", gone["role"], " is", "")
    names = gone["record_id"]
    dropped = tables.outcome(SPLIT, names, group_id=names, reason=reason, detail=detail)
    stays = pc.and_(view["is_kept"], pc.invert(is_elsewhere))
    published = pc.if_else(is_elsewhere, pa.scalar(None, pa.string()), published)
    return tables.with_columns(view, {"is_kept": stays, "published": published}), dropped


def _keep(view: pa.Table) -> pa.ChunkedArray | None:
    return view["keep"] if "keep" in view.column_names else None


def _is_fixed(view: pa.Table, unit: _Ints, settings: Split) -> _Mask:
    """(N,) whether the ratios do not apply to a row: a source has a split for its unit, or had, when it was published
    in a split that the ratios do not have.
    """
    if (keep := _keep(view)) is None:
        return np.zeros(len(unit), np.bool_)
    current_split = units.published_of(unit, view["published"])
    has_seat = np.isin(current_split, [SPLITS.index(name) for name in settings.seats])
    return (units.published_of(unit, keep) >= 0) | ((current_split >= 0) & ~has_seat)


def _bonds(view: pa.Table, kinds: tuple[str, ...] = _BONDS) -> list[Column]:
    return [keys(view[name], key_of_column(name)) for name in view.column_names if name.startswith(kinds)]


def _rows_where(table: pa.Table, mask: _Mask) -> pa.Table:
    """The table's rows that are true; not copied if all are."""
    return table if mask.all() else table.filter(pa.array(mask))
