"""Good rows of each table of a release, and what else is in it."""

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from schemas.manifests import ReleaseManifest
from schemas.tables import ANNOTATIONS, IMAGES, LEDGER
from tasks.core.coco.document import media_path
from tasks.core.export.summary import OF_ANNOTATIONS, OF_IMAGES, OF_LEDGER, ReleaseSummary, summarized
from tasks.core.verify_rows import ReleaseFacts

SHA256 = "ab" * 32
MANIFEST = ReleaseManifest(
    name="small",
    version="0123456789ab",
    previous=None,
    lineage=2,
    split_sha256="s",
    contract_version="1.0.0",
    content_sha256="c" * 64,
    recipe_sha256="r",
    counts={"records": 9, "kept": 5, "dropped": 4, "by_split": {"val": 1, "train": 4}},
    content={},
    files={},
    environment={},
)
TIME = datetime(2026, 1, 31, tzinfo=UTC)
MEDIA = media_path(SHA256, "PNG")
IMAGE: dict[str, Any] = {
    "record_id": "museum:1",
    "source": "museum",
    "image_id": 7,
    "source_url": "https://a",
    "source_urls": ["https://a", "https://b"],
    "image_url": None,
    "title": "A Room",
    "artist": None,
    "artist_text": None,
    "artist_qualifier": None,
    "artists": [],
    "artist_roles": [],
    "style": "Baroque",
    "style_label": 0,
    "styles": ["Baroque"],
    "date_text": "c. 1649",
    "year": 1649,
    "year_first": 1649,
    "year_last": 1649,
    "rights_uri": "https://creativecommons.org/publicdomain/zero/1.0/",
    "rights_spdx": "CC0-1.0",
    "rights_text": None,
    "rights_basis": "recipe: me: it is old",
    "attribution": "record museum:1, museum, CC0-1.0 (https://creativecommons.org/publicdomain/zero/1.0/)",
    "sha256": SHA256,
    "phash": 2**63,
    "phash_recipe": "phash64/look-v3",
    "width_px": 100,
    "height_px": 80,
    "format": "PNG",
    "group_id": "museum:1",
    "split": "train",
    "split_of_file": "train",
    "is_annotated": True,
    "source_coco": '{"image":{"id":1}}',
    "image": {"bytes": None, "path": MEDIA},
    "path": MEDIA,
    "retrieved_at": TIME,
}
DRAWN: dict[str, Any] = {
    "annotation_id": 3,
    "image_id": 7,
    "record_id": "museum:1",
    "split": "train",
    "split_of_file": "train",
    "category_id": 1,
    "category_label": 0,
    "xywh_px": [-1.0, 2.0, 300.0, 4.0],
    "area_px2": 1200.0,
    "is_crowd": False,
    "keypoints_xyv": [1.0, 2.0, 1.0] * 17,
    "keypoint_scheme": "coco-17",
    "origin": "source",
    "origin_name": "source",
    "source_area_px2": 900.5,
    "segmentation": "[[1,2,3,4,5,6.5]]",
    "source_coco": '{"fields":{"id":7}}',
}
DETECTED: dict[str, Any] = {
    "detection_id": 4,
    **{
        name: DRAWN[name]
        for name in ("image_id", "record_id", "split", "split_of_file", "category_id", "category_label")
    },
    "xywh_px": [0.0, 0.0, 100.0, 80.0],
    "area_px2": 8000.0,
    "keypoints_xyv": None,
    "keypoint_scheme": None,
    "score": 0.123,
    "model": "yolox@0123456789ab",
}
KEPT: dict[str, Any] = {
    "record_id": "museum:1",
    "source": "museum",
    "kept": True,
    "stage": None,
    "reason": None,
    "kept_record_id": None,
    "last_split": "train",
    "image_id": 7,
    "sha256": SHA256,
    "retrieved_at": TIME,
}
DROPPED = {
    **KEPT,
    "record_id": "museum:2",
    "kept": False,
    "stage": "dedup",
    "reason": "exact_duplicate",
    "kept_record_id": "museum:1",
    "last_split": None,
    "image_id": 8,
}
ROWS = {
    "images": [IMAGE],
    "annotations": [DRAWN, {**DRAWN, "annotation_id": 5}],
    "detections": [DETECTED, {**DETECTED, "detection_id": 6}],
    "ledger": [KEPT, DROPPED],
}
KEYS = {
    "images": "record_id",
    "annotations": "annotation_id",
    "detections": "detection_id",
    "ledger": "record_id",
}
FACTS = ReleaseFacts(
    stages=["fetch", "dedup"],
    sizes={7: (100, 80)},
    sha256_by_path={MEDIA: SHA256},
    phash_recipe="phash64/look-v3",
)


def summary_of(images: int, **others: Any) -> ReleaseSummary:
    """What a release of so many images comes to, of which nothing else is known."""
    nothing = summarized(
        *(
            pa.table({name: pa.array([], schema.field(name).type) for name in names})
            for schema, names in ((IMAGES, OF_IMAGES), (ANNOTATIONS, OF_ANNOTATIONS))
        ),
        0,
        pa.table({name: pa.array([], LEDGER.field(name).type) for name in OF_LEDGER}),
    )
    return nothing._replace(images=images, **others)
