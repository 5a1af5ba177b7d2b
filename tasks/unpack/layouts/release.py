"""`<split>/<image_id>.*`, and the release's own COCO files; images that nobody annotated lie apart from those of their
split that have been.
"""

from collections.abc import Callable, Collection, Iterator

from tasks.core import unpack as core
from tasks.core.coco.lossless import plain_text
from tasks.io.store.releases import Release
from tasks.unpack.layouts.parts import (
    LayoutFile,
    LayoutPart,
    coco_document,
    coco_files,
    damage_unless,
    has_unannotated,
    named_rows,
    names_by_id,
    split_of_file,
)


def parts(release: Release, splits: Collection[str], side_px: int | None) -> dict[str, LayoutPart]:
    """A part for each COCO file that lists images."""
    rows = named_rows(release, coco_files(release, splits))
    found = {}
    for path, of in rows.items():
        name, split = path.removeprefix("coco/").removesuffix(".json"), split_of_file(path)
        root, what = split, "annotated image" if has_unannotated(release, split) else "image"
        if name != split:
            what = "unannotated image"
            root = f"{split}-unannotated" if f"coco/{split}.json" in rows else split
        names = damage_unless(release, names_by_id, of)
        place = f"{core.ANNOTATIONS}/{name}.json"
        found[name] = LayoutPart(root, names, place, _documents(release, path, place, names), [split], what)
    return found


def _documents(release: Release, path: str, place: str, names: dict[int, str]) -> Callable[[], Iterator[LayoutFile]]:
    def documents() -> Iterator[LayoutFile]:
        yield LayoutFile(place, plain_text(coco_document(release, path, names), is_strict=False).encode())

    return documents
