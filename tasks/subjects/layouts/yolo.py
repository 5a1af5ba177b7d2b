"""`images/<split>/<image_id>.*`, `labels/<split>/<image_id>.txt` and `data.yaml`, as YOLO's trainers read them."""

from collections.abc import Callable, Collection, Iterator

import yaml

from schemas.phrases import counted
from tasks.core.coco.yolo import YoloLabels, yolo_labels
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


def parts(release: Release, request: LayoutRequest) -> dict[str, LayoutPart]:
    """A part for each split of which images are annotated."""
    known = [split_of_file(path) for path in annotated_files(release, LayoutRequest(request.form))]
    found = {}
    for path, rows in named_rows(release, annotated_files(release, request), request.form).items():
        split, names = split_of_file(path), damage_unless(release, names_by_id, rows)
        document = coco_document(release, path, names, request.form)
        labels = damage_unless(release, yolo_labels, document)
        classes = dict(enumerate(category["name"] for category in document["categories"]))
        said = {number: name for number, name in names.items() if number not in labels.unsaid}
        documents = _documents(labels, f"labels/{split}", classes, known)
        found[split] = LayoutPart(f"images/{split}", said, f"labels/{split}", documents, [split])
    return found


def _documents(
    labels: YoloLabels, folder: str, classes: dict[int, str], splits: Collection[str]
) -> Callable[[], Iterator[LayoutFile]]:
    def documents() -> Iterator[LayoutFile]:
        for number, text in labels.texts.items():
            yield LayoutFile(f"{folder}/{number}.txt", text.encode())
        # a reader that asks for val has an error where there is none; one that gets another split's has false figures
        places = {split: f"images/{split}" for split in splits}
        text = yaml.safe_dump({**places, "names": classes}, sort_keys=False, allow_unicode=True)
        yield LayoutFile("data.yaml", text.encode(), _note(labels))

    return documents


def _note(labels: YoloLabels) -> str:
    counts = {
        "of crowds left out, which the format does not know": labels.crowds,
        "beyond the picture left out": labels.outside,
        "cut at the picture's edge": labels.cut,
    }
    told = [f"{counted(count, 'box', 'boxes')} {what}" for what, count in counts.items() if count]
    if labels.unsaid:
        told.append(f"{counted(len(labels.unsaid), 'image')} of such boxes alone left out")
    return "; ".join(told)
