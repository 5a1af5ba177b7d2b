"""Trains the museum's figure detector and writes it as ONNX: `python -m examples.museum.train_detector --out FILE`."""

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from examples.museum.detector_net import CELLS, INPUT_PX, STRIDE_PX, Detector, FigureNet
from examples.museum.detector_score import average_precision_50, letterbox
from examples.museum.paint import Work, paint

TRAINING_SEED = 510_510
VALIDATION_SEED = 30_030
TRAINING_WORKS = 10_000
VALIDATION_WORKS = 400
EPOCHS = 12
BATCH = 16
PEAK_RATE = 3e-3
THREADS = 2

_MOST_FIGURES = 10
# how far the heat of a centre spreads, in widths of the figure (TTFNet: 0.54 / 6)
_SPREAD = 0.09


class Lessons(NamedTuple):
    """Letterboxed works.

    squares: (N, 160, 160, 3). boxes: (N, 10, 4), corners in px. kinds: (N, 10), 0 nobody, 1 a figure, 2 a crowd.
    """

    squares: NDArray[np.uint8]
    boxes: NDArray[np.float32]
    kinds: NDArray[np.int64]


def lesson(seed: int, number: int) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.int64]]:
    """One work as the net sees it."""
    work = paint(seed, number)
    square, scale = letterbox(work.pixels, INPUT_PX)
    boxes, kinds = np.zeros((_MOST_FIGURES, 4), dtype=np.float32), np.zeros(_MOST_FIGURES, dtype=np.int64)
    for place, figure in enumerate(work.figures[:_MOST_FIGURES]):
        x, y, width, height = figure.xywh_px
        boxes[place] = np.array([x, y, x + width, y + height]) * scale
        kinds[place] = 2 if figure.is_crowd else 1
    return square, boxes, kinds


def lessons(seed: int, works: int) -> Lessons:
    """That many works of the seed, painted by a few processes."""
    with ProcessPoolExecutor(THREADS, mp_context=get_context("spawn")) as pool:
        squares, boxes, kinds = zip(*pool.map(partial(lesson, seed), range(works), chunksize=100), strict=True)
    return Lessons(np.stack(squares), np.stack(boxes), np.stack(kinds))


class Targets(NamedTuple):
    """What the maps should say. heat, keep: (B, 40, 40); boxes: (B, 4, 40, 40); weight: (B, 40, 40)."""

    heat: Tensor
    keep: Tensor
    boxes: Tensor
    weight: Tensor
    figures: Tensor


def targets_from_boxes(boxes: Tensor, kinds: Tensor) -> Targets:
    """Heat around every figure's centre, its box in the cells about it, and no opinion inside crowds."""
    cells = torch.arange(CELLS, dtype=torch.float32)
    centres = (boxes[..., :2] + boxes[..., 2:]) / 2 / STRIDE_PX
    sizes = (boxes[..., 2:] - boxes[..., :2]) / STRIDE_PX
    places = centres.floor().clamp(0, CELLS - 1)
    spread = (_SPREAD * sizes).clamp(min=0.35)
    away = (cells - places[..., None]) / spread[..., None]
    heat = torch.exp(-0.5 * (away[:, :, 0, None, :] ** 2 + away[:, :, 1, :, None] ** 2)) * (kinds == 1)[..., None, None]
    most, whose = heat.max(dim=1)
    near = (heat > 0.3) * heat
    share = near / near.sum(dim=(2, 3), keepdim=True).clamp(min=1e-6)
    weight = share.gather(1, whose[:, None])[:, 0]
    chosen = boxes.gather(1, whose.flatten(1)[..., None].expand(-1, -1, 4)).transpose(1, 2)
    middles = cells * STRIDE_PX + STRIDE_PX / 2
    inside = (middles > boxes[..., :1]) & (middles < boxes[..., 2:3])
    beside = (middles > boxes[..., 1:2]) & (middles < boxes[..., 3:4])
    crowded = (inside[:, :, None, :] & beside[:, :, :, None] & (kinds == 2)[..., None, None]).any(dim=1)
    keep = ((~crowded) | (most > 0.3)).float()
    return Targets(most, keep, chosen.reshape(-1, 4, CELLS, CELLS), weight, (kinds == 1).sum().clamp(min=1))


def centre_loss(logits: Tensor, wanted: Targets) -> Tensor:
    """The focal loss of centre-point detectors (CornerNet, equation 1), per figure."""
    chance = torch.sigmoid(logits).clamp(1e-4, 1 - 1e-4)
    at_centre = (wanted.heat > 0.999).float()
    found = at_centre * (1 - chance) ** 2 * torch.log(chance)
    spurned = (1 - at_centre) * (1 - wanted.heat) ** 4 * chance**2 * torch.log(1 - chance)
    return -((found + spurned) * wanted.keep).sum() / wanted.figures


def box_loss(boxes: Tensor, wanted: Targets) -> Tensor:
    """One minus the generalised intersection over union (Rezatofighi et al. 2019), per figure."""
    low = torch.maximum(boxes[:, :2], wanted.boxes[:, :2])
    high = torch.minimum(boxes[:, 2:], wanted.boxes[:, 2:])
    shared = (high - low).clamp(min=0).prod(dim=1)
    mine = (boxes[:, 2:] - boxes[:, :2]).prod(dim=1)
    theirs = (wanted.boxes[:, 2:] - wanted.boxes[:, :2]).prod(dim=1)
    hull_low = torch.minimum(boxes[:, :2], wanted.boxes[:, :2])
    hull = (torch.maximum(boxes[:, 2:], wanted.boxes[:, 2:]) - hull_low).prod(dim=1).clamp(min=1e-6)
    union = (mine + theirs - shared).clamp(min=1e-6)
    return ((1 - shared / union + (hull - union) / hull) * wanted.weight).sum() / wanted.figures


