"""Guests on the web: one client per run and process, with one governor for all of a run's workers."""

import functools
import sys
import threading
from typing import Any

from schemas.errors import BadInput
from schemas.manifests import Context
from schemas.manners import Manners
from tasks.io.images.decode import UnreadableImage
from tasks.io.web.addresses import Origins, origins_from_text
from tasks.io.web.client import Client, Limits
from tasks.io.web.rate_limits import Governor
from tasks.io.web.secrets import secret_from

CONTACT, ORIGINS = "contact", "origins"
THREADS = 16
"""Requests under way at once in one part, all hosts together; what one host gets, the recipe's manners say."""
_HEAD_WITHIN_S = 30.0


_LOCK = threading.RLock()
_CLIENTS: dict[str, list[Client]] = {}
"""By run, so that it can be given up."""


class Guest:
    """What a part needs to ask the web."""

    def __init__(self, run: str, origins: str, contact: str, manners: Manners) -> None:
        """Raises BadInput for bindings that can't be read."""
        self.governor = _governor(run, manners.model_dump_json())
        self.client = Client(
            self.governor, origins_from_text(origins), _checked(contact) or None, Limits(1_000_000, _HEAD_WITHIN_S)
        )
        _CLIENTS.setdefault(run, []).append(self.client)


def guest(context: Context, manners: Manners) -> Guest:
    """This process's guest of the run."""
    origins, contact = (context.bindings.get(name) or "" for name in (ORIGINS, CONTACT))
    with _LOCK:  # two would be two budgets
        return _guest(context.run, origins, contact, manners.model_dump_json())


def leave(context: Context) -> None:
    """Give the run up, in this process: nothing more is sent, and nobody waits for what is under way."""
    with _LOCK:
        for client in _CLIENTS.pop(context.run, ()):
            client.is_left.set()


def secret(context: Context, name: str | None) -> str | None:
    """The secret that a source's binding names; None for a source that needs none. Raises BadInput."""
    if name is None:
        return None
    if name not in context.bindings:
        raise BadInput(f"expected a binding '{name}', which says where the secret is kept (env:NAME or file:PATH)")
    kind, separator, block = context.bindings[name].partition(":")
    return _from_block(name, block) if kind == "prefect" and separator else secret_from(name, context.bindings[name])


def check_guest(context: Context, hosts: list[str], manners: Manners) -> None:
    """Raise BadInput unless there is a contact, where public hosts will be asked."""
    origins = origins_from_text(context.bindings.get(ORIGINS))
    public = [host for host in hosts if _is_public(origins, host)]
    if public and not _checked(context.bindings.get(CONTACT) or ""):
        raise BadInput(
            f"binding 'contact': expected an e-mail address or page of yours, which {public[0]} can complain "
            "to, got none"
        )


def _is_public(origins: Origins, host: str) -> bool:
    """Whether requests for the host leave what is bound; what is no host gets no request."""
    try:
        return not origins.target(f"https://{host}/").is_bound
    except UnreadableImage:
        return False


def _checked(contact: str) -> str:
    if not (contact.isascii() and contact.isprintable()):
        raise BadInput(f"binding 'contact': expected one line of ASCII, which a header can carry, got {contact!r}")
    return contact.strip()


def _from_block(name: str, block: str) -> str:
    from prefect.blocks.system import Secret  # only flows with a server have blocks

    try:
        loaded: Any = Secret.load(block)
    except ValueError as problem:
        raise BadInput(f"binding '{name}': expected a Secret block of Prefect, got none named '{block}'") from problem
    return str(loaded.get()).strip()


@functools.lru_cache(maxsize=8)
def _guest(run: str, origins: str, contact: str, manners: str) -> Guest:
    return Guest(run, origins, contact, Manners.model_validate_json(manners))


@functools.lru_cache(maxsize=8)
def _governor(run: str, manners: str) -> Governor:
    if "distributed" in sys.modules:  # a Dask worker has it; nobody else should wait a second for its import
        from tasks.engine.rate_limits import shared_governor

        if (shared := shared_governor(run, manners)) is not None:
            return shared
    return Governor(Manners.model_validate_json(manners))
