"""One request at a time, sent politely: with a name and a contact, allowed by robots.txt, with a permit, within limits.

Every failure is an `UnreadableImage` with its reason; those in `schemas.reasons.PASSING` may be tried again.
tasks/io/web/downloads.py decides how many requests are sent at the same time, and which are tried again.
"""

import contextlib
import io
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import BinaryIO, Literal
from urllib.parse import urlencode, urljoin, urlsplit

import requests
import urllib3

from schemas.errors import BadInput
from schemas.manners import AGENT, Credential
from schemas.opt_outs import header_opt_out, tdm_reservation
from schemas.reasons import Reason
from tasks.io.images.decode import UnreadableImage
from tasks.io.web import bodies
from tasks.io.web.addresses import Origins, Target
from tasks.io.web.bodies import ResponseBody, ResponseLimits
from tasks.io.web.connections import ForbiddenAddress, GuardedAdapter
from tasks.io.web.host_files import HostFiles, NamedLocks
from tasks.io.web.rate_limits import (
    PostponedRequest,
    RateLimiter,
    RedirectChain,
    RequestPermits,
    ThreadPermit,
    TransferStats,
    retry_after_s,
)
from tasks.io.web.robots import MAX_BYTES, RobotsRules
from tasks.io.web.secrets import SecretFilter, Sessions

__all__ = [
    "Client",
    "DownloadRequest",
    "PostponedRequest",
    "ResponseBody",
    "ResponseLimits",
    "user_agent",
]

Expects = Literal["image", "json", "html", "csv", "robots", "anything"]

VERSION = "0.1"
_MAX_REDIRECTS = 5
_MOVED = {301, 302, 303, 307, 308}
_NOT_FOUND = {404, 410}
_THROTTLING = {429, 503}
_PASSING = {408, 425, 500, 502, 504, *range(520, 531)}
_BUSY_PAGE = re.compile(
    rb"incapsula|imperva|cloudflare|captcha|rate.?limit|too many requests|unusual traffic|slow down", re.IGNORECASE
)
_NETWORK_ERRORS = (requests.exceptions.RequestException, urllib3.exceptions.HTTPError, OSError)


@dataclass(frozen=True)
class DownloadRequest:
    """What to download. etag and last_modified: of the stored answer, if any; they make the request conditional."""

    url: str
    expects: Expects = "anything"
    etag: str | None = None
    last_modified: str | None = None
    credential: Credential | None = None
    secret: str | None = None


@dataclass
class _Exchange:
    """One request in progress, over all its redirects."""

    request: DownloadRequest
    redirect_chain: RedirectChain
    into: BinaryIO
    limits: ResponseLimits
    permits: RequestPermits
    secret_filter: SecretFilter = field(default_factory=SecretFilter)
    is_patient: bool = False  # other threads wait for its response: it should not be postponed

    def follow(self, location: str) -> None:
        """Follow a redirect, without a secret that its URL repeats. Raises UnreadableImage."""
        chain = self.redirect_chain
        if len(chain.visited) == _MAX_REDIRECTS:
            raise _endless_redirects(chain)
        try:
            url = _without_parameter(urljoin(chain.url, location), self.request.credential)
        except ValueError as problem:
            raise UnreadableImage(Reason.NOT_ALLOWED, "a redirect to what is no address") from problem
        if self.secret_filter.is_in_url(url):
            raise UnreadableImage(Reason.NOT_ALLOWED, "a redirect that carries the secret")
        self.redirect_chain = replace(chain, url=url, visited=(*chain.visited, chain.url), has_checked_head=False)


def user_agent(contact: str | None) -> str:
    """The User-Agent header: the program, its purpose, and a contact."""
    return f"{AGENT}/{VERSION} (builds datasets of open art; {contact or 'no contact given'})"


