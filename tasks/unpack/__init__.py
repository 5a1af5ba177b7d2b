"""unpack: a release's images as files, beside COCO files that name them."""

from collections import Counter
from collections.abc import Collection

from schemas.errors import BrokenPromise, DamagedFile
from schemas.phrases import counted, listed, quoted
from tasks.core import unpack as core
from tasks.io.files.unpacked import UnpackFolder, alone
from tasks.io.store.releases import Release
from tasks.orchestration.progress import progress
from tasks.unpack.flavours import FLAVOURS, Part
from tasks.unpack.images import ImageSource, images_of

_EXAMPLES = 5


def unpack(
    url: str,
    folder: str,
    splits: Collection[str] = (),
    store_url: str | None = None,
    *,
    flavour: str = "release",
    is_linked: bool = False,
) -> str:
    """Lay out the images of a release as files; what was done, in lines.

    splits: of these alone. store_url: where the bytes are if the release has none. flavour: how files are called and
    what stands beside them (tasks.unpack.flavours). is_linked: what lies on the same file system is not copied, but
    gets a second name.

    Raises BadInput if the folder holds anything else, if there is no such split, if a release without images comes
    without a store, and for a release that can't be had in that flavour. Raises Refusal if somebody else is filling the
    folder, and BrokenPromise where images are gone or damaged: all others are unpacked first.
    """
    release = Release(url)
    parts = FLAVOURS[flavour](release, splits)
    source = ImageSource(release, store_url, is_linked=is_linked)
    of = {"name": release.manifest.name, "version": release.manifest.version}
    with alone(folder):
        target = UnpackFolder(folder, of if flavour == "release" else {**of, "flavour": flavour})
        work, notes = _fill(release, source, target, parts)
    lines = [f"{name}: {counted(len(part.names), 'image')} in {folder}/{part.root}" for name, part in parts.items()]
    lines.append(f"files: {', '.join(f'{count:,} {what}' for what, count in work.items() if count) or 'none'}")
    return "\n".join([*lines, *notes, f"unpacked: {folder}"])


def _fill(
    release: Release, source: ImageSource, target: UnpackFolder, parts: dict[str, Part]
) -> tuple[Counter[str], list[str]]:
    """Write images, COCO files and, last, the receipt; what was done, as `_unpack_images` counts it, and notes."""
    target.folder(core.ANNOTATIONS)
    for part in parts.values():
        target.expect(part.root, part.names.values())
    with source.lease():
        work = _unpack_images(release, source, target, parts)
    receipt, notes = {}, []
    for name, part in parts.items():
        data, note = part.document()
        target.write(part.annotations, data)
        work["removed, which the release no longer has"] += target.remove_others(part.root, {*part.names.values()})
        receipt[name] = {"root": part.root, "annotations": part.annotations, "images": len(part.names)}
        notes += [f"{name}: {note}"] * bool(note)
    target.finish(receipt)
    return work, notes


def _unpack_images(release: Release, source: ImageSource, target: UnpackFolder, parts: dict[str, Part]) -> Counter[str]:
    """Make each image a file; how many were written, linked ..."""
    work, damaged = Counter[str](), list[str]()
    places = {number: f"{part.root}/{name}" for part in parts.values() for number, name in part.names.items()}
    splits = {split for part in parts.values() for split in part.splits}
    with progress("unpack", len(places)) as advance:
        for image in images_of(release, splits):
            if (place := places.get(image.image_id)) is None:
                continue
            try:
                work[source.place(image, place, target)] += 1
            except DamagedFile as problem:
                damaged.append(f"{quoted(image.record_id)} ({problem})")
            advance(1)
    if damaged:
        raise BrokenPromise(
            f"expected only intact images in release {release.manifest.version}, got {len(damaged)} that are damaged "
            f"or gone: {listed(damaged, _EXAMPLES, '; ')}; the other {work.total():,} are unpacked"
        )
    return work
