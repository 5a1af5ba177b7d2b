"""The schedule of a training: which image comes when, at which learning rate, and the seeds of all that is drawn."""

import hashlib
import math
from collections.abc import Sequence

from schemas.train import TrainDetector

WARM_UP_FROM, DECAY = 1e-3, 0.1
_RISE = 0.15
_ONE_CYCLE_FROM, _ONE_CYCLE_TO = 1 / 25, 1 / 250_000  # of the highest rate: PyTorch's OneCycleLR


def derive_seed(seed: int, *words: object) -> int:
    """A 63-bit seed from a seed and words alone: the beginning of the SHA-256 of "seed TAB word TAB word ...".

    >>> derive_seed(7, "order", 0) == derive_seed(7, "order", 0) != derive_seed(7, "order", 1)
    True
    """
    return int.from_bytes(hashlib.sha256("\t".join(map(str, (seed, *words))).encode()).digest()[:8], "big") >> 1


def order_of_epoch(image_ids: Sequence[int], seed: int, epoch: int) -> list[int]:
    """Places of the images in the order of an epoch, each once."""
    return sorted(range(len(image_ids)), key=lambda place: (derive_seed(seed, "order", epoch, image_ids[place]), place))


def steps_per_epoch(images: int, settings: TrainDetector) -> int:
    """Steps in which each image is used once; the last may use fewer images.

    >>> steps_per_epoch(17, TrainDetector(batch=4, accumulate=2))
    3
    """
    return -(-images // (settings.batch * settings.accumulate))


def learning_rate(settings: TrainDetector, step: int, per_epoch: int) -> float:
    """The learning rate of a step, counted from 0. Warm-up is a straight line (Goyal et al. 2017)."""
    total = per_epoch * settings.epochs
    if settings.schedule == "one_cycle":  # Smith & Topin 2018, with cosines
        peak = max(_RISE * total - 1, 0.0)
        if step < peak:
            return settings.learning_rate * _cosine(_ONE_CYCLE_FROM, 1.0, step / peak)
        share = min(1.0, (step - peak) / max(total - 1 - peak, 1.0))
        return settings.learning_rate * _cosine(1.0, _ONE_CYCLE_TO, share)
    warm = 1.0
    if step < settings.warm_up_steps:
        warm = WARM_UP_FROM + (1 - WARM_UP_FROM) * step / settings.warm_up_steps
    if settings.schedule == "cosine":
        return settings.learning_rate * warm * _cosine(1.0, 0.0, step / total)
    passed = sum(step >= epoch * per_epoch for epoch in settings.decay_epochs)
    return float(settings.learning_rate * warm * DECAY**passed)


def _cosine(first: float, last: float, share: float) -> float:
    return last + (first - last) * (1 + math.cos(math.pi * share)) / 2
