"""Faults that are another reply in place of the good one: pure, but for the time that a date needs."""

from collections.abc import Callable, Mapping
from email.utils import formatdate
from typing import NamedTuple

from examples.museum.serve.bombs import gzip_bomb, pixel_bomb
from examples.museum.serve.wire import Reply

MOVED, LOOP, CLOSED = "museum-moved", "museum-loop", "/closed"
"""How an address says that it was redirected to, by a parameter of its query or the beginning of its path."""

OPTED_OUT = {"robots_content_usage": "/no-usage", "robots_content_signal": "/no-signal", "tdmrep": "/reserved"}
"""Beginnings of paths below which all is opted out of training by robots.txt or tdmrep.json, by the kind of fault."""
ROBOTS_LINES = (
    f"Disallow: {CLOSED}/",
    f"Content-Usage: {OPTED_OUT['robots_content_usage']}/ search=y, train-ai=n",
    f"Content-Signal: {OPTED_OUT['robots_content_signal']}/ search=yes, ai-train=no",
)
TDM_RULES = [
    {"location": f"{OPTED_OUT['tdmrep']}/", "tdm-reservation": 1, "tdm-policy": "https://museum.example/policy.json"},
    {"location": "/", "tdm-reservation": 0},
]

_ZEROED_BYTES = 4096
_HTML = ("Content-Type", "text/html; charset=utf-8")
_ERROR_PAGE = (
    b"<!DOCTYPE html>\n<html><head><title>Error</title></head><body>Something went wrong. Come again.</body></html>\n"
)
# what Imperva's wall sends, as far as clients look at it
_WALL = (
    b'<html style="height:100%"><head><META NAME="ROBOTS" CONTENT="NOINDEX, NOFOLLOW"></head><body style="margin:0px;'
    b'height:100%"><iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=7-1-0&incident_id=1-1" '
    b"frameborder=0>"
    b"Request unsuccessful. Incapsula incident ID: 1-1</iframe></body></html>"
)
_SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><rect width="300" height="200" '
    b'fill="#a33"/></svg>'
)
_COOKIES = (
    "session=0; Max-Age=-1; Path=/",
    "=",
    ";;;",
    f"long={'x' * 3000}; Domain=.example",
    "a=b; Domain=elsewhere.example",
    'quoted="\\"; Secure; HttpOnly; SameSite=None',
)


class RequestTarget(NamedTuple):
    """What a request asks for, without the marks of earlier redirects: host, and path and query as sent.

    base: what stands before paths where the host is named in the path. is_marked: it came here by a redirect of ours.
    loops: how often it went round. is_closed: robots.txt forbids the way it came.
    """

    host: str
    path: str
    query: str
    base: str = ""
    is_marked: bool = False
    loops: int = 0
    is_closed: bool = False


def faulty_reply(name: str, good: Reply, target: RequestTarget, time_s: float) -> Reply:
    """The reply with the fault of that name. time_s: Unix time."""
    if name in _REDIRECTS:
        return _redirect(_REDIRECTS[name](target))
    if name == "throttle_date":
        # dates have whole seconds: the second after the next is one to two seconds away
        return _page(429).with_header("Retry-After", formatdate(int(time_s) + 2, usegmt=True))
    return _SPOILT[name](good)


def _marked(target: RequestTarget, mark: str, number: int) -> str:
    query = f"{target.query}&{mark}={number}" if target.query else f"{mark}={number}"
    return f"{target.base}{target.path}?{query}"


def _below(beginning: str) -> Callable[[RequestTarget], str]:
    return lambda target: f"{target.base}{beginning}{target.path}" + (f"?{target.query}" if target.query else "")


def _page(status: int, body: bytes = _ERROR_PAGE) -> Reply:
    return Reply(status, (_HTML,), body)


def _redirect(location: str) -> Reply:
    return Reply(302, (("Location", location), _HTML), b"<html><body>Moved.</body></html>")


