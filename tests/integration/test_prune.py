"""Old releases leave a store, and what nobody needs: what stays is whole, and the next build finds all it needs."""

import json
import shutil
import time
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pytest

from flows.cli import main
from schemas.errors import BadInput, DamagedFile, Refusal
from schemas.tables import ANSWERS
from tasks.io.store import leases
from tasks.io.store.cleaning import StoreCleaner
from tasks.io.store.layout import answers_folder, blob_path, lease_path, measure_folder, uses_path
from tasks.io.store.releases import Release, versions
from tasks.io.store.store import Store
from tasks.prune import prune
from tasks.purge import purge
from tasks.verify import verify
from tests.support.desk import Desk, MadeOnce, computed
from tests.support.manifests import rewrite_manifest

pytestmark = pytest.mark.live

NEWEST = ("stages.sample.at_most=6",)
ORPHAN = b"an image that no ledger names"


@pytest.fixture(scope="session")
def _history(_built: Path, painted: Path, made_once: MadeOnce) -> Path:
    """Three releases, each with another sample, and a trial; an image and a measure that nobody needs; answers."""

    def make(store: Path) -> None:
        shutil.copytree(_built, store)
        desk = Desk(str(store), painted)
        desk.build("stages.sample.at_most=4")
        desk.build(*NEWEST)
        desk.build(*NEWEST, limit=30)
        opened = Store(str(store))
        opened.write_blob(ORPHAN)
        opened.write_table(measure_folder("hash", "of-an-earlier-version"), pa.table({"sha256": ["a"]}))
        bodies = [opened.write_blob(body) for body in (b"an old answer", b"the newest answer")]
        answers = [{"url": "u", "sha256": body, "retrieved_at": day} for day, body in enumerate(bodies)]
        opened.write_table(answers_folder("met"), pa.Table.from_pylist(answers, schema=ANSWERS))

    return made_once("museum-160-history", make)


@pytest.fixture
def desk(_history: Path, painted: Path, tmp_path: Path) -> Desk:
    return Desk(str(shutil.copytree(_history, tmp_path / "store")), painted)


def files_of(store: str) -> dict[str, int]:
    root = Path(store)
    return {str(path.relative_to(root)): path.stat().st_size for path in root.rglob("*") if path.is_file()}


def names_of(desk: Desk) -> set[str]:
    return {release.manifest.version for release in versions(Store(desk.store), "museum")}


def test_a_dry_run_tells_all_and_removes_nothing(desk: Desk, capsys: pytest.CaptureFixture[str]):
    before = files_of(desk.store)
    assert main(["prune", "museum", "--store", desk.store, "--keep", "1", "--grace-days", "0"]) == 0
    text = capsys.readouterr().out
    assert files_of(desk.store) == before
    assert text.startswith("museum: 4 releases\n")
    assert f"{desk.latest.manifest.version}  stays: latest" in text
    assert text.count("  goes (") == 3
    assert "2 files of images and answers to go" in text
    assert "of measures, decisions and outcomes to go" in text
    assert text.splitlines()[-1].startswith("this is a dry run: nothing is removed; with --do, ")


def test_of_a_grace_longer_than_the_calendar_everything_is_young(desk: Desk):
    text = prune("museum", desk.store, keep=1, grace_days=10**20)
    assert text.count("stays: within the time of grace") == 3


def test_what_is_young_stays_and_so_do_the_newest(desk: Desk):
    before = files_of(desk.store)
    prune("museum", desk.store, is_dry=False)
    assert files_of(desk.store) == before
    prune("museum", desk.store, keep=1, grace_days=0, keep_since="2020-01-01", is_dry=False)
    assert len(names_of(desk)) == 4
    latest = desk.latest
    prune("museum", desk.store, keep=2, grace_days=0, is_dry=False)
    assert names_of(desk) == {latest.manifest.version, latest.manifest.previous}


