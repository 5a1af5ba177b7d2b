"""Images over HTTP: one polite session a thread, with limits on bytes, time and redirects."""

import threading
import time
from collections.abc import Iterator

import requests
import urllib3

from schemas.reasons import Reason
from tasks.io.images import Unreadable

USER_AGENT = "bilderatlas/0.1 (builds datasets of open art; asks each address once)"
_MAX_REDIRECTS = 5
_TRIES = 3
_LONGEST_PAUSE_S = 30.0
_PASSING = {408, 425, 429, 500, 502, 503, 504}
_MISSING = {404, 410}
_NO_ADDRESS = (
    requests.exceptions.InvalidURL, requests.exceptions.TooManyRedirects, requests.exceptions.InvalidSchema,
    urllib3.exceptions.LocationValueError,
)  # fmt: skip
_FAILED = (requests.exceptions.RequestException, urllib3.exceptions.HTTPError)
_local = threading.local()


def get(url: str, max_bytes: int, timeout_s: float) -> bytes:
    """The body of a URL. Raises Unreadable: typed as passing (UNREACHABLE) or permanent, for the drop."""
    if not url.startswith(("http://", "https://")):
        raise Unreadable(Reason.NOT_ALLOWED, f"expected an http(s) address, got '{url[:80]}'")
    for tries_left in reversed(range(_TRIES)):
        try:
            with _session().get(url, stream=True, timeout=timeout_s) as response:
                if response.status_code in _PASSING and tries_left:
                    pause_s = _pause_s(response.headers.get("Retry-After"), _TRIES - tries_left)
                else:
                    return _body(response, max_bytes, time.monotonic() + timeout_s)
        except _NO_ADDRESS as problem:
            raise Unreadable(Reason.NOT_ALLOWED, f"{type(problem).__name__}: {problem}"[:200]) from problem
        except _FAILED as problem:
            if not tries_left:
                raise Unreadable(Reason.UNREACHABLE, f"{type(problem).__name__}: {problem}"[:200]) from problem
            pause_s = _pause_s(None, _TRIES - tries_left)
        except ValueError as problem:  # urllib's own, where a redirect leads to what is no address
            raise Unreadable(Reason.NOT_ALLOWED, f"{type(problem).__name__}: {problem}"[:200]) from problem
        time.sleep(pause_s)
    raise AssertionError("expected the last try to return or raise")


def _session() -> requests.Session:
    session: requests.Session | None = getattr(_local, "session", None)
    if session is None:
        session = _local.session = requests.Session()
        session.headers["User-Agent"] = USER_AGENT
        session.max_redirects = _MAX_REDIRECTS
        session.trust_env = False  # no credential of this machine's ~/.netrc leaves for a museum
    return session


def _pause_s(retry_after: str | None, tries_done: int) -> float:
    """Seconds to wait: what the server asks for, if it says so in seconds, else 0.5 s doubled for each try."""
    asked_s = float(retry_after) if retry_after and retry_after.strip().isdecimal() else 0.5 * 2**tries_done
    return min(asked_s, _LONGEST_PAUSE_S)


def _body(response: requests.Response, max_bytes: int, until_s: float) -> bytes:
    status = response.status_code
    if status in _MISSING:
        raise Unreadable(Reason.NOT_FOUND, f"status {status}")
    if status in _PASSING:
        raise Unreadable(Reason.UNREACHABLE, f"status {status} after {_TRIES} tries")
    if status != requests.codes.ok:
        raise Unreadable(Reason.HTTP_ERROR, f"status {status}")
    promised = response.headers.get("Content-Length", "").strip()
    if promised.isdecimal() and int(promised) > max_bytes:
        raise Unreadable(Reason.TOO_MANY_BYTES, f"{promised} bytes promised, at most {max_bytes} allowed")
    return b"".join(_limited(response, max_bytes, until_s))


def _limited(response: requests.Response, max_bytes: int, until_s: float) -> Iterator[bytes]:
    length = 0
    # read1 gives what has come so far; iter_content would wait for 64 kB, and so for ever on a server that drips
    while chunk := response.raw.read1(1 << 16, decode_content=True):
        length += len(chunk)
        if length > max_bytes:
            raise Unreadable(Reason.TOO_MANY_BYTES, f"more than {max_bytes} bytes")
        if time.monotonic() > until_s:
            raise Unreadable(Reason.UNREACHABLE, f"still sending after the time limit, {length} bytes had come")
        yield chunk
