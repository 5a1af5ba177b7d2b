"""A run whose worker was killed goes on: what it prints goes nowhere, since the worker was the one who read it.

Without this, the next line would end the run: whoever writes where nobody reads any more gets an error.
"""

import os
import select
import sys
import threading


def outlive_reader() -> None:
    """Print into nothing once nobody reads: for a process that Prefect has started for a run."""
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None:
            threading.Thread(target=_watch, args=(stream.fileno(),), name="output", daemon=True).start()


def _watch(output: int) -> None:
    poll = select.poll()
    poll.register(output, 0)  # errors alone, such as that a pipe has lost its reader
    if any(event & select.POLLERR for _, event in poll.poll()):
        os.dup2(os.open(os.devnull, os.O_WRONLY), output)
