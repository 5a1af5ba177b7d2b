"""One request to the outside world, as a row of RETRIEVALS: the blob that came, or the reason why none did."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from schemas.tables import RETRIEVALS
from tasks.io.images import Picture, Unreadable
from tasks.io.store import Store


def row(
    store: Store,
    request: dict[str, Any],
    rules: str,
    read: Callable[[str], bytes],
    check: Callable[[bytes], Picture] | None = None,
) -> dict[str, Any]:
    """Read the request's locator, check the bytes, and only then commit them as a blob.

    `read` and `check` raise Unreadable with the reason; `check` gives the picture whose size stands in the row.
    """
    blank = {**dict.fromkeys(RETRIEVALS.names), **request, "rules": rules, "retrieved_at": datetime.now(UTC)}
    try:
        data = read(request["locator"])
        size = {}
        if check is not None:
            picture = check(data)
            size = {"width_px": picture.width_px, "height_px": picture.height_px}
        return {**blank, **size, "sha256": store.write_blob(data), "bytes": len(data)}
    except Unreadable as problem:
        return {**blank, "reason": problem.reason, "detail": problem.detail}
