"""A page of HTML as a row of texts and tags, in linear time: for single parts of a page. `html_pages` has the tree."""

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import NamedTuple

_TAG = re.compile(r"<(?:(/?)([A-Za-z][\w:-]*)|!--|[!?])")
_ATTRIBUTE = re.compile(r"""[\s/]*([^\s=>/"'<]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s>"'<]*))?""")


class PageToken(NamedTuple):
    """A piece of text (tag ""), or the begin or end of an element."""

    tag: str
    text: str = ""
    attributes: Mapping[str, str] = {}
    is_end: bool = False


def page_tokens(html: str) -> Iterator[PageToken]:
    """Texts and tags of a page without comments, scripts and style sheets, in linear time: html.parser takes more."""
    at = 0
    while match := _TAG.search(html, at):
        yield PageToken("", html[at : match.start()])
        if not match[2]:
            at = _after(html, "-->" if match[0] == "<!--" else ">", match.end())
            continue
        tag = match[2].lower()
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
