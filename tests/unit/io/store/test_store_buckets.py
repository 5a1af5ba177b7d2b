"""A store on S3, for which a small server on this machine stands: credentials, and buckets that nobody made."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

import pytest

from schemas.errors import BadInput
from tasks.io.store.store import Store

pytest.importorskip("s3fs")

BUCKETS: dict[str, dict[str, bytes]] = {}
_ERROR = "<Error><Code>NoSuchBucket</Code><Message>The specified bucket does not exist</Message></Error>"


class _S3(BaseHTTPRequestHandler):
    """Of S3 what a store needs: put, get, delete and list objects; make a bucket."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _answer(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _handle(self) -> None:
        place = urlsplit(self.path)
        bucket, _, key = place.path.lstrip("/").partition("/")
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.command == "PUT" and not key:
            BUCKETS[bucket] = {}
            return self._answer(200)
        objects = BUCKETS.get(bucket)
        if objects is None:
            return self._answer(404, _ERROR.encode())
        if self.command == "PUT":
            objects[key] = data
        elif self.command == "DELETE":
            objects.pop(key, None)
        elif not key:
            prefix = parse_qs(place.query).get("prefix", [""])[0]
            found = "".join(
                f"<Contents><Key>{escape(name)}</Key><Size>{len(body)}</Size><ETag>1</ETag>"
                "<LastModified>2024-01-01T00:00:00.000Z</LastModified></Contents>"
                for name, body in sorted(objects.items())
                if name.startswith(prefix)
            )
            text = f"<ListBucketResult><IsTruncated>false</IsTruncated>{found}</ListBucketResult>"
            return self._answer(200, text.encode())
        elif key not in objects:
            return self._answer(404, _ERROR.replace("Bucket", "Key").encode())
        else:
            return self._answer(200, objects[key])
        return self._answer(200)

    do_GET = do_PUT = do_DELETE = do_HEAD = do_POST = _handle  # noqa: N815 - the names that http.server calls


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """S3 with one empty bucket, `made`."""
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    BUCKETS.clear()
    BUCKETS["made"] = {}
    server = ThreadingHTTPServer(("127.0.0.1", 0), _S3)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}",
        "AWS_ACCESS_KEY_ID": "x",
        "AWS_SECRET_ACCESS_KEY": "x",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_REQUEST_CHECKSUM_CALCULATION": "when_required",
        "AWS_CONFIG_FILE": "/nowhere",
        "AWS_SHARED_CREDENTIALS_FILE": "/nowhere",
    }.items():
        monkeypatch.setenv(name, value)
    yield
    s3fs.S3FileSystem.clear_instance_cache()
    server.shutdown()
    server.server_close()


def test_a_store_in_a_bucket_is_written_and_read(s3: None):
    store = Store("s3://made/art")
    store.check_writable()
    assert BUCKETS == {"made": {}}
    store.write_bytes("blobs/ab/x", b"bytes")
    assert BUCKETS == {"made": {"art/blobs/ab/x": b"bytes"}}
    assert store.read_bytes("blobs/ab/x") == b"bytes"
    store.check_readable()


@pytest.mark.parametrize("url", ["s3://mode/art", "s3://mode"])
def test_a_bucket_that_nobody_made_is_bad_input_and_is_not_made(s3: None, url: str):
    with pytest.raises(BadInput, match=f"expected a place that can be written, got '{url}'") as caught:
        Store(url).check_writable()
    assert "bucket" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert BUCKETS == {"made": {}}


def test_no_credentials_are_bad_input(s3: None, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    for check in (Store("s3://made/art").check_writable, Store("s3://made/art").check_readable):
        with pytest.raises(BadInput, match="Unable to locate credentials"):
            check()
