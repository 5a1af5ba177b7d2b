"""What only a GPU can show: its rows against a CPU's, batches against single pictures, memory that runs out, a stream
of its own.
"""

import hashlib
import io
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from benchmarks.detect_moves import moved
from tasks.core.evaluate.recognition.neighbours import nearest_neighbours
from tasks.io.detectors.canvases import Size
from tasks.io.detectors.loading import InferenceOptions
from tasks.io.detectors.torchvision_detector import TorchvisionDetector
from tasks.io.matrix_products import torch_product
from tasks.subjects.detectors import detections
from tests.support.models import SETTINGS, small

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.filterwarnings("ignore:The image decoding and encoding capabilities:DeprecationWarning"),
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU that CUDA and torch can use"),
]
CPU, GPU = torch.device("cpu"), torch.device("cuda", 0)
FULL = InferenceOptions(torch.float32)
ROOT = Path(__file__).resolve().parents[2]


def blob(number: int) -> bytes:
    rng, file = np.random.default_rng(number), io.BytesIO()
    coarse = Image.fromarray(rng.integers(0, 256, (12, 9 + number % 7, 3), dtype=np.uint8))
    coarse.resize((300 + 40 * (number % 7), 400), Image.Resampling.BICUBIC).save(file, "JPEG", quality=90)
    return file.getvalue()


BLOBS = {hashlib.sha256(data).hexdigest(): data for data in map(blob, range(60))}


@pytest.fixture(autouse=True)
def _float32_is_float32():
    before = torch.backends.cudnn.allow_tf32
    torch.backends.cudnn.allow_tf32 = False
    yield
    torch.backends.cudnn.allow_tf32 = before


def figures(device: torch.device, options: InferenceOptions = FULL, parts: int = 1) -> list[list[dict[str, object]]]:
    detector, names = TorchvisionDetector(small(), SETTINGS, device, options), list(BLOBS)

    def part(number: int) -> list[dict[str, object]]:
        return list(detections.rows(detector, SETTINGS, names[number::parts], BLOBS.__getitem__))

    with ThreadPoolExecutor(parts) as pool:
        rows = [row for some in pool.map(part, range(parts)) for row in some]
    return [row["figures"] for row in sorted(rows, key=lambda row: row["sha256"])]


def assert_near(one: list, other: list, score: float, px: float, alone: float) -> None:
    change = moved(one, other)
    without, total = map(int, change["boxes without a partner"].split(" of "))
    assert total > 100
    assert without <= alone * total
    assert change["most"] <= score
    assert change["most "] <= px


def test_a_gpu_finds_what_a_cpu_finds_in_float32():
    assert_near(figures(GPU), figures(CPU), 0.002, 1.0, 0.01)


def test_bfloat16_batches_find_nearly_the_same():
    assert_near(figures(GPU, InferenceOptions()), figures(CPU), 0.02, 8.0, 0.15)


def test_a_stream_finds_what_single_pictures_do():
    assert_near(figures(GPU), figures(GPU, InferenceOptions(torch.float32, 1, decoder_threads=0)), 0.002, 1.0, 0.01)


def test_jpeg_files_that_the_gpu_decodes_are_nearly_those_of_the_cpu():
    assert_near(figures(GPU, InferenceOptions(torch.float32, decodes_on_gpu=True)), figures(GPU), 0.05, 8.0, 0.15)


def test_a_batch_beyond_the_memory_is_halved_and_the_rows_stay():
    detector = TorchvisionDetector(small(), SETTINGS, GPU, InferenceOptions(torch.float32, 4096))
    pictures = [detector.decode(data) for data in BLOBS.values()] * 64
    by_canvas: dict[Size, list] = {}
    for picture in pictures:
        by_canvas.setdefault(detector.canvas_for(picture.size), []).append(picture)
    canvas, many = max(by_canvas.items(), key=lambda entry: len(entry[1]))
    one = detector.start(detector.stage(many[:1], canvas))()
    torch.cuda.empty_cache()
    used = torch.cuda.memory_reserved(GPU) / torch.cuda.get_device_properties(GPU).total_memory
    torch.cuda.set_per_process_memory_fraction(min(1.0, used + 0.004), GPU)
    try:
        found = detector.start(detector.stage(many, canvas))()
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0, GPU)
    assert detector.batch_size(canvas) < len(many)
    assert len(found) == len(many)
    assert abs(found[0].scores.max() - one[0].scores.max()) < 1e-3


def test_parts_that_share_a_gpu_find_what_one_does():
    assert_near(figures(GPU, parts=3), figures(GPU), 0.002, 1.0, 0.01)


LOST = """
import torch
from tasks.core.evaluate.recognition.neighbours import nearest_neighbours
from tasks.subjects.detectors import detections
from tasks.io.detectors.torchvision_detector import TorchvisionDetector
from tests.gpu.test_gpu import BLOBS, CPU, GPU
from tasks.io.matrix_products import torch_product
from tests.support.models import SETTINGS, small


class Dying(torch.nn.Module):
    left = 2  # batches: there are few

    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone

    def forward(self, pictures):
        Dying.left -= 1
        if pictures.is_cuda and not Dying.left:
            # the context fails for good
            torch.zeros(1, device=pictures.device)[torch.full((1,), 7, device=pictures.device)]
        return self.backbone(pictures)


def rows(detector):
    return sorted(detections.rows(detector, SETTINGS, list(BLOBS), BLOBS.__getitem__), key=lambda row: row["sha256"])


expected = rows(TorchvisionDetector(small(), SETTINGS, CPU))  # before: seeds are set on each GPU, too
model = small()
model.backbone = Dying(model.backbone)
detector = TorchvisionDetector(model, SETTINGS, GPU)
try:
    rows(detector)
except OSError as problem:
    print("lost:", problem)
assert rows(detector) == expected
print("whole, on", detector.device)
"""


def test_a_gpu_that_fails_for_good_in_the_middle_leaves_a_process_that_ends_well():
    done = subprocess.run(
        [sys.executable, "-c", LOST],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "lost: expected cuda:0 to answer, got CUDA error" in done.stdout
    assert done.stdout.splitlines()[-1] == "whole, on cpu"


def test_a_gpus_product_finds_the_same_neighbours():
    rng = np.random.default_rng(0)
    gallery, queries = (rng.normal(size=(rows, 512)).astype(np.float32) for rows in (20_000, 300))
    ours = nearest_neighbours(gallery, queries, 50)
    theirs = nearest_neighbours(gallery, queries, 50, product=torch_product(GPU))
    assert ours.rows.tolist() == theirs.rows.tolist()
    assert ours.similarities.tolist() == theirs.similarities.tolist()
