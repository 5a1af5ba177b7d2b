"""The museum on a port of this machine: for a command line until it is told to stop, or in a thread beside a test."""

import asyncio
import json
import signal
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self, TextIO

from examples.museum.serve.connection import Connection
from examples.museum.serve.faults import Faults
from examples.museum.serve.hall import Hall
from examples.museum.serve.images import Images, images_of_hall
from examples.museum.serve.mischief import Patience
from examples.museum.serve.routes import Route, routes
from examples.museum.serve.site import Log, Site, Visit
from examples.museum.serve.works import Works

# nobody else's machine should reach a museum of bombs
_ADDRESS = "127.0.0.1"
_BACKLOG = 1024
_STARTS_WITHIN_S = 30.0


class RunningServer:
    """A server that is running, on the event loop that started it."""

    def __init__(self, server: asyncio.Server, connections: set[Connection]) -> None:
        self._server, self._connections = server, connections
        self.port: int = server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Ends all connections, also those that are still sending."""
        self._server.close()
        for connection in list(self._connections):
            connection.end()
        await asyncio.sleep(0)
        await self._server.wait_closed()


async def opened(site: Site, port: int, log: Log, patience: Patience | None = None) -> RunningServer:
    """Opens the site's doors. port: 0 takes any free one. Raises OSError where the port is taken."""
    connections: set[Connection] = set()
    patience = patience or Patience()
    server = await asyncio.get_running_loop().create_server(
        lambda: Connection(site, log, patience, connections), _ADDRESS, port, backlog=_BACKLOG
    )
    return RunningServer(server, connections)


def url_of_port(port: int) -> str:
    """Where the museum is."""
    return f"http://{_ADDRESS}:{port}"


def serve(site: Site, port: int, log: Log, when_ready: Callable[[str], None]) -> None:
    """Serves until SIGTERM or SIGINT. when_ready: called with the museum's URL."""
    asyncio.run(_serve(site, port, log, when_ready))


async def _serve(site: Site, port: int, log: Log, when_ready: Callable[[str], None]) -> None:
    told_to_stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told_to_stop.set)
    doors = await opened(site, port, log)
    when_ready(url_of_port(doors.port))
    await told_to_stop.wait()
    await doors.close()


def log_to_file(file: TextIO) -> Log:
    """Writes each visit as a line of JSON."""

    def write(visit: Visit) -> None:
        file.write(json.dumps(visit._asdict(), ensure_ascii=False) + "\n")

    return write


def no_log(visit: Visit) -> None:
    """Forgets the visit."""


class Serving:
    """A museum in a thread of this process. log: every visit so far; violations: by host, what the rate turned away."""

    def __init__(self, site: Site, port: int, patience: Patience | None) -> None:
        self.log: list[Visit] = []
        self._site, self._loop = site, asyncio.new_event_loop()
        self._doors: RunningServer | None = None
        self._thread = threading.Thread(target=self._loop.run_forever, name="museum", daemon=True)
        self._thread.start()
        try:
            opening = opened(site, port, self.log.append, patience)
            doors = asyncio.run_coroutine_threadsafe(opening, self._loop).result(_STARTS_WITHIN_S)
        except BaseException:
            self._stop()
            raise
        self._doors, self.url = doors, url_of_port(doors.port)

    @property
    def violations(self) -> Counter[str]:
        """How many requests of each host came too soon after others."""
        return self._site.limiter.violations

    def close(self) -> None:
        """Ends all connections and the thread; again does nothing."""
        doors, self._doors = self._doors, None
        if doors is not None:
            asyncio.run_coroutine_threadsafe(doors.close(), self._loop).result(_STARTS_WITHIN_S)
            self._stop()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def serving(
    hall: Hall,
    images: Images | None = None,
    *,
    faults: Faults | None = None,
    rate_per_s: float | None = None,
    disallow: Mapping[str, tuple[str, ...]] | None = None,
    by_host: Mapping[str, Route] | None = None,
    patience: Patience | None = None,
    port: int = 0,
) -> Serving:
    """Serves the hall on localhost until it is closed, as a context manager: `.url`, `.log`, `.violations`, `.close()`.

    images: None takes those that belong to the hall. by_host: None takes all sources there are. patience: how long
    endless faults go on. Others as in Site.
    """
    if images is None:
        if not isinstance(hall, Works):
            raise TypeError(f"expected images for a hall of one's own, got none for {type(hall).__name__}")
        images = images_of_hall(hall)
    site = Site(hall, images, routes() if by_host is None else by_host, faults, rate_per_s, disallow)
    return Serving(site, port, patience)
