"""Pages of other origins, in chromium and as raw requests, against `serve` and a build's temporary server: they
start nothing, change nothing and hear nothing. Whoever may ask still does, by each name and address of the machine.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import requests
from playwright.sync_api import Browser, Page, sync_playwright
from prefect.client.orchestration import SyncPrefectClient
from prefect.workers.process import ProcessWorker

from flows.serve.pool import update_pool
from tasks.page.artifacts import SETTING
from tests.support.desk import ROOT
from tests.support.prefect_api import PrefectApi
from tests.support.prefect_server import QUIET
from tests.support.serve import Serve

pytestmark = [pytest.mark.server, pytest.mark.live]
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
EVIL, NAME = "evil.example", "box.example"
_MAPPED = [f"MAP {name} 127.0.0.1" for name in (EVIL, NAME)]
RULES = ", ".join([*_MAPPED, "MAP * ~NOTFOUND", "EXCLUDE 127.0.0.*", "EXCLUDE localhost"])
POOL = "bilderatlas"

ATTACK = """
async ([url, deployment, flow, pool, mark]) => {
  const api = `${url}/api`;
  const blob = value => new Blob([JSON.stringify(value)]);
  const send = (path, method, mode, value) =>
    fetch(`${api}/${path}`, {method, mode, body: blob(value)}).then(answer => answer.status, () => 'refused');
  const run = {name: mark, state: {type: 'SCHEDULED'}, job_variables: {command: `touch ${mark}`}};
  const pull = [{'prefect.deployments.steps.run_shell_script': {script: `touch ${mark}`}}];
  const made = {name: mark, flow_id: flow, pull_steps: pull, work_pool_name: pool, entrypoint: 'flows.train.train'};
  const changed = {description: mark, is_paused: true};
  const hears = path => new Promise(resolve => {
    const pipe = new WebSocket(`${api.replace('http', 'ws')}/${path}`, ['prefect']);
    pipe.onopen = () => resolve('opened');
    pipe.onerror = () => resolve('refused');
  });
  const framed = () => new Promise(resolve => {
    const frame = document.createElement('iframe');
    frame.onload = () => resolve('loaded');
    frame.src = `${url}/ui-settings`;
    document.body.appendChild(frame);
  });
  navigator.sendBeacon(`${api}/deployments/${deployment}/create_flow_run`, blob(run));
  await framed();
  return {
    run: await send(`deployments/${deployment}/create_flow_run`, 'POST', 'no-cors', run),
    run_with_cors: await send(`deployments/${deployment}/create_flow_run`, 'POST', 'cors', run),
    deployment: await send('deployments/', 'POST', 'no-cors', made),
    pool: await send(`work_pools/${pool}`, 'PATCH', 'cors', changed),
    reading: await fetch(`${api}/flows/`).then(answer => answer.status, () => 'refused'),
    events: await hears('events/out'),
    logs: await hears('logs/out'),
    sending: await hears('events/in'),
  };
}
"""


class Target(NamedTuple):
    """A server, and what a page of another origin would like to use of it."""

    server: PrefectApi
    port: int
    deployment: str
    flow: str

    def state(self, mark: str) -> tuple[Any, ...]:
        """What an attack would change."""
        pool = self.server.get(f"work_pools/{POOL}")
        deployments = {entry["name"] for entry in self.server.post("deployments/filter", {})}
        runs = self.server.post("flow_runs/filter", {"flow_runs": {"name": {"any_": [mark]}}})
        return pool["description"], pool["is_paused"], pool["base_job_template"], deployments, runs


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    running = Serve(tmp_path_factory.mktemp("prefect"), "--host", "0.0.0.0", "--allowed-host", NAME)
    with running.until_end():
        yield running


@pytest.fixture(scope="module")
def lasting(serve: Serve) -> Target:
    museum = serve.get("deployments/name/build_dataset/museum-nightly")
    return Target(serve, int(serve.page.rpartition(":")[2]), museum["id"], museum["flow_id"])


PROGRAM = "from flows.runner import start_server; print(start_server(), flush=True); input()"
"""What a build does before its first stage that has something to do."""
PATIENT = {"PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120"}


@pytest.fixture(scope="module")
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    home = tmp_path_factory.mktemp("home")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**environment, "PREFECT_HOME": str(home), **PATIENT, **QUIET},
        cwd=ROOT,
        text=True,
    )
    try:
        assert process.stdout is not None
        server = PrefectApi()
        server.api = next(line.strip() for line in process.stdout if line.startswith("http://"))
        flow = server.post("flows/", {"name": "a flow"})["id"]
        template = ProcessWorker.get_default_base_job_template()
        server.post("work_pools/", {"name": POOL, "type": "process", "base_job_template": template})
        body = {"name": "a deployment", "flow_id": flow, "work_pool_name": POOL, "entrypoint": "flows.train.train"}
        deployment = server.post("deployments/", body)["id"]
        yield Target(server, int(server.api.removesuffix("/api").rpartition(":")[2]), deployment, flow)
    finally:
        process.communicate("\n", timeout=60)


@pytest.fixture(params=["lasting", "temporary"])
def target(request: pytest.FixtureRequest) -> Target:
    found: Target = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="module")
def site() -> Iterator[int]:
    """The port of a web site of somebody else's."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            if self.path == "/null":  # the page's origin
                self.send_header("Content-Security-Policy", "sandbox allow-scripts")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>a page</title><body></body>")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", f"--host-resolver-rules={RULES}"]
        )
        yield opened
        opened.close()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.close()


