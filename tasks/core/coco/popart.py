"""A release's COCO file in the way of PoPArt (section 3.4 and figure 8): its fields, its order and its file names.

Images: id, license, width, height, file_name, and metadata with wikiart_url, wikiart_image_url and wikiart_style.
Annotations: id, image_id, category_id, area, bbox, segmentation (the box's four corners), iscrowd (0 or 1; the paper
prints `false`) and, where there are any, keypoints and num_keypoints: v is 2 (seen, or inferred) or 0 (absent, x, y 0).
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from tasks.core.coco.box import area_px2, box_polygon, read_box
from tasks.core.coco.document import EXTENSIONS

Row = dict[str, Any]
_MOST_BYTES = 90
"""Of an artist's and of a title's slug in UTF-8: a whole name stays below the 255 of file systems."""
_BREAK = re.compile(r"[\W_]+")
_HIDDEN, _SEEN = 1, 2


def file_names(works: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """`<artist>_<title>-<year>.<extension>` of each image, by its id.

    works: rows of the images table: image_id, artist, title, year, format. Slugs of letters and digits in lower case
    with hyphens between; what is not known is `unknown-artist`, `untitled`, and no year. Images that would have one
    name all have their image_id before the extension, after a `_`: no slug has one, so that no two names are equal.

    >>> file_names([{"image_id": 7, "artist": "Juan Gris", "title": "Été", "year": 1913, "format": "PNG"}])
    {7: 'juan-gris_ete-1913.png'}
    """
    stems = {}
    for work in works:
        artist, title = slug(work["artist"]) or "unknown-artist", slug(work["title"]) or "untitled"
        stems[work["image_id"]] = f"{artist}_{title}" if work["year"] is None else f"{artist}_{title}-{work['year']}"
    # not by extension: who converts the files must find no two of one name, either
    times = Counter(stems.values())
    endings = {work["image_id"]: EXTENSIONS.get(work["format"], "bin") for work in works}
    return {
        number: f"{stem}_{number}.{endings[number]}" if times[stem] > 1 else f"{stem}.{endings[number]}"
        for number, stem in stems.items()
    }


class PopartFile(NamedTuple):
    """A document, and how many keypoints that were labelled and hidden (v = 1) it has as seen (v = 2)."""

    document: Row
    hidden_keypoints: int


def popart_file(document: Mapping[str, Any], names: Mapping[int, str]) -> PopartFile:
    """The file of one split. names: of its images. Raises LookupError, TypeError or ValueError for others' files."""
    fields = {
        "info": document["info"],
        "licenses": document["licenses"],
        "images": [_image(image, names[image["id"]]) for image in document["images"]],
        "annotations": [_annotation(box) for box in document["annotations"]],
        "categories": document["categories"],
    }
    visibilities = (v for box in document["annotations"] for v in (box.get("keypoints") or ())[2::3])
    return PopartFile(fields, sum(v == _HIDDEN for v in visibilities))


def _image(image: Mapping[str, Any], file_name: str) -> Row:
    metadata = image["metadata"]
    return {
        **{name: image[name] for name in ("id", "license", "width", "height")},
        "file_name": file_name,
        "metadata": {
            "wikiart_url": metadata["source_url"],
            "wikiart_image_url": image["coco_url"] or None,
            "wikiart_style": metadata["style"],
        },
    }


def _annotation(box: Mapping[str, Any]) -> Row:
    xywh_px, xyv = read_box(box["bbox"]), box.get("keypoints") or []
    plain = {
        **{name: box[name] for name in ("id", "image_id", "category_id")},
        "area": round(area_px2(xywh_px), 2),
        "bbox": xywh_px,
        "segmentation": box_polygon(xywh_px),
        "iscrowd": box["iscrowd"],
    }
    points = [(x, y, _SEEN) if v else (0, 0, 0) for x, y, v in zip(xyv[::3], xyv[1::3], xyv[2::3], strict=True)]
    labelled = sum(v > 0 for _, _, v in points)
    return {**plain, "keypoints": [*chain(*points)], "num_keypoints": labelled} if labelled else plain


def slug(text: str | None) -> str:
    """Letters and digits of any script in lower case, without accents, with a hyphen for all between them; at most 90
    bytes of UTF-8, and empty for text without any.

    >>> slug("Art Nouveau (Modern)"), slug(None)
    ('art-nouveau-modern', '')
    """
    plain = unicodedata.normalize("NFKD", text or "").casefold()
    bare = unicodedata.normalize("NFC", "".join(letter for letter in plain if not unicodedata.combining(letter)))
    return _BREAK.sub("-", bare).encode()[:_MOST_BYTES].decode(errors="ignore").strip("-")
