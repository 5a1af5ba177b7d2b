"""Where a request may go: http(s) only, public addresses only, unless the binding `origins` says otherwise.

That is a list of `host=URL`, separated by commas: requests for the host (`*`: every host) go to that origin (a mirror,
the pretend museum), with the host's own name in the Host header. An origin's own address may be private.
"""

import ipaddress
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from schemas.errors import BadInput
from schemas.manners import canonical_host
from schemas.phrases import quoted
from schemas.reasons import Reason
from tasks.io.images.decode import UnreadableImage

_PORTS = {"http": 80, "https": 443}
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


@dataclass(frozen=True)
class Target:
    """Where a request is really sent: the URL to open, and the host that it is for."""

    url: str
    host: str  # canonical, with its port unless it is the scheme's default
    is_bound: bool

    @property
    def is_private(self) -> bool:
        """Whether it is an IP address that is not public."""
        host = urlsplit(self.url).hostname or ""
        return is_number(host) and not _is_public_number(host)


@dataclass(frozen=True)
class Origins:
    """Hosts and the origins that stand in for them."""

    by_host: dict[str, str] = field(default_factory=dict)

    def target(self, url: str) -> Target:
        """Where requests for the URL go. Raises UnreadableImage: not_allowed if it is not an http(s) address."""
        try:
            parts = urlsplit(url)
            host, port = canonical_host(parts.hostname or ""), parts.port
            url.encode()
        except ValueError as problem:
            raise UnreadableImage(Reason.NOT_ALLOWED, f"expected an address, got {url[:80]!r} ({problem})") from problem
        if parts.scheme not in _PORTS or not host:
            raise UnreadableImage(Reason.NOT_ALLOWED, f"expected an http(s) address, got {url[:80]!r}")
        if parts.username is not None:
            raise UnreadableImage(Reason.NOT_ALLOWED, "expected an address without a user's name, got one")
        default = _PORTS[parts.scheme]
        place = host if port in {None, default} else f"{host}:{port}"
        path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
        origin = self.origin_of(place)
        if origin is None and (host.strip("[]"), port or default) in self._bound and not _is_public_number(host):
            # without the binding, a name may be allowed
            reason = Reason.NOT_ALLOWED if is_number(host) else Reason.UNREACHABLE
            raise UnreadableImage(reason, f"'{place}' is where another host is bound to, and no host of its own")
        # built again from its parts, so that another parser can't read anything else in it than what was checked
        return Target(f"{origin or f'{parts.scheme}://{place}'}{path}", place, is_bound=origin is not None)

    def origin_of(self, place: str) -> str | None:
        """Where requests for a host, with its port unless it is the scheme's default, are sent in its stead."""
        host = re.sub(r":[0-9]+$", "", place) if not place.endswith("]") else place
        names = (place, host) if is_number(host) else (place, host, "*")
        return next((self.by_host[name] for name in names if name in self.by_host), None)

    def allows(self, host: str, port: int, address: str) -> bool:
        """Whether a connection to this address may be opened on behalf of this host and port."""
        return (host.strip("[]"), port) in self._bound or is_public(address)

    @property
    def _bound(self) -> set[tuple[str, int]]:
        origins = [urlsplit(origin) for origin in self.by_host.values()]
        return {(str(parts.hostname), parts.port or _PORTS[parts.scheme]) for parts in origins}


def origins_from_text(text: str | None) -> Origins:
    """Origins from the binding's text; empty without a text. Raises BadInput.

    >>> origins_from_text("images.example=http://127.0.0.1:8000").by_host
    {'images.example': 'http://127.0.0.1:8000'}
    """
    by_host = {}
    for entry in filter(None, (part.strip() for part in (text or "").split(","))):
        host, separator, origin = entry.partition("=")
        if not separator or not host.strip() or not _is_origin(origin.strip()):
            expected = "binding 'origins': expected host=http://address[:port]"
            raise BadInput(f"{expected}, got {quoted(entry.rsplit('@', 1)[-1])}")
        by_host[host.strip().lower()] = origin.strip().rstrip("/")
    return Origins(by_host)


def is_number(host: str) -> bool:
    """Whether a host is written as an IP address, which the binding `*` does not replace.

    >>> is_number("[::1]"), is_number("127.1"), is_number("localhost")
    (True, True, False)
    """
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return host.replace(".", "").isdecimal() or host.startswith("0x")
    return True


def _is_public_number(host: str) -> bool:
    try:
        return is_public(host.strip("[]"))
    except ValueError:
        return False


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet. An address that embeds another counts as that one.

    >>> is_public("93.184.215.14"), is_public("169.254.169.254"), is_public("::ffff:127.0.0.1")
    (True, False, False)
    """
    number = ipaddress.ip_address(address.split("%", 1)[0])
    if isinstance(number, ipaddress.IPv6Address):
        wrapped = number.ipv4_mapped or number.sixtofour or (number.teredo[1] if number.teredo else None)
        if wrapped is None and number in _NAT64:
            wrapped = ipaddress.IPv4Address(int(number) & 0xFFFFFFFF)
        if wrapped is not None:
            return is_public(str(wrapped))
        if number.is_site_local:
            return False
    return number.is_global and not (number.is_multicast or number.is_reserved)


def _is_origin(origin: str) -> bool:
    """Whether it is scheme://host[:port] only: a path would be lost, a password would be visible."""
    try:
        parts = urlsplit(origin)
        is_usable = parts.scheme in _PORTS and bool(canonical_host(parts.hostname or "")) and parts.port != 0
    except ValueError:
        return False
    return is_usable and parts.username is None and parts.path in {"", "/"} and not (parts.query or parts.fragment)
