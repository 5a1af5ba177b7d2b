"""Keys of sessions that a secret opens, kept in memory until they run out."""

import json
import threading
import time

from schemas.credentials import Credential
from schemas.errors import BadInput


class Sessions:
    """Session keys by host. Thread-safe."""

    def __init__(self) -> None:
        """None is open."""
        self._open: dict[str, tuple[str, float]] = {}
        self._lock = threading.Lock()

    def key(self, credential: Credential) -> str | None:
        """The key of the session that is open; None where there is none."""
        with self._lock:
            found, until_s = self._open.get(credential.host, (None, 0.0))
            return found if time.monotonic() < until_s else None

    def begin(self, credential: Credential, answer: bytes) -> str:
        """The key that the log-in's answer gives.

        Raises BadInput where it gives none: the secret is not the right one.
        """
        found = _session_key(answer, credential)
        with self._lock:
            self._open[credential.host] = found, time.monotonic() + credential.session_s
        return found

    def forget(self, credential: Credential, key: str | None) -> None:
        """The server no longer knows this session; one that was opened since stays."""
        with self._lock:
            if self._open.get(credential.host, (None, 0.0))[0] == key:
                self._open.pop(credential.host, None)


def _session_key(answer: bytes, credential: Credential) -> str:
    try:
        found = json.loads(answer)[credential.session_field]
    except (ValueError, KeyError, TypeError, RecursionError):
        found = None
    if not isinstance(found, str) or not found:
        raise BadInput(
            f"{credential.host}: expected a log-in that gives '{credential.session_field}', got an answer without"
        )
    return found
