"""Small pictures on a page, drawn without anything from elsewhere."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.core.drawing import escape


@dataclass(frozen=True)
class Thumbnail:
    """A small picture: a data URI, and the size of the original in px."""

    uri: str
    width_px: int
    height_px: int

    @property
    def shown_ratio(self) -> float:
        """Width : height in a row of pictures, where those of extreme shapes have room around them: 0.8 to 2.2.

        So a caption has room, and on a phone two pictures lie side by side, unless one of them fills the row.
        """
        return min(2.2, max(0.8, self.width_px / max(self.height_px, 1)))


def jpeg_thumbnail(jpeg: bytes | memoryview, width_px: int, height_px: int) -> Thumbnail:
    """The thumbnail with these bytes.

    >>> jpeg_thumbnail(b"abc", 3, 2).uri
    'data:image/jpeg;base64,YWJj'
    """
    return Thumbnail(f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}", width_px, height_px)


def drawing(thumbnail: Thumbnail, boxes: Sequence[Sequence[float]], label: str) -> str:
    """The thumbnail as SVG in the original's pixels, in which boxes (xywh_px) are. label: for who can't see it."""
    width, height = thumbnail.width_px, thumbnail.height_px
    drawn = "".join(
        f"<rect x='{x:g}' y='{y:g}' width='{w:g}' height='{h:g}' fill='none' stroke='#ff3b1f' "
        f"stroke-width='{max(width, height) / 90:.1f}'/>"
        for x, y, w, h in boxes
    )
    return (
        f"<svg viewBox='0 0 {width} {height}' role='img' aria-label='{escape(label)}'>"
        f"<image href='{escape(thumbnail.uri)}' width='{width}' height='{height}'/>{drawn}</svg>"
    )


def picture(thumbnail: Thumbnail | None, boxes: Sequence[Sequence[float]], label: str, caption: str) -> str:
    """A <figure> of the thumbnail, or of a line in its place: None: it may not be shown. caption: HTML; else as
    `drawing`.
    """
    if thumbnail is None:
        return f"<figure><div class=none>not shown</div><figcaption>{caption}</figcaption></figure>"
    drawn = drawing(thumbnail, boxes, label)
    return f"<figure style='--ratio:{thumbnail.shown_ratio:.3g}'>{drawn}<figcaption>{caption}</figcaption></figure>"
