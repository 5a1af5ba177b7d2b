"""Pictures for the detectors' benchmarks: works of a museum as JPEG files, painted here, so that nothing else need travel."""

import io
from collections.abc import Iterator
from pathlib import Path

from PIL import Image


def painted(count: int, seed: int, longer_side_px: int | None) -> Iterator[bytes]:
    """JPEG files of works 0..count-1, enlarged to that longer side: museum works are small, and those of collections are not.

    Painting needs OpenCV; where there is none, `found_in` takes files that were painted elsewhere.
    """
    from examples.museum.paint import paint

    for number in range(count):
        yield _jpeg(Image.fromarray(paint(seed, number).pixels), longer_side_px)


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
