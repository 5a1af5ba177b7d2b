"""A cluster while parts run on it: one that is lost is not waited for for ever."""

from typing import Any

import pytest

from schemas.errors import BadInput
from tasks.orchestration import clusters

ADDRESS = "tcp://127.0.0.1:8786"
WAITS = f"waiting for workers at {ADDRESS}: start one with `dask worker {ADDRESS}`\n"


class Runner:
    """A task runner of a cluster, which is its own client, and has had so many workers at each look."""

    address = ADDRESS

    def __init__(self, *looks: int, status: str = "running") -> None:
        self.looks, self.status = list(looks), status
        self.client = self

    def scheduler_info(self, n_workers: int) -> dict[str, Any]:
        return {"workers": dict.fromkeys(range(self.looks.pop(0)))}


class Future:
    """A part's future as Prefect has it, around Dask's."""

    def __init__(self, status: str, problem: Exception | None = None) -> None:
        self.status, self._problem = status, problem
        self.wrapped_future = self

    def exception(self) -> Exception | None:
        return self._problem


class KilledWorker(Exception):
    """As of distributed, which takes a second to import."""

    allowed_failures = 3

    class last_worker:  # noqa: N801 - an attribute
        address = "tcp://127.0.0.1:9"


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is always time to look."""
    monkeypatch.setattr(clusters, "_LOOK_EVERY_S", 0.0)


def test_it_is_not_asked_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "_LOOK_EVERY_S", 60.0)
    clusters.ClusterWatch(Runner()).look()  # a look would fail: nothing is left to answer


def test_workers_that_come_back_in_time(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv(clusters.WAIT, "3600")
    watch = clusters.ClusterWatch(Runner(2, 0, 0, 0, 1, 0))
    for _ in range(6):
        watch.look()
    assert capsys.readouterr().err == WAITS * 2  # once each time that none is left


def test_workers_that_do_not_come_back(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv(clusters.WAIT, "0")
    watch = clusters.ClusterWatch(Runner(1, 0, 0))
    watch.look()
    watch.look()
    with pytest.raises(BadInput) as caught:
        watch.look()
    assert str(caught.value) == (
        f"expected a worker at the Dask scheduler {ADDRESS} within 0 s, got none; start one with "
        f"`dask worker {ADDRESS}`, or set BILDERATLAS_DASK_WAIT to more seconds"
    )
    assert capsys.readouterr().err == WAITS


GONE = rf"^the Dask scheduler {ADDRESS} has ended, .* what was done is kept: start it"


@pytest.mark.parametrize("status", ["connecting", "closing", "closed"])
def test_a_scheduler_that_is_gone(status: str) -> None:
    with pytest.raises(BadInput, match=GONE):
        clusters.ClusterWatch(Runner(status=status)).look()


@pytest.mark.parametrize("status", ["cancelled", "lost"])
def test_a_part_that_is_lost_with_the_scheduler(status: str) -> None:
    with pytest.raises(BadInput, match=GONE):
        clusters.ClusterWatch(Runner()).check_ended(Future(status), "fetch · part 1 of 2")


def test_a_part_that_ends_its_workers() -> None:
    with pytest.raises(BadInput, match=r"^fetch · part 1 of 2: 4 workers .*, the last one at tcp://127.0.0.1:9; most"):
        clusters.ClusterWatch(Runner()).check_ended(Future("error", KilledWorker()), "fetch · part 1 of 2")


def test_a_part_that_a_worker_can_not_begin() -> None:
    with pytest.raises(ModuleNotFoundError, match="tasks"):
        clusters.ClusterWatch(Runner()).check_ended(Future("error", ModuleNotFoundError("tasks")), "fetch")


def test_a_part_that_has_ended() -> None:
    clusters.ClusterWatch(Runner()).check_ended(Future("finished"), "fetch")


@pytest.mark.parametrize("text", ["soon", "-1", "nan", "inf", "1 s"])
def test_a_wait_that_is_no_time(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(clusters.WAIT, text)
    with pytest.raises(BadInput, match=rf"^BILDERATLAS_DASK_WAIT: expected a number of seconds, .*, got '{text}'$"):
        clusters.longest_wait_s()


@pytest.mark.parametrize(("text", "seconds"), [("", 60.0), ("0", 0.0), ("2.5", 2.5), ("600", 600.0)])
def test_a_wait(text: str, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(clusters.WAIT, text)
    assert clusters.longest_wait_s() == seconds
