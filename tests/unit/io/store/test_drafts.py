"""Drafts: a release is whole or not there, whoever else publishes."""

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from schemas.manifests import FileEntry
from schemas.tables import LEDGER
from tasks.io.store import drafts, releases
from tasks.io.store.drafts import Draft
from tasks.io.store.releases import Release
from tasks.io.store.store import Store
from tests.support.small_release import DAMAGE, LEDGER_ROWS, below, flip, left_over, manifest, published, write

WHOLE = ["README.md", "coco/train.json", "ledger.parquet", "manifest.json"]

# --- whole or not there


@pytest.mark.parametrize("error", [ValueError("a bug"), KeyboardInterrupt(), SystemExit(1)], ids=type)
def test_a_draft_that_fails_leaves_nothing_behind(store, tmp_path, error):
    def fail() -> None:
        with Draft(store) as draft:
            write(draft)
            raise error

    with pytest.raises(type(error)):
        fail()

    assert below(store, "releases") == []
    assert left_over(store, tmp_path) == []


def test_a_draft_that_is_not_published_leaves_nothing_behind(store, tmp_path):
    with Draft(store) as draft:
        write(draft)
        assert below(store, "releases") == []

    assert below(store, "releases") == []
    assert left_over(store, tmp_path) == []


def test_a_published_release_is_whole(store, tmp_path):
    release = published(store)

    assert below(store, "releases/art/aaaabbbbcccc") == WHOLE
    assert left_over(store, tmp_path) == []
    assert release.is_intact()
    assert release.paths() == WHOLE
    assert release.manifest.files.keys() == set(WHOLE) - {"manifest.json"}
    assert release.read("README.md") == b"# Art\n"
    assert release.ledger() == LEDGER_ROWS
    assert Release(f"{release.url}/").manifest == Release(release.url).manifest == release.manifest


def test_the_manifest_comes_last(store, monkeypatch):
    """In a rename everything comes at once; elsewhere a reader who looks between two files finds no release yet."""
    seen = []

    def noted(function: Callable[..., None]) -> Callable[..., None]:
        def call(*args: object, **kwargs: object) -> None:
            seen.append(
                (len(below(store, "releases/art/aaaabbbbcccc")), releases.find_release(store, "art", "aaaabbbbcccc"))
            )
            function(*args, **kwargs)

        return call

    monkeypatch.setattr(store, "write_bytes", noted(store.write_bytes))
    monkeypatch.setattr(drafts, "_sync", noted(drafts._sync))
    published(store)

    assert [release for _, release in seen] == [None] * len(seen)
    assert [files for files, _ in seen] == ([0] if store.is_local else [0, 1, 2, 3])
    assert releases.find_release(store, "art", "aaaabbbbcccc") is not None