class Client:
    """Sends requests. Thread-safe; one per process and run, so that connections and robots.txt are shared."""

    def __init__(
        self, rate_limiter: RateLimiter, origins: Origins, contact: str | None, limits: ResponseLimits
    ) -> None:
        """`limits` are for robots.txt and log-ins; each download has its own."""
        self._rate_limiter, self._origins = rate_limiter, origins
        self._contact = contact
        self._adapter = GuardedAdapter(origins)
        self._sessions = Sessions()
        self._limits = limits
        self._lookup_locks = NamedLocks()
        self._host_files = HostFiles(rate_limiter, self._lookup_locks)
        self._has_opt_out_by_host: dict[str, bool] = {}  # whether an image there has ever opted out by its headers
        self._lock = threading.Lock()
        self._own_permit = ThreadPermit()
        self.is_abandoned = threading.Event()  # once set, no thread waits for responses any more

    def close(self) -> None:
        """Close all connections."""
        self._adapter.close()

    def host_of(self, url: str) -> str:
        """The host whose permit a request for the URL needs. Raises UnreadableImage."""
        return self._origins.target(url).host

    @contextlib.contextmanager
    def using_permit(
        self, host: str, redirect_chain: RedirectChain | None = None, *, has_failed: bool = False
    ) -> Iterator[None]:
        """Use this thread's permit for its next request, along this chain; cancelled at the end, if unused."""
        own = self._own_permit
        own.host, own.redirect_chain, own.has_failed = host, redirect_chain, has_failed
        try:
            yield
        finally:
            own.redirect_chain, own.has_failed = None, False
            RequestPermits(self._rate_limiter, own).cancel_unused()

    def get(
        self, request: DownloadRequest, into: BinaryIO, limits: ResponseLimits, *, has_permit: bool = False
    ) -> ResponseBody:
        """Download, and write the body to `into`. Raises UnreadableImage; BadInput if a secret is missing or refused;
        and, if `has_permit` (within `using_permit`), PostponedRequest in place of any wait.
        """
        if request.credential is not None and request.secret is None:
            expected = f"{request.credential.host}: expected a secret for this request"
            raise BadInput(f"{expected}, got none; bind the source's secret")
        earlier = self._own_permit.redirect_chain if has_permit else None
        is_resumed = earlier is not None and earlier.original_url == request.url
        chain = earlier if earlier and is_resumed else RedirectChain(request.url, request.url)
        permits = RequestPermits(self._rate_limiter, self._own_permit if has_permit else None)
        exchange = _Exchange(request, chain, into, limits, permits, SecretFilter(request.secret))
        try:
            return self._follow_redirects(exchange)
        except PostponedRequest as pause:
            pause.redirect_chain = exchange.redirect_chain
            raise
        except UnreadableImage as problem:
            raise UnreadableImage(problem.reason, exchange.secret_filter.mask_text(problem.detail)[:250]) from None

    def _follow_redirects(self, exchange: _Exchange) -> ResponseBody:
        expects = exchange.request.expects
        while True:
            target = self._target(exchange.redirect_chain.url)
            if expects in {"image", "html", "anything"}:
                self._check_robots(exchange, target)
            if expects == "image":
                self._check_opt_outs(exchange, target)
            body_or_location = self._send(exchange, target)
            if isinstance(body_or_location, ResponseBody):
                return body_or_location
            exchange.follow(body_or_location)

    def _target(self, url: str) -> Target:
        target = self._origins.target(url)
        if not target.is_bound and not self._contact:
            if target.is_private:
                raise UnreadableImage(Reason.NOT_ALLOWED, f"{target.host} is no public address")
            # temporary: another binding would change it
            words = f"{target.host} is a public host: bind `contact` to an address of yours first"
            raise UnreadableImage(Reason.UNREACHABLE, words)
        return target

    def _send(self, exchange: _Exchange, target: Target) -> ResponseBody | str:
        request = exchange.request
        headers = {"Accept-Encoding": "identity" if request.expects == "image" else "gzip"}
        if request.etag:
            headers["If-None-Match"] = request.etag
        if request.last_modified:
            headers["If-Modified-Since"] = request.last_modified
        token = self._token(exchange, target)
        with (
            exchange.permits.permit(target.host, is_patient=exchange.is_patient) as stats,
            self._open_response("GET", target, exchange, headers, token) as response,
        ):
            location = _location(response)
            is_unchanged = response.status_code == requests.codes.not_modified and len(headers) > 1
            if request.expects == "image" and (response.status_code == requests.codes.ok or location or is_unchanged):
                self._check_headers(response, target)
            if location:
                if "Set-Cookie" in response.headers:
                    exchange.redirect_chain = replace(exchange.redirect_chain, has_set_cookie=True)
                return location
            if is_unchanged:
                return ResponseBody(is_unchanged=True, etag=request.etag, last_modified=request.last_modified)
            self._check_status(response, exchange, stats, token)
            into, may_quote = exchange.into, request.secret is None
            body = bodies.read_body(response, into, exchange.limits, stats, exchange.secret_filter)
            bodies.check_expected(into, request.expects, may_quote=may_quote, wrong_label=body.wrong_label)
            return body

    @contextlib.contextmanager
    def _open_response(
        self, method: str, target: Target, exchange: _Exchange, headers: dict[str, str], token: str | None = None
    ) -> Iterator[requests.Response]:
        prepared = requests.PreparedRequest()
        address, credential = target.url, exchange.request.credential
        if token is not None and credential is not None:
            address += f"{'&' if urlsplit(address).query else '?'}{urlencode({credential.parameter: token})}"
        all_headers = {"User-Agent": user_agent(self._contact), "Accept": "*/*", **headers}
        if target.is_bound:
            all_headers["Host"] = target.host
        try:
            prepared.prepare(method=method, url=address, headers=all_headers)
            timeout = (exchange.limits.timeout_s, exchange.limits.timeout_s)
            response = self._adapter.send(prepared, stream=True, timeout=timeout, verify=True)
        except (requests.exceptions.InvalidURL, UnicodeError, urllib3.exceptions.LocationValueError) as problem:
            raise UnreadableImage(Reason.NOT_ALLOWED, f"expected an address, got '{target.url[:80]}'") from problem
        except _NETWORK_ERRORS as problem:
            raise _unreadable_from_error(problem) from problem
        try:
            yield response
        finally:
            bodies.close_response(response)

    def _check_status(
        self, response: requests.Response, exchange: _Exchange, stats: TransferStats, token: str | None
    ) -> None:
        status, request = response.status_code, exchange.request
        if status == requests.codes.ok:
            return
        if status in _NOT_FOUND:
            raise UnreadableImage(Reason.NOT_FOUND, f"status {status}")
        if status in _THROTTLING or (status == requests.codes.forbidden and _is_busy(response, exchange)):
            stats.retry_after_s = retry_after_s(response.headers.get("Retry-After"))
            raise UnreadableImage(Reason.THROTTLED, f"status {status}")
        # if a host fails to send its robots.txt, nothing is allowed (RFC 9309, 2.3.1.4)
        if status in _PASSING or (request.expects == "robots" and status >= requests.codes.server_error):
            raise UnreadableImage(Reason.SERVER_ERROR, f"status {status}")
        if status == requests.codes.unauthorized and request.credential is not None and token is not None:
            self._raise_unauthorized(request.credential, token)
        raise UnreadableImage(Reason.HTTP_ERROR, f"status {status}")

    def _token(self, exchange: _Exchange, target: Target) -> str | None:
        """The secret, or a session token, for which it may log in first; None for hosts other than the credential's."""
        credential, secret = exchange.request.credential, exchange.request.secret
        if credential is None or secret is None or target.host != credential.host:
            return None
        if not target.is_bound and not target.url.startswith("https://"):
            raise UnreadableImage(Reason.NOT_ALLOWED, f"{target.host}: a secret is sent by https only")
        if credential.login_url is None:
            return secret
        if (token := self._sessions.token(credential)) is None:
            with self._lookup_locks.held(f"log-in {credential.host}", exchange.permits):
                if (token := self._sessions.token(credential)) is None:
                    token = self._sessions.open(credential, self._login(credential, secret, exchange.permits))
        exchange.secret_filter.add(token)
        return token

    def _login(self, credential: Credential, secret: str, permits: RequestPermits) -> bytes:
        first, _, second = secret.partition(":")
        names = credential.login_parameters
        url = f"{credential.login_url}?{urlencode({names[0]: first, names[1]: second})}"
        try:
            return self._look_up(DownloadRequest(url, "json", secret=secret), self._limits, permits)
        except UnreadableImage as problem:
            if problem.reason == Reason.HTTP_ERROR:
                expected = f"{credential.host}: expected a secret with which to log in"
                raise BadInput(f"{expected}, got {problem.detail}; check the secret") from None
            raise UnreadableImage(problem.reason, f"log-in: {problem.detail}") from None

    def _look_up(self, request: DownloadRequest, limits: ResponseLimits, permits: RequestPermits) -> bytes:
        """The body of a response for which other threads wait. Raises UnreadableImage."""
        into, chain = io.BytesIO(), RedirectChain(request.url, request.url)
        secrets = SecretFilter(request.secret)
        self._follow_redirects(_Exchange(request, chain, into, limits, permits, secrets, is_patient=True))
        return into.getvalue()

    def _raise_unauthorized(self, credential: Credential, token: str) -> None:
        if credential.login_url is None:
            expected = f"{credential.host}: expected a secret that the API accepts"
            raise BadInput(f"{expected}, got status 401; check the secret") from None
        self._sessions.forget(credential, token)
        raise UnreadableImage(Reason.SERVER_ERROR, "status 401: the session ran out")

    def _load_host_file(self, exchange: _Exchange, expects: Expects, path: str) -> bytes:
        """A file of the host that the exchange asks next, a byte more than is read, which shows that it was cut."""
        limits = ResponseLimits(MAX_BYTES + 1, self._limits.timeout_s, is_cut=True)
        return self._look_up(
            DownloadRequest(urljoin(exchange.redirect_chain.url, path), expects), limits, exchange.permits
        )

    def _robots_rules(self, exchange: _Exchange, target: Target) -> RobotsRules:
        load = partial(self._load_host_file, exchange, "robots")
        return self._host_files.robots_rules(target.host, load, exchange.permits)

    def _check_robots(self, exchange: _Exchange, target: Target) -> None:
        """Raise UnreadableImage unless the host's robots.txt allows the address."""
        if not self._robots_rules(exchange, target).is_allowed(target.url):
            raise UnreadableImage(Reason.ROBOTS_DISALLOW, f"robots.txt of {target.host}")

    def _check_opt_outs(self, exchange: _Exchange, target: Target) -> None:
        """Raise UnreadableImage for an image that its host's files, or its own headers by HEAD, opt out of training."""
        if detail := self._robots_rules(exchange, target).opt_out(target.url):
            raise UnreadableImage(Reason.OPTED_OUT, detail)
        # as any other address, it is not asked for where robots.txt forbids it
        load = partial(self._load_host_file, exchange, "anything")
        tdm_file = self._host_files.tdm_file(target.host, load, exchange.permits)
        self._check_head(exchange, target, tdm_file.opt_out(target.url))

    def _check_head(self, exchange: _Exchange, target: Target, reserved: str | None) -> None:
        """Send HEAD for a host's first image; for each, if the host has ever opted one out by its headers; and for what
        tdmrep.json reserves, since the image's own headers supersede it. For every image of every host that would
        double the requests. Before a body is read, headers are checked, too. reserved: the detail of the file's rule.
        """
        is_needed = reserved is not None or self._has_opt_out_by_host.get(target.host) is not False
        if exchange.redirect_chain.has_checked_head or not is_needed:
            return
        try:
            is_released = self._head_releases(exchange, target)
        except UnreadableImage as problem:
            if reserved is None or problem.reason in {Reason.OPTED_OUT, Reason.THROTTLED, Reason.OVER_BUDGET}:
                raise
            is_released = False  # the file's word stays
        if reserved is not None and not is_released:
            raise UnreadableImage(Reason.OPTED_OUT, reserved)
        exchange.redirect_chain = replace(exchange.redirect_chain, has_checked_head=True)

    def _head_releases(self, exchange: _Exchange, target: Target) -> bool:
        """Whether the image's headers say `tdm-reservation: 0`. Raises UnreadableImage, also if they opt out."""
        with exchange.permits.permit(target.host, is_patient=False) as stats:
            try:
                with self._open_response("HEAD", target, exchange, {"Accept-Encoding": "identity"}) as response:
                    if response.status_code in _THROTTLING:
                        self._check_status(response, exchange, stats, None)
                    self._check_headers(response, target)
                    return tdm_reservation(response.raw.headers.getlist("tdm-reservation")) is False
            finally:  # also if the server can't answer HEAD: the next try sends GET at once
                with self._lock:
                    self._has_opt_out_by_host.setdefault(target.host, False)

    def _check_headers(self, response: requests.Response, target: Target) -> None:
        if detail := header_opt_out(response.raw.headers.getlist):
            with self._lock:
                self._has_opt_out_by_host[target.host] = True
            raise UnreadableImage(Reason.OPTED_OUT, detail)


