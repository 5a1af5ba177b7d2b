"""`JPEGImages/<image_id>.*`, `Annotations/<image_id>.xml` and `ImageSets/Main/<split>.txt`, as PASCAL VOC has them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow.compute as pc

from schemas.formats import Format
from schemas.phrases import counted
from tasks.core.coco.lossless import from_text
from tasks.core.coco.voc import voc_files
from tasks.io.store.releases import Release
from tasks.subjects.layouts.parts import (
    LayoutFile,
    LayoutPart,
    LayoutRequest,
    annotated_files,
    coco_document,
    damage_unless,
    named_rows,
    names_by_id,
    split_of_file,
)

_IMAGES, _ANNOTATIONS, _SETS = "JPEGImages", "Annotations", "ImageSets/Main"


def parts(release: Release, request: LayoutRequest) -> dict[str, LayoutPart]:
    """A part for each split of which images are annotated; all lie in one folder."""
    rows = named_rows(release, annotated_files(release, LayoutRequest(request.form)), request.form)
    names = {path: damage_unless(release, names_by_id, of) for path, of in rows.items()}
    numbers = [number for of in names.values() for number in of]
    found = {}
    for path in annotated_files(release, request):
        split, mine = split_of_file(path), names[path]
        documents = _documents(release, request.form, path, split, mine)
        found[split] = LayoutPart(_IMAGES, mine, _ANNOTATIONS, documents, [split], shared=[*map(str, numbers)])
    return found


def _documents(
    release: Release, form: Format, path: str, split: str, names: dict[int, str]
) -> Callable[[], Iterator[LayoutFile]]:
    def documents() -> Iterator[LayoutFile]:
        document = coco_document(release, path, names, form)
        found = damage_unless(release, voc_files, document, damage_unless(release, _said, release, split))
        for number, text in found.texts.items():
            yield LayoutFile(f"{_ANNOTATIONS}/{number}.xml", text)
        note = f"{counted(found.crowds, 'box', 'boxes')} of crowds written as difficult, since VOC knows no crowds"
        lines = "".join(f"{number}\n" for number in sorted(names))
        yield LayoutFile(f"{_SETS}/{split}.txt", lines.encode(), note if found.crowds else "")

    return documents


def _said(release: Release, split: str) -> dict[int, Mapping[str, Any]]:
    """What sources said of boxes beside what a column can hold, by annotation_id."""
    rows = release.boxes(["annotation_id", "split", "source_coco"])
    rows = rows.filter(pc.and_(pc.equal(rows["split"], split), pc.is_valid(rows["source_coco"])))
    return {row["annotation_id"]: from_text(row["source_coco"]).get("fields", {}) for row in rows.to_pylist()}
