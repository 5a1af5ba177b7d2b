"""A disk that is full, at any byte of a build: one sentence, nothing left behind, and the next build ends as if nothing
had been.

`ulimit -f` stands for the disk: writing beyond the limit fails as on a full one, half of it written.
"""

import errno
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from PIL import Image

RECIPE = {
    "name": "small",
    "bindings": {"images": "a folder"},
    "sources": [{"folder": {"name": "s", "at": "images", "pattern": "{style}/{title}.png"}}],
    "stages": ["fetch", "hash", "dedup", "split", {"export": {"parquet": {"images": "embedded"}}}],
}

BUILDS = """
import json, os, resource, sys
from flows.build_dataset import check, run_stages
from flows.recipes import recipe_from_file
from schemas.manifests import Context
from tasks.io.store.releases import Release
from tasks.io.store import store as module

recipe, images, stores, *limits = sys.argv[1:]
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

def build(name):
    module._CACHE = type(module._CACHE)()  # as a new process
    context = Context(store=f"{stores}/{name}", bindings={"images": images})
    settings = recipe_from_file(recipe)
    check(settings, context)
    return Release(run_stages(settings, context)[-1].release).manifest.content_sha256

def files(name):
    return sorted(os.listdir(f"{stores}/{name}/tmp"))

for limit in map(int, limits):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        build(limit)
        failure = None
    except OSError as problem:
        failure = problem.errno
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    left = files(limit)
    print(json.dumps([limit, failure, left, build(limit), files(limit)]), file=sys.stderr)
"""


@pytest.fixture
def images(tmp_path: Path) -> Path:
    draws = np.random.default_rng(7)
    for number in range(12):
        path = tmp_path / "images" / f"style-{number % 3}" / f"{number}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        small = Image.fromarray(draws.integers(0, 255, (6, 6, 3), np.uint8))
        small.resize((90 + number, 80), Image.Resampling.BICUBIC).save(path)
    (tmp_path / "r.yaml").write_text(yaml.safe_dump(RECIPE), encoding="utf-8")
    return tmp_path / "images"


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)


@pytest.mark.live
def test_a_build_that_ran_into_a_full_disk_leaves_nothing_and_is_repeated_in_the_same_content(
    images: Path, tmp_path: Path
):
    limits = [str(limit) for limit in (1, 1_000, 3_000, 6_000, 12_000, 20_000, 40_000, 80_000, 160_000, 10**9)]
    done = run("-c", BUILDS, str(tmp_path / "r.yaml"), str(images), str(tmp_path), *limits)
    found = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("[")]
    assert [str(limit) for limit, *_ in found] == limits, done.stderr
    failures = [failure for _, failure, *_ in found]
    assert failures[0] == errno.EFBIG
    assert failures[-1] is None
    assert len([failure for failure in failures if failure]) >= 4  # the limits are at different places of a build
    assert all(left == after == [] for *_, left, _, after in found)
    assert len({digest for *_, digest, _ in found}) == 1
