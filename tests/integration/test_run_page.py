"""What Prefect's page shows of a build, tried on a real server: names, log, artifacts, failures, events and what they
start, pause and resume; and that no secret lies in the server's database.
"""

import base64
import csv
import http.server
import json
import subprocess
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from PIL import Image
from prefect.settings import PREFECT_API_URL, temporary_settings

from examples.museum.serve.server import serving
from examples.museum.serve.works import CatalogueHall
from flows.serve.automations import create_automations
from tasks.io.store.releases import Release
from tests.support.deployed import RunPage, deployed, events
from tests.support.desk import RECIPE, ROOT, WEIGHTS, Desk
from tests.support.guesthouse import SECRET, SOURCES, STAGES
from tests.support.prefect_api import ENDED, poll
from tests.support.prefect_server import BIN, PrefectServer

pytestmark = [pytest.mark.server, pytest.mark.live]
HOOK = "hook-of-nobody"
BUILD, VERIFY = "build_dataset/museum", "verify_release/verify"
STAGE_LABELS = ["scrape", "fetch", "hash", "shape", "dedup", "detect", "has-a-figure", "sample", "split", "export"]


@pytest.fixture(scope="module")
def posted() -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """An address to which somebody is told something, and what has come there."""
    came: list[tuple[str, Any]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            came.append((self.path, json.loads(body)))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listener:
        thread = threading.Thread(target=listener.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{listener.server_port}/{HOOK}", came
        listener.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def running(
    tmp_path_factory: pytest.TempPathFactory, posted: tuple[str, list[tuple[str, Any]]]
) -> Iterator[PrefectServer]:
    home = tmp_path_factory.mktemp("prefect")
    with deployed(home, FLICKR_IN_TESTS=SECRET) as server:
        with temporary_settings({PREFECT_API_URL: server.api}):
            create_automations(posted[0])
            create_automations(posted[0])  # in place of the first ones
        yield server


@pytest.fixture
def server(running: PrefectServer) -> Iterator[PrefectServer]:
    yield running
    running.check_logs()


def parameters(store: Path, museum: Path, **more: Any) -> dict[str, Any]:
    return {"store": str(store), "bind": {"images": str(museum), "weights": str(WEIGHTS)}, **more}


def runs_of(server: PrefectServer, deployment: str, release: str) -> list[dict[str, Any]]:
    """Runs of a deployment with that release as their parameter."""
    found = server.get(f"deployments/name/{deployment}")["id"]
    runs = server.post("flow_runs/filter", {"deployments": {"id": {"any_": [found]}}})
    return [run for run in runs if run["parameters"]["release"] == release]


def test_a_run_shows_its_names_its_progress_its_tables_and_its_release_and_a_second_one_that_all_was_cached(
    server, painted, tmp_path
):
    given = parameters(tmp_path / "store", painted, limit=60, seed=5)
    first = RunPage(server, given, BUILD)
    state = first.end()
    (folder,) = (tmp_path / "store/releases/museum").iterdir()
    release = Release(str(folder))
    kept = release.manifest.counts["kept"]
    trial = "; a trial of 60 records of each source, which never becomes latest"
    assert state == f"COMPLETED: published {kept} images as {folder}{trial}"
    assert first.run["name"] == f"museum · {folder.name}"

    tasks = first.tasks()
    assert set(tasks) >= {f"museum · {label}" for label in STAGE_LABELS} | {"museum · fetch · part 2 of 2"}
    assert not [name for name in tasks if not name.startswith("museum · ")]
    fetched = {row["stage"]: row for row in json.loads(first.artifacts()["museum-stages"])}["fetch"]
    assert tasks["museum · fetch"]["message"] == f"{fetched['kept']} kept, {fetched['dropped']} dropped"
    assert {state["name"] for state in tasks.values()} == {"Completed", "Cached"}  # hash: fetch measures what it gets

    log = first.log()
    parts = [line for line in log if line.startswith("fetch · part ")]
    assert len(parts) == len([name for name in tasks if name.startswith("museum · fetch · part ")]) == 2
    assert not [line for line in log if "Finished in state" in line or "Created task run" in line]

    shown = first.artifacts()
    assert {"museum-plan", "museum-stages", "museum-dropped", "museum-release"} <= shown.keys()
    assert {"museum-progress-fetch", "museum-progress-dedup-views", "museum-progress-detect"} <= shown.keys()
    assert shown["museum-progress-fetch"] == 100.0
    by_stage = {row["stage"]: row for row in json.loads(shown["museum-plan"])}
    assert by_stage["fetch"]["what would be done"].startswith("fetch 60 of 60")
    assert "over_limit" in {row["reason"] for row in json.loads(shown["museum-dropped"])}
    page = shown["museum-release"]
    assert trial in page
    assert f"[report.html]({(folder / 'report.html').as_uri()})" in page
    assert f"[ledger.parquet]({(folder / 'ledger.parquet').as_uri()})" in page
    picture = page.partition("data:image/jpeg;base64,")[2].partition(")")[0]
    with Image.open(BytesIO(base64.b64decode(picture))) as sheet:
        assert sheet.width > 500

    second = RunPage(server, given, BUILD)
    assert second.end() == f"COMPLETED: nothing to do: {folder} stands, with {kept} images{trial}"
    assert {name: state["name"] for name, state in second.tasks().items()} == {
        f"museum · {label}": "Cached" for label in STAGE_LABELS
    }
    assert "museum-plan" not in second.artifacts()

    def sent_for(release: str) -> list[dict[str, Any]]:
        return [event for event in events(server, "dataset.published") if event["payload"]["release"] == release]

    # a busy server writes events down a few seconds after they came
    sent = poll(lambda: found if len(found := sent_for(str(folder))) == 2 else None, "both events", timeout_s=60)
    assert [event["payload"]["is_new"] for event in sent] == [False, True]
    assert {event["payload"]["content_sha256"] for event in sent} == {release.manifest.content_sha256}
    assert sent[0]["payload"] | {"name": "museum", "version": folder.name, "limit": 60} == sent[0]["payload"]
    assert sent[0]["resource"]["prefect.resource.id"] == "bilderatlas.dataset.museum"
    related = {entry["prefect.resource.role"]: entry for entry in sent[0]["related"]}
    assert related["flow-run"]["prefect.resource.id"] == f"prefect.flow-run.{second.id}"
    assert related["flow-run"]["prefect.resource.name"] == f"museum · {folder.name}"
    assert related["deployment"]["prefect.resource.name"] == "museum"

    def verified() -> list[dict[str, Any]]:
        runs = runs_of(server, VERIFY, str(folder))
        return runs if [(run["state"] or {}).get("type") for run in runs] == ["COMPLETED"] * 2 else []

    runs = poll(verified, "the flow downstream, which starts on both", timeout_s=120)
    assert {run["name"] for run in runs} == {f"museum · verify {folder.name}"}
    assert runs[0]["state"]["message"] == f"museum {folder.name} holds all that it promises"


def test_a_plan_is_shown_and_nothing_is_done(server, painted, tmp_path):
    page = RunPage(server, parameters(tmp_path / "store", painted, limit=60, plan_only=True), BUILD)
    assert page.end() == "COMPLETED: nothing was done: the plan is among the artifacts"
    assert page.run["name"] == "museum · plan"
    assert list(page.artifacts()) == ["museum-plan"]
    assert page.tasks() == {}
    assert not list((tmp_path / "store").rglob("*.parquet"))


def test_bad_input_is_one_sentence_in_state_and_log(server, tmp_path):
    page = RunPage(server, parameters(tmp_path / "store", tmp_path / "nowhere"), BUILD)
    sentence = f"binding 'images': expected a folder, got '{tmp_path / 'nowhere'}', which does not exist"
    assert page.end() == f"FAILED: {sentence}"
    assert page.log(40) == [sentence]
    assert not [line for line in page.log() if "Traceback" in line]


@pytest.mark.parametrize(
    ("deployment", "name"), [("evaluate_detector/detectors", "evaluate · "), ("train_detector/training", "train · ")]
)
def test_so_it_is_of_an_evaluation_and_of_a_training(server, tmp_path, deployment, name):
    given = {
        "truth": str(tmp_path / "nowhere"),
        "store": str(tmp_path / "store"),
        "out": None,
        "changes": ["threads=1"],
    }
    page = RunPage(server, {key: given[key] for key in given if key != "changes" or "train" in name}, deployment)
    state = page.end()
    assert state.startswith("FAILED: "), state
    assert "expected" in state
    assert str(tmp_path / "nowhere") in state
    assert page.log(40) == [state.removeprefix("FAILED: ")]
    assert page.run["name"].startswith(name)


def test_a_release_that_breaks_a_promise_fails_its_check_in_one_sentence(server, built):
    folder = Path(built.latest.root)
    (folder / "README.md").write_text("another")
    page = RunPage(server, {"release": str(folder)}, VERIFY)
    state = page.end()
    assert state.startswith(f"FAILED: verify: expected release {folder.name} of museum to hold all that it promises, ")
    assert page.log(40) == [state.removeprefix("FAILED: ")]
    assert "README.md" in page.artifacts()["museum-verify"]


def test_a_source_that_has_shrunk_and_a_build_that_was_refused_are_told(server, built, museum, posted):
    with (museum / "works.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    with (museum / "works.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows[:-30])
    page = RunPage(server, parameters(Path(built.store), museum), BUILD)
    state = page.end()
    assert state.startswith("FAILED: export: expected at least 95% of the "), state
    assert page.log(40) == [state.removeprefix("FAILED: ")]
    *stages, outside = [row["stage"] for row in json.loads(page.artifacts()["museum-stages"])]
    assert (stages[-1], outside) == ("split", "outside the stages")
    (refused,) = poll(lambda: events(server, "dataset.refused"), "the refusal", timeout_s=60)
    (shrunk,) = poll(lambda: events(server, "source.shrunk"), "the source", timeout_s=60)
    assert refused["payload"]["reason"] == state.removeprefix("FAILED: ")
    assert shrunk["payload"] == {"name": "museum", "source": "museum", "before": 160, "now": 130}
    came = poll(lambda: posted[1] if len(posted[1]) == 2 else None, "two messages", timeout_s=60)
    assert {path for path, _ in came} == {f"/{HOOK}"}
    assert sorted(message["text"] for _, message in came) == [
        "museum: museum has shrunk\nIt lists 130 works; at the last release it listed 160.",
        f"museum: nothing is published\n{refused['payload']['reason']}",
    ]


def pause(server: PrefectServer, run_id: str, longest: timedelta) -> None:
    """What the page's button sends."""
    details = {"pause_timeout": (datetime.now(UTC) + longest).isoformat(), "pause_reschedule": True}
    suspended = {"type": "PAUSED", "name": "Suspended", "state_details": details}
    assert server.post(f"flow_runs/{run_id}/set_state", {"state": suspended, "force": True})["status"] == "ACCEPT"


def slow_run(server: PrefectServer, store: Path, museum: Path, stage: str) -> RunPage:
    """A build in small parts, once it works on one of a stage (of any: "")."""
    page = RunPage(server, parameters(store, museum, workers=1, part_rows=1), BUILD)
    poll(lambda: [name for name in page.tasks() if f"{stage} · part 1" in name], "the first part", timeout_s=180)
    return page


def test_a_paused_run_ends_its_process_and_goes_on_from_the_store_when_it_is_resumed(server, built, painted, tmp_path):
    store = tmp_path / "paused"
    page = slow_run(server, store, painted, "museum · fetch")
    pause(server, page.id, timedelta(minutes=5))

    def end() -> dict[str, Any] | None:
        state = page.tasks()["museum · fetch"]  # null for a moment, on a busy server
        return state if state and state["type"] == "CANCELLED" else None

    assert poll(end, "the end of the stage")["message"].startswith(
        "paused: what was done is kept; resume the run to go on"
    )
    assert page.run["state"]["name"] == "Suspended"
    poll(lambda: not list(store.glob("leases/*")), "a store that nobody holds")
    of_run = f"prefect.flow-run.{page.id}"
    told = poll(lambda: events(server, "bilderatlas.flow-run.paused"), "the event by which it is not taken for lost")
    assert [event["resource"]["prefect.resource.id"] for event in told] == [of_run]
    assert server.post(f"flow_runs/{page.id}/resume", {})["status"] == "ACCEPT"
    assert page.end().startswith("COMPLETED: ")
    assert page.tasks()["museum · scrape"]["name"] == "Cached"
    digest = Release(f"{store}/releases/museum/latest").manifest.content_sha256
    assert digest == built.latest.manifest.content_sha256


def test_a_run_that_is_cancelled_or_whose_pause_runs_out_is_gone_on_with_by_a_new_one(server, built, painted, tmp_path):
    store = tmp_path / "left"
    cancelled = slow_run(server, store, painted, "museum · fetch")
    server.post(f"flow_runs/{cancelled.id}/set_state", {"state": {"type": "CANCELLING", "name": "Cancelling"}})
    assert cancelled.until(*ENDED).startswith("CANCELLED: ")
    poll(lambda: not list(store.glob("leases/*")), "a store that nobody holds")
    kept = {path.name for path in store.glob("blobs/*/*")}
    paused = slow_run(server, store, painted, "")  # the first may have left nothing to fetch
    pause(server, paused.id, timedelta(seconds=1))
    assert paused.until(*ENDED).startswith("FAILED: The flow was paused and never resumed")
    poll(lambda: not list(store.glob("leases/*")), "a store that nobody holds")
    again = RunPage(server, parameters(store, painted), BUILD)
    assert again.end().startswith("COMPLETED: ")
    assert kept
    assert kept <= {path.name for path in store.glob("blobs/*/*")}
    digest = Release(f"{store}/releases/museum/latest").manifest.content_sha256
    assert digest == built.latest.manifest.content_sha256


def test_no_secret_lies_in_the_servers_database_its_logs_or_the_store(server, tmp_path):
    recipe = tmp_path / "recipe.yaml"
    sources = [{word: {"name": word, **SOURCES[word]}} for word in ("flickr", "met")]
    fields = {
        "name": "web",
        "bindings": {"flickr": "the site's key"},
        "manners": {"rate_per_s": 2000, "connections": 16},
        "sources": sources,
        "stages": STAGES,
    }
    recipe.write_text(yaml.safe_dump(fields), encoding="utf-8")
    with serving(CatalogueHall(7, 30, 6)) as opened:
        bind = {"origins": f"*={opened.url}", "flickr": "env:FLICKR_IN_TESTS"}
        page = RunPage(server, {"recipe": str(recipe), "store": str(tmp_path / "store"), "bind": bind}, BUILD)
        assert page.end().startswith("COMPLETED: ")
        assert [line for line in opened.log if SECRET in str(line)], "the source was asked with the secret"
    home = server.log.path.parent
    files = [file for folder in (home, tmp_path) for file in folder.rglob("*") if file.is_file()]
    assert home / "prefect.db" in files
    for word in (SECRET, HOOK):
        assert [str(file) for file in files if word.encode() in file.read_bytes()] == []


def test_a_build_of_ones_own_is_told_to_the_server_that_is_named_also_where_all_was_there(server, built: Desk):
    binds = ["--bind", f"images={built.museum}", "--bind", f"weights={WEIGHTS}"]
    done = subprocess.run(
        [BIN / "bilderatlas", "build", str(RECIPE), "--store", built.store, *binds],
        env=server.environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    release = done.stdout.splitlines()[-1].removeprefix("release: ")

    def sent() -> list[dict[str, Any]]:
        return [event for event in events(server, "dataset.published") if event["payload"]["release"] == release]

    assert [event["payload"]["is_new"] for event in poll(sent, "the event", timeout_s=20)] == [False]