@pytest.mark.parametrize(
    ("own", "asked"),
    [
        ("http://localhost:{site}/", "http://127.0.0.1:{port}"),  # another host, another port
        ("http://127.0.0.1:{site}/", "http://127.0.0.1:{port}"),  # another port: another server of this machine
        (f"http://{EVIL}:{{site}}/", "http://localhost:{port}"),
        (f"http://{EVIL}:{{port}}/", f"http://{EVIL}:{{port}}"),  # rebound: for the browser, one origin
        ("http://localhost:{site}/null", "http://127.0.0.1:{port}"),
    ],
)
def test_a_page_of_another_origin_starts_changes_and_hears_nothing(target, site, tab, own, asked, tmp_path):
    mark = str(tmp_path / "mark").replace("/", "-")
    before = target.state(mark)
    tab.goto(own.format(site=site, port=target.port))
    words = [asked.format(port=target.port), target.deployment, target.flow, POOL, mark]
    got = tab.evaluate(ATTACK, words)
    refused = 403 if EVIL in asked else "refused"
    opaque = 403 if EVIL in asked else 0  # without CORS, a page sees nothing of an answer
    assert got == {
        "run": opaque,
        "run_with_cors": refused,
        "deployment": opaque,
        "pool": refused,
        "reading": refused,
        **dict.fromkeys(("events", "logs", "sending"), "refused"),
    }
    assert target.state(mark) == before
    assert before[-1] == []


def answer(port: int, *lines: str, body: str = "") -> str:
    """The first line of the answer to a request of these lines."""
    request = "\r\n".join([*lines, f"Content-Length: {len(body)}", "Connection: close", "", body])
    with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        client.sendall(request.encode())
        return client.makefile("rb").readline().decode().strip()


UPGRADE = ("Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")


@pytest.mark.parametrize(
    "headers",
    [
        [f"Host: {EVIL}:4200"],
        ["Host: localhost", "Host: 127.0.0.1"],
        [],
        ["Host: 127.1"],
        ["Host: localhost:4200", "Origin: null"],
        ["Host: localhost:4200", f"Origin: http://{EVIL}"],
        ["Host: localhost:4200", "Origin: http://localhost:4201", "X-Forwarded-Host: localhost:4201"],
        ["Host: localhost:4200", "Sec-Fetch-Site: cross-site"],
    ],
)
def test_raw_requests_that_no_program_and_no_own_page_sends_are_refused(target, headers):
    body = json.dumps({"state": {"type": "SCHEDULED"}})
    path = f"/api/deployments/{target.deployment}/create_flow_run"
    count = target.server.post("flow_runs/count", {})
    for line in (f"POST {path} HTTP/1.1", "GET /api/events/out HTTP/1.1", f"OPTIONS {path} HTTP/1.1", "GET / HTTP/1.1"):
        status = answer(target.port, line, *headers, body=body if line.startswith("POST") else "")
        assert status.split()[1] in {"400", "403"}, (line, status)
    assert answer(target.port, "GET /api/events/out HTTP/1.1", *headers, *UPGRADE).split()[1] in {"400", "403"}
    assert answer(target.port, f"GET http://{EVIL}/api/flows/ HTTP/1.1", "Host: localhost").split()[1] == "403"
    assert target.server.post("flow_runs/count", {}) == count


def port_of_pages(serve: Serve) -> int:
    """What its worker is told; another one than the next where somebody listens there."""
    told = (Path(f"/proc/{process}/environ").read_bytes() for process in serve.processes())
    return next(int(found[1]) for each in told if (found := re.search(rf"\0{SETTING}=\S+:(\d+)\0".encode(), each)))