def test_a_store_that_fails_halfway_publishes_nothing(store, tmp_path, monkeypatch):
    def full(*_args: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        if store.is_local:
            patch.setattr(drafts, "_sync", full)
        else:
            patch.setattr(store, "write_bytes", full)
        with pytest.raises(OSError, match="No space left"):
            published(store)

    assert releases.find_release(store, "art", "aaaabbbbcccc") is None
    assert left_over(store, tmp_path) == []


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("path", ["README.md", "coco/train.json", "ledger.parquet"])
def test_a_damaged_release_is_not_intact_and_gives_way_to_a_whole_one(store, tmp_path, path, damage):
    release = published(store)
    damage(store, f"releases/art/aaaabbbbcccc/{path}")
    assert not release.is_intact()

    assert published(store).is_intact()

    assert below(store, "releases/art/aaaabbbbcccc") == WHOLE
    assert left_over(store, tmp_path) == []


@pytest.mark.parametrize("damage", [damage for damage in DAMAGE if damage.id in {"emptied", "deleted"}])
def test_a_release_without_a_readable_manifest_gives_way_to_a_whole_one(store, damage):
    published(store)
    damage(store, "releases/art/aaaabbbbcccc/manifest.json")
    store.write_bytes("releases/art/aaaabbbbcccc/stray.txt", b"of an earlier try")

    assert published(store).is_intact()
    assert not store.is_local or below(store, "releases/art/aaaabbbbcccc") == WHOLE


def test_large_files_are_known_by_their_size_alone(store):
    """Up to a number of bytes the digest is looked at; verify looks at all."""
    release = published(store)
    flip(store, "releases/art/aaaabbbbcccc/README.md")
    size = release.manifest.files["README.md"].bytes

    assert not release.is_intact(hashed_up_to_bytes=size)
    assert release.is_intact(hashed_up_to_bytes=size - 1)


def test_two_drafts_of_one_version_end_in_one_intact_release(store, tmp_path):
    with Draft(store) as first, Draft(store) as second:
        write(first)
        write(second)
        urls = {draft.publish(manifest(dict(draft.files))) for draft in (first, second)}

    assert len(urls) == 1
    assert Release(urls.pop()).is_intact()
    assert below(store, "releases/art") == [f"aaaabbbbcccc/{path}" for path in WHOLE]
    assert left_over(store, tmp_path) == []


@pytest.mark.parametrize("before", ["nothing", "damaged"])
def test_many_builds_at_once_end_in_one_intact_release(store, tmp_path, before):
    """The moment between looking and renaming belongs to whoever is quicker."""
    for attempt in range(12):
        version = f"{attempt:012x}"
        if before == "damaged":
            published(store, version)
            flip(store, f"releases/art/{version}/README.md")
        gate, problems = threading.Barrier(4), []

        def build(version=version, gate=gate, problems=problems) -> None:
            try:
                with Draft(store) as draft:
                    write(draft)
                    gate.wait()
                    draft.publish(manifest(dict(draft.files), version))
            except Exception as problem:
                problems.append(problem)

        threads = [threading.Thread(target=build) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert problems == []
        found = releases.find_release(store, "art", version)
        assert found is not None
        assert found.is_intact()
    assert left_over(store, tmp_path) == []


def test_a_whole_release_never_moves(tmp_path):
    """Another build's process may be reading it at that very moment."""
    store = Store(str(tmp_path / "store"))
    folder = Path(published(store).url)
    before = folder.stat().st_ino

    published(store)

    assert folder.stat().st_ino == before


def test_a_file_in_the_place_of_a_release_gives_way_to_it(tmp_path):
    store = Store(str(tmp_path / "store"))
    store.write_bytes("releases/art/aaaabbbbcccc", b"no folder")

    assert published(store).is_intact()
    assert left_over(store, tmp_path) == []


def test_a_version_that_another_build_has_just_moved_aside_is_no_error(tmp_path, monkeypatch):
    """A race without luck: the broken folder that was there a moment ago is gone when it is to be moved."""
    store = Store(str(tmp_path / "store"))
    published(store)
    flip(store, "releases/art/aaaabbbbcccc/README.md")
    with Draft(store) as draft:
        write(draft)
        rename = Path.rename

        def taken_away_first(self: Path, target: Path) -> Path:
            if self.name == "aaaabbbbcccc":
                monkeypatch.setattr(Path, "rename", rename)
                rename(self, tmp_path / "aside-by-another")
            return rename(self, target)

        monkeypatch.setattr(Path, "rename", taken_away_first)
        url = draft.publish(manifest(dict(draft.files)))

    assert Release(url).is_intact()


# --- what a draft notes


def test_a_draft_notes_digest_bytes_and_rows(store):
    """SHA-256 of "# Art\\n" by sha256sum."""
    with Draft(store) as draft:
        write(draft)
        draft.write("empty.txt", b"")

    assert draft.files["README.md"] == FileEntry(sha256=hashlib.sha256(b"# Art\n").hexdigest(), bytes=6)
    assert draft.files["coco/train.json"].bytes == len('{"images":[]}')
    assert draft.files["empty.txt"] == FileEntry(sha256=hashlib.sha256(b"").hexdigest(), bytes=0)
    assert draft.files["ledger.parquet"].rows == 2


def test_a_file_may_be_written_piece_by_piece(store):
    with Draft(store) as draft:
        draft.write_chunks("a/pieces.json", iter([b"[1", pa.py_buffer(b",2"), b"]"]))
        draft.write("a/whole.json", b"[1,2]")
        assert draft.files["a/pieces.json"] == draft.files["a/whole.json"]


def test_json_is_the_same_whatever_the_order_of_its_keys(store):
    with Draft(store) as draft:
        draft.write_json("a.json", {"b": 1, "ü": ["é"], "a": {"d": 1, "c": 2}})
        draft.write_json("b.json", {"a": {"c": 2, "d": 1}, "ü": ["é"], "b": 1})
        published_to = Release(draft.publish(manifest(dict(draft.files))))

    assert published_to.read("a.json") == published_to.read("b.json")
    assert published_to.read("a.json").decode() == '{"a":{"c":2,"d":1},"b":1,"ü":["é"]}'


def test_a_parquet_file_of_no_rows_can_be_read(store):
    with Draft(store) as draft:
        draft.write_parquet("ledger.parquet", [], LEDGER)
        release = Release(draft.publish(manifest(dict(draft.files))))

    assert release.ledger() == LEDGER.empty_table()
    assert list(release.batches("ledger")) in ([], [pa.RecordBatch.from_pylist([], LEDGER)])
