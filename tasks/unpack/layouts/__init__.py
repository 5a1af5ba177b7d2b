"""The layouts of `unpack`: one file each, whose `parts` gives images as files, and what says something of them."""

from collections.abc import Callable, Collection

from schemas.layouts import LayoutWord
from tasks.io.store.releases import Release
from tasks.unpack.layouts import cifar, imagefolder, lsun, met, popart, release, source, voc, webdataset, yolo
from tasks.unpack.layouts.parts import LayoutPart

PARTS: dict[LayoutWord, Callable[[Release, Collection[str], int | None], dict[str, LayoutPart]]] = {
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
"""What gives the parts of a folder, by their names: of a release, of some splits, as squares of a side. Raises BadInput
for splits that the release does not have, and for what the layout needs and it has not, and DamagedFile for what is no
release.
"""
