"""One GPU, from JPEG bytes to boxes: against the model's forward pass alone, and against torchvision's reference
evaluation loop.

    python -m benchmarks.detect_gpu [--images FOLDER] [--device cuda] [--model NAME]

Needs torch, torchvision, numpy, pyarrow, pydantic, fsspec and Pillow. Pictures are painted where OpenCV is there, else
textured ones of the same sizes, or files of --images; the result says which. No weights travel: all are random, with
scores spread so that suppression has its full thousand candidates, more than a trained detector gives it. What is found
says nothing; how fast, all.

Forward alone: the model with its own suppression, on the very batches that ours has, on the same canvases, in the same
precision, all resident before. Decode alone: by as many threads, from bytes to pinned memory. The bound is the slower
of both. The reference loop: float32, as torchvision's is. About 6 minutes on a large GPU.
`--small` is a trial.
"""

import argparse
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import nn

from benchmarks import results
from benchmarks.detect_device import described, peak_gib, reset_peak, wait
from benchmarks.detect_moves import SEED
from benchmarks.detect_moves import rows as moves
from benchmarks.detect_pictures import found_in, painted, textured
from benchmarks.detect_reference import reference_s, workers_here
from schemas.detect import Detect
from tasks.io.detectors import devices, stream, torchvision_models
from tasks.io.detectors.decoding import decode_on_cpu
from tasks.io.detectors.loading import InferenceOptions
from tasks.io.detectors.torchvision_detector import StagedBatch, TorchvisionDetector
from tasks.io.images.decode import UnreadableImage
from tasks.subjects.detectors import detections

MODELS = {"fasterrcnn_resnet50_fpn_v2": (800, 1333), "fcos_small": (160, 160)}
PARTS = 2
"""Parts of a build that share the GPU, as `--workers 2` has it."""


class Size(NamedTuple):
    """How much is measured. reference: blobs of the loop at batch 1, which is slow. distinct: pictures, of which blobs
    are copies.
    """

    blobs: int = 768
    reference: int = 96
    distinct: int = 128
    longer_side_px: int = 1200
    rounds: int = 3
    compared: int = 32
    on_cpu: int = 2


SMALL = Size(blobs=8, reference=4, distinct=4, longer_side_px=160, rounds=1, compared=2, on_cpu=1)


def random_model(name: str, sides: tuple[int, int]) -> nn.Module:
    """A model of random weights whose scores differ from place to place."""
    torch.manual_seed(0)
    model: Any = torchvision_models.build(name, 1, *sides).eval()
    for layer, module in model.named_modules():
        if layer.endswith(("cls_logits", "cls_score")):
            nn.init.normal_(module.weight, std=0.05)
    return model


def ours_s(detector: TorchvisionDetector, settings: Detect, blobs: dict[str, bytes]) -> float:
    """Seconds from bytes to stored rows, of parts that run side by side."""

    def detect(names: list[str]) -> None:
        for row in detections.rows(detector, settings, names, blobs.__getitem__):
            assert row.get("reason") is None, row

    return _parts_s(detect, list(blobs))


def decode_s(detector: TorchvisionDetector, blobs: dict[str, bytes]) -> float:
    """Seconds from bytes to pictures from which the device can copy, by as many threads as ours has."""

    def decode(names: list[str]) -> None:
        for _, picture in stream._decode_ahead(detector, names, blobs.__getitem__):
            assert not isinstance(picture, UnreadableImage), picture

    return _parts_s(decode, list(blobs))


def _parts_s(work: Callable[[list[str]], None], names: list[str]) -> float:
    """Seconds of parts side by side, as `--workers 2` has them. Raises what one of them raised."""
    problems = []

    def part(number: int) -> None:
        try:
            work(names[number::PARTS])
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=part, args=(number,)) for number in range(PARTS)]
    began_s = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]
    return time.perf_counter() - began_s


def resident(detector: TorchvisionDetector, blobs: dict[str, bytes]) -> list[StagedBatch]:
    """The blobs on their canvases on the device, in the very batches in which ours has them now."""
    return [
        detector.stage([picture for _, picture in batch.pictures], batch.canvas)
        for part in range(PARTS)
        for batch in stream._batches(detector, list(blobs)[part::PARTS], blobs.__getitem__)
        if isinstance(batch, stream._Batch)
    ]


