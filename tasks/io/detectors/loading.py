"""A torchvision model loaded on a device, with a transform for canvases and output layers in float32."""

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
    """How a model runs. By default bfloat16 and decoder threads on a GPU, float32 and no threads on a CPU.

    The other values are for benchmarks, which compare them.
    """

    precision: torch.dtype | None = None
    # pictures of every batch; None: on a GPU found while it runs, 1 on a CPU
    batch_size: int | None = None
    is_compiled: bool = False
    # pixels of nvJPEG and libjpeg differ by a few of 255 levels
    decodes_on_gpu: bool = False
    decoder_threads: int | None = None


DEFAULT_OPTIONS = InferenceOptions()


class LoadedModel(NamedTuple):
    """The model on its device."""

    model: nn.Module
    transform: CanvasTransform
    device: torch.device
    copy_stream: "torch.cuda.Stream | None"


def load_on_device(master: nn.Module, device: torch.device, settings: Detect, options: InferenceOptions) -> LoadedModel:
    """A copy of the model on the device, ready for `CanvasBatch`; `master` itself stays unchanged on the CPU.

    cudnn.benchmark stays off: a box head's batches have another size each time, and cuDNN would try every kernel for
    each size.
    """
    model: Any = copy.deepcopy(master).eval().requires_grad_(False)
    transform = CanvasTransform(model.transform)
    model.transform = transform
    set_limits(model, settings)
    compute_outputs_in_float32(model)
    with devices.use_device(torch.device("cpu")):
        fix_pooling_scales(model)
    with devices.use_device(device):
        model = model.to(device).to(memory_format=torch.channels_last)
        if options.is_compiled:
            model.backbone = torch.compile(model.backbone, dynamic=False)
        copy_stream = torch.cuda.Stream(device) if device.type == "cuda" else None  # type: ignore[no-untyped-call]
        return LoadedModel(model, transform, device, copy_stream)
