"""Which images only one of two releases has, and why: by the same rules, what came was dropped or unknown before, and
what went is dropped or unknown now.
"""

from collections.abc import Collection, Mapping
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.dedup import Dedup
from schemas.diff import ChangeReason, Kind
from schemas.fetch import Fetch
from schemas.reasons import Reason
from schemas.sample import Sample
from schemas.split import Split
from schemas.tables import RECORDS
from tasks.core import tables
from tasks.core.columns import bools, whole
from tasks.core.diff.columns import (
    Bools,
    Explanations,
    align,
    as_one_type,
    changes,
    differ,
    equals,
    is_in,
    is_read_anew,
    joined,
    records_of_one,
)
from tasks.core.diff.sides import ReleasePair

_FETCH, _COPY, _DRAW, _SPLIT = Fetch.reasons, Dedup.reasons, Sample.reasons, Split.reasons
_BY_ANY = (_DRAW, _SPLIT)
"""Reasons of stages that may go by any attribute."""
_LISTING = {Reason.BAD_RECORD, Reason.BAD_ATTRIBUTE, Reason.SAME_KEY}
_STRATA = ("style", "styles", "artist", "artist_qualifier", "series", "year", "declared_group", "is_annotated")
_RELEVANT: tuple[tuple[Collection[Reason], tuple[str, ...]], ...] = (
    (_FETCH, ("locator", "image_url")),
    ({Reason.RIGHTS_NOT_OPEN}, ("rights_uri",)),
    ({Reason.STYLE_NOT_WANTED}, ("style", "styles")),
    ({Reason.TOO_FEW_FIGURES, Reason.TOO_MANY_FIGURES}, ("is_annotated",)),
    (_DRAW, _STRATA),
    (_COPY, ("title", "artist", "source_url", "date_text", "year", "rights_uri", "style", "is_annotated")),
    (_SPLIT, ("declared_group", "artist", "series")),
)
"""What sources say that decides for these reasons."""


class _Rows:
    """Images that only one release has, the ledger's rows about them in both, and why: `dropped` is the other one's."""

    def __init__(self, pair: ReleasePair, kept: pa.Table, *, is_came: bool) -> None:
        self.pair, self.kept, self.is_came = pair, kept, is_came
        self.here, self.there = (pair.after, pair.before) if is_came else (pair.before, pair.after)
        self.ids = kept["record_id"].combine_chunks()
        self.dropped = tables.lookup(self.there.ledger, "record_id", self.ids)  # null where it has none
        self.is_unlisted = bools(pc.is_null(self.dropped["record_id"]))
        is_known = pa.array(is_in(self.dropped["reason"], pa.array([str(reason) for reason in Reason])))
        self.reason = whole(pc.if_else(is_known, self.dropped["reason"], None))  # null, too, for a word nobody knows
        self.why = Explanations(len(self.ids))

    def say(self, where: Bools | bool, reason: ChangeReason, note: str = "") -> None:
        """Give a reason to those that have none yet, in the ledger's words; note: what follows them."""
        self.why.say(where, reason, lambda: joined(self.words, f"; {note}") if note else self.words)

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
    def copies(self) -> pa.Table:
        """Rows, in the ledger of `here`, of the copies for which they were dropped; null where it has none."""
        return tables.lookup(self.here.ledger, "record_id", self.dropped["kept_record_id"])

    @cached_property
    def is_turned(self) -> Bools:
        """(N,) which are what their copy is dropped for now."""
        return bools(pc.equal(self.copies["kept_record_id"], self.ids))

    @cached_property
    def _records(self) -> tuple[pa.Table, pa.Table, Bools]:
        """RECORDS before and after, null where they do not know one; (N,) which ones both know."""
        one, other = (tables.lookup(side.records(self.ids), "record_id", self.ids) for side in self.pair.sides)
        return one, other, bools(pc.and_(*(pc.is_valid(table["record_id"]) for table in (one, other))))

    @cached_property
    def metadata(self) -> dict[str, Bools]:
        """For each column of RECORDS (N,) whether it differs; where one side does not know the record it does not."""
        one, other, both = self._records
        found: dict[str, Bools] = {}
        for name in one.column_names:
            if name in other.column_names:
                found[name] = differ(*as_one_type(one[name], other[name])) & both
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


def presence(pair: ReleasePair) -> pa.Table:
    """CHANGES of the images that came, returned or went."""
    before, after = (side.kept for side in pair.sides)
    found = align(before["record_id"], after["record_id"])
    came = _Rows(pair, after.take(pa.array(found.only_after)), is_came=True)
    went = _Rows(pair, before.take(pa.array(found.only_before)), is_came=False)
    is_alone = len(came.ids) + len(went.ids) == 1
    return pa.concat_tables([_changes(rows, is_alone=is_alone) for rows in (came, went)])


