"""What has changed of the images that are in both releases, column by column, and why."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.diff import ChangeReason, Kind
from tasks.core.columns import Column, whole
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
    rows_of_one,
    take,
)
from tasks.core.diff.presence import verdicts_changed
from tasks.core.diff.sides import Pair

KIND_OF_COLUMN = {
    "split": Kind.SPLIT,
    "group_id": Kind.GROUP,
    "image_id": Kind.ID,
    **dict.fromkeys(("sha256", "phash", "phash_recipe", "width_px", "height_px", "format"), Kind.BYTES),
    **dict.fromkeys(("rights_uri", "rights_spdx", "rights_text", "rights_basis"), Kind.RIGHTS),
}
"""The kind of a change in each column of the images table; in all others it is an attribute."""

NOT_COMPARED = frozenset({"record_id", "retrieved_at", "image"})


@dataclass(frozen=True)
class Common:
    """Images in both releases. ids: of both images tables; both: (P, 2) places in these of the images in both."""

    pair: Pair
    ids: tuple[pa.Array, pa.Array]
    both: NDArray[np.int64]

    def column(self, name: str) -> tuple[pa.Array, pa.Array]:
        """(P,) a column before and after."""
        return self.before(name), self.after(name)

    def before(self, name: str) -> pa.Array:
        """(P,) a column of the older side."""
        return take(self.pair.before.images([name])[name], self.both[:, 0])

    def after(self, name: str) -> pa.Array:
        """(P,) a column of the newer side."""
        return take(self.pair.after.images([name])[name], self.both[:, 1])

    @cached_property
    def record_id(self) -> pa.Array:
        """(P,) whose they are."""
        return take(self.ids[1], self.both[:, 1])

    @cached_property
    def splits(self) -> tuple[pa.Array, pa.Array]:
        """(P,) split before and after."""
        one, other = (column.dictionary_encode() for column in self.column("split"))
        return one, other

    @cached_property
    def has_other_file(self) -> Bools:
        """(P,) whose bytes differ."""
        return differ(*self.column("sha256"))


@dataclass(frozen=True)
class _ColumnChange:
    common: Common
    name: str
    rows: NDArray[np.int64]
    before: pa.Array
    after: pa.Array

    @property
    def ids(self) -> pa.Array:
        return self.common.record_id.take(pa.array(self.rows))

    def everywhere(self) -> Bools:
        return np.ones(len(self.rows), np.bool_)


def columns_of_both(pair: Pair) -> list[str]:
    """The columns of the images table that both releases have, but those that say when, and the bytes."""
    return [name for name in pair.after.image_columns if name in pair.before.image_columns and name not in NOT_COMPARED]


def columns_of_one(pair: Pair) -> tuple[list[str], list[str]]:
    """The columns that only the older, and that only the newer release has: no change of any record."""
    one, other = pair.before.image_columns, pair.after.image_columns
    return [name for name in one if name not in other], [name for name in other if name not in one]


def fields(common: Common) -> Iterator[pa.Table]:
    """CHANGES of each column."""
    for name in columns_of_both(common.pair):
        before, after = common.column(name)
        if before.type != after.type:  # of an attribute that was declared anew: "3" is 3
            before, after = as_text(before), as_text(after)
        rows = np.flatnonzero(common.has_other_file if name == "sha256" else differ(before, after))
        if len(rows):
            places = pa.array(rows)
            changed = _ColumnChange(common, name, rows, before.take(places), after.take(places))
            yield _changes(changed, KIND_OF_COLUMN.get(name, Kind.ATTRIBUTE))


def _changes(changed: _ColumnChange, kind: Kind) -> pa.Table:
    why = Explanations(len(changed.rows))
    before, after = as_text(changed.before), as_text(changed.after)
    if kind is Kind.SPLIT:
        _why_split(changed, why)
    elif kind is Kind.GROUP:
        _why_group(changed, why)
    elif kind is Kind.BYTES:
        _why_bytes(changed, why)
    elif kind in {Kind.RIGHTS, Kind.ATTRIBUTE}:
        _why_said(changed, why)
        if changed.name == "source_urls":
            before = without_purged(changed.common.pair, changed.before)
    if not changed.common.pair.is_direct:
        why.say(changed.everywhere(), ChangeReason.PREDECESSOR)
    splits = tuple(column.take(pa.array(changed.rows)).cast(pa.string()) for column in changed.common.splits)
    return changes(changed.ids, kind, why, field=changed.name, values=(before, after), splits=(splits[0], splits[1]))


def _why_split(changed: _ColumnChange, why: Explanations) -> None:
    pair = changed.common.pair
    if pair.is_drawn_afresh:
        one, other = pair.before.manifest, pair.after.manifest
        lineage = f"lineage {one.lineage} -> {other.lineage}"
        settings = pair.recipes.of_words("split")
        why.say(
            changed.everywhere(), ChangeReason.SPLITS_DRAWN_AFRESH, f"{lineage}; {settings}" if settings else lineage
        )


def _why_bytes(changed: _ColumnChange, why: Explanations) -> None:
    pair = changed.common.pair
    if "image_url" in columns_of_both(pair):
        is_moved = differ(*changed.common.column("image_url"))[changed.rows]
        where = changed.common.has_other_file[changed.rows]
        why.say(where & is_moved, ChangeReason.SOURCE_FILE, "at another address")
    why.say(changed.common.has_other_file[changed.rows], ChangeReason.SOURCE_FILE)
    if settings := pair.recipes.of_words("hash", "fetch"):
        why.say(changed.everywhere(), ChangeReason.SETTINGS, settings)
    if pair.programs:
        why.say(changed.everywhere(), ChangeReason.PROGRAM, "; ".join(pair.programs))
    why.say(changed.everywhere(), ChangeReason.MEASURE)


def _why_said(changed: _ColumnChange, why: Explanations) -> None:
    """Rights, and what is said of the work."""
    pair, name = changed.common.pair, changed.name
    sources = take(changed.common.column("source")[1], changed.rows)
    for source in pc.unique(sources).to_pylist():
        if settings := pair.recipes.of_source(source):
            why.say(equals(sources, source), ChangeReason.SETTINGS, settings)
    if settings := pair.recipes.of_column(name):
        why.say(changed.everywhere(), ChangeReason.SETTINGS, settings)
    if name == "source_urls":
        is_own = differ(*changed.common.column("source_url"))[changed.rows]
        why.say(~is_own, ChangeReason.COPIES)
    common = changed.common
    anew = is_read_anew(name, pair.before.image_columns, pair.after.image_columns, common.before, common.after)
    if not isinstance(anew, bool):
        why.say(anew[changed.rows], ChangeReason.READ_ANEW)
    bilderatlas = [text for text in pair.programs if text.startswith(("bilderatlas ", "contract "))]
    note = f"or the program reads it otherwise: {'; '.join(bilderatlas)}" if bilderatlas else ""
    why.say(changed.everywhere(), ChangeReason.SOURCE_METADATA, note)


def _why_group(changed: _ColumnChange, why: Explanations) -> None:
    """A group is named after the smallest of all records that are tied to each other, kept or not."""
    pair = changed.common.pair
    if settings := pair.recipes.of_words("dedup", "split"):
        why.say(changed.everywhere(), ChangeReason.SETTINGS, settings)
    ties = _Ties(changed.common)
    verdicts = verdicts_changed(pair)
    judged = pa.concat_arrays([verdicts["a"].combine_chunks(), verdicts["b"].combine_chunks()])
    why.say(ties.touch(changed, judged, is_wide=False), ChangeReason.VERDICT)
    why.say(ties.touch(changed, _declared_anew(changed), is_wide=False), ChangeReason.SOURCE_METADATA, "declared_group")
    why.say(ties.touch(changed, _stirred(pair), is_wide=True), ChangeReason.GROUP_MEMBERS)
    # a release that was amended has groups named after records that are gone, and no longer what tied them
    purged = [side.tombstones["record_id"].combine_chunks() for side in (pair.before, pair.after)]
    why.say(ties.touch(changed, pa.concat_arrays(purged), is_wide=False), ChangeReason.GROUP_MEMBERS)
    if pair.programs:
        why.say(changed.everywhere(), ChangeReason.PROGRAM, "; ".join(pair.programs))
    why.say(ties.touch(changed, ties.related_anew, is_wide=False), ChangeReason.CLUSTER)
    if pair.before.manifest.amended or pair.after.manifest.amended:
        # no more can be known: the pairs of a purged record are gone with it
        why.say(changed.everywhere(), ChangeReason.GROUP_MEMBERS, "records were purged after the release")


class _Ties:
    """Which records belong to which groups, before and after."""

    def __init__(self, common: Common) -> None:
        self._common = common
        self._groups = [
            (ids, side.images(["group_id"])["group_id"].combine_chunks())
            for ids, side in zip(common.ids, (common.pair.before, common.pair.after), strict=True)
        ]

    @cached_property
    def _edges(self) -> list[pa.Table]:
        return [
            side.relations().select(["a", "b", "relation"])
            for side in (self._common.pair.before, self._common.pair.after)
        ]

    @cached_property
    def related_anew(self) -> pa.Array:
        """Records of the pairs that only one release has, or that are something else to each other."""
        found = rows_of_one(*self._edges)
        return pa.concat_arrays([found[name].combine_chunks() for name in ("a", "b")])

    def touch(self, changed: _ColumnChange, records: pa.Array, *, is_wide: bool) -> Bools:
        """(N,) whether the group of a changed row, before or after, has one of these records.

        is_wide: or one that is related to one of them.
        """
        if not len(records):
            return np.zeros(len(changed.rows), np.bool_)
        if is_wide:
            near = [
                edges.filter(pa.array(is_in(edges[one], records)))[other].combine_chunks()
                for edges in self._edges
                for one, other in (("a", "b"), ("b", "a"))
            ]
            records = pa.concat_arrays([records, *near])
        groups = [group.filter(pa.array(is_in(ids, records))) for ids, group in self._groups]
        names = pa.concat_arrays([records, *groups])
        return is_in(changed.before, names) | is_in(changed.after, names)


def _declared_anew(changed: _ColumnChange) -> pa.Array:
    """Of the changed records those whose source declares another group for them."""
    one, other = (side.records(changed.ids) for side in (changed.common.pair.before, changed.common.pair.after))
    found = align(one["record_id"], other["record_id"]).both
    is_other = differ(take(one["declared_group"], found[:, 0]), take(other["declared_group"], found[:, 1]))
    return take(other["record_id"], found[:, 1]).filter(pa.array(is_other))


def _stirred(pair: Pair) -> pa.Array:
    """Records that are new in a ledger, were dropped, came in again, or have other bytes."""
    one, other = pair.before.ledger, pair.after.ledger
    found = align(one["record_id"], other["record_id"])
    is_other = np.zeros(len(found.both), np.bool_)
    for name in ("kept", "reason", "sha256"):
        is_other |= differ(take(one[name], found.both[:, 0]), take(other[name], found.both[:, 1]))
    return pa.concat_arrays(
        [
            take(other["record_id"], found.both[is_other, 1]),
            take(one["record_id"], found.only_before),
            take(other["record_id"], found.only_after),
        ]
    )


def without_purged(pair: Pair, urls: Column) -> pa.Array:
    """Lists of addresses as text, without those of records that have a tombstone in the newer release: it reveals
    no more of them than that.
    """
    own = pair.before.records(pair.after.tombstones["record_id"].combine_chunks())["source_url"].drop_null()
    lists = whole(urls)
    if not len(own):
        return as_text(lists)
    left = ~is_in(pc.list_flatten(lists), own)
    rows = pc.list_parent_indices(lists).filter(pa.array(left)).to_numpy()
    sizes = np.bincount(rows, minlength=len(lists))
    offsets = pa.array(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32))
    return as_text(pa.ListArray.from_arrays(offsets, pc.list_flatten(lists).filter(pa.array(left))))
