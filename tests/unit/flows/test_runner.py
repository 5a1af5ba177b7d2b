"""What a flow runs on: which clusters can use the temporary server of this machine."""

import errno
import os
import socket
from pathlib import Path

import pytest
from prefect.settings import PREFECT_API_URL, PREFECT_HOME, temporary_settings

from flows import runner
from flows.serve.pages import release_pages
from schemas.errors import BadInput

HERE = ["tcp://127.0.0.1:39451", "tls://127.0.0.3:1", "tcp://[::1]:8786", "localhost:8786", "127.0.0.1:8786"]
ELSEWHERE = ["tcp://192.0.2.7:8786", "tls://198.51.100.1:1", "tcp://[2001:db8::1]:8786", "no-such-host.invalid:8786"]


@pytest.mark.parametrize("address", HERE)
def test_an_address_of_this_machine(address: str) -> None:
    if "[" in address and not socket.has_ipv6:
        pytest.skip("no IPv6")
    assert runner._is_here(address)


@pytest.mark.parametrize("address", ELSEWHERE)
def test_an_address_of_another_machine(address: str) -> None:
    assert not runner._is_here(address)


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
    scheduler: str, workers: list[str], is_refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "_workers", lambda _: workers)
    with temporary_settings({PREFECT_API_URL: "http://prefect.example/api"}):
        runner.check_cluster(scheduler)
    with temporary_settings(restore_defaults={PREFECT_API_URL}):
        if is_refused:
            with pytest.raises(BadInput, match=r"^--dask: expected PREFECT_API_URL, .* is not on this machine, got"):
                runner.check_cluster(scheduler)
        else:
            runner.check_cluster(scheduler)


@pytest.mark.parametrize("kind", ["a file", "no rights", "no room"])
def test_a_server_that_cannot_write_is_not_waited_for(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    if kind == "a file":
        home.write_bytes(b"")
    else:
        number = errno.ENOSPC if kind == "no room" else errno.EACCES

        def refuse(*_: object) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(Path, "write_bytes", refuse)
    with temporary_settings({PREFECT_HOME: home, PREFECT_API_URL: ""}), pytest.raises(BadInput) as raised:
        runner.start_server()
    assert str(raised.value).startswith("PREFECT_HOME: expected a folder with room for 8 MiB")


@pytest.mark.parametrize(
    ("address", "got"),
    [
        ("nonsense", "'nonsense': Request URL is missing an 'http://' or 'https://' protocol"),
        ("/api", "'/api': Request URL is missing"),
        ("ftp://127.0.0.1/api", "'ftp://127.0.0.1/api': Request URL has an unsupported protocol"),
        ("http://me:secret@127.0.0.1:{port}/api", "'http://127.0.0.1:{port}/api': [Errno 111] Connection refused"),
    ],
)
def test_a_server_that_does_not_answer_is_told_in_a_sentence(address: str, got: str) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # nobody listens at this port
        port = bound.getsockname()[1]
        with temporary_settings({PREFECT_API_URL: address.format(port=port)}), pytest.raises(BadInput) as raised:
            runner.start_server()
    assert str(raised.value).startswith("PREFECT_API_URL: expected the address of a Prefect server that runs, such as ")
    assert got.format(port=port) in str(raised.value)
    assert "secret" not in str(raised.value)


def test_a_server_that_does_not_know_the_name_says_what_to_do() -> None:
    with release_pages([], "127.0.0.1", 0) as url:
        named = url.replace("127.0.0.1", "127.1")  # for the wall as good as any name
        with temporary_settings({PREFECT_API_URL: f"{named}/api"}), pytest.raises(BadInput) as raised:
            runner.start_server()
    assert "it answers 'Host: expected an address, localhost or a name that this" in str(raised.value)
    assert "start with --allowed-host 127.1'" in str(raised.value)


@pytest.mark.parametrize("address", ["", "nonsense", "tcp://127.0.0.1", "tcp://127.0.0.1:port", "foo://127.0.0.1:8786"])
def test_what_is_no_address_of_a_cluster_is_not_called(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def called(*_: object, **__: object) -> None:
        raise AssertionError("expected no client")

    monkeypatch.setattr("distributed.Client", called)
    with pytest.raises(BadInput, match=r"^--dask: expected the address of a Dask scheduler that runs, such as "):
        runner.check_cluster(address)
