"""Guests on the web: one client per run and process, with one rate limiter for all workers of a run, and one budget for
each host for all of the user's runs on this machine.
"""

import functools
import sys
import threading
from typing import Any, NamedTuple

from schemas.errors import BadInput
from schemas.manifests import Context
from schemas.manners import Manners
from schemas.phrases import quoted
from tasks.io.images.decode import UnreadableImage
from tasks.io.web.addresses import Origins, origins_from_text
from tasks.io.web.client import Client, ResponseLimits
from tasks.io.web.rate_limits import RateLimiter
from tasks.io.web.secrets import read_secret
from tasks.io.web.shared_hosts import hosts_of_user

CONTACT, ORIGINS = "contact", "origins"
THREADS = 16
"""Requests in progress at the same time in one part, to all hosts. The recipe's manners limit those to one host."""
_TIMEOUT_S = 30.0
"""For robots.txt and log-ins."""

_LOCK = threading.RLock()
_CLIENTS: dict[str, list[Client]] = {}
"""By run, so that a run can be abandoned."""


class Guest(NamedTuple):
    """What a part needs to send requests."""

    client: Client
    rate_limiter: RateLimiter


def guest_of_run(context: Context, manners: Manners) -> Guest:
    """This process's guest of the run. Raises BadInput if a binding can't be read."""
    origins, contact = (context.bindings.get(name) or "" for name in (ORIGINS, CONTACT))
    with _LOCK:  # two guests would have two budgets
        return _guest(context.run, origins, contact, manners.model_dump_json())


def abandon_run(context: Context) -> None:
    """Stop the run's requests in this process: nothing more is sent, and no thread waits for what is in progress."""
    with _LOCK:
        for client in _CLIENTS.pop(context.run, ()):
            client.is_abandoned.set()


def load_secret(context: Context, name: str | None) -> str | None:
    """The secret that a source's binding names; None for a source that needs none. Raises BadInput."""
    if name is None:
        return None
    if name not in context.bindings:
        raise BadInput(f"expected a binding '{name}', which says where the secret is stored (env:NAME or file:PATH)")
    kind, separator, block = context.bindings[name].partition(":")
    return _from_block(name, block) if kind == "prefect" and separator else read_secret(name, context.bindings[name])


def check_contact(context: Context, hosts: list[str], manners: Manners) -> None:
    """Raise BadInput if requests will be sent to public hosts, and there is no contact."""
    origins = origins_from_text(context.bindings.get(ORIGINS))
    public = [host for host in hosts if _is_public(origins, host)]
    if public and not _checked_contact(context.bindings.get(CONTACT) or ""):
        expected = f"your e-mail address or web page, so that {public[0]} can complain to you"
        raise BadInput(f"binding 'contact': expected {expected}, got none; add --bind contact=you@example.org")


def _is_public(origins: Origins, host: str) -> bool:
    """Whether requests for the host go to the public internet; False for what is not a host."""
    try:
        return not origins.target(f"https://{host}/").is_bound
    except UnreadableImage:
        return False


def _checked_contact(contact: str) -> str:
    if not (contact.isascii() and contact.isprintable()):
        expected = "binding 'contact': expected one line of ASCII, which an HTTP header can hold"
        raise BadInput(f"{expected}, got {quoted(contact)}")
    return contact.strip()


def _from_block(name: str, block: str) -> str:
    from prefect.blocks.system import Secret  # only flows with a server have blocks

    try:
        loaded: Any = Secret.load(block)
    except ValueError as problem:
        expected = f"binding '{name}': expected the name of a Secret block of Prefect"
        raise BadInput(f"{expected}, got {quoted(block)}") from problem
    return str(loaded.get()).strip()


@functools.lru_cache(maxsize=8)
def _guest(run: str, origins: str, contact: str, manners: str) -> Guest:
    rate_limiter, limits = _rate_limiter(run, origins, manners), ResponseLimits(1_000_000, _TIMEOUT_S)
    client = Client(rate_limiter, origins_from_text(origins), _checked_contact(contact) or None, limits)
    _CLIENTS.setdefault(run, []).append(client)
    return Guest(client, rate_limiter)


@functools.lru_cache(maxsize=8)
def _rate_limiter(run: str, origins: str, manners: str) -> RateLimiter:
    if "distributed" in sys.modules:  # loaded on a Dask worker; importing it elsewhere would cost a second
        from tasks.engine.rate_limits import shared_rate_limiter

        if (shared := shared_rate_limiter(run, origins, manners)) is not None:
            return shared
    return RateLimiter(Manners.model_validate_json(manners), shared=hosts_of_user(origins_from_text(origins)))
