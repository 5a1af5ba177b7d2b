"""Which boxes of the images in both releases came, went or changed, and why."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.diff import ChangeReason, Kind
from schemas.phrases import listed, quoted_name
from tasks.core.diff.columns import Bools, Explanations, align, changes, differ, equals, joined, take
from tasks.core.diff.fields import Common
from tasks.core.diff.sides import Side

_COMPARED = ("record_id", "category_id", "xywh_px", "is_crowd", "keypoints_xyv", "score", "origin", "origin_name")
"""What a box is. Its id follows from these, its split and its area from others."""
_SAID = ("source_area_px2", "segmentation", "source_coco")
"""What else its source says of it."""
_CAME, _WENT, _CHANGED = range(3)
_MOST_NAMES = 3


def boxes(common: Common) -> Iterator[pa.Table]:
    """CHANGES, one row for each image and origin of which any box differs.

    before, after: how many boxes it has; detail: how many came, went and changed. A box that went and one that came of
    one category count as one that changed.

    Raises ValueError where an annotation_id stands twice.
    """
    sides = (common.pair.before, common.pair.after)
    found = align(*(_ids(side) for side in sides))
    is_other = _is_other(sides, found.both)
    rows = [
        np.concatenate([found.only_before, found.both[is_other, 0]]),
        np.concatenate([found.only_after, found.both[is_other, 1]]),
    ]
    if not any(map(len, rows)):
        return
    counts = _Counts(common, [_table(side, places) for side, places in zip(sides, rows, strict=True)])
    for origin in counts.origins():
        if (table := _changes(common, counts, origin)) is not None:
            yield table


def _ids(side: Side) -> pa.Array:
    column = side.annotations(["annotation_id"])["annotation_id"].combine_chunks()
    if len(pc.unique(column)) != len(column):
        raise ValueError("an annotation_id that stands twice")
    return column


def _is_other(sides: tuple[Side, Side], both: NDArray[np.int64]) -> Bools:
    """(P,) whether boxes of one id differ all the same."""
    found = np.zeros(len(both), np.bool_)
    said = [name for name in _SAID if all(name in side.annotation_columns for side in sides)]
    for name in (*_COMPARED, *said):
        one, other = (take(side.annotations([name])[name], both[:, place]) for place, side in enumerate(sides))
        found |= differ(one, other)
    return found


def _table(side: Side, rows: NDArray[np.int64]) -> pa.Table:
    names = ("record_id", "category_id", "origin", "origin_name")
    return pa.table({name: take(side.annotations([name])[name], rows) for name in names})


class _Counts:
    """Boxes by image and origin. sides: those that differ, before and after."""

    def __init__(self, common: Common, sides: list[pa.Table]) -> None:
        self._common, self.sides = common, sides

    def origins(self) -> list[str]:
        """The origins of boxes that differ; hostile ones too."""
        return sorted({*self.sides[0]["origin"].unique().to_pylist(), *self.sides[1]["origin"].unique().to_pylist()})

    def detectors(self) -> str:
        """The detectors before and after, if they are others; empty where one release has none of the boxes."""
        mine = [side.filter(pa.array(equals(side["origin"], "detector"))) for side in self.sides]
        before, after = (sorted(side["origin_name"].unique().to_pylist()) for side in mine)
        if not before or not after or before == after:
            return ""
        return " -> ".join(listed([*map(quoted_name, names)], _MOST_NAMES) for names in (before, after))

    def differing(self, origin: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(N,) places in `common` of images with other boxes of an origin, and (N, 3) how many came, went, changed."""
        places, kinds = [], []
        for kind, table in ((_WENT, self.sides[0]), (_CAME, self.sides[1])):
            mine = table.filter(pa.array(equals(table["origin"], origin)))
            at = pc.index_in(mine["record_id"], value_set=self._common.record_id)
            is_common = pc.is_valid(at)
            places.append(
                np.stack(
                    [
                        np.asarray(at.filter(is_common)).astype(np.int64),
                        np.asarray(mine["category_id"].filter(is_common)).astype(np.int64),
                    ],
                    axis=1,
                )
            )
            kinds.append(np.full(len(places[-1]), kind))
        keys, inverse = np.unique(np.concatenate(places), axis=0, return_inverse=True)
        by_category = np.zeros((len(keys), 3), np.int64)
        np.add.at(by_category, (inverse.reshape(-1), np.concatenate(kinds)), 1)
        changed = by_category[:, :2].min(axis=1)
        by_category -= changed[:, None] * np.array([1, 1, -1])
        images, first = np.unique(keys[:, 0], return_index=True)
        return images, np.add.reduceat(by_category, first, axis=0) if len(first) else by_category

    def total(self, origin: str, images: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """For these images how many boxes of the origin they have, before and after."""
        ids, found = self._common.record_id.take(pa.array(images)), []
        for side in (self._common.pair.before, self._common.pair.after):
            table = side.annotations(["record_id", "origin"])
            owners = table["record_id"].filter(pa.array(equals(table["origin"], origin)))
            at = pc.index_in(owners, value_set=ids).drop_null()
            found.append(np.bincount(np.asarray(at), minlength=len(ids)))
        return found


def _changes(common: Common, counts: _Counts, origin: str) -> pa.Table | None:
    images, numbers = counts.differing(origin)
    if not len(images):
        return None
    rows = pa.array(images)
    detail = joined(
        *(
            part
            for place, word in enumerate((" came, ", " went, ", " changed"))
            for part in (pa.array(numbers[:, place]).cast(pa.string()), word)
        )
    )
    why = Explanations(len(images))
    _why(common, counts, origin, images, detail, why)
    splits = [column.take(rows).cast(pa.string()) for column in common.splits]
    totals = [pa.array(total).cast(pa.string()) for total in counts.total(origin, images)]
    return changes(
        common.record_id.take(rows),
        Kind.ANNOTATION,
        why,
        field=origin,
        values=(totals[0], totals[1]),
        splits=(splits[0], splits[1]),
    )


def _why(
    common: Common, counts: _Counts, origin: str, images: NDArray[np.int64], detail: pa.Array, why: Explanations
) -> None:
    pair, everywhere = common.pair, np.ones(len(images), np.bool_)
    causes: list[tuple[Bools, ChangeReason, str]] = [
        (everywhere, ChangeReason.SETTINGS, pair.recipes.below("categories", "keypoint_schemes"))
    ]
    if origin == "detector":
        causes += [
            (everywhere, ChangeReason.DETECTOR, counts.detectors()),
            (everywhere, ChangeReason.SETTINGS, pair.recipes.of_words("detect")),
        ]
    else:
        sources = take(common.column("source")[1], images)
        causes += [
            (equals(sources, source), ChangeReason.SETTINGS, pair.recipes.of_source(source))
            for source in pc.unique(sources).to_pylist()
        ]
    for where, reason, cause in causes:
        if cause:
            why.say(where, reason, joined(detail, f": {cause}"))
    why.say(common.has_other_file[images], ChangeReason.SOURCE_FILE, detail)
    if origin != "detector":
        why.say(everywhere, ChangeReason.SOURCE_ANNOTATIONS, detail)
    if pair.programs:
        why.say(everywhere, ChangeReason.PROGRAM, joined(detail, f": {'; '.join(pair.programs)}"))
    why.say(everywhere, ChangeReason.MEASURE, detail)
