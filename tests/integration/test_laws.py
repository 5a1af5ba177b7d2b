"""Laws 1, 3, 5 and 6 on whole builds: the same release however it is built, splits that stay, no half release in
sight.
"""

import contextlib
import csv
import json
import os
import random
import signal
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from flows.build_dataset import build_dataset, run_stages
from flows.recipes import recipe_from_file
from schemas.errors import Refusal
from schemas.manifests import Context
from tasks.io.store import releases
from tasks.io.store.releases import Release
from tasks.verify import verify
from tests.support.desk import RECIPE, ROOT, WEIGHTS, Desk, computed


def content(store: object) -> str:
    return Release(f"{store}/releases/museum/latest").manifest.content_sha256


@pytest.mark.server
@pytest.mark.parametrize(("part_rows", "workers"), [(7, 4), (100, 1), (None, 2)])
def test_part_rows_and_workers_change_nothing(prefect_server, tmp_path, painted, built, part_rows, workers):
    store = str(tmp_path / "another")
    url = build_dataset(
        str(RECIPE),
        store=store,
        bind={"images": str(painted), "weights": str(WEIGHTS)},
        workers=workers,
        part_rows=part_rows,
    )
    assert Release(url).manifest.content_sha256 == content(built.store)
    assert verify(url, is_deep=True).problems == ()


def command(store: Path, museum: Path, *more: str) -> list[str]:
    binds = ["--bind", f"images={museum}", "--bind", f"weights={WEIGHTS}"]
    return [sys.executable, "-m", "flows.cli", "build", str(RECIPE), "--store", str(store), *binds, *more]


