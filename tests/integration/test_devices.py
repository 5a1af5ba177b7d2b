"""torchvision's detectors in whole builds: a device lost in the middle, a machine with torch alone, GPUs of a
cluster.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from prefect import flow, task
from prefect.cache_policies import NO_CACHE

from flows.build_dataset import build_dataset
from flows.cli import main
from schemas.detect import Detect
from schemas.errors import BadInput
from schemas.manifests import Context
from tasks import detect
from tasks.engine.parts import run_in_parts
from tasks.io.detectors import torchvision_models
from tasks.io.store.releases import Release
from tasks.subjects import detectors
from tests.support.desk import RECIPE, ROOT
from tests.support.models import METADATA, Failing, small

CHANGES = [
    "stages.detect.model=fcos_small",
    "stages.detect.classes.person=1",
    "stages.has-a-figure.figures.score=0.05",
    "stages.export.coco.score=0.05",
]


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = Path(tmp_path_factory.mktemp("weights") / "small.safetensors")
    file.write_bytes(torchvision_models.weights_bytes(small(), METADATA))
    return file


@pytest.fixture(autouse=True)
def _detectors_of_other_tests_are_forgotten():
    detectors._load.cache_clear()
    yield
    detectors._load.cache_clear()


@pytest.mark.live
@pytest.mark.server
def test_a_build_whose_device_is_lost_in_the_middle_ends_whole_and_with_the_same_release(
    prefect_server, tmp_path, painted, weights, monkeypatch
):
    def built(name: str) -> str:
        url = build_dataset(
            str(RECIPE),
            store=str(tmp_path / name),
            bind={"images": str(painted), "weights": str(weights)},
            changes=CHANGES,
            limit=40,
            part_rows=10,
            device="cpu",
        )
        return Release(url).manifest.content_sha256

    undisturbed = built("undisturbed")
    detectors._load.cache_clear()
    lost = RuntimeError("CUDA error: unspecified launch failure")
    loaded, failing = torchvision_models.load_model, []

    def breaking(*arguments: Any) -> Any:
        model, told = loaded(*arguments)
        model.backbone = Failing(model.backbone, lost, at=14)
        failing.append(model.backbone)
        return model, told

    monkeypatch.setattr(torchvision_models, "load_model", breaking)

    assert built("disturbed") == undisturbed
    assert [backbone.left["times"] for backbone in failing] == [0]  # it did fail, once


ALONE = """
import json, sys
for name in ("prefect", "prefect_dask", "dask", "distributed", "onnxruntime", "cv2", "numba"):
    sys.modules[name] = None
import pyarrow as pa
from schemas.detect import Detect
from schemas.manifests import Context
from tasks.subjects import detectors
settings = Detect(model="fcos_small")
context = Context(store="memory://none", bindings={"weights": sys.argv[1]}, device="cpu")
rows = detectors.rows(settings, pa.table({"sha256": ["a"]}), context, lambda _: open(sys.argv[2], "rb").read())
print(json.dumps([list(rows), detectors.measure_key(settings, context)]))
"""


def test_a_machine_with_torch_and_without_prefect_finds_the_same(painted, weights):
    painting = next(file for file in sorted((painted / "images").rglob("*.jpg")) if file.stat().st_size > 5000)
    done = subprocess.run(
        [sys.executable, "-c", ALONE, str(weights), str(painting)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    settings = Detect(model="fcos_small")
    context = Context(store="memory://none", bindings={"weights": str(weights)}, device="cpu")
    here = list(detectors.rows(settings, pa.table({"sha256": ["a"]}), context, lambda _: painting.read_bytes()))
    assert json.loads(done.stdout) == [json.loads(json.dumps(here)), detectors.measure_key(settings, context)]
    assert here[0]["figures"]


# --- a cluster


@task(name="detect_part", cache_policy=NO_CACHE, persist_result=False)
def where(batch: pa.Table, folder: str, context: Context) -> None:
    """Leave a file that says which worker it was."""
    from distributed import get_worker

    (Path(folder) / f"{batch['row'][0].as_py()}").write_text(str(get_worker().name))


@flow(persist_result=False)
def parts(folder: str, device: str) -> None:
    rows = pa.table({"row": range(8)})
    run_in_parts(
        where, rows, (folder,), Context(store="memory://parts", device=device, workers=4, part_rows=1), "parts"
    )


@pytest.mark.live
@pytest.mark.server
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_parts_that_want_a_gpu_go_to_the_worker_that_has_one_and_others_anywhere(prefect_server, tmp_path):
    from distributed import SpecCluster, Worker
    from distributed.scheduler import Scheduler
    from prefect_dask import DaskTaskRunner

    def cluster(resources: dict[str, float]) -> SpecCluster:
        options = {"nthreads": 2, "dashboard_address": "127.0.0.1:0"}
        workers = {
            "with": {"cls": Worker, "options": {**options, "resources": resources, "name": "with"}},
            "without": {"cls": Worker, "options": {**options, "name": "without"}},
        }
        scheduler = {"cls": Scheduler, "options": {"dashboard_address": "127.0.0.1:0", "port": 0, "host": "127.0.0.1"}}
        return SpecCluster(workers, scheduler, silence_logs=50)

    def on(local: SpecCluster, name: str, device: str) -> list[str]:
        folder = tmp_path / name
        folder.mkdir()
        parts.with_options(task_runner=DaskTaskRunner(address=local.scheduler_address))(str(folder), device)
        return [file.read_text() for file in folder.iterdir()]

    with cluster({"GPU": 1}) as local:
        assert on(local, "gpu", "cuda") == ["with"] * 8
        assert sorted(set(on(local, "any", "auto"))) == ["with", "without"]
    with (
        cluster({}) as local,
        pytest.raises(BadInput, match="--device cuda: expected a worker with the resource GPU=1, got 2"),
    ):
        on(local, "none", "cuda")


def test_the_desk_of_a_cluster_needs_no_gpu(tmp_path, weights):
    from flows.build_dataset import without_gpu

    context = Context(store=str(tmp_path), bindings={"weights": str(weights)}, device="cuda:99")
    with pytest.raises(BadInput, match="device: expected one of this machine's"):
        detect.check_detector(Detect(model="fcos_small"), context)
    detect.check_detector(Detect(model="fcos_small"), without_gpu(context))


def test_a_device_can_be_named_and_one_that_is_not_there_is_refused_before_anything_runs(
    tmp_path, painted, weights, capsys
):
    words = [
        "build",
        str(RECIPE),
        "--store",
        str(tmp_path / "store"),
        "--bind",
        f"images={painted}",
        "--device",
        "cuda:99",
        "--bind",
        f"weights={weights}",
        *(word for change in CHANGES for word in ("--set", change)),
    ]
    assert main(words) == 2
    assert capsys.readouterr().err.startswith("bilderatlas: device: expected one of this machine's")
    assert not (tmp_path / "store" / "blobs").exists()
