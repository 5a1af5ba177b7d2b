"""OpenCV's person detector by histograms of oriented gradients: windows of an image pyramid, each with its distance
(margin) from the SVM's plane (Dalal & Triggs, "Histograms of Oriented Gradients for Human Detection", 2005; a baseline
of Ginosar et al., "Detecting People in Cubist Art", 2014). OpenCV 5 has it in its contrib packages alone.
"""

import hashlib
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from schemas.errors import BadInput

Floats = NDArray[np.float32]
WINDOW_PX = (64, 128)
"""Width and height of the window: a person of some 96 px and a border of 16 px."""
STRIDE_PX, PADDING_PX, STEP = 8, 16, 1.05
"""From window to window; around the picture; from one size of the pyramid to the next: OpenCV's defaults."""
PERSON = (0.1, 0.07, 0.8, 0.8)
"""The person's part of a window: left, top, width, height, as shares of its sides (OpenCV's own example)."""
MOST_SIDE_PX = 1024
"""Pictures are scaled down to this longer side, which limits the work: windows stay 128 px high."""
_UNGROUPED = 0
# with several threads, the order of the windows would vary
cv2.setNumThreads(1)


class Windows:
    """The pretrained detector."""

    def __init__(self) -> None:
        """Raises BadInput if this OpenCV has none."""
        if (descriptor := getattr(cv2, "HOGDescriptor", None)) is None:
            expected = "expected an OpenCV with HOGDescriptor for hog (4, or 5 with contrib)"
            raise BadInput(f"{expected}, got {cv2.__version__}")
        self._hog: Any = descriptor()
        self._coefficients = np.asarray(descriptor.getDefaultPeopleDetector(), np.float32)
        self._hog.setSVMDetector(self._coefficients)

    @property
    def sha256(self) -> str:
        """Digest of the coefficients and of all constants that place the windows: what weights are to other models."""
        constants = f"{WINDOW_PX} {STRIDE_PX} {PADDING_PX} {STEP} {PERSON} {MOST_SIDE_PX}"
        return hashlib.sha256(self._coefficients.tobytes() + constants.encode()).hexdigest()

    def detect(self, pixels: NDArray[np.uint8], least_margin: float) -> tuple[Floats, Floats]:
        """The person in every window of at least the margin, ungrouped, best first.

        pixels: (h, w, 3), RGB. Returns xyxy (N, 4) in the picture's px and margins (N,). A picture smaller than the
        window is padded at the right and the bottom with the colours of its edge, and boxes may reach into the padding.
        """
        picture, scales = prepare_picture(pixels)
        strides, padding = (STRIDE_PX, STRIDE_PX), (PADDING_PX, PADDING_PX)
        xywh, margins = self._hog.detectMultiScale(picture, least_margin, strides, padding, STEP, _UNGROUPED)
        boxes = np.asarray(xywh, np.float32).reshape(-1, 4)
        left, top, width, height = np.array(PERSON, np.float32)
        first = boxes[:, :2] + boxes[:, 2:] * np.array([left, top])
        corners = np.concatenate([first, first + boxes[:, 2:] * np.array([width, height])], axis=1)
        corners /= np.concatenate([scales, scales])
        flat = np.asarray(margins, np.float32).reshape(-1)
        order = np.lexsort((*corners.T, -flat))  # suppression breaks ties by this order
        return corners[order], flat[order]


def prepare_picture(pixels: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], Floats]:
    """BGR, at most MOST_SIDE_PX a side, at least as large as the window; and the scales of x and y."""
    height, width = pixels.shape[:2]
    scale = min(1.0, MOST_SIDE_PX / max(height, width))
    inner = (max(1, round(width * scale)), max(1, round(height * scale)))
    scaled = cv2.resize(pixels, inner, interpolation=cv2.INTER_AREA) if scale < 1 else pixels
    missing = [max(0, least - side) for least, side in zip(WINDOW_PX, inner, strict=True)]
    padded = cv2.copyMakeBorder(scaled[:, :, ::-1], 0, missing[1], 0, missing[0], cv2.BORDER_REPLICATE)
    return np.asarray(padded, np.uint8), np.array([inner[0] / width, inner[1] / height], np.float32)
