"""Releases: whole or not there, whoever else publishes, whatever is damaged, wherever the store lies."""

import hashlib
import json
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import fsspec
import pyarrow as pa
import pytest

from schemas.errors import BadInput, DamagedFile
from schemas.manifests import FileEntry, ReleaseManifest
from schemas.tables import LEDGER
from tasks.io.store import releases
from tasks.io.store.releases import Draft, Release
from tasks.io.store.store import Store, parquet_bytes

LEDGER_ROWS = pa.Table.from_pylist(
    [{"record_id": f"a:{n}", "source": "a", "kept": n == 1, "image_id": n} for n in (1, 2)], LEDGER
)
IMAGES = pa.schema([("record_id", pa.string()), ("image", pa.struct([("bytes", pa.binary()), ("path", pa.string())]))])


@pytest.fixture(params=["local", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A store where nothing is yet; drafts of a store in memory are written to tmp_path/drafts."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "drafts"))
    if request.param == "local":
        yield Store(str(tmp_path / "store"))
        return
    found = Store(f"memory://{uuid.uuid4().hex}/store")
    yield found
    if found.fs.exists(found.root):
        found.fs.rm(found.root, recursive=True)


def manifest(
    files: dict[str, FileEntry], version: str = "aaaabbbbcccc", previous: str | None = None
) -> ReleaseManifest:
    return ReleaseManifest(
        name="art",
        version=version,
        previous=previous,
        lineage=0,
        split_sha256="0" * 64,
        contract_version="1",
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
    monkeypatch.setattr(releases, "_sync", noted(releases._sync))
    published(store)

    assert [release for _, release in seen] == [None] * len(seen)
    assert [files for files, _ in seen] == ([0] if store.is_local else [0, 1, 2, 3])
    assert releases.find_release(store, "art", "aaaabbbbcccc") is not None


def test_a_store_that_fails_halfway_publishes_nothing(store, tmp_path, monkeypatch):
    def full(*_args: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        if store.is_local:
            patch.setattr(releases, "_sync", full)
        else:
            patch.setattr(store, "write_bytes", full)
        with pytest.raises(OSError, match="No space left"):
            published(store)

    assert releases.find_release(store, "art", "aaaabbbbcccc") is None
    assert left_over(store, tmp_path) == []


def _flip(store: Store, path: str) -> None:
    data = bytearray(store.read_bytes(path))
    data[len(data) // 2] ^= 1
    store.fs.pipe_file(store.full(path), bytes(data))


DAMAGE = [
    pytest.param(lambda store, path: _flip(store, path), id="one-bit"),
    pytest.param(lambda store, path: store.fs.pipe_file(store.full(path), b""), id="emptied"),
    pytest.param(lambda store, path: store.fs.pipe_file(store.full(path), store.read_bytes(path) + b" "), id="longer"),
    pytest.param(lambda store, path: store.fs.rm_file(store.full(path)), id="deleted"),
]


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
    _flip(store, "releases/art/aaaabbbbcccc/README.md")
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
            _flip(store, f"releases/art/{version}/README.md")
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
    _flip(store, "releases/art/aaaabbbbcccc/README.md")
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
        draft.write("empty.txt", b"", rows=0)

    assert draft.files["README.md"] == FileEntry(sha256=hashlib.sha256(b"# Art\n").hexdigest(), bytes=6)
    assert draft.files["coco/train.json"].bytes == len('{"images":[]}')
    assert draft.files["empty.txt"] == FileEntry(sha256=hashlib.sha256(b"").hexdigest(), bytes=0, rows=0)
    assert draft.files["ledger.parquet"].rows == 2


def test_a_file_may_be_written_piece_by_piece(store):
    with releases.Draft(store) as draft:
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


def test_batches_follow_the_manifest_and_are_small(store):
    with Draft(store) as draft:
        for split, rows in (("val", 3), ("train", 300)):
            table = pa.table({"record_id": [f"{split}{n}" for n in range(rows)]})
            draft.write_parquet(f"images/{split}-00000-of-00001.parquet", [table], table.schema)
        draft.write("images/notes.txt", b"no table")
        draft.write("imagesque.parquet", b"no table")
        release = Release(draft.publish(manifest(dict(draft.files))))

    assert release.parts("images") == ["images/train-00000-of-00001.parquet", "images/val-00000-of-00001.parquet"]
    assert [batch.num_rows for batch in release.batches("images")] == [256, 44, 3]
    assert [batch.num_rows for batch in release.batches("images", rows=1000)] == [300, 3]
    assert release.parts("ledger") == []


# --- reading


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(None, id="no-manifest"),
        pytest.param(b"", id="empty"),
        pytest.param(b'{"name": "art", ', id="half-a-manifest"),
        pytest.param(b"[]", id="a-list"),
        pytest.param(b'{"name": "art"}', id="fields-missing"),
        pytest.param(b"\xff\xfe", id="no-text"),
    ],
)
def test_a_folder_that_is_no_release_is_bad_input(store, text):
    store.write_bytes("releases/art/v/README.md", b"# Art\n")
    if text is not None:
        store.write_bytes("releases/art/v/manifest.json", text)
    url = store.full("releases/art/v") if store.is_local else f"{store.url}/releases/art/v"

    with pytest.raises(BadInput, match="release:") as caught:
        Release(url)

    assert url in str(caught.value)
    assert "\n" not in str(caught.value)
    assert releases.find_release(store, "art", "v") is None


@pytest.mark.parametrize(
    "url", ["nope://x", "reference://x", "", "{tmp}/missing", "{tmp}/file", "{tmp}/file/below", "{tmp}/latest"]
)
def test_what_is_no_folder_is_bad_input(tmp_path, url):
    (tmp_path / "file").write_bytes(b"no folder")

    with pytest.raises(BadInput, match="release:") as caught:
        Release(url.format(tmp=tmp_path))

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "\x1b[2J"}, "name: expected text of one line, got '\\x1b[2J'"),
        ({"version": "a\nb"}, "version: expected text of one line"),
        ({"files": {"../x.parquet": {"sha256": "", "bytes": 0}}}, "expected paths inside the release, got '../x.parqu"),
        ({"files": {"/etc/passwd": {"sha256": "", "bytes": 0}}}, "expected paths inside the release"),
        ({"files": {"images/\x1b.parquet": {"sha256": "", "bytes": 0}}}, "expected paths inside the release"),
        ({"lineage": "x"}, "lineage: Input should be a valid integer"),
    ],
)
def test_a_manifest_names_only_what_is_in_the_release_and_can_be_printed(store, tmp_path, change, said):
    fields = json.loads(published(store).manifest_text) | change
    (tmp_path / "manifest.json").write_text(json.dumps(fields))
    with pytest.raises(BadInput) as refused:
        Release(str(tmp_path))
    assert said in str(refused.value)
    assert str(refused.value).isprintable()


