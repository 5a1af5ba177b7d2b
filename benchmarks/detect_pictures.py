"""Pictures for the detectors' benchmarks: works of a museum as JPEG files, painted here, so that nothing else need
travel.
"""

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

_ASPECTS = (0.62, 0.7, 0.75, 0.8, 0.86, 1.0, 1.2, 1.27, 1.33, 1.41, 1.5, 1.78)
"""Width by height, as paintings have them."""


def painted(count: int, seed: int, longer_side_px: int | None) -> Iterator[bytes]:
    """JPEG files of works 0..count-1, enlarged to that longer side: museum works are small, and those of collections
    are not.

    Painting needs OpenCV; where there is none, there is `textured`.
    """
    from examples.museum.paint import paint

    for number in range(count):
        yield _jpeg(Image.fromarray(paint(seed, number).pixels), longer_side_px)


def textured(count: int, seed: int, longer_side_px: int) -> Iterator[bytes]:
    """JPEG files of the sizes and about the bytes of painted works, with nothing in them but patches of colour and
    grain.
    """
    rng = np.random.default_rng(seed)
    for number in range(count):
        aspect = _ASPECTS[number % len(_ASPECTS)]
        width, height = (round(longer_side_px * side / max(aspect, 1)) for side in (aspect, 1))
        patches = Image.fromarray(rng.integers(0, 256, (9, 9, 3), dtype=np.uint8)).resize((width, height), 3)
        grain = rng.integers(-3, 4, (height, width, 1))
        yield _jpeg(Image.fromarray(np.clip(np.asarray(patches) + grain, 0, 255).astype(np.uint8)), None)


def drawn(count: int, seed: int) -> list[list[tuple[list[float], bool]]]:
    """The true boxes of these works as they were painted, x, y, width, height in px; and whether each is of a crowd."""
    from examples.museum.paint import paint

    return [
        [(list(figure.xywh_px), figure.is_crowd) for figure in paint(seed, number).figures] for number in range(count)
    ]


def found_in(folder: Path, count: int) -> Iterator[bytes]:
    """The first files of a folder of pictures, by name."""
    files = sorted(file for file in folder.rglob("*") if file.suffix.lower() in {".jpg", ".jpeg"})
    for file in files[:count]:
        yield file.read_bytes()


def _jpeg(picture: Image.Image, longer_side_px: int | None) -> bytes:
    if longer_side_px is not None:
        scale = longer_side_px / max(picture.size)
        size = (round(picture.width * scale), round(picture.height * scale))
        picture = picture.resize(size, Image.Resampling.BICUBIC)
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=90)
    return file.getvalue()
