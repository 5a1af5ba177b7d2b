"""What sources have in common: a name, rights, words, and for sources in files, where these are."""

import operator
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from schemas.base import Filled, Frozen, Later, Name
from schemas.errors import BadInput
from schemas.phrases import quoted
from schemas.word_lists import DateWords, MakerWords

NOASSERTION = "NOASSERTION"
OneFile = Literal["coco", "coco_annotator", "cvat", "label_studio"]
"""Formats of annotations that stand in one file for all images."""

_FILES: dict[str, str] = {
    "coco": "COCO annotations",
    "coco_annotator": "COCO Annotator's annotations",
    "cvat": "CVAT's annotations",
    "label_studio": "Label Studio's annotations",
    "yolo": "YOLO's names of classes",
}
"""What the file at `path` is, by format; of VOC there is none, but one for each image."""
SourceField = Annotated[str, Field(min_length=1, max_length=300)]
StyleName = Annotated[str, Field(min_length=1, max_length=100)]
RightsUri = Annotated[str, Field(pattern=r"^(NOASSERTION|https?://(creativecommons\.org|rightsstatements\.org)/\S+)$")]


class RightsByValue(Frozen):
    """The rights that the recipe's author asserts for works of which the source says something in its own words."""

    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)

    column: SourceField = Field(
        description="Where the source says it: a table's column or path, a field of a folder's pattern, or a name that "
        "a source on the web offers"
    )
    values: dict[str, RightsUri] = Field(
        min_length=1,
        max_length=1000,
        description="The URI for each text that stands there; case and outer blanks don't matter",
    )
    else_: RightsUri = Field(
        NOASSERTION, alias="else", description="The URI for all other texts, and for works of which nothing is said"
    )


class Rights(Frozen):
    """The rights that the recipe's author asserts for a whole source, where its own fields say nothing."""

    uri: RightsUri = Field(NOASSERTION, description="A Creative Commons or rightsstatements.org URI, or NOASSERTION")
    text: str | None = Field(None, description="The rights statement in words")
    by: Later[RightsByValue | None] = Field(
        None, description="In place of one URI: the rights by what the source says of each work"
    )
    asserted_by: str | None = Field(None, description="Who says so; required unless the URI is NOASSERTION")
    because: str | None = Field(None, description="The reason; required unless the URI is NOASSERTION")

    @model_validator(mode="after")
    def _says_who_and_why(self) -> Self:
        absent = [name for name in ("asserted_by", "because") if not getattr(self, name)]
        if self.by is not None and self.uri != NOASSERTION:
            raise ValueError(f"expected either a uri or `by`, got {quoted(self.uri)} and `by`; others go to by.else")
        if absent and (self.by is not None or self.uri != NOASSERTION):
            what = quoted(self.uri) if self.by is None else "`by`"
            raise ValueError(f"expected asserted_by and because, which {what} needs, got no {' and no '.join(absent)}")
        return self


class Annotations(Frozen):
    """Boxes that people have drawn, in files beside the images."""

    format: Literal["voc", "yolo", OneFile] = Field(
        description="voc: one PASCAL VOC XML per image; yolo: one text per image, as YOLO's trainers read them; coco: "
        "one JSON for all; coco_annotator: COCO Annotator's; cvat: one XML, 'CVAT for images 1.1'; label_studio: Label "
        "Studio's JSON, not JSON-MIN"
    )
    path: Filled = Field(
        description="voc: path of the XML below the binding, with the pattern's fields, e.g. "
        "'Annotations/{style}/{artist}_{title}.jpg.xml'; yolo: path of data.yaml, or of a text with a class a line "
        "(classes.txt, obj.names); else path of the one file"
    )
    missing: Literal["unknown", "no_figures"] = Field(
        "unknown",
        description="What a missing annotation means. unknown: nobody has looked at the image; no_figures: it has no "
        "figures",
    )
    folder: Later[Filled | None] = Field(
        None,
        description="Where one file is for all: folder below the binding from which the names in it go on, e.g. "
        "images/train for a `file_name` such as 17.jpg; null: they are paths below the binding. yolo, beside `labels`: "
        "the folder of the images",
    )
    labels: Later[Filled | None] = Field(
        None,
        description="yolo: folder of the texts, in which they lie as the images do below `folder` (null: below the "
        "binding). null: where trainers look, for images/train/a.jpg in labels/train/a.txt; beside an image that is in "
        "no folder `images`",
    )
    corners: Literal["inclusive", "exclusive"] = Field(
        "inclusive",
        exclude_if=lambda corners: corners == "inclusive",  # before there was a choice, dumps had no such setting
        description="voc: what its corners are. inclusive: pixels counted from 1, both in the box, as VOC says (x = "
        "xmin - 1, width = xmax - xmin + 1); exclusive: the box's edges from 0, as many converters take them (x = "
        "xmin, width = xmax - xmin)",
    )

    @model_validator(mode="after")
    def _has_what_its_format_has(self) -> Self:
        if self.format != "voc" and self.corners != "inclusive":
            raise ValueError(f"expected corners with format voc alone, got {self.corners} with {self.format}")
        if self.format == "voc" and self.folder is not None:
            raise ValueError(f"expected a folder with one file for all, got {quoted(self.folder)} with {self.format}")
        if self.format != "yolo" and self.labels is not None:
            raise ValueError(f"expected labels with format yolo alone, got {quoted(self.labels)} with {self.format}")
        if self.format == "yolo" and self.folder is not None and self.labels is None:
            raise ValueError(f"expected labels beside the folder {quoted(self.folder)} with format yolo, got none")
        return self

    @property
    def one_file(self) -> OneFile | None:
        """The format, if one file is for all images."""
        if self.format == "voc":
            return None
        return None if self.format == "yolo" else self.format

    @property
    def has_document(self) -> bool:
        """Whether all of it comes to one COCO document, and `path` is that of one file."""
        return self.format in _FILES

    @property
    def what(self) -> str:
        """What messages call the file at `path`.

        >>> Annotations(format="cvat", path="a.xml").what
        "CVAT's annotations"
        """
        return _FILES.get(self.format, "")


