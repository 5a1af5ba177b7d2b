"""Prefect's temporary server, which serves one command where there is no other."""

import signal
import threading


def start() -> None:
    """Start it, if the coming flow would, so that Ctrl-C does not end it: the flow has yet to tell it that it was
    interrupted.

    A terminal sends an interrupt to all programs of the command. What is started while interrupts are blocked is born
    deaf to them; Prefect ends it when the command ends, by another signal.
    """
    from prefect.client.orchestration import get_client

    if threading.current_thread() is not threading.main_thread():  # whom no interrupt reaches
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        get_client(sync_client=True)  # without one elsewhere, asking for it starts a server here
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
