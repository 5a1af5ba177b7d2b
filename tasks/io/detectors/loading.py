"""A torchvision model made ready for a device: its own transform, heads and scales replaced by those of canvases."""

import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import nn

from schemas.detect import Detect
from tasks.io.detectors import devices
from tasks.io.detectors.canvas_transform import Laying
from tasks.io.detectors.heads import limit, with_fixed_scales, with_full_outputs


@dataclass(frozen=True)
class Manner:
    """How a model is run; what is None is bfloat16 and threads on a GPU, float32 and none on a CPU.

    The benchmark compares.
    """

    precision: torch.dtype | None = None
    pictures: int | None = None  # of a batch, always; None: as many as pay on a GPU, 1 on a CPU
    is_compiled: bool = False
    decodes_on_gpu: bool = False  # nvJPEG and libjpeg differ in pixels by a few of 255 levels
    decoders: int | None = None


USUAL = Manner()


class Open(NamedTuple):
    """The model on its device."""

    model: nn.Module
    laying: Laying
    device: torch.device
    copying: "torch.cuda.Stream | None"


def opened(master: nn.Module, device: torch.device, settings: Detect, manner: Manner) -> Open:
    """A copy of the model, which stays as it is on the CPU.

    cudnn.benchmark stays off: a box head's batches have another size each time, and each would be tried with every
    kernel anew.
    """
    model: Any = copy.deepcopy(master).eval().requires_grad_(False)
    laying = Laying(model.transform)
    model.transform = laying
    limit(model, settings)
    with_full_outputs(model)
    with devices.upon(torch.device("cpu")):
        with_fixed_scales(model)
    with devices.upon(device):
        model = model.to(device).to(memory_format=torch.channels_last)
        if manner.is_compiled:
            model.backbone = torch.compile(model.backbone, dynamic=False)
        copying = torch.cuda.Stream(device) if device.type == "cuda" else None  # type: ignore[no-untyped-call]
        return Open(model, laying, device, copying)
