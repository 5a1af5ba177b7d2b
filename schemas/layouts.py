"""In which layouts a release can be unpacked: their words, and what each is. One file a layout writes it."""

from typing import Any, Literal, NamedTuple, Self, get_args

from pydantic import Field, ValidationError, model_validator

from schemas.attributes import AttributeType
from schemas.base import Name
from schemas.errors import BadInput
from schemas.renditions import Drawing, Rendition
from schemas.rights import AllowedRights

LayoutWord = Literal["release", "source", "popart", "yolo", "voc", "imagefolder", "cifar", "lsun", "met", "webdataset"]


class NeededAttribute(NamedTuple):
    """An attribute without which a release can't be laid out so, and of which types it may be."""

    name: str
    types: tuple[AttributeType, ...]


EXHIBIT = NeededAttribute("object_id", ("integer", "string"))
"""Which exhibit an image shows (docs/roles.md)."""


class FileLayout(NamedTuple):
    """What a layout is, and what of a release it can't hold, as the docs and the command say it. rendition: as what its
    pictures are drawn anew; None: they stay. is_sized: whether they can be squares of any side.
    """

    what: str
    loses: str = ""
    rendition: Rendition | None = None
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
        Rendition(side_px=32),
    ),
    "lsun": FileLayout(
        "an LMDB for each style of each split, as torchvision's LSUNClass reads them, and ArtBench's list",
        "boxes, and images without a style",
    ),
    "met": FileLayout(
        "JPEGs of at most 500 px and the ground truth of the Met dataset's authors: gallery, mini set, queries",
        "boxes, and images of train without an object_id",
        Rendition(side_px=500, fit="longest_side", format="jpeg"),
        attribute=EXHIBIT,
    ),
    "webdataset": FileLayout("tar files of a thousand images each, with a JSON beside each image"),
}
assert LAYOUTS.keys() == {*get_args(LayoutWord)}


class Format(Drawing):
    """A layout of a release's images, which of them, and how their pictures are drawn, where they are drawn anew."""

    layout: LayoutWord = Field(description="How the files lie (docs/unpacking.md)")
    name: Name | None = Field(None, description="The folder below formats/. Default: the layout's word, and side_px")
    rights: AllowedRights | None = Field(
        None, description="Only images with these rights, as a screen's `rights`: public_domain, open, or URIs"
    )
    side_px: int | None = Field(
        None, ge=1, le=10_000, description="Of imagefolder: squares of so many pixels from the middle of each picture"
    )

    @model_validator(mode="before")
    @classmethod
    def _from_word(cls, value: Any) -> Any:
        """`cifar` and `imagefolder: {side_px: 256}` are short for mappings with a layout."""
        if isinstance(value, str):
            return {"layout": value}
        if isinstance(value, dict) and len(value) == 1 and "layout" not in value:
            ((word, settings),) = value.items()
            return {**(settings or {}), "layout": word} if isinstance(settings, dict | None) else value
        return value

    @model_validator(mode="after")
    def _drawn_as_it_can_be(self) -> Self:
        if self.side_px is not None and not LAYOUTS[self.layout].is_sized:
            raise ValueError(f"side_px: expected the layout {' or '.join(_sized())}, got {self.layout}")
        if self.rendition is None and {"filter", "light"} & self.model_fields_set and self.drawing != Drawing():
            raise ValueError(f"filter, light: expected a layout whose pictures are drawn anew, got {self.layout}")
        return self

    @property
    def drawing(self) -> Drawing:
        """How pictures are drawn anew."""
        return Drawing(filter=self.filter, light=self.light)

    @property
    def rendition(self) -> Rendition | None:
        """As what pictures are drawn anew; None: they stay."""
        base = LAYOUTS[self.layout].rendition
        if self.side_px is not None:
            base = Rendition(side_px=self.side_px)
        return None if base is None else base.model_copy(update=self.drawing.model_dump())

    @property
    def folder(self) -> str:
        """The name of its folder."""
        return self.name or (self.layout if self.side_px is None else f"{self.layout}-{self.side_px}px")


def format_of(layout: LayoutWord, **settings: Any) -> Format:
    """The format of a command's options, those that are not given left out. Raises BadInput for what can't be."""
    try:
        return Format(layout=layout, **{name: value for name, value in settings.items() if value})
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        where = "".join(f"--{name}: ".replace("_", "-") for name in first["loc"][:1])
        raise BadInput(f"unpack: {where}{first['msg'].removeprefix('Value error, ')}") from problem


def _sized() -> list[LayoutWord]:
    return [word for word, layout in LAYOUTS.items() if layout.is_sized]


def layouts_help() -> str:
    """The words and what they are, in one sentence for a command's help."""
    return "; ".join(f"{word}: {layout.what}" for word, layout in LAYOUTS.items())
