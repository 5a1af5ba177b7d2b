"""`<split>/<artist>_<title>-<year>.*`, and COCO files as PoPArt has them, which knows annotated images alone."""

import json
from collections.abc import Callable, Iterator

from schemas.formats import Format
from schemas.phrases import counted
from tasks.core import unpack as core
from tasks.core.coco.popart import file_names, popart_file
from tasks.io.store.releases import Release
from tasks.subjects.layouts.parts import (
    LayoutFile,
    LayoutPart,
    LayoutRequest,
    annotated_files,
    coco_document,
    damage_unless,
    named_rows,
    split_of_file,
)


def parts(release: Release, request: LayoutRequest) -> dict[str, LayoutPart]:
    """A part for each split of which images are annotated."""
    rows = named_rows(release, annotated_files(release, request), request.form, "artist", "title", "year")
    found = {}
    for path, of in rows.items():
        split, names = split_of_file(path), file_names(of)
        place = f"{core.ANNOTATIONS}/{split}.json"
        found[split] = LayoutPart(split, names, place, _documents(release, request.form, path, place, names), [split])
    return found


def _documents(
    release: Release, form: Format, path: str, place: str, names: dict[int, str]
) -> Callable[[], Iterator[LayoutFile]]:
    def documents() -> Iterator[LayoutFile]:
        file = damage_unless(release, popart_file, coco_document(release, path, names, form), names)
        hidden = file.hidden_keypoints
        note = f"{counted(hidden, 'keypoint')} with v = 1 written with v = 2, as PoPArt has them"
        # in the order that the paper prints
        text = json.dumps(file.document, ensure_ascii=False, separators=(",", ":"))
        yield LayoutFile(place, text.encode(), note if hidden else "")

    return documents
