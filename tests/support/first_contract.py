"""A release as earlier versions of the program wrote it, by contract 1."""

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
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
    listed = {
        _first_path(path): entry.rows for path, entry in manifest.files.items() if not path.startswith("contract/")
    }
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
    late = {"rights_spdx", "source_coco", "source_area_px2", "segmentation", *without}
    release = Release(str(folder))
    content = {}
    for table in digest.content_tables(release.manifest.files):
        key = digest.PRIMARY_KEYS[table]
        written = [_to_first_file(folder, path, key, late) for path in release.parts(table)]
        content[table] = row_digest.table_digest([batch for rows in written for batch in rows.to_batches()], key)
    text = yaml.safe_load(contracts.first_text())
    columns = [column for column in text["tables"]["images"]["columns"] if column["name"] not in late]
    text["tables"]["images"]["columns"] = columns
    (folder / "contract.yaml").write_text(yaml.safe_dump({**text, "version": version}), encoding="utf-8")
    shutil.rmtree(folder / "contract")
    whole_sha256 = digest.content_digest(content)
    name = digest.version(whole_sha256, release.manifest.recipe_sha256, version)
    for path in release.manifest.files:
        if path.startswith("coco/") and not path.endswith(".detections.json"):
            _to_first_coco(folder / path, name)
    return {"contract_version": version, "content": content, "content_sha256": whole_sha256, "version": name}


def _to_first_file(folder: Path, path: str, key: str, late: set[str]) -> pa.Table:
    """Rows without late columns, sorted by their key, where contract 1 has them."""
    whole = pq.ParquetFile(folder / path).read()
    rows = whole.select([name for name in whole.column_names if name not in late]).sort_by(key)
    (folder / path).unlink()
    target = folder / _first_path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows, target)
    return rows


def _first_path(path: str) -> str:
    part = parse_part(path)
    return path if part is None else f"{part.table}/split={part.split}/part-{part.number:05}.parquet"


def _to_first_coco(path: Path, version: str) -> None:
    """Licences are called as their addresses end."""
    document = json.loads(path.read_text(encoding="utf-8"))
    document["info"]["version"] = version
    for entry in document["licenses"]:
        entry["name"] = entry["url"].rstrip("/").rsplit("/", 1)[-1]
    path.write_text(json.dumps(document), encoding="utf-8")
