"""A command of Prefect's, as a process that ends with the one that has started it, however that one ends.

The starter holds one end of a pipe, this process waits at the other: when the starter ends, even by `kill -9`, the
system closes its end. The process leads a group of its own, so that the runs of a worker end with the worker.
"""

import os
import signal
import subprocess
import threading

from flows.garbage import collect_apart

GRACE_S = 4.0
"""How long the processes of the group may take to end by themselves."""


def _end_with_input() -> None:
    os.read(0, 1)
    # from outside of the group: this process may end before the others do
    kill = f"sleep {GRACE_S}; kill -s KILL -- -{os.getpgid(0)} 2> /dev/null"
    subprocess.Popen(["/bin/sh", "-c", kill], env={}, start_new_session=True)
    os.killpg(0, signal.SIGTERM)


if __name__ == "__main__":
    threading.Thread(target=_end_with_input, daemon=True).start()
    collect_apart()

    from prefect.cli import app

    app()
