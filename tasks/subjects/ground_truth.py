"""What detectors are scored and trained by: annotated images, and the figures that people drew in them."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from schemas.errors import BadInput
from schemas.keypoints import KeypointScheme
from schemas.phrases import quoted
from tasks.core.coco.ids import Id
from tasks.io.store.releases import Release
from tasks.io.store.store import parquet_bytes

MAX_FILE_BYTES = 2**30
"""Of a COCO file. COCO's own largest, with outlines, has 450 MB."""


class GroundTruth(NamedTuple):
    """Images that people have annotated, and the figures they drew; the images' bytes are blobs of the store.

    images: ANNOTATED_IMAGES, sorted by image_id. figures: ANNOTATED_FIGURES of these. sha256: of both, for cache keys.
    category_ids: of each category that counts. others: ids of its other images. file_names, deformation (1, lifelike,
    to 5): of a COCO file, by id. groups: by attribute, the value of each image. schemes: by category; None: no joints
    are named. notes, keypoint_notes: what was left out, in sentences.
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


def is_coco_file(truth: str) -> bool:
    """Whether a truth is meant as a COCO file; all else is a folder.

    >>> is_coco_file("s3://art/TRAIN.JSON"), is_coco_file("store/releases/museum/latest")
    (True, False)
    """
    return truth.lower().endswith(".json")


def check_attributes(release: Release, by: Sequence[str]) -> None:
    """Raise BadInput for attributes that are no columns of a release's images."""
    columns = [name for name in release.column_names("images") if name != "image"]
    if unknown := [name for name in by if name not in columns]:
        known = ", ".join(columns)
        raise BadInput(f"--by: expected a column of the release's images ({known}), got {quoted(unknown[0])}")