def test_no_path_leads_out_of_a_release(store, tmp_path):
    release = published(store)
    with pytest.raises(DamagedFile, match="expected only paths inside release"):
        release.read("../latest")


def test_latest_is_followed(store):
    first, second = published(store, "000000000001"), published(store, "000000000002")
    latest = f"{first.url.rsplit('/', 1)[0]}/latest"
    assert releases.latest(store, "art") is None

    for release in (first, second, second, first):
        releases.point_latest(store, "art", release.manifest.version)

        assert store.read_bytes("releases/art/latest") == f"{release.manifest.version}\n".encode()
        assert Release(latest).manifest == Release(f"{latest}/").manifest == release.manifest
        assert Release(latest).url == release.url
        newest = releases.latest(store, "art")
        assert newest is not None
        assert newest.manifest == release.manifest


def test_latest_is_not_written_again(tmp_path):
    store = Store(str(tmp_path))
    releases.point_latest(store, "art", "v")
    before = (tmp_path / "releases/art/latest").stat()

    releases.point_latest(store, "art", "v")

    assert (tmp_path / "releases/art/latest").stat().st_ino == before.st_ino


@pytest.mark.parametrize("text", [b"", b"\n", b"missing\n", b"\xff\n"])
def test_a_latest_that_names_no_release_is_none(store, text):
    published(store, "000000000001")
    store.write_bytes("releases/art/latest", text)

    assert releases.latest(store, "art") is None
    url = store.full("releases/art/latest") if store.is_local else f"{store.url}/releases/art/latest"
    with pytest.raises(BadInput, match="release:"):
        Release(url)


