"""unpack: a release's images as files, beside files that say what is in them."""

from collections.abc import Collection

from schemas.formats import Format, settings_of
from schemas.layouts import LayoutWord
from schemas.phrases import counted
from tasks.io.files.unpacked import UnpackFolder, alone
from tasks.io.store.releases import Release
from tasks.subjects.layouts import parts_of
from tasks.subjects.layouts.filling import fill
from tasks.subjects.layouts.parts import LayoutPart, LayoutRequest
from tasks.subjects.layouts.pictures import ImageSource


def unpack(
    url: str,
    folder: str,
    splits: Collection[str] = (),
    store_url: str | None = None,
    *,
    layout: LayoutWord | Format = "release",
    is_linked: bool = False,
    is_as_stored: bool = False,
) -> str:
    """Lay out the images of a release as files; what was done, in lines.

    splits: of these alone. store_url: where the bytes are if the release has none. layout: a word, or a format that
    says which images, and how they are drawn anew. is_linked: what lies on the same file system is not copied, but gets
    a second name. is_as_stored: pictures that lie on their side, with a note that says so, are not turned; those of
    layout source never are, and what is drawn anew always is.

    Raises BadInput if the folder holds anything else, for a split that is none, images without a store, and a layout
    that the release can't have; Refusal if somebody else is filling the folder; and BrokenPromise where images are gone
    or damaged: all others are unpacked first, but for archives that would hold them.
    """
    form = layout if isinstance(layout, Format) else Format(layout=layout)
    release = Release(url)
    parts = parts_of(release, LayoutRequest(form, splits))
    is_turned = not is_as_stored and form.layout != "source"
    source = ImageSource(release, store_url, is_linked=is_linked, is_turned=is_turned)
    pictures = "upright" if is_turned else "as stored"
    manifest = release.manifest
    # of a receipt without a word of its layout, that is `release`
    settings = {name: value for name, value in settings_of(form).items() if value != "release"}
    of = {"name": manifest.name, "version": manifest.version, "pictures": pictures, **settings}
    with alone(folder):
        work, notes = fill(release, source, UnpackFolder(folder, of), parts)
    lines = [f"{name}: {_told(part)} in {folder}/{part.root}".rstrip("/") for name, part in parts.items()]
    lines.append(f"files: {', '.join(f'{count:,} {what}' for what, count in work.items() if count) or 'none'}")
    return "\n".join([*lines, *notes, f"unpacked: {folder}"])


def _told(part: LayoutPart) -> str:
    return counted(len(part.images), part.what)
