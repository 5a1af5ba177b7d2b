"""The GPU benchmark, small and on the CPU: it runs to its end, measures what it says, and leaves the committed results
alone.
"""

import io
import json
import sys

import pytest
import torch
from PIL import Image

from benchmarks import detect_gpu, detect_pictures, results
from benchmarks.detect_moves import moved
from tasks.io.detectors.loading import InferenceOptions
from tasks.io.detectors.torchvision_detector import TorchvisionDetector
from tests.support.models import SETTINGS, Failing, small


def test_a_trial_on_the_cpu_writes_what_it_measured(tmp_path, capsys):
    out = tmp_path / "detect-gpu.json"
    assert detect_gpu.main(["--device", "cpu", "--small", "--out", str(out)]) == 0
    found = json.loads(out.read_text())
    assert found["name"] == "detect-gpu"
    assert found["machine"]["device"]["name"].startswith("none")
    assert {"torch", "torchvision", "numpy"} <= found["versions"].keys()
    sides = {row["side"]: row for row in found["rows"] if row["side"]}
    assert set(sides) == {"decode alone", "forward alone", "ours", "torchvision's loop, batch 1"}
    assert all(row["images/s"] > 0 for row in sides.values())
    assert sides["ours"]["forward ms"] > 0
    changes = [row["change"] for row in found["rows"] if not row["side"]]
    assert changes[:4] == ["none", "batches of 2", "batches of 8", "bfloat16"]
    assert "| model | side |" in capsys.readouterr().out


def test_without_a_gpu_it_says_so_and_exits_with_2(capsys):
    if torch.cuda.is_available():
        pytest.skip("here is a GPU")
    assert detect_gpu.main([]) == 2
    assert capsys.readouterr().err.startswith("no GPU that CUDA and torch can use")


def test_without_opencv_the_pictures_are_textured_of_the_same_sizes_and_the_result_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "examples.museum.paint", None)
    files, kind = detect_gpu._pictures(None, detect_gpu.SMALL)
    sizes = [Image.open(io.BytesIO(data)).size for data in files]
    assert kind.startswith("textured")
    assert (len(sizes), {max(size) for size in sizes}) == (4, {160})
    assert len(set(sizes)) > 1


def test_a_folder_without_jpeg_files_is_refused(tmp_path):
    with pytest.raises(SystemExit, match="expected a folder with JPEG files, got none"):
        detect_gpu._pictures(tmp_path, detect_gpu.SMALL)


def test_a_switch_that_this_machine_lacks_leaves_a_note_and_not_the_benchmark_in_pieces(monkeypatch):
    blobs = dict(enumerate(detect_pictures.textured(2, 0, 64)))
    detector = TorchvisionDetector(small(), SETTINGS, torch.device("cpu"), InferenceOptions(decodes_on_gpu=True))
    assert detect_gpu._rate(detector, SETTINGS, blobs) == {"note": "no nvJPEG here"}
    model = small()
    model.backbone = Failing(model.backbone, RuntimeError("no compiler\nat all"), times=99)
    broken = TorchvisionDetector(model, SETTINGS, torch.device("cpu"))
    assert detect_gpu._rate(broken, SETTINGS, blobs) == {"note": "RuntimeError: no compiler"}


def test_the_figures_asked_for_are_of_the_large_model():
    rates = {"decode alone": 120, "forward alone": 100, "ours": 90, "torchvision's loop, batch 1": 15}
    rows = [{"model": "fasterrcnn_resnet50_fpn_v2", "side": side, "images/s": rate} for side, rate in rates.items()]
    assert detect_gpu.ratios(rows) == {"of_forward_only": 0.9, "of_bound": 0.9, "vs_reference_loop": 6.0}


def test_what_moves_is_counted_box_by_box():
    def figure(x: float, score: float) -> dict[str, object]:
        return {"xywh_px": [x, 0.0, 10.0, 10.0], "score": score}

    one = [[figure(0, 0.9), figure(50, 0.5)], [figure(0, 0.01)]]
    other = [[figure(0.2, 0.8)], [figure(0, 0.01)]]
    said = moved(one, other)
    assert said["pictures with equal rows"] == "1 of 2"
    assert said["boxes without a partner"] == "1 of 2"
    assert said["score moves, mean"] == pytest.approx(0.1)
    assert said["most "] == 0.2


def test_a_machine_with_little_installed_still_writes_results(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(results, "_LIBRARIES", ("numpy", "no-such-library"))
    monkeypatch.setattr(results, "ROOT", tmp_path)  # no clone of git
    path = results.write("x", [{"a": 1}], {}, {"name": "a GPU"}, tmp_path / "deep" / "x.json")
    found = json.loads(path.read_text())
    assert list(found["versions"]) == ["python", "numpy"]
    assert found["commit"] == ""
    assert found["machine"]["device"] == {"name": "a GPU"}
