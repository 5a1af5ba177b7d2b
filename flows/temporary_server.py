"""Prefect's temporary server, as a process that ends with the command that has started it, however that one ends: it
waits at a pipe whose other end the command holds. This file is also what the server's process runs, by its path.
"""

import os
import socket
import subprocess
import sys
import threading
import time

from prefect.settings import PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS, get_current_settings

from flows.wall import Wall, allowed_names
from schemas.errors import BadInput
from tasks.orchestration.prefect_innards import collect_apart, make_server_app


def start_process(port: int) -> "subprocess.Popen[bytes]":
    """The server's process, which answers at the port. Raises BadInput if it ends, RuntimeError after too long."""
    settings = get_current_settings().to_environment_variables(exclude_unset=True)
    process = subprocess.Popen(
        # -P: neither the current folder nor that of this file may hide a module of Prefect's
        [sys.executable, "-P", __file__, str(port)],
        stdin=subprocess.PIPE,
        env={**os.environ, **settings},
        # a terminal sends Ctrl-C to all processes of a session, but the flow must still reach its server
        start_new_session=True,
    )
    most_s = PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS.value()
    end_s = time.monotonic() + most_s
    try:
        while time.monotonic() < end_s:
            with socket.socket() as client:
                if not client.connect_ex(("127.0.0.1", port)):
                    return process
            if (status := process.poll()) is not None:
                started = f"its end with status {status}: above stands what it said"
                raise BadInput(f"expected Prefect's temporary server to start, got {started}")
            time.sleep(0.1)
        raise RuntimeError(f"no answer within {most_s} s.")
    except BaseException:
        with process:  # until it has ended
            process.kill()  # asked to end, it would end in a traceback
        raise


def serve(port: int) -> None:
    """Serve Prefect's API on this machine only, until the standard input ends."""
    import uvicorn

    def end_with_input() -> None:
        os.read(0, 1)
        os._exit(0)  # nobody is left who waits for an answer, and its database survives that

    threading.Thread(target=end_with_input, daemon=True).start()
    collect_apart()
    app = Wall(make_server_app(is_temporary=True), allowed_names())
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", lifespan="on")


if __name__ == "__main__":
    serve(int(sys.argv[1]))
