"""In which layouts a release can be unpacked: their words, and what each is. One file a layout writes it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

if TYPE_CHECKING:
    from schemas.attributes import AttributeType

FilterWord = Literal["robidoux", "robidoux_sharp", "lanczos", "bicubic", "box"]
Light = Literal["levels", "linear"]
"""Words of `schemas.renditions`, for commands' help, which waits for no library."""

LayoutWord = Literal[
    "release", "source", "popart", "yolo", "voc", "imagefolder", "cifar", "lsun", "imagenet", "met", "webdataset"
]


class NeededAttribute(NamedTuple):
    """An attribute without which a release can't be laid out so, and of which types it may be."""

    name: str
    types: "tuple[AttributeType, ...]"


EXHIBIT = NeededAttribute("object_id", ("integer", "string"))
"""Which exhibit an image shows (docs/roles.md)."""


class FileLayout(NamedTuple):
    """What a layout is, and what of a release it can't hold, as the docs and the command say it. rendition: settings of
    the one as which its pictures are drawn anew; None: they stay. is_sized: whether they can be squares of any side.
    """

    what: str
    loses: str = ""
    rendition: Mapping[str, Any] | None = None
    is_sized: bool = False
    attribute: NeededAttribute | None = None


LAYOUTS: dict[LayoutWord, FileLayout] = {
    "release": FileLayout("images by their ids, with the release's COCO files"),
    "source": FileLayout("the COCO files that came with its sources, given back, and images under their names there"),
    "popart": FileLayout("COCO files and names of files as PoPArt has them", "keypoints that are labelled but hidden"),
    "yolo": FileLayout(
        "boxes as YOLO's trainers read them: images/, labels/ and data.yaml",
        "crowds, what lies beyond a picture's edge, outlines, keypoints, ids of boxes",
    ),
    "voc": FileLayout(
        "boxes as PASCAL VOC has them: JPEGImages/, Annotations/ and ImageSets/Main/",
        "which boxes are crowds (they are difficult ones), outlines, keypoints, ids of boxes",
    ),
    "imagefolder": FileLayout(
        "a folder for each style below each split's, as torchvision's ImageFolder reads them, and ArtBench's list",
        "boxes, and images without a style",
        is_sized=True,
    ),
    "cifar": FileLayout(
        "squares of 32 px in CIFAR's batches, in Python's and the binary form, and ArtBench's list",
        "boxes, and images without a style",
        {"side_px": 32},
    ),
    "lsun": FileLayout(
        "an LMDB for each style of each split, as torchvision's LSUNClass reads them, and ArtBench's list",
        "boxes, and images without a style",
    ),
    "imagenet": FileLayout(
        "a tar for each split, of a tar for each style, as ImageNet's images are published, and ArtBench's list",
        "boxes, and images without a style",
    ),
    "met": FileLayout(
        "JPEGs of at most 500 px and the ground truth of the Met dataset's authors: gallery, mini set, queries",
        "boxes, and images of train without an object_id",
        {"side_px": 500, "fit": "longest_side", "format": "jpeg"},
        attribute=EXHIBIT,
    ),
    "webdataset": FileLayout("tar files of a thousand images each, with a JSON beside each image"),
}
assert LAYOUTS.keys() == {*get_args(LayoutWord)}


def layouts_help() -> str:
    """The words and what they are, in one sentence for a command's help."""
    return "; ".join(f"{word}: {layout.what}" for word, layout in LAYOUTS.items())
