"""`<split>/<image_id>.*`, and the release's own COCO files; images that nobody annotated lie apart from those of their
split that have been.
"""

from collections.abc import Callable, Iterator

from schemas.formats import Format
from tasks.core import unpack as core
from tasks.core.coco.lossless import plain_text
from tasks.io.store.releases import Release
from tasks.subjects.layouts.parts import (
    LayoutFile,
    LayoutPart,
    LayoutRequest,
    coco_document,
    coco_files,
    damage_unless,
    has_unannotated,
    named_rows,
    names_by_id,
    split_of_file,
)


def parts(release: Release, request: LayoutRequest) -> dict[str, LayoutPart]:
    """A part for each COCO file that lists images."""
    rows = named_rows(release, coco_files(release, request.splits), request.form)
    found = {}
    for path, of in rows.items():
        name, split = path.removeprefix("coco/").removesuffix(".json"), split_of_file(path)
        root, what = split, "annotated image" if has_unannotated(release, split) else "image"
        if name != split:
            what = "unannotated image"
            root = f"{split}-unannotated" if f"coco/{split}.json" in rows else split
        names = damage_unless(release, names_by_id, of)
        place = f"{core.ANNOTATIONS}/{name}.json"
        documents = _documents(release, request.form, path, place, names)
        found[name] = LayoutPart(root, names, place, documents, [split], what)
    return found


def _documents(
    release: Release, form: Format, path: str, place: str, names: dict[int, str]
) -> Callable[[], Iterator[LayoutFile]]:
    def documents() -> Iterator[LayoutFile]:
        yield LayoutFile(place, plain_text(coco_document(release, path, names, form), is_strict=False).encode())

    return documents