def test_what_stays_is_whole_and_the_next_build_computes_nothing(desk: Desk):
    store, latest = Store(desk.store), desk.latest.manifest.version
    text = prune("museum", desk.store, keep=1, grace_days=0, is_dry=False)
    assert text.splitlines()[-1].startswith("removed: ")
    assert names_of(desk) == {latest}
    assert not any(data == ORPHAN for data in map(store.read_blob, store.blob_sizes()))
    bodies = {data for data in map(store.read_blob, store.blob_sizes()) if data.endswith(b"answer")}
    assert bodies == {b"the newest answer"}
    assert not Path(desk.store, measure_folder("hash", "of-an-earlier-version")).exists()
    assert verify(desk.latest.url, is_deep=True).is_good
    assert computed(desk.build(*NEWEST)) == {}
    prune("museum", desk.store, keep=1, grace_days=0, is_dry=False)  # what only the first build of it looked at
    assert computed(desk.build(*NEWEST)) == {}
    assert "removed: 0 bytes" in prune("museum", desk.store, keep=1, grace_days=0, is_dry=False)
    # settings of a release that is gone: decisions are taken anew, no image is read again
    steps = desk.build("stages.sample.at_most=4")
    assert computed(steps).keys() <= {"sample", "split", "export"}
    assert verify(desk.latest.url).is_good


