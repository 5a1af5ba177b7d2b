"""Cache keys: digests of all that an answer depends on, such as settings and code (tasks/engine/code_digests.py)."""

import hashlib
import json
from typing import Any

from pydantic import BaseModel

from schemas.split import Split


def cache_key(**parts: Any) -> str:
    """SHA-256, as hex, of named parts: JSON values and pydantic models."""
    plain = {
        name: part.model_dump(mode="json") if isinstance(part, BaseModel) else part for name, part in parts.items()
    }
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def split_sha256(settings: Split) -> str:
    """Digest of what a split is: as long as it stays, published images stay where they are.

    Settings at their defaults are left out, so that a setting that is new to the program moves nothing; so are those
    that deal nothing: the stage's label, the limit of drift, an order that no batches have. 3:1:1 is 0.6:0.2:0.2.
    """
    deals_nothing = {"label", "max_drift", "ratios"} | ({"order"} if settings.method == "iterative" else set())
    plain = settings.model_dump(mode="json", exclude_defaults=True, exclude=deals_nothing)
    return cache_key(split={**plain, "seats": settings.seats})
