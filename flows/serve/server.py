"""Prefect's server as `prefect server start` runs it, with its page and all services, behind the wall.

    python -m flows.serve.server [--host HOST] [--port PORT] [--allowed-host NAME ...]

This is what `bilderatlas serve` starts, and what a team's service does; it takes Prefect's own settings.
"""

import argparse
import sys
from collections.abc import Sequence
from urllib.parse import urlsplit

from flows.wall import Wall, allowed_names
from schemas.errors import BadInput
from schemas.phrases import quoted
from tasks.orchestration.prefect_innards import collect_apart, make_server_app

_PAGE = "PREFECT_SERVER_UI_API_URL"
_API = "http://museum.example:4200/api"


def serve(host: str, port: int, names: frozenset[str]) -> None:
    """Serve until a signal comes. names: those of `allowed_names`."""
    import uvicorn
    from prefect.settings import get_current_settings

    collect_apart()
    settings = get_current_settings().server
    uvicorn.run(
        Wall(make_server_app(is_temporary=False), names),
        host=host,
        port=port,
        timeout_keep_alive=settings.api.keepalive_timeout,
        ws_ping_interval=settings.api.websocket_ping_interval,
        ws_ping_timeout=settings.api.websocket_ping_timeout,
        log_level=settings.logging_level.lower(),
    )


def main(words: Sequence[str] | None = None) -> int:
    """What the process does; its exit status."""
    from prefect.settings import PREFECT_SERVER_API_HOST, PREFECT_SERVER_API_PORT, PREFECT_UI_API_URL

    about = "Prefect's server, which answers programs and its own page, and no other page."
    parser = argparse.ArgumentParser(prog="python -m flows.serve.server", description=about)
    parser.add_argument("--host", default=PREFECT_SERVER_API_HOST.value(), help="address to listen at")
    parser.add_argument("--port", type=int, default=PREFECT_SERVER_API_PORT.value(), help="port to listen at")
    parser.add_argument(
        "--allowed-host", action="append", default=[], metavar="NAME", help="a name of this machine; may be repeated"
    )
    arguments = parser.parse_args(words)
    try:
        names = allowed_names(*arguments.allowed_host) | allowed_names(arguments.host, named_by="--host")
        # behind a proxy, the page asks for the API by the name of the proxy
        url = PREFECT_UI_API_URL.value() or ""
        try:
            host = urlsplit(url).hostname
        except ValueError as problem:
            raise BadInput(f"{_PAGE}: expected an address such as {_API}, got {quoted(url)}") from problem
        names |= allowed_names(*[host] if host else [], named_by=_PAGE)
    except BadInput as problem:
        print(problem, file=sys.stderr)  # noqa: T201
        return 2
    serve(arguments.host, arguments.port, names)
    return 0


if __name__ == "__main__":
    sys.exit(main())
