"""Law 2 and what a user sees of it: run again, change one thing, and only what depends on it is done.

`plan` says so before.
"""

import contextlib
import csv
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pyarrow.parquet as pq
import pytest

import tasks.dedup
import tasks.dedup.relate
import tasks.dedup.search
import tasks.detect
import tasks.engine.inspection
import tasks.quality
import tasks.sample
import tasks.scrape
import tasks.screen
import tasks.split
import tasks.subjects.detectors
import tasks.subjects.view_hashes
from examples.museum.folder import write_museum
from flows.build_dataset import run_stages
from flows.builds import Build, shared_build
from flows.recipes import recipe_from_file
from schemas.quality import Quality
from tests.support.desk import RECIPE, ROOT, SEED, WEIGHTS, Desk, by_label, computed

UNTIL_EXPORT = ["scrape", "fetch", "hash", "shape", "dedup", "detect", "has-a-figure", "sample", "split", "export"]


def test_a_second_build_computes_nothing_and_finds_its_version(desk):
    first = desk.build()
    before = desk.latest.manifest
    assert list(first) == UNTIL_EXPORT
    assert set(computed(first)) == set(UNTIL_EXPORT) - {"hash"}  # fetch has measured what it got
    assert computed(desk.plan()) == {}
    assert computed(desk.build()) == {}
    assert desk.latest.manifest == before


CHANGES = [
    pytest.param(["stages.split.seed=7"], {"split", "export"}, id="the seed of split"),
    pytest.param(
        ["stages.has-a-figure.figures.score=0.6"], {"has-a-figure", "sample", "split", "export"}, id="a threshold"
    ),
    pytest.param(
        ["stages.dedup.radius_bits=2"], {"dedup", "detect", "has-a-figure", "sample", "split", "export"}, id="a radius"
    ),
    pytest.param(["stages.sample.at_most=3"], {"sample", "split", "export"}, id="the size of the sample"),
    pytest.param(["title=Another"], {"export"}, id="a title"),
    pytest.param(
        ["stages.detect.least_score=0.1"],
        {"detect", "has-a-figure", "sample", "split", "export"},
        id="a setting of the detector",
    ),
]


@pytest.mark.parametrize(("changes", "may_change"), CHANGES)
def test_a_changed_setting_redoes_only_what_depends_on_it(built, changes, may_change):
    planned = set(computed(built.plan(*changes)))
    built = set(computed(built.build(*changes)))
    assert built <= may_change
    assert planned >= built  # a plan may not know yet that a later decision will see what it saw before
    assert next(label for label in UNTIL_EXPORT if label in may_change) in built
    assert "export" in built
    assert planned <= may_change


def test_another_seed_of_split_deals_everything_afresh_and_lineage_rises(built):
    one = built.latest.manifest
    steps = built.build("stages.split.seed=7")
    two = built.latest.manifest
    assert set(computed(steps)) == {"split", "export"}
    assert (one.lineage, two.lineage, two.previous) == (1, 2, one.version)
    assert one.content["annotations"] != two.content["annotations"]
    built.build("stages.split.seed=7")
    assert built.latest.manifest == two


CODES = [
    pytest.param(tasks.dedup, "dedup", {"dedup"}, id="a rule of dedup, which decides as before"),
    pytest.param(tasks.sample, "sample", {"sample"}, id="a rule of sample, which draws as before"),
    pytest.param(tasks.screen, "shape", {"shape", "has-a-figure"}, id="a rule of screen: both decide as before"),
    pytest.param(tasks.detect, "detect", {"detect"}, id="the detector's code: every image is looked at again"),
    pytest.param(tasks.engine.inspection, "hash", {"hash"}, id="the hash's code"),
    pytest.param(tasks.scrape, "scrape", {"scrape"}, id="a parser: the kept answers are read again, none is asked for"),
]


