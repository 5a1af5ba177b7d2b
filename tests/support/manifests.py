"""Manifests of releases that a test changes so that they hold again: only what the test is about is wrong."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tasks.core.export import digest


def rewrite_manifest(release: str | Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the fields of a release's manifest in place, and give it the digest that they have then."""
    path = Path(release, "manifest.json")
    fields = json.loads(path.read_text())
    change(fields)
    path.write_text(json.dumps({**fields, "manifest_sha256": digest.manifest_digest(fields)}))
