"""A real web server on this machine, and clients that may ask it."""

import socket
from collections.abc import Callable, Iterator

import pytest

from schemas.manners import Manners
from tasks.io.web.addresses import Origins
from tasks.io.web.client import Client, ResponseLimits
from tasks.io.web.rate_limits import RateLimiter
from tests.support.servers import Site, serving

FAST = Manners(rate_per_s=100_000, connections=16)


class Guest:
    """A client, and the rate limiter that it asks."""

    def __init__(self, origins: Origins, manners: Manners, contact: str | None, timeout_s: float) -> None:
        self.rate_limiter = RateLimiter(manners)
        self.client = Client(self.rate_limiter, origins, contact, ResponseLimits(1_000_000, timeout_s))


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as pages:
        yield pages


@pytest.fixture
def invite(site: Site) -> Iterator[Callable[..., Guest]]:
    """Guests to whom every host is the site, unless told otherwise."""
    guests = []

    def invited(
        manners: Manners = FAST,
        origins: Origins | None = None,
        contact: str | None = "me@example.org",
        timeout_s: float = 5.0,
    ) -> Guest:
        bound = Origins({"*": site.url, "127.0.0.1": site.url}) if origins is None else origins
        guests.append(Guest(bound, manners, contact, timeout_s))
        return guests[-1]

    yield invited
    for guest in guests:
        guest.client.close()


@pytest.fixture
def refusing_url() -> str:
    """An address of this machine where nobody listens."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{unused.getsockname()[1]}/nobody.jpg"
