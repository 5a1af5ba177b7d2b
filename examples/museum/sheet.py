"""A contact sheet of a release with its detector's boxes: `python -m examples.museum.sheet RELEASE OUT.jpg`."""

import io
import sys
from pathlib import Path

import pandas as pd
from PIL import Image, ImageDraw, ImageOps

ROW_PX, WIDTH_PX, ROWS, GAP_PX = 150, 920, 3, 6
_SCORE = 0.3


def sheet(release: Path) -> Image.Image:
    """Rows of images, by image_id, each as high as its row, with the boxes from a score of 0.3 on."""
    images = pd.read_parquet(release / "images").sort_values("image_id")
    boxes = pd.read_parquet(release / "detections")
    boxes = boxes[boxes.score >= _SCORE]
    canvas = Image.new("RGB", (WIDTH_PX, ROWS * (ROW_PX + GAP_PX) - GAP_PX), "white")
    x = y = 0
    for image_id, image in zip(images.image_id, images.image, strict=True):
        small = _drawn(dict(image)["bytes"], [list(box) for box in boxes[boxes.image_id == image_id].xywh_px])
        if x + small.width > WIDTH_PX:
            x, y = 0, y + ROW_PX + GAP_PX
        if y + ROW_PX > canvas.height:
            break
        canvas.paste(small, (x, y))
        x += small.width + GAP_PX
    return canvas


def _drawn(data: bytes, boxes: list[list[float]]) -> Image.Image:
    upright = ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB")
    scale = ROW_PX / upright.height
    small = upright.resize((max(1, round(upright.width * scale)), ROW_PX), Image.Resampling.LANCZOS)
    for left, top, width, height in boxes:
        corners = [left * scale, top * scale, (left + width) * scale, (top + height) * scale]
        ImageDraw.Draw(small).rectangle(corners, outline=(255, 59, 31), width=2)
    return small


if __name__ == "__main__":
    sheet(Path(sys.argv[1])).save(sys.argv[2], quality=82)
