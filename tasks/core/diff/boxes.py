"""Which boxes of the images in both releases came, went or changed, and why."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.diff import ChangeReason, Kind
from schemas.phrases import listed, quoted_name
from tasks.core.diff.columns import Explanations, align, changes, differ, equals, joined, take
from tasks.core.diff.fields import Common
from tasks.core.diff.sides import ReleasePair

_COMPARED = ("record_id", "category_id", "xywh_px", "is_crowd", "keypoints_xyv", "score", "origin", "origin_name")
"""What a box is. Its id follows from these, its split and its area from others."""
_SAID = ("source_area_px2", "segmentation", "source_coco")
"""What else its source says of it."""
_CAME, _WENT = range(2)
Ints = NDArray[np.int64]
_MOST_NAMES = 3


def boxes(common: Common) -> Iterator[pa.Table]:
    """CHANGES, one row for each image and origin of which any box differs.

    before, after: how many boxes it has; detail: how many came, went and changed. A box that went and one that came of
    one category count as one that changed.

    Raises ValueError where an annotation_id stands twice.
    """
    differing = _differing(common.pair)
    origins = {origin for side in differing for origin in side["origin"].unique().to_pylist()}  # hostile ones too
    for origin in sorted(origins):
        went_and_came = [side.filter(pa.array(equals(side["origin"], origin))) for side in differing]
        images, numbers = _counts(common, *went_and_came)
        if len(images):
            detectors = _detectors(*went_and_came) if origin == "detector" else ""
            yield _changes(common, origin, images, numbers, detectors)


def _differing(pair: ReleasePair) -> list[pa.Table]:
    """record_id, category_id, origin, origin_name of the boxes of either side that are not just so in the other."""
    ids = [side.boxes(["annotation_id"])["annotation_id"].combine_chunks() for side in pair.sides]
    if any(len(pc.unique(column)) != len(column) for column in ids):
        raise ValueError("an annotation_id that stands twice")
    found = align(*ids)
    is_other = np.zeros(len(found.both), np.bool_)
    said = [name for name in _SAID if all(name in side.box_columns for side in pair.sides)]
    for name in (*_COMPARED, *said):
        columns = (take(side.boxes([name])[name], found.both[:, at]) for at, side in enumerate(pair.sides))
        is_other |= differ(*columns)
    names = ("record_id", "category_id", "origin", "origin_name")
    return [
        pa.table({name: take(side.boxes([name])[name], np.concatenate(rows)) for name in names})
        for side, *rows in (
            (pair.before, found.only_before, found.both[is_other, 0]),
            (pair.after, found.only_after, found.both[is_other, 1]),
        )
    ]


def _detectors(went: pa.Table, came: pa.Table) -> str:
    """The names before and after, if they are others; empty where one release has none of the boxes."""
    before, after = (sorted(side["origin_name"].unique().to_pylist()) for side in (went, came))
    if not before or not after or before == after:
        return ""
    return " -> ".join(listed([*map(quoted_name, names)], _MOST_NAMES) for names in (before, after))


def _counts(common: Common, went: pa.Table, came: pa.Table) -> tuple[Ints, Ints]:
    """(N,) places in `common` of the images with these boxes, and (N, 3) how many came, went, changed."""
    places = []
    for boxes in (came, went):
        image = pc.index_in(boxes["record_id"], value_set=common.record_id)
        known = pa.table([image, boxes["category_id"]], ["image", "category"]).filter(pc.is_valid(image))
        places.append(np.stack([np.asarray(column, np.int64) for column in known.columns], axis=1))
    kinds = np.repeat([_CAME, _WENT], [*map(len, places)])
    keys, inverse = np.unique(np.concatenate(places), axis=0, return_inverse=True)
    by_category = np.zeros((len(keys), 3), np.int64)
    np.add.at(by_category, (inverse.reshape(-1), kinds), 1)
    changed = by_category[:, :2].min(axis=1)
    by_category -= changed[:, None] * np.array([1, 1, -1])
    images, first = np.unique(keys[:, 0], return_index=True)
    return images, np.add.reduceat(by_category, first, axis=0) if len(first) else by_category


def _totals(common: Common, origin: str, images: Ints) -> Iterator[pa.Array]:
    """How many boxes of the origin these images have, as text, before and after."""
    ids = common.record_id.take(pa.array(images))
    for side in common.pair.sides:
        table = side.boxes(["record_id", "origin"])
        owners = table["record_id"].filter(pa.array(equals(table["origin"], origin)))
        at = pc.index_in(owners, value_set=ids).drop_null()
        yield pa.array(np.bincount(np.asarray(at), minlength=len(ids))).cast(pa.string())


def _changes(common: Common, origin: str, images: Ints, numbers: Ints, detectors: str) -> pa.Table:
    came, went, changed = (pa.array(column).cast(pa.string()) for column in numbers.T)
    detail = joined(came, " came, ", went, " went, ", changed, " changed")
    why, recipes, words = Explanations(len(images)), common.pair.recipes, joined(detail, ": ")
    why.say_cause(True, ChangeReason.SETTINGS, recipes.below("categories", "keypoint_schemes"), words)
    if origin == "detector":
        why.say_cause(True, ChangeReason.DETECTOR, detectors, words)
        why.say_cause(True, ChangeReason.SETTINGS, recipes.of_words("detect"), words)
        why.say(common.has_other_file[images], ChangeReason.SOURCE_FILE, detail)
    else:
        sources = take(common.after("source"), images)
        for source in pc.unique(sources).drop_null().to_pylist():
            why.say_cause(equals(sources, source), ChangeReason.SETTINGS, recipes.of_source(source), words)
        why.say(common.has_other_file[images], ChangeReason.SOURCE_FILE, detail)
        why.say(True, ChangeReason.SOURCE_ANNOTATIONS, detail)
    why.say_cause(True, ChangeReason.PROGRAM, "; ".join(common.pair.programs), words)
    why.say(True, ChangeReason.MEASURE, detail)
    ids, values = common.record_id.take(pa.array(images)), [*_totals(common, origin, images)]
    return changes(ids, Kind.ANNOTATION, why, field=origin, values=values, splits=common.splits(images))
