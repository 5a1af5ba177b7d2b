"""Builds that ask one museum at once are one guest: as processes of their own, with workers, after a kill."""

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from examples.museum.serve.server import serving
from examples.museum.serve.works import FolderHall
from tests.support.desk import ROOT

pytestmark = [pytest.mark.live, pytest.mark.server]
RATE_PER_S, CONNECTIONS, WINDOW_S = 12.0, 2, 2.0
RECIPE = {
    "name": "guest",
    "manners": {"rate_per_s": RATE_PER_S, "connections": CONNECTIONS},
    "sources": [{"wikiart": {"name": "wikiart", "by": "json", "copyright": "any"}}],
    "stages": ["fetch", "hash", {"split": {"by": None, "order": None}}, "export"],
}


@pytest.fixture(scope="module")
def museum(painted: Path) -> Iterator[Any]:
    with serving(FolderHall(painted)) as opened:
        yield opened


class Build:
    """A build of a store of its own, as a process of its own."""

    def __init__(self, folder: Path, url: str, *options: str) -> None:
        folder.mkdir(exist_ok=True)
        recipe = folder / "guest.yaml"
        recipe.write_text(yaml.safe_dump(RECIPE), encoding="utf-8")
        words = [sys.executable, "-m", "flows.cli", "build", str(recipe), "--store", str(folder / "store")]
        words += ["--bind", f"origins=*={url}", "--limit", "12", *options]
        self.process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()


def until_asked(museum: Any, more: int) -> None:
    wanted, until_s = len(museum.log) + more, time.monotonic() + 60
    while len(museum.log) < wanted:
        assert time.monotonic() < until_s, "nobody has asked"
        time.sleep(0.02)


def check_manners(museum: Any, since: int) -> None:
    """In no window of time are there more requests to a host than one guest may send."""
    visits = sorted(museum.log[since:], key=lambda visit: visit.at_s)
    for _, of_host in itertools.groupby(sorted(visits, key=lambda visit: visit.host), key=lambda visit: visit.host):
        at_s = sorted(visit.at_s for visit in of_host)
        most = max(sum(start <= other < start + WINDOW_S for other in at_s) for start in at_s)
        assert most <= RATE_PER_S * WINDOW_S + CONNECTIONS


@pytest.mark.parametrize("options", [(), ("--workers", "2")], ids=["alone", "with two workers"])
def test_two_builds_at_once_are_one_guest(museum: Any, tmp_path: Path, options: tuple[str, ...]) -> None:
    since = len(museum.log)
    builds = [Build(tmp_path / name, museum.url, *options) for name in ("one", "two")]
    assert [build.process.wait() for build in builds] == [0, 0]
    assert len(museum.log) - since > 60
    check_manners(museum, since)


def test_a_build_after_a_kill_goes_on_as_the_same_guest(museum: Any, tmp_path: Path) -> None:
    since = len(museum.log)
    first, other = Build(tmp_path / "one", museum.url), Build(tmp_path / "two", museum.url)
    until_asked(museum, 20)
    first.kill()
    again = Build(tmp_path / "one", museum.url)
    assert [build.process.wait() for build in (again, other)] == [0, 0]
    check_manners(museum, since)
