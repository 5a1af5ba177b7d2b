"""Settings of libraries that must stand in the environment before these are imported."""

import os

_SETTINGS = {
    # no telemetry, time enough to start on a slow disk, no tracebacks in the terminal
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "300",
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
    "DO_NOT_TRACK": "1",
    # freed memory goes back to the system at once: a tenth less at the peak of a build, in the same time
    "MIMALLOC_PURGE_DELAY": "0",
}


def set_environment() -> None:
    """Before Prefect and pyarrow are imported; what somebody has set stays."""
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
