"""How copies come about: planned in numbers first, so that a copy's size is known with nothing painted."""

from collections.abc import Callable
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as PillowImage

from examples.museum.borders import Border, border, bordered
from examples.museum.figures import Figure
from examples.museum.holdings import Relation
from examples.museum.prints import Print, open_print, save_print
from examples.museum.tones import Lamp, Tones, lamp, toned, tones, under_lamp
from examples.museum.truth import transform_figures

Matrix = NDArray[np.float64]

LEAST_COPY_PX = 40
"""No shorter side is made smaller than this."""
MOST_CROPPED = 0.15
"""Of each axis, both of its ends together."""
MOST_TURNED_DEGREES = 1.5


class Plan(NamedTuple):
    """What is done to an original, in the order of the fields after `quality`.

    size_px: width and height of the copy. quality: None where nothing is lost. view: (3, 3), pixels of the original to
    those of what is left of it, `view_px` in size; None where all is. The copy is then made as large as size_px says.
    """

    extension: str
    size_px: tuple[int, int]
    quality: int | None
    view: Matrix | None = None
    view_px: tuple[int, int] | None = None
    tones: Tones | None = None
    lamp: Lamp | None = None
    border: Border | None = None


def plan_copy(rng: np.random.Generator, relation: Relation, extension: str, size_px: tuple[int, int]) -> Plan | None:
    """The plan for a copy of an original with that extension and upright width and height; None for an exact copy."""
    return None if relation == "exact" else _PLANS[relation](rng, extension, size_px)


def make_copy(plan: Plan, original: Print) -> Print:
    """The copy as a file."""
    picture = open_print(original)
    if plan.view is not None and plan.view_px is not None:
        picture = PillowImage.fromarray(_viewed(np.asarray(picture), plan.view, plan.view_px))
    if plan.tones is not None or plan.border is not None:
        picture = PillowImage.fromarray(_dressed(np.asarray(picture.convert("RGB")), plan))
    if picture.size != plan.size_px:
        picture = picture.resize(plan.size_px, PillowImage.Resampling.LANCZOS)
    if plan.quality is None:
        return save_print(picture, plan.extension)
    method = {"method": 2} if plan.extension == ".webp" else {}
    return save_print(picture, plan.extension, quality=plan.quality, **method)


def figures_of_copy(plan: Plan, original: Print, figures: tuple[Figure, ...]) -> tuple[Figure, ...]:
    """The original's figures where the copy shows them, in its own pixels."""
    edge_px = 0 if plan.border is None else plan.border.width_px
    whole_px = np.array(plan.view_px or (original.width_px, original.height_px)) + 2 * edge_px
    shifted = _shift(edge_px, edge_px) @ (np.eye(3) if plan.view is None else plan.view)
    across, down = np.array(plan.size_px) / whole_px
    return transform_figures(figures, np.diag([across, down, 1.0]) @ shifted, *plan.size_px)


def _viewed(picture: NDArray[np.uint8], view: Matrix, size_px: tuple[int, int]) -> NDArray[np.uint8]:
    # pixels are squares here, and points at whole numbers to OpenCV
    points = _shift(-0.5, -0.5) @ view @ _shift(0.5, 0.5)
    seen = cv2.warpPerspective(picture, points, size_px, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, dtype=np.uint8)


def _dressed(picture: NDArray[np.uint8], plan: Plan) -> NDArray[np.uint8]:
    if plan.tones is not None:
        picture = toned(picture, plan.tones)
    if plan.lamp is not None:
        picture = under_lamp(picture, plan.lamp)
    return picture if plan.border is None else bordered(picture, plan.border)


def _reencoded(rng: np.random.Generator, extension: str, size_px: tuple[int, int]) -> Plan:
    """The same picture, same size, saved by somebody else: another JPEG quality, PNG or WEBP."""
    kind = rng.uniform()
    if kind < 0.1 and extension != ".png":
        return Plan(".png", size_px, None)
    if kind < 0.2 and extension != ".webp":
        return Plan(".webp", size_px, int(rng.integers(60, 91)))
    return Plan(".jpg", size_px, int(rng.integers(40, 91)))


def _resized(rng: np.random.Generator, _: str, size_px: tuple[int, int]) -> Plan:
    """0.35 to 0.9 of its size; small pictures are spared the small scales."""
    scale = rng.uniform(min(0.9, max(0.35, LEAST_COPY_PX / min(size_px))), 0.9)
    return Plan(".jpg", _scaled(size_px, scale), int(rng.integers(70, 96)))


