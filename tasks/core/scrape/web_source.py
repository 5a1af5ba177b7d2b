"""What a source on the web is (`WebMuseum`): its requests, its answers, and what it offers a recipe's attributes."""

import html
import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import UnionType
from typing import Any, Literal, NamedTuple, cast

from schemas.attributes import AttributeType
from schemas.manifests import PassedOver
from schemas.manners import Credential
from tasks.core.passed_over import Tally

AnswerFormat = Literal["json", "html", "csv"]


class BadAnswer(ValueError):
    """An answer in an unknown format; the message quotes it."""


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """One request to a source, and how to parse the answer, which is stored under its URL."""

    url: str  # without any secret
    kind: str  # the source's own word for the answer
    source_key: str | None = None  # of the one work that it is about; None for a listing: each build requests it again
    expects: AnswerFormat = (
        "json"  # another format is a temporary failure; html is requested only if robots.txt allows it
    )
    needs_secret: bool = False  # the credential is added when it is sent

    def bad_answer(self, expected: str, got: Any) -> BadAnswer:
        """What is wrong with the answer. got: the value that is there."""
        return BadAnswer(f"{self.url}: expected {expected}, got {quoted(got)}")

    def checked(self, value: Any, kind: type | UnionType, expected: str) -> Any:
        """A value of the answer, if it is of that type. Raises BadAnswer."""
        if not isinstance(value, kind):
            raise self.bad_answer(expected, value)
        return value

    def bad_page(self, expected: str, got: str) -> BadAnswer:
        """What is wrong with a page of HTML. got: in words."""
        return BadAnswer(f"expected {expected}, got {got} ({self.url})")


