"""unpack: a release's images as files, beside COCO files that name them."""

import contextlib
import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from fsspec.implementations.local import LocalFileSystem

from schemas.errors import BadInput, BrokenPromise, DamagedFile
from schemas.phrases import counted, listed, quoted
from tasks.core import unpack as core
from tasks.engine.progress import progress
from tasks.io.files.unpacked import UnpackFolder, alone
from tasks.io.store import layout, leases
from tasks.io.store.layout import blob_path
from tasks.io.store.releases import Release
from tasks.io.store.store import Store

_COCO = re.compile(r"coco/([^/.]+)\.json")
_COLUMNS = ("record_id", "image_id", "sha256", "format", "split")
_ROWS = 16  # images in memory at once
_EXAMPLES = 5


class _Image(NamedTuple):
    """An image of a release. name: of its file. data, path: where its bytes are; neither: in the store."""

    record_id: str
    image_id: int
    sha256: str
    split: str
    name: str
    data: bytes | None
    path: str | None


def unpack(
    url: str, folder: str, splits: Collection[str] = (), store_url: str | None = None, *, is_linked: bool = False
) -> str:
    """Lay out the images of a release as files; what was done, in lines.

    splits: of these alone. store_url: where the bytes are if the release has none. is_linked: what lies on the same
    file system is not copied, but gets a second name.

    Raises BadInput if the folder holds anything else, if there is no such split, and if a release without images comes
    without a store. Raises Refusal if somebody else is filling the folder, and BrokenPromise where images are gone or
    damaged: all others are unpacked first.
    """
    release = Release(url)
    files: dict[str, dict[int, str]] = {split: {} for split in _chosen_splits(release, splits)}
    source = _Source(release, store_url, is_linked=is_linked)
    with alone(folder):
        target = UnpackFolder(folder, {"name": release.manifest.name, "version": release.manifest.version})
        work = _fill(release, source, target, files)
    lines = [f"{split}: {counted(len(names), 'image')} in {folder}/{split}" for split, names in files.items()]
    lines.append(f"files: {', '.join(f'{count:,} {what}' for what, count in work.items() if count) or 'none'}")
    return "\n".join([*lines, f"unpacked: {folder}"])


def _fill(release: Release, source: "_Source", target: UnpackFolder, files: dict[str, dict[int, str]]) -> Counter[str]:
    """Write images, COCO files and, last, the receipt; what was done, as `_unpack_images` counts it."""
    for name in (core.ANNOTATIONS, *files):
        target.folder(name)
    with source.lease():
        work = _unpack_images(release, source, target, files)
    receipt = {}
    for split, names in files.items():
        path = f"{core.ANNOTATIONS}/{split}.json"
        target.write(path, _annotations(release, split, names))
        work["removed, which the release no longer has"] += target.remove_others(split, {*names.values()})
        receipt[split] = {"root": split, "annotations": path, "images": len(names)}
    target.finish(receipt)
    return work


def _unpack_images(
    release: Release, source: "_Source", target: UnpackFolder, files: dict[str, dict[int, str]]
) -> Counter[str]:
    """Fill in the names of all images by split and id, and make each a file; how many were written, linked ..."""
    work, damaged = Counter[str](), list[str]()
    in_release = Counter(release.rows("images", ["split"])["split"].to_pylist())
    if unknown := sorted(in_release.keys() - {*_splits_of(release)}):
        raise release.damage(
            "coco", "a folder with a file for each split", ValueError(f"none for {quoted(unknown[0])}")
        )
    with progress("unpack", sum(in_release[split] for split in files)) as advance:
        for image in _images(release, files.keys()):
            if image.image_id in files[image.split]:
                raise release.damage("images", "a table with each image_id once", ValueError(f"{image.image_id} twice"))
            files[image.split][image.image_id] = image.name
            try:
                work[source.place(image, target)] += 1
            except DamagedFile as problem:
                damaged.append(f"{quoted(image.record_id)} ({problem})")
            advance(1)
    if damaged:
        raise BrokenPromise(
            f"expected only intact images in release {release.manifest.version}, got {len(damaged)} that are damaged "
            f"or gone: {listed(damaged, _EXAMPLES, '; ')}; the other {work.total():,} are unpacked"
        )
    return work


def _splits_of(release: Release) -> list[str]:
    """The splits of which it has COCO files. Raises DamagedFile for one that no recipe can have."""
    found = [match[1] for match in map(_COCO.fullmatch, release.manifest.files) if match]
    try:
        return [core.check_split(split) for split in found]
    except ValueError as problem:
        raise release.damage("coco", "a folder of releases", problem) from problem


def _chosen_splits(release: Release, wanted: Collection[str]) -> list[str]:
    splits = _splits_of(release)
    if missing := [split for split in wanted if split not in splits]:
        raise BadInput(f"--split: expected one of {', '.join(splits)}, got {quoted(missing[0])}")
    return [split for split in splits if split in (wanted or splits)]


def _images(release: Release, splits: Collection[str]) -> Iterator[_Image]:
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
                    yield _image(release, path, columns, split, place)


def _image(release: Release, path: str, columns: list[Any], split: str, place: Any) -> _Image:
    record_id, image_id, sha256, format_name = columns
    try:
        name = core.file_name(image_id, format_name)
        data, media = core.check_place(place)
    except ValueError as problem:
        raise release.damage(path, "a table of images as releases have them", problem) from problem
    return _Image(record_id, image_id, sha256, split, name, data, media)


class _Source:
    """Where the bytes of a release's images are: in its tables, in its files, or in the store that it was built in."""

    def __init__(self, release: Release, store_url: str | None, *, is_linked: bool) -> None:
        self._release, self._is_linked = release, is_linked
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

    def place(self, image: _Image, target: UnpackFolder) -> str:
        """Make an image a file, if it is none yet; what was done.

        Raises DamagedFile if its bytes are gone, or others than the table says.
        """
        name = f"{image.split}/{image.name}"
        if target.has(name, image.sha256):
            return "there already"
        if self._is_linked and (path := self._local_path(image)) and target.link(name, path, image.sha256):
            return "linked"
        data = self._bytes(image)
        if (found := hashlib.sha256(data).hexdigest()) != image.sha256:
            raise DamagedFile(f"expected SHA-256 {quoted(image.sha256)}, got {found}")
        target.write(name, data)
        return "written"

    def _bytes(self, image: _Image) -> bytes:
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

    def _local_path(self, image: _Image) -> str | None:
        if image.data is not None:
            return None
        if image.path in self._release.manifest.files:
            is_local = isinstance(self._release.fs, LocalFileSystem)
            return f"{self._release.root}/{image.path}" if is_local else None
        return self._store.full(blob_path(image.sha256)) if self._store is not None and self._store.is_local else None


def _annotations(release: Release, split: str, names: dict[int, str]) -> bytes:
    path = f"coco/{split}.json"
    try:
        document = core.with_file_names(release.read_json(path), names)
    except ValueError as problem:
        raise release.damage(path, "the COCO file of its split", problem) from problem
    return json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