def _is_busy(response: requests.Response, exchange: _Exchange) -> bool:
    """Whether a 403 means to slow down: a page in place of an API's answer, or a page with typical words.

    (metmuseum/openaccess#60: a 403 of Imperva after some 30 requests, far below the documented 80 a second.)
    """
    is_page = "html" in response.headers.get("Content-Type", "").lower()
    if response.headers.get("Retry-After") or (is_page and exchange.request.expects in {"json", "csv"}):
        return True
    return bool(_BUSY_PAGE.search(bodies.first_bytes(response, 8192, exchange.limits.timeout_s)))


def _location(response: requests.Response) -> str:
    """The location of a redirect; empty for other responses. Bytes beyond ASCII are read as UTF-8."""
    value = str(response.headers.get("Location", "")) if response.status_code in _MOVED else ""
    with contextlib.suppress(UnicodeError):
        value = value.encode("latin-1").decode()
    return value


def _endless_redirects(chain: RedirectChain) -> UnreadableImage:
    """What is wrong with so many redirects. Fewer are followed even to themselves: the address may answer at last."""
    urls = [*chain.visited, chain.url]
    where = f"more than {_MAX_REDIRECTS} redirects"
    if len(set(urls)) < len(urls):
        where = "redirects lead in a circle" if len(set(urls)) > 1 else "redirects to itself"
    cookie = "; it sets a cookie, and cookies are not sent back" if chain.has_set_cookie else ""
    return UnreadableImage(Reason.REDIRECT_LOOP, f"{where}{cookie}")


def _without_parameter(url: str, credential: Credential | None) -> str:
    if credential is None:
        return url
    parts = urlsplit(url)
    query = "&".join(pair for pair in parts.query.split("&") if pair.partition("=")[0] != credential.parameter)
    return parts._replace(query=query).geturl()


def _unreadable_from_error(problem: Exception) -> UnreadableImage:
    reasons = [problem, *(getattr(problem, "args", None) or ()), problem.__cause__, problem.__context__]
    inner = [getattr(error, "reason", None) for error in reasons]
    for error in (*reasons, *inner):
        if isinstance(error, ForbiddenAddress):
            reason = Reason.NOT_ALLOWED if error.is_permanent else Reason.UNREACHABLE
            return UnreadableImage(reason, str(error).rsplit(": ", 1)[-1])
    return UnreadableImage(Reason.UNREACHABLE, bodies.innermost_message(problem))
