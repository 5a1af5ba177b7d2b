"""One budget a host for all builds: within a process, over processes, after a kill and after a restart."""

import errno
import fcntl
import itertools
import json
import multiprocessing
import os
import shutil
import signal
import stat
import time
from pathlib import Path

import pytest

from schemas.manners import Manners
from schemas.reasons import Reason
from tasks.io.web.addresses import Origins
from tasks.io.web.rate_limits import RateLimiter
from tasks.io.web.shared_hosts import LONGEST_PAUSE_S, SharedHosts, hosts_of_user

HOST = "a.example"


class Clock:
    def __init__(self) -> None:
        self.now_s = 1e9

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


def run_of(folder: Path, clock: Clock, origins: Origins | None = None, **manners: float) -> RateLimiter:
    """Another run's rate limiter, which knows nothing but what the folder says."""
    hosts = SharedHosts(folder, origins or Origins(), clock)
    return RateLimiter(Manners.model_validate(manners), random_fraction=lambda: 0.5, shared=hosts)


def test_two_runs_take_turns(tmp_path: Path, clock: Clock) -> None:
    one, other = run_of(tmp_path, clock, rate_per_s=4), run_of(tmp_path, clock, rate_per_s=4)
    assert one.try_acquire(HOST).is_granted
    assert other.try_acquire(HOST).wait_s == 0.25
    assert other.try_acquire("b.example").is_granted
    clock.now_s += 0.25
    assert other.try_acquire(HOST).is_granted
    assert one.try_acquire(HOST).wait_s == 0.25


def test_connections_are_those_of_all_runs(tmp_path: Path, clock: Clock) -> None:
    one, other = (run_of(tmp_path, clock, rate_per_s=1000, connections=2) for _ in range(2))
    for run in (one, other):
        assert run.try_acquire(HOST).is_granted
        clock.now_s += 1
    assert 0 < one.try_acquire(HOST).wait_s < 0.1
    other.release(HOST, "good")
    assert one.try_acquire(HOST).is_granted
    clock.now_s += 1
    one.cancel(HOST)
    assert other.try_acquire(HOST).is_granted


@pytest.mark.parametrize(
    ("asked_s", "later_s", "wait_s"),
    [
        pytest.param(60.0, 0.0, 60.0, id="at once"),
        pytest.param(60.0, 20.0, 40.0, id="after a restart"),
        pytest.param(60.0, 61.0, 0.0, id="when it is over"),
        pytest.param(60.0, -5000.0, 60.0, id="by a clock that was set back meanwhile"),
    ],
)
def test_a_pause_is_kept_by_later_runs(tmp_path: Path, clock: Clock, asked_s: float, later_s: float, wait_s: float):
    first = run_of(tmp_path, clock)
    assert first.try_acquire(HOST).is_granted
    first.release(HOST, "throttled", asked_s)
    clock.now_s += later_s
    assert run_of(tmp_path, clock).try_acquire(HOST).wait_s == pytest.approx(wait_s)
    clock.now_s += wait_s / 2 if wait_s else 1
    assert run_of(tmp_path, clock).try_acquire(HOST).wait_s == pytest.approx(wait_s / 2, abs=1 / Manners().rate_per_s)


def test_a_pause_that_is_too_long_for_a_build_is_too_long_for_the_next_one(tmp_path: Path, clock: Clock) -> None:
    first = run_of(tmp_path, clock, longest_wait_s=100)
    assert first.try_acquire(HOST).is_granted
    first.release(HOST, "throttled", 3600.0)
    clock.now_s += 600
    refused = run_of(tmp_path, clock, longest_wait_s=100).try_acquire(HOST)
    assert (refused.refusal, refused.detail) == (
        Reason.THROTTLED,
        "asked to wait 3000 s, longer than this build waits for one host",
    )
    assert run_of(tmp_path, clock, longest_wait_s=4000).try_acquire(HOST).wait_s == 3000


def test_no_host_keeps_builds_away_for_more_than_a_day(tmp_path: Path, clock: Clock) -> None:
    first = run_of(tmp_path, clock)
    assert first.try_acquire(HOST).is_granted
    first.release(HOST, "throttled", 1e12)
    clock.now_s += LONGEST_PAUSE_S
    assert run_of(tmp_path, clock).try_acquire(HOST).is_granted


def test_where_a_host_is_bound_elsewhere_that_is_another_one(tmp_path: Path, clock: Clock) -> None:
    bound = [Origins({"*": f"http://127.0.0.1:{port}"}) for port in (1, 2)]
    for origins in (None, *bound):
        assert run_of(tmp_path, clock, origins, rate_per_s=1).try_acquire(HOST).is_granted
    assert run_of(tmp_path, clock, bound[0], rate_per_s=1).try_acquire(HOST).wait_s == 1


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"next_s": null}', b"\xff" * 9], ids=repr)
def test_a_file_that_a_kill_has_cut_is_as_new(tmp_path: Path, clock: Clock, text: bytes) -> None:
    run_of(tmp_path, clock).try_acquire(HOST)
    (tmp_path / f"{HOST}@itself" / "times.json").write_bytes(text)
    assert run_of(tmp_path, clock).try_acquire(HOST).is_granted
    assert json.loads((tmp_path / f"{HOST}@itself" / "times.json").read_text())["next_s"] > clock.now_s


