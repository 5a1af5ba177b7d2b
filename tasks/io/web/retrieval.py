"""One retrieval as a row of RETRIEVALS: the blob that was stored, or the reason why there is none."""

import contextlib
import mmap
import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import IO, Any

from schemas.reasons import Reason
from schemas.tables import RETRIEVALS
from tasks.io.images.decode import UnreadableImage
from tasks.io.images.inspection import Inspection, inspect
from tasks.io.store.layout import blob_path
from tasks.io.store.store import Store
from tasks.io.web import bodies
from tasks.io.web.client import Client, DownloadRequest, ResponseLimits

_INSPECTIONS_AT_ONCE = threading.BoundedSemaphore(os.cpu_count() or 1)
"""More threads than cores in a decoder only take Python's lock from each other: 12 to 20 % fewer images a second."""

Row = dict[str, Any]
OnInspected = Callable[[str, Inspection], None]
"""Called with the SHA-256 and the inspection of each image that was stored."""


def failure_row(request: Row, problem: UnreadableImage, rules: str) -> Row:
    """The row of a request that failed."""
    return {**_blank(request, rules), "reason": problem.reason, "detail": problem.detail}


def store_answer(store: Store, request: Row, rules: str, copy: Callable[[str, IO[bytes]], tuple[str, int]]) -> Row:
    """Store a file that is no image as a blob. copy(locator, file): SHA-256 and length, or raises UnreadableImage."""
    try:
        with store.scratch() as path:
            with path.open("wb") as file:
                sha256, length = copy(request["locator"], file)
            store.adopt_blob(path, sha256, length)
        return {**_blank(request, rules), "sha256": sha256, "bytes": length}
    except UnreadableImage as problem:
        return failure_row(request, problem, rules)


def store_image(
    store: Store, request: Row, rules: str, read: Callable[[str], bytes], max_pixels: int, on_inspected: OnInspected
) -> Row:
    """Read an image, inspect all of it, and only then store it as a blob."""
    try:
        data = read(request["locator"])
        inspection = inspect(data, max_pixels)
    except UnreadableImage as problem:
        return failure_row(request, problem, rules)
    sha256 = store.write_blob(data)
    on_inspected(sha256, inspection)
    return _row(request, rules, sha256, len(data), inspection)


def download_image(
    store: Store,
    client: Client,
    request: Row,
    rules: str,
    limits: ResponseLimits,
    max_pixels: int,
    on_inspected: OnInspected,
) -> Row:
    """Download an image to a scratch file, inspect all of it, and only then make it a blob, with the caller's permit.
    The request is conditional if the blob of the last one is there and passed these rules. Raises UnreadableImage.
    """
    is_known = request.get("rules") == rules and not request.get("reason") and _has_blob(store, request)
    validators = (request.get("etag"), request.get("last_modified")) if is_known else (None, None)
    download = DownloadRequest(request["locator"], "image", *validators)
    with store.scratch() as path:
        with path.open("w+b") as file:
            body = client.get(download, file, limits, has_permit=True)
            if body.is_unchanged:
                return {**_blank(request, rules), **request, "retrieved_at": datetime.now(UTC)}
            try:
                with _INSPECTIONS_AT_ONCE, _mapped(file, body.bytes) as data:
                    inspection = inspect(data, max_pixels)
            except UnreadableImage as problem:
                if problem.reason == Reason.NOT_AN_IMAGE and body.wrong_label is not None:
                    raise bodies.label_problem(body.wrong_label) from problem
                raise
        store.adopt_blob(path, body.sha256, body.bytes)
    on_inspected(body.sha256, inspection)
    row = _row(request, rules, body.sha256, body.bytes, inspection)
    return {**row, "etag": body.etag, "last_modified": body.last_modified}


def _mapped(file: IO[bytes], length: int) -> contextlib.AbstractContextManager[bytes | mmap.mmap]:
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if length else contextlib.nullcontext(b"")


def _has_blob(store: Store, request: Row) -> bool:
    with contextlib.suppress(OSError):
        if sha256 := request.get("sha256"):
            return bool(store.fs.size(store.full(blob_path(sha256))) == request["bytes"])
    return False


def _row(request: Row, rules: str, sha256: str, length: int, inspection: Inspection) -> Row:
    sides = {"width_px": inspection.width_px, "height_px": inspection.height_px}
    return {**_blank(request, rules), "sha256": sha256, "bytes": length, **sides}


def _blank(request: Row, rules: str) -> Row:
    given = {name: request[name] for name in ("locator", "validator")}
    return {**dict.fromkeys(RETRIEVALS.names), **given, "rules": rules, "retrieved_at": datetime.now(UTC)}
