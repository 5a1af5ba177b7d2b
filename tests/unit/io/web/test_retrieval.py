"""One request as a row: what came, or why nothing did."""

import hashlib
import io
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from PIL import Image

from schemas.reasons import Reason
from schemas.tables import RETRIEVALS
from tasks.io.images.decode import UnreadableImage
from tasks.io.store.layout import blob_path
from tasks.io.store.store import Store
from tasks.io.web import retrieval
from tasks.io.web.client import ResponseLimits
from tasks.io.web.robots import RobotsRules
from tasks.io.web.tdmrep import TdmFile
from tests.support.servers import answer, hang_up

REQUEST = {"locator": "a.png", "validator": "v1"}
NOTHING = dict.fromkeys(RETRIEVALS.names)
MOST_PX = 100


@pytest.fixture
def store(tmp_path):
    return Store(str(tmp_path))


@pytest.fixture
def seen():
    return {}


def png(width: int, height: int) -> bytes:
    sink = io.BytesIO()
    Image.new("RGB", (width, height), "navy").save(sink, "PNG")
    return sink.getvalue()


def unreachable(locator: str, *_) -> bytes:
    raise UnreadableImage(Reason.UNREACHABLE, f"nobody at {locator}")


def image(store, read, seen):
    return retrieval.store_image(store, REQUEST, "rules", read, MOST_PX, seen.__setitem__)


# --- files


def test_what_came_is_a_blob_with_its_size_and_its_look(store, seen):
    data = png(9, 7)
    before = datetime.now(UTC)

    row = image(store, {"a.png": data}.__getitem__, seen)

    sha256 = hashlib.sha256(data).hexdigest()
    assert timedelta(0) <= row.pop("retrieved_at") - before < timedelta(minutes=1)
    given = {"rules": "rules", "sha256": sha256, "bytes": len(data), "width_px": 9, "height_px": 7}
    assert row == {name: value for name, value in {**NOTHING, **REQUEST, **given}.items() if name != "retrieved_at"}
    assert store.read_blob(sha256) == data
    assert (seen[sha256].format, seen[sha256].width_px) == ("PNG", 9)


def test_of_an_answer_any_bytes_are_kept(store):
    def copied(_locator: str, file) -> tuple[str, int]:
        file.write(b'{"total": 0}')
        return hashlib.sha256(b'{"total": 0}').hexdigest(), 12

    row = retrieval.store_answer(store, REQUEST, "rules", copied)

    assert (row["bytes"], row["width_px"], row["height_px"], row["reason"]) == (12, None, None, None)
    assert store.read_blob(row["sha256"]) == b'{"total": 0}'


BAD = [
    pytest.param(png(9, 7)[:-40], Reason.BROKEN_IMAGE, "37 bytes beginning with b'\\x89PNG", id="truncated"),
    pytest.param(b"", Reason.EMPTY_FILE, "0 bytes", id="empty"),
    pytest.param(b"<html>", Reason.NOT_AN_IMAGE, "an HTML page, as servers send", id="html"),
    pytest.param(png(11, 10), Reason.TOO_MANY_PIXELS, "11 x 10 px, at most 100 px allowed", id="too-large"),
]


@pytest.mark.parametrize(("data", "reason", "detail"), BAD)
def test_what_can_not_be_used_is_a_reason_and_no_blob(store, seen, data, reason, detail):
    row = image(store, lambda _: data, seen)

    assert row["reason"] == reason
    assert row["detail"].startswith(detail)
    assert [row[name] for name in ("sha256", "bytes", "width_px", "height_px")] == [None] * 4
    assert row["retrieved_at"].tzinfo is UTC
    assert store.blob_sizes() == seen == {}


@pytest.mark.parametrize("read", [retrieval.store_answer, None], ids=["answer", "image"])
def test_what_did_not_come_is_a_reason(store, seen, read):
    row = read(store, REQUEST, "rules", unreachable) if read else image(store, unreachable, seen)

    assert (row["reason"], row["detail"]) == (Reason.UNREACHABLE, "nobody at a.png")


def test_rows_fit_the_stored_table(store, seen):
    rows = [image(store, read, seen) for read in (unreachable, lambda _: png(2, 2))]

    table = pa.Table.from_pylist(rows, schema=RETRIEVALS)

    assert table.to_pylist() == rows
    assert all(set(row) == set(RETRIEVALS.names) for row in rows)


@pytest.mark.parametrize("error", [ValueError("a bug"), OSError(28, "No space left on device")], ids=type)
def test_any_other_error_is_the_programs_own_and_not_a_row(store, seen, error):
    def broken(_locator: str) -> bytes:
        raise error

    with pytest.raises(type(error)):
        image(store, broken, seen)


# --- downloads


