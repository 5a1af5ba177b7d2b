"""Secrets: bound by where they are kept, never by what they are, so that no parameter, log or artifact holds one."""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote, quote_plus, unquote, unquote_plus

from schemas.errors import BadInput

_SHORTEST = 4


def secret_from(name: str, place: str) -> str:
    """The secret that a binding names: `env:NAME` (a variable) or `file:PATH` (a file's first line).

    Raises BadInput.
    """
    kind, separator, where = place.partition(":")
    if kind == "env" and separator:
        found = os.environ.get(where, "")
    elif kind == "file" and separator:
        try:
            found = Path(where).read_text(encoding="utf-8-sig").split("\n", 1)[0]
        except (OSError, ValueError) as problem:
            raise BadInput(f"binding '{name}': expected a file with the secret, got none at '{where}'") from problem
    else:
        raise BadInput(f"binding '{name}': expected env:NAME or file:PATH, which say where the secret is kept")
    if not found.strip():
        raise BadInput(f"binding '{name}': expected a secret at {place}, got nothing there")
    return found.strip()


class Veil:
    """Covers secrets in what will be shown or kept, however they are written there: a server may send them back."""

    def __init__(self, secret: str | None = None) -> None:
        """secret: as it is bound; of `<first>:<second>` each is a secret too."""
        self._forms: list[str] = []
        if secret:
            for part in (secret, *secret.split(":")):
                self.add(part)

    def add(self, secret: str) -> None:
        """Cover this one too. What is shorter than _SHORTEST is no secret, and stands in too many places by chance."""
        if len(secret) >= _SHORTEST:
            forms = {
                *self._forms,
                secret,
                quote(secret, safe=""),
                quote(secret),
                quote_plus(secret),
                json.dumps(secret)[1:-1],
            }
            self._forms = sorted(forms, key=len, reverse=True)

    def text(self, text: str) -> str:
        """The text, with stars where a secret was."""
        for form in self._forms:
            text = text.replace(form, "***")
        return text

    def is_pierced_by(self, url: str) -> bool:
        """Whether a URL carries a secret, also percent-encoded, or so twice."""
        once = unquote_plus(url)
        return any(form in text for form in self._forms for text in (url, once, unquote(url), unquote_plus(once)))

    def covered(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """The same bytes, as many, with stars where a secret was."""
        forms = [form.encode() for form in self._forms]
        if not forms:
            yield from chunks
            return
        kept = b""
        for chunk in chunks:
            kept += chunk
            for form in forms:
                kept = kept.replace(form, b"*" * len(form))
            ready = max(len(kept) - len(forms[0]) + 1, 0)  # what is left may be the beginning of a secret
            if ready:
                yield kept[:ready]
                kept = kept[ready:]
        if kept:
            yield kept