def test_hosts_nobody_has_asked_for_long_are_forgotten_and_the_folder_is_the_users(tmp_path: Path) -> None:
    hosts = SharedHosts(tmp_path / "hosts", Origins())
    for name in ("old.example", "new.example", "[::1]:8000"):
        with hosts.times(name) as times:
            times.next_s = 1.0
    os.utime(tmp_path / "hosts/old.example@itself/times.json", (0, 0))
    SharedHosts(tmp_path / "hosts", Origins())
    left = sorted(path.name.removesuffix("@itself") for path in (tmp_path / "hosts").iterdir())
    assert left == ["%5B%3A%3A1%5D%3A8000", "new.example"]
    assert stat.S_IMODE((tmp_path / "hosts").stat().st_mode) == 0o700


def test_without_a_folder_each_run_has_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert hosts_of_user(Origins()) is None
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert hosts_of_user(Origins()) is not None
    assert (tmp_path / "bilderatlas/hosts").is_dir()


def test_where_the_folder_goes_a_run_keeps_its_own_manners(tmp_path: Path, clock: Clock) -> None:
    run = run_of(tmp_path / "hosts", clock, rate_per_s=4, connections=1)
    assert run.try_acquire(HOST).is_granted
    shutil.rmtree(tmp_path / "hosts")
    (tmp_path / "hosts").touch()
    assert run.try_acquire(HOST).wait_s == 0.25
    run.release(HOST, "throttled", 60.0)
    assert run.try_acquire(HOST).wait_s == 60
    clock.now_s += 60
    assert run.try_acquire(HOST).is_granted
    assert run.try_acquire(HOST).wait_s > 0


def test_a_full_disk_frees_nobody_from_manners(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(os, "pwrite", full)
    run = run_of(tmp_path, clock, rate_per_s=1, connections=9)
    assert run.try_acquire(HOST).is_granted
    assert run.try_acquire(HOST).wait_s == 1
    run.release(HOST, "throttled", 60.0)
    assert run.try_acquire(HOST).wait_s == 60


def test_a_disk_without_locks_is_done_without(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(fcntl, "flock", unknown)
    run = run_of(tmp_path, clock, rate_per_s=4, connections=1)
    assert run.try_acquire(HOST).is_granted
    assert run.try_acquire(HOST).wait_s == 0.25
    clock.now_s += 1
    assert 0 < run.try_acquire(HOST).wait_s < 0.1  # its one connection is in use


def test_a_stopped_process_holds_nobody_up(tmp_path: Path, clock: Clock) -> None:
    run = run_of(tmp_path, clock, rate_per_s=4)
    assert run.try_acquire(HOST).is_granted
    with (tmp_path / f"{HOST}@itself" / "times.json").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert run.try_acquire("b.example").is_granted
        assert run.try_acquire(HOST).wait_s == 0.25
        clock.now_s += 0.25
        assert run.try_acquire(HOST).is_granted


def test_a_build_closes_no_host_for_a_pause_of_its_own(tmp_path: Path, clock: Clock) -> None:
    run = run_of(tmp_path, clock, rate_per_s=1000, connections=99, longest_wait_s=1)
    for _ in range(10):
        assert run.try_acquire(HOST).is_granted
        run.release(HOST, "failed")
        clock.now_s += 0.01
    decision = run.try_acquire(HOST)
    assert decision.refusal is None
    assert decision.wait_s > 1


def _ask(folder: str, seconds: float, asked: "multiprocessing.Queue[float]") -> None:
    run = RateLimiter(Manners(rate_per_s=40, connections=3), shared=SharedHosts(Path(folder), Origins()))
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        decision = run.try_acquire(HOST)
        if decision.is_granted:
            asked.put(time.time())
            run.release(HOST, "good")
        else:
            time.sleep(min(decision.wait_s, 0.01))


def _hold(folder: str, held: "multiprocessing.Queue[bool]") -> None:
    run = RateLimiter(Manners(rate_per_s=1000, connections=1), shared=SharedHosts(Path(folder), Origins()))
    held.put(run.try_acquire(HOST).is_granted)
    time.sleep(600)


def test_processes_together_keep_the_rate(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    asked: multiprocessing.Queue[float] = spawn.Queue()
    processes = [spawn.Process(target=_ask, args=(str(tmp_path), 2.0, asked)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    at_s = sorted(asked.get() for _ in range(asked.qsize()))
    assert len(at_s) > 40
    gaps = [behind - before for before, behind in itertools.pairwise(at_s)]
    assert sum(gaps) / len(gaps) >= 1 / 40.5


def test_a_killed_process_gives_its_connection_back(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    held: multiprocessing.Queue[bool] = spawn.Queue()
    process = spawn.Process(target=_hold, args=(str(tmp_path), held))
    process.start()
    assert held.get()
    other = RateLimiter(Manners(rate_per_s=1000, connections=1), shared=SharedHosts(tmp_path, Origins()))
    assert not other.try_acquire(HOST).is_granted
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    until_s = time.monotonic() + 5
    while not (granted := other.try_acquire(HOST).is_granted) and time.monotonic() < until_s:
        pass
    assert granted
