"""unpack: a release's images as files, beside files that say what is in them."""

import contextlib
import hashlib
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from fsspec.implementations.local import LocalFileSystem

from schemas.errors import BadInput, BrokenPromise, DamagedFile
from schemas.fetch import HIGHEST_MAX_PIXELS
from schemas.layouts import LayoutWord
from schemas.phrases import counted, listed, quoted
from tasks.core import unpack as core
from tasks.io.files.unpacked import UnpackFolder, alone
from tasks.io.images.decode import UnreadableImage, upright_png
from tasks.io.store import layout, leases
from tasks.io.store.layout import blob_path
from tasks.io.store.releases import Release
from tasks.io.store.store import Store
from tasks.orchestration.progress import progress
from tasks.unpack.layouts import PARTS
from tasks.unpack.layouts.parts import LayoutPart

_EXAMPLES = 5
_COLUMNS = ("record_id", "image_id", "sha256", "format", "split")
_ROWS = 16  # images in memory at once


class ReleaseImage(NamedTuple):
    """An image of a release. data, path: where its bytes are; neither: in the store."""

    record_id: str
    image_id: int
    sha256: str
    data: bytes | None
    path: str | None


def images_of(release: Release, splits: Collection[str]) -> Iterator[ReleaseImage]:
    """The images of these splits, some in memory at a time. Files without one of them are not read."""
    for path in release.parts("images"):
        rows = release.read_columns(path, _COLUMNS).select(_COLUMNS)
        if not {*splits} & {*rows["split"].unique().to_pylist()}:
            continue
        with release.open_parquet(path) as parquet:
            if "image" not in parquet.schema_arrow.names:
                raise release.damage(path, "a table of images as releases have them", ValueError("no column image"))
            batches = parquet.iter_batches(batch_size=_ROWS, columns=["image"])
            places = (place for batch in batches for place in batch["image"].to_pylist())
            for *columns, split, place in zip(*(rows[name].to_pylist() for name in _COLUMNS), places, strict=True):
                if split in splits:
                    yield _image(release, path, columns, place)


def _image(release: Release, path: str, columns: list[Any], place: Any) -> ReleaseImage:
    record_id, image_id, sha256, _ = columns
    try:
        core.check_id(image_id)
        data, media = core.check_place(place)
    except ValueError as problem:
        raise release.damage(path, "a table of images as releases have them", problem) from problem
    return ReleaseImage(record_id, image_id, sha256, data, media)


def turned_name(name: str) -> str:
    """What an image's file is called where its picture is turned.

    >>> turned_name("a.b_7.jpg")
    'a.b_7.png'
    """
    return f"{name.rpartition('.')[0]}.png"


class ImageSource:
    """Where the bytes of a release's images are: in its tables, in its files, or in the store that it was built in."""

    def __init__(self, release: Release, store_url: str | None, *, is_linked: bool, is_turned: bool) -> None:
        self._release, self._is_linked, self.is_turned = release, is_linked, is_turned
        # to read a damaged blob would remove it from the store
        self._store = None if store_url is None else Store(store_url, is_overlay=True)
        if self._store is not None:
            self._store.check_readable()

    def lease(self) -> AbstractContextManager[None]:
        """What keeps blobs from being pruned meanwhile, where the store is one, and may be written."""
        if self._store is None or not self._store.exists(layout.BLOBS):
            return contextlib.nullcontext()
        store = Store(self._store.url)
        try:
            store.check_writable()
        except BadInput:  # to read it is enough
            return contextlib.nullcontext()
        return leases.shared(store, f"unpacking of {self._release.manifest.name}")

    def place(self, image: ReleaseImage, root: str, name: str, target: UnpackFolder) -> tuple[str, str]:
        """Make an image a file of that name below a folder, if it is none yet; what was done, and its name: that of a
        PNG where a picture that lies on its side is turned. Raises DamagedFile for other bytes.
        """
        place = f"{root}/{name}"
        if target.has(place, image.sha256):  # then it needed no turning
            return "there already", name
        data = self._bytes(image)
        if (found := hashlib.sha256(data).hexdigest()) != image.sha256:
            raise DamagedFile(f"expected SHA-256 {quoted(image.sha256)}, got {found}")
        if (png := self._turned(data)) is not None:
            name = turned_name(name)
            is_there = target.has(f"{root}/{name}", hashlib.sha256(png).hexdigest())
            if not is_there:
                target.write(f"{root}/{name}", png)
            return "there already" if is_there else "written", name
        if self._is_linked and (path := self._local_path(image)) and target.link(place, path, image.sha256):
            return "linked", name
        target.write(place, data)
        return "written", name

    def _turned(self, data: bytes) -> bytes | None:
        """A PNG of what lies on its side, if that is turned. Raises DamagedFile where it can't be."""
        try:
            return upright_png(data, HIGHEST_MAX_PIXELS) if self.is_turned else None
        except UnreadableImage as problem:
            raise DamagedFile(
                f"expected a picture that can be turned, got one that can't ({problem.detail})"
            ) from problem

    def _bytes(self, image: ReleaseImage) -> bytes:
        if image.data is not None:
            return image.data
        if image.path in self._release.manifest.files:
            return self._release.read(image.path)
        if self._store is not None:
            return self._store.read_blob(image.sha256)
        raise BadInput(
            f"--store: expected the store in which release {self._release.manifest.version} was built, since it has no "
            "images of its own, got none"
        )

    def _local_path(self, image: ReleaseImage) -> str | None:
        if image.data is not None:
            return None
        if image.path in self._release.manifest.files:
            is_local = isinstance(self._release.fs, LocalFileSystem)
            return f"{self._release.root}/{image.path}" if is_local else None
        return self._store.full(blob_path(image.sha256)) if self._store is not None and self._store.is_local else None


