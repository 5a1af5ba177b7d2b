"""The releases of a store in a folder, shown by a small web server: no browser follows a link from Prefect's page to a
file on the disk.
"""

import contextlib
import functools
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class _Files(SimpleHTTPRequestHandler):
    """Files and listings of folders, to be read only."""

    extensions_map = {  # noqa: RUF012 - as the class above has it
        **SimpleHTTPRequestHandler.extensions_map,
        ".md": "text/plain; charset=utf-8",
        ".yaml": "text/plain; charset=utf-8",
        ".html": "text/html; charset=utf-8",
    }

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def release_pages(store: str, host: str) -> Iterator[str | None]:
    """The address under which the releases can be read while the block runs, for tasks.engine.release_links; None for a
    store that is no folder.
    """
    if "://" in store.removeprefix("file://"):
        yield None
        return
    folder = Path(store.removeprefix("file://")).absolute() / "releases"
    with ThreadingHTTPServer((host, 0), functools.partial(_Files, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, name="releases", daemon=True)
        thread.start()
        try:
            yield f"http://{host}:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