@pytest.mark.parametrize(("shell", "label", "redone"), CODES)
def test_changed_code_redoes_its_stage_and_what_then_differs(
    built, monkeypatch: pytest.MonkeyPatch, shell: ModuleType, label, redone
):
    version = built.latest.manifest.version
    if shell is tasks.engine.inspection:
        monkeypatch.setattr(shell, "HASHES", "measures/hash/another-digest")
    elif shell is tasks.detect:
        monkeypatch.setitem(tasks.subjects.detectors._CODE, "onnx", ("tasks.subjects.detectors.detections",))
    else:
        monkeypatch.setattr(shell, "CODE", "another digest")
    assert label in computed(built.plan())
    again = built.build()
    assert set(computed(again)) == redone
    assert again[label].computed == {"detect": 136, "hash": 158}.get(label, 1)
    assert built.latest.manifest.version == version


def test_changed_code_of_split_deals_again_where_anything_is_to_be_dealt(built, monkeypatch: pytest.MonkeyPatch):
    """Published images keep their splits, whatever the code; so here the store has lost its releases."""
    version = built.latest.manifest.version
    for code, redone in ((tasks.split.CODE, {"export"}), ("another digest", {"split", "export"})):
        shutil.rmtree(Path(built.store) / "releases")
        monkeypatch.setattr(tasks.split, "CODE", code)
        assert set(computed(built.build())) == redone
        assert built.latest.manifest.version == version


MEASURES = [
    pytest.param(tasks.subjects.view_hashes, "CODE", "another digest", id="hashes of views"),
    pytest.param(tasks.dedup.search, "CODE", "another digest", id="the search for near hashes"),
    pytest.param(tasks.dedup.relate, "FOLDER", "measures/relations/another", id="the second look"),
]


@pytest.mark.parametrize(("shell", "name", "other"), MEASURES)
def test_changed_code_of_what_dedup_measures_does_it_again_and_decides_as_before(
    built, monkeypatch: pytest.MonkeyPatch, shell: ModuleType, name, other
):
    """What it measures is counted by no step: the new tables stand beside the old ones and say the same."""
    version, before = built.latest.manifest.version, _measures(built)
    monkeypatch.setattr(shell, name, other)
    assert "dedup" not in computed(built.build())
    assert built.latest.manifest.version == version
    after = _measures(built)
    new = {folder: rows for folder, rows in after.items() if folder not in before}
    assert new
    assert {folder: after[folder] for folder in before} == before, "a search forgets only what it has outgrown"
    for folder, rows in new.items():
        assert rows in [was for old, was in before.items() if old.split("/")[0] == folder.split("/")[0]]


def _measures(built: Desk) -> dict[str, int]:
    """Rows of each measure, by its folder below measures."""
    top = Path(built.store) / "measures"
    found: dict[str, int] = {}
    for path in sorted(top.rglob("*.parquet")):
        folder = "/".join(path.relative_to(top).parts[:2])
        found[folder] = found.get(folder, 0) + pq.read_metadata(path).num_rows
    return found


def test_changed_code_of_the_scores_scores_all_again(built, monkeypatch: pytest.MonkeyPatch):
    recipe = recipe_from_file(str(RECIPE))
    place = [stage.label for stage in recipe.stages].index("hash") + 1
    scored = recipe.model_copy(
        update={"stages": (*recipe.stages[:place], Quality(label="quality"), *recipe.stages[place:])}
    )

    def build() -> dict[str, int]:
        return computed(by_label(run_stages(scored, built.context())))

    first = build()
    assert first["quality"] > 0
    assert "quality" not in build()
    monkeypatch.setattr(tasks.quality, "FOLDER", "measures/quality/another")
    assert build() == {"quality": first["quality"]}


