"""The truth that raters agree on: their boxes in groups, one a figure, with the median of each group's corners; and all
of it as a COCO document, which a recipe or a comparison can take as its truth.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_figures import FIGURES, RaterSettings
from schemas.phrases import quoted
from tasks.core.coco.box import area_px2
from tasks.core.coco.document import annotation_entry
from tasks.core.evaluate.means import means_along
from tasks.core.evaluate.raters.boxes import corner_medians, group_overlapping, kmeans, overlaps_of
from tasks.core.evaluate.raters.ratings import Ratings, deformation_buckets

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Row = dict[str, Any]

PICTURES = pa.schema(
    [("image", pa.string()), ("file_name", pa.string()), ("width_px", pa.int64()), ("height_px", pa.int64())]
)
"""What is known of the images themselves; also of images that no rater saw. The last two columns may be null."""


class ImageConsensus(NamedTuple):
    """The figures of one image. xyxy_px: (T, 4), ascending. figure: (n,) of each box the figure, -1 for none."""

    xyxy_px: Floats
    figure: Integers


class Consensus(NamedTuple):
    """The figures of all images. image: (T,) ascending. xyxy_px: (T, 4). figure: (B,) as of `ImageConsensus`."""

    image: Integers
    xyxy_px: Floats
    figure: Integers


def find_consensus(ratings: Ratings, settings: RaterSettings) -> Consensus:
    """The figures on which all raters of each image agree (section 5.4). For detectors; a rater is scored without
    their own boxes (`leave_one_out`).
    """
    images: list[int] = []
    corners = [np.zeros((0, 4))]
    figure = np.full(len(ratings.image), -1, np.int64)
    for number, rows in ratings.boxes_by_image():
        rater = ratings.rater[rows]
        draws = draw_starts(ratings.images[number], rater, settings)
        found = image_consensus(ratings.xyxy_px[rows], rater, ratings.is_seen[:, number], draws, settings)
        figure[rows] = np.where(found.figure < 0, -1, found.figure + len(images))
        images += [number] * len(found.xyxy_px)
        corners.append(found.xyxy_px)
    return Consensus(np.array(images, np.int64), np.concatenate(corners), figure)


def image_consensus(
    xyxy_px: Floats, rater: Integers, is_seen: NDArray[np.bool_], draws: Floats, settings: RaterSettings
) -> ImageConsensus:
    """xyxy_px: (n, 4) all boxes of these raters in one image, sorted by coordinates. rater: (n,). is_seen: (R,) whose
    boxes count, with or without any. draws: `draw_starts`. Nobody's boxes give no figure.
    """
    if settings.consensus == "kmeans":
        count = median_count(np.bincount(rater, minlength=len(is_seen))[is_seen])
        labels = kmeans(xyxy_px, count, draws) if count else np.full(len(rater), -1, np.int64)
        groups = np.unique(labels[labels >= 0])
    else:
        labels = group_overlapping(overlaps_of(xyxy_px, xyxy_px), rater, settings.cluster_iou)
        groups, counts = np.unique(labels, return_counts=True)  # a group has one box of each of its raters
        # 0.7 of ten raters are seven, whatever 0.7 * 10 is in binary
        groups = groups[counts >= settings.agreement * is_seen.sum() - 1e-9]
    corners = corner_medians(xyxy_px, labels, groups)
    order = np.lexsort(corners.T[::-1])
    figure = np.full(len(rater), -1, np.int64)
    for place, group in enumerate(groups[order]):
        figure[labels == group] = place
    return ImageConsensus(corners[order], figure)


def median_count(counts: Integers) -> int:
    """How many figures the median rater drew, a half rounded up; 0 of nobody.

    >>> median_count(np.array([0, 1, 2, 2])), median_count(np.array([3, 0, 1]))
    (2, 1)
    """
    if not len(counts):
        return 0
    ranked = np.sort(counts)
    lower, upper = ranked[(len(ranked) - 1) // 2], ranked[len(ranked) // 2]
    return int(lower + upper + 1) // 2


def draw_starts(image: str, rater: Integers, settings: RaterSettings) -> Floats:
    """(starts, most boxes of one rater) of 0 <= u < 1 for k-means in one image: by the seed and the image's name alone,
    the first columns the same for any number of boxes, so that leaving a rater out changes no start.
    """
    most = int(np.bincount(rater).max()) if len(rater) and settings.consensus == "kmeans" else 0
    digest = hashlib.sha256(f"{settings.seed}\t{image}".encode()).digest()
    chance = np.random.default_rng(int.from_bytes(digest[:16], "big"))
    return np.ascontiguousarray(chance.random((most, settings.starts)).T)


def figure_table(ratings: Ratings, consensus: Consensus) -> pa.Table:
    """FIGURES: each figure with the number of its raters and boxes; `has_rater_twice` where one rater has two boxes of
    it, `is_minority` where fewer than half of the image's raters drew it.
    """
    figures, raters = len(consensus.image), len(ratings.raters)
    of_figure = consensus.figure >= 0
    pairs, boxes = np.unique(consensus.figure[of_figure] * raters + ratings.rater[of_figure], return_counts=True)
    figure = pairs // max(raters, 1)
    by_raters = np.bincount(figure, minlength=figures)
    seen_by = ratings.is_seen.sum(axis=0)[consensus.image]
    columns = [
        np.array(ratings.images, dtype=object)[consensus.image],
        np.arange(figures) - np.searchsorted(consensus.image, consensus.image) + 1,
        *consensus.xyxy_px.T,
        by_raters,
        np.bincount(figure, boxes, figures).astype(np.int64),
        seen_by,
        np.bincount(figure[boxes > 1], minlength=figures) > 0,
        2 * by_raters < seen_by,
    ]
    return pa.table([*map(pa.array, columns, FIGURES.types)], schema=FIGURES)


def consensus_document(
    ratings: Ratings, consensus: Consensus, pictures: pa.Table | None = None, category: str = "person"
) -> Row:
    """A COCO document of the figures: ids from 1, images in the order of their names, figures in that of `consensus`.

    pictures: PICTURES; without it an image's name is its file's, and there is no width and height. `is_annotated` says
    whether raters saw an image, with or without a figure, `metadata` its `deformation` (the bucket), `mean_rating` and
    `raters`.

    Raises BadInput where pictures lacks an image of the ratings, has one twice or one without a name, or has a side
    below 1 px.
    """
    seen = dict(zip(ratings.images, _metadata(ratings), strict=True))
    known: dict[str, Row] = {name: {} for name in seen} if pictures is None else _by_name(pictures)
    if missing := [name for name in seen if name not in known]:
        raise BadInput(f"pictures: expected each image of the ratings, got none called {quoted(missing[0])}")
    ids = {name: place for place, name in enumerate(sorted(known), 1)}
    images = []
    for name, number in ids.items():
        sides = {side: known[name].get(f"{side}_px") for side in ("width", "height")}
        named = {"id": number, "file_name": known[name].get("file_name") or name}
        sized = {side: px for side, px in sides.items() if px is not None}
        images.append({**named, **sized, "is_annotated": name in seen, "metadata": seen.get(name, {})})
    annotations: list[Row] = []
    for image, (left, top, right, bottom) in zip(consensus.image, consensus.xyxy_px.tolist(), strict=True):
        box, number = [left, top, right - left, bottom - top], ids[ratings.images[image]]
        entry = annotation_entry(len(annotations) + 1, number, 1, box, area_px2(box), is_crowd=False)
        annotations.append(entry)
    return {
        "info": {
            "description": f"Consensus of {len(ratings.raters)} raters: medians of corners",
            "annotation_origin": "people",
        },
        "licenses": [],
        "images": images,
        "annotations": annotations,
        "categories": [{"id": 1, "name": category}],
    }


def wanted_files(ratings: Ratings, pictures: pa.Table | None) -> dict[str, str]:
    """The file of each image that raters saw: that of PICTURES, or else of the image's own name."""
    rows = [] if pictures is None else pictures.to_pylist()
    known = {row["image"]: row["file_name"] for row in rows if row["file_name"]}
    return {name: known.get(name, name) for name in ratings.images}


