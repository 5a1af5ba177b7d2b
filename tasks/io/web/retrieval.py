"""One request to the outside world, as a row of RETRIEVALS: the blob that came, or the reason why none did."""

import mmap
import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from schemas.tables import RETRIEVALS
from tasks.io.images.decode import UnreadableImage
from tasks.io.images.inspection import Inspection, inspect
from tasks.io.store.layout import blob_path
from tasks.io.store.store import Store
from tasks.io.web.client import Client, Limits, Wanted

_LOOKS_AT_ONCE = threading.BoundedSemaphore(os.cpu_count() or 1)
"""More threads than cores in a decoder only take the interpreter's lock from each other: 12 to 20 % fewer images a
second."""

Row = dict[str, Any]
Seen = Callable[[str, Inspection], None]
"""Told the SHA-256 and the look of each image that came."""


def failed(request: Row, problem: UnreadableImage, rules: str) -> Row:
    """The row of a request of which nothing came."""
    return {**_blank(request, rules), "reason": problem.reason, "detail": problem.detail}


def answer(store: Store, request: Row, rules: str, read: Callable[[str], bytes]) -> Row:
    """Read what is no image, such as a table, and commit it as a blob. `read` raises Unreadable."""
    try:
        data = read(request["locator"])
        return {**_blank(request, rules), "sha256": store.write_blob(data), "bytes": len(data)}
    except UnreadableImage as problem:
        return failed(request, problem, rules)


def image(store: Store, request: Row, rules: str, read: Callable[[str], bytes], max_pixels: int, seen: Seen) -> Row:
    """Read a file, look at all of it, and only then commit it as a blob."""
    try:
        data = read(request["locator"])
        look = inspect(data, max_pixels)
    except UnreadableImage as problem:
        return failed(request, problem, rules)
    sha256 = store.write_blob(data)
    seen(sha256, look)
    return _row(request, rules, sha256, len(data), look)


def download(
    store: Store, client: Client, request: Row, rules: str, limits: Limits, max_pixels: int, seen: Seen
) -> Row:
    """Stream an image to a file beside, look at all of it, and only then make it a blob. Raises UnreadableImage.

    The request's turn with its host is taken already. What is known to be unchanged stays what it was; the request is
    conditional only where that is still there, and was found good under these rules.
    """
    is_known = request.get("rules") == rules and not request.get("reason") and _has_blob(store, request)
    validators = (request.get("etag"), request.get("last_modified")) if is_known else (None, None)
    wanted = Wanted(request["locator"], "image", *validators)
    with store.scratch() as path:
        with path.open("w+b") as file:
            got = client.get(wanted, file, limits, has_turn=True)
            if got.is_unchanged:
                return {**_blank(request, rules), **request, "retrieved_at": datetime.now(UTC)}
            if got.bytes:
                with _LOOKS_AT_ONCE, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                    look = inspect(data, max_pixels)
            else:
                look = inspect(b"", max_pixels)
        store.adopt_blob(path, got.sha256, got.bytes)
    seen(got.sha256, look)
    row = _row(request, rules, got.sha256, got.bytes, look)
    return {**row, "etag": got.etag, "last_modified": got.last_modified}


def _has_blob(store: Store, request: Row) -> bool:
    """Whether the store has the bytes that came last time, all of them."""
    try:
        return (
            bool(request.get("sha256")) and store.fs.size(store.full(blob_path(request["sha256"]))) == request["bytes"]
        )
    except OSError:
        return False


def _row(request: Row, rules: str, sha256: str, length: int, look: Inspection) -> Row:
    return {
        **_blank(request, rules),
        "sha256": sha256,
        "bytes": length,
        "width_px": look.width_px,
        "height_px": look.height_px,
    }


def _blank(request: Row, rules: str) -> Row:
    asked = {name: request[name] for name in ("locator", "validator")}
    return {**dict.fromkeys(RETRIEVALS.names), **asked, "rules": rules, "retrieved_at": datetime.now(UTC)}
