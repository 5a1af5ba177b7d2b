"""A page of pictures in rows, with a line on each: one HTML file that needs no other."""

import base64
from collections.abc import Sequence
from typing import NamedTuple

from tasks.core.drawing import escape

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:90rem;margin:2rem auto;padding:0 1rem;color:#222}
.row{display:flex;flex-wrap:wrap;gap:.8rem;border-top:1px solid #ddd;padding:.8rem 0}
.row p{width:100%;margin:0;font-weight:600}figure{margin:0;font-size:.8rem}img{display:block;max-width:100%}
"""


class Picture(NamedTuple):
    """jpeg: its bytes; None where it cannot be shown. caption: what stands below it."""

    jpeg: bytes | None
    caption: str


class PictureRow(NamedTuple):
    """Pictures beside each other. title: what stands above them."""

    title: str
    pictures: Sequence[Picture]


def picture_page(title: str, explanation: str, rows: Sequence[PictureRow]) -> str:
    """The page: title and explanation, then the rows; without a row it says that there is none."""
    body = ""
    for row in rows:
        body += f"<div class=row><p>{escape(row.title)}</p>{''.join(map(_figure, row.pictures))}</div>"
    body = body or "<p>There is nothing to show.</p>"
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(title)}</title><style>{_STYLE}</style>"
        f"<h1>{escape(title)}</h1><p>{escape(explanation)}</p>{body}</html>\n"
    )


def _figure(one: Picture) -> str:
    caption = f"<figcaption>{escape(one.caption)}</figcaption>"
    if one.jpeg is None:
        return f"<figure>(no picture){caption}</figure>"
    data = base64.b64encode(one.jpeg).decode()
    return f'<figure><img alt="{escape(one.caption)}" src="data:image/jpeg;base64,{data}">{caption}</figure>'
