"""Single images of a release."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.manifests import FileEntry, ReleaseManifest
from tasks.io.store.release_images import image_bytes
from tasks.io.store.releases import Release

SHAS = ["a" * 64, "b" * 64, "c" * 64]


def release(folder: Path, *, is_embedded: bool) -> Release:
    (folder / "images").mkdir()
    (folder / "media/aa").mkdir(parents=True)
    (folder / f"media/aa/{SHAS[0]}.jpg").write_bytes(b"a file")
    image = [{"bytes": sha256[:3].encode() if is_embedded else None, "path": "../../x"} for sha256 in SHAS]
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    table = pa.table({"sha256": SHAS, "image": pa.array(image, kind)})
    pq.write_table(table, folder / "images/train-00000-of-00001.parquet", row_group_size=2)
    entry = FileEntry(sha256="", bytes=6)
    paths = [f"media/aa/{SHAS[0]}.jpg", "images/train-00000-of-00001.parquet"]
    manifest = ReleaseManifest(
        **dict.fromkeys(("name", "version", "split_sha256", "content_sha256", "recipe_sha256"), ""),
        contract_version="2.1.0",
        previous=None,
        lineage=1,
        counts={},
        content={},
        files=dict.fromkeys(paths, entry),
        environment={},
    )
    (folder / "manifest.json").write_text(manifest.model_dump_json(), encoding="utf-8")
    return Release(str(folder))


def test_an_image_is_read_from_its_file_or_from_the_table(tmp_path):
    found = image_bytes(release(tmp_path, is_embedded=True), {SHAS[0], SHAS[2], "d" * 64}, 1000)
    assert found == {SHAS[0]: b"a file", SHAS[2]: b"ccc"}


def test_what_the_release_does_not_hold_is_left_out(tmp_path):
    assert image_bytes(release(tmp_path, is_embedded=False), {*SHAS}, 1000) == {SHAS[0]: b"a file"}


def test_what_would_be_too_large_is_not_read(tmp_path):
    assert image_bytes(release(tmp_path, is_embedded=True), {*SHAS}, 5) == {}
