"""A stream with a small buffer has all styles from its first pictures on, and a model sees the same by every door."""

import json
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image

from flows.build_dataset import run_stages
from schemas.manifests import Context
from schemas.recipe import Recipe
from tasks.io.store import releases
from tasks.io.store.store import Store
from tests.support.desk import ROOT

WORKS, STYLES = 10_400, 8
READERS = ROOT / ".venv/readers/bin/python"
STREAM = """
import json, sys
from datasets import load_dataset
stream = load_dataset(sys.argv[1], "images", split="train", streaming=True).shuffle(seed=1, buffer_size=1000)
print(json.dumps([row["style"] for row in stream.remove_columns("image").take(200)]))
"""

pytestmark = pytest.mark.readers


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of works in eight styles, listed style by style, and their pictures of 8 x 8 px."""
    folder = tmp_path_factory.mktemp("collection")
    rng, lines = np.random.default_rng(5), ["key,image,style,rights_uri"]
    for work in range(WORKS):
        path = folder / f"{work // 1000}/{work}.png"
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(rng.integers(0, 256, (8, 8, 3), dtype=np.uint8)).save(path)
        lines.append(f"{work},{path.relative_to(folder)},Style {work * STYLES // WORKS},")
    (folder / "works.csv").write_text("\n".join(lines) + "\n")
    return folder


def built(collection: Path, order: str) -> str:
    """The URL of its release, all of it for training."""
    columns = {name: name for name in ("key", "image", "style", "rights_uri")}
    export = {"export": {"parquet": {"order": order}}}
    recipe = {
        "name": f"by-{order.replace('_', '-')}",
        "bindings": {"works": "a table"},
        "sources": [{"table": {"name": "works", "at": "works", "table": "works.csv", "columns": columns}}],
        "stages": ["fetch", "hash", {"split": {"ratios": {"train": 1}}}, export],
    }
    store = str(collection / "store")
    run_stages(Recipe.model_validate(recipe), Context(store=store, bindings={"works": str(collection)}))
    found = releases.latest(Store(store), str(recipe["name"]))
    assert found is not None
    return found.url


def first_styles(url: str, home: Path) -> Counter[str]:
    variables = {"HOME": str(home), "HF_HOME": str(home), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [READERS, "-c", STREAM, url], env=variables, capture_output=True, text=True, check=False, cwd=home
    )
    assert done.returncode == 0, done.stderr
    return Counter(json.loads(done.stdout.splitlines()[-1]))


def test_the_first_pictures_of_a_stream_are_of_all_styles(collection: Path, tmp_path: Path):
    url = built(collection, "image_id")
    images = pq.read_table(f"{url}/images", columns=["style"])
    assert images.num_rows >= 10_000
    overall = max(Counter(images["style"].to_pylist()).values()) / images.num_rows
    found = first_styles(url, tmp_path)
    assert len(found) == STYLES
    assert max(found.values()) / 200 == pytest.approx(overall, abs=0.1)


def test_by_style_they_are_of_one(collection: Path, tmp_path: Path):
    """What the other order costs, which contract 2 always had."""
    found = first_styles(built(collection, "style"), tmp_path)
    assert max(found.values()) / 200 > 0.5
