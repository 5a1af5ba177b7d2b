"""Whom a server of this machine answers: programs that name the machine rightly, and its own pages; no other page.

A page of any site can send requests to 127.0.0.1 from the browser that shows it, also with a body and without asking
first, and can open WebSockets. It cannot say that it is another page: the browser adds the origin. A name that is
made to point to this machine (DNS rebinding) makes the page and the server one origin for the browser; but the request
then has that name as its host. So two headers decide, and nothing that a page can choose: in particular no
`X-Forwarded-...`. A proxy hands on the host that it was asked for.
"""

import contextlib
import ipaddress
import re
from collections.abc import Awaitable, Callable, MutableMapping
from http import HTTPStatus
from typing import Any, NamedTuple

from schemas.errors import BadInput
from schemas.manners import ascii_name
from schemas.phrases import quoted

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

STATUS = HTTPStatus.FORBIDDEN
TEXT = "text/plain; charset=utf-8"
NO_FRAMES = ("content-security-policy", "frame-ancestors 'self'")
"""The header of all answers by which no other page shows one of ours in a frame, for people to click in unknowingly."""

_NAME = re.compile(r"(?![.-])[a-z0-9_-]+(\.[a-z0-9_-]+)*", re.ASCII)
_LONGEST_NAME = 253
_PLACE = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?", re.ASCII | re.IGNORECASE)
_ORIGIN = re.compile(r"(https?)://(.+)", re.ASCII)
_PORTS, _LAST_PORT = {"http": 80, "https": 443}, 65_535
_OTHER_SITES = {"cross-site", "same-site"}
"""What a browser says of a request by a page that is not the server's own: for it, ports of one host are one site."""


class HostPort(NamedTuple):
    """A host as names are compared (small letters, no final dot; addresses in their short form), and its port."""

    host: str
    is_address: bool
    port: int | None


class RequestHead(NamedTuple):
    """What the rule sees of a request. target: of its line, or the path. headers: in order, names in small letters."""

    method: str
    target: str
    version: str
    headers: tuple[tuple[str, str], ...]

    def values(self, name: str) -> list[str]:
        """The values of all headers of this name."""
        return [value.strip(" \t") for other, value in self.headers if other == name]


def allowed_names(*hosts: str, named_by: str = "--allowed-host") -> frozenset[str]:
    """Names that a server answers to: localhost and these, without addresses. Raises BadInput for what is neither.

    >>> sorted(allowed_names("Museum.Example.", "0.0.0.0"))
    ['localhost', 'museum.example']
    """
    names = {"localhost"}
    for host in hosts:
        with contextlib.suppress(ValueError):
            ipaddress.ip_address(host.strip("[]").partition("%")[0])
            continue
        try:
            name = ascii_name(host).lower().removesuffix(".")
        except UnicodeError:
            name = ""
        if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
            expected = "a name such as museum.example, without http:// and port"
            raise BadInput(f"{named_by}: expected {expected}, got {quoted(host)}")
        names.add(name)
    return frozenset(names)


def refusal(head: RequestHead, names: frozenset[str]) -> str | None:
    """Why a request is not answered, in a sentence; None for one that is. Without an origin it is no page's, unless the
    browser says so: it passes where the host is right. HTTP/1.0 knows no host, and browsers do not speak it.
    """
    hosts, origins = head.values("host"), head.values("origin")
    if not head.target.startswith("/") and head.target != "*":
        return f"expected a path of this server, got {quoted(head.target)}"
    place = _place(hosts[0]) if len(hosts) == 1 else None
    is_named = place is not None and (place.is_address or place.host in names)
    is_without = not hosts and not origins and head.version in {"0.9", "1.0"}
    if not is_named and not is_without:
        got = quoted(", ".join(hosts)) if hosts else "none"
        what = f"Host: expected an address, localhost or a name that this server was started for, got {got}"
        start = "start `bilderatlas serve`, or the server of your own, with --allowed-host"
        return f"{what}; if it is a name of this machine, {start} {place.host}" if place else what
    if any(place is None or not _is_own(origin, place) for origin in origins):
        return f"Origin: expected a page of this server, or no page, got {quoted(', '.join(origins))}"
    if _OTHER_SITES.intersection(head.values("sec-fetch-site")) and not _is_visit(head):
        return "Sec-Fetch-Site: expected a page of this server, or a link to one, got another page"
    return None


def _place(text: str) -> HostPort | None:
    """The host and port of a `Host`; None for what is none.

    >>> _place("LOCALHOST.:4200"), _place("[::0001]"), _place("user@localhost")
    (HostPort(host='localhost', is_address=False, port=4200), HostPort(host='::1', is_address=True, port=None), None)
    """
    parts = _PLACE.fullmatch(text)
    if parts is None or int(parts[2] or 0) > _LAST_PORT:
        return None
    port = int(parts[2]) if parts[2] else None
    try:
        if parts[1].startswith("["):
            return HostPort(str(ipaddress.IPv6Address(parts[1][1:-1])), True, port)
        return HostPort(str(ipaddress.IPv4Address(parts[1])), True, port)
    except ValueError:
        name = parts[1].lower().removesuffix(".")
        return HostPort(name, False, port) if _NAME.fullmatch(name) else None


def _is_own(origin: str, own: HostPort) -> bool:
    """Whether an `Origin` is of the place that was asked. TLS is not compared: a proxy may have taken it away."""
    parts = _ORIGIN.fullmatch(origin)
    place = _place(parts[2]) if parts else None
    if parts is None or place is None:
        return False
    usual = _PORTS[parts[1]]
    return place.host == own.host and (place.port or usual) == (own.port or usual)


def _is_visit(head: RequestHead) -> bool:
    """Whether a person follows a link, and will see the page by itself, in no frame of another one."""
    is_read = head.method in {"GET", "HEAD"}
    return is_read and head.values("sec-fetch-mode") == ["navigate"] and head.values("sec-fetch-dest") == ["document"]


class Wall:
    """An ASGI application around another one, which sees only requests that pass."""

    def __init__(self, app: App, names: frozenset[str]) -> None:
        self.app, self.names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on what is no request, such as the start and the end of the server, and requests that pass."""
        why = None
        if scope["type"] in {"http", "websocket"}:
            headers = tuple(
                (name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]
            )
            version = scope.get("http_version", "1.1")
            why = refusal(RequestHead(scope.get("method", "GET"), scope["path"], version, headers), self.names)

        async def send_without_frames(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                name, value = NO_FRAMES
                message = {**message, "headers": [*message.get("headers", ()), (name.encode(), value.encode())]}
            await send(message)

        if why is None:
            await self.app(scope, receive, send_without_frames)
        else:
            await _refuse(scope, send, why)


async def _refuse(scope: Scope, send: Send, why: str) -> None:
    """Answer with the sentence. A WebSocket is not opened: the server answers with the same status and no text."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close"})
        return
    body = f"{why}\n".encode()
    headers = [(b"content-type", TEXT.encode()), (b"content-length", str(len(body)).encode())]
    headers.append((b"x-content-type-options", b"nosniff"))
    await send({"type": "http.response.start", "status": int(STATUS), "headers": headers})
    await send({"type": "http.response.body", "body": body})
