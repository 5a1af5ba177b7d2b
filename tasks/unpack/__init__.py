"""unpack: a release's images as files, beside files that say what is in them."""

import contextlib
from collections import Counter
from collections.abc import Collection, Iterator

from schemas.errors import BadInput, BrokenPromise, DamagedFile
from schemas.layouts import RENDERED, LayoutWord
from schemas.phrases import counted, listed, quoted
from tasks.io.files.unpacked import UnpackFolder, alone
from tasks.io.store.releases import Release
from tasks.orchestration.progress import progress
from tasks.unpack.layouts import PARTS
from tasks.unpack.layouts.parts import ArchiveWriter, ImageArchive, LayoutPart
from tasks.unpack.pictures import ImageSource, ReleaseImage, images_of, turned_name, write_once

_EXAMPLES = 5


def unpack(
    url: str,
    folder: str,
    splits: Collection[str] = (),
    store_url: str | None = None,
    *,
    layout: LayoutWord = "release",
    side_px: int | None = None,
    is_linked: bool = False,
    is_as_stored: bool = False,
) -> str:
    """Lay out the images of a release as files; what was done, in lines.

    splits: of these alone. store_url: where the bytes are if the release has none. layout: of schemas.layouts. side_px:
    squares of that side, of a layout that has them. is_linked: what lies on the same file system is not copied, but
    gets a second name. is_as_stored: pictures that lie on their side, with a note that says so, are not turned; those
    of layout source never are, and what is drawn anew always is.

    Raises BadInput if the folder holds anything else, for a split that is none, images without a store, and a layout
    that the release can't have; Refusal if somebody else is filling the folder; and BrokenPromise where images are gone
    or damaged: all others are unpacked first, but for archives that would hold them.
    """
    if side_px is not None and layout not in RENDERED:
        raise BadInput(f"--side-px: expected --layout {' or '.join(RENDERED)}, got {layout}")
    release = Release(url)
    parts = PARTS[layout](release, splits, side_px)
    is_turned = not is_as_stored and layout != "source"
    source = ImageSource(release, store_url, is_linked=is_linked, is_turned=is_turned)
    pictures = "upright" if is_turned else "as stored"
    manifest = release.manifest
    of: dict[str, str | int] = {"name": manifest.name, "version": manifest.version, "pictures": pictures}
    of |= {} if side_px is None else {"side_px": side_px}
    with alone(folder):
        target = UnpackFolder(folder, of if layout == "release" else {**of, "layout": layout})
        work, notes = _fill(release, source, target, parts)
    lines = [f"{name}: {_told(part)} in {folder}/{part.root}".rstrip("/") for name, part in parts.items()]
    lines.append(f"files: {', '.join(f'{count:,} {what}' for what, count in work.items() if count) or 'none'}")
    return "\n".join([*lines, *notes, f"unpacked: {folder}"])


def _told(part: LayoutPart) -> str:
    return counted(len(part.images), part.what)


def _fill(
    release: Release, source: ImageSource, target: UnpackFolder, parts: dict[str, LayoutPart]
) -> tuple[Counter[str], list[str]]:
    """Write images, what says something of them and, last, the receipt; what was done, as `_unpack_images` counts it,
    and notes.
    """
    for part in parts.values():
        names = part.names.values()
        if not part.archives:
            target.expect(part.root, [*names, *(map(turned_name, names) if source.is_turned else ())])
    with source.lease():
        work = _unpack_images(release, source, target, parts)
    receipt, notes = {}, []
    for name, part in parts.items():
        notes += [f"{name}: {note}" for note in _write_documents(target, part)]
        if not part.archives:
            gone = target.remove_others(part.root, {*part.names.values()}, part.shared)
            work["removed, which the release no longer has"] += gone
        receipt[name] = {"root": part.root, "annotations": part.annotations, "images": len(part.images)}
    target.finish(receipt)
    return work, notes


def _write_documents(target: UnpackFolder, part: LayoutPart) -> Iterator[str]:
    """Write what says something of a part's images, and take away what said something of others; its notes."""
    below, written = f"{part.annotations}/", set[str]()
    for document in part.documents():
        target.write_below(document.path, document.data)
        if document.path.startswith(below):
            written.add(document.path.removeprefix(below))
        if document.note:
            yield document.note
    if written:
        target.remove_others(part.annotations, written, part.shared)


def _unpack_images(
    release: Release, source: ImageSource, target: UnpackFolder, parts: dict[str, LayoutPart]
) -> Counter[str]:
    """Make each image a file, or put it into its archives; how many were written, linked ..."""
    work, damaged, turned = Counter[str](), list[str](), 0
    part_of = {number: part for part in parts.values() for number in part.names}
    archives = _Archives(target, parts)
    wanted = part_of.keys() | archives.wanted
    splits = {split for part in parts.values() for split in part.splits}
    with contextlib.closing(archives), progress("unpack", len(wanted)) as advance:
        for image in images_of(release, splits):
            if image.image_id not in wanted:
                continue
            try:
                if (part := part_of.get(image.image_id)) is not None:
                    what, name = _place(source, image, part, target)
                    work[what] += 1
                    turned += part.draw is None and name != part.names[image.image_id]
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
    if part.draw is None:
        return source.place(image, part.root, name, target)
    return write_once(f"{part.root}/{name}", part.draw(source.stored_bytes(image)), target), name


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
            data, name = source.upright_bytes(image, archive.names[image.image_id])
            writer.add(image.image_id, name, data)
            self._left[archive.path] -= 1
            if not self._left[archive.path]:
                del self._writers[archive.path]
                writer.close()
                self._target.keep_archive(place, archive.path)
                self.written += 1
