"""One request as one row: bytes are checked before they are kept, and every failure has its reason."""

import hashlib
import io
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from PIL import Image

from schemas.reasons import Reason
from schemas.tables import RETRIEVALS
from tasks.io import images, retrieval
from tasks.io.images import Unreadable
from tasks.io.store import Store

REQUEST = {"locator": "a.png", "validator": "v1"}


@pytest.fixture
def store(tmp_path):
    return Store(str(tmp_path))


def png(width: int, height: int) -> bytes:
    sink = io.BytesIO()
    Image.new("RGB", (width, height), "navy").save(sink, "PNG")
    return sink.getvalue()


def check(data: bytes) -> images.Picture:
    return images.picture(data, 100)


def unreachable(locator: str) -> bytes:
    raise Unreadable(Reason.UNREACHABLE, f"nobody at {locator}")


def test_what_came_is_a_blob_with_its_size(store):
    data = png(9, 7)
    before = datetime.now(UTC)

    row = retrieval.row(store, REQUEST, "rules", {"a.png": data}.__getitem__, check)

    sha256 = hashlib.sha256(data).hexdigest()
    assert timedelta(0) <= row.pop("retrieved_at") - before < timedelta(minutes=1)
    assert row == {
        "locator": "a.png", "validator": "v1", "rules": "rules", "sha256": sha256, "bytes": len(data),
        "width_px": 9, "height_px": 7, "reason": None, "detail": None,
    }  # fmt: skip
    assert store.read_blob(sha256) == data


def test_without_a_check_any_bytes_are_kept(store):
    row = retrieval.row(store, REQUEST, "rules", lambda _locator: b'{"total": 0}')

    assert (row["bytes"], row["width_px"], row["height_px"], row["reason"]) == (12, None, None, None)
    assert store.read_blob(row["sha256"]) == b'{"total": 0}'


@pytest.mark.parametrize(
    ("read", "reason", "detail"),
    [
        pytest.param(unreachable, Reason.UNREACHABLE, "nobody at a.png", id="nothing-came"),
        pytest.param(lambda _: b"", Reason.EMPTY_FILE, "0 bytes", id="empty"),
        pytest.param(lambda _: b"<html>", Reason.NOT_AN_IMAGE, "6 bytes beginning with b'<html>'", id="html"),
        pytest.param(
            lambda _: png(9, 7)[:-40], Reason.BROKEN_IMAGE, "37 bytes beginning with b'\\x89PNG", id="truncated"
        ),
        pytest.param(
            lambda _: png(11, 10), Reason.TOO_MANY_PIXELS, "11 x 10 px, at most 100 px allowed", id="too-large"
        ),
    ],
)
def test_what_can_not_be_used_is_a_reason_and_no_blob(store, read, reason, detail):
    row = retrieval.row(store, REQUEST, "rules", read, check)

    assert row["reason"] == reason
    assert row["detail"].startswith(detail)
    assert [row[name] for name in ("sha256", "bytes", "width_px", "height_px")] == [None] * 4
    assert row["retrieved_at"].tzinfo is UTC
    assert store.blob_sizes() == {}


def test_rows_fit_the_stored_table(store):
    rows = [retrieval.row(store, REQUEST, "rules", read, check) for read in (unreachable, lambda _: png(2, 2))]

    table = pa.Table.from_pylist(rows, schema=RETRIEVALS)

    assert table.to_pylist() == rows
    assert all(list(row) == RETRIEVALS.names or set(row) == set(RETRIEVALS.names) for row in rows)


@pytest.mark.parametrize("error", [ValueError("a bug"), OSError(28, "No space left on device")], ids=type)
def test_any_other_error_is_the_programs_own_and_not_a_row(store, error):
    def broken(_locator: str) -> bytes:
        raise error

    with pytest.raises(type(error)):
        retrieval.row(store, REQUEST, "rules", broken, check)
