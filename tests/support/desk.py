"""What a test builds with: one store, one museum, one recipe."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from flows.build_dataset import plan, run_stages
from flows.recipes import recipe_from_file
from schemas.manifests import Context, Step
from tasks.io.store.releases import Release

ROOT = Path(__file__).resolve().parents[2]


WEIGHTS = ROOT / "examples/museum/weights/figures.onnx"


RECIPE = ROOT / "deployments/recipes/museum.yaml"


MadeOnce = Callable[[str, Callable[[Path], object]], Path]


SEED = 20_240  # another one than the README's, and than those on which the detector was trained


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
        return by_label(run_stages(recipe_from_file(str(RECIPE), changes, limit), self.context(**more)))

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


Changes = Callable[[Path], None]
