"""What the museum answers to a request: the source's route, its fault, conditions and limits. No sockets."""

import json
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from email.utils import formatdate, parsedate_to_datetime
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from examples.museum.serve.faults import Fault, Faults, canonical_url, place_of_answer
from examples.museum.serve.hall import NOT_FOUND, Answer, Hall, Request
from examples.museum.serve.images import Images, Picture
from examples.museum.serve.limiter import Limiter
from examples.museum.serve.routes import Route
from examples.museum.serve.spoiling import (
    CLOSED,
    LOOP,
    MOVED,
    OPTED_OUT,
    REPLACED,
    ROBOTS_LINES,
    TDM_RULES,
    RequestTarget,
    faulty_reply,
)
from examples.museum.serve.wire import BadRequest, Head, Reply

_MARKS = (MOVED, LOOP)
_OWN_NAMES = {"127.0.0.1", "localhost"}
# these are good where they lead to
_LED_ELSEWHERE = {"moved", "robots_disallow", *OPTED_OUT}
_BEGINNINGS = (CLOSED, *OPTED_OUT.values())
# said in a page: other answers have no place for it
_OF_PAGES = {"page_noai", "page_tdm"}


class Visit(NamedTuple):
    """One request as the log has it. at_s: time.monotonic() when it had come; fault: a kind, or what else was wrong.

    rate: turned away by the limiter. robots_ignored: robots.txt forbids it. bytes: of the body, as far as handed on.
    """

    at_s: float
    host: str
    target: str
    method: str
    status: int
    bytes: int
    fault: str | None


class Exchange(NamedTuple):
    """A request and its answer, without the image's bytes. mischief: a fault in how the answer is sent."""

    at_s: float
    target: RequestTarget
    head: Head
    answer: Answer
    fault: str | None = None

    @property
    def mischief(self) -> str | None:
        """The fault, if it is not one that is another reply."""
        return None if self.fault is None or self.fault in REPLACED or self.fault in _NOTES else self.fault


_NOTES = {"rate", "robots_ignored", "broken_route"}


