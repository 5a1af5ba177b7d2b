"""The GPU benchmark, small and on the CPU: it runs to its end, measures what it says, and leaves the committed results alone."""

import json

import pytest
import torch

from benchmarks import detect_gpu, results
from benchmarks.detect_moves import moved


def test_a_trial_on_the_cpu_writes_what_it_measured(tmp_path, capsys):
    out = tmp_path / "detect-gpu.json"
    assert detect_gpu.main(["--device", "cpu", "--small", "--out", str(out)]) == 0
    found = json.loads(out.read_text())
    assert found["name"] == "detect-gpu"
    assert found["machine"]["device"]["name"].startswith("none")
    assert {"torch", "torchvision", "numpy"} <= found["versions"].keys()
    sides = {row["side"]: row for row in found["rows"] if row["side"]}
    assert set(sides) == {"forward alone", "ours", "torchvision's loop, batch 1"}
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


def test_the_figures_asked_for_are_of_the_large_model():
    rates = {"forward alone": 100, "ours": 90, "torchvision's loop, batch 1": 15}
    rows = [{"model": "fasterrcnn_resnet50_fpn_v2", "side": side, "images/s": rate} for side, rate in rates.items()]
    assert detect_gpu.ratios(rows) == {"of_forward_only": 0.9, "vs_reference_loop": 6.0}


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
