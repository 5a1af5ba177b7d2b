"""A release that is amended: only what changes is written, nothing on a dry run, and the manifest at last."""

import json
import uuid
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from schemas.errors import DamagedFile
from schemas.manifests import ReleaseManifest
from tasks.io.store.amend import ReleaseEditor
from tasks.io.store.drafts import Draft
from tasks.io.store.releases import Release
from tasks.io.store.store import Store, parquet_bytes

IMAGES = pa.schema([("record_id", pa.string()), ("image", pa.struct([("bytes", pa.binary()), ("path", pa.string())]))])
ROWS = [{"record_id": f"a:{number}", "image": {"bytes": b"x" * number, "path": None}} for number in range(4)]
PATH = "images/train-00000-of-00001.parquet"


@pytest.fixture(params=["local", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return Store(str(tmp_path / "store") if request.param == "local" else f"memory://{uuid.uuid4().hex}/store")


@pytest.fixture
def release(store: Store) -> Release:
    """Images in two row groups of two, a COCO file and a text."""
    with Draft(store) as draft:
        table = pa.Table.from_pylist(ROWS, IMAGES)
        draft.write_parquet(PATH, [table.slice(0, 2), table.slice(2)], IMAGES)
        draft.write_json("coco/train.json", {"images": [{"id": 1}]})
        draft.write("README.md", b"# Art\n")
        manifest = ReleaseManifest(
            name="art",
            version="aaaabbbbcccc",
            previous=None,
            lineage=0,
            split_sha256="0" * 64,
            contract_version="2.1.0",
            content_sha256="1" * 64,
            recipe_sha256="2" * 64,
            counts={"records": 4},
            content={},
            files=dict(draft.files),
            environment={},
        )
        return Release(draft.publish(manifest))


def without(*names: str):
    return lambda table: table.filter(pc.invert(pc.is_in(table["record_id"], value_set=pa.array(names, pa.string()))))


def contents(release: Release) -> dict[str, bytes]:
    return {path: release.read(path) for path in release.paths()}


def rows(release: Release) -> list[str]:
    return release.table(PATH, but="image")["record_id"].to_pylist()


@pytest.mark.parametrize("is_dry", [True, False])
def test_where_nothing_changes_nothing_is_written(store, release, is_dry):
    before = contents(release)
    editor = ReleaseEditor(store, release, is_dry=is_dry)
    editor.table(PATH, without("a:9"))
    editor.text("README.md", lambda data: data)
    editor.json("coco/train.json", lambda value: value)
    editor.remove("nosuch.html")
    assert editor.lost_rows == {}
    assert contents(release) == before


def test_a_dry_run_says_what_would_change_and_changes_nothing(store, release):
    before = contents(release)
    editor = ReleaseEditor(store, release, is_dry=True)
    editor.table(PATH, without("a:0", "a:3"))
    editor.text("README.md", lambda data: data + b"less\n")
    editor.remove("coco/train.json")
    editor.close(lambda: release.manifest.model_copy(update={"lineage": 9}))
    assert editor.lost_rows == {PATH: 2, "README.md": 0, "coco/train.json": 0}
    assert contents(release) == before


def test_rows_go_and_the_bytes_of_the_others_stay(store, release):
    editor = ReleaseEditor(store, release, is_dry=False)
    editor.table(PATH, without("a:1"))
    assert editor.lost_rows == {PATH: 1}
    assert rows(release) == ["a:0", "a:2", "a:3"]
    assert [row["image"]["bytes"] for row in release.table(PATH).to_pylist()] == [b"", b"xx", b"xxx"]


def test_a_row_group_that_loses_all_its_rows_is_no_group(store, release):
    ReleaseEditor(store, release, is_dry=False).table(PATH, without("a:0", "a:1"))
    with release.fs.open(f"{release.root}/{PATH}", "rb") as file:
        assert pq.ParquetFile(file).metadata.num_row_groups == 1
    assert rows(release) == ["a:2", "a:3"]


def test_a_table_that_loses_all_its_rows_keeps_its_columns(store, release):
    editor = ReleaseEditor(store, release, is_dry=False)
    editor.table(PATH, without("a:0", "a:1", "a:2", "a:3"))
    assert editor.lost_rows == {PATH: 4}
    assert rows(release) == []
    assert release.schema(PATH).names == IMAGES.names


def test_a_text_that_is_not_there_begins_empty_and_json_is_written_as_releases_write_it(store, release):
    editor = ReleaseEditor(store, release, is_dry=False)
    editor.text("notes.txt", lambda data: data + b"one\n")
    editor.json("coco/train.json", lambda value: {"z": "é", **value, "images": []})
    assert release.read("notes.txt") == b"one\n"
    assert release.read("coco/train.json") == '{"images":[],"z":"é"}'.encode()
    assert json.loads(release.read("coco/train.json")) == {"images": [], "z": "é"}


def test_the_rows_that_a_file_has_lost_are_not_forgotten_by_a_later_change(store, release):
    editor = ReleaseEditor(store, release, is_dry=False)
    editor.table(PATH, without("a:1"))
    editor.text(PATH, lambda data: data + b" ")
    assert editor.lost_rows == {PATH: 1}


def test_until_the_manifest_is_written_the_release_is_not_whole(store, release):
    editor = ReleaseEditor(store, release, is_dry=False)
    editor.table(PATH, without("a:1"))
    editor.remove("README.md")
    assert not Release(release.url).is_intact()
    entries = editor.entries()
    assert sorted(entries) == ["coco/train.json", PATH]
    assert [entries[path].rows for path in sorted(entries)] == [None, 3]
    editor.close(lambda: release.manifest.model_copy(update={"files": entries}))
    again = Release(release.url)
    assert again.is_intact()
    assert again.manifest.files == entries


def write_again(store: Store, release: Release, path: str, data: bytes) -> None:
    store.write_bytes(f"releases/art/aaaabbbbcccc/{path}", data)


def test_of_a_dictionary_only_the_values_stay_that_are_left(store, release):
    table = pa.table({"record_id": pa.array([f"a:{number}" for number in range(4)]).dictionary_encode()})
    write_again(store, release, "notes.parquet", parquet_bytes(table))
    ReleaseEditor(store, release, is_dry=False).table("notes.parquet", without("a:1"))
    found = release.table("notes.parquet")["record_id"].combine_chunks()
    assert (found.to_pylist(), found.dictionary.to_pylist()) == (["a:0", "a:2", "a:3"],) * 2
    assert b"a:1" not in release.read("notes.parquet")


def test_what_is_not_a_number_is_no_change(store, release):
    table = pa.table({"record_id": ["a:0"], "score": [float("nan")], "scores": [[float("nan")]]})
    write_again(store, release, "notes.parquet", parquet_bytes(table))
    editor = ReleaseEditor(store, release, is_dry=False)
    editor.table("notes.parquet", without("a:1"))
    assert editor.lost_rows == {}


@pytest.mark.parametrize("is_dry", [True, False])
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"{", id="no JSON"),
        pytest.param(b"\xff\xfe\x00", id="no text"),
        pytest.param(b"[" * 100_000 + b"]" * 100_000, id="deep"),
        pytest.param(b"[]", id="another shape"),
    ],
)
def test_json_that_is_none_is_damage(store, release, data, is_dry):
    def change(value):
        if not isinstance(value, dict):
            raise ValueError(f"{value} in place of an object")
        return value

    write_again(store, release, "coco/train.json", data)
    with pytest.raises(DamagedFile, match=r"expected coco/train.json in release aaaabbbbcccc to be .*, got "):
        ReleaseEditor(store, release, is_dry=is_dry).json("coco/train.json", change)
    assert release.read("coco/train.json") == data


