"""A folder is filled with the files of a layout: images and archives once through the release, then what says something
of them, and last the receipt.
"""

import contextlib
from collections import Counter
from collections.abc import Collection, Iterator

from schemas.errors import BrokenPromise, DamagedFile
from schemas.phrases import listed, quoted
from tasks.io.files.unpacked import UnpackFolder
from tasks.io.store.releases import Release
from tasks.orchestration.progress import progress
from tasks.subjects.layouts.parts import ArchiveWriter, ImageArchive, LayoutPart
from tasks.subjects.layouts.pictures import ImageSource, ReleaseImage, images_of, turned_name, write_once

_EXAMPLES = 5


def fill(
    release: Release, source: ImageSource, target: UnpackFolder, parts: dict[str, LayoutPart]
) -> tuple[Counter[str], list[str]]:
    """Write images, what says something of them and, last, the receipt; what was done, as `_unpack_images` counts it,
    and notes.
    """
    for part in parts.values():
        names = part.names.values()
        if part.root:
            target.expect(part.root, [*names, *(map(turned_name, names) if source.is_turned else ())])
    with source.lease():
        work = _unpack_images(release, source, target, parts)
    receipt, notes = {}, []
    for name, part in parts.items():
        notes += [f"{name}: {note}" for note in _write_documents(target, name, part)]
        if part.root:
            gone = target.remove_others(part.root, {*part.names.values()}, part.shared)
            work["removed, which the release no longer has"] += gone
        receipt[name] = {"root": part.root, "annotations": part.annotations, "images": len(part.images)}
    target.finish(receipt)
    return work, notes


def _write_documents(target: UnpackFolder, name: str, part: LayoutPart) -> Iterator[str]:
    """Write what says something of a part's images, and take away what said something of others; its notes."""
    below, written, apart = f"{part.annotations}/", set[str](), list[str]()
    for document in part.documents():
        if document.path.startswith(below):
            written.add(document.path.removeprefix(below))
        else:
            apart.append(document.path)
            target.expect_document(name, document.path)
        target.write_below(document.path, document.data)
        if document.note:
            yield document.note
    if written:
        target.remove_others(part.annotations, written, part.shared)
    target.remove_other_documents(name, apart)


def _unpack_images(
    release: Release, source: ImageSource, target: UnpackFolder, parts: dict[str, LayoutPart]
) -> Counter[str]:
    """Make each image a file, or put it into its archives; how many were written, linked ..."""
    work, damaged, turned = Counter[str](), list[str](), 0
    part_of = {number: part for part in parts.values() for number in part.names}
    archives = _Archives(target, parts)
    wanted = part_of.keys() | archives.wanted
    if not wanted:
        return work
    splits = {split for part in parts.values() for split in part.splits}
    with contextlib.closing(archives), progress("unpack", len(wanted)) as advance:
        for image in images_of(release, splits):
            if image.image_id not in wanted:
                continue
            try:
                if (part := part_of.get(image.image_id)) is not None:
                    what, name = _place(source, image, part, target)
                    work[what] += 1
                    turned += part.rendition is None and name != part.names[image.image_id]
                    part.names[image.image_id] = name
                archives.add(source, image)
            except DamagedFile as problem:
                damaged.append(f"{quoted(image.record_id)} ({problem})")
            advance(1)
    work["archives written" if archives.written != 1 else "archive written"] = archives.written
    if damaged:
        raise BrokenPromise(
            f"expected only intact images in release {release.manifest.version}, got {len(damaged)} that are damaged "
            f"or gone: {listed(damaged, _EXAMPLES, '; ')}; the other {work.total():,} are unpacked"
        )
    work["of them turned upright"] = turned
    return work


def _place(source: ImageSource, image: ReleaseImage, part: LayoutPart, target: UnpackFolder) -> tuple[str, str]:
    name = part.names[image.image_id]
    if part.rendition is None:
        return source.place(image, part.root, name, target)
    return write_once(f"{part.root}/{name}", source.drawn_bytes(image, part.rendition), target), name


class _Archives:
    """Archives of all parts, each open from its first image to its last. Those that are whole already stay."""

    def __init__(self, target: UnpackFolder, parts: dict[str, LayoutPart]) -> None:
        self._target, self._writers = target, dict[str, tuple[ArchiveWriter, str]]()
        self._of: dict[int, list[ImageArchive]] = {}
        self._left = Counter[str]()
        self.written = 0
        for name, part in parts.items():
            target.expect_archives(name, {archive.path: archive.key for archive in part.archives})
            for archive in part.archives:
                if not target.has_archive(archive.path):
                    self._left[archive.path] = len(archive.names)
                    for number in archive.names:
                        self._of.setdefault(number, []).append(archive)

    def close(self) -> None:
        """Leave off those that are not whole."""
        for writer, _ in self._writers.values():
            writer.close()

    @property
    def wanted(self) -> Collection[int]:
        """The images of those that are not whole."""
        return self._of.keys()

    def add(self, source: ImageSource, image: ReleaseImage) -> None:
        """Put an image into its archives. Raises DamagedFile where it can't be: then these do not become whole."""
        for archive in self._of.get(image.image_id, ()):
            if archive.path not in self._writers:
                place = self._target.beside()
                self._writers[archive.path] = archive.open(place), place
            writer, place = self._writers[archive.path]
            name = archive.names[image.image_id]
            if archive.rendition is None:
                data, name = source.upright_bytes(image, name)
            else:
                data = source.drawn_bytes(image, archive.rendition)
            writer.add(image.image_id, name, data)
            self._left[archive.path] -= 1
            if not self._left[archive.path]:
                del self._writers[archive.path]
                writer.close()
                self._target.keep_archive(place, archive.path)
                self.written += 1
