"""The command: what it imports before it is needed, how its errors end, and the kinds of its arguments."""

import argparse
import contextlib
import errno
import importlib
import inspect
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import flows.cli
from flows.cli import main, parser
from schemas.errors import BadInput, BrokenPromise, DamagedFile, Refusal

SLOW = ("prefect", "dask", "torch", "pydantic", "pyarrow", "numpy", "cv2", "pandas", "yaml")


def test_help_needs_none_of_the_slow_libraries():
    program = f"import sys, flows.cli; flows.cli.parser(); print([name for name in {SLOW} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_what_is_no_utf_8_is_bad_input(capsys: pytest.CaptureFixture[str]):
    assert main(["unpack", "release", "fol\udcffder"]) == 2
    assert capsys.readouterr().err == "bilderatlas: expected a command in UTF-8, got 'fol\\udcffder'\n"


def test_a_terminal_obeys_no_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(flows.cli, "parser", raising(BadInput("expected this, got '\x1b[2J\r':\nthat")))
    assert main([]) == 2
    assert capsys.readouterr().err == "bilderatlas: expected this, got '?[2J?':?that\n"


def raising(problem: BaseException) -> Callable[[], argparse.ArgumentParser]:
    """A parser whose only command raises."""

    def command(_: argparse.Namespace) -> int:
        raise problem

    def parser() -> argparse.ArgumentParser:
        made = argparse.ArgumentParser()
        made.set_defaults(command=command)
        return made

    return parser


@pytest.mark.parametrize(
    ("problem", "status"),
    [
        (BrokenPromise("expected a, got b"), 1),
        (DamagedFile("expected a, got b"), 1),
        (BadInput("expected a, got b"), 2),
        (Refusal("expected a, got b"), 3),
    ],
)
def test_each_error_is_one_line_and_its_exit_status(
    problem: Exception, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(flows.cli, "parser", raising(problem))
    assert main([]) == status
    assert capsys.readouterr().err == "bilderatlas: expected a, got b\n"


@pytest.mark.parametrize(
    "bug",
    [
        ZeroDivisionError(),
        OSError("no number"),
        FileNotFoundError(errno.ENOENT, "No such file or directory", "x"),
        OSError(errno.EBADF, "Bad file descriptor", "x"),
        BrokenPipeError(errno.EPIPE, "Broken pipe"),
    ],
    ids=repr,
)
def test_a_bug_keeps_its_traceback(bug: Exception, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(flows.cli, "parser", raising(bug))
    with pytest.raises(type(bug)):
        main([])


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EFBIG, errno.EROFS, errno.EIO, errno.ENOTDIR, errno.ELOOP])
@pytest.mark.parametrize("place", [None, "/data/store/tmp/x", "p" * 100_000])
def test_what_the_machine_lacks_is_one_sentence(
    number: int, place: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(flows.cli, "parser", raising(OSError(number, "as the system says", place)))
    assert main([]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"bilderatlas: expected a machine on which this can go on, got '{os.strerror(number)}'")
    assert (place or "")[:300] in said
    assert "run the same command again" in said
    assert said.count("\n") == 1
    assert len(said) < 1000


def test_a_storage_service_that_cannot_be_used_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    exceptions = pytest.importorskip("botocore.exceptions")
    monkeypatch.setattr(flows.cli, "parser", raising(exceptions.NoCredentialsError()))
    assert main([]) == 2
    assert (
        capsys.readouterr().err
        == "bilderatlas: expected a storage service that can be used, got 'Unable to locate credentials'\n"
    )


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_command_that_was_started_without_a_stream_runs(closed: str, tmp_path: Path):
    command = f"{sys.executable} -m flows.cli museum paint {tmp_path / 'museum'} --records 4 --seed 1 {closed}"
    assert subprocess.run(["sh", "-c", command], timeout=60, check=False).returncode == 0
    assert len(list((tmp_path / "museum").rglob("*.*"))) > 4


def test_a_storage_service_that_does_not_answer_is_the_machines_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    exceptions = pytest.importorskip("botocore.exceptions")
    monkeypatch.setattr(flows.cli, "parser", raising(exceptions.EndpointConnectionError(endpoint_url="http://x")))
    assert main([]) == 1
    said = capsys.readouterr().err
    assert said.startswith("bilderatlas: expected a storage service that can be used, got 'Could not connect")
    assert said.endswith("run the same command again to continue\n")


@pytest.mark.slow
@pytest.mark.parametrize("words", [["settings"], ["settings", "--markdown"]], ids=" ".join)
def test_who_reads_only_the_beginning_gets_no_traceback(words: list[str]):
    """As in `bilderatlas settings | head -1`."""
    with subprocess.Popen(
        [sys.executable, "-m", "flows.cli", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_no_sentence_is_longer_than_a_screen(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(flows.cli, "parser", raising(BadInput("expected " + "x" * 1_000_000)))
    assert main([]) == 2
    assert len(capsys.readouterr().err) < 4_100


def test_no_command_and_an_unknown_command_are_bad_input():
    for words in ([], ["bild"]):
        with pytest.raises(SystemExit) as ending:
            main(words)
        assert ending.value.code == 2


FLOWS = "flows.prefect_flows"


@pytest.mark.parametrize(
    ("words", "flow"),
    [
        (["evaluate", "detector", "t", "--detector", "a=hog", "--by", "style"], "evaluate_detector"),
        (["train", "detector", "t", "--bind", "start=w", "--set", "epochs=1"], "train_detector"),
        (["train", "detector", "t", "--also", "u", "--also", "v.json,images=i"], "train_detector"),
    ],
)
def test_a_command_gives_its_flow_what_the_flow_takes(words: list[str], flow: str, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("torchvision")
    parameters = inspect.signature(getattr(importlib.import_module(FLOWS), flow).fn)
    calls = []

    def called(*args: object, **kwargs: object) -> None:
        calls.append(parameters.bind(*args, **kwargs))

    monkeypatch.setattr(f"{FLOWS}.{flow}", called)
    monkeypatch.setattr("flows.runner.start_server", lambda: "")
    assert main(words) == 0
    (call,) = calls
    assert set(call.arguments) == set(parameters.parameters)
    assert call.arguments["truth"] == words[2]


def test_a_sentence_that_cannot_be_written_leaves_its_status(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(flows.cli, "parser", raising(OSError(errno.ENOSPC, "as the system says")))
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stderr", full)
        assert main([]) == 1
        monkeypatch.undo()
        with contextlib.suppress(OSError):
            full.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value", "got"),
    [
        ("PREFECT_API_URL", "http://[::1", "'Value error, Invalid IPv6 URL'"),
        ("PREFECT_API_REQUEST_TIMEOUT", "soon", "'request_timeout: Input should be a valid number"),
    ],
)
def test_settings_with_which_prefect_does_not_start_are_told_in_a_sentence(name: str, value: str, got: str, tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "flows.cli", "plan", "museum", "--store", str(tmp_path / "store")],
        env={**os.environ, name: value},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 2
    assert "Traceback" not in run.stderr
    last = run.stderr.splitlines()[-1]
    assert last.startswith(f"bilderatlas: PREFECT_...: expected settings that Prefect can read, got {got}")


@pytest.mark.parametrize(
    "words", [["plan", "museum", "--nobody", " \n"], ["purge", "x" * 5000, "--alone", "y"]], ids=["a", "b"]
)
def test_what_was_typed_wrong_is_told_in_one_short_line(words: list[str], capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        parser().parse_args(words)
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("bilderatlas")
    assert last == last.strip()
    assert last.isprintable()
    assert len(last) < 600
