"""Two pictures beside each other on a page without scripts, and without anything from elsewhere."""

from tasks.core.report.pieces import outside
from tasks.core.report.thumbnails import Thumbnail, drawing

POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'none'; base-uri 'none'; "
    "form-action 'none'"
)
"""What a browser lets such a page do."""
STYLE = """
.pairs{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(22rem,100%),1fr));gap:1rem}
.pairs article{border:1px solid var(--rule);border-radius:6px;padding:.8rem;font-size:.85rem;overflow-wrap:anywhere}
.sides{display:grid;grid-template-columns:1fr 1fr;gap:.6rem}.sides figure{width:auto}
.sides svg{height:9rem;background:var(--wash);border-radius:3px}.none{color:var(--quiet);padding:1rem 0}
.pairs p{margin:.4rem 0}del{background:var(--removed)}ins{background:var(--added);text-decoration:none}
pre{white-space:pre-wrap;background:var(--wash);padding:.8rem;border-radius:6px}
"""


def sides(*figures: str) -> str:
    """Figures in one line, as HTML."""
    return f"<div class=sides>{''.join(figures)}</div>"


def figure(picture: Thumbnail | None, side: str, caption: str | None) -> str:
    """One of the two, as HTML. side: which one, in a word."""
    shown = drawing(picture, (), side) if picture else "<div class=none>no picture</div>"
    return f"<figure>{shown}<figcaption>{outside(side)}{': ' + cut(caption) if caption else ''}</figcaption></figure>"


def cut(text: str | None) -> str:
    """Text from outside as HTML, its first 300 letters.

    >>> cut("a < b"), cut(None)
    ('<bdi>a &lt; b</bdi>', 'nothing')
    """
    return "nothing" if text is None else outside(text)
