"""What a source on the web is to the one loop that drives them all: first requests, and answers that say what to ask
next.

A source is a module with

    first(source) -> list[Ask]                  what to ask to begin with
    read(source, ask, data) -> Said             records, next requests; raises BadAnswer, quoting what it met
    CREDENTIAL: Credential | None               which secret its API needs, if any
    needs_secret(source) -> bool                optional: whether these settings need it; without it, CREDENTIAL says so
    HOSTS: tuple[str, ...]                      every host that it asks (not those that only images come from)

Both are pure: the same settings and bytes give the same records and requests, so that answers that are kept can be read
again by a changed parser.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from schemas.credentials import Credential

__all__ = ["Ask", "BadAnswer", "Claim", "Credential", "Expects", "Said", "object_of_json", "quoted"]

Expects = Literal["json", "html", "csv"]


@dataclass(frozen=True, slots=True)
class Ask:
    """One request: its URL without any secret, by which the answer is kept, and how the answer is to be read.

    key: the source's key of the one work that the answer is about, so that its failure drops this record; None for a
    listing, which is asked again in each build. expects: what a true answer looks like; an error page in place of
    JSON is a failure that passes. A page (html) is asked for only where robots.txt lets us; documented APIs have terms
    of their own. needs_secret: the source's credential is added when it is sent. Two asks of one URL are one ask.
    """

    url: str
    kind: str
    key: str | None = None
    expects: Expects = "json"
    needs_secret: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """How many works the source says there are: of a listing by that name, or of a whole style (then `style` is set).

    What the listing's answers gave (rows and asks with a key), or the records found of that style, is compared with it.
    """

    name: str
    count: int
    style: str | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """What one answer says: works (fields for `records.record`), next requests, and what the source claims to have."""

    rows: tuple[Mapping[str, Any], ...] = ()
    asks: tuple[Ask, ...] = ()
    claims: tuple[Claim, ...] = ()


class BadAnswer(ValueError):
    """An answer that is not of the shape that the source is known to give; the message quotes what was met."""


def object_of_json(ask: Ask, data: bytes) -> dict[str, Any]:
    """The JSON object that an answer is. Raises BadAnswer, quoting what it is instead."""
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadAnswer(f"{ask.url}: expected JSON, got {quoted(data[:200])} ({type(error).__name__})") from None
    if not isinstance(answer, dict):
        raise BadAnswer(f"{ask.url}: expected a JSON object, got {quoted(answer)}")
    return answer


def quoted(value: Any, at_most: int = 80) -> str:
    """A value as it may stand in a message: one line, not too long; of what can't be written out, only its kind.

    >>> quoted(b"<html>" + b"!" * 100, 12)
    "b'<html>!..."
    """
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # too deep, or a number of more digits than Python writes
        return f"a {type(value).__name__}"
    return text if len(text) <= at_most else f"{text[: at_most - 3]}..."
