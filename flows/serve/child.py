"""A module's command, as a process that ends with the one that has started it, however that one ends.

The starter holds one end of a pipe, this process waits at the other: when the starter ends, even by `kill -9`, the
system closes its end. The process leads a group of its own, so that the runs of a worker end with the worker: at once,
since a run that has the time to say so would be shown as crashed, and not be started again.

    python child.py GRACE_S MODULE WORDS ...
"""

import os
import runpy
import signal
import subprocess
import sys
import threading


def _end_with_input(grace_s: float) -> None:
    """End once the input does: this process has so long to end by itself, then all of its group are killed."""
    os.read(0, 1)
    if grace_s:
        # from outside of the group: this process may end before the others do
        kill = f"sleep {grace_s}; kill -s KILL -- -{os.getpgid(0)} 2> /dev/null"
        subprocess.Popen(["/bin/sh", "-c", kill], env={}, start_new_session=True)
        os.kill(os.getpid(), signal.SIGTERM)
    else:
        os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    threading.Thread(target=_end_with_input, args=(float(sys.argv.pop(1)),), daemon=True).start()
    runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
