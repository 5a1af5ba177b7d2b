"""Matrix products on a GPU, for a search that compares many vectors."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from schemas.errors import BadInput

if TYPE_CHECKING:
    import torch

Vectors = NDArray[np.float32]
Product = Callable[[Vectors, Vectors, Vectors], None]
"""Writes the inner products of queries (Q, d) and a block (B, d) into (Q, B)."""

_DRIVERS = ("nvidia[0-9]*", "dxg")
"""Under /dev where there is a GPU of CUDA; the second in Windows' subsystem for Linux."""


def product_on(device: str) -> Product | None:
    """The product on a device, of 32 bits, not TF32; None: numpy's. Raises BadInput if it, or torch, is missing."""
    # without torch, which takes seconds to import
    may_have_gpu = any(any(Path("/dev").glob(name)) for name in _DRIVERS)
    if device == "cpu" or (device == "auto" and not (find_spec("torch") and may_have_gpu)):
        return None
    if find_spec("torch") is None:
        raise BadInput(f"device: expected torch for {device}, got none; install bilderatlas[torch]")

    from tasks.io.detectors.devices import choose_device

    place = choose_device(device)
    return None if place.type == "cpu" else torch_product(place)


def torch_product(place: "torch.device") -> Product:
    """The product by torch on a device."""
    import torch

    def multiply(queries: Vectors, block: Vectors, products: Vectors) -> None:
        ours, theirs = (torch.from_numpy(np.ascontiguousarray(rows)).to(place) for rows in (queries, block))
        torch.from_numpy(products).copy_(ours @ theirs.T)

    return multiply
