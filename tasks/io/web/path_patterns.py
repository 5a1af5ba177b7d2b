"""Patterns of paths as robots.txt has them (RFC 9309, 2.2.2 and 2.2.3), which other files of hosts have taken over."""

import re
from urllib.parse import quote, unquote_to_bytes

_ORIGIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")
# "/", "%" and "*" that are escaped stay so: they are no separator, no beginning of an escape, no wildcard
_STAYS = re.compile("%(2[5FAfa])")


class PathPattern:
    """A pattern: the beginning of a path and query, in which * stands for any characters, and $ at its end for the end.

    octets: its length, escaped, by which rules are compared; the longest that matches counts.

    >>> PathPattern("/images/*.jpg$").matches(path_of_url("https://a.example/images/a/1.jpg"))
    True
    """

    def __init__(self, text: str) -> None:
        """Any text is a pattern: empty text matches all, and what begins with neither "/" nor "*" nothing."""
        has_end = text.endswith("$")
        escaped = _escaped(text.removesuffix("$") if has_end else text, "/%=*")
        self.octets = len(escaped) + has_end
        first, *self._parts = escaped.split("*")
        self._first, self._has_end = first, has_end

    def matches(self, path: str) -> bool:
        """Whether a path of `path_of_url` begins as the pattern says."""
        if not path.startswith(self._first):
            return False
        at = len(self._first)
        if not self._parts:
            return not self._has_end or at == len(path)
        *inner, last = self._parts
        for part in inner:
            if (found := path.find(part, at)) < 0:
                return False
            at = found + len(part)
        if self._has_end:
            return len(path) - len(last) >= at and path.endswith(last)
        return path.find(last, at) >= 0


def path_of_url(url: str) -> str:
    """Path and query of a URL, escaped as in patterns: only where escapes are needed, in capitals.

    >>> path_of_url("https://a.example/b/%63?d=%c3%a9#top"), path_of_url("https://a.example")
    ('/b/c%3Fd=%C3%A9', '/')
    """
    path = _escaped(_ORIGIN.sub("", url.partition("#")[0], count=1), "/%=")
    return path if path.startswith("/") else f"/{path}"


def _escaped(text: str, safe: str) -> str:
    plain = unquote_to_bytes(_STAYS.sub(lambda match: f"%25{match[1].upper()}", text).encode("utf-8", "replace"))
    return quote(plain, safe=safe)