@pytest.mark.server
@pytest.mark.live
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_killed_build_leaves_no_half_release_and_goes_on_to_the_same_end(
    prefect_server, tmp_path, painted, built, seed
):
    store, environment = tmp_path / "another", {**os.environ, "PREFECT_API_URL": prefect_server}
    lines_before = random.Random(seed).randrange(9)  # of progress on stderr, one for each stage
    build = subprocess.Popen(
        command(store, painted, "--part-rows", "9"),
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert build.stderr is not None
    for _ in range(lines_before):
        build.stderr.readline()
    os.killpg(build.pid, signal.SIGKILL)
    build.wait()
    build.stderr.close()
    for manifest in store.glob("releases/*/*/"):
        assert verify(str(manifest)).problems == ()
    again = subprocess.run(
        command(store, painted), cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert again.stdout.splitlines()[-1].startswith("release: ")
    assert content(store) == content(built.store)


@pytest.mark.server
@pytest.mark.live
def test_two_builds_at_once_end_in_one_intact_release(prefect_server, tmp_path, painted, built):
    store, environment = tmp_path / "another", {**os.environ, "PREFECT_API_URL": prefect_server}
    both = []
    for nth in range(2):
        with (tmp_path / f"stderr-{nth}").open("w") as stderr:
            both.append(
                subprocess.Popen(
                    command(store, painted), cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=stderr
                )
            )
    ends = [build.wait(timeout=300) for build in both]
    assert ends == [0, 0], [(tmp_path / f"stderr-{nth}").read_text()[-2000:] for nth in range(2)]
    assert len([path for path in (store / "releases/museum").iterdir() if path.is_dir()]) == 1
    assert verify(f"{store}/releases/museum/latest", is_deep=True).problems == ()
    assert content(store) == content(built.store)


@pytest.mark.server
@pytest.mark.live
def test_an_interrupted_build_says_so_and_exits_with_130(prefect_server, tmp_path, painted):
    build = subprocess.Popen(
        command(tmp_path / "store", painted, "--part-rows", "9"),
        cwd=ROOT,
        env={**os.environ, "PREFECT_API_URL": prefect_server},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # a shell without a terminal starts what runs in the background deaf to interrupts, and so all that it starts
    )
    assert build.stderr is not None
    build.stderr.readline()
    while build.poll() is None:  # Python drops an interrupt that falls into a finaliser: a person would press again too
        build.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            build.wait(timeout=10)
    _, err = build.communicate()
    assert build.returncode == 130
    sentence = "bilderatlas: interrupted: what was done is kept; run the same command again to continue"
    assert err.splitlines()[-1] == sentence
    assert "Traceback" not in err


@pytest.mark.server
@pytest.mark.live
def test_ctrl_c_in_a_terminal_ends_a_build_with_a_server_of_its_own(tmp_path, painted):
    """A terminal interrupts all programs of the command, and so the server: a flow that can't reach it any more waits
    for minutes.
    """
    names = {name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"}
    build = subprocess.Popen(
        command(tmp_path / "store", painted, "--part-rows", "9"),
        cwd=ROOT,
        env={**names, "PREFECT_HOME": str(tmp_path / "home")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert build.stderr is not None
    build.stderr.readline()
    for _ in range(3):  # see above
        os.killpg(build.pid, signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            build.wait(timeout=15)
            break
    try:
        assert build.returncode == 130
        assert "interrupted: what was done is kept" in build.stderr.read()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(build.pid, signal.SIGKILL)
        build.communicate()


@pytest.mark.server
@pytest.mark.live
def test_a_dask_cluster_gives_the_same_release(prefect_server, tmp_path, painted, built):
    from distributed import LocalCluster

    store = tmp_path / "another"
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50) as cluster:
        subprocess.run(
            command(store, painted, "--dask", cluster.scheduler_address, "--part-rows", "40"),
            cwd=ROOT,
            check=True,
            capture_output=True,
            env={**os.environ, "PREFECT_API_URL": prefect_server},
        )
    assert content(store) == content(built.store)


def test_a_store_in_memory_gives_the_same_release(painted, built):
    context = Context(store="memory://laws", bindings={"images": str(painted), "weights": str(WEIGHTS)})
    steps = run_stages(recipe_from_file(str(RECIPE)), context)
    assert content("memory://laws") == content(built.store)
    assert verify(steps[-1].release).problems == ()
    assert not any(step.computed for step in run_stages(recipe_from_file(str(RECIPE)), context))


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def test_images_by_address_give_the_same_pixels_and_splits_as_images_by_path(tmp_path, museum, built):
    server = ThreadingHTTPServer(("127.0.0.1", 0), lambda *a: Quiet(*a, directory=str(museum)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    _write(museum, [{**row, "image": f"{address}/{row['image']}"} for row in _rows(museum)])
    truth = json.loads((museum / "truth/annotations.json").read_text())
    for image in truth["images"]:
        image["file_name"] = f"{address}/{image['file_name']}"
    (museum / "truth/annotations.json").write_text(json.dumps(truth))
    desk = Desk(str(tmp_path / "another"), museum)
    desk.bound = {"origins": f"127.0.0.1={address}"}
    desk.build("manners.rate_per_s=2000")
    server.shutdown()
    server.server_close()
    assert _splits(desk) == _splits(built)
    assert computed(desk.build()) == {}, "what was had is kept: the server is gone"


def _splits(desk: Desk) -> dict[str, str]:
    rows = desk.latest.ledger().to_pylist()
    return {row["record_id"]: row["last_split"] for row in rows if row["kept"]}


def _rows(museum: Path) -> list[dict[str, str]]:
    with (museum / "works.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _write(museum: Path, rows: list[dict[str, str]]) -> None:
    with (museum / "works.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def test_images_keep_their_split_and_their_ids_while_others_come_go_and_return(measured):
    desk, museum = measured, measured.museum
    rows = _rows(museum)
    relaxed = ("max_loss_fraction=1", "stages.sample.at_most=1000", "stages.sample.top=100")
    _write(museum, rows[:100])
    desk.build(*relaxed)
    first, ids = _splits(desk), _ids(desk)
    _write(museum, rows)
    desk.build(*relaxed)
    second = _splits(desk)
    assert len(second) > len(first)
    assert {name: second[name] for name in first if name in second} == {
        name: first[name] for name in first if name in second
    }
    _write(museum, rows[30:])
    desk.build(*relaxed)
    gone = [row for row in desk.latest.ledger().to_pylist() if row["reason"] == "gone"]
    assert len(gone) == 30
    assert {name: split for name, split in second.items() if name in _names(gone)}.items() <= {
        row["record_id"]: row["last_split"] for row in gone
    }.items()
    _write(museum, rows[::-1])
    desk.build(*relaxed)
    assert _splits(desk) == second
    assert {name: number for name, number in _ids(desk).items() if name in ids} == ids
    assert desk.latest.manifest.lineage == 1
    assert verify(f"{desk.store}/releases/museum/latest", is_deep=True).problems == ()


def test_no_split_moves_when_the_memory_of_the_last_release_is_lost(measured):
    """Whatever is lost: the build ends in the same splits, or publishes nothing and says what to do."""
    desk, museum = measured, measured.museum
    rows, folder = _rows(museum), Path(measured.store) / "releases/museum"
    loose = ("max_loss_fraction=1", "stages.sample.at_most=1000", "stages.sample.top=100")
    _write(museum, rows[:90])
    desk.build(*loose)
    version, splits, whole = desk.latest.manifest.version, _splits(desk), content(desk.store)
    _write(museum, rows)
    manifest, ledger = folder / version / "manifest.json", folder / version / "ledger.parquet"
    (folder / "latest").rename(folder / "lost")
    with pytest.raises(Refusal, match=f"latest to name the release to go on from.*--previous VERSION.*{version}"):
        desk.build(*loose)
    (folder / "lost").rename(folder / "latest")
    text = manifest.read_text()
    for broken in (
        "{}",
        text[: len(text) // 2],
        text.replace(whole, "0" * 64),
        text.replace('"lineage": 1', '"lineage": 2'),
    ):
        manifest.write_text(broken)
        with pytest.raises(Refusal, match="nothing is published"):
            desk.build(*loose)
    manifest.write_text(text)
    assert verify(f"{folder}/{version}").problems == ()
    data = ledger.read_bytes()
    ledger.write_bytes(data[:-9])
    with pytest.raises(Refusal, match=f"expected release {version} again, which is damaged"):
        desk.build(*loose)
    _write(museum, rows[:90])
    assert any(f"release {version} of museum is damaged" in note for note in desk.build(*loose)["scrape"].notes)
    assert ledger.read_bytes() == data, "with the sources as they were, the very release is given again"
    assert verify(f"{folder}/{version}").problems == ()

    _write(museum, rows)
    (folder / "latest").unlink()
    desk.build(*loose, previous=version)
    more = _splits(desk)
    assert len(more) > len(splits)
    assert {name: more[name] for name in splits if name in more} == {
        name: splits[name] for name in splits if name in more
    }
    assert (desk.latest.manifest.previous, desk.latest.manifest.lineage) == (version, 1)
    desk.build(*loose, "seed=7", previous="none")
    assert (desk.latest.manifest.previous, desk.latest.manifest.lineage) == (None, 2)
    assert verify(f"{folder}/latest").problems == ()


def test_a_build_that_was_killed_before_it_wrote_latest_is_gone_on_from(measured, monkeypatch):
    desk, museum = measured, measured.museum
    rows, folder = _rows(museum), Path(measured.store) / "releases/museum"
    loose = ("max_loss_fraction=1", "stages.sample.at_most=1000", "stages.sample.top=100")
    _write(museum, rows[:90])
    with monkeypatch.context() as patch:
        patch.setattr(releases, "point_latest", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            desk.build(*loose)
    assert not (folder / "latest").exists()
    _write(museum, rows)
    desk.build(*loose)
    before = desk.latest.manifest.previous
    assert before is not None
    older = Release(f"{folder}/{before}").ledger().to_pylist()
    now = _splits(desk)
    assert {
        row["record_id"]: row["last_split"] for row in older if row["kept"] and row["record_id"] in now
    }.items() <= (now.items())


def _names(rows: list[dict]) -> set[str]:
    return {row["record_id"] for row in rows}


def _ids(desk: Desk) -> dict[str, int]:
    return {row["record_id"]: row["image_id"] for row in desk.latest.ledger().to_pylist()}


def test_a_better_copy_takes_the_split_in_which_its_work_was_published(measured):
    """A larger file of a published work arrives.

    The old one is dropped as its copy, and the work stays where it was.
    """
    from PIL import Image

    desk, museum = measured, measured.museum
    loose = ("max_loss_fraction=1", "stages.sample.at_most=1000", "stages.sample.top=100")
    desk.build(*loose)
    before = _splits(desk)
    rows = {f"museum:{row['key']}": row for row in _rows(museum)}
    chosen = sorted(before)[:12]
    truth = json.loads((museum / "truth/annotations.json").read_text())
    for name in chosen:
        row = rows[name]
        with Image.open(museum / row["image"]) as image:
            upright = image.convert("RGB") if image.getexif().get(0x0112, 1) == 1 else None
        if upright is not None:
            larger = f"images/larger-{row['key']}.png"
            width_px, height_px = upright.width * 2, upright.height * 2
            upright.resize((width_px, height_px), Image.Resampling.LANCZOS).save(museum / larger)
            rows[f"{name}x"] = {**row, "key": f"{row['key']}x", "image": larger}
            # looked at by people as well: else the annotated copy would be the better one
            image_id = len(rows) + 10_000
            truth["images"].append({"id": image_id, "file_name": larger, "width": width_px, "height": height_px})
    (museum / "truth/annotations.json").write_text(json.dumps(truth))
    _write(museum, list(rows.values()))
    desk.build(*loose)
    ledger = {row["record_id"]: row for row in desk.latest.ledger().to_pylist()}
    replaced = [name for name in chosen if ledger[name]["kept_record_id"] == f"{name}x"]
    kept = [name for name in replaced if ledger[f"{name}x"]["kept"]]
    assert len(kept) >= 6
    assert [ledger[f"{name}x"]["last_split"] for name in kept] == [before[name] for name in kept]


def test_works_of_one_declared_group_lie_in_one_split(measured):
    recipe = recipe_from_file(str(RECIPE)).model_dump(mode="json")
    recipe["sources"][0]["table"]["columns"]["group"] = "style"
    from schemas.recipe import Recipe

    desk = measured
    run_stages(Recipe.model_validate(recipe), desk.context())
    splits: dict[str, set[str]] = {}
    for batch in desk.latest.batches("images"):
        for row in batch.to_pylist():
            splits.setdefault(row["style"], set()).add(row["split"])
    assert len(splits) > 3
    assert all(len(found) == 1 for found in splits.values())
