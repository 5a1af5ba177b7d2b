"""Manifests of releases that a test changes so that they hold again: only what the test is about is wrong."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from schemas.contract import SUMS
from schemas.manifests import FileEntry
from tasks.core.export import digest


def rewrite_manifest(
    release: str | Path, change: Callable[[dict[str, Any]], object], *, with_sums: bool = True
) -> None:
    """Change the fields of a manifest in place, and give it the digest that they have then, and SHA256SUMS, too."""
    path = Path(release, "manifest.json")
    fields = json.loads(path.read_text())
    change(fields)
    if with_sums and SUMS in fields["files"]:
        entries = {name: FileEntry(**entry) for name, entry in fields["files"].items()}
        data = digest.sums(entries).encode()
        Path(release, SUMS).write_bytes(data)
        fields["files"][SUMS].update(sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))
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
