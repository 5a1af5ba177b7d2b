"""One budget for all workers of a Dask cluster, in threads and in processes of their own."""

import io
import time
from collections.abc import Iterator

import pytest
from distributed import Client as Cluster
from distributed import LocalCluster

from schemas.manners import Manners
from tasks.engine.rate_limits import RateLimiterPlugin, SharedRateLimiter, shared_rate_limiter
from tasks.io.web.addresses import Origins
from tasks.io.web.rate_limits import RateLimiter
from tasks.io.web.shared_hosts import hosts_of_user
from tests.support.servers import answer, serving

pytestmark = [
    pytest.mark.live,
    pytest.mark.server,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # distributed's own sockets, at its end
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(params=[False, True], ids=["threads", "processes"])
def cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=2, processes=request.param, dashboard_address="127.0.0.1:0"
        ) as local,
        Cluster(local) as client,
    ):
        yield client


def ask_for(url: str, seconds: float, manners: str, run: str) -> int:
    """A worker's task: ask as often as the rate limiter lets it."""
    from tasks.engine.rate_limits import shared_rate_limiter
    from tasks.io.web.addresses import Origins
    from tasks.io.web.client import Client, DownloadRequest, ResponseLimits

    rate_limiter = shared_rate_limiter(run, "", manners)
    assert rate_limiter is not None
    client = Client(rate_limiter, Origins({"*": url}), None, ResponseLimits(1000, 2))
    count, until_s = 0, time.monotonic() + seconds
    while time.monotonic() < until_s:
        turn = rate_limiter.try_acquire("a.example")
        if turn.wait_s:
            time.sleep(min(turn.wait_s, 0.05))
            continue
        with client.using_permit("a.example"):
            client.get(
                DownloadRequest("http://a.example/x", "json"), io.BytesIO(), ResponseLimits(1000, 2), has_permit=True
            )
        count += 1
    client.close()
    return count


def take(host: str, manners: str, run: str) -> tuple[float, str | None]:
    from tasks.engine.rate_limits import shared_rate_limiter

    turn = shared_rate_limiter(run, "", manners).try_acquire(host)
    return turn.wait_s, turn.refusal


def test_two_workers_share_one_rate(cluster: Cluster) -> None:
    manners = Manners(rate_per_s=20, connections=4).model_dump_json()
    workers = sorted(cluster.scheduler_info()["workers"])
    with serving() as site:
        site.at("/x", answer(body=b"{}"))
        tasks = [
            cluster.submit(ask_for, site.url, 2.0, manners, "run", workers=[worker], pure=False) for worker in workers
        ]
        counts = [task.result(timeout=30) for task in tasks]

        assert all(counts)
        at_s = sorted(site.seen_at_s)

    assert sum(counts) == len(at_s) >= 20
    # 2 s at 20 a second, less what the way to the server may take one time more and another time less
    assert max(sum(begin <= other < begin + 1.95 for other in at_s) for begin in at_s) <= 41


def test_the_turns_of_a_worker_that_is_gone_are_given_back(cluster: Cluster) -> None:
    manners = Manners(rate_per_s=1000, connections=1).model_dump_json()
    first, second = sorted(cluster.scheduler_info()["workers"])

    assert cluster.submit(take, "a.example", manners, "run", workers=[first], pure=False).result(30) == (0, None)
    time.sleep(0.01)
    assert cluster.submit(take, "a.example", manners, "run", workers=[second], pure=False).result(30)[0] > 0
    cluster.retire_workers([first])
    time.sleep(0.2)
    assert cluster.submit(take, "a.example", manners, "run", workers=[second], pure=False).result(30) == (0, None)


def test_budgets_are_shared_and_runs_are_not(cluster: Cluster) -> None:
    manners = Manners(rate_per_s=1000, connections=9, max_requests=1).model_dump_json()
    first, second = sorted(cluster.scheduler_info()["workers"])

    found = [
        cluster.submit(take, host, manners, run, workers=[worker], pure=False).result(30)
        for host, run, worker in (("a", "1", first), ("b", "1", second), ("b", "2", second))
    ]

    assert found == [(0, None), (0, "over_budget"), (0, None)]


def test_a_cluster_and_a_build_beside_it_are_one_guest(cluster: Cluster) -> None:
    manners = Manners(rate_per_s=0.01, connections=4)
    assert RateLimiter(manners, shared=hosts_of_user(Origins())).try_acquire("beside.example").is_granted
    wait_s, refusal = cluster.submit(take, "beside.example", manners.model_dump_json(), "r", pure=False).result(30)
    assert 0 < wait_s <= 100
    assert refusal is None


def test_without_a_cluster_there_is_no_shared_rate_limiter() -> None:
    assert shared_rate_limiter("run", "", Manners().model_dump_json()) is None


def test_the_shared_rate_limiter_answers_all_that_a_rate_limiter_does() -> None:
    public = {name for name in vars(RateLimiter) if not name.startswith("_")}

    assert public <= {name for name in vars(SharedRateLimiter) if not name.startswith("_")}


def test_only_the_last_runs_are_kept_and_late_answers_do_no_harm() -> None:
    plugin, manners = RateLimiterPlugin(), Manners(rate_per_s=100_000, connections=99).model_dump_json()
    for number in range(20):
        time.sleep(1e-4)
        assert plugin.handle_call("w", str(number), "", manners, "try_acquire", ["a"])[0] == 0
    assert len(plugin._rate_limiters) == 8
    plugin.handle_call("w", "0", "", manners, "release", ["a", "good", None, 0])
    plugin.handle_call("w", "0", "", manners, "release", ["a", "good", None, 0])
    plugin.handle_call("other", "19", "", manners, "cancel", ["a"])
    assert plugin._rate_limiters["19"]._hosts["a"].open_permits == 1
    plugin.handle_call("w", "19", "", manners, "set_crawl_delay", ["a", 9.0])
    plugin.remove_worker(None, "w")
    assert plugin._rate_limiters["19"]._hosts["a"].open_permits == 0
