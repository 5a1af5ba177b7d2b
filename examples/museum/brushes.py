"""How paint lies on the ground: twelve ways to turn flat shapes into a picture's surface."""

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from examples.museum.colours import Image
from examples.museum.style import Brush, Style

Plane = NDArray[np.float32]


def brushed(rng: np.random.Generator, style: Style, picture: Image) -> Image:
    """The picture as that style's brush leaves it; nothing moves by more than a stroke's half width."""
    return _BRUSHES[style.brush](rng, picture)


def _to_bytes(plane: NDArray[np.floating]) -> Image:
    return np.asarray(np.clip(plane, 0, 255), dtype=np.uint8)


def _size(picture: Image) -> float:
    """The unit of all brushes: 1 for a picture of 300 px."""
    height, width = picture.shape[:2]
    return max(int(height), int(width)) / 300.0


def _grain(rng: np.random.Generator, picture: Image, along: float, across: float) -> Plane:
    """Noise of standard deviation about 1, smeared along x and y by so many px."""
    height, width = picture.shape[:2]
    noise = rng.integers(0, 256, (height, width), dtype=np.uint8).astype(np.float32) - 127.5
    if rng.uniform() < 0.5:
        along, across = across, along
    smooth = cv2.GaussianBlur(noise, (0, 0), sigmaX=max(0.3, along), sigmaY=max(0.3, across))
    return np.asarray(smooth / max(1e-3, float(smooth.std())), dtype=np.float32)


def _cells(rng: np.random.Generator, picture: Image, cell: float, stretch: float) -> tuple[NDArray[np.int32], Plane]:
    """Which of many small cells each pixel is in (1, 2, ...), and how far from the cell's middle it is, in px."""
    height, width = picture.shape[:2]
    squeezed = (max(2, round(height / stretch)), width)
    count = max(4, round(squeezed[0] * squeezed[1] / (cell * cell)))
    seeds = np.full(squeezed, 255, dtype=np.uint8)
    seeds[rng.integers(0, squeezed[0], count), rng.integers(0, squeezed[1], count)] = 0
    away, labels = cv2.distanceTransformWithLabels(seeds, cv2.DIST_L2, cv2.DIST_MASK_5, labelType=cv2.DIST_LABEL_PIXEL)
    if stretch == 1.0:
        return np.asarray(labels, dtype=np.int32), np.asarray(away, dtype=np.float32)
    size = (width, height)
    full = cv2.resize(labels.astype(np.float32), size, interpolation=cv2.INTER_NEAREST)
    return full.astype(np.int32), np.asarray(cv2.resize(away, size), dtype=np.float32)


def _mean_per_cell(picture: Image, labels: NDArray[np.int32]) -> NDArray[np.float64]:
    """One colour per label: (labels + 1, 3)."""
    flat = labels.ravel()
    counts = np.maximum(1, np.bincount(flat))
    sums = [np.bincount(flat, weights=picture[:, :, channel].ravel()) for channel in range(3)]
    return np.stack(sums, axis=1) / counts[:, None]


def _edges(labels: NDArray[np.int32]) -> NDArray[np.bool_]:
    edge = np.zeros(labels.shape, dtype=np.bool_)
    edge[:, 1:] |= labels[:, 1:] != labels[:, :-1]
    edge[1:] |= labels[1:] != labels[:-1]
    return edge


def _oil(rng: np.random.Generator, picture: Image) -> Image:
    unit = _size(picture)
    soft = cv2.bilateralFilter(picture, 5, 30, 3)
    bristles = _grain(rng, picture, 4.0 * unit, 0.7)
    return _to_bytes(soft * (1 + 0.05 * bristles[:, :, None]))


def _strokes(rng: np.random.Generator, picture: Image) -> Image:
    """Short dabs, each of the mean colour of what it covers and of a tone of its own."""
    turned = rng.uniform() < 0.5
    if turned:
        picture = np.ascontiguousarray(picture.transpose(1, 0, 2))
    labels, _ = _cells(rng, picture, 3.2 * max(0.6, _size(picture)), 2.5)
    colours = _mean_per_cell(picture, labels)
    colours += rng.normal(0, 11, (len(colours), 1)) + rng.normal(0, 5, colours.shape)
    dabs = _to_bytes(0.7 * colours[labels] + 0.3 * picture)
    return np.ascontiguousarray(dabs.transpose(1, 0, 2)) if turned else dabs


def _dots(rng: np.random.Generator, picture: Image) -> Image:
    """Round dots of pure colour on a light priming."""
    cell = 3.0 * max(0.6, _size(picture))
    labels, away = _cells(rng, picture, cell, 1.0)
    colours = _mean_per_cell(picture, labels) + rng.normal(0, 17, (int(labels.max()) + 1, 3))
    cover = np.clip(1.35 - away / (0.62 * cell), 0.0, 1.0)[:, :, None]
    priming = 0.45 * picture + 0.55 * np.array([236.0, 228.0, 208.0])
    return _to_bytes(colours[labels] * cover + priming * (1 - cover))


def _facets(rng: np.random.Generator, picture: Image) -> Image:
    """Planes that break the light, each shaded towards one of its sides."""
    labels, away = _cells(rng, picture, 26.0 * _size(picture), 1.0)
    tones = rng.normal(0, 0.13, int(labels.max()) + 1)
    slope = 0.012 / _size(picture) * rng.choice([-1.0, 1.0], int(labels.max()) + 1)
    gain = 1 + tones[labels] + slope[labels] * away
    return _oil(rng, _to_bytes(picture * gain[:, :, None]))