def test_the_release_pages_stand_behind_the_same_wall(serve):
    port = port_of_pages(serve)
    assert answer(port, "GET / HTTP/1.1", "Host: localhost").split()[1] == "404"
    assert answer(port, "GET / HTTP/1.1", f"Host: {NAME}:{port}").split()[1] == "404"
    for headers in ([f"Host: {EVIL}"], ["Host: localhost", "Origin: null"], ["Host: localhost", "Host: localhost"], []):
        assert answer(port, "GET / HTTP/1.1", *headers).split()[1] == "403"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "localhost", NAME])
def test_its_own_page_is_shown_and_hears_events_by_every_name_and_address(lasting, tab, host):
    url = f"http://{host}:{lasting.port}"
    tab.goto(url)
    tab.get_by_role("link", name="Deployments").wait_for()
    assert tab.evaluate(ATTACK_BY_ITSELF, url) == {"events": "opened", "settings": 200}


ATTACK_BY_ITSELF = """
async url => ({
  events: await new Promise(resolve => {
    const pipe = new WebSocket(`${url.replace('http', 'ws')}/api/events/out`, ['prefect']);
    pipe.onopen = () => resolve('opened');
    pipe.onerror = () => resolve('refused');
  }),
  settings: await fetch(`${url}/ui-settings`).then(answer => answer.status),
})
"""


def test_programs_reach_it_by_another_address_of_this_machine(serve, lasting):
    class Elsewhere(PrefectApi):
        api = f"http://127.0.0.2:{lasting.port}/api"

    assert Elsewhere().post("flow_runs/count", {}) == serve.post("flow_runs/count", {})
    refused = requests.get(f"{serve.api}/health", headers={"Host": "other.example"}, timeout=30)
    assert (refused.status_code, refused.headers["content-type"]) == (403, "text/plain; charset=utf-8")
    assert "with --allowed-host other.example" in refused.text
    untold = requests.post(f"{serve.api}/flow_runs/count", json={}, timeout=30)
    assert (untold.status_code, untold.json()) == (403, {"detail": "Missing CSRF token."})


@pytest.mark.parametrize(
    "variables",
    [{"command": "touch {mark}"}, {"env": {"PYTHONPATH": "{mark}"}}, {"env.PATH": "x"}, {"working_dir": "/"}],
)
def test_whoever_starts_a_run_chooses_no_command(serve, lasting, variables, tmp_path):
    body = {"job_variables": variables, "state": {"type": "SCHEDULED"}}
    url = f"{serve.api}/deployments/{lasting.deployment}/create_flow_run"
    refused = requests.post(url, json=body, headers=serve.token, timeout=30)
    assert refused.status_code == requests.codes.unprocessable
    assert next(iter(variables)) in refused.text


def test_a_pool_that_is_there_is_brought_up_to_date_and_keeps_what_people_have_set(serve, lasting):
    old = ProcessWorker.get_default_base_job_template()
    old["variables"]["properties"]["env"]["default"] = {"OMP_NUM_THREADS": "2"}
    ours = serve.get(f"work_pools/{POOL}")["base_job_template"]
    serve.patch(f"work_pools/{POOL}", {"base_job_template": old, "concurrency_limit": 7, "is_paused": True})
    old_variables = {"working_dir": "/somewhere", "command": "/old/python -m prefect.engine", "env": {"A": "1"}}
    serve.patch(f"deployments/{lasting.deployment}", {"job_variables": old_variables})
    with SyncPrefectClient(serve.api) as client:
        (told,) = update_pool(client, POOL, str(ROOT))
        assert update_pool(client, POOL, str(ROOT)) == []
    assert told.startswith("deployment 'museum-nightly': expected no job variables but ")
    assert "got env, taken away" in told
    pool = serve.get(f"work_pools/{POOL}")
    assert (pool["concurrency_limit"], pool["is_paused"]) == (7, True)
    template = pool["base_job_template"]
    assert template["variables"]["properties"].keys() == {"stream_output", "working_dir"}
    assert template["variables"]["properties"]["working_dir"]["enum"] == sorted(["/somewhere", str(ROOT)])
    assert template["job_configuration"] == {**ours["job_configuration"], "env": {"OMP_NUM_THREADS": "2"}}
    assert serve.get(f"deployments/{lasting.deployment}")["job_variables"] == {"working_dir": "/somewhere"}
    serve.patch(f"work_pools/{POOL}", {"base_job_template": ours, "is_paused": False})
