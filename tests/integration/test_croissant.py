"""croissant.json as mlcroissant 1.1.1 reads it: each record of each record set, and files that have changed."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from schemas.contract import CROISSANT, SPLIT_TABLES
from schemas.errors import DamagedFile
from schemas.release import ReleaseRecipe
from tasks.core.export.croissant import REFERENCES
from tasks.io.store.releases import Release
from tasks.purge import purge
from tasks.subjects.croissant import croissant_of
from tasks.verify import verify
from tests.support.desk import ROOT, Desk
from tests.support.reader_places import PYTHON, Place

HOSTILE = "</script><script>alert(1)</script> \u202eevil\u202c & <b> " + "x" * 10_000


def read_by_mlcroissant(folder: Path, tmp_path: Path, *names: str) -> dict[str, Any]:
    done = subprocess.run(
        [PYTHON["readers"], ROOT / "tests/support/croissant.py", folder / CROISSANT, *names],
        cwd=tmp_path,
        env={"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def copy_of(release: Release, folder: Path) -> Path:
    return Path(shutil.copytree(release.root, folder / Path(release.root).name))


def tables_of(release: Release) -> dict[str, pa.Table]:
    """By record set the columns without image bytes, of the tables that have rows."""
    document = release.read_json(CROISSANT)
    names = [node["@id"] for node in document["recordSet"] if not node["@id"].startswith("files/")]
    places = {name: release.parts(name) or [f"statistics/{name}.parquet"] for name in names if name != "splits"}
    return {
        name: pa.concat_tables([release.table(path, but="image") for path in paths]) for name, paths in places.items()
    }


@pytest.mark.readers
@pytest.mark.parametrize("place", ["museum", "peopleart"], indirect=True)
def test_every_record_of_every_record_set_is_a_row_of_parquet(place: Place, tmp_path: Path):
    release = place.release
    seen = read_by_mlcroissant(Path(release.root), tmp_path)
    assert (seen["failed"], seen["errors"]) == ({}, [])
    # what only people know: how it is cited, and the day on which they publish it
    assert [warning.split('"')[1].rpartition("/")[2] for warning in seen["warnings"]] == ["datePublished"]
    expected = {name: table.num_rows for name, table in tables_of(release).items()}
    for path, entry in release.manifest.files.items():
        if path.startswith(tuple(f"{table}/" for table in SPLIT_TABLES if table in expected)):
            expected[f"files/{path.removesuffix('.parquet')}"] = entry.rows or 0
    assert seen["counts"] == {**expected, "splits": 3}
    assert {"images", "annotations", "detections", "ledger", "fingerprints", "labels"} <= expected.keys()


@pytest.mark.readers
def test_a_changed_file_is_found_wherever_it_lies(museum_place: Place, tmp_path: Path):
    folder = copy_of(museum_place.release, tmp_path)
    changed = ("images/train-00000-of-00001", "annotations/val-00000-of-00001", "ledger")
    for path in (folder / f"{name}.parquet" for name in changed):
        data = path.read_bytes()
        middle = len(data) // 2
        path.write_bytes(data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :])
    sets = [name if name == "ledger" else f"files/{name}" for name in changed]
    seen = read_by_mlcroissant(folder, tmp_path, *sets, "files/images/val-00000-of-00001")
    assert [*seen["counts"]] == ["files/images/val-00000-of-00001"]
    assert seen["failed"].keys() == {*sets}
    assert all("is not identical with the reference" in problem for problem in seen["failed"].values())


@pytest.mark.readers
def test_hostile_texts_are_texts_to_it(museum_place: Place, tmp_path: Path):
    folder = copy_of(museum_place.release, tmp_path)
    recipe = yaml.safe_load((folder / "recipe.yaml").read_text())
    (folder / "recipe.yaml").write_text(yaml.safe_dump({**recipe, "title": HOSTILE, "description": HOSTILE}))
    release = Release(str(folder))
    (folder / CROISSANT).write_bytes(croissant_of(release, release.manifest, None))
    seen = read_by_mlcroissant(folder, tmp_path, "ledger")
    assert (seen["name"], seen["description"]) == (HOSTILE, HOSTILE.strip())
    assert seen["counts"] == {"ledger": 160}


@pytest.mark.readers
def test_what_a_purge_leaves_is_read(built: Desk, tmp_path: Path):
    gone = next(row["record_id"] for row in built.latest.ledger().to_pylist() if row["kept"])
    purge("museum", built.store, [gone], "withdrawn", "2025-01-02")
    seen = read_by_mlcroissant(Path(built.latest.root), tmp_path)
    assert seen["failed"] == {}
    assert seen["counts"]["images"] < 57
    assert seen["counts"]["tombstones"] == 57 - seen["counts"]["images"]


def test_a_purge_writes_it_anew(built: Desk):
    before = built.latest.read_json(CROISSANT)
    gone = next(row["record_id"] for row in built.latest.ledger().to_pylist() if row["kept"])
    purge("museum", built.store, [gone], "withdrawn", "2025-01-02")
    after = built.latest.read_json(CROISSANT)
    assert verify(built.latest.url).problems == ()
    assert (before.get("dateModified"), after["dateModified"]) == (None, "2025-01-02")
    digests = {node["@id"]: node["sha256"] for node in after["distribution"] if "sha256" in node}
    entries = built.latest.manifest.files
    assert digests == {path: entries[path].sha256 for path in digests}
    assert "tombstones.parquet" in digests
    assert digests["ledger.parquet"] not in str(before)
    assert "taken_down" in str(after["rai:dataPreprocessingProtocol"])
    # another day, another record: again
    other = next(row["record_id"] for row in built.latest.ledger().to_pylist() if row["kept"])
    purge("museum", built.store, [other], "withdrawn", "2025-03-04")
    assert built.latest.read_json(CROISSANT)["dateModified"] == "2025-03-04"
    assert verify(built.latest.url).problems == ()


def test_a_dry_run_leaves_it(built: Desk):
    before = built.latest.read(CROISSANT)
    gone = next(row["record_id"] for row in built.latest.ledger().to_pylist() if row["kept"])
    purge("museum", built.store, [gone], "withdrawn", "2025-01-02", is_dry=True)
    assert built.latest.read(CROISSANT) == before


def test_a_release_without_it_is_purged_without_it(built: Desk):
    """As development versions wrote them."""
    folder = Path(built.latest.root)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / CROISSANT).unlink()
    del manifest["files"][CROISSANT]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    gone = next(row["record_id"] for row in built.latest.ledger().to_pylist() if row["kept"])
    purge("museum", built.store, [gone], "withdrawn", "2025-01-02")
    assert CROISSANT not in built.latest.manifest.files
    assert not (folder / CROISSANT).exists()


def test_whoever_writes_it_writes_the_same(built: Desk):
    release = built.latest
    assert release.read(CROISSANT) == croissant_of(Release(release.url), release.manifest, None)


@pytest.mark.parametrize("dataset", ["museum", pytest.param("peopleart", marks=pytest.mark.readers)])
def test_references_hold(dataset: str, request: pytest.FixtureRequest):
    release = request.getfixturevalue(f"{dataset}_place").release
    tables, checked = tables_of(release), 0
    splits = next(node for node in release.read_json(CROISSANT)["recordSet"] if node["@id"] == "splits")["data"]
    tables["splits"] = pa.table({"name": [row["splits/name"] for row in splits]})
    for (table, column), target in REFERENCES.items():
        home, key = target.split("/")
        if table in tables:
            values, keys = (set(tables[name][of].to_pylist()) for name, of in ((table, column), (home, key)))
            assert values - {None} <= keys, (table, column)
            checked += 1
    assert checked > 10


def test_its_fields_are_the_columns_of_the_files(built: Desk):
    release = built.latest
    assert isinstance(release.recipe(), ReleaseRecipe)
    for node in release.read_json(CROISSANT)["recordSet"]:
        if node["@id"] in SPLIT_TABLES:
            for path in release.parts(node["@id"]):
                assert [field["name"] for field in node["field"]] == pq.read_schema(f"{release.root}/{path}").names


def with_other_times(folder: Path) -> None:
    for path in (folder / "images").glob("*.parquet"):
        table = pq.ParquetFile(path).read()
        place = table.column_names.index("retrieved_at")
        pq.write_table(table.set_column(place, "retrieved_at", pa.array(["today"] * table.num_rows)), path)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        pytest.param(with_other_times, f"expected {CROISSANT} .* to be what follows from tables", id="odd times"),
        pytest.param(
            lambda folder: (folder / "contract/labels.arrow").write_bytes(b"no schema"),
            "expected contract/labels.arrow .* to be an Arrow schema",
            id="no schema",
        ),
        pytest.param(
            lambda folder: (folder / "contract/images.arrow").write_bytes(pa.schema([]).serialize()),
            f"expected {CROISSANT} .* to be what follows from tables",
            id="a schema without the key",
        ),
        pytest.param(
            lambda folder: (folder / "contract/ledger.odcs.yaml").write_text("[]"),
            "contract/ledger.odcs.yaml of release .*: expected a mapping",
            id="no contract",
        ),
    ],
)
def test_what_it_follows_from_may_come_from_anybody(
    damage: Callable[[Path], Any], said: str, built: Desk, tmp_path: Path
):
    folder = copy_of(built.latest, tmp_path)
    damage(folder)
    release = Release(str(folder))
    with pytest.raises(DamagedFile, match=said):
        croissant_of(release, release.manifest, None)


def test_of_a_contract_without_a_table_there_is_no_record_set(built: Desk):
    release = built.latest
    files = {path: entry for path, entry in release.manifest.files.items() if path != "contract/labels.arrow"}
    made = croissant_of(release, release.manifest.model_copy(update={"files": files}), None)
    assert b'"labels.parquet"' not in made
    assert b'"ledger.parquet"' in made
