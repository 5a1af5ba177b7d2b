"""The layouts of a release's images, for `unpack` and for `export`: one file each, whose `parts` gives images as files,
and what says something of them.
"""

from collections.abc import Callable

from schemas.layouts import LayoutWord
from tasks.io.store.releases import Release
from tasks.subjects.layouts import cifar, imagefolder, lsun, met, popart, release, source, voc, webdataset, yolo
from tasks.subjects.layouts.parts import LayoutPart, LayoutRequest

PARTS: dict[LayoutWord, Callable[[Release, LayoutRequest], dict[str, LayoutPart]]] = {
    "release": release.parts,
    "source": source.parts,
    "popart": popart.parts,
    "yolo": yolo.parts,
    "voc": voc.parts,
    "imagefolder": imagefolder.parts,
    "cifar": cifar.parts,
    "lsun": lsun.parts,
    "met": met.parts,
    "webdataset": webdataset.parts,
}


def parts_of(release: Release, request: LayoutRequest) -> dict[str, LayoutPart]:
    """The parts of a folder, by their names. Raises BadInput for splits that the release does not have, and for what
    the layout needs and it has not, and DamagedFile for what is no release.
    """
    return PARTS[request.form.layout](release, request)
