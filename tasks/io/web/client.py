"""One request at a time, as a good guest sends it: with a name and a contact, allowed, in its turn, within limits.

Every failure is an `Unreadable` with its reason; those in `schemas.reasons.PASSING` may be tried again. How many
requests go on at once, and what is tried again, is the business of tasks/io/web/downloads.py.
"""

import contextlib
import email.utils
import io
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import BinaryIO, Literal
from urllib.parse import urlencode, urljoin, urlsplit

import requests
import urllib3

from schemas.credentials import Credential
from schemas.errors import BadInput
from schemas.reasons import Reason
from tasks.io.images.decode import UnreadableImage
from tasks.io.web import bodies, robots
from tasks.io.web.addresses import Origins, Target
from tasks.io.web.bodies import Got, Limits
from tasks.io.web.connections import Forbidden, GuardedAdapter
from tasks.io.web.rate_limits import Governor
from tasks.io.web.secrets import Veil
from tasks.io.web.sessions import Sessions
from tasks.io.web.turns import Held, NotYet, Sent, Turns, Way

__all__ = ["Client", "Got", "Limits", "NotYet", "Wanted", "agent", "retry_after_s"]

Expects = Literal["image", "json", "html", "csv", "robots", "anything"]

VERSION = "0.1"
_MAX_REDIRECTS = 5
_MOVED = {301, 302, 303, 307, 308}
_MISSING = {404, 410}
_THROTTLING = {429, 503}
_PASSING = {408, 425, 500, 502, 504, *range(520, 531)}
_BUSY_PAGE = re.compile(
    rb"incapsula|imperva|cloudflare|captcha|rate.?limit|too many requests|unusual traffic|slow down", re.IGNORECASE
)
_GONE_WRONG = (requests.exceptions.RequestException, urllib3.exceptions.HTTPError, OSError)
_LEARNING_S = 0.1


@dataclass(frozen=True)
class Wanted:
    """What is asked for. etag and last_modified: of the answer that is known already, if there is one."""

    url: str
    expects: Expects = "anything"
    etag: str | None = None
    last_modified: str | None = None
    credential: Credential | None = None
    secret: str | None = None


@dataclass
class _Errand:
    """One request under way, over all its redirects."""

    wanted: Wanted
    way: Way
    into: BinaryIO
    limits: Limits
    turns: Turns
    veil: Veil = field(default_factory=Veil)
    is_patient: bool = False  # others wait for what it learns: it had better not begin anew

    def move(self, location: str) -> None:
        """Go where a redirect leads; a key that it repeats stays behind. Raises UnreadableImage."""
        if self.way.redirects == _MAX_REDIRECTS:
            raise UnreadableImage(Reason.NOT_ALLOWED, f"more than {_MAX_REDIRECTS} redirects")
        try:
            url = _without_parameter(urljoin(self.way.url, location), self.wanted.credential)
        except ValueError as problem:
            raise UnreadableImage(Reason.NOT_ALLOWED, "a redirect to what is no address") from problem
        if self.veil.is_pierced_by(url):
            raise UnreadableImage(Reason.NOT_ALLOWED, "a redirect that carries the secret")
        self.way = Way(self.way.wanted, url, self.way.redirects + 1)


def agent(contact: str | None) -> str:
    """The name under which requests are sent: who asks, what for, and whom to write to."""
    return f"{robots.AGENT}/{VERSION} (builds datasets of open art; {contact or 'no contact given'})"


