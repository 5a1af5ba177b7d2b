"""The layouts of a release's images, for `unpack` and for `export`: one file each, whose `parts` gives images as files,
and what says something of them.
"""

from collections.abc import Callable
from importlib import import_module
from typing import get_args

from schemas.errors import BadInput
from schemas.layouts import LayoutWord
from tasks.io.store.releases import Release
from tasks.subjects.layouts.parts import LayoutPart, LayoutRequest

PARTS: dict[LayoutWord, Callable[[Release, LayoutRequest], dict[str, LayoutPart]]] = {
    word: import_module(f"{__name__}.{word}").parts for word in get_args(LayoutWord)
}


def parts_of(release: Release, request: LayoutRequest) -> dict[str, LayoutPart]:
    """The parts of a folder, by their names. Raises BadInput for splits that the release does not have, and for what
    the layout needs and it has not, and DamagedFile for what is no release.
    """
    parts = PARTS[request.form.layout](release, request)
    if request.form.rights is not None and not any(part.images for part in parts.values()):
        got = f"none in release {release.manifest.version}"
        raise BadInput(f"--rights: expected images with rights {' or '.join(request.form.rights)}, got {got}")
    return parts
