"""The consensus as a COCO document, which a recipe or a comparison can take as its truth."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from schemas.errors import BadInput
from schemas.phrases import quoted
from tasks.core.coco.box import area_px2
from tasks.core.coco.entries import annotation_entry
from tasks.core.evaluate.raters.buckets import deformation_buckets, mean_ratings
from tasks.core.evaluate.raters.consensus import Consensus
from tasks.core.evaluate.raters.ratings import Ratings

Row = dict[str, Any]

PICTURES = pa.schema(
    [("image", pa.string()), ("file_name", pa.string()), ("width_px", pa.int64()), ("height_px", pa.int64())]
)
"""What is known of the images themselves; also of images that no rater saw. The last two columns may be null."""


def consensus_document(
    ratings: Ratings, consensus: Consensus, pictures: pa.Table | None = None, category: str = "person"
) -> Row:
    """A COCO document of the figures: ids from 1, images in the order of their names, figures in that of `consensus`.

    pictures: PICTURES; without it an image's name is its file's, and there is no width and height. An image that no
    rater saw has `is_annotated` false; one that raters saw without a figure has it true. `metadata` has each image's
    `deformation` (the bucket), `mean_rating` and `raters`.

    Raises BadInput where pictures lacks an image of the ratings, has one twice or one without a name, or has a side
    below 1 px.
    """
    names = list(ratings.images)
    known: dict[str, Row] = {name: {} for name in names}
    if pictures is not None:
        known = _by_name(pictures)
        if missing := [name for name in names if name not in known]:
            raise BadInput(f"pictures: expected each image of the ratings, got none called {quoted(missing[0])}")
    number = {name: place for place, name in enumerate(names)}
    ids = {name: place for place, name in enumerate(sorted(known), 1)}
    facts = _metadata(ratings)
    annotations: list[Row] = []
    for image, corners in zip(consensus.image.tolist(), consensus.xyxy_px.tolist(), strict=True):
        left, top, right, bottom = corners
        box = [left, top, right - left, bottom - top]
        entry = annotation_entry(len(annotations) + 1, ids[names[image]], 1, box, area_px2(box), is_crowd=False)
        annotations.append(entry)
    return {
        "info": {
            "description": f"Consensus of {len(ratings.raters)} raters: medians of corners",
            "annotation_origin": "people",
        },
        "licenses": [],
        "images": [_image_entry(ids[name], name, known[name], facts, number.get(name)) for name in sorted(known)],
        "annotations": sorted(annotations, key=lambda entry: entry["image_id"]),
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
    """Of each image."""
    buckets, means = deformation_buckets(ratings).tolist(), mean_ratings(ratings)
    raters = ratings.is_seen.sum(axis=0).tolist()
    return [
        {"deformation": bucket or None, "mean_rating": None if np.isnan(mean) else float(mean), "raters": count}
        for bucket, mean, count in zip(buckets, means, raters, strict=True)
    ]


def _image_entry(image_id: int, name: str, picture: Row, facts: list[Row], number: int | None) -> Row:
    sides = {"width": picture.get("width_px"), "height": picture.get("height_px")}
    return {
        "id": image_id,
        "file_name": picture.get("file_name") or name,
        **{side: px for side, px in sides.items() if px is not None},
        "is_annotated": number is not None,
        "metadata": {} if number is None else facts[number],
    }
