"""What is compiled ahead is all that a build compiles."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flows.cli import main
from tests.support.desk import ROOT

KERNELS = """
import importlib, sys
from tasks.core.compile_ahead import compile_ahead

compile_ahead()
names = [f"dedup.{name}" for name in ("list_kernels", "local_kernels", "registration", "search_bands")]
names += ["siphash", "split.stratify", "statistics.crowding", "statistics.overlaps"]
modules = [importlib.import_module(f"tasks.core.{name}") for name in names]
functions = {found for module in modules for found in vars(module).values() if hasattr(found, "py_func")}
assert len(functions) > 30
sys.exit("\\n".join(found.__name__ for found in functions if not found.signatures) or 0)
"""


@pytest.mark.slow
def test_no_function_of_a_build_is_left_out(tmp_path: Path):
    # with nothing kept, functions that others call are compiled, too
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", KERNELS], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.live
def test_a_build_after_it_compiles_nothing(tmp_path: Path):
    cache, works = tmp_path / "cache", tmp_path / "works"
    assert main(["museum", "paint", str(works), "--records", "300", "--seed", "5"]) == 0
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}

    def compiled(*command: str) -> set[Path]:
        done = subprocess.run(
            [sys.executable, "-m", *command], cwd=ROOT, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return set(cache.rglob("*.nbc"))

    ahead = compiled("tasks.core.compile_ahead")
    weights = ROOT / "examples/museum/weights/figures.onnx"
    binds = [f"--bind=images={works}", f"--bind=weights={weights}"]
    after = compiled("flows.cli", "build", "museum", "--store", str(tmp_path / "store"), *binds)
    assert len(ahead) > 30
    assert after == ahead
