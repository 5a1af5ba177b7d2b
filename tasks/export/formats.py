"""The release's images in layouts of other programs, below `formats/`: written from its tables, and beside them."""

from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import BadInput, Refusal
from schemas.formats import Format
from schemas.layouts import LAYOUTS
from schemas.phrases import counted
from schemas.renditions import Rendition
from tasks.core.markdown import as_text
from tasks.export.content import ReleaseBuild
from tasks.io.files.unpacked import RECEIPT, UnpackFolder
from tasks.io.store.drafts import Draft
from tasks.io.store.layout import FORMATS
from tasks.io.store.releases import Release
from tasks.subjects.layouts import parts_of
from tasks.subjects.layouts.filling import fill
from tasks.subjects.layouts.parts import UNPACKS_ANY, LayoutRequest
from tasks.subjects.layouts.pictures import ImageSource

EnsureRenditions = Callable[[Rendition, pa.Array], None]


def write_formats(draft: Draft, build: ReleaseBuild, release: Release, *, ensure: EnsureRenditions) -> None:
    """Write each format of the recipe, and a table that says what each is and has.

    release: the draft's tables. ensure: draws the renditions of blobs that have none. Raises Refusal for a layout that
    this release can't have.
    """
    if not build.settings.formats:
        return
    rows = []
    for form in build.settings.formats:
        if form.rendition is not None:
            ensure(form.rendition, pc.unique(release.rows("images", ["sha256"])["sha256"]).sort())
        said = "; ".join(_write(draft, build, release, form))
        rows.append(f"| `{form.folder}/` | {LAYOUTS[form.layout].what} | {as_text(said)} |")
    head = ["# Formats", "", "`bilderatlas unpack` writes them, too.", "", "| folder | what it is | what it has |"]
    draft.write(f"{FORMATS}/README.md", "\n".join([*head, "|---|---|---|", *rows, ""]).encode())


def _write(draft: Draft, build: ReleaseBuild, release: Release, form: Format) -> Iterator[str]:
    """Write one format; what it has, and what was left out of it."""
    try:
        parts = parts_of(release, LayoutRequest(form))
    except BadInput as problem:
        said = str(problem).removeprefix(f"--layout {form.layout}: ").removesuffix(UNPACKS_ANY)
        raise Refusal(
            f"export: formats ({form.folder}): {said}; nothing is published: give it what it needs, or take it out of "
            "the recipe"
        ) from problem
    is_turned = form.layout != "source"
    source = ImageSource(release, build.store.url, is_linked=False, is_turned=is_turned)
    with draft.folder_of(f"{FORMATS}/{form.folder}") as folder:
        _, notes = fill(release, source, UnpackFolder(str(folder), {"layout": form.layout}), parts)
        (folder / RECEIPT).unlink()  # the manifest says more
    yield ", ".join(f"{name}: {counted(len(part.images), part.what)}" for name, part in parts.items())
    yield from notes
