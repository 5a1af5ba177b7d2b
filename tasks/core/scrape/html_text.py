"""The text that a reader sees in a piece of HTML, for fields of Wikimedia that hold HTML in place of plain text."""

import re
from html.parser import HTMLParser

from tasks.core.scrape.html_pages import VOID_TAGS

_LONGEST_HTML = 20_000
_BLOCKS = frozenset({"p", "div", "li", "td", "tr"})
_HIDDEN = re.compile(r"display\s*:\s*none", re.I)
_UNREAD_CLASSES = frozenset({"boilerplate", "language", "noprint", "mw-editsection"})


def text_of_html(value: str | None) -> str | None:
    """The text that a reader sees in a piece of HTML, on one line; None if there is none.

    Leaves out hidden elements, marks of missing fields and labels of languages. Of an hCard only its names (class fn),
    and of several languages English alone, or the first.

    >>> text_of_html('<bdi><a href="//x">Edvard Munch</a></bdi><div style="display: none;">label QS:Len</div>')
    'Edvard Munch'
    """
    reader = _VisibleText()
    try:
        reader.feed((value or "")[:_LONGEST_HTML])
        reader.close()
    except AssertionError:  # raised by html.parser at "<![" without a known word
        return " ".join(re.sub(r"<[^>]*>?", " ", (value or "")[:_LONGEST_HTML]).split()) or None
    return reader.words()


class _VisibleText(HTMLParser):
    """Collects visible text, with its language and whether it is a formatted name."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[tuple[str, bool, str | None, bool]] = []
        self._visible: list[tuple[str, str | None, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins; the texts of blocks are separated by a blank."""
        if tag in VOID_TAGS | _BLOCKS:
            self.handle_data(" ")
        if tag in VOID_TAGS:
            return
        given = {name: value or "" for name, value in attrs}
        classes = set(given.get("class", "").split())
        _, is_hidden, language, is_name = self._open[-1] if self._open else ("", False, None, False)
        is_unread = (
            tag in {"style", "script"}
            or bool(classes & _UNREAD_CLASSES)
            or bool(_HIDDEN.search(given.get("style", "")))
        )
        self._open.append((tag, is_hidden or is_unread, given.get("lang") or language, is_name or "fn" in classes))

    def handle_endtag(self, tag: str) -> None:
        """An element ends, with all elements in it that were never closed."""
        names = [name for name, *_ in self._open]
        if tag in names:
            del self._open[len(names) - 1 - names[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        """Text, if it is visible."""
        _, is_hidden, language, is_name = self._open[-1] if self._open else ("", False, None, False)
        if not is_hidden:
            self._visible.append((data, language, is_name))

    def words(self) -> str | None:
        """All visible text, on one line."""
        parts = [part for part in self._visible if part[2]] or self._visible
        languages = list(dict.fromkeys(language for text, language, _ in parts if language and text.strip()))
        read = "en" if "en" in languages else next(iter(languages), None)
        texts = [text for text, language, _ in parts if len(languages) < 2 or language in {None, read}]
        return " ".join("".join(texts).split()) or None
