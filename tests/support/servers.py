"""A web server on this machine whose answers, also wrong ones, a test writes down."""

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[BaseHTTPRequestHandler], None]
BODY = bytes(range(256)) * 300


def answer(status: int = 200, body: bytes = BODY, length: str | None = "right", **headers: str) -> Answer:
    """A whole answer.

    Length: what Content-Length says, None for no such header (then the end of the connection ends it).
    """

    def send(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        if length is None:
            request.close_connection = True
            request.send_header("Connection", "close")
        else:
            request.send_header("Content-Length", str(len(body)) if length == "right" else length)
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        if request.command != "HEAD":
            request.wfile.write(body)
        if length != "right":
            request.close_connection = True

    return send


def moved(location: str, **headers: str) -> Answer:
    return answer(302, b"gone there", Location=location, **headers)


def chunked(*chunks: bytes, is_ended: bool = True, status: int = 200, **headers: str) -> Answer:
    def send(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        request.send_header("Transfer-Encoding", "chunked")
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        for chunk in chunks:
            request.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
        if is_ended:
            request.wfile.write(b"0\r\n\r\n")
        request.close_connection = not is_ended

    return send


def raw(data: bytes) -> Answer:
    """These bytes, then the end of the connection."""

    def send(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(data)
        request.close_connection = True

    return send


def interim(*heads: str, last: Answer) -> Answer:
    """Interim answers, such as "103 Early Hints", and then the last one."""

    def send(request: BaseHTTPRequestHandler) -> None:
        for head in heads:
            request.wfile.write(f"HTTP/1.1 {head}\r\nLink: </x>\r\nContent-Length: 7\r\n\r\n".encode())
        last(request)

    return send


def hang_up(request: BaseHTTPRequestHandler) -> None:
    request.close_connection = True


def dripping(begin: bytes, drop: bytes, is_over: threading.Event, every_s: float = 0.02) -> Answer:
    """Bytes, then a few more, and so on for 5 s at most: no single read ever waits long."""

    def send(request: BaseHTTPRequestHandler) -> None:
        request.close_connection = True
        request.wfile.write(begin)
        for _ in range(int(5 / every_s)):
            request.wfile.write(drop)
            if is_over.wait(every_s):
                break

    return send


class Site:
    """Answers by host (without it: any) and path: first the first, at last the last, for ever.

    Nothing else is there.
    """

    def __init__(self) -> None:
        self.answers: dict[tuple[str, str], list[Answer]] = {}
        self.heads: dict[str, Answer] = {}
        self.seen: list[tuple[str, dict[str, str]]] = []  # of GET
        self.seen_at_s: list[float] = []
        self.looked: Counter[str] = Counter()  # by path, of HEAD
        self.connections = self.under_way = self.most_at_once = 0
        self.url = ""
        self.lock = threading.Lock()

    def at(self, path: str, *answers: Answer, host: str = "") -> str:
        """The URL of a path that answers so."""
        self.answers[host, path] = list(answers)
        return f"{self.url}{path}" if not host else f"http://{host}{path}"

    def requests(self, path: str) -> int:
        """How often the path was asked for."""
        return sum(seen == path for seen, _ in self.seen)

    def found(self, path: str, host: str) -> Answer:
        path = path.partition("?")[0]
        answers = self.answers.get((host, path)) or self.answers.get(("", path)) or [answer(404, b"not here")]
        return answers.pop(0) if len(answers) > 1 else answers[0]


@contextlib.contextmanager
def serving() -> Iterator[Site]:
    pages = Site()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 10
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            with pages.lock:
                pages.seen.append((self.path, dict(self.headers)))
                pages.seen_at_s.append(time.monotonic())
                found = pages.found(self.path, str(self.headers["Host"]))
                pages.under_way += 1
                pages.most_at_once = max(pages.most_at_once, pages.under_way)
            try:
                with contextlib.suppress(ConnectionError):  # a client that has read enough hangs up
                    found(self)
            finally:
                with pages.lock:
                    pages.under_way -= 1

        def do_HEAD(self) -> None:
            with pages.lock:
                pages.looked[self.path] += 1
            with contextlib.suppress(ConnectionError):
                pages.heads.get(self.path, answer(200, b""))(self)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False
        request_queue_size = 128

        def get_request(self) -> Any:
            pages.connections += 1
            return super().get_request()

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
