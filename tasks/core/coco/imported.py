"""Detections of another program for a build: a COCO results file, and the COCO file of its images' ids."""

import math
from collections import Counter
from collections.abc import Collection, Mapping
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.file_names import FileNames
from schemas.keypoints import KeypointScheme
from tasks.core.coco.ids import Id, id_order
from tasks.core.coco.keypoints import VISIBILITIES, BadKeypoints, called, check_names
from tasks.core.coco.reader import read_categories, read_images, read_joints, read_json
from tasks.core.coco.results import Detection, read_results

Floats = NDArray[np.float32]
_NOTHING = slice(0, 0)


class ImportedBoxes(NamedTuple):
    """Boxes of one image, in the file's order: xyxy_px (N, 4), keypoints_xyv (N,) of (K, 3) each, NaN: none."""

    xyxy_px: Floats
    scores: Floats
    labels: NDArray[np.int64]
    keypoints_xyv: Any  # an array of arrays, which has no type of its own

    def select(self, rows: slice | NDArray[np.int64]) -> "ImportedBoxes":
        """Only these rows."""
        return ImportedBoxes(self.xyxy_px[rows], self.scores[rows], self.labels[rows], self.keypoints_xyv[rows])


class ClassKeypoints(NamedTuple):
    """Keypoints of a class. counts: how many points its boxes have. names: the document's, if it has any."""

    counts: frozenset[int]
    names: Any


class ImportedDetections(NamedTuple):
    """Detections of another program. Image ids: by SHA-256, by file name, and by its last part where that is unique,
    with these names. rows: where the boxes of an image are. keypoints: by class, of those with any.
    """

    by_sha256: Mapping[str, Id]
    by_name: tuple[FileNames, Mapping[str, Id]]
    by_base: tuple[FileNames, Mapping[str, Id]]
    rows: Mapping[Id, slice]
    boxes: ImportedBoxes
    keypoints: Mapping[Id, ClassKeypoints]

    def find_image(self, sha256: str, names: Collection[str], bases: Collection[str]) -> Id | None:
        """The image that a blob is: by its bytes, else its name, else its name's last part; None: it is not listed."""
        if sha256 in self.by_sha256:
            return self.by_sha256[sha256]
        for candidates, (known, ids) in ((names, self.by_name), (bases, self.by_base)):
            if matching := [ids[found] for name in candidates if (found := known.find(name)) is not None]:
                return min(matching, key=id_order)
        return None

    def boxes_of(self, image_id: Id) -> ImportedBoxes:
        """The boxes in a listed image; none, if the results have none of it."""
        return self.boxes.select(self.rows.get(image_id, _NOTHING))


def import_detections(document: bytes, results: bytes, classes: Collection[int]) -> ImportedDetections:
    """Both files, read and checked. `classes`: category ids that are wanted; boxes of others are passed over.

    An image is known by `metadata.sha256` (ours) or `sha256`; where it has neither, by its `file_name`. Raises BadInput
    as `read_images` and `read_results` do, for results in an image and a wanted class that the document does not list,
    and for keypoints of such a class with a visibility other than 0, 1 and 2, such as a confidence.
    """
    fields = read_json("images", document)
    images = read_images("images", fields)
    categories = read_categories("images", fields) if fields.get("categories") else {}
    if categories and (missing := sorted({*classes} - categories.keys())):
        known = sorted(categories, key=id_order)[:20]
        raise BadInput(f"images: expected a category of id {missing[0]}, got {known}")
    by_sha256, by_name = {}, {}
    # of several that are one file, the smallest id stands
    for image in sorted(images.values(), key=lambda image: id_order(image.image_id), reverse=True):
        digests = (image.metadata.get("sha256"), image.row.get("sha256"))
        if sha256 := next((digest for digest in digests if isinstance(digest, str)), ""):
            by_sha256[sha256.lower()] = image.image_id
        elif image.file_name:
            by_name[image.file_name] = image.image_id
    times = Counter(_base(name) for name in by_name)
    by_base = {_base(name): number for name, number in by_name.items() if times[_base(name)] == 1}
    detections = read_results("results", results).detections
    for detection in detections:
        if detection.image_id not in images:
            raise BadInput(f"results: expected ids of images that are listed, got {detection.image_id}")
    detections = [detection for detection in detections if detection.category_id in classes]
    keypoints = _keypoints(fields, detections)
    rows, boxes = _boxes(detections)
    names, bases = (FileNames(by_name), by_name), (FileNames(by_base), by_base)
    return ImportedDetections(by_sha256, names, bases, rows, boxes, keypoints)


def check_schemes(imported: ImportedDetections, schemes: Mapping[Id, KeypointScheme | None]) -> None:
    """Raise BadInput for keypoints of a class that are not of its category's scheme, by their number or their names."""
    for number, keypoints in imported.keypoints.items():
        if (scheme := schemes[number]) is None:
            raise BadInput(
                f"results: expected no keypoints of category {number}, which has none in the recipe; leave them out"
            )
        if others := sorted(keypoints.counts - {len(scheme.joints)}):
            raise BadInput(f"results: keypoints: expected {called(scheme)} of category {number}, got {others[0]}")
        if keypoints.names:
            try:
                check_names(str(number), keypoints.names, scheme)
            except BadKeypoints as problem:
                raise BadInput(f"results: keypoints: {problem}; leave them out") from problem


def _base(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def _keypoints(document: Any, detections: list[Detection]) -> dict[Id, ClassKeypoints]:
    """The keypoints of each class. Raises BadInput for a visibility that a release can't hold."""
    counts: dict[Id, set[int]] = {}
    for detection in detections:
        if numbers := detection.keypoints_xyv:
            counts.setdefault(detection.category_id, set()).add(len(numbers) // 3)
            if strange := [v for v in numbers[2::3] if v not in VISIBILITIES]:
                raise BadInput(
                    f"results: expected a visibility of 0, 1 or 2 for each keypoint, got {strange[0]:g}: a confidence "
                    "is none, so write 2 for the points that you trust and 0 for the others, or leave the keypoints out"
                )
    named = read_joints("images", document) if counts and document.get("categories") else {}
    return {number: ClassKeypoints(frozenset(of), named.get(number) or None) for number, of in counts.items()}


def _boxes(detections: list[Detection]) -> tuple[dict[Id, slice], ImportedBoxes]:
    detections = sorted(detections, key=lambda detection: id_order(detection.image_id))
    counts = Counter(detection.image_id for detection in detections)
    bounds = pairwise(accumulate(counts.values(), initial=0))
    rows = {number: slice(*of) for number, of in zip(counts, bounds, strict=True)}
    xywh = np.array([detection.xywh_px for detection in detections], np.float32).reshape(-1, 4)
    scores = np.array([detection.score for detection in detections], np.float32)
    labels = np.array([detection.category_id for detection in detections], np.int64)
    keypoints = np.empty(len(detections), np.object_)  # of as many points as each has: not one array of all
    for place, detection in enumerate(detections):
        keypoints[place] = np.array(detection.keypoints_xyv or [math.nan] * 3, np.float32).reshape(-1, 3)
    return rows, ImportedBoxes(
        np.concatenate([xywh[:, :2], xywh[:, :2] + xywh[:, 2:]], axis=1), scores, labels, keypoints
    )
