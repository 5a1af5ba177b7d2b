"""Which rights statements are open: the words that a recipe may use for many URIs."""

import re
from collections.abc import Sequence

_START = re.compile(r"https?://(?:www\.)?", re.IGNORECASE)
_PART_ENDS = re.compile(r"[?#]")

PUBLIC_DOMAIN = (
    "creativecommons.org/publicdomain/zero/",  # CC0
    "creativecommons.org/publicdomain/mark/",  # Public Domain Mark
    "creativecommons.org/licenses/publicdomain/",  # the dedication that both replaced in 2010
    # no copyright, United States; its other "no copyright" ones name further limits
    "rightsstatements.org/vocab/noc-us/",
    "rightsstatements.org/page/noc-us/",
)
"""Nobody has a copyright, as Creative Commons and rightsstatements.org word it."""

OPEN = (*PUBLIC_DOMAIN, "creativecommons.org/licenses/by/", "creativecommons.org/licenses/by-sa/")
"""Free to use for any purpose: what the Open Definition 2.1 lists as conformant of those
(opendefinition.org/licenses)."""

_WORDS = {"public_domain": PUBLIC_DOMAIN, "open": OPEN, "all": ("",)}


def passes(uri: str, allowed: Sequence[str]) -> bool:
    """Whether a rights statement is one of the allowed words (public_domain, open, all), or begins as one of the
    allowed URIs.

    A beginning ends where a part of the address does: `.../licenses/by` lets CC BY pass, of any version, but not CC
    BY-NC. http and https, `www.`, case and a slash at the end make no difference.

    >>> passes("http://www.creativecommons.org/licenses/BY/4.0", ["open"])
    True
    >>> passes("NOASSERTION", ["public_domain", "open"])
    False
    """
    bare = _PART_ENDS.sub("/", _bare(uri)) + "/"
    return any(bare.startswith(start) for word in allowed for start in _WORDS.get(word, (_beginning(word),)))


def _beginning(uri: str) -> str:
    return _PART_ENDS.sub("/", _bare(uri)).rstrip("/") + "/"


def _bare(uri: str) -> str:
    return _START.sub("", uri.strip()).casefold()