def test_a_file_that_is_gone_is_damage(store):
    release = published(store)
    store.fs.rm_file(store.full("releases/art/aaaabbbbcccc/README.md"))

    with pytest.raises(DamagedFile, match=r"expected README.md .* got nothing"):
        release.read("README.md")
    assert release.file_entry("README.md") is None
    assert release.file_entry("ledger.parquet") == release.manifest.files["ledger.parquet"].model_copy(
        update={"rows": None}
    )


def test_a_release_is_read_wherever_it_was_copied(store, tmp_path):
    release = published(store)
    fsspec.filesystem("file").makedirs(str(tmp_path / "elsewhere"))
    for path in release.paths():
        (tmp_path / "elsewhere" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "elsewhere" / path).write_bytes(release.read(path))

    copied = Release(str(tmp_path / "elsewhere"))

    assert copied.is_intact()
    assert copied.manifest == release.manifest
    assert copied.url == str(tmp_path / "elsewhere")


def test_the_manifest_is_json_with_every_field(store):
    found = json.loads(published(store).read("manifest.json"))

    assert found["files"]["README.md"] == {"sha256": hashlib.sha256(b"# Art\n").hexdigest(), "bytes": 6, "rows": None}
    assert set(found) == set(ReleaseManifest.model_fields)


# --- the newest


def test_before_the_first_there_is_no_newest(store):
    assert releases.latest_text(store, "art") is None
    assert releases.latest(store, "art") is None
    assert releases.version_names(store, "art") == []


def test_only_folders_that_are_called_as_versions_count(store):
    published(store, "000000000001")
    for name in ("notes", "00000000000G", "0000000000011", "latest.next", ".DS_Store"):
        store.write_bytes(f"releases/art/{name}/manifest.json", b"{}")
    store.write_bytes("releases/art/000000000002/manifest.json", b"{}")

    assert releases.version_names(store, "art") == ["000000000001", "000000000002"]
    assert [release.manifest.version for release in releases.versions(store, "art")] == ["000000000001"]


@pytest.mark.parametrize("version", ["", ".", "..", "../art/000000000001", "000000000001/", "latest", "0" * 11])
def test_what_is_no_version_finds_no_release(store, version):
    published(store, "000000000001")
    assert releases.find_release(store, "art", version) is None


def test_a_publication_that_was_killed_before_latest_was_written_is_finished(store):
    published(store, "000000000001")
    releases.point_latest(store, "art", "000000000001")
    releases.announce(store, "art", "000000000002")
    published(store, "000000000002", "000000000001")

    newest = releases.latest(store, "art")
    assert newest is not None
    assert newest.manifest.version == "000000000002"

    releases.finish_publication(store, "art")
    assert store.read_bytes("releases/art/latest") == b"000000000002\n"
    assert store.list_folder("releases/art") == ["000000000001", "000000000002", "latest"]


def test_a_publication_that_was_killed_before_its_release_was_there_is_forgotten(store):
    published(store, "000000000001")
    releases.point_latest(store, "art", "000000000001")
    releases.announce(store, "art", "000000000002")

    releases.finish_publication(store, "art")
    newest = releases.latest(store, "art")
    assert newest is not None
    assert newest.manifest.version == "000000000001"

    releases.point_latest(store, "art", "000000000001")  # the next publication
    assert not store.exists("releases/art/latest.next")


@pytest.mark.parametrize(
    ("damaged", "expected"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param(["README.md", "coco/train.json"], [], id="what no build goes by"),
        pytest.param(["ledger.parquet"], ["ledger.parquet"], id="the ledger"),
    ],
)
@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_to_what_the_next_build_goes_by_is_found(store, damaged, expected, damage):
    release = published(store)
    for path in damaged:
        damage(store, f"releases/art/aaaabbbbcccc/{path}")
    assert release.damaged_memory() == expected


@pytest.mark.parametrize("data", [b"", b"no Parquet", b"PAR1" * 20])
def test_a_ledger_that_is_no_parquet_is_damage(store, data):
    release = published(store)
    store.write_bytes("releases/art/aaaabbbbcccc/ledger.parquet", data)
    with pytest.raises(DamagedFile, match=r"expected ledger\.parquet in release aaaabbbbcccc to be a Parquet file"):
        release.ledger()


