"""What has changed of the images that are in both releases, column by column, and why."""

from collections.abc import Callable, Iterator
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
    as_one_type,
    as_text,
    changes,
    differ,
    equals,
    is_in,
    is_read_anew,
    records_of_one,
    take,
)
from tasks.core.diff.presence import judged_anew
from tasks.core.diff.sides import ReleasePair, Side

KIND_OF_COLUMN = {
    "split": Kind.SPLIT,
    "group_id": Kind.GROUP,
    "image_id": Kind.ID,
    **dict.fromkeys(("sha256", "phash", "phash_recipe", "width_px", "height_px", "format"), Kind.BYTES),
    **dict.fromkeys(("rights_uri", "rights_spdx", "rights_text", "rights_basis"), Kind.RIGHTS),
}
"""The kind of a change in each column of the images table; in all others it is an attribute."""

NOT_COMPARED = frozenset({"record_id", "retrieved_at", "image", "style_label", "attribution"})
"""style_label is another wherever style is, and attribution follows from other columns."""


class Common:
    """Images in both releases. ids: of both images tables; both: (P, 2) places in these of the images in both."""

    def __init__(self, pair: ReleasePair) -> None:
        """Raises ValueError where a table has a record twice, or its records are not those that the ledger keeps."""
        self.pair, self.ids = pair, [_image_ids(side) for side in pair.sides]
        self.both = align(*self.ids).both

    def before(self, name: str) -> pa.Array:
        """(P,) a column of the older side."""
        return take(self.pair.before.images([name])[name], self.both[:, 0])

    def after(self, name: str) -> pa.Array:
        """(P,) a column of the newer side."""
        return take(self.pair.after.images([name])[name], self.both[:, 1])

    def differ(self, name: str) -> Bools:
        """(P,) whose column is another."""
        return differ(self.before(name), self.after(name))

    @cached_property
    def record_id(self) -> pa.Array:
        """(P,) whose they are."""
        return take(self.ids[1], self.both[:, 1])

    @cached_property
    def _splits(self) -> list[pa.Array]:
        return [column("split").dictionary_encode() for column in (self.before, self.after)]

    def splits(self, rows: NDArray[np.int64]) -> list[pa.Array]:
        """The splits of some of them, before and after."""
        return [column.take(pa.array(rows)).cast(pa.string()) for column in self._splits]

    @cached_property
    def has_other_file(self) -> Bools:
        """(P,) whose bytes differ."""
        return self.differ("sha256")


def _image_ids(side: Side) -> pa.Array:
    column, kept = side.images(["record_id"])["record_id"].combine_chunks(), side.kept["record_id"]
    if len(column) != len(kept) or len(pc.unique(column)) != len(column) or not is_in(column, kept).all():
        raise ValueError(f"{len(column)} images, not one of each of the {len(kept)} records that its ledger keeps")
    return column


class _ColumnChange:
    """The images of which a column differs, its values before and after, and why."""

    def __init__(self, common: Common, name: str, rows: NDArray[np.int64], before: Column, after: Column) -> None:
        self.common, self.name, self.rows = common, name, rows
        self.before, self.after = before.take(pa.array(rows)), after.take(pa.array(rows))
        self.ids = common.record_id.take(pa.array(rows))
        self.why = Explanations(len(rows))


def columns_of_both(pair: ReleasePair) -> list[str]:
    """The columns of the images table that both releases have, but those that say when, and the bytes."""
    return [name for name in pair.after.image_columns if name in pair.before.image_columns and name not in NOT_COMPARED]


def columns_of_one(pair: ReleasePair) -> tuple[list[str], list[str]]:
    """The columns that only the older, and that only the newer release has: no change of any record."""
    one, other = pair.before.image_columns, pair.after.image_columns
    return [name for name in one if name not in other], [name for name in other if name not in one]


