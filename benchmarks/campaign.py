"""What the campaigns against the museum share: the museum as a process of its own, builds that are watched, its log."""

import json
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.results import ROOT

Visit = dict[str, Any]


@contextmanager
def museum(log: Path, *options: str) -> Iterator[str]:
    """The museum's URL while it is open."""
    command = [sys.executable, "-m", "flows.cli", "museum", "serve", "--log", str(log), *options]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        if not said.startswith("museum: http"):
            raise SystemExit(f"expected the museum to open, got '{said}'")
        yield said.removeprefix("museum: ").strip()
    finally:
        process.terminate()
        process.wait()


def command(word: str, recipe: Path, store: Path, url: str, *options: str) -> list[str]:
    """A command line of ours that asks the museum in place of every host."""
    bound = ["--bind", f"origins=*={url}", "--bind", "contact=curator@museum.example"]
    return [sys.executable, "-m", "flows.cli", word, str(recipe), "--store", str(store), *bound, *options]


def watched(words: list[str], most_letters: int = 6000) -> tuple[int, float, float, str]:
    """Exit status, seconds, peak resident memory in MB of the process itself, and the end of what it said."""
    began = time.monotonic()
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said: list[str] = []
    reader = threading.Thread(target=lambda: said.extend(process.stdout or ()), daemon=True)
    reader.start()
    peak_mb = 0.0
    while process.poll() is None:
        peak_mb = max(peak_mb, _peak_mb(process.pid))
        time.sleep(0.2)
    reader.join()
    return process.returncode, time.monotonic() - began, peak_mb, "".join(said)[-most_letters:]


def _peak_mb(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


def visits(log: Path, skip: int = 0) -> list[Visit]:
    """The museum's log from a line on, in the order of arrival."""
    lines = log.read_text(encoding="utf-8").splitlines()[skip:]
    return sorted((json.loads(line) for line in lines if line.endswith("}")), key=lambda visit: visit["at_s"])


def busiest(found: list[Visit], window_s: float) -> dict[str, int]:
    """For each host, the most requests that arrived within a window."""
    times: dict[str, list[float]] = defaultdict(list)
    for visit in found:
        times[visit["host"]].append(visit["at_s"])
    return {host: _most_within(at, window_s) for host, at in times.items()}


def _most_within(at: list[float], window_s: float) -> int:
    most, start = 0, 0
    for end, moment in enumerate(at):
        while moment - at[start] >= window_s:
            start += 1
        most = max(most, end - start + 1)
    return most


def broken_pauses(found: list[Visit], kind: str, pause_s: float, grace_s: float) -> int:
    """Requests that came to a host in the pause that it had asked for: later than `grace_s`, which what was under way
    when it asked may take, and before the pause was over."""
    until: dict[str, tuple[float, float]] = {}
    broken = 0
    for visit in found:
        begins_s, ends_s = until.get(visit["host"], (0.0, 0.0))
        broken += begins_s < visit["at_s"] < ends_s
        if visit["fault"] == kind:
            until[visit["host"]] = (visit["at_s"] + grace_s, max(ends_s, visit["at_s"] + pause_s))
    return broken


def release_of(store: Path, name: str) -> Path:
    """The folder of the newest release."""
    folder = store / "releases" / name
    return folder / (folder / "latest").read_text(encoding="utf-8").strip()


def table(release: Path, name: str, columns: list[str] | None = None) -> list[dict[str, Any]]:
    """Rows of one of the release's tables."""
    return pq.read_table(release / f"{name}.parquet", columns=columns).to_pylist()
