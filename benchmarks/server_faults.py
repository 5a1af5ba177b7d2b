"""Builds whose Prefect server, database, worker or process fails under way: what becomes of each run.

    python -m benchmarks.server_faults [--only WORDS ...] [--museum FOLDER] [--out FILE] [--logs FOLDER]

Each fault has a server, a worker, a store and a run of the museum of its own. It ends well if the run is shown as
completed, `verify` passes its release and the event of it has arrived; or if it is shown as ended with one sentence,
and a run started again completes so. With --only, the other rows stay as they are.
Needs root (a small disk is mounted) and PostgreSQL (`make setup-postgres`).
"""

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import requests
import yaml

from benchmarks.campaign import museum as web_museum
from benchmarks.campaign import release_of
from benchmarks.release_growth import museum_of
from benchmarks.results import ROOT, commit, even, write
from tests.support.postgres import Postgres, running_postgres
from tests.support.prefect_api import ENDED, poll
from tests.support.prefect_server import PrefectServer
from tests.support.processes import processes_with
from tests.support.team import settings_of

POOL = "bilderatlas"
WEIGHTS = ROOT / "examples/museum/weights/figures.onnx"
OF_CLIENTS = ("PREFECT_WORKER", "PREFECT_FLOWS", "PREFECT_CLIENT")
SETTINGS = {name: value for name, value in settings_of("worker.env").items() if name.startswith(OF_CLIENTS)}
SMALL_DISK_MB = {"small disk": 24, "postgres on a small disk": 192}
SLOW = {
    "name": "slow",
    "manners": {"rate_per_s": 1.0, "connections": 1},
    "sources": [{"artic": {"name": "artic"}}],
    "stages": ["fetch", "hash", {"split": {"by": None, "order": None}}, {"export": {"parquet": {"images": "none"}}}],
}
UNDER_WAY, UNDER_WAY_SLOWLY = 300, 10  # images, of 2000 and of 300
LONGEST_S = 300
EVENTS_S = 60  # a server that has been busy writes them down with some delay
WHOLE = "whole"
NAME = "fault"
"""Of the deployment."""


class Scene:
    """A server with a worker, and a run of the museum."""

    def __init__(
        self, folder: Path, parameters: dict[str, Any], server: PrefectServer, postgres: Postgres | None
    ) -> None:
        self.folder, self.server, self._parameters, self._postgres = folder, server, parameters, postgres
        self.store, self.disk = folder / "store", folder / "disk"
        self.worker: subprocess.Popen[bytes] | None = None
        self.run = ""

    @property
    def has_postgres(self) -> bool:
        return self._postgres is not None

    @property
    def postgres(self) -> Postgres:
        assert self._postgres is not None
        return self._postgres

    def submit(self) -> str:
        """A run of the museum's deployment; its id."""
        return str(self.server.run_of(NAME, self._parameters)["id"])

    def blobs(self) -> int:
        return sum(1 for _ in self.store.glob("blobs/*/*"))

    def is_published(self) -> bool:
        return any(self.store.glob("releases/*/latest"))

    def until_under_way(self, blobs: int) -> None:
        poll(lambda: self.blobs() >= blobs, "a build that is under way", timeout_s=120)

    def until_published(self) -> None:
        poll(lambda: self.is_published() or not self.processes(), "a release", timeout_s=600)

    def processes(self) -> list[int]:
        """The processes of the run."""
        return [*processes_with("PREFECT__FLOW_RUN_ID", self.run)]

    def kill_worker(self) -> None:
        assert self.worker is not None
        os.kill(self.worker.pid, signal.SIGKILL)
        self.worker.wait()

    def kill_run(self) -> None:
        for process in self.processes():
            os.kill(process, signal.SIGKILL)

    def start_worker(self) -> None:
        """Start the worker, after the runs that were lost."""
        words = [sys.executable, "-m", "flows.serve.lost_runs", POOL]
        subprocess.run(words, cwd=ROOT, env=self.server.environment, check=True)
        self.worker = self.server.start_worker(POOL)

    def state(self, run: str) -> dict[str, Any]:
        """Its state, if the server answers."""
        with contextlib.suppress(requests.RequestException):
            answer = requests.get(f"{self.server.api}/flow_runs/{run}", timeout=10)
            return dict(answer.json().get("state") or {}) if answer.ok else {}
        return {}

    def published_events(self) -> int:
        """How often the server was told of the release: once for each run that has ended well, and at most once more
        where an answer was lost.
        """
        body = {"filter": {"event": {"name": ["dataset.published"]}}}
        until_s = time.monotonic() + EVENTS_S
        while not (events := self.server.post("events/filter", body)["events"]) and time.monotonic() < until_s:
            time.sleep(1)
        return len(events)

    def end(self, run: str, longest_s: float) -> dict[str, Any]:
        """The state in which a run ends, or in which it still is after so long."""
        until_s = time.monotonic() + longest_s
        while (state := self.state(run)).get("type") not in ENDED and time.monotonic() < until_s:
            time.sleep(0.5)
        return state


