"""Files that a purge removes or rewrites: only those of the area, and none in a dry run."""

import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import fsspec
import pyarrow as pa
import pytest

from schemas.tables import RETRIEVALS
from tasks.io.store import layout
from tasks.io.store.cleaning import StoreCleaner, written_at
from tasks.io.store.journal import Journal
from tasks.io.store.layout import Area, area_of
from tasks.io.store.store import Store, parquet_bytes

ONE = pa.table({"sha256": ["a"], "phash": [b"1"], "large": ["x"]})
TWO = pa.table({"sha256": ["b"], "phash": [b"2"], "large": ["y"]})
NONE = ONE.slice(0, 0)
FOLDER = "measures/hash/k"


def area(path: str) -> Area:
    """The area of a path."""
    found = area_of(path)
    assert found is not None
    return found


HASHES = area(f"{FOLDER}/x.parquet")
LEFTOVERS = area("tmp/x")
SHELF = LEFTOVERS._replace(pattern="measures/shelf/")


@pytest.fixture(params=["local", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A store in which nothing is yet."""
    if request.param == "local":
        yield Store(str(tmp_path / "deep" / "store"))
        return
    place = f"memory://{uuid.uuid4().hex}/store"
    yield Store(place)
    fs, root = fsspec.core.url_to_fs(place)
    if fs.exists(root):
        fs.rm(root, recursive=True)


@pytest.fixture
def local(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "store"))


def cleaner(store: Store, is_dry: bool = False) -> StoreCleaner:
    return StoreCleaner(store, is_dry=is_dry)


def files(store: Store) -> dict[str, bytes]:
    """Every file in the store, but for unfinished ones, by its path below the root."""
    if not store.fs.exists(store.root):
        return {}
    start = len(store.root) + 1
    found = {path[start:]: store.fs.cat_file(path) for path in store.fs.find(store.root)}
    return {path: data for path, data in found.items() if not path.startswith("tmp/")}


def retrieval(number: int) -> dict:
    at = datetime(2026, 1, 2, tzinfo=UTC)
    return dict.fromkeys(RETRIEVALS.names) | {"locator": f"http://a/{number}", "retrieved_at": at}


def killed(store: Store, folder: str, *rows: dict) -> None:
    """A journal that a killed build has left in a folder."""
    with Journal(store, folder, RETRIEVALS) as part:
        for row in rows:
            part.add(row)
        (journal,) = Path(store.full(folder)).glob("*.journal")
        left = journal.read_bytes()
        part._rows.clear()
    journal.write_bytes(left)


# --- an empty store


def test_of_a_store_that_is_not_there_nothing_is_found_and_nothing_made(store):
    swept = cleaner(store)
    swept.absorb_journals()
    for each in layout.AREAS:
        assert swept.paths(each) == []
        assert list(swept.tables(each)) == []
    assert swept.empty(LEFTOVERS) == 0
    assert swept.remove("blobs/aa/a") is False
    assert not store.fs.exists(store.root)


# --- what is there


def test_a_path_belongs_to_one_area_only(store):
    digest = "ab" + "0" * 62
    paths = [
        f"blobs/ab/{digest}",
        "retrievals/web-images/1.parquet",
        "retrievals/met-web/1.parquet",
        "retrievals/met-answers/1.parquet",
        "retrievals/met/1.parquet",
        "outcomes/search-hashes/1.parquet",
        "outcomes/fetch/1.parquet",
        "measures/hash/k/1.parquet",
        "measures/thumbnail/k/1.parquet",
        "measures/thumbnail-places/k/1.parquet",
        "tombstones/met.parquet",
    ]
    for path in paths:
        store.write_bytes(path, b"x")
    found = [(each.pattern, path) for each in layout.AREAS for path in cleaner(store).paths(each)]
    assert sorted(path for _, path in found) == sorted(paths)
    assert [pattern for pattern, path in found if path in ("retrievals/met/1.parquet", "outcomes/fetch/1.parquet")] == [
        "retrievals/<source>/",
        "outcomes/<stage>/",
    ]


def test_paths_are_sorted_and_go_to_the_bottom_of_folders(store):
    names = ["b/2.parquet", "a/1.parquet", "a/deep/3.parquet", "a/10.parquet"]
    for name in names:
        store.write_bytes(f"measures/hash/{name}", b"x")
    assert cleaner(store).paths(HASHES) == [f"measures/hash/{name}" for name in sorted(names)]


def test_what_fits_no_area_is_left_alone(store):
    for path in ("measures/hash/.DS_Store", "blobs/readme", "elsewhere/1.parquet"):
        store.write_bytes(path, b"x")
    assert [path for each in layout.AREAS for path in cleaner(store).paths(each)] == []


# --- tables


def test_tables_come_with_their_paths_and_other_files_do_not(store):
    refs = [store.write_table(FOLDER, table) for table in (ONE, TWO, NONE)]
    store.write_bytes(f"{FOLDER}/notes.txt", b"no table")
    found = dict(cleaner(store).tables(HASHES))
    assert {path: table.to_pylist() for path, table in found.items()} == {
        refs[0].path: ONE.to_pylist(),
        refs[1].path: TWO.to_pylist(),
        refs[2].path: [],
    }


def test_only_wanted_tables_are_read_and_of_the_others_only_what_names_files(store, monkeypatch):
    wanted, other = (store.write_table(FOLDER, table, is_remembered=False) for table in (ONE, TWO))
    asked, read = [], []

    def is_wanted(table: pa.Table) -> bool:
        asked.append(sorted(table.column_names))
        return table["sha256"][0].as_py() == "a"

    read_table = store.read_table
    monkeypatch.setattr(store, "read_table", lambda ref, **more: read.append(ref.path) or read_table(ref, **more))
    found = list(cleaner(store).tables(HASHES, is_wanted))
    assert [(path, table.to_pylist()) for path, table in found] == [(wanted.path, ONE.to_pylist())]
    assert asked == [["phash", "sha256"]] * 2
    assert read == [wanted.path]
    assert store.exists(other.path)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"no table", id="no-parquet"),
        pytest.param(parquet_bytes(ONE)[:-1], id="one-byte-short"),
        pytest.param(parquet_bytes(TWO), id="another-table"),
    ],
)
@pytest.mark.parametrize("is_asked", [False, True])
def test_a_damaged_table_is_removed_and_passed_over(store, data, is_asked):
    good, bad = (store.write_table(FOLDER, table, is_remembered=False) for table in (TWO, ONE))
    store.write_bytes(bad.path, data)
    found = list(cleaner(store).tables(HASHES, (lambda _table: True) if is_asked else None))
    assert [path for path, _ in found] == [good.path]
    assert list(files(store)) == [good.path]


def test_a_table_without_the_columns_that_name_files_is_asked_about_all_the_same(store):
    """With no columns: the rule decides what that means."""
    store.write_table(FOLDER, pa.table({"other": [1]}), is_remembered=False)
    asked: list[list[str]] = []
    assert list(cleaner(store).tables(HASHES, lambda table: bool(asked.append(table.column_names)))) == []
    assert asked == [[]]


# --- writing


def test_a_table_lies_beside_the_one_whose_place_it_takes(store):
    old = store.write_table(FOLDER, ONE)
    path = cleaner(store).write(old.path, TWO)
    assert path is not None
    assert path != old.path
    assert sorted(files(store)) == sorted([old.path, path])
    assert path.startswith(f"{FOLDER}/")


@pytest.mark.parametrize(
    ("table", "left"),
    [
        pytest.param(TWO, [TWO], id="another"),
        pytest.param(ONE, [ONE], id="the-same"),
        pytest.param(NONE, [], id="without-rows"),
    ],
)
def test_a_table_that_is_replaced_goes_and_an_empty_one_is_not_written(store, table, left):
    old = store.write_table(FOLDER, ONE, is_remembered=False)
    cleaner(store).replace(old.path, table)
    assert list(files(store).values()) == [parquet_bytes(each) for each in left]


def test_a_table_goes_only_after_the_new_one_is_there(store, monkeypatch):
    old, seen = store.write_table(FOLDER, ONE), []
    remove = store.remove
    monkeypatch.setattr(store, "remove", lambda path: seen.append(sorted(files(store))) or remove(path))
    cleaner(store).replace(old.path, TWO)
    assert [len(paths) for paths in seen] == [2]


def test_a_table_that_can_not_be_written_leaves_the_old_one(store, monkeypatch):
    old = store.write_table(FOLDER, ONE)

    def full(*_args, **_more):
        raise OSError("No space left on device")

    monkeypatch.setattr(store, "write_table", full)
    with pytest.raises(OSError, match="No space"):
        cleaner(store).replace(old.path, TWO)
    assert list(files(store)) == [old.path]


def test_removing_a_file_twice_says_that_it_was_there_once(store):
    store.write_bytes("measures/hash/k/x", b"x")
    swept = cleaner(store)
    assert [swept.remove("measures/hash/k/x") for _ in range(2)] == [True, False]
    assert files(store) == {}


# --- emptying


def test_a_folder_is_emptied_of_files_and_folders_and_others_stay(store):
    for path in ("measures/shelf/a/1.parquet", "measures/shelf/a/b/2.parquet", "measures/shelf/3", "measures/keys/x/1"):
        store.write_bytes(path, b"x")
    assert [cleaner(store).empty(SHELF) for _ in range(2)] == [2, 0]
    assert list(files(store)) == ["measures/keys/x/1"]


@pytest.mark.parametrize("name", ["[1].tmp", "a*", "what?", "a b", "ü", ".hidden"])
def test_a_file_with_an_odd_name_goes_alone(local, name):
    local.write_bytes(f"measures/shelf/{name}", b"x")
    assert cleaner(local).empty(SHELF) == 1
    assert files(local) == {}


# --- a dry run


def test_a_dry_run_changes_nothing_and_counts_the_same(store):
    ref = store.write_table(FOLDER, ONE, is_remembered=False)
    store.write_bytes("measures/shelf/a", b"x")
    before = files(store)
    swept = cleaner(store, is_dry=True)
    swept.absorb_journals()
    assert [path for path, _ in swept.tables(HASHES)] == [ref.path]
    assert swept.write(ref.path, TWO) is None
    swept.replace(ref.path, TWO)
    swept.replace(ref.path, NONE)
    assert swept.remove(ref.path) is True
    assert swept.remove(f"{FOLDER}/nothing") is False
    assert swept.empty(SHELF) == 1
    assert files(store) == before


# --- journals


@pytest.mark.parametrize("folder", ["retrievals/web-images", "retrievals/met-answers", "retrievals/met"])
def test_rows_of_killed_builds_become_tables(local, folder):
    killed(local, folder, retrieval(1), retrieval(2))
    cleaner(local).absorb_journals()
    (path,) = files(local)
    found = dict(cleaner(local).tables(area(path)))
    assert [row["locator"] for row in found[path].to_pylist()] == ["http://a/1", "http://a/2"]


def test_a_journal_without_rows_goes_and_leaves_no_table(local):
    local.write_bytes("retrievals/met/x.journal", b"torn")
    cleaner(local).absorb_journals()
    assert files(local) == {}


def test_a_dry_run_leaves_journals_as_they_are(local):
    killed(local, "retrievals/met", retrieval(1))
    before = files(local)
    cleaner(local, is_dry=True).absorb_journals()
    assert files(local) == before
    assert [path for path in before if path.endswith(".journal")] == list(before)


def test_a_journal_where_nobody_keeps_one_is_no_journal(local):
    local.write_bytes("measures/hash/k/x.journal", b"x")
    cleaner(local).absorb_journals()
    assert list(files(local)) == ["measures/hash/k/x.journal"]


def test_a_dry_run_leaves_what_is_damaged(store):
    path = store.write_table(FOLDER, ONE, is_remembered=False).path
    store.write_bytes(path, store.read_bytes(path)[:-1] + b"?")
    before = files(store)
    dry = cleaner(Store(store.url), is_dry=True)
    assert list(dry.tables(HASHES)) == []
    assert list(dry.tables(HASHES, lambda _: True)) == []
    assert files(store) == before
    assert list(cleaner(Store(store.url)).tables(HASHES)) == []
    assert files(store) == {}


def test_files_of_an_area_have_their_sizes_and_times(store):
    store.write_bytes(f"{FOLDER}/1.parquet", b"123")
    store.write_bytes("measures/quality/k/1.parquet", b"1")
    ((path, length, written_s),) = cleaner(store).files(HASHES)
    assert (path, length) == (f"{FOLDER}/1.parquet", 3)
    assert abs(time.time() - written_s) < 60
    assert written_at(store, FOLDER) == written_at(store, f"{FOLDER}/1.parquet") == written_s
    assert written_at(store, "measures/other") == 0
    assert list(cleaner(store).files(LEFTOVERS)) == []


def test_columns_are_read_of_tables_that_have_them(store):
    store.write_table(FOLDER, ONE, is_remembered=False)
    store.write_table(FOLDER, pa.table({"other": [1]}), is_remembered=False)
    store.write_bytes(f"{FOLDER}/1.parquet", b"no table")
    assert [table.to_pydict() for table in cleaner(store).columns(HASHES, ["sha256"])] == [{"sha256": ["a"]}]


def test_a_release_goes_as_a_whole_and_not_in_a_dry_run(store):
    store.write_bytes("releases/small/0123456789ab/manifest.json", b"{}")
    store.write_bytes("releases/small/0123456789ab/images/1.parquet", b"x")
    store.write_bytes("releases/small/latest", b"x")
    cleaner(store, is_dry=True).remove_release("small", "0123456789ab")
    assert len(files(store)) == 3
    cleaner(store).remove_release("small", "0123456789ab")
    assert list(files(store)) == ["releases/small/latest"]


def test_what_a_killed_prune_moved_aside_goes(local):
    local.write_bytes("tmp/pruned-1/manifest.json", b"x")
    local.write_bytes("tmp/draft-1/manifest.json", b"x")
    cleaner(local, is_dry=True).remove_pruned()
    assert {"draft-1", "pruned-1"} <= {*local.list_folder("tmp")}
    cleaner(local).remove_pruned()
    assert "draft-1" in local.list_folder("tmp")
    assert "pruned-1" not in local.list_folder("tmp")


def test_empty_folders_go(local):
    local.write_bytes(f"{FOLDER}/1.parquet", b"x")
    (Path(local.root) / "measures/hash/empty").mkdir()
    cleaner(local, is_dry=True).remove_empty_folders(HASHES)
    assert len(local.list_folder("measures/hash")) == 2
    cleaner(local).remove_empty_folders(HASHES)
    assert local.list_folder("measures/hash") == ["k"]
