"""A release as earlier versions of the program wrote it, by contract 1."""

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import yaml

from schemas.manifests import ReleaseManifest
from schemas.part_names import parse_part
from tasks.core.export import digest, row_digest
from tasks.io.files import contracts
from tasks.io.store.releases import Release


def to_first_contract(folder: Path, version: str, without: tuple[str, ...] = ()) -> ReleaseManifest:
    """Make a release one of contract 1; its manifest, which is written without a digest of itself.

    Of one that is of contract 1 already, only the digests of files are written anew.

    without: columns of the images table that this version of the contract has not.
    """
    manifest = Release(str(folder)).manifest
    changes = _to_first_tables(folder, version, without) if manifest.contract_major > 1 else {}
    listed = {_first_name(path): each.rows for path, each in manifest.files.items() if not path.startswith("contract/")}
    files = {}
    for path in sorted({*listed, "contract.yaml"}):
        entry = Release(str(folder)).file_entry(path)
        assert entry is not None
        files[path] = entry.model_copy(update={"rows": listed.get(path)})
    manifest = manifest.model_copy(update={"files": files, "manifest_sha256": None, **changes})
    (folder / "manifest.json").write_text(manifest.model_dump_json(indent=1, exclude={"manifest_sha256"}))
    return manifest


def _first_name(path: str) -> str:
    """How contract 1 called a file: a folder for each split."""
    part = parse_part(path)
    return f"{part.table}/split={part.split}/part-{part.number:05}.parquet" if part else path


def _to_first_tables(folder: Path, version: str, without: tuple[str, ...]) -> dict[str, Any]:
    """Tables, contract and COCO files as contract 1 has them; what changes in the manifest, files apart."""
    late = {"rights_spdx", *without}
    release = Release(str(folder))
    for table in ("images", "annotations"):
        for part in release.parts(table):
            whole = pq.ParquetFile(folder / part).read().sort_by(digest.PRIMARY_KEYS[table])
            (folder / part).unlink()
            (folder / _first_name(part)).parent.mkdir()
            gone = sorted(late & {*whole.column_names})
            pq.write_table(whole.drop_columns(gone), folder / _first_name(part))
    text = yaml.safe_load(contracts.first_text())
    columns = [column for column in text["tables"]["images"]["columns"] if column["name"] not in late]
    text["tables"]["images"]["columns"] = columns
    (folder / "contract.yaml").write_text(yaml.safe_dump({**text, "version": version}), encoding="utf-8")
    shutil.rmtree(folder / "contract")
    parts = {table: [folder / _first_name(path) for path in release.parts(table)] for table in digest.PRIMARY_KEYS}
    content = {
        table: row_digest.digest_by_primary_key(
            (batch for path in parts[table] for batch in pq.ParquetFile(path).iter_batches()), key
        )
        for table, key in digest.PRIMARY_KEYS.items()
    }
    whole_sha256 = digest.content_digest(content)
    name = digest.version(whole_sha256, release.manifest.recipe_sha256, version)
    for path in release.manifest.files:
        if path.startswith("coco/") and not path.endswith(".detections.json"):
            _to_first_coco(folder / path, name)
    return {"contract_version": version, "content": content, "content_sha256": whole_sha256, "version": name}


def _to_first_coco(path: Path, version: str) -> None:
    """Licences are called as their addresses end."""
    document = json.loads(path.read_text(encoding="utf-8"))
    document["info"]["version"] = version
    for entry in document["licenses"]:
        entry["name"] = entry["url"].rstrip("/").rsplit("/", 1)[-1]
    path.write_text(json.dumps(document), encoding="utf-8")
