"""Which code of this program a process has: a worker that has another one would store other results under our names.

The digest is taken when this module is imported, so that a worker that was started before the program was brought up to
date is told from one that was started after.
"""

import hashlib
from pathlib import Path

_PACKAGES = ("schemas", "tasks")


def _digest(root: Path) -> str:
    """SHA-256 of the names and bytes of all Python files that parts can run."""
    digest = hashlib.sha256()
    for file in sorted(file for package in _PACKAGES for file in (root / package).rglob("*.py")):
        digest.update(f"{file.relative_to(root).as_posix()}\n".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


_CODE = _digest(Path(__file__).resolve().parents[2])


def code_of_process() -> str:
    """The digest, as hex: equal where the code is."""
    return _CODE