def _zeroed(good: Reply) -> Reply:
    body = good.body
    count = min(_ZEROED_BYTES, len(body) // 2)
    first = (len(body) - count) // 2
    return good._replace(body=body[:first] + bytes(count) + body[first + count :])


def _retyped(good: Reply, value: str) -> Reply:
    kept = tuple((name, said) for name, said in good.headers if name.lower() != "content-type")
    return good._replace(headers=(("Content-Type", value), *kept))


def _with_cookies(good: Reply) -> Reply:
    return good._replace(headers=(*good.headers, *(("Set-Cookie", cookie) for cookie in _COOKIES)))


def _with_meta(good: Reply, name: str, content: str) -> Reply:
    tag = f'<head><meta name="{name}" content="{content}">'.encode()
    return good._replace(body=good.body.replace(b"<head>", tag, 1))


def _nasty(good: Reply) -> Reply:
    return good.with_header("Content-Disposition", 'attachment; filename="../../../../etc/passwd"')


_REDIRECTS: Mapping[str, Callable[[RequestTarget], str]] = {
    "moved": lambda target: _marked(target, MOVED, 1),
    "loop": lambda target: _marked(target, LOOP, target.loops + 1),
    "robots_disallow": _below(CLOSED),
    **{kind: _below(beginning) for kind, beginning in OPTED_OUT.items()},
    "to_this_machine": lambda target: "http://127.0.0.1:1/",
    "to_metadata": lambda target: "http://169.254.169.254/latest/meta-data/",
    "to_file": lambda target: "file:///etc/passwd",
}
_SPOILT: Mapping[str, Callable[[Reply], Reply]] = {
    "throttle_seconds": lambda good: _page(429).with_header("Retry-After", "1"),
    "busy": lambda good: _page(503),
    "incapsula": lambda good: _page(403, _WALL),
    "server_error": lambda good: _page(500),
    "server_error_lasting": lambda good: _page(500),
    "page_for_answer": lambda good: _page(200),
    "not_found": lambda good: _page(404),
    "gone": lambda good: _page(410),
    "unauthorized": lambda good: _page(401),
    "forbidden": lambda good: Reply(403, (("Content-Type", "text/plain"),), b"Forbidden\n"),
    "page_for_image": lambda good: _page(200),
    "truncated": lambda good: good._replace(body=good.body[: len(good.body) // 2]),
    "zeroed": _zeroed,
    "empty": lambda good: good._replace(body=b""),
    "wrong_type": lambda good: _retyped(good, "text/plain"),
    "gzip_bomb": lambda good: good._replace(body=gzip_bomb()).with_header("Content-Encoding", "gzip"),
    "pixel_bomb": lambda good: _retyped(good._replace(body=pixel_bomb()), "image/png"),
    "svg": lambda good: _retyped(good._replace(body=_SVG), "image/svg+xml"),
    "noai": lambda good: good.with_header("X-Robots-Tag", "noai"),
    "noimageai": lambda good: good.with_header("X-Robots-Tag", "noimageai"),
    "content_usage": lambda good: good.with_header("Content-Usage", "search=y, train-ai=n"),
    "content_signal": lambda good: good.with_header("Content-Signal", "search=yes, ai-train=no"),
    "tdm_reservation": lambda good: good.with_header("tdm-reservation", "1").with_header(
        "tdm-policy", "https://museum.example/policy.json"
    ),
    "page_noai": lambda good: _with_meta(good, "robots", "noindex, noai, noimageai"),
    "page_tdm": lambda good: _with_meta(good, "tdm-reservation", "1"),
    "nasty_name": _nasty,
    "cookies": _with_cookies,
    "giant_header": lambda good: good.with_header("X-Padding", "x" * 100_000),
}

REPLACED = frozenset({*_REDIRECTS, "throttle_date", *_SPOILT})
"""Kinds of faults that are another reply."""