def fields(common: Common) -> Iterator[pa.Table]:
    """CHANGES of each column."""
    for name in columns_of_both(common.pair):
        before, after = as_one_type(common.before(name), common.after(name))
        rows = np.flatnonzero(common.has_other_file if name == "sha256" else differ(before, after))
        if len(rows):
            yield _changes(_ColumnChange(common, name, rows, before, after), KIND_OF_COLUMN.get(name, Kind.ATTRIBUTE))


def _changes(changed: _ColumnChange, kind: Kind) -> pa.Table:
    pair = changed.common.pair
    if kind in _WHY:
        _WHY[kind](changed)
    if not pair.is_direct:
        changed.why.say(True, ChangeReason.PREDECESSOR)
    is_list_of_pages = changed.name == "source_urls"
    before = without_purged(pair, changed.before) if is_list_of_pages else as_text(changed.before)
    values, splits = (before, as_text(changed.after)), changed.common.splits(changed.rows)
    return changes(changed.ids, kind, changed.why, field=changed.name, values=values, splits=splits)


def _why_split(changed: _ColumnChange) -> None:
    pair = changed.common.pair
    if pair.is_drawn_afresh:
        lineage = f"lineage {pair.before.manifest.lineage} -> {pair.after.manifest.lineage}"
        detail = "; ".join(filter(None, [lineage, pair.recipes.of_words("split")]))
        changed.why.say(True, ChangeReason.SPLITS_DRAWN_AFRESH, detail)


def _why_bytes(changed: _ColumnChange) -> None:
    pair, why = changed.common.pair, changed.why
    has_other_file = changed.common.has_other_file[changed.rows]
    if "image_url" in columns_of_both(pair):
        is_moved = changed.common.differ("image_url")[changed.rows]
        why.say(has_other_file & is_moved, ChangeReason.SOURCE_FILE, "at another address")
    why.say(has_other_file, ChangeReason.SOURCE_FILE)
    why.say_cause(True, ChangeReason.SETTINGS, pair.recipes.of_words("hash", "fetch"))
    why.say_cause(True, ChangeReason.PROGRAM, "; ".join(pair.programs))
    why.say(True, ChangeReason.MEASURE)


def _why_said(changed: _ColumnChange) -> None:
    """Rights, and what is said of the work."""
    common, name, why = changed.common, changed.name, changed.why
    pair = common.pair
    sources = take(common.after("source"), changed.rows)
    for source in pc.unique(sources).drop_null().to_pylist():
        why.say_cause(equals(sources, source), ChangeReason.SETTINGS, pair.recipes.of_source(source))
    why.say_cause(True, ChangeReason.SETTINGS, pair.recipes.of_column(name))
    if name == "source_urls":
        why.say(~common.differ("source_url")[changed.rows], ChangeReason.COPIES)
    anew = is_read_anew(name, pair.before.image_columns, pair.after.image_columns, common.before, common.after)
    if not isinstance(anew, bool):
        why.say(anew[changed.rows], ChangeReason.READ_ANEW)
    bilderatlas = [text for text in pair.programs if text.startswith(("bilderatlas ", "contract "))]
    note = f"or the program reads it otherwise: {'; '.join(bilderatlas)}" if bilderatlas else ""
    why.say(True, ChangeReason.SOURCE_METADATA, note)


