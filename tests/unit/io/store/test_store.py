"""The store: what lies in it proves itself when it is read, on a local folder and in fsspec's memory alike."""

import hashlib
import itertools
import os
import threading
import time
import tracemalloc
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import fsspec
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import BadInput, DamagedFile
from schemas.manifests import TableRef
from tasks.io.store import store as module
from tasks.io.store.layout import blob_path
from tasks.io.store.store import Store, parquet_bytes

TABLE = pa.table({"key": ["a", "b", "c"], "value": [1, None, 3]})
OTHER = pa.table({"key": ["a", "b", "c"], "value": [1, None, 4]})


@pytest.fixture(params=["local", "memory"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A place for a store, where nothing is yet."""
    if request.param == "local":
        yield str(tmp_path / "deep" / "store")
        return
    place = f"memory://{uuid.uuid4().hex}/store"
    yield place
    fs, root = fsspec.core.url_to_fs(place)
    if fs.exists(root):
        fs.rm(root, recursive=True)


def reopened(store: Store) -> Store:
    """The same store by another spelling, of which this process remembers no table."""
    return Store(f"{store.url}/")


def files(store: Store) -> dict[str, bytes]:
    """Every file in the store, below its root."""
    if not store.fs.exists(store.root):
        return {}
    return {path[len(store.root) + 1 :]: store.fs.cat_file(path) for path in store.fs.find(store.root)}


def one_sentence(problem: BadInput) -> bool:
    return "expected" in str(problem) and "got" in str(problem) and "\n" not in str(problem)


# --- damage


def _flipped(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


DAMAGE = [
    pytest.param(_flipped, id="one-bit"),
    pytest.param(lambda data: data[:-1], id="one-byte-short"),
    pytest.param(lambda data: data + b"\0", id="one-byte-long"),
    pytest.param(lambda data: b"", id="emptied"),
    pytest.param(lambda data: parquet_bytes(OTHER), id="another-table"),
    pytest.param(lambda data: None, id="deleted"),
]


def damage(store: Store, path: str, how: Callable[[bytes], bytes | None]) -> None:
    full = store.full(path)
    changed = how(store.fs.cat_file(full))
    store.fs.rm_file(full)
    if changed is not None:
        store.fs.pipe_file(full, changed)


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_table_is_noticed_removed_and_written_again(url, how):
    store = Store(url)
    ref = store.write_table("measures/hash/k", TABLE)
    damage(store, ref.path, how)

    with pytest.raises(DamagedFile, match=r"expected .* got"):
        reopened(store).read_table(ref)

    assert files(store) == {}
    assert store.write_table("measures/hash/k", TABLE) == ref
    assert reopened(store).read_table(ref) == TABLE


@pytest.mark.parametrize("how", DAMAGE)
def test_a_table_is_written_over_damage_that_nobody_has_noticed(url, how):
    store = Store(url)
    ref = store.write_table("measures/hash/k", TABLE)
    damage(store, ref.path, how)

    store.write_table("measures/hash/k", TABLE)

    assert reopened(store).read_table(ref) == TABLE


@pytest.mark.parametrize("how", DAMAGE)
def test_a_listing_passes_over_damaged_tables(url, how):
    """Even though this process has just written them and still remembers what they were."""
    store = Store(url)
    bad, good = store.write_table("k", TABLE), store.write_table("k", TABLE.slice(1))
    damage(store, bad.path, how)

    assert list(store.tables("k")) == [(good, TABLE.slice(1))]
    assert store.list_folder("k") == [f"{good.sha256}.parquet"]


def test_what_is_no_table_is_passed_over(url):
    store = Store(url)
    ref = store.write_table("k", TABLE)
    for name in ("notes.txt", "parquet", f"{ref.sha256}.parquet.tmp"):
        store.write_bytes(f"k/{name}", b"no table")
    store.write_bytes("k/folder.parquet/inside", b"a folder of such a name")

    assert [found for found, _ in store.tables("k")] == [ref]


@pytest.mark.parametrize("is_overlay", [False, True])
def test_a_blob_is_opened_where_it_lies_or_copied_from_where_it_lies(url, is_overlay):
    Store(url).write_blob(b"pixels")
    store = Store(url, is_overlay=is_overlay)
    for sha256 in (store.write_blob(b"pixels"), store.write_blob(b"more")):
        with store.open_blob(sha256) as file:
            data = file.read()
            assert hashlib.sha256(data).hexdigest() == sha256
            assert file.seek(0) == 0


@pytest.mark.parametrize("read", [Store.read_blob, Store.open_blob])
@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_blob_is_noticed_and_removed(url, how, read):
    store = Store(url)
    sha256 = store.write_blob(b"pixels")
    damage(store, blob_path(sha256), how)

    with pytest.raises(DamagedFile, match=r"expected .* got"):
        read(store, sha256)

    assert store.blob_sizes() == {}
    assert store.write_blob(b"pixels") == sha256
    assert store.read_blob(sha256) == b"pixels"


@pytest.mark.parametrize("how", [DAMAGE[1], DAMAGE[2], DAMAGE[3], DAMAGE[5]])
def test_a_blob_of_the_wrong_size_is_written_again(url, how):
    store = Store(url)
    sha256 = store.write_blob(b"pixels")
    damage(store, blob_path(sha256), how)

    store.write_blob(b"pixels")

    assert store.read_blob(sha256) == b"pixels"


# --- content addresses


def test_a_table_is_named_after_its_bytes(url):
    store = Store(url)

    ref = store.write_table("measures/hash/k", TABLE)

    assert ref.rows == 3
    assert files(store) == {f"measures/hash/k/{ref.sha256}.parquet": parquet_bytes(TABLE)}
    assert hashlib.sha256(parquet_bytes(TABLE)).hexdigest() == ref.sha256
    assert store.read_table(ref) == reopened(store).read_table(ref) == TABLE


def _with_notes(table: pa.Table) -> pa.Table:
    return table.replace_schema_metadata({"pandas": "{}", "written": "today"})


def _with_notes_on_a_column(table: pa.Table) -> pa.Table:
    noted = [field.with_metadata({"unit": "px"}) for field in table.schema]
    return table.cast(pa.schema(noted))


def _cut_out_of_more(table: pa.Table) -> pa.Table:
    return pa.concat_tables([OTHER, table, OTHER]).combine_chunks().slice(3, 3)


def _with_other_bytes_under_nulls(table: pa.Table) -> pa.Table:
    return table.set_column(1, "value", pa.array(np.array([1, 999, 3]), mask=np.array([False, True, False])))


@pytest.mark.parametrize(
    "same",
    [
        pytest.param(lambda table: pa.concat_tables([table.slice(0, 1), table.slice(1)]), id="chunks"),
        pytest.param(lambda table: pa.concat_tables([table.slice(0, 0), table]), id="empty-chunk"),
        pytest.param(_cut_out_of_more, id="slice"),
        pytest.param(_with_notes, id="metadata"),
        pytest.param(_with_notes_on_a_column, id="metadata-of-a-column"),
        pytest.param(_with_other_bytes_under_nulls, id="what-lies-under-a-null"),
        pytest.param(lambda table: pa.Table.from_pandas(table.to_pandas(types_mapper=None), table.schema), id="pandas"),
    ],
)
def test_equal_values_have_one_path(url, same):
    store = Store(url)

    assert store.write_table("k", same(TABLE)) == store.write_table("k", TABLE)
    assert len(files(store)) == 1


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(OTHER, id="value"),
        pytest.param(TABLE.select(["value", "key"]), id="order-of-columns"),
        pytest.param(TABLE.take([1, 0, 2]), id="order-of-rows"),
        pytest.param(TABLE.slice(0, 2), id="rows"),
        pytest.param(TABLE.set_column(1, "value", TABLE["value"].cast(pa.int32())), id="type"),
        pytest.param(TABLE.rename_columns(["key", "values"]), id="name"),
    ],
)
def test_other_values_have_another_path(other):
    assert parquet_bytes(other) != parquet_bytes(TABLE)


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "key": st.text(max_size=3),
            "phash": st.none() | st.integers(0, 2**64 - 1),
            "boxes": st.none() | st.lists(st.none() | st.floats(allow_nan=False), max_size=2),
        }
    ),
    max_size=9,
)
SCHEMA = pa.schema([("key", pa.string()), ("phash", pa.uint64()), ("boxes", pa.list_(pa.float64()))])


@settings(max_examples=60, deadline=None)
@given(ROWS, st.lists(st.integers(0, 9), max_size=3))
def test_any_table_comes_back_and_its_chunks_do_not_count(rows, cuts):
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    edges = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    pieces = pa.concat_tables([table.slice(begin, end - begin) for begin, end in itertools.pairwise(edges)])
    store = Store(f"memory://{uuid.uuid4().hex}")
    try:
        ref = store.write_table("k", pieces)

        assert ref == store.write_table("k", table)
        assert reopened(store).read_table(ref) == table
    finally:
        store.fs.rm(store.root, recursive=True)


@pytest.mark.parametrize("data", [b"", b"x", bytes(70_000)], ids=len)
def test_a_blob_is_named_after_its_bytes(url, data):
    store = Store(url)

    sha256 = store.write_blob(data)

    assert sha256 == store.write_blob(data) == hashlib.sha256(data).hexdigest()
    assert files(store) == {f"blobs/{sha256[:2]}/{sha256}": data}
    assert store.read_blob(sha256) == data
    if store.is_local:
        os.mkfifo(f"{store.root}/blobs/{sha256[:2]}/pipe")
    assert store.blob_sizes() == {sha256: len(data)}


def test_writing_again_touches_nothing(tmp_path):
    store = Store(str(tmp_path))
    ref, sha256 = store.write_table("k", TABLE), store.write_blob(b"pixels")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}

    assert (store.write_table("k", TABLE), store.write_blob(b"pixels")) == (ref, sha256)

    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_many_threads_write_one_table_and_one_blob(url):
    store, gate, problems = Store(url), threading.Barrier(8), []

    def write() -> None:
        try:
            gate.wait()
            for _ in range(5):
                store.write_table("k", TABLE)
                store.write_blob(b"pixels")
                assert list(store.tables("k"))[0][1] == TABLE  # noqa: RUF015
        except Exception as problem:
            problems.append(problem)

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert problems == []
    assert len(files(store)) == 2
    assert [table for _, table in reopened(store).tables("k")] == [TABLE]


def test_tables_come_in_the_order_of_their_names(url):
    store = Store(url)
    refs = [store.write_table("k", pa.table({"n": [number]})) for number in range(6)]

    assert [ref for ref, _ in store.tables("k")] == sorted(refs, key=lambda ref: ref.path)


# --- what is not there


def test_a_store_that_is_not_there_is_an_empty_one(url):
    store = Store(url)

    assert (store.list_folder("k"), list(store.tables("k")), store.blob_sizes()) == ([], [], {})
    assert not store.exists("k")
    with pytest.raises(DamagedFile):
        store.read_bytes("k/x")
    with pytest.raises(DamagedFile):
        store.read_blob("0" * 64)
    with pytest.raises(DamagedFile):
        store.read_table(TableRef(path="k/0.parquet", rows=0))
    store.remove("k/x")
    assert files(store) == {}


def test_a_place_below_a_file_is_an_empty_store_too(tmp_path):
    (tmp_path / "file").touch()
    store = Store(str(tmp_path / "file" / "store"))

    assert (store.list_folder("k"), list(store.tables("k")), store.blob_sizes()) == ([], [], {})
    assert not store.exists("k")
    with pytest.raises(DamagedFile):
        store.read_bytes("k/x")
    with pytest.raises(DamagedFile):
        store.read_blob("0" * 64)


@pytest.mark.parametrize(
    ("folder", "names"),
    [
        pytest.param("k", ["another", "file", "sub"], id="files-and-folders"),
        pytest.param("k/sub", ["deeper"], id="deeper"),
        pytest.param("missing", [], id="missing"),
        pytest.param("k/missing/at/all", [], id="deep-missing"),
    ],
)
def test_names_are_of_what_lies_directly_in_a_folder(url, folder, names):
    store = Store(url)
    for path in ("k/file", "k/sub/deeper", "k/another", "kk/x"):
        store.write_bytes(path, b"1")

    assert store.list_folder(folder) == names


@pytest.mark.parametrize("odd", ["nope://x", "nope://", "file+nope:///x", "", " ", "\t", "zip://nowhere.zip", "a\0b"])
def test_an_unusable_url_is_bad_input(odd):
    with pytest.raises(BadInput, match="store:") as caught:
        Store(odd)

    assert one_sentence(caught.value)


@pytest.mark.parametrize("below", ["file", "file/store", "file/a/b/c"])
def test_a_place_that_cannot_be_written_is_bad_input(tmp_path, below):
    (tmp_path / "file").write_bytes(b"a file, no folder")

    with pytest.raises(BadInput, match="can be written") as caught:
        Store(str(tmp_path / below)).check_writable()

    assert one_sentence(caught.value)
    assert (tmp_path / "file").read_bytes() == b"a file, no folder"


@pytest.mark.parametrize("below", ["file", "file/store", "file/a/b/c"])
def test_a_file_in_the_way_can_be_no_store_to_read_either(tmp_path, below):
    (tmp_path / "file").write_bytes(b"a file, no folder")

    with pytest.raises(BadInput, match="can be read") as caught:
        Store(str(tmp_path / below)).check_readable()

    assert one_sentence(caught.value)


def test_a_store_that_is_not_there_yet_can_be_read(url):
    store = Store(url)
    store.check_readable()
    assert files(store) == {}


def test_what_ends_with_the_process_does_not_last(tmp_path):
    Store(str(tmp_path)).check_lasting()
    with pytest.raises(BadInput, match="expected a place that lasts, got 'memory://x'") as caught:
        Store("memory://x").check_lasting()
    assert one_sentence(caught.value)


def test_a_full_disk_leaves_no_half_file(tmp_path, monkeypatch):
    store = Store(str(tmp_path))

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(module.os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            store.write_table("k", TABLE)
        with pytest.raises(BadInput, match="No space left"):
            store.check_writable()

    assert store.list_folder("k") == []
    assert store.list_folder("tmp") == []


# --- unfinished files


def test_checking_a_store_leaves_no_trace_but_its_folder(url):
    store = Store(url)

    store.check_writable()
    store.check_writable()

    assert files(store) == {}


@pytest.mark.parametrize(
    ("age_s", "is_kept"),
    [
        pytest.param(0, True, id="fresh"),
        pytest.param(module.STALE_S - 60, True, id="nearly-a-day"),
        pytest.param(module.STALE_S + 60, False, id="more-than-a-day"),
    ],
)
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_only_what_is_older_than_a_day_is_swept(tmp_path, kind, age_s, is_kept):
    left = tmp_path / "tmp" / "left"
    if kind == "file":
        left.parent.mkdir()
        left.write_bytes(b"half")
    else:
        left.mkdir(parents=True)
        (left / "manifest.json").write_bytes(b"half")
    then_s = time.time() - age_s
    os.utime(left, (then_s, then_s))
    (tmp_path / "releases").mkdir()
    os.utime(tmp_path / "releases", (0, 0))

    Store(str(tmp_path)).check_writable()

    assert left.exists() is is_kept
    assert (tmp_path / "releases").exists()


# --- a plan


def test_a_plan_reads_through_and_writes_nothing(url):
    store = Store(url)
    known, sha256 = store.write_table("k", TABLE), store.write_blob(b"pixels")
    before = files(store)
    plan = Store(f"{url}/", is_overlay=True)

    new, blob = plan.write_table("k", OTHER), plan.write_blob(b"other pixels")
    plan.write_table("only/planned", TABLE)

    assert files(store) == before
    assert plan.read_table(known) == TABLE
    assert plan.read_table(new) == OTHER
    assert (plan.read_blob(sha256), plan.read_blob(blob)) == (b"pixels", b"other pixels")
    assert sorted(ref.path for ref, _ in plan.tables("k")) == sorted([known.path, new.path])
    assert plan.list_folder("only/planned") == [f"{known.sha256}.parquet"]
    assert plan.blob_sizes() == {sha256: 6, blob: 12}
    assert plan.exists(new.path)
    assert not store.exists(new.path)
    assert [ref for ref, _ in store.tables("k")] == [known]


def test_what_a_plan_removes_is_hidden_from_it_alone(url):
    store = Store(url)
    known, sha256, other = store.write_table("k", TABLE), store.write_blob(b"pixels"), store.write_blob(b"more")
    before = files(store)
    plan = Store(f"{url}/", is_overlay=True)
    for path in (known.path, blob_path(sha256), "k/never/there"):
        plan.remove(path)
    assert files(store) == before
    assert list(plan.tables("k")) == plan.list_folder("k") == []
    assert not plan.exists(known.path)
    assert plan.blob_sizes() == {other: 4}
    with pytest.raises(DamagedFile, match="got other bytes than it had"):
        plan.read_blob(sha256)
    assert plan.write_blob(b"pixels") == sha256
    assert plan.write_table("k", TABLE) == known
    assert plan.read_blob(sha256) == b"pixels"
    assert [ref for ref, _ in plan.tables("k")] == [known]
    assert plan.blob_sizes() == {sha256: 6, other: 4}


def test_a_plan_removes_what_it_has_written(url):
    plan = Store(url, is_overlay=True)
    sha256 = plan.write_blob(b"pixels")
    plan.remove(blob_path(sha256))
    assert plan.blob_sizes() == {}
    assert not plan.exists(blob_path(sha256))


def test_a_plan_keeps_a_large_file_out_of_memory(url):
    plan, data = Store(url, is_overlay=True), bytes(32 << 20)
    sha256 = hashlib.sha256(data).hexdigest()
    tracemalloc.start()
    with plan.scratch() as path:
        path.write_bytes(data)
        plan.adopt_blob(path, sha256, len(data))
    with plan.open_blob(sha256) as file:
        assert sum(len(piece) for piece in iter(lambda: file.read(1 << 20), b"")) == len(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < len(data) / 4


def test_a_plan_of_a_store_that_is_not_there_creates_none(tmp_path):
    plan = Store(str(tmp_path / "store"), is_overlay=True)

    ref = plan.write_table("k", TABLE)

    assert [found for found, _ in plan.tables("k")] == [ref]
    assert list(tmp_path.iterdir()) == []


def test_what_a_plan_foresaw_is_not_in_the_store(url):
    """A plan and a build in one process: what the first keeps to itself, the second must not find."""
    ref = Store(url, is_overlay=True).write_table("k", pa.table({"foreseen": [uuid.uuid4().hex]}))

    with pytest.raises(DamagedFile):
        Store(url).read_table(ref)


def test_memory_for_tables_is_bounded(tmp_path, monkeypatch):
    """What is read is remembered up to a number of bytes; the oldest goes first."""
    monkeypatch.setattr(module, "_CACHE", type(module._CACHE)())
    monkeypatch.setattr(module, "_CACHE_BYTES", 3 * 8_000)
    store = Store(str(tmp_path))
    for number in range(9):
        store.write_table("k", pa.table({"n": np.arange(1000) + number}))

    assert sum(table.nbytes for table in module._CACHE.values()) <= 3 * 8_000
    assert len(module._CACHE) == 3


def test_a_large_table_is_remembered_as_its_file_and_gives_the_columns_that_are_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_CACHE", type(module._CACHE)())
    monkeypatch.setattr(module, "_LARGE_BYTES", 2_000)
    store = Store(str(tmp_path))
    table = pa.table({"a": np.arange(1000), "b": [str(number) for number in range(1000)], "c": pa.nulls(1000)})
    small = store.write_table("k", table.slice(0, 3))
    large = store.write_table("k", table)
    assert [isinstance(known, pa.Buffer) for known in module._CACHE.values()] == [False, True]
    for _ in range(2):
        assert store.read_table(large).equals(table)
        assert store.read_table(large, ["b", "a"]).equals(table.select(["b", "a"]))
        assert store.read_table(small, ["c"]).equals(table.slice(0, 3).select(["c"]))
        for ref, expected in ((small, [2, 1]), (large, [400, 400, 200])):
            pieces = list(store.read_pieces(ref, expected[0]))
            assert [piece.num_rows for piece in pieces] == expected
            assert pa.concat_tables(pieces).equals(table.slice(0, ref.rows))
        module._CACHE = type(module._CACHE)()  # as another process finds them


@pytest.mark.parametrize("thing", ["a loop", "a link to nowhere", "a folder", "a file above", "a pipe"])
def test_what_is_no_file_is_damage(tmp_path, thing):
    store = Store(str(tmp_path))
    place = tmp_path / "measures/x"
    place.parent.mkdir()
    if thing == "a folder":
        place.mkdir()
    elif thing == "a pipe":
        os.mkfifo(place)
    elif thing == "a file above":
        place.parent.rmdir()
        place.parent.write_bytes(b"in the way")
    else:
        place.symlink_to(place if thing == "a loop" else tmp_path / "nothing")
    with pytest.raises(DamagedFile, match=r"expected measures/x in the store .*, got nothing there"):
        store.read_bytes("measures/x")
