"""Keypoints of a small grey picture: corners that another copy shows, too, each with a code for how it looks there."""

import cv2
import numpy as np
from numpy.typing import NDArray

VERSION = "orb64/v1"
"""Name and version of the codes: every fourth byte of ORB's descriptors of 256 bits."""
_LEVELS = 8
_EDGE_PX = 8
_LEAST_SIDE_PX = 32
"""A code tells of 31 x 31 px."""
_LEAST_CONTRAST = 5
"""Grey levels by which a ring of pixels differs from its middle: faint drawings have corners too."""


def find_keypoints(
    grey: NDArray[np.uint8], *, most: int, side_px: int, level_scale: float
) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
    """The clearest corners of a picture, (H, W) grey, sorted: codes (K,), at most so many, and places (K, 4).

    A place: x and y in px, where the picture's longest side is side_px (256 at most), the size as a power of
    level_scale (0..7), and the angle in steps of 2 degrees (0..179). A picture without corners has none, nor has a
    strip that is more than eight times as long as it is wide (of 256 px). grey has one pixel or more.

    ORB (Rublee and others, "ORB: an efficient alternative to SIFT or SURF", ICCV 2011). Pictures are scaled and
    described in whole numbers; which corners are the clearest is not, so that another build of OpenCV may keep a few
    others.
    """
    height, width = grey.shape
    scale = side_px / max(height, width)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    if min(size) < _LEAST_SIDE_PX:
        return np.empty(0, np.uint64), np.empty((0, 4), np.uint8)
    picture = cv2.resize(grey, size, interpolation=cv2.INTER_LINEAR_EXACT)
    orb = cv2.ORB.create(most, level_scale, _LEVELS, _EDGE_PX, fastThreshold=_LEAST_CONTRAST)
    found, descriptors = orb.detectAndCompute(picture, None)
    if descriptors is None:
        return np.empty(0, np.uint64), np.empty((0, 4), np.uint8)
    codes = np.ascontiguousarray(descriptors[:, ::4]).view("<u8")[:, 0].astype(np.uint64)
    places = np.array([(*point.pt, point.octave, point.angle / 2) for point in found])
    places = np.clip(np.rint(places), 0, (side_px - 1, side_px - 1, _LEVELS - 1, 180)).astype(np.uint8)
    places[:, 3] %= 180
    clearest = np.lexsort((*places.T, codes, [-point.response for point in found]))[:most]
    codes, places = codes[clearest], places[clearest]
    order = np.lexsort((*places.T, codes))
    return codes[order], places[order]
