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
    fields["manifest_sha256"] = digest.manifest_digest(fields)
    path.write_text(json.dumps(fields, indent=1, ensure_ascii=False), encoding="utf-8")


def write_manifest(folder: Path) -> None:
    """A manifest that lists the files of the release."""
    found = [path.name for path in (*folder.glob("*.parquet"), *folder.glob("*.yaml"))]
    fields = {
        **dict.fromkeys(("name", "version", "split_sha256", "content_sha256", "recipe_sha256"), "x"),
        "contract_version": "2.1.0",
        **{"previous": None, "lineage": 1, "counts": {}, "content": {}, "environment": {}},
        "files": {name: {"sha256": "0" * 64, "bytes": 0} for name in found},
    }
    (folder / "manifest.json").write_text(json.dumps(fields))
