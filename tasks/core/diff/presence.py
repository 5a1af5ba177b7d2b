"""Which images are in only one of two releases, and why.

Whatever came was dropped or unknown before, and whatever went is dropped or unknown now: the same rules read both ways.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.diff import ChangeReason, Kind
from schemas.reasons import FAILURES_IN_BYTES, Reason
from schemas.tables import RECORDS
from tasks.core.diff.columns import (
    Bools,
    Explanations,
    align,
    as_text,
    changes,
    differ,
    equals,
    is_in,
    is_read_anew,
    joined,
    rows_of_one,
)
from tasks.core.diff.sides import Pair, Side, source_names

_FETCH = {
    *FAILURES_IN_BYTES,
    Reason.NOT_FOUND,
    Reason.NOT_ALLOWED,
    Reason.UNREACHABLE,
    Reason.SERVER_ERROR,
    Reason.THROTTLED,
    Reason.CUT_SHORT,
    Reason.OVER_BUDGET,
    Reason.HTTP_ERROR,
    Reason.ROBOTS_DISALLOW,
    Reason.OPTED_OUT,
}
_COPY = {Reason.EXACT_DUPLICATE, Reason.NEAR_DUPLICATE}
_DRAW = {Reason.STYLE_NOT_CHOSEN, Reason.NO_STYLE, Reason.NOT_DRAWN, Reason.OVER_CAP}
_SPLIT = {Reason.JOINED_ACROSS_SPLITS, Reason.COPY_ACROSS_ROLES}
_BY_ANY = (_DRAW, _SPLIT)
"""Reasons of stages that may go by any attribute."""
_LISTING = {Reason.BAD_RECORD, Reason.BAD_ATTRIBUTE, Reason.SAME_KEY}
_STRATA = ("style", "styles", "artist", "artist_qualifier", "series", "year", "declared_group", "is_annotated")
_RELEVANT: tuple[tuple[set[Reason], tuple[str, ...]], ...] = (
    (_FETCH, ("locator", "image_url")),
    ({Reason.RIGHTS_NOT_OPEN}, ("rights_uri",)),
    ({Reason.STYLE_NOT_WANTED}, ("style", "styles")),
    ({Reason.TOO_FEW_FIGURES, Reason.TOO_MANY_FIGURES}, ("is_annotated",)),
    (_DRAW, _STRATA),
    (_COPY, ("title", "artist", "source_url", "date_text", "year", "rights_uri", "style", "is_annotated")),
    (_SPLIT, ("declared_group", "artist", "series")),
)
"""What sources say that decides for these reasons."""


@dataclass(frozen=True)
class _Rows:
    """Images that came, or that went, and the ledger's rows of both sides. here: where they are kept."""

    pair: Pair
    here: Side
    there: Side
    ids: pa.Array
    kept: pa.Table  # rows of the ledger of `here`
    dropped: pa.Table  # rows of the ledger of `there`, null where it has none
    is_came: bool

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def reason(self) -> pa.Array:
        """Reasons of the drop; null for a word that nobody knows, and where the ledger has no row."""
        known = pa.array([str(reason) for reason in Reason])
        return pc.if_else(pa.array(is_in(self.dropped["reason"], known)), self.dropped["reason"], None).combine_chunks()

    @cached_property
    def words(self) -> pa.Array:
        """The drop in the ledger's words: "too_small by shape: 63 px"."""
        detail = self.dropped["detail"]
        tail = pc.if_else(pc.is_valid(detail), pc.binary_join_element_wise(": ", detail, ""), "")
        return joined(self.dropped["reason"], " by ", self.dropped["stage"], tail)

    def where(self, *reasons: Reason) -> Bools:
        """(N,) which were dropped for one of these."""
        return is_in(self.reason, pa.array([str(reason) for reason in reasons], pa.string()))

    @cached_property
    def is_unlisted(self) -> Bools:
        """(N,) which the other ledger does not have."""
        return np.asarray(pc.is_null(self.dropped["record_id"]))

    @cached_property
    def copies(self) -> pa.Table:
        """Rows, in the ledger of `here`, of the copies for which they were dropped; null where it has none."""
        book = self.here.ledger
        return book.take(pc.index_in(self.dropped["kept_record_id"], value_set=book["record_id"].combine_chunks()))

    @cached_property
    def is_turned(self) -> Bools:
        """(N,) which are what their copy is dropped for now."""
        return np.asarray(pc.fill_null(pc.equal(self.copies["kept_record_id"], self.ids), False))

    @cached_property
    def has_other_file(self) -> Bools:
        """(N,) whose file is another one."""
        known = pc.and_(pc.is_valid(self.kept["sha256"]), pc.is_valid(self.dropped["sha256"]))
        is_other: Bools = differ(self.kept["sha256"], self.dropped["sha256"]) & np.asarray(known)
        return is_other

    @cached_property
    def _records(self) -> tuple[pa.Table, pa.Table, Bools]:
        """RECORDS before and after, null where they do not know one; (N,) which ones both know."""
        sides = (self.there, self.here) if self.is_came else (self.here, self.there)
        one, other = (side.records(self.ids) for side in sides)
        rows = [pc.index_in(self.ids, value_set=table["record_id"].combine_chunks()) for table in (one, other)]
        return one.take(rows[0]), other.take(rows[1]), np.asarray(pc.and_(*map(pc.is_valid, rows)))

    @cached_property
    def metadata(self) -> dict[str, Bools]:
        """For each column of RECORDS (N,) whether it differs; where one side does not know the record it does not."""
        one, other, both = self._records
        found: dict[str, Bools] = {}
        for name in one.column_names:
            if name not in other.column_names:
                continue
            was, now = one[name], other[name]
            if was.type != now.type:  # of an attribute that was declared anew: "3" is 3
                was, now = as_text(was), as_text(now)
            found[name] = differ(was, now) & both
        return found

    @cached_property
    def read_anew(self) -> dict[str, Bools]:
        """For each column of RECORDS (N,) whether it differs, though museum and recipe say the same."""
        one, other, _ = self._records
        return {
            name: is_other
            & is_read_anew(name, one.column_names, other.column_names, one.__getitem__, other.__getitem__)
            for name, is_other in self.metadata.items()
            if not self.pair.recipes.of_column(name)
        }

    def combinations(self) -> Iterator[tuple[str, Reason | None, Bools]]:
        """Each label of a stage and reason for which records were dropped, and which these are."""
        labels = self.pair.recipes.orders[0 if self.is_came else 1]
        for label in sorted({*labels}):
            at_stage = equals(self.dropped["stage"], label)
            if not at_stage.any():
                continue
            for word in pc.unique(self.reason.filter(pa.array(at_stage))).drop_null().to_pylist():
                yield label, Reason(word), at_stage & equals(self.reason, word)


