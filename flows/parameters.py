"""Parameters, declared once for Prefect's form, the command line and Python. Quick to import: `--help` needs it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, cleandoc, signature
from os import PathLike, fspath
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args

from annotated_types import Ge, Le

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

MOST = 2**53 - 1
"""The last whole number that Prefect's page can show; its server has no larger one than 2**63 - 1."""
MOST_RESAMPLES = 100_000
"""More of them make no interval better, and take forever."""
_ENTRY = re.compile(r"^    (\w+): (.*(?:\n {8,}.*)*)", re.MULTILINE)
_WIDTH = 116
"""Of a line of a docstring, without its indentation."""
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Argument:
    """A parameter that is typed by its place. metavar: what stands for it in the help."""

    metavar: str


@dataclass(frozen=True)
class Option:
    """A parameter that is typed by its name. name: None for the parameter's own, `--far-corner` for far_corner."""

    metavar: str
    name: str | None = None


@dataclass(frozen=True)
class Doc:
    """What is said of a parameter wherever a function has it (see `documented`)."""

    text: str


@dataclass(frozen=True)
class Pattern:
    """A regular expression that a text matches."""

    text: str

    def __get_pydantic_core_schema__(self, source: Any, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        """A text's schema with the pattern; pydantic's own words for it would take its time to import."""
        from pydantic_core import core_schema

        return core_schema.str_schema(pattern=self.text)


RECIPE = Doc("Path of a recipe's YAML file, or the name of a recipe that ships.")
STORE = Doc("Folder or fsspec URL that keeps images, results and releases.")
BINDINGS = Doc("Folders, files and addresses that the recipe names and this machine provides, by their names.")
Count = Annotated[int, Ge(1), Le(MOST), Option("N")]
Seed = Annotated[int, Ge(0), Le(MOST), Option("N")]
SeedOfResamples = Annotated[Seed, Doc("Seed of the resamples, 0 or more.")]
Resamples = Annotated[
    int,
    Ge(0),
    Le(MOST_RESAMPLES),
    Option("N"),
    Doc("Number of resamples of the images for the 95 % intervals; 0 for no intervals."),
]
Share = Annotated[float, Ge(0), Le(1), Option("P")]
Device = Annotated[
    str,
    Pattern(r"^(auto|cpu|cuda(:[0-9]+)?)$"),
    Option("DEVICE"),
    Doc("What detectors run on: auto (a GPU if there is one), cpu, cuda, cuda:1 ..."),
]
Whole = Seed
Port = Annotated[int, Ge(0), Le(MOST), Option("PORT")]
Day = Annotated[str, Option("YYYY-MM-DD")]
Truth = Annotated[str, Argument("TRUTH")]
Release = Annotated[
    str, Argument("RELEASE"), Doc("Folder or URL of a release, or of the file `latest` beside the versions.")
]
Deep = Annotated[bool, Doc("Also decode every image and measure it again.")]
Expect = Annotated[
    str,
    Pattern(r"^(sha256:)?[0-9a-f]{64}$"),
    Option("DIGEST"),
    Doc(
        "SHA-256 of the release's manifest.json, as its publisher or an earlier `verify` gave it: without it, nobody "
        "can tell a release from one that somebody else has written in its place."
    ),
]
Against = Annotated[
    list[str],
    Option("OTHER", "--against"),
    Doc(
        "Also list the images that OTHER has, too: another release, a file of fingerprints, or a folder of images. Any "
        "image in common is a problem."
    ),
]
RadiusBits = Annotated[
    int,
    Ge(0),
    Le(16),
    Option("N"),
    Doc(
        "With against: look at pictures whose hashes differ in at most N of 64 bits; by default 12 where both datasets "
        "have their pictures at hand, which then decide, and else 8."
    ),
]
File = Annotated[str, Option("FILE")]
Folder = Annotated[str, Option("FOLDER")]
Out = Annotated[
    Folder, Doc("Folder for the page, the tables (Parquet) and charts (SVG); by default nothing is written.")
]
Store = Annotated[str, Option("URL"), Doc("Folder or fsspec URL of the store.")]
Split = Annotated[str, Option("SPLIT"), Doc("Use only images of this split.")]
Changes = Annotated[list[str], Option("FIELD=VALUE", "--set")]
Categories = Annotated[list[str], Option("NAME", "--category")]
Attributes = Annotated[
    list[str],
    Option("ATTRIBUTE"),
    Doc(
        "Attributes of images, such as style: every number is computed for each of their values, too. "
        "Columns of a release's images, or fields of a COCO file's `images[].metadata`."
    ),
]


def documented(function: Function) -> Function:
    """The function; in its docstring each parameter without a line under Args, the last section, has its type's Doc."""
    summary, _, entries = cleandoc(function.__doc__ or "").partition("\nArgs:\n")
    parameters = signature(function).parameters
    own = {entry[1]: entry[0] for entry in _ENTRY.finditer(entries)}
    shared = {
        name: fill(f"{name}: {note.text}", _WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 8)
        for name, parameter in parameters.items()
        for annotation in (parameter.annotation, *get_args(parameter.annotation))  # X, or X | None
        for note in getattr(annotation, "__metadata__", ())
        if isinstance(note, Doc)
    }
    lines = shared | own
    function.__doc__ = f"{summary.rstrip()}\n\nArgs:\n" + "\n".join(lines[name] for name in parameters if name in lines)
    return function


def descriptions(function: Callable[..., Any]) -> dict[str, str]:
    """What a function's docstring says of each parameter, in one line each."""
    _, _, entries = cleandoc(function.__doc__ or "").partition("\nArgs:\n")
    return {name: " ".join(text.split()) for name, text in _ENTRY.findall(entries)}


def with_texts(value: Any) -> Any:
    """A value in which paths are texts, also within lists and mappings."""
    if isinstance(value, Mapping):
        return {name: with_texts(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [with_texts(entry) for entry in value]
    return fspath(value) if isinstance(value, PathLike) else value


def checked_parameters(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """A function's parameters, in its types, with its defaults. Raises BadInput for what it would not take."""
    from pydantic import ConfigDict, create_model

    from flows.settings import settings_from_fields

    fields: dict[str, Any] = {
        name: (parameter.annotation, ... if parameter.default is Parameter.empty else parameter.default)
        for name, parameter in signature(function).parameters.items()
    }
    model = create_model(function.__name__, __config__=ConfigDict(extra="forbid"), **fields)
    return dict(settings_from_fields(model, given))
