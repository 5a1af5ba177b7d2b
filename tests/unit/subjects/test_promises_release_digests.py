"""Digests of a release's tables: whatever wrote its files."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.errors import DamagedFile
from tasks.core.export import digest
from tasks.io.store.releases import Release
from tasks.subjects.promises import table_digest
from tests.support.manifests import write_manifest

IMAGES = pa.table(
    {
        "record_id": ["a", "b", "c", "d"],
        "style": ["Cubism", None, "Cubism", ""],
        "styles": [["x"], [], ["x", "y"], [""]],
        "retrieved_at": [1, 2, 3, 4],
        "image": [{"bytes": b"1", "path": "media/1.png"}, *[{"bytes": None, "path": None}] * 3],
    }
)


@pytest.fixture
def release(tmp_path: Path) -> Release:
    """A release whose images lie in two files, in another order than their keys', written in two ways."""
    (tmp_path / "images").mkdir()
    as_dictionary = IMAGES["style"].combine_chunks().dictionary_encode()
    pq.write_table(IMAGES.slice(2), tmp_path / "images/train-00000-of-00001.parquet", row_group_size=1)
    first = IMAGES.set_column(1, "style", as_dictionary).take([1, 0])
    pq.write_table(first, tmp_path / "images/val-00000-of-00001.parquet")
    write_manifest(tmp_path)
    return by_contract(Release(str(tmp_path)), "2.1.0")


def by_contract(release: Release, version: str) -> Release:
    files = {path: {"sha256": "0" * 64, "bytes": 0} for path in release.paths() if path.endswith(".parquet")}
    fields: dict[str, Any] = {**release.manifest.model_dump(), "contract_version": version, "files": files}
    release.manifest = type(release.manifest).model_validate(fields)
    return release


def test_files_and_their_order_make_no_difference(release: Release):
    assert table_digest(release, "images") == digest.table_digest(IMAGES.column_names, IMAGES.column, "record_id")


def test_image_bytes_are_not_read(release: Release):
    read = release.column_reader("images")("image")
    assert read.type == pa.struct([("path", pa.string())])


def test_a_column_that_one_file_lacks_is_damage(release: Release):
    path = "images/val-00000-of-00001.parquet"
    pq.write_table(IMAGES.slice(0, 2).drop_columns("style"), Path(release.root, path))
    with pytest.raises(DamagedFile, match=f"expected {path} in release x to be .*, got no column style"):
        table_digest(release, "images")
    pq.write_table(IMAGES.slice(0, 2).append_column("more", pa.array([1, 2])), Path(release.root, path))
    with pytest.raises(DamagedFile, match=r"train-00000-of-00001\.parquet .* got no column more"):
        table_digest(release, "images")


def test_a_column_of_two_types_has_no_digest(release: Release):
    path = Path(release.root, "images/val-00000-of-00001.parquet")
    pq.write_table(IMAGES.slice(0, 2).set_column(1, "style", pa.array([1, 2])), path)
    with pytest.raises(ValueError, match="expected one type in all files"):
        table_digest(release, "images")


def test_a_number_that_is_none_has_no_digest(tmp_path: Path):
    pq.write_table(pa.table({"record_id": ["a"], "x": [float("nan")]}), tmp_path / "ledger.parquet")
    write_manifest(tmp_path)
    with pytest.raises(ValueError, match="x: expected finite numbers, got nan"):
        table_digest(by_contract(Release(str(tmp_path)), "2.1.0"), "ledger")
