"""Which addresses are those of a cluster that can run a build: all others are told in one sentence, and soon."""

import contextlib
import http.server
import platform
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from prefect.settings import PREFECT_API_URL, temporary_settings

from flows import cluster
from schemas.errors import BadInput
from tasks.orchestration import workers

HERE = ["tcp://127.0.0.1:39451", "tls://127.0.0.3:1", "tcp://[::1]:8786", "localhost:8786", "127.0.0.1:8786"]
ELSEWHERE = ["tcp://192.0.2.7:8786", "tls://198.51.100.1:1", "tcp://[2001:db8::1]:8786", "no-such-host.invalid:8786"]
START = "--dask: expected the address of a Dask scheduler that runs, such as tcp://scheduler:8786, got "

LENGTH_OF_4_GB = (2**32).to_bytes(8, "little")


@contextlib.contextmanager
def answering(greet: Callable[[socket.socket], None]) -> Iterator[int]:
    """The port of a server that greets each connection so, and keeps it."""
    connections = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with contextlib.suppress(OSError):  # the listener is closed
                while True:
                    connections.append(listener.accept()[0])
                    greet(connections[-1])

        threading.Thread(target=serve, daemon=True).start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            for connection in connections:
                connection.close()


@pytest.mark.parametrize(
    ("greet", "got"),
    [
        (lambda _: None, "what listens there has not answered as a Dask scheduler within 1 s"),  # mute, or TLS
        (lambda connection: connection.close(), ""),  # reset, or the end of the stream
        (lambda connection: connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n"), "what answers there is no Dask scheduler"),
        (lambda connection: connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n"), "what answers there is no Dask"),
        (lambda connection: connection.sendall(bytes(64)), ""),  # a message of no frames
        (lambda connection: connection.sendall(LENGTH_OF_4_GB), "what listens there has not answered"),
    ],
    ids=["mute", "closes", "ssh", "web", "zeros", "a length"],
)
def test_what_is_no_scheduler_is_told_in_a_sentence(
    greet: Callable[[socket.socket], None], got: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_ANSWER_S", 1.0)
    began_s = time.monotonic()
    with answering(greet) as port, pytest.raises(BadInput) as caught:
        cluster.check_cluster(f"tcp://127.0.0.1:{port}")
    sentence = str(caught.value)
    assert sentence.startswith(f"{START}'tcp://127.0.0.1:{port}': {got}")
    assert not {"Unable to allocate", "\n"} & {part for part in ("Unable to allocate", "\n") if part in sentence}
    assert time.monotonic() - began_s < 5


def test_a_web_server_is_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_ANSWER_S", 1.0)
    monkeypatch.setattr(http.server.BaseHTTPRequestHandler, "log_message", lambda *_: None)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(BadInput, match=r"^--dask: expected the address of a Dask scheduler .* Dask scheduler"):
            cluster.check_cluster(f"tcp://127.0.0.1:{server.server_port}")
        server.shutdown()


def test_a_dead_address_is_told_at_once() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # nobody listens at this port
        address = f"tcp://127.0.0.1:{bound.getsockname()[1]}"
        with pytest.raises(BadInput) as caught:
            cluster.check_cluster(address, "BILDERATLAS_DASK")
    expected = START.replace("--dask", "BILDERATLAS_DASK")
    assert str(caught.value) == f"{expected}'{address}': nothing listens there (connection refused)"


@pytest.mark.parametrize(
    ("address", "got"),
    [
        ("", "missing port number"),
        ("nonsense", "missing port number"),
        ("tcp://127.0.0.1", "missing port number"),
        ("tcp://127.0.0.1:port", "its port is no number"),
        ("tcp://127.0.0.1:8786/", "its port is no number"),
        ("tcp://127.0.0.1:99999", "ports go from 1 to 65535"),
        ("tcp://127.0.0.1:-1", "ports go from 1 to 65535"),
        ("foo://127.0.0.1:8786", "unknown address scheme 'foo'"),
        ("http://127.0.0.1:8786", "unknown address scheme 'http'"),
        ("tcp://no-such-host.invalid:8786", "no machine of that name is known"),
    ],
)
def test_what_is_no_address_of_a_cluster(address: str, got: str) -> None:
    with pytest.raises(BadInput) as caught:
        cluster.check_cluster(address)
    assert str(caught.value).startswith(f"{START}'{address}': {got}")


def test_tls_without_certificates() -> None:
    with (
        answering(lambda _: None) as port,
        pytest.raises(BadInput, match="tls needs certificates"),
    ):
        cluster.check_cluster(f"tls://127.0.0.1:{port}")


def test_a_wait_that_is_no_time_is_told_before_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BILDERATLAS_DASK_WAIT", "soon")
    with pytest.raises(BadInput, match=r"^BILDERATLAS_DASK_WAIT: expected a number of seconds, 0 or more, got 'soon'$"):
        cluster.check_cluster("tcp://127.0.0.1:8786")


@pytest.mark.parametrize(
    ("said", "got"),
    [
        ({"type": "Worker", "workers": {}}, "a Worker of Dask answers there, which is no scheduler"),
        ({"type": "\x1b[31mNanny", "workers": {}}, "a ?[31mNanny of Dask answers there, which is no scheduler"),
        ({"type": None}, "what answers there is no Dask scheduler"),
        ({"type": "Scheduler"}, "what answers there is no Dask scheduler"),
        ({"type": "Scheduler", "workers": 3}, "what answers there is no Dask scheduler"),
        ("text", "what answers there is no Dask scheduler"),
    ],
)
def test_another_server_of_dask_is_no_scheduler(said: Any, got: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def identity(*_: object) -> Any:
        return said

    monkeypatch.setattr(cluster, "_identity", identity)
    with pytest.raises(BadInput) as caught:
        cluster.check_cluster("tcp://127.0.0.1:8786")
    assert str(caught.value) == f"{START}'tcp://127.0.0.1:8786': {got}"


@pytest.mark.parametrize("address", HERE)
def test_an_address_of_this_machine(address: str) -> None:
    if "[" in address and not socket.has_ipv6:
        pytest.skip("no IPv6")
    assert cluster.is_here(address)


@pytest.mark.parametrize("address", ELSEWHERE)
def test_an_address_of_another_machine(address: str) -> None:
    assert not cluster.is_here(address)


@pytest.mark.parametrize(
    ("scheduler", "workers", "is_refused"),
    [
        ("tcp://127.0.0.1:8786", [], False),
        ("tcp://127.0.0.1:8786", HERE, False),
        ("tcp://192.0.2.7:8786", [], True),  # no worker yet
        ("tcp://127.0.0.1:8786", [*HERE, ELSEWHERE[0]], True),  # behind a tunnel, for example
        ("tcp://192.0.2.7:8786", ELSEWHERE, True),
    ],
)
def test_workers_on_other_machines_need_a_server_that_they_reach(
    scheduler: str,
    workers: list[str],
    is_refused: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(cluster, "_workers", lambda _: workers)
    with temporary_settings({PREFECT_API_URL: "http://prefect.example/api"}):
        cluster.check_cluster(scheduler)
    waits = f"waiting for workers at {scheduler}: start one with `dask worker {scheduler}`\n"
    assert capsys.readouterr().err == ("" if workers else waits)
    with temporary_settings(restore_defaults={PREFECT_API_URL}):
        if is_refused:
            with pytest.raises(BadInput, match=r"^--dask: expected PREFECT_API_URL, .* is not on this machine, got"):
                cluster.check_cluster(scheduler)
        else:
            cluster.check_cluster(scheduler)


class Cluster:
    """In place of a client: a cluster with one worker, whose answers a test writes down. An error is what it raises."""

    def __init__(self, **answers: object) -> None:
        self.answers = {
            "python_version_tuple": platform.python_version_tuple(),
            "import_module": workers,
            "code_of_process": workers.code_of_process(),
            **answers,
        }

    def scheduler_info(self, n_workers: int) -> dict[str, Any]:
        return {"workers": {"tcp://127.0.0.1:1": {}}}

    def run(self, function: Callable[..., Any], *_: object, on_error: str = "raise") -> dict[str, Any]:
        return {"tcp://127.0.0.1:1": self.answers[function.__name__]}


@pytest.mark.parametrize(
    ("answers", "got"),
    [
        ({"python_version_tuple": ("3", "9", "1")}, ", as here, got Python 3.9.1 at tcp://127.0.0.1:1"),
        (
            {"import_module": ModuleNotFoundError("No module named 'tasks'")},
            "expected workers that can import this program, got No module named 'tasks' at tcp://127.0.0.1:1; install "
            "the same version of bilderatlas there, and start the worker again",
        ),
        ({"code_of_process": "another"}, "as here, got another one at tcp://127.0.0.1:1; install it there too, and"),
    ],
)
def test_a_worker_with_another_program_runs_no_part(answers: dict[str, object], got: str) -> None:
    client: Any = Cluster(**answers)
    with pytest.raises(BadInput) as caught:
        cluster.check_workers(client, "tcp://127.0.0.1:8786")
    assert got in str(caught.value)


def test_a_worker_with_this_program_runs_parts() -> None:
    client: Any = Cluster()
    cluster.check_workers(client, "tcp://127.0.0.1:8786")
