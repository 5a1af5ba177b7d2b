"""Manifests of releases that a test changes so that they hold again: only what the test is about is wrong."""

import contextlib
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from schemas.contract import CROISSANT, SUMS
from schemas.errors import BadInput, DamagedFile
from schemas.manifests import FileEntry, ReleaseManifest
from tasks.core.export import digest
from tasks.io.store.releases import Release
from tasks.subjects.croissant import croissant_of


def rewrite_manifest(
    release: str | Path,
    change: Callable[[dict[str, Any]], object],
    *,
    with_sums: bool = True,
    with_croissant: bool = True,
) -> None:
    """Change the fields of a manifest in place, and give it the digest that they have then, and SHA256SUMS and
    croissant.json, too.
    """
    path = Path(release, "manifest.json")
    fields = json.loads(path.read_text())
    change(fields)
    if with_croissant and CROISSANT in fields["files"]:
        with contextlib.suppress(BadInput, DamagedFile, ValidationError):  # of what no release has it can't be written
            manifest = ReleaseManifest.model_validate(fields)
            modified = manifest.amended.date if manifest.amended else None
            _put(Path(release), fields, CROISSANT, croissant_of(_read(release, manifest), manifest, modified))
    if with_sums and SUMS in fields["files"]:
        entries = {name: FileEntry(**entry) for name, entry in fields["files"].items()}
        _put(Path(release), fields, SUMS, digest.sums(entries).encode())
    fields["manifest_sha256"] = digest.manifest_digest(fields)
    path.write_text(json.dumps(fields, indent=1, ensure_ascii=False), encoding="utf-8")


def _read(release: str | Path, manifest: ReleaseManifest) -> Release:
    found = Release(str(release))
    found.manifest = manifest
    return found


def _put(folder: Path, fields: dict[str, Any], path: str, data: bytes) -> None:
    (folder / path).write_bytes(data)
    fields["files"][path].update(sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))


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
