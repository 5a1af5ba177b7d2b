"""What detectors are scored and trained by: annotated images, and the figures that people drew in them."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from schemas.keypoints import KeypointScheme
from tasks.core.coco.ids import Id
from tasks.io.store.store import parquet_bytes


class GroundTruth(NamedTuple):
    """Images that people have annotated, and the figures they drew; the images' bytes are blobs of the store.

    images: ANNOTATED, sorted by image_id. figures: ANNOTATED_FIGURES of these images. sha256: digest of both tables,
    for cache keys. notes: what was left out, in sentences. category_ids: by the name of each category that counts, its
    id in the release or the file. others: ids of its other images, such as those that nobody has annotated. file_names,
    deformation: of a COCO file, by id, the images' files, and how deformed their figures are, 1 (lifelike) to 5, where
    it says so. groups: by attribute, the value of each image. schemes: of each category's keypoints; None where a COCO
    file names no joints, or a release has none. keypoint_notes: which of a COCO file were left out.
    """

    name: str
    images: pa.Table
    figures: pa.Table
    sha256: str = ""
    notes: tuple[str, ...] = ()
    category_ids: Mapping[str, Id] = {"person": 1}
    others: frozenset[Id] = frozenset()
    file_names: Mapping[int, str] = {}
    deformation: Mapping[int, int] = {}
    groups: Mapping[str, Sequence[str | None]] = {}
    schemes: Mapping[str, KeypointScheme | None] = {}
    keypoint_notes: tuple[str, ...] = ()


def digest_of_tables(images: pa.Table, figures: pa.Table) -> str:
    """`GroundTruth.sha256` of these tables."""
    return hashlib.sha256(parquet_bytes(images) + parquet_bytes(figures)).hexdigest()
