"""Releases as they are read, whatever is damaged, wherever the store lies."""

import hashlib
import json

import fsspec
import pyarrow as pa
import pytest

from schemas.errors import BadInput, DamagedFile
from schemas.manifests import ReleaseManifest
from tasks.io.store import releases
from tasks.io.store.drafts import Draft
from tasks.io.store.releases import Release
from tasks.io.store.store import Store, parquet_bytes
from tests.support.small_release import DAMAGE, manifest, published

IMAGES = pa.schema([("record_id", pa.string()), ("image", pa.struct([("bytes", pa.binary()), ("path", pa.string())]))])


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


def test_a_table_of_more_rows_than_bytes_is_not_read(store):
    release = published(store)
    nulls = pa.table({name: pa.nulls(1_000_000, pa.string()) for name in ("record_id", "source")})
    store.write_bytes("releases/art/aaaabbbbcccc/ledger.parquet", parquet_bytes(nulls))
    with pytest.raises(DamagedFile, match=r"to be a table, got 1,000,000 rows in [\d,]+ bytes"):
        release.ledger()


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
        pytest.param(
            b"categories: [{name: a, keypoints: later-9}]\nstages: []",
            "categories[0].keypoints: expected one of animal-20, coco-17, face-106, got 'later-9'",
            id="a scheme that nobody has",
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
    assert (recipe.limit, recipe.category_names, recipe.stages[0]["screen"].label) == (None, ["person"], "s")


def test_a_recipe_says_what_its_categories_are(store: Store):
    text = b"""categories: [person, {name: dog, keypoints: animal-20, later: 1}, {name: hand, keypoints: hand-1}]
keypoint_schemes: {hand-1: {joints: [wrist], later: 1}}
stages: []
"""
    with Draft(store) as draft:
        draft.write("recipe.yaml", text)
        url = draft.publish(manifest(draft.files))
    found = [(category.name, category.scheme) for category in Release(url).recipe().coco_categories]
    assert [(name, scheme and len(scheme.joints)) for name, scheme in found] == [
        ("person", 17),
        ("dog", 20),
        ("hand", 1),
    ]


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