class Site:
    """The museum behind all its hosts.

    disallow: path prefixes by host that its robots.txt forbids, besides what lies under /closed/ on every host.
    """

    def __init__(
        self,
        hall: Hall,
        images: Images,
        by_host: Mapping[str, Route],
        faults: Faults | None = None,
        rate_per_s: float | None = None,
        disallow: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self.images, self.limiter = images, Limiter(rate_per_s)
        self._hall, self._by_host, self._faults = hall, by_host, faults or Faults()
        self._disallow = disallow or {}
        self._attempts: Counter[str] = Counter()
        self._opened_s = time.time()

    def begin_exchange(self, head: Head) -> Exchange:
        """Read the request and choose its answer and its fault. Raises BadRequest."""
        at_s, target = time.monotonic(), self._target(head)
        if head.method not in {"GET", "HEAD"}:
            return Exchange(at_s, target, head, Answer(405, headers={"Allow": "GET, HEAD"}))
        pause_s = self.limiter.pause_s(target.host, at_s)
        if pause_s is not None:
            return Exchange(at_s, target, head, Answer(429, headers={"Retry-After": str(pause_s)}), "rate")
        if target.path == "/robots.txt":
            return Exchange(at_s, target, head, self._robots(target, head))
        if target.path == "/.well-known/tdmrep.json":
            return Exchange(at_s, target, head, Answer(body=json.dumps(TDM_RULES).encode()))
        try:
            answer = self._answer(target, head)
        except Exception:  # a bug in a route is printed, and the museum stays open
            traceback.print_exc(file=sys.stderr)
            return Exchange(at_s, target, head, Answer(500), "broken_route")
        return Exchange(at_s, target, head, answer, self._fault(target, answer))

    def reply(self, exchange: Exchange, picture: Picture | None) -> Reply:
        """The reply to send, before any fault in the sending. picture: the answer's image, if it has one."""
        answer, fault = exchange.answer, exchange.fault
        headers = tuple(answer.headers.items())
        if picture is None:
            good = Reply(answer.status, (("Content-Type", answer.content_type), *headers), answer.body)
        elif picture.data is None:
            good = Reply(404, (("Content-Type", NOT_FOUND.content_type),), NOT_FOUND.body)
        else:
            good = Reply(answer.status, (("Content-Type", picture.content_type), *headers), picture.data)
        if fault in REPLACED:
            return faulty_reply(str(fault), good, exchange.target, time.time())
        if exchange.mischief or good.status != 200 or picture is not None:
            return good
        return self._conditional(exchange.head.headers, good)

    def _target(self, head: Head) -> RequestTarget:
        parts = urlsplit(head.target)
        host = (parts.netloc or head.headers.get("host", "")).lower().rpartition("@")[2].split(":")[0]
        if not host:
            raise BadRequest(400)
        base, path = "", parts.path or "/"
        if host in _OWN_NAMES:
            first, _, rest = path[1:].partition("/")
            if first in self._by_host:
                host, base, path = first, f"/{first}", f"/{rest}"
        kept = [part for part in parts.query.split("&") if part.partition("=")[0] not in _MARKS]
        marks = dict(pair for pair in parse_qsl(parts.query) if pair[0] in _MARKS) if "museum-" in parts.query else {}
        beginning = next((each for each in _BEGINNINGS if path.startswith(f"{each}/")), "")
        path = path.removeprefix(beginning)
        loops = marks.get(LOOP, "0")
        return RequestTarget(
            host,
            path,
            "&".join(kept),
            base,
            bool(beginning) or MOVED in marks,
            int(loops) if loops.isdecimal() else 0,
            beginning == CLOSED,
        )

    def _answer(self, target: RequestTarget, head: Head) -> Answer:
        route = self._by_host.get(target.host)
        if route is None:
            return self._index() if target.host in _OWN_NAMES else NOT_FOUND
        query = dict(parse_qsl(target.query, keep_blank_values=True))
        request = Request(target.host, unquote(target.path), query, head.headers, head.method)
        return route(self._hall, request) or NOT_FOUND

    def _index(self) -> Answer:
        return Answer(body=json.dumps({"works": self._hall.size, "hosts": sorted(self._by_host)}).encode())

    def _fault(self, target: RequestTarget, answer: Answer) -> str | None:
        """The fault that this request meets."""
        note = "robots_ignored" if self._is_forbidden(target) else None
        if answer.status != 200:
            return note
        url = canonical_url(target.host, target.path, target.query)
        fault = self._faults.of(url, "image" if answer.image is not None else place_of_answer(url))
        if fault is None or not self._is_met(fault, url, target, answer):
            return note
        return fault.kind.name

    def _is_met(self, fault: Fault, url: str, target: RequestTarget, answer: Answer) -> bool:
        # a page in place of a page is what nobody could tell
        is_page = answer.content_type.startswith("text/html")
        if (fault.kind.name == "page_for_answer" and is_page) or (fault.kind.name in _OF_PAGES and not is_page):
            return False
        if target.is_marked and fault.kind.name in _LED_ELSEWHERE:
            return False
        if not fault.attempts:
            return True
        self._attempts[url] += 1
        return self._attempts[url] <= fault.attempts

    def _is_forbidden(self, target: RequestTarget) -> bool:
        return target.is_closed or target.path.startswith(self._disallow.get(target.host, ()))

    def _robots(self, target: RequestTarget, head: Head) -> Answer:
        """The source's own robots.txt, and our prohibitions and preferences behind it."""
        own = self._answer(target, head)
        forbidden = (f"Disallow: {path}" for path in self._disallow.get(target.host, ()))
        ours = "".join(f"{line}\n" for line in ("User-agent: *", *ROBOTS_LINES, *forbidden)).encode()
        body = own.body.rstrip() + b"\n\n" + ours if own.status == 200 and own.body else ours
        return Answer(body=body, content_type="text/plain; charset=utf-8")

    def _conditional(self, headers: Mapping[str, str], good: Reply) -> Reply:
        """304 for a client that has it already (RFC 9110, 13.2.2), else the reply with an ETag and a Last-Modified."""
        given = {name.lower(): value for name, value in good.headers}
        tag = given.get("etag") or f'"{sha256(good.body).hexdigest()[:32]}"'
        if "etag" not in given:
            good = good.with_header("ETag", tag)
        # nothing has changed since the museum opened
        if "last-modified" not in given:
            good = good.with_header("Last-Modified", formatdate(self._opened_s, usegmt=True))
        known, since = headers.get("if-none-match"), headers.get("if-modified-since")
        if known is not None:
            tags = {one.strip().removeprefix("W/") for one in known.split(",")}
            is_known = "*" in tags or tag.removeprefix("W/") in tags
        else:
            is_known = since is not None and _seconds(since) >= int(self._opened_s)
        if not is_known:
            return good
        kept = tuple(pair for pair in good.headers if pair[0].lower() != "content-type")
        return Reply(304, kept)


def _seconds(date: str) -> float:
    """Unix time of an HTTP date; 0 for what is none."""
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, OverflowError):
        return 0.0


Log = Callable[[Visit], None]
