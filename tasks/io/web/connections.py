"""Connections to allowed addresses only, and with time limits: requests' adapter over guarded urllib3 pools. Checked
when one is opened: a name server may change its answer to one in a private network (DNS rebinding).
"""

import contextlib
import http.client
import logging
import socket
import threading
import time
import weakref
from collections.abc import Iterator
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import NewConnectionError
from urllib3.exceptions import TimeoutError as TookTooLong
from urllib3.poolmanager import PoolManager
from urllib3.util.connection import create_connection

from tasks.io.web.addresses import Origins, is_number

_POOLS, _CONNECTIONS = 256, 64
_MOST_ADDRESSES = 4
_LOOK_EVERY_S = 0.1
_MOST_INTERIM = 20  # a server that sends more before its answer never comes to it

logging.getLogger("urllib3.connectionpool").setLevel(logging.INFO)  # at DEBUG it logs each URL, and with it the API key


class ForbiddenAddress(NewConnectionError):
    """The host has no address that may be connected to. is_permanent: it is an IP address, not a name of one."""

    def __init__(self, connection: Any, message: str, *, is_permanent: bool) -> None:
        super().__init__(connection, message)
        self.is_permanent = is_permanent


class _FinalResponse(http.client.HTTPResponse):
    """The answer behind all interim ones (1xx, RFC 9110, 15.2), of which Python itself passes over only 100."""

    def begin(self) -> None:
        """Read the head of the answer. Raises HTTPException after too many interim ones."""
        for _ in range(_MOST_INTERIM + 1):
            super().begin()
            # 101: nothing was asked to be switched, and no answer follows
            if self.status >= http.client.OK or self.status == http.client.SWITCHING_PROTOCOLS:
                return
            self.headers = self.msg = None  # type: ignore[assignment]  # the next head is read like the first
        raise http.client.HTTPException(f"more than {_MOST_INTERIM} interim answers (1xx) before the answer")


class _Watchdog:
    """Closes connections after a time limit: a time-out between reads does not stop a server that sends slowly."""

    def __init__(self) -> None:
        self._deadlines: weakref.WeakKeyDictionary[Any, float] = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def watch(self, connection: Any, within_s: float) -> None:
        with self._lock:
            self._deadlines[connection] = time.monotonic() + within_s
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, daemon=True, name="watchdog")
                self._thread.start()

    def forget(self, connection: Any) -> bool:
        """Stop watching; whether it was within the time limit."""
        with self._lock:
            return self._deadlines.pop(connection, None) is not None

    def _run(self) -> None:
        while True:
            time.sleep(_LOOK_EVERY_S)
            with self._lock:
                if not self._deadlines:
                    self._thread = None
                    return
                late = [connection for connection, due_s in self._deadlines.items() if due_s < time.monotonic()]
                for connection in late:
                    del self._deadlines[connection]
            for connection in late:
                with contextlib.suppress(OSError, ValueError, RuntimeError):  # it ended by itself in the meantime
                    if (sock := getattr(connection, "sock", None)) is not None:
                        sock.shutdown(socket.SHUT_RDWR)
                    elif hasattr(connection, "shutdown"):  # a response that is being read
                        connection.shutdown()


_WATCHDOG = _Watchdog()


@contextlib.contextmanager
def time_limit(connection: Any, within_s: float) -> Iterator[None]:
    """A time limit for all reads together on a connection or a response. Raises urllib3's time-out."""
    _WATCHDOG.watch(connection, within_s)
    problem = None
    try:
        yield
    except Exception as raised:
        problem = raised
    if not _WATCHDOG.forget(connection):
        raise TookTooLong(f"not done after {within_s:.1f} s") from problem
    if problem is not None:
        raise problem


class GuardedAdapter(HTTPAdapter):
    """requests' adapter that connects only where `origins` allows, and follows no redirects itself."""

    def __init__(self, origins: Origins) -> None:
        """The headers of a response must arrive within both time-outs of its request, to connect and to read."""
        self._origins = origins
        super().__init__(pool_connections=_POOLS, pool_maxsize=_CONNECTIONS, max_retries=0)

    def init_poolmanager(self, connections: int, maxsize: int, block: bool = False, **kwargs: Any) -> None:
        """Pools of guarded connections."""
        self.poolmanager = PoolManager(num_pools=connections, maxsize=maxsize, block=block, **kwargs)
        self.poolmanager.pool_classes_by_scheme = _pool_classes(self._origins)


def _pool_classes(origins: Origins) -> dict[str, type[HTTPConnectionPool]]:
    class Guarded:
        response_class: type[http.client.HTTPResponse] = _FinalResponse

        def _new_conn(self) -> socket.socket:
            return _open_socket(self, origins)

    class PlainConnection(Guarded, HTTPConnection):
        pass

    class TlsConnection(Guarded, HTTPSConnection):
        pass

    class Watched:
        def _make_request(self, conn: Any, *args: Any, **kwargs: Any) -> Any:
            timeout = kwargs["timeout"]
            with time_limit(conn, timeout.connect_timeout + timeout.read_timeout):
                return super()._make_request(conn, *args, **kwargs)  # type: ignore[misc]

    class PlainPool(Watched, HTTPConnectionPool):
        ConnectionCls = PlainConnection

    class TlsPool(Watched, HTTPSConnectionPool):
        ConnectionCls = TlsConnection

    return {"http": PlainPool, "https": TlsPool}


def _open_socket(connection: Any, origins: Origins) -> socket.socket:
    host, port = connection._dns_host.strip("[]"), connection.port
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as problem:
        raise NewConnectionError(connection, f"no address for '{host}': {problem}") from problem
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in entries))
    if not (allowed := [address for address in addresses if origins.allows(host, port, address)]):
        # a name may resolve to another address tomorrow, so this is permanent only for an IP address
        where = f"'{host}' leads to {', '.join(addresses[:3])}, which is no public address"
        raise ForbiddenAddress(connection, where, is_permanent=is_number(host))
    last_error: OSError | None = None
    for address in allowed[:_MOST_ADDRESSES]:
        try:
            options = connection.timeout, connection.source_address, connection.socket_options
            return create_connection((address, port), *options)
        except OSError as problem:
            last_error = problem
    raise NewConnectionError(connection, f"no connection to '{host}': {last_error}") from last_error