def presence(pair: Pair) -> pa.Table:
    """CHANGES of the images that came, returned or went."""
    kept = [side.ledger.filter(side.ledger["kept"]) for side in (pair.before, pair.after)]
    found = align(kept[0]["record_id"], kept[1]["record_id"])
    came = _rows(pair, kept[1].take(pa.array(found.only_after)), is_came=True)
    went = _rows(pair, kept[0].take(pa.array(found.only_before)), is_came=False)
    is_alone = len(came) + len(went) == 1
    return pa.concat_tables([_changes(rows, is_alone=is_alone) for rows in (came, went)])


def _rows(pair: Pair, kept: pa.Table, *, is_came: bool) -> _Rows:
    here, there = (pair.after, pair.before) if is_came else (pair.before, pair.after)
    ids = kept["record_id"].combine_chunks()
    dropped = there.ledger.take(pc.index_in(ids, value_set=there.ledger["record_id"].combine_chunks()))
    return _Rows(pair, here, there, ids, kept, dropped, is_came)


def _changes(rows: _Rows, *, is_alone: bool) -> pa.Table:
    why = Explanations(len(rows))
    if len(rows):
        _by_people(rows, why)
        _by_the_source(rows, why)
        _by_a_stage(rows, why)
        _by_other_records(rows, why, is_alone=is_alone)
        _by_the_program(rows, why)
    split, nothing = rows.kept["last_split"], pa.nulls(len(rows), pa.string())
    kind = pa.repeat(str(Kind.WENT), len(rows))
    if rows.is_came:
        was_published = pc.and_(pc.is_valid(rows.dropped["last_split"]), pc.is_null(rows.dropped["kept_record_id"]))
        kind = pc.if_else(was_published, str(Kind.RETURNED), str(Kind.CAME))
    return changes(rows.ids, kind, why, splits=(nothing, split) if rows.is_came else (split, nothing))