def _changes(rows: _Rows, *, is_alone: bool) -> pa.Table:
    if len(rows.ids):
        _by_people(rows)
        _by_the_source(rows)
        _by_a_stage(rows)
        _by_other_records(rows, is_alone=is_alone)
        _by_the_program(rows)
    split = rows.kept["last_split"]
    if not rows.is_came:
        return changes(rows.ids, Kind.WENT, rows.why, splits=(split, None))
    was_published = pc.and_(pc.is_valid(rows.dropped["last_split"]), pc.is_null(rows.dropped["kept_record_id"]))
    kinds = pc.if_else(was_published, str(Kind.RETURNED), str(Kind.CAME))
    return changes(rows.ids, kinds, rows.why, splits=(None, split))


def _by_people(rows: _Rows) -> None:
    is_down = rows.where(Reason.TAKEN_DOWN)
    if rows.is_came:
        rows.say(is_down, ChangeReason.TAKEDOWN_WITHDRAWN)
        rows.say(rows.where(Reason.EXCLUDED, Reason.REPLACED), ChangeReason.BY_HAND)
        return
    stones, note = rows.there.tombstones, rows.dropped["detail"]
    scopes = pa.concat_tables([rows.there.scopes, stones.select(["record_id", "scope"])])
    scope = tables.lookup(scopes, "record_id", rows.ids)["scope"]
    detail = joined(pc.if_else(pc.is_valid(scope), joined(scope, ": "), ""), note)
    if rows.there.manifest.amended is not None:
        rows.why.say(is_down & is_in(rows.ids, stones["record_id"]), ChangeReason.PURGED, detail)
    rows.why.say(is_down, ChangeReason.TAKEN_DOWN, detail)
    rows.why.say(rows.where(Reason.EXCLUDED), ChangeReason.EXCLUDED, note)
    rows.why.say(rows.where(Reason.REPLACED), ChangeReason.REPLACED, note)


def _by_the_source(rows: _Rows) -> None:
    why, recipes, source = rows.why, rows.pair.recipes, rows.kept["source"]
    is_gone = rows.where(Reason.GONE)
    is_missing = rows.is_unlisted | is_gone
    if is_missing.any():
        _say_renumbered(rows, is_missing)
    for name in pc.unique(source.filter(pa.array(is_missing))).drop_null().to_pylist():
        why.say_cause(is_missing & equals(source, name), ChangeReason.SETTINGS, recipes.of_source(name))
    why.say_cause(rows.where(Reason.BAD_ATTRIBUTE), ChangeReason.SETTINGS, recipes.below("attributes"))
    why.say_cause(is_missing | rows.where(Reason.OVER_LIMIT), ChangeReason.SETTINGS, recipes.below("limit"))
    why.say(rows.is_unlisted, ChangeReason.NEW_AT_SOURCE if rows.is_came else ChangeReason.NOT_LISTED)
    why.say(is_gone, ChangeReason.BACK_AT_SOURCE if rows.is_came else ChangeReason.GONE_FROM_SOURCE)
    rows.say(rows.where(*_LISTING), ChangeReason.SOURCE_METADATA)


def _say_renumbered(rows: _Rows, is_missing: Bools) -> None:
    """Where the other release has the same file under a record_id that this one does not list."""
    book, others = rows.here.ledger, rows.there.kept.select(["record_id", "sha256"])
    others = others.filter(pa.array(is_in(others["sha256"], rows.kept["sha256"])))
    listed_here = book["record_id"].filter(pa.array(~equals(book["reason"], str(Reason.GONE))))
    others = others.filter(pa.array(~is_in(others["record_id"], listed_here)))
    other = tables.lookup(others, "sha256", rows.kept["sha256"])["record_id"]
    word = "was " if rows.is_came else "is now "
    rows.why.say(is_missing & bools(pc.is_valid(other)), ChangeReason.RENUMBERED, joined(word, other))


