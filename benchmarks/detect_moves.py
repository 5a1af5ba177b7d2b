"""How far batch size, precision, threads and device move what a detector finds: the same pictures, compared box by box.

    python -m benchmarks.detect_moves WEIGHTS [--pictures 100] [--device cpu]

WEIGHTS: a detector that `train detector` has written. The pictures are works of a museum that it has not seen.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.results import even, markdown
from schemas.detect import Detect
from tasks.core.detect.boxes import figures
from tasks.io.detectors import devices, torchvision_models
from tasks.io.detectors.canvases import Canvases, Size
from tasks.io.detectors.decoding import PicturePixels, decode_on_cpu
from tasks.io.detectors.loading import InferenceOptions
from tasks.io.detectors.torchvision_detector import TorchvisionDetector

SEED = 61007
Figures = list[list[dict[str, Any]]]
Truth = list[list[tuple[list[float], bool]]]
"""Boxes (x, y, width, height) of each picture, and whether each is a crowd."""


def found(
    detector: TorchvisionDetector, settings: Detect, pictures: Sequence[PicturePixels], batch: int, threads: int = 1
) -> Figures:
    """Figures of each picture as they are stored, detected in batches of one size."""
    by_canvas: dict[Size, list[int]] = {}
    for place, picture in enumerate(pictures):
        by_canvas.setdefault(detector.canvas_for(picture.size), []).append(place)
    all_of: dict[int, Any] = {}
    with _threads(threads):
        for canvas, places in by_canvas.items():
            for start in range(0, len(places), batch):
                some = places[start : start + batch]
                held = [pictures[place] for place in some]
                all_of |= dict(zip(some, detector.start(detector.stage(held, canvas))(), strict=True))
    return [
        figures(*all_of[place], (picture.size.width_px, picture.size.height_px), settings)
        for place, picture in enumerate(pictures)
    ]


class _threads:  # noqa: N801 - a context, as those of the library beside it
    """On a CPU, lets torch have so many threads for once: what a build never does."""

    def __init__(self, count: int) -> None:
        self._count, self._set = count, torch.set_num_threads

    def __enter__(self) -> None:
        if self._count > 1:
            self._set(self._count)
            torch.set_num_threads = lambda _count: None  # type: ignore[assignment]

    def __exit__(self, *_: object) -> None:
        torch.set_num_threads = self._set


def moved(one: Figures, other: Figures, least_score: float = 0.05) -> dict[str, Any]:
    """What a change has moved of boxes from that score on: those without a partner (IoU >= 0.9), scores, corners in
    px.
    """
    scores, corners, alone, total = [], [], 0, 0
    for here, there in zip(one, other, strict=True):
        for figure in (figure for figure in here if figure["score"] >= least_score):
            total += 1
            best = max(there, key=lambda entry: _iou(figure["xywh_px"], entry["xywh_px"]), default=None)
            if best is None or _iou(figure["xywh_px"], best["xywh_px"]) < 0.9:
                alone += 1
                continue
            scores.append(abs(figure["score"] - best["score"]))
            corners.append(max(abs(a - b) for a, b in zip(figure["xywh_px"], best["xywh_px"], strict=True)))
    same = sum(here == there for here, there in zip(one, other, strict=True))
    return {
        "pictures with equal rows": f"{same} of {len(one)}",
        "boxes without a partner": f"{alone} of {total}",
        "score moves, mean": _rounded(np.mean(scores) if scores else 0, 5),
        "most": _rounded(max(scores, default=0), 3),
        "corner moves px, mean": _rounded(np.mean(corners) if corners else 0, 3),
        "most ": _rounded(max(corners, default=0), 1),
    }


def average_precision(truth: Truth, figures: Figures) -> dict[str, float]:
    """AP and AP50 of the stored figures."""
    from tasks.core.evaluate.scores import box_scores  # a GPU machine need not have COCO's library

    document = {"categories": [{"id": 1, "name": "person"}], "images": [{"id": n} for n in range(len(figures))]}
    boxes = [
        {"id": number, "image_id": n, "category_id": 1, "bbox": box, "area": box[2] * box[3], "iscrowd": int(is_crowd)}
        for number, (n, box, is_crowd) in enumerate(
            ((n, *one) for n, some in enumerate(truth[: len(figures)]) for one in some), 1
        )
    ]
    found = [
        {"image_id": n, "category_id": 1, "bbox": one["xywh_px"], "score": one["score"]}
        for n, some in enumerate(figures)
        for one in some
    ]
    scores = box_scores([({**document, "annotations": boxes}, found)])
    return {name: _rounded(scores[name] or 0, 4) for name in ("AP", "AP50")}


def rows(
    model: Any,
    settings: Detect,
    pictures: Sequence[PicturePixels],
    device: torch.device,
    on_cpu: int = 0,
    truth: Truth | None = None,
) -> list[dict[str, Any]]:
    """The table: each change against one picture at a time in float32; on a GPU also against a CPU, for the first few.

    truth: the pictures' true boxes, where average precision is to be counted too.
    """
    full, half = torch.float32, torch.bfloat16
    plain = TorchvisionDetector(model, settings, device, InferenceOptions(full, 1))
    base = found(plain, settings, pictures, 1)
    changes = {f"batches of {size}": (InferenceOptions(full, size), size, 1) for size in (2, 8)}
    changes["bfloat16"] = (InferenceOptions(half, 1), 1, 1)
    changes["bfloat16, batches of 8"] = (InferenceOptions(half, 8), 8, 1)
    if device.type == "cpu":
        changes["two threads"] = (InferenceOptions(full, 1), 1, 2)
    figures_of = {"none": base}
    for name, (options, size, threads) in changes.items():
        figures_of[name] = found(
            TorchvisionDetector(model, settings, device, options), settings, pictures, size, threads
        )
    padded = TorchvisionDetector(model, settings, device, InferenceOptions(full, 1))
    padded._load().transform.canvases = Padded(*padded._load().transform.canvases)
    figures_of["a canvas of its own"] = found(padded, settings, pictures, 1)
    if on_cpu:
        there = TorchvisionDetector(model, settings, torch.device("cpu"), InferenceOptions(full, 1))
        figures_of[f"the CPU, {on_cpu} pictures"] = found(there, settings, pictures[:on_cpu], 1)
    return even(
        [
            {"change": name, **moved(base[: len(some)], some), **(average_precision(truth, some) if truth else {})}
            for name, some in figures_of.items()
        ]
    )


class Padded(Canvases):
    """A canvas for each picture, as small as a model's stride allows: how torchvision pads one that comes alone."""

    def canvas_for(self, picture: Size) -> Size:
        scaled = self.scaled_size(picture)
        return self.fixed or Size(-(-scaled.height_px // 32) * 32, -(-scaled.width_px // 32) * 32)


def _iou(one: list[float], other: list[float]) -> float:
    width = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    height = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    overlap = max(0.0, width) * max(0.0, height)
    return overlap / (one[2] * one[3] + other[2] * other[3] - overlap)


def _rounded(value: float, digits: int) -> float:
    return round(float(value), digits)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--pictures", type=int, default=100)
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args(argv)
    from benchmarks.detect_pictures import drawn, painted

    model, told = torchvision_models.load("fcos_small", arguments.weights.read_bytes(), "weights")
    settings = Detect(model=told.model, classes={told.categories[0]: 1})
    pictures = [decode_on_cpu(data) for data in painted(arguments.pictures, SEED, None)]
    truth = drawn(arguments.pictures, SEED)
    print(markdown(rows(model, settings, pictures, devices.choose_device(arguments.device), truth=truth)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
