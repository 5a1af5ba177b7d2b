"""Detections as they are stored: a row for each blob, whatever the detector."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from schemas.detect import Detect
from tasks.core.detect import boxes
from tasks.io.detectors import stream
from tasks.io.detectors.stream import Detector


def rows(
    detector: Detector, settings: Detect, blobs: Sequence[str], read: Callable[[str], bytes]
) -> Iterator[dict[str, Any]]:
    """DETECT rows of the blobs; one that can't be decoded has the reason. `read` returns a blob's bytes."""
    for blob in stream.detect_blobs(detector, blobs, read):
        if blob.detections is None:
            problem = blob.problem
            yield {"sha256": blob.sha256, "reason": problem and problem.reason, "detail": problem and problem.detail}
        else:
            yield {"sha256": blob.sha256, "figures": boxes.figures(*blob.detections, blob.size_px, settings)}
