"""A layout with its settings: what `export` writes into a release, and `unpack` into a folder."""

from typing import Any, Self

from pydantic import Field, ValidationError, model_validator

from schemas.base import Name
from schemas.errors import BadInput
from schemas.layouts import LAYOUTS, LayoutWord
from schemas.renditions import Drawing, Rendition
from schemas.rights import AllowedRights


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
            if isinstance(settings, dict | None) and "layout" not in (settings or {}):
                return {**(settings or {}), "layout": word}
        if isinstance(value, dict) and "layout" not in value and (words := [*value.keys() & LAYOUTS.keys()]):
            raise ValueError(f"expected the settings of {words[0]} indented below it, got them beside it")
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
            base = {"side_px": self.side_px}
        return None if base is None else Rendition(**base, filter=self.filter, light=self.light)

    @property
    def folder(self) -> str:
        """The name of its folder."""
        return self.name or (self.layout if self.side_px is None else f"{self.layout}-{self.side_px}px")


def settings_of(form: Format) -> dict[str, str | int]:
    """What of a format is not by default, its layout first; its name apart."""
    said = form.model_dump(mode="json", exclude_defaults=True, exclude={"name"})
    said |= {"rights": " ".join(said["rights"])} if "rights" in said else {}
    return {"layout": said.pop("layout"), **said}


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