def server_is_restarted(scene: Scene) -> None:
    scene.server.stop()
    time.sleep(15)
    scene.server.start()


def server_is_killed(scene: Scene) -> None:
    scene.server.signal(signal.SIGKILL)
    time.sleep(5)
    scene.server.start()


def server_is_away_at_the_end(scene: Scene) -> None:
    scene.server.stop()
    scene.until_published()
    time.sleep(120)
    scene.server.start()


def server_hangs(scene: Scene) -> None:
    scene.server.signal(signal.SIGSTOP)
    time.sleep(90)
    scene.server.signal(signal.SIGCONT)


def postgres_is_away(scene: Scene) -> None:
    scene.postgres.stop()
    time.sleep(30)
    scene.postgres.start()


def postgres_is_away_at_the_end(scene: Scene) -> None:
    scene.postgres.stop()
    scene.until_published()
    time.sleep(30)
    scene.postgres.start()


def disk_is_full_at_the_end(scene: Scene) -> None:
    """Nobody makes room before half a minute after the release; then a database that has ended is started again."""
    filler = scene.disk / "filler"
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    scene.until_published()
    time.sleep(30)
    filler.unlink()
    if scene.has_postgres and not scene.postgres.is_running():
        scene.postgres.start()


def run_is_killed(scene: Scene) -> None:
    scene.kill_run()


def worker_is_killed(scene: Scene) -> None:
    scene.kill_worker()


def worker_is_stopped(scene: Scene) -> None:
    """As a service is stopped and started again, by deployments/team/bilderatlas-worker.service: all at once."""
    scene.kill_worker()
    scene.kill_run()
    scene.start_worker()


def machine_is_restarted(scene: Scene) -> None:
    """As a power cut does; then all of it starts again, as `serve` does it."""
    scene.kill_worker()
    scene.kill_run()
    scene.server.signal(signal.SIGKILL)
    scene.server.start()
    scene.server.until_ready()
    scene.start_worker()


class Fault(NamedTuple):
    """Something that happens while a run is under way, with the database that the server needs for it."""

    act: Callable[[Scene], None]
    database: str = "sqlite"
    is_slow: bool = False
    """Whether the run asks a host on the web once a second, for five minutes."""


FAULTS = {
    "server stopped, and started 15 s later": Fault(server_is_restarted),
    "server killed, and started 5 s later": Fault(server_is_killed),
    "server away until 2 min after the release": Fault(server_is_away_at_the_end),
    "server hangs for 90 s": Fault(server_hangs),
    "PostgreSQL away for 30 s": Fault(postgres_is_away, "postgres"),
    "PostgreSQL away until 30 s after the release": Fault(postgres_is_away_at_the_end, "postgres"),
    "disk of the server's database full until 30 s after the release": Fault(disk_is_full_at_the_end, "small disk"),
    "disk of PostgreSQL full until 30 s after the release": Fault(disk_is_full_at_the_end, "postgres on a small disk"),
    "run killed (as for want of memory)": Fault(run_is_killed),
    "worker killed": Fault(worker_is_killed),
    "worker stopped, and started again": Fault(worker_is_stopped, is_slow=True),
    "server started again in a run of five minutes": Fault(server_is_restarted, is_slow=True),
    "power cut, then all started again": Fault(machine_is_restarted),
}


def try_fault(name: str, fault: Fault, folder: Path, museum: Path, logs: Path | None) -> dict[str, Any]:
    """A row of the table: what became of a run that met the fault."""
    (folder / "prefect").mkdir()
    with database(fault.database, folder) as (settings, postgres), recipe(fault, folder, museum) as (path, parameters):
        server = PrefectServer(folder / "prefect", **SETTINGS, **settings)
        scene = Scene(folder, parameters, server, postgres)
        try:
            server.until_ready()
            words = ["deploy", path, "--name", NAME, "--store", str(scene.store)]
            subprocess.run([sys.executable, "-m", "flows.cli", *words], cwd=ROOT, env=server.environment, check=True)
            scene.start_worker()
            return {"fault": name, **outcome(scene, fault), "commit": commit()[:7]}
        finally:
            for process in (scene.worker, server.process):
                if process is not None:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            scene.kill_run()
            if logs is not None:
                shutil.copytree(folder / "prefect", logs / name.replace(" ", "-"), dirs_exist_ok=True)


