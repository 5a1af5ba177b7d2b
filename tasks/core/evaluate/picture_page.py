"""A page of pictures in rows, with a line on each: one HTML file that needs no other."""

import base64
from collections.abc import Sequence

from tasks.core.drawing import escape

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:90rem;margin:2rem auto;padding:0 1rem;color:#222}
.row{display:flex;flex-wrap:wrap;gap:.8rem;border-top:1px solid #ddd;padding:.8rem 0}
.row p{width:100%;margin:0;font-weight:600}figure{margin:0;font-size:.8rem}img{display:block;max-width:100%}
"""


PagePicture = tuple[bytes | None, str]
"""A JPEG, None where it cannot be shown, and what stands below it."""


def picture_page(title: str, explanation: str, rows: Sequence[tuple[str, Sequence[PagePicture]]]) -> str:
    """The page: title and explanation, then rows of pictures, each with its heading; without one it says so."""
    body = ""
    for heading, pictures in rows:
        body += f"<div class=row><p>{escape(heading)}</p>{''.join(map(_figure, pictures))}</div>"
    body = body or "<p>There is nothing to show.</p>"
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(title)}</title><style>{_STYLE}</style>"
        f"<h1>{escape(title)}</h1><p>{escape(explanation)}</p>{body}</html>\n"
    )


def _figure(picture: PagePicture) -> str:
    jpeg, words = picture
    caption = f"<figcaption>{escape(words)}</figcaption>"
    if jpeg is None:
        return f"<figure>(no picture){caption}</figure>"
    data = base64.b64encode(jpeg).decode()
    return f'<figure><img alt="{escape(words)}" src="data:image/jpeg;base64,{data}">{caption}</figure>'