class Client:
    """Sends requests. Thread-safe; one per process and run, so that connections and what hosts said are shared."""

    def __init__(self, governor: Governor, origins: Origins, contact: str | None, limits: Limits) -> None:
        """`limits` hold for robots.txt and log-ins; those of an answer are given with it."""
        self._governor, self._origins = governor, origins
        self._contact = contact
        self._adapter = GuardedAdapter(origins)
        self._sessions = Sessions()
        self._limits = limits
        self._rules: dict[str, robots.Rules] = {}
        self._looked_at: dict[str, bool] = {}  # host: whether an image there has ever said noai
        self._learning: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()
        self._held = Held()
        self.is_left = threading.Event()  # set, nobody waits for answers any more

    def close(self) -> None:
        """Close all connections."""
        self._adapter.close()

    def host_of(self, url: str) -> str:
        """The host whose turn a request for the URL needs. Raises UnreadableImage."""
        return self._origins.target(url).host

    @contextlib.contextmanager
    def holding(self, host: str, way: Way | None = None, *, has_failed: bool = False) -> Iterator[None]:
        """This thread has a turn with the host, for its next request; given back at the end if it was not used.

        way: that of the request's NotYet, if there was one. has_failed: the request has, before.
        """
        self._held.host, self._held.way, self._held.has_failed = host, way, has_failed
        try:
            yield
        finally:
            self._held.way, self._held.has_failed = None, False
            Turns(self._governor, self._held).give_back()

    def get(self, wanted: Wanted, into: BinaryIO, limits: Limits, *, has_turn: bool = False) -> Got:
        """Ask, and write the answer's bytes to `into`.

        Raises UnreadableImage; BadInput where a secret is missing or refused.

        has_turn: within `holding`. Then nothing waits here: what would have to raises NotYet.
        """
        if wanted.credential is not None and wanted.secret is None:
            raise BadInput(f"{wanted.credential.host}: expected a secret, which this request needs, got none")
        held = self._held.way if has_turn else None
        way = held if held and held.wanted == wanted.url else Way(wanted.url, wanted.url)
        turns = Turns(self._governor, self._held if has_turn else None)
        errand = _Errand(wanted, way, into, limits, turns, Veil(wanted.secret))
        try:
            return self._followed(errand)
        except NotYet as pause:
            pause.way = errand.way
            raise
        except UnreadableImage as problem:
            raise UnreadableImage(problem.reason, errand.veil.text(problem.detail)[:250]) from None

    # -------------------------------------------------------------------------------------------- one request

    def _followed(self, errand: _Errand) -> Got:
        expects = errand.wanted.expects
        while True:
            target = self._target(errand.way.url)
            if expects in {"image", "html", "anything"}:
                self._check_robots(errand, target)
            if expects == "image":
                self._look_first(errand, target)
            found = self._sent(errand, target)
            if isinstance(found, Got):
                return found
            errand.move(found)

    def _target(self, url: str) -> Target:
        target = self._origins.target(url)
        if not target.is_bound and not self._contact:
            if target.is_private:
                raise UnreadableImage(Reason.NOT_ALLOWED, f"{target.host} is no public address")
            raise UnreadableImage(  # passing, as all that another binding would change
                Reason.UNREACHABLE, f"{target.host} is a public host: bind `contact` to an address of yours first"
            )
        return target

    def _sent(self, errand: _Errand, target: Target) -> Got | str:
        """What came, or where the answer says to go instead."""
        wanted = errand.wanted
        headers = {"Accept-Encoding": "identity" if wanted.expects == "image" else "gzip"}
        if wanted.etag:
            headers["If-None-Match"] = wanted.etag
        if wanted.last_modified:
            headers["If-Modified-Since"] = wanted.last_modified
        key = self._key(errand, target)
        with (
            errand.turns.turn(target.host, is_patient=errand.is_patient) as sent,
            self._answer("GET", target, errand, headers, key) as answer,
        ):
            location = _location(answer)
            is_unchanged = answer.status_code == requests.codes.not_modified and len(headers) > 1
            if wanted.expects == "image" and (answer.status_code == requests.codes.ok or location or is_unchanged):
                self._check_tags(answer, target)
            if location:
                return location
            if is_unchanged:
                return Got(is_unchanged=True, etag=wanted.etag, last_modified=wanted.last_modified)
            self._check_status(answer, errand, sent, key)
            got = bodies.received(
                answer, errand.into, errand.limits, sent, errand.veil, is_cut=wanted.expects == "robots"
            )
            bodies.check_expected(errand.into, wanted.expects, may_quote=wanted.secret is None)
            return got

    @contextlib.contextmanager
    def _answer(
        self, method: str, target: Target, errand: _Errand, headers: dict[str, str], key: str | None = None
    ) -> Iterator[requests.Response]:
        prepared = requests.PreparedRequest()
        address = target.url if key is None else _with_parameter(target.url, errand.wanted.credential, key)
        said = {"User-Agent": agent(self._contact), "Accept": "*/*", **headers}
        if target.is_bound:
            said["Host"] = target.host
        try:
            prepared.prepare(method=method, url=address, headers=said)
            timeout = (errand.limits.timeout_s, errand.limits.timeout_s)
            answer = self._adapter.send(prepared, stream=True, timeout=timeout, verify=True)
        except (requests.exceptions.InvalidURL, UnicodeError, urllib3.exceptions.LocationValueError) as problem:
            raise UnreadableImage(Reason.NOT_ALLOWED, f"expected an address, got '{target.url[:80]}'") from problem
        except _GONE_WRONG as problem:
            raise _failure(problem) from problem
        try:
            yield answer
        finally:
            bodies.let_go(answer)

    def _check_status(self, answer: requests.Response, errand: _Errand, sent: Sent, key: str | None) -> None:
        status, wanted = answer.status_code, errand.wanted
        if status == requests.codes.ok:
            return
        if status in _MISSING:
            raise UnreadableImage(Reason.NOT_FOUND, f"status {status}")
        if status in _THROTTLING or (status == requests.codes.forbidden and _is_busy(answer, errand)):
            sent.retry_after_s = retry_after_s(answer.headers.get("Retry-After"))
            raise UnreadableImage(Reason.THROTTLED, f"status {status}")
        # without its robots.txt, nobody knows what a host that fails allows (RFC 9309, 2.3.1.4)
        if status in _PASSING or (wanted.expects == "robots" and status >= requests.codes.server_error):
            raise UnreadableImage(Reason.SERVER_ERROR, f"status {status}")
        if status == requests.codes.unauthorized and wanted.credential is not None and key is not None:
            self._check_session(wanted.credential, key)
        raise UnreadableImage(Reason.HTTP_ERROR, f"status {status}")

    # -------------------------------------------------------------------------------------------- secrets

    def _key(self, errand: _Errand, target: Target) -> str | None:
        """What is sent as the credential's parameter, to that key's own host alone.

        A session is opened first if need be.
        """
        asked, secret = errand.wanted.credential, errand.wanted.secret
        if asked is None or secret is None or target.host != asked.host:
            return None
        if not target.is_bound and not target.url.startswith("https://"):
            raise UnreadableImage(Reason.NOT_ALLOWED, f"{target.host}: a secret is sent by https only")
        if asked.login_url is None:
            return secret
        key = self._sessions.key(asked)
        if key is None:
            with self._alone(f"log-in {asked.host}", errand.turns):
                key = self._sessions.key(asked) or self._sessions.begin(asked, self._login(asked, secret, errand.turns))
        errand.veil.add(key)
        return key

    def _login(self, credential: Credential, secret: str, turns: Turns) -> bytes:
        first, _, second = secret.partition(":")
        names = credential.login_parameters
        url = f"{credential.login_url}?{urlencode({names[0]: first, names[1]: second})}"
        into = io.BytesIO()
        wanted = Wanted(url, "json", secret=secret)
        try:
            self._followed(_Errand(wanted, Way(url, url), into, self._limits, turns, Veil(secret), is_patient=True))
        except UnreadableImage as problem:
            if problem.reason == Reason.HTTP_ERROR:
                raise BadInput(
                    f"{credential.host}: expected a secret that opens a session, got {problem.detail}"
                ) from None
            raise UnreadableImage(problem.reason, f"log-in: {problem.detail}") from None
        return into.getvalue()

    def _check_session(self, credential: Credential, key: str) -> None:
        if credential.login_url is None:
            raise BadInput(f"{credential.host}: expected a secret that the API takes, got status 401") from None
        self._sessions.forget(credential, key)
        raise UnreadableImage(Reason.SERVER_ERROR, "status 401: the session ran out")

    # -------------------------------------------------------------------------------------------- permission

    @contextlib.contextmanager
    def _alone(self, what: str, turns: Turns) -> Iterator[None]:
        """One thread at a time learns what all want to know."""
        with self._lock:
            lock = self._learning.setdefault(what, threading.Lock())
        while not lock.acquire(blocking=False):
            turns.wait(_LEARNING_S, is_patient=False)
        try:
            yield
        finally:
            lock.release()

    def _check_robots(self, errand: _Errand, target: Target) -> None:
        """Raise Unreadable unless the host's robots.txt, which is read once, allows the address."""
        if target.host not in self._rules:
            with self._alone(f"robots.txt {target.host}", errand.turns):
                if target.host not in self._rules:
                    rules = self._rules_of(errand)
                    self._governor.slow_to(target.host, rules.crawl_delay_s)
                    self._rules[target.host] = rules
        if not self._rules[target.host].allow(target.url):
            raise UnreadableImage(Reason.ROBOTS_DISALLOW, f"robots.txt of {target.host}")

    def _rules_of(self, errand: _Errand) -> robots.Rules:
        """A host without robots.txt allows everything.

        One that fails to give it allows nothing yet (RFC 9309, 2.3.1).
        """
        address, into = urljoin(errand.way.url, "/robots.txt"), io.BytesIO()
        limits = Limits(robots.MAX_BYTES, self._limits.timeout_s)
        asking = _Errand(Wanted(address, "robots"), Way(address, address), into, limits, errand.turns, is_patient=True)
        try:
            self._followed(asking)
        except UnreadableImage as problem:
            if problem.reason not in {Reason.NOT_FOUND, Reason.HTTP_ERROR, Reason.NOT_ALLOWED}:
                raise UnreadableImage(problem.reason, f"robots.txt: {problem.detail}") from problem
        return robots.Rules(into.getvalue())

    def _look_first(self, errand: _Errand, target: Target) -> None:
        """Look at the head alone, of a host's first image and, where one has ever said noai, of each image there.

        Looking at every head everywhere would double what hosts are asked; a tag on an image whose host never had one
        is still seen before its body is read.
        """
        if errand.way.has_looked or self._looked_at.get(target.host) is False:
            return
        with errand.turns.turn(target.host, is_patient=False) as sent:
            try:
                with self._answer("HEAD", target, errand, {"Accept-Encoding": "identity"}) as answer:
                    if answer.status_code in _THROTTLING:
                        self._check_status(answer, errand, sent, None)
                    self._check_tags(answer, target)
            finally:  # also where HEAD itself is too much for the server: the next try goes straight to the image
                with self._lock:
                    self._looked_at.setdefault(target.host, False)
        errand.way = replace(errand.way, has_looked=True)

    def _check_tags(self, answer: requests.Response, target: Target) -> None:
        if directive := robots.opts_out(answer.raw.headers.getlist("X-Robots-Tag")):
            with self._lock:
                self._looked_at[target.host] = True
            raise UnreadableImage(Reason.OPTED_OUT, f"X-Robots-Tag: {directive}")


