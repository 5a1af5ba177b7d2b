"""Cache keys: digests of all that an answer depends on, such as settings and code (tasks/engine/code_digests.py)."""

import hashlib
import json
from typing import Any

from pydantic import BaseModel

from schemas.split import Split

_DEALS_NOTHING = frozenset({"label", "max_drift", "ratios", "score"})


def cache_key(**parts: Any) -> str:
    """SHA-256, as hex, of named parts: JSON values and pydantic models."""
    plain = {
        name: part.model_dump(mode="json") if isinstance(part, BaseModel) else part for name, part in parts.items()
    }
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def split_sha256(settings: Split) -> str:
    """Digest of what a split is: as long as it stays, published images stay where they are.

    Settings at their defaults are left out, so that a setting that is new to the program moves nothing; so are those
    that deal nothing: the stage's label, the limit of drift, an order that no batches have. 3:1:1 is 0.6:0.2:0.2. Nor
    does a score, which may follow from a screen, deal anything again: it only orders what is new.
    """
    return _split_sha256(settings, _DEALS_NOTHING)


def is_same_split(settings: Split, published_sha256: str) -> bool:
    """Whether a release with that digest of its split was split by these settings, so that its images stay.

    Releases from before contract 2.2 have a score in it that was not the default: as long as it stays, they do, too.
    """
    return published_sha256 in {split_sha256(settings), _split_sha256(settings, _DEALS_NOTHING - {"score"})}


def _split_sha256(settings: Split, deals_nothing: frozenset[str]) -> str:
    exclude = {*deals_nothing} | ({"order"} if settings.method == "iterative" else set())
    plain = settings.model_dump(mode="json", exclude_defaults=True, exclude=exclude)
    return cache_key(split={**plain, "seats": settings.seats})
