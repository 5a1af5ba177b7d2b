"""The images of a release, wherever their bytes are, one at a time."""

import contextlib
import hashlib
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from fsspec.implementations.local import LocalFileSystem

from schemas.errors import BadInput, DamagedFile
from schemas.fetch import HIGHEST_MAX_PIXELS
from schemas.phrases import quoted
from schemas.renditions import Rendition
from tasks.core import unpack as core
from tasks.engine.renditions import StoredRenditions, draw
from tasks.io.files.unpacked import UnpackFolder
from tasks.io.images.decode import UnreadableImage, upright_png
from tasks.io.store import layout, leases
from tasks.io.store.layout import blob_path
from tasks.io.store.releases import Release
from tasks.io.store.store import Store

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


def write_once(place: str, data: bytes, target: UnpackFolder) -> str:
    """Write a file, if it is not there as it should be; what was done."""
    if target.has(place, hashlib.sha256(data).hexdigest()):
        return "there already"
    target.write(place, data)
    return "written"


class ImageSource:
    """Where the bytes of a release's images are: in its tables, in its files, or in the store that it was built in."""

    def __init__(self, release: Release, store_url: str | None, *, is_linked: bool, is_turned: bool) -> None:
        self._release, self._is_linked, self.is_turned = release, is_linked, is_turned
        # to read a damaged blob would remove it from the store
        self._store = None if store_url is None else Store(store_url, is_overlay=True)
        if self._store is not None:
            self._store.check_readable()
        self._renditions: dict[Rendition, StoredRenditions] = {}

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
        data = self._stored_bytes(image)
        if (png := self._turned(data)) is not None:
            name = turned_name(name)
            return write_once(f"{root}/{name}", png, target), name
        if self._is_linked and (path := self._local_path(image)) and target.link(place, path, image.sha256):
            return "linked", name
        target.write(place, data)
        return "written", name

    def upright_bytes(self, image: ReleaseImage, name: str) -> tuple[bytes, str]:
        """Its bytes, upright where it is turned, and the name of its file, as `place` has them. Raises as `place`."""
        data = self._stored_bytes(image)
        png = self._turned(data)
        return (data, name) if png is None else (png, turned_name(name))

    def drawn_bytes(self, image: ReleaseImage, rendition: Rendition) -> bytes:
        """The file of its rendition: the store's, if it has one. Raises as `place`, and where it can't be drawn."""
        if self._store is not None and rendition not in self._renditions:
            self._renditions[rendition] = StoredRenditions(self._store, rendition)
        stored = self._renditions[rendition].find(image.sha256) if rendition in self._renditions else None
        return stored or draw(self._stored_bytes(image), rendition)

    def _stored_bytes(self, image: ReleaseImage) -> bytes:
        """Its bytes as they came. Raises DamagedFile for others."""
        data = self._bytes(image)
        if (found := hashlib.sha256(data).hexdigest()) != image.sha256:
            raise DamagedFile(f"expected SHA-256 {quoted(image.sha256)}, got {found}")
        return data

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