@pytest.mark.parametrize("is_dry", [True, False])
def test_a_table_of_other_types_is_damage_before_anything_is_written(store, release, is_dry):
    write_again(store, release, PATH, parquet_bytes(pa.table({"record_id": ["a:0", "a:1"], "image": [7, 8]})))
    before = release.read(PATH)
    with pytest.raises(DamagedFile, match="got image as int64, not as struct"):
        ReleaseEditor(store, release, is_dry=is_dry).table(PATH, without("a:1"))
    assert release.read(PATH) == before


def test_what_a_file_says_of_itself_stays(store: Store, release: Release):
    said = IMAGES.with_metadata({"huggingface": "{}"})
    with Draft(store) as draft:
        draft.write_parquet(PATH, [pa.Table.from_pylist(ROWS, IMAGES)], said, ["record_id"])
        files = dict(draft.files)
        url = draft.publish(release.manifest.model_copy(update={"version": "ddddeeeeffff", "files": files}))
    other = Release(url)
    before = other.schema(PATH)
    assert before.metadata == said.metadata
    assert before.field("record_id").metadata[b"description"]
    ReleaseEditor(store, other, is_dry=False).table(PATH, without("a:1"))
    with other.open_parquet(PATH) as parquet:
        assert parquet.metadata.num_rows == 3
        assert parquet.schema_arrow.equals(before, check_metadata=True)
        assert [one.column_index for one in parquet.metadata.row_group(0).sorting_columns] == [0]