def _by_people(rows: _Rows, why: Explanations) -> None:
    is_down = rows.where(Reason.TAKEN_DOWN)
    if rows.is_came:
        why.say(is_down, ChangeReason.TAKEDOWN_WITHDRAWN, lambda: rows.words)
        why.say(rows.where(Reason.EXCLUDED, Reason.REPLACED), ChangeReason.BY_HAND, lambda: rows.words)
        return
    stones = rows.there.tombstones
    scopes = pa.concat_tables([rows.there.scopes, stones.select(["record_id", "scope"])])
    scope = scopes["scope"].take(pc.index_in(rows.ids, value_set=scopes["record_id"].combine_chunks()))
    detail = joined(pc.if_else(pc.is_valid(scope), joined(scope, ": "), ""), rows.dropped["detail"])
    if rows.there.manifest.amended is not None:
        why.say(is_down & is_in(rows.ids, stones["record_id"]), ChangeReason.PURGED, detail)
    why.say(is_down, ChangeReason.TAKEN_DOWN, detail)
    why.say(rows.where(Reason.EXCLUDED), ChangeReason.EXCLUDED, rows.dropped["detail"])
    why.say(rows.where(Reason.REPLACED), ChangeReason.REPLACED, rows.dropped["detail"])


def _by_the_source(rows: _Rows, why: Explanations) -> None:
    is_missing = rows.is_unlisted | rows.where(Reason.GONE)
    if is_missing.any():
        _say_renumbered(rows, why, is_missing)
    for name in pc.unique(rows.kept["source"].filter(pa.array(is_missing))).to_pylist():
        if change := _source_change(rows.pair, name):
            why.say(is_missing & equals(rows.kept["source"], name), ChangeReason.SETTINGS, change)
    if declared := rows.pair.recipes.below("attributes"):
        why.say(rows.where(Reason.BAD_ATTRIBUTE), ChangeReason.SETTINGS, declared)
    limit = rows.pair.recipes.below("limit")
    if limit:
        why.say(is_missing | rows.where(Reason.OVER_LIMIT), ChangeReason.SETTINGS, limit)
    if rows.is_came:
        why.say(rows.is_unlisted, ChangeReason.NEW_AT_SOURCE)
        why.say(rows.where(Reason.GONE), ChangeReason.BACK_AT_SOURCE)
    else:
        why.say(rows.is_unlisted, ChangeReason.NOT_LISTED)
        why.say(rows.where(Reason.GONE), ChangeReason.GONE_FROM_SOURCE)
    why.say(rows.where(*_LISTING), ChangeReason.SOURCE_METADATA, lambda: rows.words)


def _say_renumbered(rows: _Rows, why: Explanations, is_missing: Bools) -> None:
    """Where the other release has the same file under a record_id that this one does not list."""
    others = rows.there.ledger.filter(rows.there.ledger["kept"]).select(["record_id", "sha256"])
    others = others.filter(pa.array(is_in(others["sha256"], rows.kept["sha256"])))
    listed_here = rows.here.ledger.filter(
        pc.fill_null(pc.not_equal(rows.here.ledger["reason"], str(Reason.GONE)), True)
    )
    others = others.filter(pc.invert(pa.array(is_in(others["record_id"], listed_here["record_id"]))))
    if others.num_rows:
        other = others["record_id"].take(pc.index_in(rows.kept["sha256"], value_set=others["sha256"].combine_chunks()))
        word = "was " if rows.is_came else "is now "
        why.say(is_missing & np.asarray(pc.is_valid(other)), ChangeReason.RENUMBERED, lambda: joined(word, other))


