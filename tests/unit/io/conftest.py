"""A real web server on this machine, whose answers a test writes down."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Answer = Callable[[BaseHTTPRequestHandler], None]


class Site:
    """Answers by path: the first request for a path gets the first one, the last answer is repeated for ever."""

    def __init__(self) -> None:
        self.answers: dict[str, list[Answer]] = {}
        self.seen: list[tuple[str, dict[str, str]]] = []
        self.url = ""

    def at(self, path: str, *answers: Answer) -> str:
        """The URL of a path that answers so."""
        self.answers[path] = list(answers)
        return f"{self.url}{path}"

    def requests(self, path: str) -> int:
        """How often the path was asked for."""
        return sum(seen == path for seen, _ in self.seen)


@pytest.fixture
def site() -> Iterator[Site]:
    pages = Site()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            pages.seen.append((self.path, dict(self.headers)))
            answers = pages.answers[self.path]
            with contextlib.suppress(ConnectionError):  # a client that has read enough hangs up
                (answers.pop(0) if len(answers) > 1 else answers[0])(self)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, request: Any, client_address: Any) -> None:
            """A client that hangs up is no error here; a wrong answer shows in the test itself."""

    server = Server(("127.0.0.1", 0), Handler)
    pages.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield pages
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def refusing_url() -> str:
    """An address of this machine where nobody listens."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{unused.getsockname()[1]}/nobody.jpg"
