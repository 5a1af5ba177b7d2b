"""Which images to ask for, and what their answers mean for the records."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.reasons import Reason
from schemas.stages import Fetch
from schemas.tables import FETCH, RETRIEVALS

REQUESTS = pa.schema([RETRIEVALS.field("locator"), RETRIEVALS.field("validator")])


URL = "^https?://"
"""What locators begin with that are asked for over HTTP."""


def is_url(locator: str) -> bool:
    """Whether a locator is asked for over HTTP, and not below a folder.

    >>> is_url("https://museum.example/1.jpg"), is_url("images/http.jpg")
    (True, False)
    """
    return locator.startswith(("http://", "https://"))


def hosts(locators: pa.ChunkedArray) -> list[str]:
    """The hosts, with their ports, of those locators that are URLs; sorted.

    >>> hosts(pa.chunked_array([["https://b.example:8000/1.jpg", "images/1.jpg", "http://a.example/2.jpg"]]))
    ['a.example', 'b.example:8000']
    """
    found = pc.unique(pc.struct_field(pc.extract_regex(locators, r"^https?://(?P<host>[^/?#]+)"), "host"))
    return sorted(host for host in found.to_pylist() if host)


def requests(locators: pa.ChunkedArray, validators: Mapping[str, str]) -> pa.Table:
    """REQUESTS, sorted: each locator once, with its validator ("" where it has none)."""
    unique = sorted(set(locators.to_pylist()))
    return pa.table([unique, [validators.get(locator, "") for locator in unique]], schema=REQUESTS)


def outcome(records: pa.Table, answers: pa.Table, settings: Fetch) -> pa.Table:
    """FETCH outcome of records (record_id, locator) by the RETRIEVALS rows of their locators.

    Limits are looked at again here, so that a stricter recipe needs no new download. A record whose answer is still to
    come (in a plan) has neither reason nor sha256.
    """
    by_locator = {row["locator"]: row for row in answers.to_pylist()}
    rows = [
        {"record_id": row["record_id"], **_verdict(by_locator[row["locator"]], settings)} for row in records.to_pylist()
    ]
    return pa.Table.from_pylist(rows, schema=FETCH)


def _verdict(answer: dict[str, Any], settings: Fetch) -> dict[str, Any]:
    if answer["reason"] is not None:
        return {"reason": answer["reason"], "detail": answer["detail"]}
    pixels = (answer["width_px"] or 0) * (answer["height_px"] or 0)
    if pixels > settings.max_pixels:
        return {
            "reason": Reason.TOO_MANY_PIXELS,
            "detail": f"{answer['width_px']} x {answer['height_px']} px, at most {settings.max_pixels} px allowed",
        }
    if (answer["bytes"] or 0) > settings.max_bytes:
        return {"reason": Reason.TOO_MANY_BYTES, "detail": f"more than {settings.max_bytes} bytes"}
    return {name: answer[name] for name in ("sha256", "bytes", "retrieved_at")}