def unpack(
    url: str,
    folder: str,
    splits: Collection[str] = (),
    store_url: str | None = None,
    *,
    layout: LayoutWord = "release",
    is_linked: bool = False,
    is_as_stored: bool = False,
) -> str:
    """Lay out the images of a release as files; what was done, in lines.

    splits: of these alone. store_url: where the bytes are if the release has none. layout: of schemas.layouts.
    is_linked: what lies on the same file system is not copied, but gets a second name. is_as_stored: pictures that lie
    on their side, with a note that says so, are not turned; those of layout source never are.

    Raises BadInput if the folder holds anything else, for a split that is none, images without a store, and a layout
    that the release can't have; Refusal if somebody else is filling the folder; and BrokenPromise where images are gone
    or damaged: all others are unpacked first.
    """
    release = Release(url)
    parts = PARTS[layout](release, splits)
    is_turned = not is_as_stored and layout != "source"
    source = ImageSource(release, store_url, is_linked=is_linked, is_turned=is_turned)
    pictures = "upright" if is_turned else "as stored"
    of = {"name": release.manifest.name, "version": release.manifest.version, "pictures": pictures}
    with alone(folder):
        target = UnpackFolder(folder, of if layout == "release" else {**of, "layout": layout})
        work, notes = _fill(release, source, target, parts)
    lines = [f"{name}: {counted(len(part.names), part.what)} in {folder}/{part.root}" for name, part in parts.items()]
    lines.append(f"files: {', '.join(f'{count:,} {what}' for what, count in work.items() if count) or 'none'}")
    return "\n".join([*lines, *notes, f"unpacked: {folder}"])


def _fill(
    release: Release, source: ImageSource, target: UnpackFolder, parts: dict[str, LayoutPart]
) -> tuple[Counter[str], list[str]]:
    """Write images, what says something of them and, last, the receipt; what was done, as `_unpack_images` counts it,
    and notes.
    """
    for part in parts.values():
        names = part.names.values()
        target.expect(part.root, [*names, *(map(turned_name, names) if source.is_turned else ())])
    with source.lease():
        work = _unpack_images(release, source, target, parts)
    receipt, notes = {}, []
    for name, part in parts.items():
        notes += [f"{name}: {note}" for note in _write_documents(target, part)]
        gone = target.remove_others(part.root, {*part.names.values()}, part.shared)
        work["removed, which the release no longer has"] += gone
        receipt[name] = {"root": part.root, "annotations": part.annotations, "images": len(part.names)}
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
    """Make each image a file; how many were written, linked ..."""
    work, damaged, turned = Counter[str](), list[str](), 0
    part_of = {number: part for part in parts.values() for number in part.names}
    splits = {split for part in parts.values() for split in part.splits}
    with progress("unpack", len(part_of)) as advance:
        for image in images_of(release, splits):
            if (part := part_of.get(image.image_id)) is None:
                continue
            try:
                what, name = source.place(image, part.root, part.names[image.image_id], target)
                work[what] += 1
                turned += name != part.names[image.image_id]
                part.names[image.image_id] = name
            except DamagedFile as problem:
                damaged.append(f"{quoted(image.record_id)} ({problem})")
            advance(1)
    if damaged:
        raise BrokenPromise(
            f"expected only intact images in release {release.manifest.version}, got {len(damaged)} that are damaged "
            f"or gone: {listed(damaged, _EXAMPLES, '; ')}; the other {work.total():,} are unpacked"
        )
    work["of them turned upright"] = turned
    return work
