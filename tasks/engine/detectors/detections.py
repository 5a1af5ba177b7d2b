"""What is stored of a detector's work: a row for each blob, whoever found."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from schemas.detect import Detect
from tasks.core.detect import boxes
from tasks.io.detectors import stream
from tasks.io.detectors.detector import Detector


def rows(
    detector: Detector, settings: Detect, blobs: Sequence[str], read: Callable[[str], bytes]
) -> Iterator[dict[str, Any]]:
    """DETECT rows of the blobs; one that has no pixels is a row with the reason. `read` gives a blob's bytes."""
    for seen in stream.detect_blobs(detector, blobs, read):
        if seen.detections is None:
            problem = seen.problem
            yield {"sha256": seen.sha256, "reason": problem and problem.reason, "detail": problem and problem.detail}
        else:
            yield {"sha256": seen.sha256, "figures": boxes.figures(*seen.detections, seen.size_px, settings)}
