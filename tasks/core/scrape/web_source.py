"""The interface of a source on the web: its first requests, and a parser that gives records and further requests.

A source is a module with

    start_requests(source) -> list[SourceRequest]   the requests to begin with
    parse(source, request, data) -> ParsedAnswer    records and further requests; raises BadAnswer, quoting the answer
    CREDENTIAL: Credential | None                   which secret its API needs, if any
    needs_secret(source) -> bool                    optional: whether these settings need the secret
    HOSTS: tuple[str, ...]                          every host of its requests (not the hosts of images)
    OFFERS: dict[str, str]                          what a row's `offers` may give a recipe's attributes: by name, its
                                                    type and what it is (see `offers`)
    offers(source) -> dict[str, str]                optional: those of OFFERS that these settings give

Both functions are pure: the same settings and bytes give the same records and requests, so that a changed parser can
read stored answers again.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from schemas.manifests import PassedOver
from schemas.manners import Credential
from tasks.core.passed_over import Tally

__all__ = [
    "BadAnswer",
    "ClaimedCount",
    "Credential",
    "Expects",
    "ParsedAnswer",
    "SourceRequest",
    "object_of_json",
    "quoted",
]

Expects = Literal["json", "html", "csv"]


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """One request to a source: its URL without any secret, under which the answer is stored, and how to parse that.

    kind: the source's own word for what the URL answers with. source_key: of the one work that the answer is about, so
    that its failure drops this record; None for a listing, which is requested again in each build. expects: the format
    of a correct answer; an error page in place of JSON is a temporary failure. A page (html) is requested only if
    robots.txt allows it; documented APIs have their own terms. needs_secret: the source's credential is added when the
    request is sent. Two requests with the same URL are one request.
    """

    url: str
    kind: str
    source_key: str | None = None
    expects: Expects = "json"
    needs_secret: bool = False


@dataclass(frozen=True, slots=True)
class ClaimedCount:
    """How many works the source states that it has: in the listing of that name, or of a style (if `style` is set).

    It is compared with the works in the listing's answers (rows, and requests with a source key), or with the records
    of that style.
    """

    name: str
    count: int
    style: str | None = None


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """The content of one answer: works (fields for `records.record`), further requests, and claimed counts.

    passed_over: entries of the answer that are neither, by kind. What an answer lists is its rows, its requests with a
    source key, and these; what holds works, such as an artist, is counted beside (`of_containers`).
    """

    rows: tuple[Mapping[str, Any], ...] = ()
    requests: tuple[SourceRequest, ...] = ()
    claims: tuple[ClaimedCount, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()


def of_containers(unit: str, items: Sequence[Any], left_out: Tally) -> tuple[PassedOver, ...]:
    """What of a list of artists or categories leads to no listing of works. They are none of the entries, as works are.

    unit: in the plural, such as artists. items: the whole list.
    """
    return (PassedOver(unit=unit, listed=len(items)), *left_out.kinds(unit)) if items else ()


class BadAnswer(ValueError):
    """An answer in an unknown format; the message quotes it."""


def object_of_json(request: SourceRequest, data: bytes) -> dict[str, Any]:
    """The JSON object in an answer. Raises BadAnswer, quoting an answer that is not one."""
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadAnswer(f"{request.url}: expected JSON, got {quoted(data[:200])} ({type(error).__name__})") from None
    if not isinstance(answer, dict):
        raise BadAnswer(f"{request.url}: expected a JSON object, got {quoted(answer)}")
    return answer


def quoted(value: Any, at_most: int = 80) -> str:
    """A value for a message: one line, at most `at_most` characters; only the type of a value without a short text.

    >>> quoted(b"<html>" + b"!" * 100, 12)
    "b'<html>!..."
    """
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # too deep, or a number of more digits than Python writes
        return f"a {type(value).__name__}"
    return text if len(text) <= at_most else f"{text[: at_most - 3]}..."