def forward_s(detector: TorchvisionDetector, batches: list[StagedBatch]) -> float:
    """Seconds of the model alone on resident batches: nothing is decoded, copied, scaled or read from the device."""
    loaded = detector._load()
    with torch.inference_mode(), devices.use_device(loaded.device):
        wait(loaded.device)
        began_s = time.perf_counter()
        for batch in batches:
            assert batch.batch is not None
            detector._forward(loaded, batch.batch)
        wait(loaded.device)
        return time.perf_counter() - began_s


def stages_ms(detector: TorchvisionDetector, settings: Detect, blobs: dict[str, bytes]) -> dict[str, float]:
    """ms a picture of each step when nothing else goes on: they add up to more than ours takes, since ours overlaps
    them.
    """
    names, spent, device = (
        list(blobs)[:64],
        dict.fromkeys(("decode", "copy and lay", "forward", "read out"), 0.0),
        detector.device,
    )

    def timed(step: str, work: Callable[[], Any]) -> Any:
        began_s = time.perf_counter()
        done = work()
        wait(device)
        spent[step] += time.perf_counter() - began_s
        return done

    by_canvas: dict[Any, list[Any]] = {}
    for name in names:
        picture = timed("decode", lambda name=name: detector.decode(blobs[name]))
        by_canvas.setdefault(detector.canvas_for(picture.size), []).append(picture)
    for canvas, pictures in by_canvas.items():
        staged = timed("copy and lay", lambda canvas=canvas, pictures=pictures: detector.stage(pictures, canvas))
        pending = timed("forward", lambda staged=staged: detector.start(staged))
        timed("read out", pending)
    return {f"{step} ms": round(1000 * seconds / len(names), 3) for step, seconds in spent.items()}


def measured(name: str, size: Size, device: torch.device, blobs: dict[str, bytes]) -> Iterator[dict[str, Any]]:
    """Rows of one model; the sides take turns in each round."""
    sides = MODELS[name] if size != SMALL else (96, 160)
    model = random_model(name, sides)
    settings = Detect(model=name, least_side_px=sides[0], most_side_px=sides[1])
    detector = TorchvisionDetector(model, settings, device)
    for number in range(size.rounds):  # kernels are chosen, memory is taken
        print(f"{name}: warm-up {number + 1} of {size.rounds}, {ours_s(detector, settings, blobs):.1f} s", flush=True)
    seconds: dict[str, list[float]] = {}
    workers = 0 if size == SMALL else workers_here()
    few, peak = _first(blobs, size.reference), 0.0
    for _ in range(size.rounds):
        seconds.setdefault("decode alone", []).append(decode_s(detector, blobs) / len(blobs))
        batches = resident(detector, blobs)
        seconds.setdefault("forward alone", []).append(forward_s(detector, batches) / len(blobs))
        count = len(batches)
        del batches
        reset_peak(device)
        seconds.setdefault("ours", []).append(ours_s(detector, settings, blobs) / len(blobs))
        peak = max(peak, peak_gib(device))
        loop_s = reference_s(model, settings, list(few.values()), device, workers)
        seconds.setdefault("torchvision's loop, batch 1", []).append(loop_s / len(few))
        print(name, {word: round(1 / all_s[-1], 1) for word, all_s in seconds.items()}, flush=True)
    medians = {word: statistics.median(all_s) for word, all_s in seconds.items()}
    for word, each_s in medians.items():
        row = {"model": name, "side": word, "images/s": round(1 / each_s, 1)}
        if word.startswith("torchvision"):
            row["decoding processes"] = workers
        if word == "ours":
            row |= {"peak GiB": peak, **stages_ms(detector, settings, blobs)}
            row["GPU not in the model %"] = round(100 * max(0.0, 1 - medians["forward alone"] / each_s), 1)
            row["pictures a batch"] = round(len(blobs) / count, 1)
        yield row
    if device.type == "cuda":
        yield from switched(name, model, settings, device, blobs)
    pictures = [decode_on_cpu(data) for data in _first(blobs, size.compared).values()]
    on_cpu = size.on_cpu if device.type == "cuda" else 0
    yield from ({"model": name, "side": "", **row} for row in moves(model, settings, pictures, device, on_cpu))


