"""A torchvision model made ready for a device: its own transform, heads and scales replaced by those of canvases."""

import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import nn

from schemas.detect import Detect
from tasks.io.detectors import devices
from tasks.io.detectors.canvas_transform import CanvasTransform
from tasks.io.detectors.heads import compute_outputs_in_float32, fix_pooling_scales, set_limits


@dataclass(frozen=True)
class InferenceOptions:
    """How a model is run; what is None is bfloat16 and threads on a GPU, float32 and none on a CPU.

    The benchmark compares.
    """

    precision: torch.dtype | None = None
    batch_size: int | None = None  # of a batch, always; None: as many as pay on a GPU, 1 on a CPU
    is_compiled: bool = False
    decodes_on_gpu: bool = False  # nvJPEG and libjpeg differ in pixels by a few of 255 levels
    decoder_threads: int | None = None


DEFAULT_OPTIONS = InferenceOptions()


class LoadedModel(NamedTuple):
    """The model on its device."""

    model: nn.Module
    transform: CanvasTransform
    device: torch.device
    copy_stream: "torch.cuda.Stream | None"


def load_on_device(master: nn.Module, device: torch.device, settings: Detect, manner: InferenceOptions) -> LoadedModel:
    """A copy of the model, which stays as it is on the CPU.

    cudnn.benchmark stays off: a box head's batches have another size each time, and each would be tried with every
    kernel anew.
    """
    model: Any = copy.deepcopy(master).eval().requires_grad_(False)
    laying = CanvasTransform(model.transform)
    model.transform = laying
    set_limits(model, settings)
    compute_outputs_in_float32(model)
    with devices.use_device(torch.device("cpu")):
        fix_pooling_scales(model)
    with devices.use_device(device):
        model = model.to(device).to(memory_format=torch.channels_last)
        if manner.is_compiled:
            model.backbone = torch.compile(model.backbone, dynamic=False)
        copying = torch.cuda.Stream(device) if device.type == "cuda" else None  # type: ignore[no-untyped-call]
        return LoadedModel(model, laying, device, copying)