def _by_a_stage(rows: _Rows) -> None:
    """What concerns the record itself, at the stage that dropped it."""
    pair = rows.pair
    _say_copies(rows)
    _say_columns(rows, rows.read_anew, ChangeReason.READ_ANEW)
    if not rows.is_came:
        is_joined = rows.where(Reason.JOINED_ACROSS_SPLITS)
        rows.why.say(is_joined, ChangeReason.JOINED_ACROSS_SPLITS, rows.dropped["detail"])
    for label in sorted({*pair.recipes.orders[0 if rows.is_came else 1]}):
        at_stage = equals(rows.dropped["stage"], label)
        for word in pc.unique(rows.reason.filter(pa.array(at_stage))).drop_null().to_pylist():
            if change := pair.recipes.deciding_on(label, Reason(word)):
                rows.say(at_stage & equals(rows.reason, word), ChangeReason.SETTINGS, change)
    if pair.is_drawn_afresh:
        rows.say(rows.where(*_SPLIT), ChangeReason.SPLITS_DRAWN_AFRESH)
    rows.say(bools(pc.not_equal(rows.kept["sha256"], rows.dropped["sha256"])), ChangeReason.SOURCE_FILE)
    _say_conditions(rows)
    _say_columns(rows, rows.metadata, ChangeReason.SOURCE_METADATA)
    rows.say(rows.where(*_FETCH), ChangeReason.FETCHED_NOW if rows.is_came else ChangeReason.NOT_FETCHED)


def _say_columns(rows: _Rows, changed: Mapping[str, Bools], reason: ChangeReason) -> None:
    """Where a column that decides has changed, of those that are given."""
    for reasons, columns in _RELEVANT:
        where = rows.where(*reasons)
        attributes = [name for name in changed if name not in RECORDS.names] if reasons in _BY_ANY else []
        for column in (*columns, *attributes):
            if column in changed:
                rows.say(where & changed[column], reason, column)


def _say_conditions(rows: _Rows) -> None:
    """Where a record says something else in the column for which a condition of `where` has dropped it."""
    where = rows.where(Reason.WHERE_NOT_MET)
    for column, is_other in rows.metadata.items() if where.any() else ():
        is_it = where & bools(pc.starts_with(rows.dropped["detail"], f"{column}: "))
        if column in rows.read_anew:
            rows.say(is_it & rows.read_anew[column], ChangeReason.READ_ANEW, column)
        rows.say(is_it & is_other, ChangeReason.SOURCE_METADATA, column)


def _say_copies(rows: _Rows) -> None:
    """Where the copy for which a record was dropped does not reach that stage on the side where the record is kept."""
    where, row = rows.where(*_COPY), rows.copies
    if where.any():
        order = pa.array(rows.pair.recipes.orders[1 if rows.is_came else 0], pa.string())  # where they are kept
        places = (pc.index_in(stages, value_set=order) for stages in (row["stage"], rows.dropped["stage"]))
        place, mine = (np.asarray(pc.fill_null(found, -1)) for found in places)
        stands = bools(row["kept"]) | ((place > mine) & (place >= 0))
        why = pc.if_else(pc.is_valid(row["record_id"]), row["reason"], "not listed")
        other = joined(rows.dropped["kept_record_id"], " (", why, ")")
        reason = ChangeReason.COPY_WENT if rows.is_came else ChangeReason.COPY_CAME
        rows.why.say(where & ~stands & ~rows.is_turned, reason, other)


def _by_other_records(rows: _Rows, *, is_alone: bool) -> None:
    where = rows.where(*_COPY, *_SPLIT)
    if where.any():
        rows.say(where & is_in(rows.ids, judged_anew(rows.pair)), ChangeReason.VERDICT)
        rows.why.say(where & rows.is_turned, ChangeReason.COPY_PREFERRED, rows.dropped["kept_record_id"])
    if rows.is_came:
        rows.say(rows.where(*_SPLIT), ChangeReason.PARTNER_WENT)
    if not is_alone:
        if not (rows.is_came and rows.pair.has_other_lists):
            rows.say(rows.where(*_DRAW), ChangeReason.PLACE_FREE if rows.is_came else ChangeReason.NEWCOMERS)
        rows.say(where, ChangeReason.CLUSTER)


def judged_anew(pair: ReleasePair) -> pa.Array:
    """Records of the pairs on which people say something else in one release than in the other."""
    relations = (side.relations().select(["a", "b", "verdict"]) for side in pair.sides)
    return records_of_one(*(table.filter(pc.is_valid(table["verdict"])) for table in relations))


def _by_the_program(rows: _Rows) -> None:
    """By elimination, for what is decided from settings, records and measures alone."""
    pair = rows.pair
    if pair.has_other_lists:
        rows.say(~rows.is_unlisted, ChangeReason.BY_HAND)
    if pair.programs:
        rows.say(True, ChangeReason.PROGRAM, "; ".join(pair.programs))
    measured = {*Reason} - _FETCH - _COPY - _DRAW - _SPLIT - _LISTING - {Reason.GONE, Reason.OVER_LIMIT}
    rows.say(rows.where(*measured), ChangeReason.MEASURE)
    if not pair.is_direct:
        rows.say(True, ChangeReason.PREDECESSOR)