def test_the_manifest_is_read_with_fields_that_this_program_knows(store):
    assert published(store).manifest_fields["lineage"] == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(b"\xff", "'utf-8' codec", id="no text"),
        pytest.param(b"", "expected a mapping, got None", id="nothing"),
        pytest.param(b"a: 1\na: 2", "expected each key once", id="a key twice"),
        pytest.param(b"a: !!python/name:os.system x", "plain values", id="another kind of value"),
        pytest.param(
            b"categories: []\nstages: [{screen: {}}]",
            "expected 'stages.0.screen.label' as releases have it",
            id="no label",
        ),
        pytest.param(b"limit: many", "expected 'limit' as releases have it, got 'many'", id="a limit of words"),
    ],
)
def test_a_recipe_that_is_none_is_damage(store: Store, text: bytes, said: str):
    with Draft(store) as draft:
        draft.write("recipe.yaml", text)
        url = draft.publish(manifest(draft.files))
    with pytest.raises(DamagedFile) as raised:
        Release(url).recipe()
    assert str(raised.value).startswith("recipe.yaml of release aaaabbbbcccc: ")
    assert said in str(raised.value)


def test_of_a_recipe_other_fields_are_passed_over(store: Store):
    with Draft(store) as draft:
        draft.write("recipe.yaml", b"seed: 1\nlimit: null\ncategories: [person]\nstages:\n- screen: {label: s, x: 1}\n")
        url = draft.publish(manifest(draft.files))
    recipe = Release(url).recipe()
    assert (recipe.limit, recipe.categories, recipe.stages[0]["screen"].label) == (None, ["person"], "s")


SCORES = {"images": 3, "figures": 4, "AP": 0.5, "AP50": 0.75, "AR100": 1, "APS": None}


@pytest.mark.parametrize(
    ("value", "place"),
    [
        pytest.param([], "'it'", id="a list"),
        pytest.param(None, "'it'", id="null"),
        pytest.param({**SCORES, "AP": "0.5"}, "'AP'", id="text"),
        pytest.param({**SCORES, "AP": float("nan")}, "'AP'", id="no number"),
        pytest.param({**SCORES, "AP50": 75}, "'AP50'", id="percent"),
        pytest.param({**SCORES, "images": [3]}, "'images'", id="a list of images"),
        pytest.param({name: SCORES[name] for name in SCORES if name != "AR100"}, "'AR100'", id="a field gone"),
    ],
)
def test_scores_of_another_shape_are_damage(store, value, place):
    with Draft(store) as draft:
        draft.write_json("evaluation.json", value)
        release = Release(draft.publish(manifest(dict(draft.files))))
    with pytest.raises(DamagedFile, match=f"evaluation.json of release aaaabbbbcccc: expected {place} as releases"):
        release.scores()


def test_scores_are_read_as_they_are_written(store):
    with Draft(store) as draft:
        draft.write_json("evaluation.json", SCORES)
        release = Release(draft.publish(manifest(dict(draft.files))))
    assert (release.scores().AP, release.scores().AR100, release.scores().figures) == (0.5, 1.0, 4)


def test_images_of_a_release_are_read_from_its_tables_whoever_wrote_them(store):
    rows = [{"bytes": b"x", "path": None}, None, {"bytes": None, "path": "y"}]
    table = pa.table(
        {"sha256": pa.array(["a", "b", "c"]).dictionary_encode(), "image": pa.array(rows, IMAGES.field("image").type)}
    )
    with Draft(store) as draft:
        draft.write("images/train.parquet", parquet_bytes(table))
        draft.write("images/val.parquet", parquet_bytes(pa.table({"sha256": ["d"], "image": [7]})))
        release = Release(draft.publish(manifest(dict(draft.files))))
    assert list(release.embedded_images()) == [("a", b"x")]
    assert release.rows("images", ["sha256"])["sha256"].to_pylist() == ["a", "b", "c", "d"]
    with pytest.raises(DamagedFile, match="expected files of the table annotations in release aaaabbbbcccc, got none"):
        release.rows("annotations", ["image_id"])