def _source_change(pair: Pair, name: str) -> str:
    """The change in the settings of a source; that the recipe has, or had, none of the name is one."""
    names = [source_names(side.recipe) for side in (pair.before, pair.after)]
    if name not in names[0] and name not in names[1]:
        return ""
    return pair.recipes.of_source(name)


def _by_a_stage(rows: _Rows, why: Explanations) -> None:
    """What concerns the record itself, at the stage that dropped it."""
    pair = rows.pair
    _say_copies(rows, why, ChangeReason.COPY_WENT if rows.is_came else ChangeReason.COPY_CAME)
    _say_columns(rows, why, rows.read_anew, ChangeReason.READ_ANEW)
    joins = rows.where(Reason.JOINED_ACROSS_SPLITS)
    if not rows.is_came:
        why.say(joins, ChangeReason.JOINED_ACROSS_SPLITS, rows.dropped["detail"])
    for label, reason, where in rows.combinations():
        if change := pair.recipes.deciding_on(label, reason):
            why.say(where, ChangeReason.SETTINGS, joined(rows.words, f"; {change}"))
    if pair.is_drawn_afresh:
        why.say(rows.where(*_SPLIT), ChangeReason.SPLITS_DRAWN_AFRESH, lambda: rows.words)
    why.say(rows.has_other_file, ChangeReason.SOURCE_FILE, lambda: rows.words)
    _say_metadata(rows, why)
    fetched = ChangeReason.FETCHED_NOW if rows.is_came else ChangeReason.NOT_FETCHED
    why.say(rows.where(*_FETCH), fetched, lambda: rows.words)


def _say_metadata(rows: _Rows, why: Explanations) -> None:
    _say_conditions(rows, why)
    _say_columns(rows, why, rows.metadata, ChangeReason.SOURCE_METADATA)


def _say_columns(rows: _Rows, why: Explanations, changed: Mapping[str, Bools], reason: ChangeReason) -> None:
    """Where a column that decides has changed, of those that are given."""
    for reasons, columns in _RELEVANT:
        where = rows.where(*reasons)
        if not where.any():
            continue
        attributes = [name for name in changed if name not in RECORDS.names] if reasons in _BY_ANY else []
        for column in (*columns, *attributes):
            if column in changed and (where & changed[column]).any():
                why.say(where & changed[column], reason, joined(rows.words, f"; {column}"))


def _say_conditions(rows: _Rows, why: Explanations) -> None:
    """Where a record says something else in the column for which a condition of `where` has dropped it."""
    where = rows.where(Reason.WHERE_NOT_MET)
    for column, is_other in rows.metadata.items() if where.any() else ():
        is_it = np.asarray(pc.fill_null(pc.starts_with(rows.dropped["detail"], f"{column}: "), False))
        if column in rows.read_anew:
            why.say(where & is_it & rows.read_anew[column], ChangeReason.READ_ANEW, joined(rows.words, f"; {column}"))
        why.say(where & is_it & is_other, ChangeReason.SOURCE_METADATA, joined(rows.words, f"; {column}"))


def _say_copies(rows: _Rows, why: Explanations, reason: ChangeReason) -> None:
    """Where the copy for which a record was dropped does not reach that stage on the side where the record is kept."""
    where = rows.where(*_COPY)
    if where.any():
        other = joined(rows.dropped["kept_record_id"], _and_why(rows.copies))
        why.say(where & ~_copy_stands(rows) & ~rows.is_turned, reason, other)


