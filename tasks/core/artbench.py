"""ArtBench-10's list of works (Liao et al. 2022, A.2), and the folders of its styles.

A row an image: name (of its file), artist, url, is_public_domain, length (height in px: the paper does not say which
side it is), width, label (of the style, from 0, in the order of the folders' names), split, cifar_index (the row in the
split's batches, where there are any); after them the release's own image_id.
"""

import csv
import io
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from tasks.core.coco.popart import slug
from tasks.core.rights import passes

COLUMNS = (
    *("name", "artist", "url", "is_public_domain", "length", "width", "label", "split", "cifar_index"),
    "image_id",
)


def style_folders(styles: Collection[str]) -> dict[str, str]:
    """The folder of each style: its slug with `_`. Of styles that would share one, all have a number behind it, in the
    order of their names.

    >>> style_folders(["Ukiyo-e", "Art Nouveau", "art nouveau!"])
    {'Art Nouveau': 'art_nouveau_1', 'Ukiyo-e': 'ukiyo_e', 'art nouveau!': 'art_nouveau_2'}
    """
    of_slug: dict[str, list[str]] = {}
    for style in sorted({*styles}):
        of_slug.setdefault(slug(style).replace("-", "_") or "style", []).append(style)
    taken = {name for name, of in of_slug.items() if len(of) == 1}
    folders = {of[0]: name for name, of in of_slug.items() if len(of) == 1}
    for name, of in of_slug.items():
        number = 0
        for style in of if len(of) > 1 else ():
            number += 1
            while f"{name}_{number}" in taken:
                number += 1
            folders[style] = f"{name}_{number}"
            taken.add(folders[style])
    return dict(sorted(folders.items()))


def style_labels(folders: Mapping[str, str]) -> dict[str, int]:
    """The number of each style, from 0, in the order of its folder's name, as torchvision's ImageFolder counts."""
    return {style: number for number, (_, style) in enumerate(sorted((name, style) for style, name in folders.items()))}


def artbench_list(
    images: Iterable[Mapping[str, Any]], names: Mapping[int, str], labels: Mapping[str, int], cifar: Mapping[int, int]
) -> str:
    """The list as CSV with a head, in the order of the images.

    images: rows of the images table with a style. names: of their files by image_id, folders left out. cifar: the row
    in the split's batches by image_id; empty where it is in none. An artist who is not known is empty.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for row in images:
        number = row["image_id"]
        is_public = passes(row["rights_uri"], ["public_domain"])
        known = (names[number].rpartition("/")[2], row["artist"] or "", row["source_url"] or row["image_url"] or "")
        size = (row["height_px"], row["width_px"])
        table.writerow([*known, is_public, *size, labels[row["style"]], row["split"], cifar.get(number, ""), number])
    return text.getvalue()
