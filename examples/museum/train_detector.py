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

from examples.museum.detector_net import INPUT_PX, STRIDE_PX, Detector, FigureNet
from examples.museum.detector_score import average_precision_50, letterboxed
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
# cells this hot learn the figure's box too
_NEAR = 0.3
# pictures are cropped to multiples of the coarsest stride
_CROP_PX = 16


class Lessons(NamedTuple):
    """Letterboxed works.

    squares: (N, 160, 160, 3). extents: (N, 2), rows and columns in px that hold all of the picture. boxes: (N, 10, 4),
    corners in px. kinds: (N, 10), 0 nobody, 1 a figure, 2 a crowd.
    """

    squares: NDArray[np.uint8]
    extents: NDArray[np.int64]
    boxes: NDArray[np.float32]
    kinds: NDArray[np.int64]


def lesson(seed: int, number: int) -> Lessons:
    """One work as the net sees it, without the first axis."""
    work = paint(seed, number)
    square, scale = letterboxed(work.pixels, INPUT_PX)
    extent = np.array(work.pixels.shape[:2]) * scale
    boxes, kinds = np.zeros((_MOST_FIGURES, 4), dtype=np.float32), np.zeros(_MOST_FIGURES, dtype=np.int64)
    for place, figure in enumerate(work.figures[:_MOST_FIGURES]):
        x, y, width, height = figure.xywh_px
        boxes[place] = np.array([x, y, x + width, y + height]) * scale
        kinds[place] = 2 if figure.is_crowd else 1
    crop = np.clip(np.ceil(extent / _CROP_PX) * _CROP_PX, INPUT_PX // 2, INPUT_PX)
    return Lessons(square, crop.astype(np.int64), boxes, kinds)


def lessons(seed: int, works: int) -> Lessons:
    """That many works of the seed, painted by a few processes."""
    with ProcessPoolExecutor(THREADS, mp_context=get_context("spawn")) as pool:
        parts = zip(*pool.map(partial(lesson, seed), range(works), chunksize=100), strict=True)
        return Lessons(*(np.stack(part) for part in parts))


class Targets(NamedTuple):
    """What the maps should say. heat, keep, weight: (B, rows, columns); boxes: (B, 4, rows, columns)."""

    heat: Tensor
    keep: Tensor
    boxes: Tensor
    weight: Tensor
    figures: Tensor


def targets_from_boxes(boxes: Tensor, kinds: Tensor, rows: int, columns: int) -> Targets:
    """Heat around every figure's centre, its box in the cells about it, and no opinion inside crowds."""
    across, down = torch.arange(columns), torch.arange(rows)
    sizes = (boxes[..., 2:] - boxes[..., :2]) / STRIDE_PX
    places = ((boxes[..., :2] + boxes[..., 2:]) / 2 / STRIDE_PX).floor()
    places = places.clamp(torch.zeros(2), torch.tensor([columns - 1, rows - 1]))
    spread = (_SPREAD * sizes).clamp(min=0.35)
    beside = ((across - places[..., :1]) / spread[..., :1]) ** 2
    below = ((down - places[..., 1:]) / spread[..., 1:]) ** 2
    heat = torch.exp(-0.5 * (beside[:, :, None, :] + below[:, :, :, None])) * (kinds == 1)[..., None, None]
    most, whose = heat.max(dim=1)
    near = (heat > _NEAR) * heat
    share = near / near.sum(dim=(2, 3), keepdim=True).clamp(min=1e-6)
    weight = share.gather(1, whose[:, None])[:, 0]
    chosen = boxes.gather(1, whose.flatten(1)[..., None].expand(-1, -1, 4)).transpose(1, 2)
    keep = (~_crowded(boxes, kinds, across, down) | (most > _NEAR)).float()
    return Targets(most, keep, chosen.reshape(-1, 4, rows, columns), weight, (kinds == 1).sum().clamp(min=1))


def _crowded(boxes: Tensor, kinds: Tensor, across: Tensor, down: Tensor) -> Tensor:
    """Which cells lie in a crowd: (B, rows, columns)."""
    x, y = (cells * STRIDE_PX + STRIDE_PX / 2 for cells in (across, down))
    columns = (x > boxes[..., :1]) & (x < boxes[..., 2:3])
    rows = (y > boxes[..., 1:2]) & (y < boxes[..., 3:4])
    return (columns[:, :, None, :] & rows[:, :, :, None] & (kinds == 2)[..., None, None]).any(dim=1)


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
    """Half of the pictures mirrored; brightness and contrast, now and then the order of the colours, changed."""
    is_mirrored = torch.from_numpy(rng.uniform(size=len(images)) < 0.5)
    images = torch.where(is_mirrored[:, None, None, None], images.flip(3), images)
    mirror = torch.stack(
        [images.shape[3] - boxes[..., 2], boxes[..., 1], images.shape[3] - boxes[..., 0], boxes[..., 3]], dim=2
    )
    boxes = torch.where(is_mirrored[:, None, None], mirror, boxes)
    if rng.uniform() < 0.3:
        images = images[:, torch.from_numpy(rng.permutation(3))]
    gain = torch.from_numpy(rng.uniform(0.75, 1.25, (len(images), 3, 1, 1)).astype(np.float32))
    shift = torch.from_numpy(rng.uniform(-0.1, 0.1, (len(images), 1, 1, 1)).astype(np.float32))
    return (images * gain + shift).clamp(0, 1), boxes


def _batches(rng: np.random.Generator, extents: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """All rows once, in batches of one extent, so that a quarter of the work is not spent on empty grey."""
    order = rng.permutation(len(extents))
    batches = []
    for extent in np.unique(extents, axis=0):
        rows = order[(extents[order] == extent).all(axis=1)]
        batches += np.array_split(rows, -(-len(rows) // BATCH))
    return [batches[place] for place in rng.permutation(len(batches))]


def trained(given: Lessons, epochs: int) -> FigureNet:
    """A net trained on the lessons, the same each time on one machine."""
    torch.manual_seed(TRAINING_SEED)
    rng = np.random.default_rng(TRAINING_SEED)
    net = FigureNet().to(memory_format=torch.channels_last)
    optimizer = torch.optim.AdamW(net.parameters(), lr=PEAK_RATE, weight_decay=0.02)
    steps = len(_batches(rng, given.extents)) * epochs
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, PEAK_RATE, total_steps=steps, pct_start=0.15)
    start = time.monotonic()
    for epoch in range(epochs):
        net.train()
        losses = []
        for rows in _batches(rng, given.extents):
            losses.append(_step(net, optimizer, given, rows, rng))
            schedule.step()
        _say(f"epoch {epoch + 1}/{epochs}: loss {np.mean(losses):.3f}, {time.monotonic() - start:.0f} s")
    return net.eval()


def _step(
    net: nn.Module, optimizer: torch.optim.Optimizer, given: Lessons, rows: NDArray[np.int64], rng: np.random.Generator
) -> float:
    height, width = (int(side) for side in given.extents[rows[0]])
    images = torch.from_numpy(given.squares[rows, :height, :width]).permute(0, 3, 1, 2).float() / 255
    images, boxes = _varied(rng, images, torch.from_numpy(given.boxes[rows]))
    wanted = targets_from_boxes(boxes, torch.from_numpy(given.kinds[rows]), height // STRIDE_PX, width // STRIDE_PX)
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
    squares = np.stack([letterboxed(work.pixels, INPUT_PX)[0] for work in works])
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
    net = trained(given, args.epochs)
    works = [paint(VALIDATION_SEED, number) for number in range(VALIDATION_WORKS)]
    score = average_precision_50(works, detections(net, works), INPUT_PX)
    export(net, args.out)
    _say(f"AP50 {score:.3f} on {VALIDATION_WORKS} works of seed {VALIDATION_SEED}")
    _say(f"{args.out}: {args.out.stat().st_size} bytes, {time.monotonic() - start:.0f} s in all")


if __name__ == "__main__":
    main()
