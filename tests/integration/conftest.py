"""A painted museum, and builds of it: once as plain calls (quick), where it matters under Prefect (marked `server`)."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

os.environ |= {"PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1"}  # before Prefect is imported

from examples.museum.folder import write_museum
from flows.build_dataset import plan, stages
from flows.recipes import recipe_from_file
from schemas.manifests import Context, Step
from tasks.io.releases import Release

ROOT = Path(__file__).resolve().parents[2]
WEIGHTS = ROOT / "examples/museum/weights/figures.onnx"
RECIPE = ROOT / "deployments/recipes/museum.yaml"
MadeOnce = Callable[[str, Callable[[Path], object]], Path]
SEED = 20_240  # another one than the README's, and than those on which the detector was trained


@pytest.fixture(scope="session")
def painted(made_once: MadeOnce) -> Path:
    """A museum of 160 records that no test may change."""
    return made_once("museum-160", lambda folder: write_museum(folder, 160, SEED, processes=1))


@pytest.fixture
def museum(painted: Path, tmp_path: Path) -> Path:
    """A museum that a test may change."""
    return Path(shutil.copytree(painted, tmp_path / "museum"))


class Desk:
    """What a test builds with: one store, one museum, and the settings that it changes."""

    def __init__(self, store: str, museum: Path) -> None:
        self.store, self.museum = store, museum
        self.bound: dict[str, str] = {}

    def context(self, **more: Any) -> Context:
        bindings = {"images": str(self.museum), "weights": str(WEIGHTS), **self.bound}
        return Context(store=self.store, bindings=bindings, **more)

    def build(self, *changes: str, limit: int | None = None, **more: Any) -> dict[str, Step]:
        """Steps of a build by label."""
        return by_label(stages(recipe_from_file(str(RECIPE), changes, limit), self.context(**more)))

    def plan(self, *changes: str, limit: int | None = None) -> dict[str, Step]:
        return by_label(plan(recipe_from_file(str(RECIPE), changes, limit), self.context()))

    @property
    def latest(self) -> Release:
        return Release(f"{self.store}/releases/museum/latest")


def by_label(steps: tuple[Step, ...]) -> dict[str, Step]:
    return {step.label: step for step in steps}


def computed(steps: dict[str, Step]) -> dict[str, int]:
    """What was computed anew, by label; nothing else."""
    return {label: step.computed for label, step in steps.items() if step.computed}


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


@pytest.fixture(scope="session")
def prefect_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Prefect server of the tests' own, with a database of its own; its API's URL."""
    from prefect.settings import PREFECT_API_URL
    from prefect.testing.utilities import prefect_test_harness

    with prefect_test_harness(server_startup_timeout=180):
        yield str(PREFECT_API_URL.value())


Changes = Callable[[Path], None]
