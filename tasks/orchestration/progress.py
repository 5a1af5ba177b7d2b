"""How far a stage is: a bar on a terminal, lines in a log, an artifact on Prefect's page."""

import contextlib
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from uuid import UUID

from prefect.artifacts import create_progress_artifact, update_progress_artifact
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from schemas.manifests import Context
from tasks.orchestration import reports

_ARTIFACT_EVERY_S, _ARTIFACT_AFTER_S = 1.0, 30.0
"""For each hundredth of the work, and else: the server keeps an event of every change, and a scrape may take a week."""

LINE_EVERY_S = 30.0
"""At most so often a line says how far the work is, where no bar is shown."""


@contextlib.contextmanager
def progress(label: str, total: int, context: Context | None = None) -> Iterator[Callable[..., str]]:
    """A bar, or lines in a log, and an artifact of Prefect. Gives advance(rows, line) -> ", about 4 min left"."""
    artifact = _Artifact(label, total, context)
    console = Console(stderr=True)
    is_main = threading.current_thread() is threading.main_thread()  # bars of several sources at once would tear
    name = TextColumn("{task.description:>14}")
    columns = (name, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not (sys.stderr.isatty() and is_main)) as bar:
        bar_task, done = bar.add_task(label, total=total), 0
        began_s = printed_s = time.monotonic()

        def advance(rows: int, line: str = "") -> str:
            nonlocal done, printed_s
            done += rows
            now_s = time.monotonic()
            left_s = (now_s - began_s) / done * (total - done) if done else 0.0
            left = f", about {time_left(left_s)} left" if left_s >= 1 else ""
            if line:
                console.print(line, highlight=False)
            bar.advance(bar_task, rows)
            artifact.advance(rows, left)
            if bar.disable and done and now_s - printed_s > LINE_EVERY_S:
                printed_s = now_s
                console.print(f"{label}: {done} of {total}{left}", highlight=False)
            return left

        yield advance


def time_left(seconds: float) -> str:
    """A time as people say it.

    >>> time_left(8), time_left(95), time_left(5400), time_left(400_000)
    ('8 s', '2 min', '1.5 h', '4.6 days')
    """
    for unit, length_s, most in (("s", 1, 60), ("min", 60, 90), ("h", 3600, 48)):
        if seconds < length_s * most:
            return f"{seconds / length_s:.{int(unit == 'h')}f} {unit}"
    return f"{seconds / 86_400:.1f} days"


def artifact_key(*words: str) -> str:
    """The key of an artifact, which may have small letters, digits and hyphens only.

    >>> artifact_key("museum", "progress", "has_a_figure")
    'museum-progress-has-a-figure'
    """
    return re.sub("[^a-z0-9]+", "-", "-".join(word for word in words if word).lower()).strip("-")


class _Artifact:
    """The stage's progress on Prefect's page, written seldom enough to cost nothing."""

    def __init__(self, label: str, total: int, context: Context | None) -> None:
        self._label, self._done, self._total, self._left = label, 0, total, ""
        self._key = artifact_key(context.dataset if context else "", "progress", label)
        self._id: UUID | None = None
        self._is_shown = not (context and context.plan)
        self._report()

    def advance(self, rows: int, left: str) -> None:
        self._done, self._left = self._done + rows, left
        is_hundredth = 100 * (self._done - self._written) >= self._total
        rest_s = _ARTIFACT_EVERY_S if is_hundredth else _ARTIFACT_AFTER_S
        if self._done == self._total or time.monotonic() - self._written_s > rest_s:
            self._report()

    def _report(self) -> None:
        self._written, self._written_s = self._done, time.monotonic()
        if self._is_shown:
            reports.report(self._key, self._write)

    def _write(self) -> None:
        percent = 100.0 * self._done / max(self._total, 1)
        description = f"{self._label}: {self._done:,} of {self._total:,}{self._left}"
        if self._id is not None:
            update_progress_artifact(self._id, progress=percent, description=description)
            return
        created = create_progress_artifact(progress=percent, key=self._key, description=description)
        self._id = created if isinstance(created, UUID) else None