@pytest.fixture
def download(store, invite, seen):
    guest = invite()

    def downloaded(url, **known):
        assert guest.rate_limiter.try_acquire(guest.client.host_of(url)).wait_s == 0
        with guest.client.using_permit(guest.client.host_of(url)):
            return retrieval.download_image(
                store,
                guest.client,
                {**REQUEST, "locator": url, **known},
                "rules",
                ResponseLimits(10_000, 2),
                MOST_PX,
                seen.__setitem__,
            )

    # what the host's robots.txt and first image need besides: turns that only `Downloads` waits for
    guest.client._host_files._robots_by_host["a.example"] = RobotsRules(b"")
    guest.client._host_files._tdm_by_host["a.example"] = TdmFile(b"")
    guest.client._has_opt_out_by_host["a.example"] = False
    return downloaded


def scratch(store):
    return store.list_folder("tmp")


def test_an_image_is_streamed_beside_and_becomes_a_blob(site, store, download, seen):
    data = png(9, 7)
    url = site.at(
        "/i", answer(body=data, ETag='"1"', Content_Disposition="attachment; filename=../../x"), host="a.example"
    )

    row = download(url)

    sha256 = hashlib.sha256(data).hexdigest()
    assert (row["sha256"], row["bytes"], row["width_px"], row["etag"], row["locator"]) == (
        sha256,
        len(data),
        9,
        '"1"',
        url,
    )
    assert store.blob_sizes() == {sha256: len(data)}
    assert list(seen) == [sha256]
    assert scratch(store) == []
    assert set(row) == set(RETRIEVALS.names)


@pytest.mark.parametrize(("data", "reason", "detail"), BAD)
def test_a_download_that_is_no_image_leaves_nothing(site, store, download, data, reason, detail):
    with pytest.raises(UnreadableImage) as caught:
        download(site.at("/i", answer(body=data), host="a.example"))

    assert caught.value.reason == reason
    assert caught.value.detail.startswith(detail)
    assert store.blob_sizes() == {}
    assert scratch(store) == []


LABELS = ["aws-chunked", "binary", "utf-8", "none", "br", "gzip", "deflate", "gzip, aws-chunked", "identity, identity"]


@pytest.mark.parametrize("label", LABELS)
def test_a_wrong_label_is_passed_over_if_the_image_decodes(site, store, download, label):
    data = png(9, 7)
    row = download(site.at("/i", answer(body=data, Content_Encoding=label), host="a.example"))
    assert (row["reason"], row["sha256"]) == (None, hashlib.sha256(data).hexdigest())


@pytest.mark.parametrize(
    ("label", "data", "reason", "detail"),
    [
        ("br", b"\x0b\x02\x80packed", Reason.SERVER_ERROR, "a body packed as 'br', which nobody asked for"),
        ("gzip", b"packed otherwise", Reason.CUT_SHORT, "a body labelled gzip, which it is not"),
        ("br", png(9, 7)[:-40], Reason.BROKEN_IMAGE, "37 bytes beginning with b'\\x89PNG"),
        ("none", png(11, 10), Reason.TOO_MANY_PIXELS, "11 x 10 px"),
        ("utf-8", b"<svg />", Reason.UNSUPPORTED_FORMAT, "SVG"),
        ("aws-chunked", b"", Reason.EMPTY_FILE, "0 bytes"),
    ],
)
def test_what_has_a_wrong_label_and_is_no_image_has_a_true_reason(site, download, label, data, reason, detail):
    with pytest.raises(UnreadableImage) as caught:
        download(site.at("/i", answer(body=data, Content_Encoding=label), host="a.example"))
    assert caught.value.reason == reason
    assert caught.value.detail.startswith(detail)


@pytest.mark.parametrize("send", [hang_up, answer(404), answer(body=b"x" * 10_001), answer(length="9" * 9)])
def test_a_download_that_fails_leaves_nothing(site, store, download, send):
    with pytest.raises(UnreadableImage):
        download(site.at("/i", send, host="a.example"))

    assert store.blob_sizes() == {}
    assert scratch(store) == []


@pytest.mark.parametrize(
    ("change", "is_asked_anew"),
    [
        pytest.param({}, False, id="there-and-good"),
        pytest.param({"rules": "older"}, True, id="judged-by-other-rules"),
        pytest.param({"etag": None}, True, id="no-validator"),
        pytest.param({"sha256": "0" * 64}, True, id="blob-is-gone"),
        pytest.param({"bytes": 5}, True, id="blob-is-short"),
        pytest.param({"reason": "cut_short"}, True, id="failed"),
    ],
)
def test_only_what_is_there_and_good_is_asked_for_conditionally(site, store, download, change, is_asked_anew):
    url = site.at("/i", answer(body=png(9, 7), ETag='"1"'), host="a.example")
    first = download(url)
    row = download(url, **{**first, **change})

    assert ("If-None-Match" in site.seen[-1][1]) is not is_asked_anew
    assert row["sha256"] == first["sha256"]


def test_what_is_unchanged_stays_what_it_was(site, store, download):
    url = site.at("/i", answer(body=png(9, 7), ETag='"1"'), answer(304, b""), host="a.example")
    first = download(url)
    again = download(url, **first)

    assert again.pop("retrieved_at") > first.pop("retrieved_at")
    assert again == first
    assert store.exists(blob_path(first["sha256"]))
