"""Session tokens that a log-in with a secret returns, kept in memory until they expire."""

import json
import threading
import time

from schemas.errors import BadInput
from schemas.manners import Credential


class Sessions:
    """Session tokens by host. Thread-safe."""

    def __init__(self) -> None:
        """No session yet."""
        self._tokens: dict[str, tuple[str, float]] = {}
        self._lock = threading.Lock()

    def token(self, credential: Credential) -> str | None:
        """The token of the open session; None if there is none or it has expired."""
        with self._lock:
            token, until_s = self._tokens.get(credential.host, (None, 0.0))
            return token if time.monotonic() < until_s else None

    def open(self, credential: Credential, answer: bytes) -> str:
        """Keep and return the token in the answer to a log-in.

        Raises BadInput if there is none: the secret is wrong.
        """
        token = _session_token(answer, credential)
        with self._lock:
            self._tokens[credential.host] = token, time.monotonic() + credential.session_s
        return token

    def forget(self, credential: Credential, token: str | None) -> None:
        """Remove a token that the server no longer accepts; a newer one stays."""
        with self._lock:
            if self._tokens.get(credential.host, (None, 0.0))[0] == token:
                self._tokens.pop(credential.host, None)


def _session_token(answer: bytes, credential: Credential) -> str:
    try:
        token = json.loads(answer)[credential.session_field]
    except (ValueError, KeyError, TypeError, RecursionError):
        token = None
    if not isinstance(token, str) or not token:
        raise BadInput(
            f"{credential.host}: expected '{credential.session_field}' after log-in, got none; check the secret"
        )
    return token