def _recoloured(rng: np.random.Generator, _: str, size_px: tuple[int, int]) -> Plan:
    """In other tones and colours, the geometry as it was."""
    return _printed(rng, size_px)._replace(tones=tones(rng))


def _cropped(rng: np.random.Generator, _: str, size_px: tuple[int, int]) -> Plan:
    """One axis has lost 4 to 15 %, the other up to 15 %."""
    lost = (rng.uniform(0.04, MOST_CROPPED), rng.uniform(0.0, MOST_CROPPED))
    lost = lost if rng.uniform() < 0.5 else lost[::-1]
    before = [int(size * share * rng.uniform()) for size, share in zip(size_px, lost, strict=True)]
    after = [int(size * share) - cut for size, share, cut in zip(size_px, lost, before, strict=True)]
    view_px = (size_px[0] - before[0] - after[0], size_px[1] - before[1] - after[1])
    return _printed(rng, view_px)._replace(view=_shift(-before[0], -before[1]), view_px=view_px)


def _framed(rng: np.random.Generator, _: str, size_px: tuple[int, int]) -> Plan:
    """With a margin or a frame around it."""
    around = border(rng, size_px)
    whole_px = (size_px[0] + 2 * around.width_px, size_px[1] + 2 * around.width_px)
    return _printed(rng, whole_px)._replace(border=around)


def _mirrored(rng: np.random.Generator, _: str, size_px: tuple[int, int]) -> Plan:
    """Left and right changed over."""
    turned = np.array([[-1.0, 0.0, size_px[0]], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    return _printed(rng, size_px)._replace(view=turned, view_px=size_px)


def _rephotographed(rng: np.random.Generator, _: str, size_px: tuple[int, int]) -> Plan:
    """Taken by hand on the wall: turned a little, seen from a little aside, unevenly lit, its rims left out."""
    corners = _corners_seen(rng, size_px)
    edges = np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1)
    view_px = (max(1, round((edges[0] + edges[2]) / 2)), max(1, round((edges[1] + edges[3]) / 2)))
    frame = np.array([[0, 0], [view_px[0], 0], view_px, [0, view_px[1]]], dtype=np.float32)
    view = np.asarray(cv2.getPerspectiveTransform(corners.astype(np.float32), frame), dtype=np.float64)
    plan = _printed(rng, view_px)._replace(view=view, view_px=view_px, quality=int(rng.integers(50, 86)))
    return plan._replace(tones=tones(rng, 0.6), lamp=lamp(rng))


def _corners_seen(rng: np.random.Generator, size_px: tuple[int, int]) -> Matrix:
    """What a photograph shows of a picture: its top left, top right, bottom right, bottom left corner, (4, 2), in
    px.
    """
    size = np.array(size_px, dtype=np.float64)
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * size / 2
    corners += rng.uniform(-0.01, 0.01, (4, 2)) * size
    # an elongated picture that is turned as far as others loses more of its ends than a crop may
    most = MOST_TURNED_DEGREES * min(1.0, 2.5 * size.min() / size.max())
    turn = np.deg2rad(rng.uniform(-most, most))
    corners = corners @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    corners *= rng.uniform(0.96, 0.995) / (np.abs(corners) / (size / 2)).max()
    room = size / 2 - np.abs(corners).max(axis=0)
    return np.asarray(corners + size / 2 + rng.uniform(-1.0, 1.0, 2) * room)


def _printed(rng: np.random.Generator, size_px: tuple[int, int]) -> Plan:
    """A JPEG, half of the time of that size, else down to half of it."""
    scale = 1.0
    if rng.uniform() < 0.5:
        scale = rng.uniform(min(1.0, max(0.5, LEAST_COPY_PX / min(size_px))), 1.0)
    return Plan(".jpg", _scaled(size_px, scale), int(rng.integers(60, 96)))


def _scaled(size_px: tuple[int, int], scale: float) -> tuple[int, int]:
    return max(1, round(size_px[0] * scale)), max(1, round(size_px[1] * scale))


def _shift(across: float, down: float) -> Matrix:
    return np.array([[1.0, 0.0, across], [0.0, 1.0, down], [0.0, 0.0, 1.0]])


_PLANS: dict[Relation, Callable[[np.random.Generator, str, tuple[int, int]], Plan]] = {
    "reencoded": _reencoded,
    "resized": _resized,
    "recoloured": _recoloured,
    "cropped": _cropped,
    "framed": _framed,
    "mirrored": _mirrored,
    "rephotographed": _rephotographed,
}