def _varied(rng: np.random.Generator, images: Tensor, boxes: Tensor) -> tuple[Tensor, Tensor]:
    """Half of the batch mirrored; brightness, contrast and the order of the colours changed."""
    if rng.uniform() < 0.5:
        images = images.flip(3)
        boxes = torch.stack([INPUT_PX - boxes[..., 2], boxes[..., 1], INPUT_PX - boxes[..., 0], boxes[..., 3]], dim=2)
    if rng.uniform() < 0.4:
        images = images[:, torch.from_numpy(rng.permutation(3))]
    gain = torch.from_numpy(rng.uniform(0.75, 1.25, (len(images), 3, 1, 1)).astype(np.float32))
    shift = torch.from_numpy(rng.uniform(-0.1, 0.1, (len(images), 1, 1, 1)).astype(np.float32))
    return (images * gain + shift).clamp(0, 1), boxes


def train(given: Lessons, epochs: int) -> FigureNet:
    """A net trained on the lessons, the same each time on one machine."""
    torch.manual_seed(TRAINING_SEED)
    net = FigureNet().to(memory_format=torch.channels_last)
    optimizer = torch.optim.AdamW(net.parameters(), lr=PEAK_RATE, weight_decay=0.02)
    steps = -(-len(given.squares) // BATCH) * epochs
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, PEAK_RATE, total_steps=steps, pct_start=0.15)
    rng = np.random.default_rng(TRAINING_SEED)
    start = time.monotonic()
    for epoch in range(epochs):
        net.train()
        total = 0.0
        order = rng.permutation(len(given.squares))
        for first in range(0, len(order), BATCH):
            total += _step(net, optimizer, given, order[first : first + BATCH], rng)
            schedule.step()
        _say(f"epoch {epoch + 1}/{epochs}: loss {total * BATCH / len(order):.3f}, {time.monotonic() - start:.0f} s")
    return net.eval()


def _step(
    net: nn.Module,
    optimizer: torch.optim.Optimizer,
    given: Lessons,
    rows: NDArray[np.int64],
    rng: np.random.Generator,
) -> float:
    images = torch.from_numpy(given.squares[rows]).permute(0, 3, 1, 2).float() / 255
    images, boxes = _varied(rng, images, torch.from_numpy(given.boxes[rows]))
    wanted = targets_from_boxes(boxes, torch.from_numpy(given.kinds[rows]))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits, found = net(images.contiguous(memory_format=torch.channels_last))
    loss = centre_loss(logits, wanted) + 2.0 * box_loss(found, wanted)
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_(net.parameters(), 10.0)
    optimizer.step()
    return float(loss.detach())


def detections(net: FigureNet, works: list[Work]) -> NDArray[np.float32]:
    """The detector's answers, (works, 50, 6)."""
    squares = np.stack([letterbox(work.pixels, INPUT_PX)[0] for work in works])
    with torch.no_grad():
        found = [
            Detector(net)(torch.from_numpy(squares[first : first + 50]).permute(0, 3, 1, 2).float() / 255)
            for first in range(0, len(squares), 50)
        ]
    return np.asarray(torch.cat(found).numpy(), dtype=np.float32)


def export(net: FigureNet, path: Path) -> None:
    """Writes one ONNX file: `images` (B, 3, 160, 160) to `detections` (B, 50, 6), any B."""
    program = torch.onnx.export(
        Detector(net).eval(),
        (torch.zeros(2, 3, INPUT_PX, INPUT_PX),),
        input_names=["images"],
        output_names=["detections"],
        dynamic_shapes=({0: torch.export.Dim("batch")},),
        dynamo=True,
        verbose=False,
    )
    if program is None:
        raise RuntimeError("expected an ONNX program, got none")
    model = program.model_proto
    # the exporter notes where each node's source stood on this machine
    for thing in (model, model.graph, *model.graph.node, *model.graph.input, *model.graph.output):
        del thing.metadata_props[:]
    for node in model.graph.node:
        node.doc_string = ""
    del model.graph.value_info[:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model.SerializeToString(deterministic=True))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Paints, trains, scores, exports."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("examples/museum/weights/figures.onnx"))
    parser.add_argument("--works", type=int, default=TRAINING_WORKS)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    args = parser.parse_args()
    torch.use_deterministic_algorithms(True)
    # everything is written before it is read here, and filling takes a third of the time
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    torch.set_num_threads(THREADS)
    start = time.monotonic()
    given = lessons(TRAINING_SEED, args.works)
    _say(f"{args.works} works of seed {TRAINING_SEED} painted in {time.monotonic() - start:.0f} s")
    net = train(given, args.epochs)
    works = [paint(VALIDATION_SEED, number) for number in range(VALIDATION_WORKS)]
    score = average_precision_50(works, detections(net, works), INPUT_PX)
    export(net, args.out)
    _say(f"AP50 {score:.3f} on {VALIDATION_WORKS} works of seed {VALIDATION_SEED}")
    _say(f"{args.out}: {args.out.stat().st_size} bytes, {time.monotonic() - start:.0f} s in all")


if __name__ == "__main__":
    main()