def outcome(scene: Scene, fault: Fault) -> dict[str, Any]:
    began_s = time.monotonic()
    scene.run = scene.submit()
    scene.until_under_way(UNDER_WAY_SLOWLY if fault.is_slow else UNDER_WAY)
    fault.act(scene)
    over_s = time.monotonic()
    state = scene.end(scene.run, longest_s=LONGEST_S)
    message = (state.get("message") or "").replace(f"{scene.folder}/", "")
    release = release_is_whole(scene.store)
    row = {
        "the run ends as": state.get("name", "unknown"),
        "with the sentence": message,
        "known after": f"{time.monotonic() - over_s:.0f} s",
        "seconds in all": round(time.monotonic() - began_s),
        "release": release,
        "worker": "runs" if scene.worker and scene.worker.poll() is None else "ended",
        "started again": "",
    }
    is_well = state.get("type") == "COMPLETED" and release == WHOLE
    if state.get("type") != "COMPLETED":
        blobs = scene.blobs()
        if row["worker"] == "ended":
            scene.start_worker()
        again_s = time.monotonic()
        scene.run = scene.submit()
        again = scene.end(scene.run, longest_s=LONGEST_S)
        seconds = time.monotonic() - again_s
        release = release_is_whole(scene.store)
        row["started again"] = f"{again.get('name')}, {blobs} images were there, {seconds:.0f} s"
        row["release"] = f"{row['release']}, then {release}"
        is_told = state.get("type") in ENDED and is_sentence(message)
        is_well = is_told and again.get("type") == "COMPLETED" and release == WHOLE
    events = scene.published_events()
    return {**row, "events": events, "ended well": is_well and events > 0}


def is_sentence(message: str) -> bool:
    """Whether a person can read it: no traceback, and no name of an error alone."""
    return len(message.splitlines()) == 1 and "Traceback" not in message and " " in message


def release_is_whole(store: Path) -> str:
    latest = next(store.glob("releases/*/latest"), None)
    if latest is None:
        return "none"
    words = [sys.executable, "-m", "flows.cli", "verify", str(release_of(store, latest.parent.name))]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    return WHOLE if done.returncode == 0 else f"damaged: {done.stderr[-300:]}"


@contextlib.contextmanager
def recipe(fault: Fault, folder: Path, museum: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """A recipe and the parameters of a run: the museum in a folder, or the museum on the web, asked politely."""
    if not fault.is_slow:
        yield "museum", {"bind": {"images": str(museum), "weights": str(WEIGHTS)}}
        return
    path = folder / "slow.yaml"
    path.write_text(yaml.safe_dump(SLOW), encoding="utf-8")
    options = ["--records", "300", "--paintings", "60", "--cache", str(ROOT / "build/paintings-60")]
    with web_museum(folder / "visits.jsonl", *options) as url:
        yield str(path), {"bind": {"origins": f"*={url}", "contact": "curator@museum.example"}}


KEEPS = {name: text for name, text in settings_of("server.env").items() if name.startswith("PREFECT_SERVER_SERVICES_")}
"""How long a team's server, which has PostgreSQL, keeps what."""


@contextlib.contextmanager
def database(kind: str, folder: Path) -> Iterator[tuple[dict[str, str], Postgres | None]]:
    """Settings of a server that keeps its runs in such a database."""
    url = "PREFECT_SERVER_DATABASE_CONNECTION_URL"
    with contextlib.ExitStack() as stack:
        disk = stack.enter_context(small_disk(folder / "disk", SMALL_DISK_MB[kind])) if kind in SMALL_DISK_MB else None
        if kind.startswith("postgres"):
            postgres = stack.enter_context(running_postgres(disk))
            yield {url: postgres.url, **KEEPS}, postgres
        else:
            yield {} if disk is None else {url: f"sqlite+aiosqlite:///{disk}/prefect.db"}, None


@contextlib.contextmanager
def small_disk(folder: Path, size_mb: int) -> Iterator[Path]:
    folder.mkdir()
    folder.parent.chmod(0o711)  # PostgreSQL has a user of its own
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size_mb}m,mode=755", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[""], metavar="WORDS", help="faults whose names have these words")
    parser.add_argument("--museum", type=Path, help="a museum of 2000 records that is painted already")
    parser.add_argument("--out", type=Path, help="where to write the result, for trials")
    parser.add_argument("--logs", type=Path, help="a folder for the logs of servers and workers")
    arguments = parser.parse_args()
    are_all_well = True
    for name, fault in FAULTS.items():
        if any(words in name for words in arguments.only):
            with tempfile.TemporaryDirectory(prefix="server-faults-") as scratch:
                museum = museum_of(arguments.museum, Path(scratch))
                row = try_fault(name, fault, Path(scratch), museum, arguments.logs)
            are_all_well = are_all_well and row["ended well"]
            rows = {**rows_before(arguments.out), name: row}
            good = sum(bool(row["ended well"]) for row in rows.values())
            in_order = even([rows[name] for name in FAULTS if name in rows])
            write("server-faults", in_order, {"faults": len(rows), "ended_well": good}, path=arguments.out)
    return 0 if are_all_well else 1


def rows_before(path: Path | None) -> dict[str, dict[str, Any]]:
    """The rows that were written before, by fault: what is tried anew takes their place."""
    path = path or ROOT / "benchmarks/results/server-faults.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.exists() else []
    return {row["fault"]: row for row in rows if "ended well" in row}


if __name__ == "__main__":
    sys.exit(main())
