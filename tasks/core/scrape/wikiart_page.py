"""A work's HTML page on WikiArt: its paintingJson, styles, alt text and label of rights."""

import json
import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any, NamedTuple, Self

from schemas.sources.wikiart import WikiartSource
from tasks.core.scrape.web_source import BadAnswer, quoted
from tasks.core.scrape.wikiart_work import Work, plain_words, row, text

PUBLIC_DOMAIN = "https://creativecommons.org/publicdomain/mark/1.0/"
_LONGEST = 2000
_TAG = re.compile(r"<(?:(/?)([A-Za-z][\w:-]*)|!--|[!?])")
_ATTRIBUTE = re.compile(r"""[\s/]*([^\s=>/"'<]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s>"'<]*))?""")


def page_row(source: WikiartSource, key: str, url: str, data: bytes) -> dict[str, Any] | None:
    """Fields of the record of a work from its page; None if it is not wanted. Raises BadAnswer without paintingJson."""
    page = WorkPage.of(data.decode("utf-8", "replace"))
    labels = [label for part in page.labels if (label := text(part))]
    is_public = page.has_public_domain_icon and {label.casefold() for label in labels} == {"public domain"}
    if source.copyright == "public_domain" and not is_public:
        return None
    styles = [name for part in page.styles if (name := text(part))]
    fields = row(source, key, _work_in_script(page.work, url), styles or styles_in_text(source, page.alt))
    rights = {"rights_uri": PUBLIC_DOMAIN if is_public else None, "rights_text": "; ".join(labels) or None}
    return None if fields is None else {**fields, **rights}


def styles_in_text(source: WikiartSource, alt: str) -> list[str]:
    """The wanted styles that a text names, in its order, as ArtBench reads the alt text of the image.

    Of names that begin at one place the longest counts, and a name is only found as whole words.
    """
    if source.styles == "all":
        return []
    words = f" {plain_words(alt)} "
    places = [(words.find(f" {plain_words(name)} "), -len(name), name) for name in source.styles if plain_words(name)]
    return [name for place, _, name in sorted(places) if place >= 0]


def _work_in_script(script: str | None, url: str) -> Work:
    """The work in `paintingJson = {...}`."""
    start = (script or "").partition("=")[2].lstrip()
    try:
        work, _ = json.JSONDecoder().raw_decode(start)
    except (ValueError, RecursionError):
        work = None
    if not isinstance(work, dict):
        raise BadAnswer(f"{url}: expected ng-init with paintingJson in the page, got {quoted(script)}")
    return work


class PageToken(NamedTuple):
    """A piece of text (tag ""), or the begin or end of an element."""

    tag: str
    text: str = ""
    attributes: Mapping[str, str] = {}
    is_end: bool = False


class WorkPage:
    """The parts of a work's page that are read. Texts longer than 2,000 characters are cut."""

    def __init__(self) -> None:
        self.work: str | None = None
        self.alt = ""
        self.styles: list[str] = []
        self.labels: list[str] = []
        self.has_public_domain_icon = False
        self._list_label = ""
        self._into: list[str] | None = None

    @classmethod
    def of(cls, html: str) -> Self:
        """The page in this HTML. Any text is a page."""
        page = cls()
        for piece in page_tokens(html):
            if not piece.tag:
                page._add(piece.text)
            elif piece.is_end:
                page._end(piece.tag)
            else:
                page._take(piece.attributes)
                page._begin(piece.tag, piece.attributes.get("class", "").split())
        return page

    def _take(self, attributes: Mapping[str, str]) -> None:
        if self.work is None and "paintingJson" in attributes.get("ng-init", ""):
            self.work = attributes["ng-init"]
        if attributes.get("itemprop") == "image" and not self.alt:
            self.alt = attributes.get("alt", "")[:_LONGEST]
        self.has_public_domain_icon |= "copyright-icon-public-domain" in attributes.get("class", "").split()

    def _begin(self, tag: str, classes: list[str]) -> None:
        """Begin to collect a text that is needed: labels of list items, styles, rights."""
        if tag == "li":
            self._list_label = ""
        elif tag == "s":
            self._into = [""]
        elif tag == "a" and any(name.startswith("copyright") for name in classes):
            self._into = self.labels
            self.labels.append("")
        elif tag == "a" and self._list_label == "style:":
            self._into = self.styles
            self.styles.append("")

    def _add(self, data: str) -> None:
        if self._into is not None and len(self._into[-1]) < _LONGEST:
            self._into[-1] += unescape(data[:_LONGEST])

    def _end(self, tag: str) -> None:
        if tag == "s" and self._into is not None:
            self._list_label = self._into[-1].strip().casefold()
        if tag in {"a", "s"}:
            self._into = None


def page_tokens(html: str) -> Iterator[PageToken]:
    """Texts and tags of a page, without comments, scripts and style sheets, in time linear in its length.

    html.parser takes quadratic time for pages with many tags that are not closed.
    """
    at = 0
    while match := _TAG.search(html, at):
        yield PageToken("", html[at : match.start()])
        tag = (match[2] or "").lower()
        if not tag:
            at = _after(html, "-->" if match[0] == "<!--" else ">", match.end())
            continue
        attributes, at = _attributes(html, match.end())
        yield PageToken(tag, "", attributes, is_end=bool(match[1]))
        if tag in {"script", "style"} and not match[1]:
            at = _after(html, f"</{tag}", at)
    yield PageToken("", html[at:])


def _after(html: str, closing: str, at: int) -> int:
    match = re.compile(closing, re.IGNORECASE).search(html, at)
    return match.end() if match else len(html)


def _attributes(html: str, at: int) -> tuple[dict[str, str], int]:
    """The attributes of a tag from position `at`, and the tag's end: after ">", or where another tag begins."""
    attributes: dict[str, str] = {}
    while at < len(html) and html[at] != "<":
        if html[at] == ">":
            return attributes, at + 1
        match = _ATTRIBUTE.match(html, at)
        if match:
            value = match[2] or ""
            attributes.setdefault(match[1].lower(), unescape(value[1:-1] if value[:1] in {'"', "'"} else value))
        at = match.end() if match else at + 1
    return attributes, at
