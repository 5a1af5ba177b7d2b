"""What a flow runs on: the server that it reports to."""

import errno
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from prefect.settings import PREFECT_API_URL, PREFECT_HOME, temporary_settings

from flows import runner
from flows.serve.pages import release_pages
from flows.wall import allowed_names
from schemas.errors import BadInput


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
    with release_pages([], "127.0.0.1", 0, allowed_names()) as url:
        named = url.replace("127.0.0.1", "127.1")  # for the wall as good as any name
        with temporary_settings({PREFECT_API_URL: f"{named}/api"}), pytest.raises(BadInput) as raised:
            runner.start_server()
    assert "it answers 'Host: expected an address, localhost or a name that this" in str(raised.value)
    assert "with --allowed-host 127.1'" in str(raised.value)


def _error_of_start(text: str, home: Path, wait_s: int) -> str:
    own = {"PREFECT_HOME": str(home), "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": str(wait_s)}
    environment = {name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"}
    return subprocess.run(
        [sys.executable, "-c", f"{text}from flows.runner import start_server\nstart_server()"],
        env={**environment, **own},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
    ).stderr


@pytest.mark.server
def test_a_temporary_server_that_does_not_start_in_time_is_one_sentence(tmp_path):
    error = _error_of_start("", tmp_path, 1)
    assert error.splitlines()[-1] == (
        "schemas.errors.BadInput: expected Prefect's temporary server to start, got: no answer within 1 s. "
        "Is this machine very busy? PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS gives it longer"
    )
    assert "Application" not in error


@pytest.mark.server
@pytest.mark.parametrize("status", [1, 3])
def test_a_temporary_server_that_ends_at_once_is_not_waited_for(tmp_path, status):
    broken = tmp_path / "server.py"
    broken.write_text(f"import sys\nprint('no database', file=sys.stderr)\nsys.exit({status})\n", encoding="utf-8")
    text = f"from flows import temporary_server\ntemporary_server.__file__ = {str(broken)!r}\n"
    lines = _error_of_start(text, tmp_path, 3600).splitlines()
    assert lines[0] == "no database"
    assert lines[-1] == (
        "schemas.errors.BadInput: expected Prefect's temporary server to start, got its end with status "
        f"{status}: above stands what it said"
    )
