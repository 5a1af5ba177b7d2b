"""How far a stage is: a bar on a terminal, lines in a log, an artifact in Prefect's UI."""

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from uuid import UUID

from prefect.artifacts import create_progress_artifact, update_progress_artifact
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tasks.engine import reports

_ARTIFACT_EVERY_S = 1.0


LINE_EVERY_S = 30.0
"""Where no bar is shown (a log, several sources at once), a line says how far the work is, at most so often."""


@contextlib.contextmanager
def progress(label: str, total: int) -> Iterator[Callable[..., None]]:
    """A bar on a terminal, or lines in a log, and a progress artifact in Prefect's UI where a flow runs.

    Gives advance(rows, line): so many more rows are done; the line, if any, is printed.
    """
    artifact = _Artifact(label, total)
    console = Console(stderr=True)
    is_main = threading.current_thread() is threading.main_thread()  # bars of several sources at once would tear
    columns = (
        TextColumn("{task.description:>14}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not (sys.stderr.isatty() and is_main)) as bar:
        bar_task = bar.add_task(label, total=total)

        began_s = printed_s = time.monotonic()
        done = 0

        def advance(rows: int, line: str = "") -> None:
            nonlocal done, printed_s
            done += rows
            if line:
                console.print(line, highlight=False)
            bar.advance(bar_task, rows)
            artifact.advance(rows)
            if bar.disable and done and time.monotonic() - printed_s > LINE_EVERY_S:
                printed_s = time.monotonic()
                left_min = (printed_s - began_s) / done * (total - done) / 60
                console.print(f"{label}: {done} of {total}, about {left_min:.0f} min left", highlight=False)

        yield advance


class _Artifact:
    """The stage's progress in Prefect's UI, written at most once a second."""

    def __init__(self, label: str, total: int) -> None:
        self._label, self._done, self._total = label, 0, total
        self._written_s = time.monotonic()
        self._id: UUID | None = None
        reports.report(f"progress of {label}", self._write)

    def advance(self, rows: int) -> None:
        self._done += rows
        if time.monotonic() - self._written_s > _ARTIFACT_EVERY_S or self._done == self._total:
            self._written_s = time.monotonic()
            reports.report(f"progress of {self._label}", self._write)

    def _write(self) -> None:
        percent = 100.0 * self._done / self._total
        if self._id is not None:
            update_progress_artifact(self._id, progress=percent)
            return
        key, description = f"progress-{self._label}", f"{self._label}: {self._total} rows"
        created = create_progress_artifact(progress=percent, key=key, description=description)
        self._id = created if isinstance(created, UUID) else None