def _why_group(changed: _ColumnChange) -> None:
    """A group is named after the smallest of all records that are tied to each other, kept or not."""
    pair, why, ties = changed.common.pair, changed.why, _Ties(changed)
    why.say_cause(True, ChangeReason.SETTINGS, pair.recipes.of_words("dedup", "split"))
    why.say(ties.touch(judged_anew(pair)), ChangeReason.VERDICT)
    why.say(ties.touch(_declared_anew(changed)), ChangeReason.SOURCE_METADATA, "declared_group")
    stirred = _stirred(pair)
    why.say(ties.touch(pa.concat_arrays([stirred, *ties.related(stirred)])), ChangeReason.GROUP_MEMBERS)
    # a release that was amended has groups named after records that are gone, and no longer what tied them
    purged = [side.tombstones["record_id"].combine_chunks() for side in pair.sides]
    why.say(ties.touch(pa.concat_arrays(purged)), ChangeReason.GROUP_MEMBERS)
    why.say_cause(True, ChangeReason.PROGRAM, "; ".join(pair.programs))
    why.say(ties.touch(records_of_one(*ties.edges)), ChangeReason.CLUSTER)
    if any(side.manifest.amended for side in pair.sides):
        # no more can be known: the pairs of a purged record are gone with it
        why.say(True, ChangeReason.GROUP_MEMBERS, "records were purged after the release")


_WHY: dict[Kind, Callable[[_ColumnChange], None]] = {
    Kind.SPLIT: _why_split,
    Kind.GROUP: _why_group,
    Kind.BYTES: _why_bytes,
    Kind.RIGHTS: _why_said,
    Kind.ATTRIBUTE: _why_said,
}


class _Ties:
    """Which records belong to which groups, before and after."""

    def __init__(self, changed: _ColumnChange) -> None:
        self._changed, sides = changed, changed.common.pair.sides
        self._groups = [side.images(["group_id"])["group_id"].combine_chunks() for side in sides]
        self.edges = [side.relations().select(["a", "b", "relation"]) for side in sides]

    def related(self, records: pa.Array) -> list[pa.Array]:
        """Records that are related to one of these."""
        return [
            edges.filter(pa.array(is_in(edges[one], records)))[other].combine_chunks()
            for edges in self.edges
            for one, other in (("a", "b"), ("b", "a"))
        ]

    def touch(self, records: pa.Array) -> Bools:
        """(N,) whether the group of a changed row, before or after, has one of these records."""
        both = zip(self._changed.common.ids, self._groups, strict=True)
        groups = [group.filter(pa.array(is_in(ids, records))) for ids, group in both]
        names = pa.concat_arrays([records, *groups])
        return is_in(self._changed.before, names) | is_in(self._changed.after, names)


def _declared_anew(changed: _ColumnChange) -> pa.Array:
    """Of the changed records those whose source declares another group for them."""
    one, other = (side.records(changed.ids) for side in changed.common.pair.sides)
    found = align(one["record_id"], other["record_id"]).both
    is_other = differ(take(one["declared_group"], found[:, 0]), take(other["declared_group"], found[:, 1]))
    return take(other["record_id"], found[is_other, 1])


def _stirred(pair: ReleasePair) -> pa.Array:
    """Records that are new in a ledger, were dropped, came in again, or have other bytes."""
    one, other = (side.ledger for side in pair.sides)
    found = align(one["record_id"], other["record_id"])
    is_other = np.zeros(len(found.both), np.bool_)
    for name in ("kept", "reason", "sha256"):
        is_other |= differ(take(one[name], found.both[:, 0]), take(other[name], found.both[:, 1]))
    newer = np.concatenate([found.both[is_other, 1], found.only_after])
    return pa.concat_arrays([take(one["record_id"], found.only_before), take(other["record_id"], newer)])


def without_purged(pair: ReleasePair, urls: Column) -> pa.Array:
    """Lists of addresses as text, without those of records with a tombstone in the newer one, which says no more."""
    own = pair.before.records(pair.after.tombstones["record_id"].combine_chunks())["source_url"].drop_null()
    lists = whole(urls)
    if not len(own):
        return as_text(lists)
    left = pa.array(~is_in(pc.list_flatten(lists), own))
    sizes = np.bincount(pc.list_parent_indices(lists).filter(left).to_numpy(), minlength=len(lists))
    offsets = pa.array(np.concatenate([[0], np.cumsum(sizes)]), pa.int32())
    return as_text(pa.ListArray.from_arrays(offsets, pc.list_flatten(lists).filter(left)))