def switched(
    name: str, model: nn.Module, settings: Detect, device: torch.device, blobs: dict[str, bytes]
) -> Iterator[dict[str, Any]]:
    """What each switch does: a quarter of the pictures, once to warm up and once for the row.

    Compiled: one canvas, one size of batch.
    """
    quarter = _first(blobs, len(blobs) // 4)
    plain = TorchvisionDetector(model, settings, device)
    by_canvas: dict[Any, dict[str, bytes]] = {}
    for blob, data in blobs.items():
        by_canvas.setdefault(plain.canvas_for(plain.decode(data).size), {})[blob] = data
    usual = max(by_canvas.values(), key=len)
    usual = _first(usual, max(1, len(usual) // (16 * PARTS)) * 16 * PARTS)
    switches = {
        "ours, float32": (InferenceOptions(torch.float32), quarter),
        "ours, JPEG on the GPU": (InferenceOptions(decodes_on_gpu=True), quarter),
        "ours, one canvas by 16": (InferenceOptions(batch_size=16), usual),
        "ours, one canvas by 16, compiled": (InferenceOptions(batch_size=16, is_compiled=True), usual),
    }
    for word, (options, some) in switches.items():
        reset_peak(device)
        row = {
            "model": name,
            "side": word,
            **_rate(TorchvisionDetector(model, settings, device, options), settings, some),
        }
        print(row, flush=True)
        yield {**row, "peak GiB": peak_gib(device)}


def _rate(detector: TorchvisionDetector, settings: Detect, blobs: dict[str, bytes]) -> dict[str, Any]:
    """Images per second of the second of two rounds.

    Or why there are none, since a switch may want what a machine lacks.
    """
    try:
        if detector.options.decodes_on_gpu and not detector.decode(next(iter(blobs.values()))).pixels.is_cuda:
            return {"note": "no nvJPEG here"}
        ours_s(detector, settings, blobs)
        return {"images/s": round(len(blobs) / ours_s(detector, settings, blobs), 1)}
    except Exception as problem:  # a compiler's, too
        return {"note": f"{type(problem).__name__}: {str(problem).splitlines()[0][:160] if str(problem) else ''}"}


def _first(blobs: dict[str, bytes], count: int) -> dict[str, bytes]:
    return dict(list(blobs.items())[:count])


def ratios(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Of the first model: the figures that were asked for. The bound: the slower of decode alone and forward alone."""
    rates = {row["side"]: row["images/s"] for row in rows if row["model"] == rows[0]["model"] and "images/s" in row}
    return {
        "of_forward_only": round(rates["ours"] / rates["forward alone"], 3),
        "of_bound": round(rates["ours"] / min(rates["decode alone"], rates["forward alone"]), 3),
        "vs_reference_loop": round(rates["ours"] / rates["torchvision's loop, batch 1"], 2),
    }


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=Path, help="a folder of JPEG files, instead of painting some")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--small", action="store_true", help="a trial of few pictures, which measures nothing")
    parser.add_argument("--model", choices=list(MODELS), help="it alone: the result is called detect-gpu-<model>")
    parser.add_argument("--out", type=Path, help="where the result goes, if not to benchmarks/results")
    arguments = parser.parse_args(argv)
    try:
        device = devices.choose_device(arguments.device)
    except devices.BadInput as problem:
        print(f"no GPU that CUDA and torch can use: {problem}", file=sys.stderr)
        return 2
    size = SMALL if arguments.small else Size()
    distinct, kind = _pictures(arguments.images, size)
    blobs = {f"{number:06}": distinct[number % len(distinct)] for number in range(size.blobs)}
    rows: list[dict[str, Any]] = []
    chosen = [arguments.model] if arguments.model else list(MODELS)[-1:] if arguments.small else list(MODELS)
    title = "-".join(["detect-gpu", *filter(None, [arguments.model])])
    for name in chosen:
        rows += measured(name, size, device, blobs)  # written after each: a later one may fail
        found = {} if arguments.small else ratios(rows)
        results.write(title, results.even(rows), found, {**described(device), "pictures": kind}, arguments.out)
    return 0


def _pictures(folder: Path | None, size: Size) -> tuple[list[bytes], str]:
    """The distinct JPEG files, and what they are. Raises SystemExit if a folder has none."""
    if folder is not None:
        files = list(found_in(folder, size.distinct))
        if not files:
            raise SystemExit(f"--images: expected a folder with JPEG files, got none in {folder}")
        return files, "files"
    try:
        return list(painted(size.distinct, SEED, size.longer_side_px)), "works of a museum, painted"
    except ImportError:
        return list(textured(size.distinct, SEED, size.longer_side_px)), "textured, for want of OpenCV"


if __name__ == "__main__":
    sys.exit(main())
