"""A web server with the releases of stores in folders, at their paths: no browser follows a link to the disk."""

import contextlib
import socket
import threading
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit

from flows.serve.processes import address
from flows.wall import NO_FRAMES, STATUS, TEXT, RequestHead, refusal

_LONGEST_SILENCE_S = 60
"""A client that has sent no whole request by then has its connection closed."""


class _Pages(ThreadingHTTPServer):
    """Knows the folders of which it shows everything, and the names that it answers to."""

    def __init__(self, host: str, port: int, folders: Sequence[Path], names: frozenset[str]) -> None:
        self.folders, self.names = tuple(folders), names
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Files)

    def handle_error(self, *_: Any) -> None:
        """Say nothing: a browser whose tab is closed in the middle of a file is no error."""


class _Files(SimpleHTTPRequestHandler):
    """Files and lists of folders, to be read only."""

    server: _Pages
    timeout = _LONGEST_SILENCE_S
    extensions_map = {  # noqa: RUF012 - as the class above has it
        **SimpleHTTPRequestHandler.extensions_map,
        ".html": "text/html; charset=utf-8",
        **dict.fromkeys((".md", ".yaml"), "text/plain; charset=utf-8"),
    }

    def parse_request(self) -> bool:
        """Whether a request was read that the wall lets pass; any other one is answered."""
        if not super().parse_request():
            return False
        headers = tuple((name.lower(), value) for name, value in self.headers.items())
        version = self.request_version.removeprefix("HTTP/")
        why = refusal(RequestHead(self.command, self.path, version, headers), self.server.names)
        if why is None:
            return True
        self.close_connection = True
        self.send_response(STATUS)
        self.send_header("Content-Type", TEXT)
        self.end_headers()
        self.wfile.write(f"{why}\n".encode())
        return False

    def translate_path(self, path: str) -> str:
        """The place on the disk; nowhere for what is in none of the folders."""
        try:
            place = unquote(urlsplit(path).path)
            resolved = Path(place).resolve()
        except (OSError, RuntimeError, ValueError):  # links in a circle, a null byte, no address at all
            return ""
        is_shown = any(resolved.is_relative_to(folder) for folder in self.server.folders)
        return f"{resolved}{'/' * place.endswith('/')}" if is_shown else ""

    def send_head(self) -> BytesIO | BinaryIO | None:
        """No page, which may be a link out of the store, stands for a folder; no pipe, which never ends, is there."""
        translated = self.translate_path(self.path)
        place = Path(translated)
        try:
            is_there = bool(translated) and (place.is_dir() or place.is_file())
            has_page = is_there and any((place / name).exists() for name in ("index.html", "index.htm"))
        except OSError:  # a name that is too long
            is_there = has_page = False
        if not is_there:
            self.send_error(HTTPStatus.NOT_FOUND, "File not found")
            return None
        return self.list_directory(place) if has_page and self.path.endswith("/") else super().send_head()

    def end_headers(self) -> None:
        """A file is what its name says: no browser may take an image for a page. No other page shows it in a frame."""
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header(*NO_FRAMES)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def release_pages(stores: Sequence[str], host: str, port: int, names: frozenset[str]) -> Iterator[str]:
    """The server's address (`artifacts.SETTING`) while the block runs; at another port if somebody listens at this."""
    paths = [store.removeprefix("file://") for store in stores]
    folders = [Path(path).absolute().resolve() / "releases" for path in paths if "://" not in path]
    try:
        server = _Pages(host, port, folders, names)
    except (OSError, OverflowError):  # the last: of a port after the last one
        server = _Pages(host, 0, folders, names)
    with server:
        thread = threading.Thread(target=server.serve_forever, name="releases", daemon=True)
        thread.start()
        try:
            yield address(host, server.server_port)
        finally:
            server.shutdown()
            thread.join()