@pytest.mark.parametrize("at", [1, 2, 5, 9])
def test_a_prune_that_is_killed_ends_the_same(desk: Desk, at: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    uninterrupted = str(shutil.copytree(desk.store, tmp_path / "other"))
    prune("museum", uninterrupted, keep=1, grace_days=0, is_dry=False)
    calls = 0

    def interrupted(original: Any) -> Any:
        def wrapped(*args: Any, **options: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == at:
                raise KeyboardInterrupt
            return original(*args, **options)

        return wrapped

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", interrupted(shutil.rmtree))
        patch.setattr(StoreCleaner, "remove", interrupted(StoreCleaner.remove))
        with pytest.raises(KeyboardInterrupt):
            prune("museum", desk.store, keep=1, grace_days=0, is_dry=False)
    for release in versions(Store(desk.store), "museum"):
        assert verify(release.url).is_good
    prune("museum", desk.store, keep=1, grace_days=0, is_dry=False)
    assert files_of(desk.store) == files_of(uninterrupted)


def test_on_an_object_store_the_manifest_goes_first(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    memory = fsspec.filesystem("memory")
    memory.put(desk.store, "/pruned", recursive=True)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(type(memory), "rm", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                prune("museum", "memory://pruned", keep=1, grace_days=0, is_dry=False)
        assert len(versions(Store("memory://pruned"), "museum")) == 3
        prune("museum", "memory://pruned", keep=1, grace_days=0, is_dry=False)
        folders = {path.split("/")[4] for path in memory.find("/pruned/releases") if path.count("/") > 4}
        assert folders == {desk.latest.manifest.version}
        prune("museum", desk.store, keep=1, grace_days=0, is_dry=False)
        left = {path.removeprefix("/pruned/") for path in memory.find("/pruned")}
        assert left == {path for path in files_of(desk.store) if not path.startswith("leases")}
    finally:
        memory.rm("/pruned", recursive=True)


def another_dataset(desk: Desk) -> Path:
    """A dataset beside, whose one release has an image that no other one has seen."""
    folder = Path(desk.store, "releases/second")
    release = desk.latest
    shutil.copytree(release.root, folder / release.manifest.version)
    rewrite_manifest(folder / release.manifest.version, lambda fields: fields.update(name="second"))
    (folder / "latest").write_text(f"{release.manifest.version}\n")
    return folder / release.manifest.version


def test_what_another_dataset_needs_stays(desk: Desk):
    other = another_dataset(desk)
    shutil.copyfile(desk.store + f"/{uses_path('museum')}", desk.store + f"/{uses_path('second')}")
    needed = set(Release(str(other)).ledger()["sha256"].drop_null().to_pylist())
    shutil.rmtree(Path(desk.store, "releases/museum"))
    before = files_of(str(other))
    prune("second", desk.store, keep=1, grace_days=0, is_dry=False)
    assert needed <= Store(desk.store).blob_sizes().keys()
    assert files_of(str(other)) == before


def test_releases_of_other_datasets_stay_unless_all_are_named(desk: Desk):
    another_dataset(desk)
    text = prune("second", desk.store, keep=1, grace_days=0, is_dry=False)
    assert "museum" not in text.partition("\n")[0]
    assert len(names_of(desk)) == 4
    prune("all", desk.store, keep=1, grace_days=0, is_dry=False)
    assert len(names_of(desk)) == 1


def test_without_word_of_what_builds_need_caches_stay(desk: Desk):
    another_dataset(desk)
    text = prune("all", desk.store, keep=1, grace_days=0, is_dry=False)
    assert "nobody knows what second needs; build once more, then prune" in text
    assert Path(desk.store, measure_folder("hash", "of-an-earlier-version")).exists()


def test_nothing_is_removed_under_a_build_at_work(desk: Desk, capsys: pytest.CaptureFixture[str]):
    before = files_of(desk.store)
    with leases.shared(Store(desk.store), "build of museum"):
        assert main(["prune", "museum", "--store", desk.store, "--grace-days", "0", "--do"]) == 3
        assert "got 'build of museum'" in capsys.readouterr().err
        with pytest.raises(Refusal, match="purge of museum: expected nobody else at work"):
            purge("museum", desk.store, [desk.latest.ledger()["record_id"][0].as_py()])
    assert files_of(desk.store) == before


def test_a_build_waits_for_a_prune_and_leaves_no_lease(desk: Desk):
    fields = {"work": "prune", "is_exclusive": True, "machine": "another", "process": 1}
    renewed_s = time.time() - leases.STALE_S + 2  # in two seconds it counts no more
    Store(desk.store).write_bytes(lease_path("x"), json.dumps({**fields, "renewed_s": renewed_s}).encode())
    began_s = time.monotonic()
    desk.build(*NEWEST)
    assert time.monotonic() - began_s > 1
    assert Store(desk.store).list_folder("leases") == ["x.json"]


def test_what_a_build_has_looked_at_does_not_change_with_the_next(desk: Desk):
    path = Path(desk.store, uses_path("museum"))
    desk.build(*NEWEST)
    before = path.read_bytes()
    desk.build(*NEWEST)
    desk.build(*NEWEST, limit=30)  # a trial says nothing of what the dataset needs
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "more", "message"),
    [
        ("typo", {}, r"prune: expected 'all' or a dataset in .* \(museum\), got 'typo'"),
        ("museum", {"keep_since": "yesterday"}, "--keep-since: expected a day such as 2026-01-31, got 'yesterday'"),
    ],
)
def test_bad_input_is_told(desk: Desk, name: str, more: dict[str, Any], message: str):
    with pytest.raises(BadInput, match=message):
        prune(name, desk.store, **more, is_dry=False)


def test_a_place_that_can_be_no_store_is_bad_input():
    with pytest.raises(BadInput, match=r"store: expected a folder or an fsspec URL that can be read"):
        prune("all", "data://x")


def test_a_store_that_is_none_is_not_made(tmp_path: Path):
    with pytest.raises(BadInput, match=r"\(none\)"):
        prune("all", str(tmp_path / "typo"), is_dry=False)
    assert not (tmp_path / "typo").exists()


@pytest.mark.parametrize("path", ["manifest.json", "ledger.parquet", "recipe.yaml"])
def test_where_nobody_can_tell_what_a_release_needs_nothing_is_removed(desk: Desk, path: str):
    Path(desk.latest.root, path).unlink()
    before = files_of(desk.store)
    with pytest.raises((DamagedFile, BadInput)):
        prune("museum", desk.store, keep=1, grace_days=0, is_dry=False)
    assert files_of(desk.store) == before


def test_a_latest_that_names_nothing_is_mended_first(desk: Desk):
    Path(desk.store, "releases/museum/latest").write_text("0123456789ab\n")
    with pytest.raises(BadInput, match="prune: expected releases/museum/latest to name the newest release"):
        prune("museum", desk.store, is_dry=False)


def test_blobs_are_looked_for_by_their_names(desk: Desk):
    orphan = Store(desk.store).write_blob(ORPHAN)
    prune("museum", desk.store, grace_days=0, is_dry=False)
    assert not Store(desk.store).exists(blob_path(orphan))
