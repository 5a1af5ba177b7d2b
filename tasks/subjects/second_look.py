"""The second look at a pair of pictures, by their thumbnails: what `dedup` decides by, and what leaks are told by."""

import functools

import numpy as np
from numpy.typing import NDArray

from schemas.relations import COPIES, Relation
from tasks.core.dedup import beside, relate, views
from tasks.core.dedup.local import Keypoints
from tasks.io.images import colour_thumbnails, thumbnails


class Picture:
    """A stored thumbnail."""

    def __init__(self, jpeg: bytes | memoryview) -> None:
        self.jpeg = jpeg

    @functools.cached_property
    def grey(self) -> NDArray[np.uint8]:
        """(H, W) grey levels, at half the thumbnail's size. Raises ValueError where it is no JPEG."""
        return thumbnails.grey(self.jpeg)


def look_at(
    one: Picture,
    other: Picture,
    view: views.View,
    *,
    has_equal_size: bool,
    keypoints: tuple[Keypoints, Keypoints] | None = None,
) -> tuple[Relation, relate.PixelAgreement]:
    """What two pictures are to each other, where that view of the one may be the other. has_equal_size: of the whole
    images. keypoints: of both, for the view that is local.
    """
    if keypoints is not None:
        agreement = relate.measure_local_agreement(one.grey, other.grey, keypoints)
    else:
        agreement = relate.measure_agreement(one.grey, other.grey, view)
    relation = relate.relation_of_agreement(agreement, view, has_equal_size=has_equal_size)
    if relation in COPIES and _is_one_a_sheet(agreement, view, (one, other)):
        relation = Relation.DETAIL
    return relation, agreement


def _is_one_a_sheet(agreement: relate.PixelAgreement, view: views.View, pictures: tuple[Picture, Picture]) -> bool:
    """Whether one of two copies shows another picture beside the one that both show."""
    for side, box in agreement.parts():
        picture = colour_thumbnails.rgb(pictures[side].jpeg)
        if not side:  # as `view.pose` turns it; a tilt by 4 degrees is less than what the edge may be off
            picture = np.rot90(picture, view.turns)[:, :: -1 if view.is_mirrored else 1]
        if beside.shows_another_picture(picture, box):
            return True
    return False
