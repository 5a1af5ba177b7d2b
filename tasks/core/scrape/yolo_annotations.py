"""Boxes that people drew, from YOLO's texts: which text is of which image, and the COCO document that all come to."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from schemas.errors import BadInput
from schemas.file_names import FileNames
from schemas.phrases import listed, quoted
from schemas.sources import AnyFileSource
from schemas.sources.common import Annotations
from schemas.stand_ins import stand_in
from tasks.core.coco.reader import LeftOut, Schemes, SizePx
from tasks.core.coco.source import FileFigures, figures_of_document
from tasks.core.coco.yolo_classes import read_classes
from tasks.core.coco.yolo_texts import MAX_BYTES, LabelledImage, yolo_document
from tasks.core.fetch import is_url
from tasks.core.passed_over import Tally
from tasks.core.scrape import folder
from tasks.core.scrape.label_paths import is_picture, is_text, stem_of, text_path
from tasks.core.scrape.table_files import Read, UnreadableFile, missing_file

SizeOf = Callable[[str], SizePx]
"""Width and height in px of the upright picture at a path. Raises UnreadableFile where nobody can say."""
_EXAMPLES = 3


def texts_by_image(source: AnyFileSource, settings: Annotations, paths: Sequence[str]) -> dict[str, str]:
    """The path of the text of each image that has one, among the paths below the binding.

    Images are the files that fit the source's pattern; beside a table, which may call images as it likes, all others.
    """
    paths = folder.files(paths)
    there, pattern, found = FileNames(paths), source.image_pattern, dict[str, str]()
    for path in paths:
        is_image = not is_text(path) if pattern is None else folder.fields_of_path(pattern, path) is not None
        text = text_path(settings, path) if is_image else None
        actual = there.find(text) if text is not None else None
        if actual is not None and actual not in {path, settings.path}:
            found[path] = actual
    return found


def read_labels(
    source: AnyFileSource,
    settings: Annotations,
    locators: Collection[str],
    paths: Sequence[str],
    read: Read,
    size_of: SizeOf,
    categories: Schemes,
) -> FileFigures:
    """The figures of all images of the source that have a text, by locator. locators: of its records; paths: below its
    binding.

    Raises BadInput for images at addresses, whose sides nobody knows before they are fetched, where no image has a
    text, for a text that is a pointer to one, and for names of classes as `read_classes` does.
    """
    _refuse_addresses(source, locators)
    name = f"source '{source.name}': '{settings.path}'"
    classes = read_classes(name, settings.path, _names_of_classes(source, settings, paths, read))
    texts = texts_by_image(source, settings, paths)
    labelled = sorted({locator for locator in locators if locator in texts})
    if not labelled:
        raise _no_text(source, settings, sorted(locators), paths)
    others = _others_of_text(labelled, texts, paths)
    images = (_labelled_image(source, image, texts[image], others.get(image, ()), read, size_of) for image in labelled)
    left_out = LeftOut(Tally(), Tally())
    return figures_of_document(name, yolo_document(images, classes), categories, left_out)


def _refuse_addresses(source: AnyFileSource, locators: Iterable[str]) -> None:
    if addresses := sorted(locator for locator in locators if is_url(locator)):
        raise source.bad_input(
            f"images in files below binding '{source.at}', since YOLO's boxes are shares of their sides",
            f"addresses such as {quoted(addresses[0])} ({len(addresses):,} in all): download the images and name their "
            "files, or convert the texts to a COCO file",
        )


def _names_of_classes(source: AnyFileSource, settings: Annotations, paths: Sequence[str], read: Read) -> bytes:
    try:
        data = _read(read, settings.path)
    except UnreadableFile as problem:
        raise source.bad_file(f"{settings.what} '{settings.path}'", problem.got) from problem
    if data is None:
        raise missing_file(source, settings.what, settings.path, FileNames(paths))
    return data


def _read(read: Read, path: str) -> bytes | None:
    """A file's bytes, no more of them than tell that it is too long; None if there is none."""
    file = read(path)
    if file is None:
        return None
    with file:
        return file.read(MAX_BYTES + 1)


def _no_text(source: AnyFileSource, settings: Annotations, locators: Sequence[str], paths: Sequence[str]) -> BadInput:
    """The sentence where no image has a text: a wrong folder, most likely, and no people who have looked in vain."""
    wanted = [(image, text) for image in locators if (text := text_path(settings, image)) is not None]
    if not wanted:
        got = f"none there: {listed([quoted(image) for image in locators], _EXAMPLES)}"
        return source.bad_file(f"images in annotations.folder {quoted(settings.folder)}", got)
    image, text = wanted[0]
    there = FileNames(paths)
    hint = next(filter(None, (there.why_absent(text) for _, text in wanted)), "")
    expected = f"YOLO's texts below binding '{source.at}', such as {quoted(text)} for {quoted(image)}"
    got = f"none of {len(wanted):,}{hint}; if they lie elsewhere, set annotations.labels"
    return source.bad_input(expected, got)


def _others_of_text(images: Sequence[str], texts: Mapping[str, str], paths: Sequence[str]) -> dict[str, Sequence[str]]:
    """Images whose text may be of others as well, and all of these: records, and files beside them of one stem."""
    by_stem, by_text = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for path in paths:
        if is_picture(path):
            by_stem[stem_of(path)].add(path)
    for image in images:
        by_text[texts[image]] |= {image, *by_stem[stem_of(image)]}
    return {image: sorted(by_text[texts[image]]) for image in images if len(by_text[texts[image]]) > 1}


def _labelled_image(
    source: AnyFileSource, image: str, text: str, others: Sequence[str], read: Read, size_of: SizeOf
) -> LabelledImage:
    """An image with its text and its sides, or the problem with either."""
    try:
        data = _read(read, text) or b""
    except UnreadableFile as problem:
        return LabelledImage(image, (None, None), b"", f"expected a text of boxes, got {problem.got}")
    # a pointer says nothing of its image, and where one text is a pointer, all are
    if (words := stand_in(data)) is not None:
        raise source.bad_file(f"YOLO's text '{text}'", words)
    if others:
        shared = listed([quoted(other) for other in others], _EXAMPLES)
        return LabelledImage(image, (None, None), data, f"expected a text of one image, got {quoted(text)} of {shared}")
    try:
        return LabelledImage(image, size_of(image), data)
    except UnreadableFile as problem:
        sides = f"expected an image whose sides can be read, got {problem}"
        return LabelledImage(image, (None, None), data, sides if data.strip() else "")
