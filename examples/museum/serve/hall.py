"""What a source's routes see of the museum, and what they say of a request: values, no sockets."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol


class Entry(NamedTuple):
    """One work as the museum's label has it. style: one of the museum's twenty; year None: the label does not say.

    extension: of its image's file, with the dot.
    """

    row: int
    key: str
    title: str
    artist: str
    style: str
    date_text: str
    year: int | None
    width_px: int
    height_px: int
    extension: str


class Hall(Protocol):
    """The museum's works, by row 0..size-1; every answer is the same whenever it is asked."""

    size: int

    def entry(self, row: int) -> Entry:
        """The label of one work."""

    def artists(self) -> Sequence[str]:
        """Everybody who has a work here, sorted; "Unknown" among them."""

    def rows_of_artist(self, artist: str) -> Sequence[int]:
        """Rows of an artist's works, ascending; none for a stranger."""

    def styles(self) -> Sequence[str]:
        """Every style that has a work here, sorted."""

    def rows_of_style(self, style: str) -> Sequence[int]:
        """Rows of a style's works, ascending; none for an unknown style."""


class Request(NamedTuple):
    """One request: the canonical host (from its Host header), path and query decoded, header names in lower case."""

    host: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    method: str = "GET"


class Answer(NamedTuple):
    """What is sent back. image: the row whose image is the body, in place of `body`; its content type comes with it."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json; charset=utf-8"
    headers: Mapping[str, str] = {}
    image: int | None = None


NOT_FOUND = Answer(404, b"<html><body><h1>404 Not Found</h1></body></html>", "text/html; charset=utf-8")
