"""The words that a piece of HTML shows: what fields of Wikimedia hold in place of plain text."""

import re
from html.parser import HTMLParser

_LONGEST_HTML = 20_000
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_BLOCKS = frozenset({"p", "div", "li", "td", "tr"})
_HIDDEN = re.compile(r"display\s*:\s*none", re.I)
_UNREAD_CLASSES = frozenset({"boilerplate", "language", "noprint", "mw-editsection"})


def text_of_html(value: str | None) -> str | None:
    """The words that a piece of HTML shows, on one line; None where there are none.

    Leaves out what is hidden, marks of missing fields and labels of languages. Of an hCard only its names (class fn),
    and of several languages English alone, or the first.

    >>> text_of_html('<bdi><a href="//x">Edvard Munch</a></bdi><div style="display: none;">label QS:Len</div>')
    'Edvard Munch'
    """
    reader = _ShownText()
    try:
        reader.feed((value or "")[:_LONGEST_HTML])
        reader.close()
    except AssertionError:  # what html.parser raises at "<![" and no known word
        return " ".join(re.sub(r"<[^>]*>?", " ", (value or "")[:_LONGEST_HTML]).split()) or None
    return reader.words()


class _ShownText(HTMLParser):
    """Collects what is shown, with its language and whether it is a formatted name."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[tuple[str, bool, str | None, bool]] = []
        self._shown: list[tuple[str, str | None, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins; what blocks show does not touch."""
        if tag in _VOID | _BLOCKS:
            self.handle_data(" ")
        if tag in _VOID:
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
        """An element ends, and with it those within that were never closed."""
        names = [name for name, *_ in self._open]
        if tag in names:
            del self._open[len(names) - 1 - names[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        """Words, where they are shown."""
        _, is_hidden, language, is_name = self._open[-1] if self._open else ("", False, None, False)
        if not is_hidden:
            self._shown.append((data, language, is_name))

    def words(self) -> str | None:
        """All that is shown, on one line."""
        shown = [part for part in self._shown if part[2]] or self._shown
        languages = list(dict.fromkeys(language for text, language, _ in shown if language and text.strip()))
        read = "en" if "en" in languages else next(iter(languages), None)
        parts = [text for text, language, _ in shown if len(languages) < 2 or language in {None, read}]
        return " ".join("".join(parts).split()) or None