class MuseumWords(Frozen):
    """A museum's own words, beside those of some thirty languages that come with bilderatlas; the museum's win."""

    dates: Later[DateWords | None] = Field(None, description="Of eras, centuries, months, bounds ...")
    makers: Later[MakerWords | None] = Field(None, description="Of unknowns, crafts, qualifiers ...")


class Source(Frozen):
    """What every source has, and what others ask of it: a source's class says what differs."""

    are_keys_paths: ClassVar[bool] = False
    """Whether a record's key is the path of its file."""

    name: Name = Field(description="The source's name; record_id is <name>:<key>")
    rights: Rights = Field(
        default_factory=Rights,
        description="The recipe author's own statement, used where the source's fields say nothing about rights",
    )
    source_url: str | None = Field(
        None,
        description="Address of a work's page, with fields of the record in braces, e.g. 'https://museum.example/{key}'",
    )
    words: Later[MuseumWords | None] = Field(
        None, description="The museum's own words for dates and makers: see `bilderatlas settings words`"
    )

    @property
    def uses(self) -> tuple[str, ...]:
        """The bindings that it reads."""
        return ()

    @property
    def offered_fields(self) -> tuple[str, ...] | None:
        """What attributes may be taken from, where the settings say it; None: only its files or answers do."""
        return None

    @property
    def named_columns(self) -> Mapping[str, str]:
        """The columns that the settings name for fields of records, as field: column."""
        return {}

    def bad_input(self, expected: str, got: str) -> BadInput:
        """The sentence on what is wrong with the source."""
        return BadInput(f"source '{self.name}': expected {expected}, got {got}")

    @cached_property
    def date_words(self) -> str | None:
        """The JSON of its own words for dates."""
        return self.words.dates.model_dump_json() if self.words and self.words.dates else None

    @cached_property
    def maker_words(self) -> str | None:
        """The JSON of its own words for makers."""
        return self.words.makers.model_dump_json() if self.words and self.words.makers else None


class FileSource(Source):
    """What every source in files has."""

    is_on_web: ClassVar[Literal[False]] = False

    at: Name = Field("images", description="Binding of the folder (a path or an fsspec URL)")
    annotations: Annotations | None = Field(None, description="Boxes that people drew, in files beside the images")

    @property
    def uses(self) -> tuple[str, ...]:
        """The binding of its folder."""
        return (self.at,)

    def bad_file(self, expected: str, got: str) -> BadInput:
        """The sentence on a file of its folder."""
        return self.bad_input(f"{expected} below binding '{self.at}'", got)

    @property
    def image_pattern(self) -> str | None:
        """What the paths of its images look like; None where rows name them."""
        return None

    @property
    def is_pattern_of_tables(self) -> bool:
        """Whether its rows stand in many files."""
        return False

    @property
    def named_files(self) -> tuple[tuple[str, str], ...]:
        """The files that its settings name, each as (what it is, path), without which it has no records."""
        boxes = self.annotations
        return ((boxes.what, boxes.path),) if boxes is not None and boxes.has_document else ()


def more_offers(what: str) -> Any:
    """The setting of what a source on the web offers only where it is asked for. what: in the plural."""
    return Field(
        (),
        exclude_if=operator.not_,
        description=f"Further {what} to ask for, for attributes (docs/sources). They are part of the requests' "
        "addresses: the source is asked anew with them",
    )


class WebSource(Source):
    """What every source on the web has. The recipe's `manners` say how fast it is asked."""

    is_on_web: ClassVar[Literal[True]] = True
    has_api: ClassVar[bool] = True
    """Whether it answers programs in a form of their own; else its pages for people are read."""

    refresh: Literal["listings", "never", "all"] = Field(
        "listings",
        description="What each build requests again. listings: the pages that list works, with conditional requests; "
        "never: nothing that is known; all: the answer about each work, too",
    )
    secret: Name | None = Field(
        None,
        description="For sources that need an API key: binding of the place where it is kept (env:NAME, file:PATH or "
        "prefect:BLOCK)",
    )

    @property
    def uses(self) -> tuple[str, ...]:
        """The binding of its secret, if it has one."""
        return (self.secret,) if self.secret else ()
