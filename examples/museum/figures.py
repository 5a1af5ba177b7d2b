"""People: bodies placed on the ground of a picture, and the truth that the plate keeps of them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from examples.museum.colours import Image
from examples.museum.dress import Look, shapes_of_body
from examples.museum.shapes import Points, Shape
from examples.museum.skeleton import PoseName, body


class Figure(NamedTuple):
    """What is known of one painted figure, or of one crowd.

    xywh_px: the box around all that is visible. keypoints: 17 of (x, y, v) in COCO's order, v 2 or 0; a joint is
    visible (2) unless the frame, another thing or the turn of the head hides it; x = y = 0 where v = 0.
    """

    xywh_px: tuple[float, float, float, float]
    keypoints: tuple[tuple[float, float, int], ...]
    is_crowd: bool


class PosedFigure(NamedTuple):
    """A figure, or a crowd without joints, ready to be drawn."""

    shapes: tuple[Shape, ...]
    joints_px: Points
    seen: NDArray[np.bool_]
    base_px: float
    size_px: float
    is_crowd: bool


def pose_figure(
    rng: np.random.Generator,
    pose: PoseName,
    dressed: Look,
    foot_px: tuple[float, float],
    height_px: float,
    head_radius: float,
) -> PosedFigure:
    """A figure in that pose whose standing height would be height_px, its lowest point on foot_px."""
    posed = body(rng, pose, head_radius)
    foot = np.array(foot_px)
    joints, head, neck = (part * height_px + foot for part in (posed.joints, posed.head, posed.neck))
    shapes = shapes_of_body(posed, dressed, joints, head, neck, height_px)
    return PosedFigure(tuple(shapes), joints, posed.seen, foot_px[1], height_px, is_crowd=False)


def crowd(members: list[PosedFigure]) -> PosedFigure:
    """Many figures as one: no joints, one box."""
    shapes = tuple(shape for member in sorted(members, key=lambda member: member.base_px) for shape in member.shapes)
    base = max(member.base_px for member in members)
    return PosedFigure(shapes, np.zeros((17, 2)), np.zeros(17, dtype=np.bool_), base, members[0].size_px, is_crowd=True)


def figure_from_plate(plate: Image, number: int, who: PosedFigure) -> Figure:
    """The truth of the figure that wrote `number` on the plate, at least one pixel of it."""
    mine = plate == number
    rows, columns = np.flatnonzero(mine.any(axis=1)), np.flatnonzero(mine.any(axis=0))
    box = (
        float(columns[0]),
        float(rows[0]),
        float(columns[-1] - columns[0] + 1),
        float(rows[-1] - rows[0] + 1),
    )
    keypoints = tuple(
        _keypoint(plate, number, joint) if shown else (0.0, 0.0, 0)
        for joint, shown in zip(who.joints_px, who.seen, strict=True)
    )
    return Figure(box, keypoints, who.is_crowd)


def _keypoint(plate: Image, number: int, joint_px: Points) -> tuple[float, float, int]:
    x, y = round(float(joint_px[0]), 1), round(float(joint_px[1]), 1)
    column, row = int(np.floor(x)), int(np.floor(y))
    is_inside = 0 <= row < plate.shape[0] and 0 <= column < plate.shape[1]
    if is_inside and plate[row, column] == number:
        return x, y, 2
    return 0.0, 0.0, 0
