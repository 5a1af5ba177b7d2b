"""Every box of every kept image, people's and the detector's, each with an id that stays; and their two tables."""

import hashlib
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.keypoints import CocoCategory
from schemas.tables import ANNOTATIONS, BOXES, DETECTIONS, SOURCE_FIGURE, XYWH
from tasks.core import tables
from tasks.core.coco.box import box_array
from tasks.core.ids import ids
from tasks.core.texts import float_texts, list_texts

_BATCH = 8192
_DETECTOR = "detector"
_FIGURES = pa.schema(
    [("record_id", pa.string()), *SOURCE_FIGURE, ("origin", pa.string()), ("origin_name", pa.string())]
)


def boxes(
    images: pa.Table, figures: Sequence[tuple[str, str, pa.Table]], categories: Sequence[CocoCategory]
) -> pa.Table:
    """BOXES sorted by annotation_id.

    images: record_id, image_id, split of the kept ones. figures: (origin, origin_name, table of record_id and figures)
    in any order. Categories are numbered from 1. An id comes from what the box is and where, not from its place in a
    list: the same box in the same image keeps its id when others come or go. Raises BadBox for the first that is none.
    """
    found = [_figures_of(images["record_id"], *given) for given in figures]
    everything = pa.concat_tables([_FIGURES.empty_table(), *found]).combine_chunks()
    image = tables.lookup(images.select(["record_id", "image_id", "split"]), "record_id", everything["record_id"])
    columns = {
        **{name: everything[name] for name in _FIGURES.names if name != "category"},
        "image_id": image["image_id"],
        "split": image["split"],
        "category_id": _numbers(everything["category"], [category.name for category in categories]),
    }
    box = box_array(everything["xywh_px"])
    columns["area_px2"] = pa.array(_to_hundredths(box[:, 2] * box[:, 3]))
    schemes = pa.array([category.scheme and category.scheme.name for category in categories], pa.string())
    of_category = schemes.take(pc.subtract(columns["category_id"], 1).combine_chunks())
    columns["keypoint_scheme"] = pc.if_else(columns["keypoints_xyv"].is_valid(), of_category, None)
    columns["annotation_id"] = ids(_names(columns))
    order = pc.sort_indices(columns["annotation_id"])
    return pa.table([columns[name].take(order) for name in BOXES.names], schema=BOXES)


def drawn(boxes: pa.Table) -> pa.Table:
    """ANNOTATIONS: those of BOXES that people or sources drew, in their order."""
    return _labelled(boxes.filter(pc.not_equal(boxes["origin"], _DETECTOR))).select(ANNOTATIONS.names)


def detected(boxes: pa.Table) -> pa.Table:
    """DETECTIONS: those of BOXES that a detector found, in their order."""
    named = {"detection_id": "annotation_id", "model": "origin_name"}
    found = _labelled(boxes.filter(pc.equal(boxes["origin"], _DETECTOR)))
    return pa.table([found[named.get(name, name)] for name in DETECTIONS.names], schema=DETECTIONS)


def _labelled(boxes: pa.Table) -> pa.Table:
    labels = pc.subtract(boxes["category_id"].cast(pa.int64()), 1)
    return boxes.append_column("category_label", labels)


def _figures_of(record_ids: pa.ChunkedArray, origin: str, origin_name: str, table: pa.Table) -> pa.Table:
    """_FIGURES of these images, one row for each of their figures."""
    is_wanted = pc.and_(pc.is_in(table["record_id"], value_set=record_ids), pc.is_valid(table["figures"]))
    rows = table.select(["record_id", "figures"]).filter(is_wanted)
    lists = rows["figures"].combine_chunks()
    figures = pc.list_flatten(lists)
    columns = {
        "record_id": rows["record_id"].take(pc.list_parent_indices(lists)),
        **{field.name: _field(figures, field) for field in SOURCE_FIGURE},
        "origin": pa.repeat(origin, len(figures)),
        "origin_name": pa.repeat(origin_name, len(figures)),
    }
    return pa.table([columns[name] for name in _FIGURES.names], schema=_FIGURES)


def _field(figures: pa.StructArray, field: pa.Field) -> pa.Array:
    """(N,) a field of each figure; null where figures have none, as a detector's."""
    has_field = figures.type.get_field_index(field.name) >= 0
    return pc.struct_field(figures, field.name) if has_field else pa.nulls(len(figures), field.type)


def _numbers(category: pa.ChunkedArray, categories: Sequence[str]) -> pa.ChunkedArray:
    place = pc.index_in(category, value_set=pa.array(categories, pa.string()))
    if place.null_count:
        unknown = category.filter(pc.is_null(place))[0].as_py()
        raise AssertionError(f"expected boxes of the categories {', '.join(categories)}, got one of {unknown}")
    return pc.add(place, 1)


def _to_hundredths(area: NDArray[np.float64]) -> NDArray[np.float64]:
    """What Python's round(area, 2) gives: numpy's takes 1.005 * 100 for the half that it is not."""
    hundredths = area * 100
    rounded = np.rint(hundredths) / 100
    is_near_half = np.abs(hundredths - np.floor(hundredths) - 0.5) < 0.01
    for place in np.flatnonzero(is_near_half | (area > 1e12)).tolist():
        rounded[place] = round(float(area[place]), 2)
    return rounded


def _names(columns: dict[str, Any]) -> pa.Array:
    """(N,) what each box is: record_id, origin, its name, category, box, crowd and score as Python writes them, and the
    digest of its keypoints, if it has any; where boxes are equal in all of it, with the number of the second and more.

    No later version may write it otherwise: ids of published annotations come from it.
    """
    is_crowd = pc.if_else(columns["is_crowd"], "True", "False")
    numbers = list_texts(columns["xywh_px"].cast(pa.list_(XYWH.value_type)), ", ")
    names = pc.binary_join_element_wise(
        columns["record_id"].combine_chunks(),
        columns["origin"].combine_chunks(),
        columns["origin_name"].combine_chunks(),
        columns["category_id"].combine_chunks().cast(pa.string()),
        pc.binary_join_element_wise("[", numbers, "]", ""),
        pc.fill_null(is_crowd, "None").combine_chunks(),
        pc.fill_null(float_texts(columns["score"]), "None"),
        _keypoint_digests(columns["keypoints_xyv"]),
        "\t",
    )
    turn = _turns(names)
    numbered = pc.binary_join_element_wise(names, pa.array(turn).cast(pa.string()), "\t")
    return pc.if_else(pa.array(turn > 1), numbered, names)


def _keypoint_digests(keypoints: pa.ChunkedArray) -> pa.Array:
    """(N,) hex SHA-256 of the list as Python writes it; empty text where there is no list."""
    texts = pc.binary_join_element_wise("[", list_texts(keypoints, ", "), "]", "")
    batches = (texts.slice(start, _BATCH).to_pylist() for start in range(0, len(texts), _BATCH))
    digests = (
        ["" if text is None else hashlib.sha256(text.encode()).hexdigest() for text in batch] for batch in batches
    )
    return pa.concat_arrays([pa.array(found, pa.string()) for found in chain([[]], digests)])


def _turns(names: pa.Array) -> NDArray[np.int64]:
    """(N,) 1 for the first of equal names, 2 for the next, and so on."""
    code = np.asarray(names.dictionary_encode().indices, np.int64)
    order = np.argsort(code, kind="stable")
    first = np.searchsorted(code[order], code[order])
    turn = np.empty(len(code), np.int64)
    turn[order] = np.arange(len(code)) - first + 1
    return turn
