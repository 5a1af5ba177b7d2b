"""The release's images in layouts of other programs, below `formats/`: written from its tables, and beside them."""

from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import BadInput, Refusal
from schemas.formats import Format, settings_of
from schemas.layouts import LAYOUTS
from schemas.phrases import counted
from schemas.renditions import Rendition
from tasks.core.markdown import as_text
from tasks.export.content import ReleaseBuild
from tasks.io.files.unpacked import RECEIPT, UnpackFolder
from tasks.io.store.drafts import Draft
from tasks.io.store.layout import FORMATS
from tasks.io.store.releases import Release
from tasks.orchestration.flow_runs import log_line
from tasks.subjects.layouts import parts_of
from tasks.subjects.layouts.filling import fill
from tasks.subjects.layouts.parts import UNPACKS_ANY, LayoutPart, LayoutRequest
from tasks.subjects.layouts.pictures import ImageSource

EnsureRenditions = Callable[[Rendition, pa.Array], None]


def write_formats(draft: Draft, build: ReleaseBuild, release: Release, *, ensure: EnsureRenditions) -> None:
    """Write each format of the recipe, and a table that says what each is and has.

    release: the draft's tables. ensure: draws the renditions of blobs that have none. Raises Refusal, before anything
    is drawn, for a layout that this release can't have.
    """
    forms = build.settings.formats
    if not forms:
        return
    parts = {form: _parts(release, form) for form in forms}
    blobs = release.rows("images", ["image_id", "sha256"])
    rows = []
    for form, of in parts.items():
        ids = pa.array(sorted({number for part in of.values() for number in part.images}), pa.int64())
        if form.rendition is not None:
            mine = blobs.filter(pc.is_in(blobs["image_id"], value_set=ids))["sha256"]
            ensure(form.rendition, pc.unique(mine).sort())
        said = "; ".join(_write(draft, build, release, form, of))
        log_line(f"export · {FORMATS}/{form.folder}: {said}")
        settings = ", ".join(f"{name} {value}" for name, value in settings_of(form).items())
        rows.append(f"| `{form.folder}/` | {LAYOUTS[form.layout].what} | {as_text(settings)} | {as_text(said)} |")
    head = ["# Formats", "", "`bilderatlas unpack --layout` writes them, too, with these options.", ""]
    head += ["| folder | what it is | options | what it has |", "|---|---|---|---|"]
    draft.write(f"{FORMATS}/README.md", "\n".join([*head, *rows, ""]).encode())


def _parts(release: Release, form: Format) -> dict[str, LayoutPart]:
    try:
        return parts_of(release, LayoutRequest(form))
    except BadInput as problem:
        said = str(problem).removeprefix(f"--layout {form.layout}: ").removesuffix(UNPACKS_ANY)
        raise Refusal(
            f"export: formats ({form.folder}): {said}; nothing is published: give it what it needs, or take it out of "
            "the recipe"
        ) from problem


def _write(
    draft: Draft, build: ReleaseBuild, release: Release, form: Format, parts: dict[str, LayoutPart]
) -> Iterator[str]:
    """Write one format; what it has, and what was left out of it."""
    source = ImageSource(release, build.store.url, is_linked=False, is_turned=form.layout != "source")
    with draft.folder_of(f"{FORMATS}/{form.folder}") as folder:
        _, notes = fill(release, source, UnpackFolder(str(folder), {"layout": form.layout}), parts)
        (folder / RECEIPT).unlink()  # the manifest says more
    yield ", ".join(f"{name}: {counted(len(part.images), part.what)}" for name, part in parts.items())
    yield from notes
