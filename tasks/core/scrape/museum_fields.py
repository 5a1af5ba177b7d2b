"""Fields that museums' APIs have in common: text with HTML tags, attribution qualifiers."""

import html
import re
from typing import Any

QUALIFIER = re.compile(
    r"\b(attributed|workshop|atelier|studio|circle|follower|school|style|manner|imitator|copy|after|possibly|probably|formerly)\b",
    re.I,
)
"""Words before an artist's name that qualify the attribution. Others, such as "Issued by", are roles."""
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")


def text_without_tags(value: Any) -> str | None:
    """Text without tags such as <i>, which may be escaped; None for empty text and for other values.

    >>> text_without_tags("Armor (&lt;i&gt;Gusoku&lt;/i&gt;)"), text_without_tags(" "), text_without_tags(7)
    ('Armor (Gusoku)', None, None)
    """
    return _TAG.sub("", html.unescape(value)).strip() or None if isinstance(value, str) else None