def test_new_images_are_fetched_hashed_and_detected_and_no_others(tmp_path, measured):
    desk = measured
    desk.build()
    more = tmp_path / "more"
    write_museum(more, 40, SEED + 1, processes=1)
    added = _add_rows(desk.museum, more, 6)
    planned = desk.plan()
    assert planned["fetch"].computed == 6
    assert planned["hash"].computed == 0  # fetch measures what it gets
    assert planned["detect"].computed == 6  # at most: a screen may drop some before
    steps = desk.build()
    assert (steps["fetch"].computed, steps["hash"].computed) == (6, 0)
    assert 0 < steps["detect"].computed <= 6
    assert desk.latest.ledger().num_rows == 160 + 6
    assert set(added) <= set(desk.latest.ledger()["record_id"].to_pylist())


def _add_rows(museum: Path, more: Path, count: int) -> list[str]:
    """Copy the first rows with plain images of another museum; their record_ids."""
    with (more / "works.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    faulty = {line.split(",")[0] for line in (more / "truth/faults.csv").read_text(encoding="utf-8").splitlines()}
    copies = {line.split(",")[1] for line in (more / "truth/duplicates.csv").read_text(encoding="utf-8").splitlines()}
    chosen = [row for row in rows if row["key"] not in faulty | copies][:count]
    with (museum / "works.csv").open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        for row in chosen:
            image = f"images/new/{Path(row['image']).name}"
            (museum / image).parent.mkdir(exist_ok=True)
            shutil.copy(more / row["image"], museum / image)
            writer.writerow({**row, "key": f"new-{row['key']}", "image": image})
    return [f"museum:new-{row['key']}" for row in chosen]


DAMAGES = [
    pytest.param(lambda path: path.write_bytes(path.read_bytes()[:-7]), id="cut short"),
    pytest.param(
        lambda path: path.write_bytes(bytes([path.read_bytes()[0] ^ 1]) + path.read_bytes()[1:]), id="one bit flipped"
    ),
    pytest.param(lambda path: path.unlink(), id="gone"),
]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize(
    ("where", "label"),
    [
        ("measures/detect/*/*", "detect"),
        ("measures/hash/*/*", "hash"),
        ("decisions/dedup/*/*", "dedup"),
        ("decisions/records/*/*", "scrape"),
        ("outcomes/screen/*", None),
        ("retrievals/museum/*", "fetch"),
        ("releases/museum/*/ledger.parquet", "export"),
        ("releases/museum/*/coco/train.json", "export"),
    ],
)
def test_a_damaged_table_is_recomputed_and_the_release_is_the_same(built, damage, where, label):
    content = built.latest.manifest.content_sha256
    for path in Path(built.store).glob(where):
        damage(path)
    planned = built.plan()
    steps = built.build()
    assert set(computed(steps)) == ({label} if label else set())
    assert set(computed(planned)) >= set(computed(steps))
    assert built.latest.manifest.content_sha256 == content
    assert built.latest.is_intact()
    assert computed(built.build()) == {}


def test_a_blob_that_is_gone_is_fetched_again(built):
    blobs = sorted(Path(built.store).glob("blobs/*/*"))
    blobs[0].unlink()
    blobs[1].write_bytes(b"short")
    steps = built.build()
    assert set(computed(steps)) == {"fetch"}
    assert computed(built.build()) == {}


def test_a_plan_leaves_no_trace(desk):
    assert computed(desk.plan())["fetch"] == 159  # of 160: a look at their beginnings says that one is no image
    assert not Path(desk.store).exists()
    desk.build()
    before = sorted((str(path), path.stat().st_mtime_ns) for path in Path(desk.store).rglob("*"))
    desk.plan("stages.split.seed=99", "stages.dedup.radius_bits=3")
    assert sorted((str(path), path.stat().st_mtime_ns) for path in Path(desk.store).rglob("*")) == before


def test_a_limited_build_is_never_latest(measured):
    desk = measured
    limited = desk.build(limit=20)
    assert limited["scrape"].dropped == {"over_limit": 140}
    assert not (Path(desk.store) / "releases/museum/latest").exists()
    desk.build()
    latest = desk.latest.manifest.version
    desk.build(limit=20)
    assert desk.latest.manifest.version == latest


def test_a_changed_file_is_fetched_again_and_an_equal_copy_of_the_folder_gives_the_same_release(tmp_path, measured):
    desk = measured
    desk.build()
    content = desk.latest.manifest.content_sha256
    moved = Desk(desk.store, Path(shutil.copytree(desk.museum, tmp_path / "elsewhere")))
    steps = moved.build()
    assert set(computed(steps)) <= {"fetch"}
    assert desk.latest.manifest.content_sha256 == content
    images = sorted((desk.museum / "images").rglob("*.jpg"))
    shutil.copy(images[0], images[1])
    assert desk.build()["fetch"].computed == 1


# --- a build that has nothing to do


def begun(desk: Desk, *changes: str) -> contextlib.AbstractContextManager[Build]:
    return shared_build(recipe_from_file(str(RECIPE), changes), desk.context())


def test_a_build_of_an_empty_store_is_not_stored_and_runs_each_stage_once(tmp_path, painted, built, capsys):
    desk = Desk(str(tmp_path / "empty"), painted)
    capsys.readouterr()
    with begun(desk) as build:
        assert not build.is_stored()
        assert not Path(desk.store, "releases").exists()
        steps = by_label(build.finish())
    assert list(steps) == UNTIL_EXPORT
    assert [
        line.partition(":")[0] for line in capsys.readouterr().err.splitlines() if " kept, " in line
    ] == UNTIL_EXPORT
    assert desk.latest.manifest.content_sha256 == built.latest.manifest.content_sha256


def test_an_unchanged_build_is_stored_and_its_release_is_latest_again(built):
    first = built.latest.manifest.version
    built.build("stages.sample.at_most=3")
    assert built.latest.manifest.version != first
    with begun(built, "stages.sample.at_most=3") as build:
        assert build.is_stored()
        assert computed(by_label(build.finish())) == {}


@pytest.mark.parametrize(
    ("changes", "stored"),
    [
        pytest.param(["stages.sample.at_most=3"], UNTIL_EXPORT[:-1], id="another release to write"),
        pytest.param(["stages.detect.least_score=0.1"], UNTIL_EXPORT[:5], id="another measure to take"),
    ],
)
def test_what_is_stored_is_not_done_again_where_there_is_more_to_do(built, changes, stored, capsys):
    with begun(built, *changes) as build:
        assert not build.is_stored()
        assert [line.partition(":")[0] for line in capsys.readouterr().err.splitlines() if " kept, " in line] == stored
        build.finish()
    assert [line.partition(":")[0] for line in capsys.readouterr().err.splitlines() if " kept, " in line] == [
        label for label in UNTIL_EXPORT if label not in stored
    ]
    assert computed(built.plan(*changes)) == {}


@pytest.mark.parametrize(
    "where", ["measures/detect/*/*", "decisions/dedup/*/*", "releases/museum/*/coco/train.json", "blobs/*/*"]
)
def test_what_is_damaged_is_not_stored_and_is_mended(built, where):
    before = built.latest.manifest.content_sha256
    victim = next(Path(built.store).glob(where))
    victim.write_bytes(b"")
    with begun(built) as build:
        assert build.is_stored() == where.startswith("decisions")  # a decision is taken again at once
        build.finish()
    assert built.latest.manifest.content_sha256 == before
    assert built.latest.is_intact()


@pytest.mark.server
def test_an_unchanged_build_starts_no_server(built, tmp_path, monkeypatch):
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "a file"))
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    words = [
        *(sys.executable, "-m", "flows.cli", "build", str(RECIPE), "--store", built.store),
        *("--bind", f"images={built.museum}", "--bind", f"weights={WEIGHTS}"),
    ]
    unchanged = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert unchanged.returncode == 0, unchanged.stderr
    assert unchanged.stdout.splitlines()[-2:] == [
        "nothing to do: the store has all of it",
        f"release: {built.latest.url}",
    ]
    changed = subprocess.run([*words, "--set", "title=Another"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert changed.returncode == 2
    assert "PREFECT_HOME: expected a folder" in changed.stderr