def pictures_with_files(ratings: Ratings, pictures: pa.Table | None, files: Mapping[str, str]) -> pa.Table:
    """PICTURES, in which images have these files; without any, a row for each image that raters saw."""
    rows = [{"image": name} for name in ratings.images] if pictures is None else pictures.to_pylist()
    rows = [{**row, "file_name": files.get(row["image"], row.get("file_name"))} for row in rows]
    return pa.Table.from_pylist(rows, schema=PICTURES if pictures is None else pictures.schema)


def _by_name(pictures: pa.Table) -> dict[str, Row]:
    for place, row in enumerate(pictures.to_pylist()):
        if not row["image"]:
            raise BadInput(f"pictures[{place}]: expected the name of an image, got {quoted(row['image'])}")
        for side in ("width_px", "height_px"):
            if row.get(side) is not None and row[side] < 1:
                raise BadInput(f"pictures[{place}]: expected a {side} of at least 1, got {row[side]}")
    rows = {row["image"]: row for row in pictures.to_pylist()}
    if len(rows) < pictures.num_rows:
        raise BadInput(f"pictures: expected each image once, got {pictures.num_rows} rows of {len(rows)} images")
    return rows


def _metadata(ratings: Ratings) -> list[Row]:
    buckets, means = deformation_buckets(ratings).tolist(), means_along(ratings.rating)
    raters = ratings.is_seen.sum(axis=0).tolist()
    return [
        {"deformation": bucket or None, "mean_rating": None if np.isnan(mean) else float(mean), "raters": count}
        for bucket, mean, count in zip(buckets, means, raters, strict=True)
    ]
