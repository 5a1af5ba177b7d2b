"""How a measurement is written down: with its command, date, commit, machine and versions, so that it can be
repeated.
"""

import contextlib
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_LIBRARIES = (
    "prefect",
    "pyarrow",
    "pillow",
    "imagehash",
    "numpy",
    "onnxruntime",
    "opencv-contrib-python-headless",
    "pycocotools",
    "torch",
    "torchvision",
    "numba",
)


def write(
    name: str,
    rows: list[dict[str, Any]],
    ratios: dict[str, float],
    device: dict[str, Any] | None = None,
    path: Path | None = None,
) -> Path:
    """Write benchmarks/results/<name>.json, print the rows as a Markdown table, and return the path.

    device: what is to be said of a GPU. path: another place, for trials.
    """
    found = {
        "name": name,
        "command": " ".join([f"python -m benchmarks.{_module()}", *map(_without_folders, sys.argv[1:])]),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit(),
        "machine": {
            "cores": os.cpu_count(),
            "memory_gib": _memory_gib(),
            "processor": _processor(),
            "system": platform.system(),
            **({"device": device} if device else {}),
        },
        "versions": {"python": platform.python_version(), **_versions()},
        "rows": rows,
        "ratios": ratios,
    }
    path = path or ROOT / "benchmarks" / "results" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(markdown(rows))
    print(json.dumps(ratios))
    return path


def commit() -> str:
    """The commit that is checked out; nothing where there is no git, or this is no clone."""
    return _git("rev-parse", "HEAD")


def child(module: str, python: Path | str, *words: object) -> dict[str, Any]:
    """What a side of a comparison prints as its last line, JSON, when it runs as a process of its own.

    Raises SystemExit if it fails.
    """
    done = subprocess.run([str(python), "-m", module, *map(str, words)], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"expected '{words[0]}' to end well, got status {done.returncode}: {done.stderr[-2000:]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def markdown(rows: list[dict[str, Any]]) -> str:
    """Rows of equal keys as a Markdown table."""
    names = list(rows[0]) if rows else []
    lines = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    return "\n".join([*lines, *(f"| {' | '.join(str(row[name]) for name in names)} |" for row in rows)])


def even(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """list[dict[str, Any]] that all have the same keys, in the order in which they first come.

    What a row lacks is an empty text.
    """
    names = dict.fromkeys(name for row in rows for name in row)
    return [{name: row.get(name, "") for name in names} for row in rows]


def _module() -> str:
    """Of this folder, what was started: a file, or a package's `__main__`."""
    started = Path(sys.argv[0])
    return started.parent.name if started.stem == "__main__" else started.stem


def _without_folders(argument: str) -> str:
    """An argument without this machine's folders, which say nothing to anybody else."""
    name, separator, value = argument.rpartition("=")
    return f"{name}{separator}<{Path(value).name}>" if Path(value).is_absolute() or value.startswith("..") else argument


def _versions() -> dict[str, str]:
    """Of those libraries that are here: a GPU machine may have torch and little else."""
    found = {}
    for library in _LIBRARIES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[library] = importlib.metadata.version(library)
    return found


def _git(*words: str) -> str:
    """What git says; nothing where there is no git, or this is no clone."""
    try:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def _memory_gib() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
