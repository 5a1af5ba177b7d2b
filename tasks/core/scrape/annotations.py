"""What people drew in a source's images, whatever the format of the files in which it stands."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from schemas.file_names import FileNames
from schemas.sources import AnyFileSource
from schemas.sources.common import Annotations, OneFile
from schemas.stand_ins import stand_in
from tasks.core.coco import source as coco
from tasks.core.coco.reader import LeftOut, Schemes, SizePx
from tasks.core.scrape import folder, voc_annotations, yolo_annotations
from tasks.core.scrape.table_files import Read, UnreadableFile, missing_file, read_bytes


class SourceAnnotations(NamedTuple):
    """The figures that people drew, by locator (None: not annotated), and what of them was left out and why."""

    figures_of: Callable[[str], coco.ImageFigures | None]
    details: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()
    by_locator: Mapping[str, coco.ImageFigures] = {}  # of a COCO document's images
    left_out: LeftOut | None = None  # of a COCO document
    head: Mapping[str, Any] | None = None  # a row of COCO_FILES


def files_to_read(source: AnyFileSource, paths: Sequence[str]) -> set[str]:
    """Paths of the files in which annotations may stand; some of them may not be there."""
    boxes, pattern, there = source.annotations, source.image_pattern, FileNames(paths)
    if boxes is None:
        return set()
    if boxes.format == "voc":
        images = (path for path in paths if pattern and folder.fields_of_path(pattern, path) is not None)
        return {folder.annotation_path(boxes.path, pattern or "", path, there) for path in images}
    texts = yolo_annotations.texts_by_image(source, boxes, paths) if boxes.format == "yolo" else {}
    return {there.find(boxes.path) or "", *texts.values()}


def images_to_measure(source: AnyFileSource, paths: Sequence[str]) -> list[str]:
    """Paths of the images whose sides are needed to say where figures are; sorted."""
    boxes = source.annotations
    if boxes is None or boxes.format != "yolo":
        return []
    return sorted(yolo_annotations.texts_by_image(source, boxes, paths))


def nobody_knows(path: str) -> SizePx:
    """The sides of images that nobody has looked at. Raises UnreadableFile."""
    raise UnreadableFile(f"nothing of '{path}'")


def read_annotations(
    source: AnyFileSource,
    settings: Annotations,
    there: FileNames,
    found: pa.Table,
    read: Read,
    size_of: yolo_annotations.SizeOf,
    categories: Schemes,
) -> SourceAnnotations:
    """there: the files below the binding. found: the source's RECORDS. size_of: the sides of `images_to_measure`.

    Raises BadInput where a file that all images need is missing, is another one, or can't be read.
    """
    absent = coco.ImageFigures([]) if settings.missing == "no_figures" else None
    if settings.format == "voc":
        return _of_voc(source, settings, there, read, absent)
    if settings.one_file is None:
        locators = found.filter(pc.is_null(found["reason"]))["locator"].to_pylist()
        file = yolo_annotations.read_labels(source, settings, locators, [*there], read, size_of, categories)
        names = {name: name for name in file.by_file_name}
    else:
        file = _read_file(source, settings, settings.one_file, there, read, categories)
        below = f"{settings.folder.rstrip('/')}/" if settings.folder else ""
        names = _locators_of(file.by_file_name, below, FileNames(found["locator"].drop_null().to_pylist()))
    by_locator = {names[name]: figures for name, figures in file.by_file_name.items()}

    def figures_of(locator: str) -> coco.ImageFigures | None:
        # of an image that is called otherwise than it is listed, nobody knows where its own text would lie
        is_lost = settings.one_file is None and there.find(locator) is None
        return None if is_lost else by_locator.get(locator, absent)

    return SourceAnnotations(
        figures_of,
        {names.get(name, name): detail for name, detail in file.details.items()},
        file.notes,
        by_locator,
        file.left_out,
        {"source": source.name, "path": settings.path, **file.head},
    )


def _read_file(
    source: AnyFileSource, settings: Annotations, form: OneFile, there: FileNames, read: Read, categories: Schemes
) -> coco.FileFigures:
    """The figures of the one file of all images."""
    try:
        data = read_bytes(read, settings.path)
    except UnreadableFile as problem:
        raise source.bad_file(f"{settings.what} '{settings.path}'", problem.got) from problem
    if data is None:
        raise missing_file(source, settings.what, settings.path, there)
    return coco.read_figures(f"source '{source.name}': '{settings.path}'", data, categories, form)


def _of_voc(
    source: AnyFileSource, settings: Annotations, there: FileNames, read: Read, absent: coco.ImageFigures | None
) -> SourceAnnotations:
    """The figures of each image's own file, read when they are asked for."""

    def of_voc(locator: str) -> coco.ImageFigures | None:
        pattern = source.image_pattern
        path = None if pattern is None else folder.annotation_path(settings.path, pattern, locator, there)
        data = None if path is None else read_bytes(read, path)
        if data is None:
            return absent
        # a pointer says nothing of its image, and where one file is a pointer, all are
        if (words := stand_in(data)) is not None:
            raise source.bad_file(f"VOC annotations '{path}'", words)
        return voc_annotations.read_voc(data, settings.corners)

    return SourceAnnotations(of_voc)


def _locators_of(file_names: Collection[str], below: str, images: FileNames) -> dict[str, str]:
    """By each `file_name`, where its image is; the name itself if none is called so, or another more exactly."""
    paths = {name: f"{below}{name}" for name in file_names}
    exact = set(paths.values())
    found: dict[str, str] = {}
    for name, path in paths.items():
        actual = images.find(path) or path
        found[name] = path if actual != path and actual in exact else actual
        exact.add(found[name])
    return found