@dataclass(frozen=True, slots=True)
class ClaimedCount:
    """How many works the source states that a listing of that name has, or its records of a style (if one is set)."""

    name: str
    count: int
    style: str | None = None


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """The content of one answer: works (fields for `records.record`), further requests, and claimed counts."""

    rows: tuple[Mapping[str, Any], ...] = ()
    requests: tuple[SourceRequest, ...] = ()
    claims: tuple[ClaimedCount, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()  # entries that are neither, and what holds works (`of_containers`)
    opt_out: str | None = None  # the detail of a page's tag by which its works are not for training

    @property
    def works(self) -> int:
        """How many works it lists: rows, and requests for works."""
        return len(self.rows) + sum(request.source_key is not None for request in self.requests)


def of_containers(unit: str, items: Sequence[Any], left_out: Tally) -> tuple[PassedOver, ...]:
    """What of a whole list of artists or categories leads to no listing of works. unit: in the plural."""
    return (PassedOver(unit=unit, listed=len(items)), *left_out.kinds(unit)) if items else ()


def json_of(request: SourceRequest, data: bytes, shown: int | None = None) -> Any:
    """The JSON in an answer. Raises BadAnswer, quoting what is none, or its first `shown` bytes."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        got = f"{quoted(data[:shown])} ({type(error).__name__})"
        raise BadAnswer(f"{request.url}: expected JSON, got {got}") from None


def object_of_json(
    request: SourceRequest, data: bytes, expected: str = "a JSON object", shown: int | None = 200
) -> dict[str, Any]:
    """The JSON object in an answer. Raises BadAnswer, quoting an answer that is not one."""
    return cast("dict[str, Any]", request.checked(json_of(request, data, shown), dict, expected))


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


OfferValue = str | int | float | bool | list[str] | None

_LONGEST_TEXT = 2000
"""Characters; of a longer text the beginning. More than this are read only because tags and entities take room."""
_LONGEST_RAW_TEXT = 4 * _LONGEST_TEXT
_MOST_TEXTS = 1000
_WHOLE = re.compile(r"-?[0-9]{1,18}")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
QUALIFIER = re.compile(
    r"\b(attributed|workshop|atelier|studio|circle|follower|school|style|manner|imitator|copy|after|possibly|probably|formerly)\b",
    re.I,
)
"""Words before an artist's name that qualify the attribution. Others, such as "Issued by", are roles."""


class Offer(NamedTuple):
    """The field of the source's own record that has a value, its type, and what it is."""

    field: str
    type: AttributeType
    meaning: str
    is_extra: bool = False  # asked for only where a recipe's `more_offers` say so: it is part of requests' addresses


def extra_fields(source: Any, offers: Mapping[str, Offer]) -> list[str]:
    """The fields that the settings ask for beside the rest."""
    return [offer.field for name, offer in offers.items() if offer.is_extra and name in source.more_offers]


class OfferedValues(Mapping[str, OfferValue]):
    """The value of each offer, or None; each is read when it is asked for, since few recipes ask for many: all would
    more than double the time to parse an answer of Commons. fields_of: gives the fields of the arguments.

    >>> offers = {"year": Offer("accessionYear", "integer", ""), "tags": Offer("tags", "strings", "")}
    >>> dict(OfferedValues(offers, dict, {"accessionYear": "1936", "tags": ["Birds", "", None, "Birds"]}))
    {'year': 1936, 'tags': ['Birds']}
    """

    def __init__(self, offers: Mapping[str, Offer], fields_of: Callable[..., Mapping[str, Any]], *given: Any) -> None:
        self._offers, self._fields_of, self._given = offers, fields_of, given

    def __getitem__(self, name: str) -> OfferValue:
        offer = self._offers[name]
        return _READERS[offer.type](self._fields.get(offer.field))

    def __iter__(self) -> Iterator[str]:
        return iter(self._offers)

    def __len__(self) -> int:
        return len(self._offers)

    @cached_property
    def _fields(self) -> Mapping[str, Any]:
        return self._fields_of(*self._given)


@dataclass(frozen=True)
class WebMuseum:
    """A source on the web. Its functions are pure, so that a changed parser can read stored answers again."""

    hosts: tuple[str, ...]  # of all its requests, not of images
    start_requests: Callable[[Any], list[SourceRequest]]
    parse: Callable[[Any, SourceRequest, bytes], ParsedAnswer]  # raises BadAnswer, quoting the answer
    offers: Mapping[str, Offer]  # all that a row's `offers` may give attributes
    credential: Credential | None = None  # of its API
    needs_secret: Callable[[Any], bool] = lambda _: True  # by the settings, as the next
    does_offer: Callable[[Any, str], bool] = lambda *_: True

    @property
    def more(self) -> tuple[str, ...]:
        """The extra ones: they are part of the requests' addresses."""
        return tuple(name for name, offer in self.offers.items() if offer.is_extra)

    def sentences(self, source: Any = None) -> dict[str, str]:
        """By name, the type and what the value is, of what these settings give; without settings, of all offers."""
        return {
            name: f"{offer.type}: {offer.meaning}"
            for name, offer in self.offers.items()
            if source is None or (self.does_offer(source, name) and (not offer.is_extra or name in source.more_offers))
        }


def can_become(offered: str, declared: str) -> bool:
    """Whether values of one type can be of another: a list is no single text, and true is no number.

    >>> can_become("string", "integer"), can_become("strings", "string"), can_become("boolean", "number")
    (True, False, False)
    """
    if offered == "strings":
        return declared == "strings"
    return offered != "boolean" or declared not in {"integer", "number"}


def split_texts(value: Any, separator: str) -> list[str]:
    """The parts of a text that lists several things; none of any other value.

    >>> split_texts("portrait, sketch and study", ","), split_texts(None, ",")
    (['portrait', ' sketch and study'], [])
    """
    return value.split(separator, _MOST_TEXTS) if isinstance(value, str) else []


def field_of_items(items: Any, field: str) -> list[Any]:
    """One field of each object in a list; nothing of what is no object, or no list.

    >>> field_of_items([{"term": "Birds", "AAT_URL": ""}, None, {}], "term")
    ['Birds', None]
    """
    return [item.get(field) for item in _first_items(items) if isinstance(item, dict)]


def text_without_tags(value: Any) -> str | None:
    """Text without tags such as <i>, which may be escaped; None for empty text and for other values.

    >>> text_without_tags("Armor (&lt;i&gt;Gusoku&lt;/i&gt;)"), text_without_tags(" "), text_without_tags(7)
    ('Armor (Gusoku)', None, None)
    """
    return _TAG.sub("", html.unescape(value)).strip() or None if isinstance(value, str) else None


def _text(value: Any) -> str | None:
    """Text without tags and outer blanks, in NFC, that UTF-8 can hold; None for empty text and for other values."""
    plain = text_without_tags(value[:_LONGEST_RAW_TEXT]) if isinstance(value, str) else None
    if plain is not None and not plain.isascii():  # most are, and are NFC and UTF-8 as they stand
        plain = unicodedata.normalize("NFC", plain.encode("utf-8", "replace").decode())
    return (plain or "")[:_LONGEST_TEXT].replace("\0", "").strip() or None


def _whole_number(value: Any) -> int | None:
    """A whole number below 10^18, also where it is written as text, as some APIs do."""
    if isinstance(value, str):
        return int(value) if _WHOLE.fullmatch(value.strip()) else None
    return value if type(value) is int and abs(value) < 10**18 else None


def _number(value: Any) -> float | None:
    """A finite number; whole ones become real, so that a column has one type."""
    if type(value) is int:
        return float(value) if abs(value) < 10**18 else None
    return value if isinstance(value, float) and math.isfinite(value) else None


def _texts(value: Any) -> list[str] | None:
    """The texts of a list in their order, each once; None where there are none."""
    return list(dict.fromkeys(text for item in _first_items(value) if (text := _text(item)))) or None


def _first_items(value: Any) -> Iterable[Any]:
    return value[:_MOST_TEXTS] if isinstance(value, list) else ()


_READERS: Mapping[AttributeType, Callable[[Any], OfferValue]] = {
    "string": _text,
    "integer": _whole_number,
    "number": _number,
    "boolean": lambda value: value if isinstance(value, bool) else None,
    "strings": _texts,
}
