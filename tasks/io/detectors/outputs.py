"""A torchvision model's outputs: copied from the device at once, then as detections in each picture's own pixels."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tasks.io.detectors.canvases import Size
from tasks.io.detectors.stream import Floats, PictureDetections

_VISIBLE_LOGIT = 2.0
"""The heatmap value from which a joint counts as visible: as Detectron draws Keypoint R-CNN's (kp_thresh)."""


class OutputRows(NamedTuple):
    """All boxes of a batch, a row each: x_min, y_min, x_max, y_max, score, label; x, y, heatmap value of each joint."""

    values: Tensor
    counts: list[int]  # rows of each picture


def rows_from_outputs(outputs: Sequence[dict[str, Tensor]]) -> OutputRows:
    """What a torchvision model returns for a batch, as rows."""
    by_picture = []
    for output in outputs:
        columns = [output["boxes"].float(), output["scores"].float()[:, None], output["labels"].float()[:, None]]
        if "keypoints" in output:
            places, logits = output["keypoints"][:, :, :2].float(), output["keypoints_scores"].float()[:, :, None]
            columns.append(torch.cat([places, logits], dim=2).flatten(1))
        by_picture.append(torch.cat(columns, dim=1))
    return OutputRows(torch.cat(by_picture), [len(rows) for rows in by_picture])


def start_copy_to_host(rows: OutputRows) -> Callable[[], list[Floats]]:
    """Start to copy rows to the host. The returned function waits for them and returns the rows of each picture."""
    if not rows.values.is_cuda:
        return lambda: _by_picture(rows.values, rows.counts)
    host = torch.empty(rows.values.shape, dtype=rows.values.dtype, pin_memory=True)
    host.copy_(rows.values, non_blocking=True)
    done = torch.cuda.current_stream().record_event()

    def wait_for_rows() -> list[Floats]:
        done.synchronize()
        return _by_picture(host, rows.counts)

    return wait_for_rows


def _by_picture(values: Tensor, counts: list[int]) -> list[Floats]:
    return np.split(values.numpy(), np.cumsum(counts)[:-1])


def detections_from_rows(
    rows: Sequence[Floats], sizes: Sequence[tuple[Size, Size]], classes: Sequence[int]
) -> list[PictureDetections]:
    """The detections of these classes in each picture, in its own pixels. sizes: of it, and of it on the canvas."""
    found = []
    for every, (own, on_canvas) in zip(rows, sizes, strict=True):
        wanted = every[np.isin(every[:, 5], classes)]
        own_px, canvas_px = (np.array([size.width_px, size.height_px], np.float32) for size in (own, on_canvas))
        ratio: Floats = own_px / canvas_px
        xyxy, joints = wanted[:, :4] * np.tile(ratio, 2), _joints(wanted[:, 6:], ratio)
        found.append(PictureDetections(xyxy, wanted[:, 4].copy(), wanted[:, 5].astype(np.int64), joints))
    return found


def _joints(columns: Floats, ratio: NDArray[np.float32]) -> Floats | None:
    if not columns.shape[1]:
        return None
    # the number of joints is spelled out: -1 would be ambiguous where no box is left
    joints = columns.reshape(len(columns), columns.shape[1] // 3, 3).copy()
    joints[:, :, :2] *= ratio
    joints[:, :, 2] = np.where(joints[:, :, 2] >= _VISIBLE_LOGIT, 2, 0)
    return joints
