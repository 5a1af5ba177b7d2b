"""Secrets: a binding names where a secret is stored, so that no parameter, log or artifact holds the secret itself."""

import io
import json
import os
import threading
import time
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus, unquote, unquote_plus

from schemas.errors import BadInput
from schemas.manners import Credential
from tasks.io.files import inputs

_SHORTEST_SECRET = 4


def read_secret(name: str, place: str) -> str:
    """The secret of a binding: `env:NAME` (a variable) or `file:PATH` (a file's first line). Raises BadInput."""
    kind, separator, where = place.partition(":")
    if kind == "env" and separator:
        secret = os.environ.get(where, "")
    elif kind == "file" and separator:
        try:
            with io.TextIOWrapper(inputs.open_file(where), encoding="utf-8-sig") as file:
                secret = file.read().split("\n", 1)[0]
        except (OSError, ValueError) as problem:
            expected = f"binding '{name}': expected a file that holds the secret"
            raise BadInput(f"{expected}, got no readable file '{where}'") from problem
    else:
        raise BadInput(f"binding '{name}': expected env:NAME or file:PATH, the place where the secret is stored")
    if not secret.strip():
        raise BadInput(f"binding '{name}': expected a secret in {place}, got an empty one")
    return secret.strip()


class SecretFilter:
    """Masks secrets in texts and bytes that will be shown or stored, in every spelling: a server may send them back."""

    def __init__(self, secret: str | None = None) -> None:
        """secret: as the binding has it; of `<first>:<second>` each part is a secret too."""
        self._spellings: list[str] = []
        if secret:
            for part in (secret, *secret.split(":")):
                self.add(part)

    def add(self, secret: str) -> None:
        """Mask this secret too. Shorter texts than _SHORTEST_SECRET are ignored: they occur by chance."""
        if len(secret) >= _SHORTEST_SECRET:
            spellings = {secret, quote(secret, safe=""), quote(secret), quote_plus(secret), json.dumps(secret)[1:-1]}
            self._spellings = sorted({*self._spellings, *spellings}, key=len, reverse=True)

    def mask_text(self, text: str) -> str:
        """The text, with stars in place of each secret."""
        for spelling in self._spellings:
            text = text.replace(spelling, "***")
        return text

    def is_in_url(self, url: str) -> bool:
        """Whether a URL contains a secret, also if percent-encoded once or twice."""
        once = unquote_plus(url)
        texts = (url, once, unquote(url), unquote_plus(once))
        return any(spelling in text for spelling in self._spellings for text in texts)

    def mask_chunks(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The same number of bytes, with stars in place of each secret, also if one spans several chunks."""
        if not (spellings := [spelling.encode() for spelling in self._spellings]):
            yield from chunks
            return
        pending = b""
        for chunk in chunks:
            pending += chunk
            for spelling in spellings:
                pending = pending.replace(spelling, b"*" * len(spelling))
            ready = max(len(pending) - len(spellings[0]) + 1, 0)  # the rest may be the beginning of a secret
            if ready:
                yield pending[:ready]
                pending = pending[ready:]
        if pending:
            yield pending


class Sessions:
    """Session tokens by host. Thread-safe."""

    def __init__(self) -> None:
        self._tokens: dict[str, tuple[str, float]] = {}
        self._lock = threading.Lock()

    def token(self, credential: Credential) -> str | None:
        """The token of the open session; None if there is none or it has expired."""
        with self._lock:
            token, until_s = self._tokens.get(credential.host, (None, 0.0))
            return token if time.monotonic() < until_s else None

    def open(self, credential: Credential, answer: bytes) -> str:
        """Keep and return the token in a log-in's answer. Raises BadInput if it has none: the secret is wrong."""
        try:
            token = json.loads(answer)[credential.session_field]
        except (ValueError, KeyError, TypeError, RecursionError):
            token = None
        if not isinstance(token, str) or not token:
            expected = f"{credential.host}: expected '{credential.session_field}' after log-in"
            raise BadInput(f"{expected}, got none; check the secret")
        with self._lock:
            self._tokens[credential.host] = token, time.monotonic() + credential.session_s
        return token

    def forget(self, credential: Credential, token: str | None) -> None:
        """Remove a token that the server no longer accepts; a newer one stays."""
        with self._lock:
            if self._tokens.get(credential.host, (None, 0.0))[0] == token:
                self._tokens.pop(credential.host, None)
