"""A small release of made-up files, to be written, read and damaged."""

from pathlib import Path

import pyarrow as pa
import pytest

from schemas.manifests import FileEntry, ReleaseManifest
from schemas.tables import LEDGER
from tasks.io.store.drafts import Draft
from tasks.io.store.releases import Release
from tasks.io.store.store import Store

LEDGER_ROWS = pa.Table.from_pylist(
    [{"record_id": f"a:{n}", "source": "a", "kept": n == 1, "image_id": n} for n in (1, 2)], LEDGER
)


def manifest(
    files: dict[str, FileEntry], version: str = "aaaabbbbcccc", previous: str | None = None
) -> ReleaseManifest:
    return ReleaseManifest(
        name="art",
        version=version,
        previous=previous,
        lineage=0,
        split_sha256="0" * 64,
        contract_version="2.1.0",
        content_sha256="1" * 64,
        recipe_sha256="2" * 64,
        counts={"records": 2},
        content={},
        files=files,
        environment={},
    )


def write(draft: Draft, text: str = "# Art\n") -> None:
    draft.write("README.md", text.encode())
    draft.write_json("coco/train.json", {"images": []})
    draft.write_parquet("ledger.parquet", [LEDGER_ROWS.slice(0, 1), LEDGER_ROWS.slice(1)], LEDGER)


def published(
    store: Store, version: str = "aaaabbbbcccc", previous: str | None = None, text: str = "# Art\n"
) -> Release:
    with Draft(store) as draft:
        write(draft, text)
        return Release(draft.publish(manifest(dict(draft.files), version, previous)))


def below(store: Store, folder: str) -> list[str]:
    full = store.full(folder)
    return sorted(path[len(full) + 1 :] for path in store.fs.find(full)) if store.fs.exists(full) else []


def left_over(store: Store, tmp_path: Path) -> list[Path]:
    """What unfinished drafts left, wherever this store's drafts lie."""
    return [path for folder in (tmp_path / "drafts", tmp_path / "store" / "tmp") for path in folder.glob("*")]


def flip(store: Store, path: str) -> None:
    """Another bit in the middle of a file."""
    data = bytearray(store.read_bytes(path))
    data[len(data) // 2] ^= 1
    store.fs.pipe_file(store.full(path), bytes(data))


DAMAGE = [
    pytest.param(lambda store, path: flip(store, path), id="one-bit"),
    pytest.param(lambda store, path: store.fs.pipe_file(store.full(path), b""), id="emptied"),
    pytest.param(lambda store, path: store.fs.pipe_file(store.full(path), store.read_bytes(path) + b" "), id="longer"),
    pytest.param(lambda store, path: store.fs.rm_file(store.full(path)), id="deleted"),
]
