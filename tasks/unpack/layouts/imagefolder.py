"""`<split>/<style>/<image_id>.*`, as torchvision's ImageFolder reads them, and ArtBench's list of works."""

import functools
from collections.abc import Collection

from tasks.core.artbench import style_labels
from tasks.core.unpack import file_name
from tasks.io.images.decode import png_bytes
from tasks.io.store.releases import Release
from tasks.unpack.layouts.parts import LayoutPart, damage_unless
from tasks.unpack.layouts.styled import list_documents, square, styled_rows


def parts(release: Release, splits: Collection[str], side_px: int | None) -> dict[str, LayoutPart]:
    """A part for each split. Raises BadInput where no image has a style."""
    styled = styled_rows(release, splits, "imagefolder")
    labels, found = style_labels(styled.folders), {}
    for split, rows in styled.rows.items():
        names = {}
        for row in rows:
            name = damage_unless(release, file_name, row["image_id"], "PNG" if side_px else row["format"])
            names[row["image_id"]] = f"{styled.folders[row['style']]}/{name}"
        sized = [row if side_px is None else {**row, "width_px": side_px, "height_px": side_px} for row in rows]
        documents = list_documents(f"{split}.csv", sized, names, labels, styled.note(split))
        draw = None if side_px is None else functools.partial(_square_png, side_px)
        found[split] = LayoutPart(split, names, f"{split}.csv", documents, [split], draw=draw)
    return found


def _square_png(side_px: int, data: bytes) -> bytes:
    return png_bytes(square(data, side_px))
