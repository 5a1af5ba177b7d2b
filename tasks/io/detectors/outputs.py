"""What a torchvision model returns, out of the device in one copy, and as boxes and keypoints in the pictures' own
pixels.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tasks.io.detectors.canvases import Size
from tasks.io.detectors.detector import Detections, Floats

_VISIBLE_LOGIT = 2.0
"""A joint counts as found from this value of its heatmap on: what Detectron's own drawing of Keypoint R-CNN shows
(vis.py, kp_thresh)."""


class OutputRows(NamedTuple):
    """Boxes of a batch below each other: x_min, y_min, x_max, y_max, score, label, then x, y and heatmap value of each
    joint.
    """

    values: Tensor
    counts: list[int]  # by picture


class PictureSizes(NamedTuple):
    """A picture's size, and its size on the canvas."""

    own: Size
    on_canvas: Size


def rows_from_outputs(outputs: Sequence[dict[str, Tensor]]) -> OutputRows:
    """What torchvision returns for a batch, as rows."""
    found = [torch.cat(_columns(output), dim=1) for output in outputs]
    return OutputRows(torch.cat(found), [len(rows) for rows in found])


def _columns(output: dict[str, Tensor]) -> list[Tensor]:
    columns = [output["boxes"].float(), output["scores"].float()[:, None], output["labels"].float()[:, None]]
    if "keypoints" in output:
        joints = torch.cat(
            [output["keypoints"][:, :, :2].float(), output["keypoints_scores"].float()[:, :, None]], dim=2
        )
        columns.append(joints.flatten(1))
    return columns


def start_copy_to_host(rows: OutputRows) -> Callable[[], list[Floats]]:
    """Starts to copy rows to the host; asked, waits for them and gives those of each picture."""
    if not rows.values.is_cuda:
        return lambda: _by_picture(rows.values, rows.counts)
    host = torch.empty(rows.values.shape, dtype=rows.values.dtype, pin_memory=True)
    host.copy_(rows.values, non_blocking=True)
    done = torch.cuda.current_stream().record_event()

    def waited() -> list[Floats]:
        done.synchronize()
        return _by_picture(host, rows.counts)

    return waited


def _by_picture(values: Tensor, counts: list[int]) -> list[Floats]:
    return np.split(values.numpy(), np.cumsum(counts)[:-1])


def detections_from_rows(
    rows: Sequence[Floats], places: Sequence[PictureSizes], classes: Sequence[int]
) -> list[Detections]:
    """What was found of these classes in each picture, in its own pixels."""
    return [_detections(rows[np.isin(rows[:, 5], classes)], place) for rows, place in zip(rows, places, strict=True)]


def _detections(rows: Floats, place: PictureSizes) -> Detections:
    own, laid = (np.array([size.width_px, size.height_px], np.float32) for size in place)
    ratio: Floats = own / laid
    xyxy = rows[:, :4] * np.tile(ratio, 2)
    return Detections(xyxy, rows[:, 4].copy(), rows[:, 5].astype(np.int64), _joints(rows[:, 6:], ratio))


def _joints(columns: Floats, ratio: NDArray[np.float32]) -> Floats | None:
    if not columns.shape[1]:
        return None
    joints = columns.reshape(len(columns), -1, 3).copy()
    joints[:, :, :2] *= ratio
    joints[:, :, 2] = np.where(joints[:, :, 2] >= _VISIBLE_LOGIT, 2, 0)
    return joints