def retry_after_s(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a Retry-After asks to wait: a number of seconds, or a date (RFC 9110, 10.2.3). None for neither.

    >>> retry_after_s("120"), retry_after_s("soon"), retry_after_s(None)
    (120.0, None, None)
    """
    text = (value or "").strip()
    if text.isdecimal():
        return float(text[:12])
    try:
        until = email.utils.parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - (now or datetime.now(UTC))).total_seconds())


def _is_busy(answer: requests.Response, errand: _Errand) -> bool:
    """Whether a 403 asks to slow down: a page in place of an API's answer, or words that say so.

    (metmuseum/openaccess#60: a 403 of Imperva after some 30 requests, far below the documented 80 a second.)
    """
    is_page = "html" in answer.headers.get("Content-Type", "").lower()
    if answer.headers.get("Retry-After") or (is_page and errand.wanted.expects in {"json", "csv"}):
        return True
    return bool(_BUSY_PAGE.search(bodies.beginning(answer, 8192, errand.limits.timeout_s)))


def _location(answer: requests.Response) -> str:
    """Where a redirect leads; empty for what is none. A path beyond ASCII is UTF-8, which HTTP itself does not know."""
    value = str(answer.headers.get("Location", "")) if answer.status_code in _MOVED else ""
    try:
        return value.encode("latin-1").decode()
    except UnicodeError:
        return value


def _with_parameter(url: str, credential: Credential | None, key: str) -> str:
    name = credential.parameter if credential else ""
    return f"{url}{'&' if urlsplit(url).query else '?'}{urlencode({name: key})}"


def _without_parameter(url: str, credential: Credential | None) -> str:
    if credential is None:
        return url
    parts = urlsplit(url)
    query = "&".join(said for said in parts.query.split("&") if said.partition("=")[0] != credential.parameter)
    return parts._replace(query=query).geturl()


def _failure(problem: Exception) -> UnreadableImage:
    """What a request that got no answer ends in."""
    reasons = [problem, *(getattr(problem, "args", None) or ()), problem.__cause__, problem.__context__]
    inner = [getattr(found, "reason", None) for found in reasons]
    for found in (*reasons, *inner):
        if isinstance(found, Forbidden):
            reason = Reason.NOT_ALLOWED if found.is_lasting else Reason.UNREACHABLE
            return UnreadableImage(reason, str(found).rsplit(": ", 1)[-1])
    return UnreadableImage(Reason.UNREACHABLE, bodies.said(problem))
