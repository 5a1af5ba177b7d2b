"""Texts of other people in Markdown: on Prefect's page, in cards."""

import re

_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|!~&])")


def as_text(text: str) -> str:
    r"""The text as one line, which Markdown takes for nothing but text: no link, picture, HTML or end of a cell.

    >>> as_text("![x](http://a.example/b.png)" + chr(10) + "<b>")
    '\\!\\[x\\](http://a.example/b.png) \\<b\\>'
    """
    return _SIGNS.sub(r"\\\1", " ".join(text.split()))