def _leads(rng: np.random.Generator, picture: Image) -> Image:
    """Panes of glass in lead."""
    labels, _ = _cells(rng, picture, 22.0 * _size(picture), 1.0)
    tones = rng.normal(0, 0.12, int(labels.max()) + 1)
    glass = picture * (1.1 + tones[labels] + 0.05 * _grain(rng, picture, 2.0, 2.0))[:, :, None]
    lead = cv2.dilate(_edges(labels).astype(np.uint8), np.ones((2, 2), dtype=np.uint8))
    return _to_bytes(np.where(lead[:, :, None] > 0, 0.25 * glass, glass))


def _tiles(rng: np.random.Generator, picture: Image) -> Image:
    """Small stones in mortar."""
    labels, _ = _cells(rng, picture, 4.4 * max(0.6, _size(picture)), 1.0)
    colours = _mean_per_cell(picture, labels)
    colours = colours * (1 + rng.normal(0, 0.09, (len(colours), 1)))
    return _to_bytes(np.where(_edges(labels)[:, :, None], 0.62 * colours[labels], colours[labels]))


def _paper(rng: np.random.Generator, picture: Image) -> Image:
    """Flat ink on fibrous paper, with the grain of the block."""
    fibres = _grain(rng, picture, 6.0 * _size(picture), 0.6)
    return _to_bytes(picture * (0.985 + 0.03 * fibres)[:, :, None] + 4)


def _hatch(rng: np.random.Generator, picture: Image) -> Image:
    """Ink lines, crossed where it is dark, over a pale tone."""
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY).astype(np.float32) / 255.0
    rows, columns = np.mgrid[: grey.shape[0], : grey.shape[1]].astype(np.float32)
    period, angle = rng.uniform(2.6, 3.8), rng.uniform(0.4, 1.2)
    ink = np.zeros_like(grey)
    for turn, level in ((angle, 0.62), (angle + 1.5, 0.34)):
        lines = np.sin((columns * np.cos(turn) + rows * np.sin(turn)) * (2 * np.pi / period))
        ink = np.maximum(ink, (lines > 0.1) * np.clip((level - grey) * 3.0, 0, 1))
    tone = 0.35 + 0.65 * grey
    sheet = np.array([248.0, 240.0, 222.0]) * (tone * (1 - 0.6 * ink))[:, :, None]
    return _to_bytes(sheet * (1 + 0.015 * _grain(rng, picture, 1.5, 1.5))[:, :, None])


def _screen(rng: np.random.Generator, picture: Image) -> Image:
    """A printer's screen: dots that grow where it is dark."""
    rows, columns = np.mgrid[: picture.shape[0], : picture.shape[1]].astype(np.float32)
    period = max(3.0, 4.2 * _size(picture))
    lattice = np.sin((columns + rows) * (4.4 / period)) * np.sin((columns - rows) * (4.4 / period))
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY).astype(np.float32) / 255.0
    dotted = lattice > 1.5 * grey - 0.25
    return _to_bytes(np.where(dotted[:, :, None], picture * 0.72, picture * 1.04 + 4))


def _plaster(rng: np.random.Generator, picture: Image) -> Image:
    """A pale wall, stained, with cracks."""
    stains = _grain(rng, picture, 9.0 * _size(picture), 9.0 * _size(picture))
    labels, _ = _cells(rng, picture, 45.0 * _size(picture), 1.0)
    cracked = _edges(labels) & (stains > 0.2)
    wall = (0.85 * picture + 30) * (1 + 0.035 * stains + 0.04 * _grain(rng, picture, 0.8, 0.8))[:, :, None]
    return _to_bytes(np.where(cracked[:, :, None], 0.7 * wall, wall))


def _wash(rng: np.random.Generator, picture: Image) -> Image:
    """Thin colour that gathers at its edges, on rough paper."""
    broad = cv2.GaussianBlur(picture, (0, 0), 2.2 * max(0.6, _size(picture))).astype(np.float32)
    pools = picture + 0.5 * (picture - broad)
    pools = 0.6 * pools + 0.4 * broad
    blots = _grain(rng, picture, 7.0 * _size(picture), 7.0 * _size(picture))
    rough = _grain(rng, picture, 0.7, 0.7)
    return _to_bytes(pools * (1 + 0.05 * blots + 0.025 * rough)[:, :, None])


def _smear(rng: np.random.Generator, picture: Image) -> Image:
    """Wide, wild strokes."""
    labels, _ = _cells(rng, picture, 4.0 * max(0.6, _size(picture)), float(rng.choice([1.0, 3.0])))
    colours = _mean_per_cell(picture, labels)
    colours += rng.normal(0, 16, (len(colours), 1))
    bristles = _grain(rng, picture, 5.0 * _size(picture), 0.7)
    return _to_bytes((0.55 * colours[labels] + 0.45 * picture) * (1 + 0.06 * bristles[:, :, None]))


_BRUSHES: dict[Brush, Callable[[np.random.Generator, Image], Image]] = {
    "oil": _oil,
    "strokes": _strokes,
    "dots": _dots,
    "facets": _facets,
    "leads": _leads,
    "tiles": _tiles,
    "paper": _paper,
    "hatch": _hatch,
    "screen": _screen,
    "plaster": _plaster,
    "wash": _wash,
    "smear": _smear,
}
