"""NanoDet's raw outputs: boxes as distributions of the distances to their sides."""

from collections.abc import Sequence

import numpy as np

from tasks.core.detect.cells import Floats, cell_counts, class_columns, grid_cells, shapes_text, strong_rows

STRIDES = ((8, 16, 32), (8, 16, 32, 64))
"""Of NanoDet, and of NanoDet-Plus."""
# its authors export 0..7; where all is one output, it does not say so itself
_BINS = 8
_LEAST_BINS, _MOST_BINS = 2, 33


def boxes_from_nanodet(
    outputs: Sequence[Floats], height_px: int, width_px: int, classes: Sequence[int], least_score: float
) -> tuple[Floats, Floats]:
    """NanoDet and NanoDet-Plus: distances to the four sides, each a distribution over 0..reg_max strides.

    outputs: one of (N, C + 4 (reg_max + 1)), with reg_max 7; or for each stride one of (n, C) and one of
    (n, 4 (reg_max + 1)), in any order of strides, the scores first. Rows are cells of strides 8, 16, 32 (NanoDet) or
    8, 16, 32, 64 (NanoDet-Plus), row by row; N = sum of n = ceil(H / s) ceil(W / s). Score = class score, 0..1. A
    distance is the mean of the softmax of its numbers, in strides, from the cell's middle (NanoDet) or its upper left
    corner (NanoDet-Plus). (Li et al., "Generalized Focal Loss", 2020, section 3.2; github.com/RangiLyu/nanodet,
    gfl_head.py and nanodet_plus_head.py.)
    """
    strides, likeness, logits = _parts(outputs, height_px, width_px)
    scores = likeness[:, class_columns(classes, 0, likeness.shape[1])]
    strong = strong_rows(scores, least_score)
    grid, stride = grid_cells(height_px, width_px, strides, is_rounded_up=True)
    sides = logits[strong].reshape(len(strong), 4, logits.shape[1] // 4)
    shares = np.exp(sides - sides.max(axis=2, keepdims=True, initial=-np.inf))
    distances = (shares @ np.arange(sides.shape[2], dtype=np.float32)) / shares.sum(axis=2) * stride[strong]
    start = np.float32(0.5 if strides == STRIDES[0] else 0)
    centre = (grid[strong] + start) * stride[strong]
    xyxy = np.concatenate([centre - distances[:, :2], centre + distances[:, 2:]], axis=1)
    return np.asarray(xyxy, np.float32), scores[strong]


def check_nanodet(outputs: Sequence[Floats], height_px: int, width_px: int) -> None:
    """Raise ValueError unless the outputs for one picture can be NanoDet's."""
    _, likeness, _ = _parts(outputs, height_px, width_px)
    if not ((likeness >= 0) & (likeness <= 1)).all():
        raise ValueError(
            f"expected class scores of 0 to 1, got {likeness.min():.3g} to {likeness.max():.3g}: a model without "
            "its sigmoid, or of another reg_max than 7"
        )


def _parts(outputs: Sequence[Floats], height_px: int, width_px: int) -> tuple[tuple[int, ...], Floats, Floats]:
    """Strides, class scores (N, C) and the numbers of the distances (N, 4 (reg_max + 1)), by stride and cell."""
    for strides in STRIDES:
        counts = cell_counts(height_px, width_px, strides)
        if len(outputs) == 1 and outputs[0].ndim == 2 and len(outputs[0]) == sum(counts):
            classes = outputs[0].shape[1] - 4 * _BINS
            if classes >= 1:
                return strides, outputs[0][:, :classes], outputs[0][:, classes:]
        if len(outputs) == 2 * len(strides) and all(output.ndim == 2 for output in outputs):
            # of one stride as of all: the scores stand before the distances
            levels = [[output for output in outputs if len(output) == count] for count in counts]
            if _are_levels(levels):
                likeness, logits = (np.concatenate(column) for column in zip(*levels, strict=True))
                return strides, likeness, logits
    rows = " or ".join(str(sum(cell_counts(height_px, width_px, strides))) for strides in STRIDES)
    raise ValueError(
        f"expected one output of {rows} rows of class scores and {4 * _BINS} numbers, or for each stride one of scores "
        f"and one of numbers, got {shapes_text([output.shape for output in outputs])}"
    )


def _are_levels(levels: Sequence[Sequence[Floats]]) -> bool:
    if any(len(level) != 2 for level in levels):
        return False
    widths = {tuple(output.shape[1] for output in level) for level in levels}
    _, numbers = next(iter(widths))
    return len(widths) == 1 and numbers % 4 == 0 and _LEAST_BINS <= numbers // 4 <= _MOST_BINS
