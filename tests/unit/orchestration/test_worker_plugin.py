"""A build that a worker serves begins and ends there."""

import asyncio
from typing import Any

import pytest
from prefect.events.worker import EventsWorker

from tasks.orchestration import event_services
from tasks.orchestration.worker_plugin import BuildPlugin

API = "http://127.0.0.1:1/api"


def test_a_build_begins_and_ends_on_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EventsWorker, "instance", EventsWorker.instance)  # put back as it was
    worker: Any = None
    builds = [BuildPlugin(API, name) for name in ("a", "b")]
    assert len({build.name for build in builds}) == 2
    for build in builds:
        build.setup(worker)
    assert event_services._USERS[API] == 2
    for build in builds:
        asyncio.run(build.teardown(worker))
    assert API not in event_services._USERS
