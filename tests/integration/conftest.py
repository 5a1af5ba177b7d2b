"""A painted museum, and builds of it: once as plain calls (quick), where it matters under Prefect (marked `server`)."""

import contextlib
import functools
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.museum.folder import write_museum
from flows.build_dataset import run_stages
from flows.recipes import recipe_from_file
from schemas.manifests import Context
from tasks.io.store.releases import Release
from tests.support.desk import ROOT, SEED, Desk, MadeOnce
from tests.support.prefect_api import Log
from tests.support.reader_places import Place, lay_out


@pytest.fixture(scope="session")
def painted(made_once: MadeOnce) -> Path:
    """A museum of 160 records that no test may change."""
    return made_once("museum-160", lambda folder: write_museum(folder, 160, SEED, processes=1))


@pytest.fixture
def museum(painted: Path, tmp_path: Path) -> Path:
    """A museum that a test may change."""
    return Path(shutil.copytree(painted, tmp_path / "museum"))


@pytest.fixture
def desk(tmp_path: Path, painted: Path) -> Desk:
    """An empty store, and the museum that no test may change."""
    return Desk(str(tmp_path / "store"), painted)


@pytest.fixture(scope="session")
def _built(painted: Path, made_once: MadeOnce) -> Path:
    return made_once("museum-160-built", lambda store: Desk(str(store), painted).build())


@pytest.fixture
def built(tmp_path: Path, painted: Path, _built: Path) -> Desk:
    """A store of its own in which that museum has been built."""
    return Desk(str(shutil.copytree(_built, tmp_path / "store")), painted)


@pytest.fixture
def measured(tmp_path: Path, museum: Path, _built: Path) -> Desk:
    """A museum that a test may change, and a store that has what is measured of its images, and nothing else.

    For tests of what is decided and published: to detect once more is most of a build.
    """
    store = tmp_path / "store"
    shutil.copytree(_built / "measures", store / "measures")
    return Desk(str(store), museum)


@pytest.fixture(scope="session")
def _prefect_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Log]]:
    from prefect.settings import PREFECT_API_URL
    from prefect.testing.utilities import prefect_test_harness

    log = Log(tmp_path_factory.mktemp("prefect") / "server.log")
    with contextlib.ExitStack() as stack:
        with log.path.open("ab") as file, pytest.MonkeyPatch.context() as patch:
            popen = functools.partial(subprocess.Popen, stdout=file, stderr=subprocess.STDOUT)
            patch.setattr(subprocess, "Popen", popen)  # Prefect would let its server write where the tests do
            patch.setenv("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "ERROR")  # the command's own is CRITICAL
            stack.enter_context(prefect_test_harness(server_startup_timeout=180))
        yield str(PREFECT_API_URL.value()), log


@pytest.fixture
def prefect_server(_prefect_server: tuple[str, Log]) -> Iterator[str]:
    """A Prefect server of the tests' own, with a database of its own; its API's URL.

    A test during which it writes a traceback fails.
    """
    url, log = _prefect_server
    yield url
    log.check()


@pytest.fixture(scope="session")
def museum_place(_built: Path, made_once: MadeOnce) -> Place:
    folder = made_once("museum-160-read", lambda folder: lay_out(folder, _built / "releases/museum"))
    return Place(folder, Release(str(_built / "releases/museum/latest")))


@pytest.fixture(scope="session")
def peopleart_place(shared_data: Path, made_once: MadeOnce) -> Place:
    def build(store: Path) -> None:
        weights = shared_data / "weights/yolox_nano/yolox_nano.onnx"
        bound = {"images": str(shared_data / "peopleart"), "weights": str(weights)}
        recipe = recipe_from_file(str(ROOT / "deployments/recipes/peopleart.yaml"))
        run_stages(recipe, Context(store=str(store), bindings=bound))

    releases = made_once("peopleart-built", build) / "releases/peopleart"
    folder = made_once("peopleart-read", lambda folder: lay_out(folder, releases))
    return Place(folder, Release(str(releases / "latest")))


@pytest.fixture
def place(request: pytest.FixtureRequest) -> Place:
    found: Place = request.getfixturevalue(f"{request.param}_place")
    return found
