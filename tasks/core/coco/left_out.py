"""Entries of a COCO file that say nothing that can be used, and leave all others as they are: counted, by kind.

Only of a source's file. A truth by which others are scored, and a detector's results, are refused for one such entry.
"""

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from tasks.core.coco.ids import Id, read_id
from tasks.core.passed_over import Tally


class LeftOut(NamedTuple):
    """What was left out of a file's lists of images and of annotations."""

    images: Tally
    annotations: Tally


def without_odd_entries(document: Any, left_out: LeftOut) -> tuple[Any, list[int] | None]:
    """The document without images that nobody can find, and without annotations of no image that is left; and the
    places of the images that stay in the list of the file. None: their places are those that they have.

    What is no document of two such lists stays as it is, and so does an image whose id is none: the reader refuses
    both. An annotation whose category the file does not have stays, too: then nobody knows what is in its image.
    """
    if not isinstance(document, dict) or not all(isinstance(document.get(part), list) for part in LeftOut._fields):
        return document, None
    placed = [
        (place, entry)
        for place, entry in _named(document["images"], "images", left_out.images)
        if _is_image(entry, left_out)
    ]
    images = [entry for _, entry in placed]
    ids = {id_or_none(image.get("id")) for image in images}
    annotations = [
        entry
        for _, entry in _named(document["annotations"], "annotations", left_out.annotations)
        if _is_annotation(entry, ids, left_out)
    ]
    return {**document, "images": images, "annotations": annotations}, [place for place, _ in placed]


def id_or_none(value: Any) -> Id | None:
    """The id; None for what is none."""
    try:
        return read_id(value)
    except ValueError:
        return None


def _named(entries: Iterable[Any], part: str, left_out: Tally) -> Iterable[tuple[int, dict[str, Any]]]:
    """The entries that are objects, each with its place in the list."""
    for place, entry in enumerate(entries):
        if isinstance(entry, dict):
            yield place, entry
        else:
            left_out.add(f"entries of `{part}` that are no objects", f"{part}[{place}]")


def _is_image(entry: dict[str, Any], left_out: LeftOut) -> bool:
    name = entry.get("file_name")
    if not isinstance(name, str) or not name:
        left_out.images.add("images without a file name", f"id {entry.get('id')}")
        return False
    return True


def _is_annotation(entry: dict[str, Any], image_ids: Collection[Id | None], left_out: LeftOut) -> bool:
    image_id = id_or_none(entry.get("image_id"))
    if image_id is None or image_id not in image_ids:
        left_out.annotations.add("annotations of no image of the file", f"id {entry.get('id')}")
        return False
    return True