def _copy_stands(rows: _Rows) -> Bools:
    """(N,) whether the copy passes the stage that dropped the record, on the side where the record is kept."""
    order = rows.pair.recipes.orders[1 if rows.is_came else 0]
    place = _places(rows.copies["stage"], order)
    is_later = (place > _places(rows.dropped["stage"], order)) & (place >= 0)
    return np.asarray(pc.fill_null(rows.copies["kept"], False)) | is_later


def _places(labels: pa.ChunkedArray, order: list[str]) -> NDArray[np.int64]:
    return np.asarray(pc.fill_null(pc.index_in(labels, value_set=pa.array(order, pa.string())), -1)).astype(np.int64)


def _and_why(row: pa.Table) -> pa.Array:
    """Why a copy is not there: " (gone)", or " (not listed)"."""
    why = pc.if_else(pc.is_valid(row["record_id"]), row["reason"], "not listed")
    return joined(" (", why, ")")


def _by_other_records(rows: _Rows, why: Explanations, *, is_alone: bool) -> None:
    where = rows.where(*_COPY, *_SPLIT)
    if where.any():
        _say_verdicts(rows, why, where)
        why.say(where & rows.is_turned, ChangeReason.COPY_PREFERRED, rows.dropped["kept_record_id"])
    if rows.is_came:
        why.say(rows.where(*_SPLIT), ChangeReason.PARTNER_WENT, lambda: rows.words)
    if not is_alone:
        drawn = ChangeReason.PLACE_FREE if rows.is_came else ChangeReason.NEWCOMERS
        if not (rows.is_came and rows.pair.has_other_lists):
            why.say(rows.where(*_DRAW), drawn, lambda: rows.words)
        why.say(where, ChangeReason.CLUSTER, lambda: rows.words)


def _say_verdicts(rows: _Rows, why: Explanations, where: Bools) -> None:
    changed = verdicts_changed(rows.pair)
    if changed.num_rows:
        of_record = is_in(rows.ids, pa.concat_arrays([changed["a"].combine_chunks(), changed["b"].combine_chunks()]))
        why.say(where & of_record, ChangeReason.VERDICT, lambda: rows.words)


def verdicts_changed(pair: Pair) -> pa.Table:
    """a, b of the pairs of records on which people say something else in one release than in the other."""
    sides = [side.relations().select(["a", "b", "verdict"]) for side in (pair.before, pair.after)]
    sides = [table.filter(pc.is_valid(table["verdict"])) for table in sides]
    return rows_of_one(*sides).select(["a", "b"])


def _by_the_program(rows: _Rows, why: Explanations) -> None:
    """By elimination, for what is decided from settings, records and measures alone."""
    pair = rows.pair
    if pair.has_other_lists:
        why.say(~rows.is_unlisted, ChangeReason.BY_HAND, lambda: rows.words)
    everything = np.ones(len(rows), np.bool_)
    if pair.programs:
        why.say(everything, ChangeReason.PROGRAM, joined(rows.words, "; " + "; ".join(pair.programs)))
    measured = {*Reason} - _FETCH - _COPY - _DRAW - _SPLIT - _LISTING - {Reason.GONE, Reason.OVER_LIMIT}
    why.say(rows.where(*measured), ChangeReason.MEASURE, lambda: rows.words)
    if not pair.is_direct:
        why.say(everything, ChangeReason.PREDECESSOR, lambda: rows.words)


def same_images(pair: Pair) -> tuple[pa.Array, pa.Array, NDArray[np.int64]]:
    """record_ids of both images tables, and (P, 2) places of those that are in both.

    Raises ValueError where a table has a record twice, or its records are not those that the ledger keeps.
    """
    ids = []
    for side in (pair.before, pair.after):
        column = side.images(["record_id"])["record_id"].combine_chunks()
        kept = side.ledger.filter(side.ledger["kept"])["record_id"]
        if len(column) != len(kept) or len(pc.unique(column)) != len(column) or not is_in(column, kept).all():
            raise ValueError(f"{len(column)} images, not one of each of the {len(kept)} records that its ledger keeps")
        ids.append(column)
    return ids[0], ids[1], align(*ids).both
