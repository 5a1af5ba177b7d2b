"""On a worker that serves several servers, what sends events to one of them ends with the last build of that server."""

import asyncio
from typing import Any

import pytest

from tasks.orchestration import prefect_innards
from tasks.orchestration.workers import _USERS, BuildPlugin

ONE, OTHER = "http://127.0.0.1:1/api", "http://127.0.0.1:2/api"


def test_the_last_build_of_a_server_stops_its_services(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr(prefect_innards, "send_events_by_server", lambda: calls.append("own services"))
    monkeypatch.setattr(prefect_innards, "stop_services", lambda api_url: calls.append(api_url) or [])
    worker: Any = None
    builds = [BuildPlugin(api_url, name) for api_url, name in ((ONE, "a"), (ONE, "b"), (OTHER, "c"))]
    assert len({build.name for build in builds}) == 3
    for build in builds:
        build.setup(worker)
    assert _USERS == {ONE: 2, OTHER: 1}
    asyncio.run(builds[0].teardown(worker))
    assert calls == ["own services"] * 3  # another build still reports to it
    asyncio.run(builds[1].teardown(worker))
    asyncio.run(builds[2].teardown(worker))
    assert calls[3:] == [ONE, OTHER]
    assert not _USERS
