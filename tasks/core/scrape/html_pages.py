"""Pages of HTML as a flat list of their elements, for sources without an API."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from tasks.core.scrape.web_source import BadAnswer, quoted

_LARGEST_BYTES = 8_000_000
VOID_TAGS = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
)
_UNREAD = frozenset({"script", "style", "title"})


class Element(NamedTuple):
    """One element: elements[first:last] of its page lie in it, and chunks[text_first:text_last] are its text."""

    tag: str
    attributes: Mapping[str, str]
    first: int
    last: int
    text_first: int
    text_last: int

    def has(self, tag: str, *classes: str) -> bool:
        """Whether it is of this tag and all these classes."""
        return self.tag == tag and set(classes) <= set(self.attributes.get("class", "").split())


@dataclass(frozen=True)
class Page:
    """Elements of a page in the order in which they begin. title: the text of <title>, for messages."""

    elements: tuple[Element, ...]
    chunks: tuple[str, ...]
    title: str

    def text(self, element: Element | None) -> str:
        """The text of an element, with single blanks; empty for None."""
        if element is None:
            return ""
        return " ".join("".join(self.chunks[element.text_first : element.text_last]).split())

    def all(self, tag: str, *classes: str, within: Element | None = None) -> list[Element]:
        """Elements of this tag and these classes, without those inside another such element."""
        begin, last = (within.first, within.last) if within else (0, len(self.elements))
        elements: list[Element] = []
        for at, element in enumerate(self.elements[begin:last], begin):
            if (not elements or at >= elements[-1].last) and element.has(tag, *classes):
                elements.append(element)
        return elements

    def one(self, tag: str, *classes: str, within: Element | None = None) -> Element | None:
        """The first element of this tag and these classes, if there is one."""
        begin, last = (within.first, within.last) if within else (0, len(self.elements))
        return next((element for element in self.elements[begin:last] if element.has(tag, *classes)), None)


class _Parser(HTMLParser):
    """Elements in the order in which they begin; of those that are open the ends are still to come."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.chunks: list[str] = []
        self.titles: list[str] = []
        self.open: list[Element] = []
        self._open_tags = Counter[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in reversed(attrs)}  # of two the first, as in browsers
        begun = Element(tag, attributes, len(self.elements) + 1, 0, len(self.chunks), 0)
        self.open.append(begun)
        self.elements.append(begun)
        self._open_tags[tag] += 1
        if tag in VOID_TAGS:
            self.end_last()

    def handle_endtag(self, tag: str) -> None:
        if self._open_tags[tag]:
            while self.end_last() != tag:
                pass

    def end_last(self) -> str:
        """Closes the last element that is open; its tag."""
        begun = self.open.pop()
        self._open_tags[begun.tag] -= 1
        self.elements[begun.first - 1] = begun._replace(last=len(self.elements), text_last=len(self.chunks))
        return begun.tag

    def handle_data(self, data: str) -> None:
        tag = self.open[-1].tag if self.open else ""
        if tag not in _UNREAD:
            self.chunks.append(data)
        elif tag == "title":
            self.titles.append(data)


def parse_page(data: bytes) -> Page:
    """The page of these bytes, in linear time; "�" for what is no UTF-8. Raises BadAnswer for none or a large one."""
    if len(data) > _LARGEST_BYTES:
        raise BadAnswer(f"expected a page of at most {_LARGEST_BYTES} bytes, got {len(data)}")
    parser = _Parser()
    try:
        # no close(): it would read a tag that is cut off at the end again and again; without it, that tag is left out
        parser.feed(data.decode("utf-8", "replace"))
    except AssertionError as why:  # raised by html.parser at a marked section that it does not know
        raise BadAnswer(f"expected a page of HTML, got {quoted(data)} ({why})") from why
    while parser.open:
        parser.end_last()
    return Page(tuple(parser.elements), tuple(parser.chunks), " ".join("".join(parser.titles).split()))


def resolve_link(base: str, href: str) -> SplitResult | None:
    """The target of a link on a page, without its fragment; None if it is not a valid http(s) URL."""
    try:
        parts = urlsplit(urljoin(base, href.strip()))
        is_plain = parts.port in {None, 80, 443} and not parts.username
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not parts.hostname or not is_plain:
        return None
    path = quote(parts.path, safe="/%:@!$&'()*+,;=~-._")
    return parts._replace(scheme="https", netloc=parts.hostname, path=path, fragment="")


_LONGEST_HTML = 20_000
_BLOCKS = frozenset({"p", "div", "li", "td", "tr"})
_HIDDEN = re.compile(r"display\s*:\s*none", re.I)
_UNREAD_CLASSES = frozenset({"boilerplate", "language", "noprint", "mw-editsection"})


def text_of_html(value: str | None) -> str | None:
    """The text that a reader sees in a piece of HTML, on one line; None if there is none.

    Without hidden elements and labels; only the names (class fn) of an hCard; of languages English, or the first.

    >>> text_of_html('<bdi><a href="//x">Edvard Munch</a></bdi><div style="display: none;">label QS:Len</div>')
    'Edvard Munch'
    """
    reader, html = _VisibleText(), (value or "")[:_LONGEST_HTML]
    try:
        reader.feed(html)
        reader.close()
    except AssertionError:  # raised by html.parser at "<![" without a known word
        return " ".join(re.sub(r"<[^>]*>?", " ", html).split()) or None
    return reader.words()


class _VisibleText(HTMLParser):
    """Collects visible text, with its language and whether it is a formatted name."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[tuple[str, bool, str | None, bool]] = [("", False, None, False)]
        self._visible: list[tuple[str, str | None, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID_TAGS | _BLOCKS:
            self.handle_data(" ")
        if tag in VOID_TAGS:
            return
        given = {name: value or "" for name, value in attrs}
        classes = set(given.get("class", "").split())
        _, is_hidden, language, is_name = self._open[-1]
        is_unread = tag in {"style", "script"} or not classes.isdisjoint(_UNREAD_CLASSES)
        is_hidden = is_hidden or is_unread or _HIDDEN.search(given.get("style", "")) is not None
        self._open.append((tag, is_hidden, given.get("lang") or language, is_name or "fn" in classes))

    def handle_endtag(self, tag: str) -> None:
        names = [name for name, *_ in self._open]
        if tag in names:
            del self._open[len(names) - 1 - names[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        _, is_hidden, language, is_name = self._open[-1]
        if not is_hidden:
            self._visible.append((data, language, is_name))

    def words(self) -> str | None:
        """All visible text, on one line."""
        parts = [part for part in self._visible if part[2]] or self._visible
        languages = list(dict.fromkeys(language for text, language, _ in parts if language and text.strip()))
        read = "en" if "en" in languages else next(iter(languages), None)
        texts = [text for text, language, _ in parts if len(languages) < 2 or language in {None, read}]
        return " ".join("".join(texts).split()) or None
