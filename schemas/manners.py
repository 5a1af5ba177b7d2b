"""How a build asks web hosts: how fast, how often it tries again, when it stops, and how a source's secret is sent."""

import contextlib
import ipaddress
import re
from dataclasses import dataclass
from typing import Annotated

import idna
from pydantic import Field, field_validator

from schemas.base import Frozen, Positive
from schemas.phrases import quoted

AGENT = "bilderatlas"
"""The name by which robots.txt, headers and pages mean us, and with which our User-Agent begins."""

_PLACE = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[^:\[\]]+)(?::(?P<port>[0-9]{1,5}))?")
_NAME = re.compile(r"[a-z0-9_.-]+")
_LEFT_OUT = {"80", "443"}

Rate = Annotated[float, Field(gt=0, le=100_000)]
Connections = Annotated[int, Field(ge=1, le=256)]


class HostTerms(Frozen):
    """Limits for one host, where they differ from those for all hosts."""

    rate_per_s: Rate | None = Field(None, description="Most requests per second; null: as for all hosts")
    connections: Connections | None = Field(None, description="Most requests at the same time; null: as for all hosts")


class HostManners(HostTerms):
    """Limits for one host, shared by all builds of a user on one machine, and by all workers of a cluster."""

    rate_per_s: Rate = Field(5, description="Most requests per second; a host that asks to slow down gets fewer")
    connections: Connections = Field(4, description="Most requests at the same time")


class Manners(HostManners):
    """Limits for all hosts, other limits for some hosts, and limits for a whole build."""

    hosts: dict[str, HostTerms] = Field(
        default_factory=dict,
        description="Other limits for a host, e.g. those in an API's terms of use; by host name, with a port where "
        "addresses have one",
    )
    tries: int = Field(
        4, ge=1, le=10, description="How often a failing request is sent in one build, the first time included"
    )
    longest_wait_s: float = Field(
        300, ge=0, le=86_400, description="A host that asks for a longer pause gets no more requests in this build"
    )
    max_requests: Positive | None = Field(
        None, description="Most requests in one build, all hosts together; null: no limit"
    )
    max_bytes: Positive | None = Field(
        None, description="Most bytes received in one build, all hosts together; null: no limit"
    )

    @field_validator("hosts")
    @classmethod
    def _spells_hosts_as_addresses_do(cls, hosts: dict[str, HostTerms]) -> dict[str, HostTerms]:
        by_host: dict[str, HostTerms] = {}
        for written, terms in hosts.items():
            host = _place(written)
            if host in by_host:
                raise ValueError(f"hosts: expected each host once, got {quoted(host)} twice")
            by_host[host] = terms
        return by_host

    def of(self, host: str) -> HostManners:
        """The limits of one host."""
        own = self.hosts.get(host, HostTerms()).model_dump(exclude_none=True)
        return HostManners(**{"rate_per_s": self.rate_per_s, "connections": self.connections} | own)


def _place(written: str) -> str:
    """The canonical spelling of a host: lower case, ASCII, no final dot, no default port. Raises ValueError."""
    match = _PLACE.fullmatch(written.strip().lower())
    try:
        name, port = (canonical_host(match["name"].strip("[]")), match["port"]) if match else ("", None)
    except ValueError:
        name, port = "", None
    if not name or (port is not None and not 0 < int(port) < 1 << 16):
        raise ValueError(
            "hosts: expected a host name, with or without a port, such as museum.example or museum.example:8000, "
            f"got {quoted(written)}"
        )
    return name if port is None or port in _LEFT_OUT else f"{name}:{int(port)}"


def canonical_host(host: str) -> str:
    """One spelling for each host: lower case, ASCII, without the final dot; IPv6 in brackets. Raises ValueError.

    >>> canonical_host("Müller.Example."), canonical_host("::1")
    ('xn--mller-kva.example', '[::1]')
    """
    if ":" in host:
        return f"[{ipaddress.IPv6Address(host)}]"
    name = ascii_name(host.removesuffix(".")).lower()
    if name and (name.endswith(".") or not _NAME.fullmatch(name)):
        raise ValueError("a host's name has letters, digits, dots and hyphens")
    return name


def ascii_name(host: str) -> str:
    """A host's name as browsers send it. Raises ValueError for what no standard makes a name of.

    >>> ascii_name("straße.example"), ascii_name("my_müller.example"), ascii_name("My_box")
    ('xn--strae-oqa.example', 'xn--my_mller-95a.example', 'My_box')
    """
    if not host.isascii():
        with contextlib.suppress(idna.IDNAError):
            return idna.encode(host, uts46=True).decode()
    # the older standard, which makes another name of ß, has signs that the newer one refuses
    return host.encode("idna").decode()


@dataclass(frozen=True, slots=True)
class Credential:
    """How a secret is sent: as the query parameter `parameter`, to this host only.

    login_url: the secret is then `<first>:<second>`, sent there as the two `login_parameters`; `session_field` of the
    JSON answer is a session token, which is sent in its place for `session_s` seconds.
    """

    host: str
    parameter: str
    login_url: str | None = None
    login_parameters: tuple[str, str] = ("", "")
    session_field: str = ""
    session_s: float = 0.0
