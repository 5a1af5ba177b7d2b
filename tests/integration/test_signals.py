"""A build that is told to end, or killed, wherever it is: it ends at once, says so, and leaves nothing behind."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
import requests
import yaml

from tasks.verify import verify
from tests.support.desk import RECIPE, ROOT, WEIGHTS, Desk
from tests.support.prefect_api import poll
from tests.support.prefect_server import QUIET
from tests.support.processes import temporary_servers
from tests.support.servers import Site, answer, serving

pytestmark = [pytest.mark.server, pytest.mark.live]
IN_TIME_S = 15
"""7 s at most, and as long again for a machine that others use."""
SENTENCES = {
    signal.SIGINT: "bilderatlas: interrupted: what was done is kept; run the same command again to continue",
    signal.SIGTERM: "bilderatlas: terminated: what was done is kept; run the same command again to continue",
}


class Build:
    """A command in a process of its own."""

    def __init__(self, folder: Path, *words: str, api: str | None = None) -> None:
        self.home = folder / "home"
        names = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT")}
        of_prefect = {"PREFECT_HOME": str(self.home), **({"PREFECT_API_URL": api} if api else {})}
        self.stderr = folder / "stderr"
        with self.stderr.open("w") as stderr:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "flows.cli", *words],
                cwd=ROOT,
                env={**names, **QUIET, **of_prefect},
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                # a shell without a terminal starts what runs in the background deaf to interrupts
            )

    def said(self) -> str:
        return self.stderr.read_text()

    def servers(self) -> set[int]:
        return temporary_servers(self.home)

    def until(self, question: Callable[[], object], what: str) -> None:
        def answer() -> bool:
            assert self.process.poll() is None, f"expected {what}, got the end of the build:\n{self.said()}"
            return bool(question())

        poll(answer, what, timeout_s=120)

    def end(self, number: signal.Signals) -> None:
        """Send the signal once; the build ends in time, with its sentence and status, and its server with it."""
        began_s = time.monotonic()
        self.process.send_signal(number)
        assert self.process.wait(timeout=60) == 128 + number, self.said()
        assert time.monotonic() - began_s < IN_TIME_S
        assert self.said().splitlines()[-1] == SENTENCES[number]
        assert self.said().count("bilderatlas:") == 1
        assert "Traceback" not in self.said()
        poll(lambda: not self.servers(), "the end of the temporary server", timeout_s=IN_TIME_S)


@contextlib.contextmanager
def started(folder: Path, *words: str, api: str | None = None) -> Iterator[Build]:
    build = Build(folder, *words, api=api)
    try:
        yield build
    finally:
        build.process.kill()
        build.process.wait()


def museum_words(store: Path, museum: Path, *more: str) -> list[str]:
    binds = ["--bind", f"images={museum}", "--bind", f"weights={WEIGHTS}"]
    return ["build", str(RECIPE), "--store", str(store), *binds, *more]


@pytest.mark.parametrize("lines", [0, 2])
def test_the_temporary_server_of_a_build_that_is_killed_ends_with_it(tmp_path, painted, lines):
    with started(tmp_path, *museum_words(tmp_path / "store", painted, "--part-rows", "9")) as build:
        build.until(build.servers, "a temporary server")
        build.until(lambda: build.said().count("\n") >= lines, f"{lines} stages")
        build.process.kill()
        build.process.wait()
        poll(lambda: not build.servers(), "the end of the temporary server", timeout_s=IN_TIME_S)


@pytest.mark.parametrize(("number", "lines"), [(signal.SIGTERM, 0), (signal.SIGTERM, 4), (signal.SIGINT, 1)])
def test_a_signal_ends_a_build_in_any_stage_and_the_next_goes_on_to_the_same_end(
    tmp_path, painted, built, number, lines
):
    store = tmp_path / "another"
    words = museum_words(store, painted, "--part-rows", "9")
    with started(tmp_path, *words) as build:
        build.until(build.servers, "a temporary server")
        build.until(lambda: build.said().count("\n") >= lines, f"{lines} stages")
        build.end(number)
    assert not list(store.glob("releases/*/*/")), "nothing was published"
    desk = Desk(str(store), painted)
    desk.build()
    assert desk.latest.manifest.content_sha256 == built.latest.manifest.content_sha256
    assert verify(f"{store}/releases/museum/latest", is_deep=True).problems == ()


@pytest.fixture
def site() -> Iterator[Site]:
    """A server that answers no request for an image, until the test is over."""
    is_over = threading.Event()

    def never(request: BaseHTTPRequestHandler) -> None:
        is_over.wait(120)
        request.close_connection = True

    with serving() as pages:
        pages.at("/robots.txt", answer(404))
        pages.at("/1.jpg", never)
        yield pages
        is_over.set()


def flow_runs(api: str) -> list[dict[str, str]]:
    runs: list[dict[str, str]] = requests.post(f"{api}/flow_runs/filter", json={}, timeout=30).json()
    return runs


@pytest.mark.parametrize("number", SENTENCES, ids=lambda number: number.name)
def test_a_signal_ends_a_build_whose_source_never_answers_and_the_server_hears_of_it(
    prefect_server, tmp_path, site, number
):
    (tmp_path / "works.csv").write_text(f"key,image\n1,{site.url}/1.jpg\n")
    source = {"name": "works", "at": "works", "table": "works.csv", "columns": {"key": "key", "image": "image"}}
    recipe = {
        "name": "waiting",
        "sources": [{"table": source}],
        "bindings": {"works": "a folder"},
        "stages": [{"fetch": {"timeout_s": 600}}, "hash", {"split": {"by": None, "order": None}}, {"export": {}}],
    }
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(recipe))
    before = {run["id"] for run in flow_runs(prefect_server)}
    binds = ["--bind", f"works={tmp_path}", "--bind", f"origins=127.0.0.1={site.url}"]
    words = ["build", str(tmp_path / "recipe.yaml"), "--store", str(tmp_path / "store"), *binds]
    with started(tmp_path, *words, api=prefect_server) as build:
        build.until(lambda: site.requests("/1.jpg"), "a request for the image")
        build.end(number)
    (state,) = [run["state_type"] for run in flow_runs(prefect_server) if run["id"] not in before]
    assert state == "CRASHED"
