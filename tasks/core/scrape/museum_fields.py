"""Fields that museums' APIs have in common: text with HTML tags, first and last years, attribution qualifiers."""

import html
import re
from typing import Any

QUALIFIER = re.compile(
    r"\b(attributed|workshop|atelier|studio|circle|follower|school|style|manner|imitator|copy|after|possibly|probably|formerly)\b",
    re.I,
)
"""Words before an artist's name that qualify the attribution. Others, such as "Issued by", are roles."""
NO_YEAR = "none"
"""A year that `record` can't read. With None it would look into the text, where "1479-1458 B.C." has one."""
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")


def text_without_tags(value: Any) -> str | None:
    """Text without tags such as <i>, which may be escaped; None for empty text and for other values.

    >>> text_without_tags("Armor (&lt;i&gt;Gusoku&lt;/i&gt;)"), text_without_tags(" "), text_without_tags(7)
    ('Armor (Gusoku)', None, None)
    """
    return _TAG.sub("", html.unescape(value)).strip() or None if isinstance(value, str) else None


def single_year(begin: Any, end: Any) -> str | None:
    """The year, if first and last year are the same; NO_YEAR if they are outside 1000 to 2099; else None.

    With None, `record` takes the first year in the text of the date.

    >>> single_year(1820, 1820), single_year(-1479, -1458), single_year(1820, 1842), single_year("1820", None)
    ('1820', 'none', None, None)
    """
    if type(begin) is not int or type(end) is not int:
        return None
    if not (end >= 1000 and begin <= 2099):
        return NO_YEAR
    return str(begin) if begin == end else None
