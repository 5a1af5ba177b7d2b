"""torchvision's reference evaluation loop (references/detection/engine.py, evaluate), at batch 1, without what it
scores by.

A DataLoader whose workers decode with Pillow; each picture to the device, through the model, waited for, its outputs to
the CPU.
"""

import copy
import io
import shutil
import time
from pathlib import Path
from typing import Any

import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms.v2 import functional

from schemas.detect import Detect
from tasks.io.detectors.loading import set_limits

_SHARED = Path("/dev/shm")
_SHARED_BYTES = 2**30


def workers_here() -> int:
    """As many as the reference's own default.

    None where memory that processes share is too small for what they hand over.
    """
    return 4 if _SHARED.is_dir() and shutil.disk_usage(_SHARED).free > _SHARED_BYTES else 0


class Files(Dataset[torch.Tensor]):
    """JPEG files as (3, H, W) in 0..1."""

    def __init__(self, files: list[bytes]) -> None:
        self._files = files

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, place: int) -> torch.Tensor:
        image = Image.open(io.BytesIO(self._files[place])).convert("RGB")
        return functional.to_dtype(functional.pil_to_tensor(image), torch.float32, scale=True)


def first(batch: list[torch.Tensor]) -> list[torch.Tensor]:
    """The reference's collate_fn, of pictures alone."""
    return batch


def reference_s(model: nn.Module, settings: Detect, files: list[bytes], device: torch.device, workers: int) -> float:
    """Seconds of the loop over the files. The workers are there before it begins."""
    theirs: Any = copy.deepcopy(model)
    set_limits(theirs, settings)  # the same boxes to suppress
    theirs = theirs.to(device).eval()
    spawned = {"multiprocessing_context": "spawn", "persistent_workers": True} if workers else {}
    loader = DataLoader(Files(files), batch_size=1, num_workers=workers, collate_fn=first, **spawned)  # type: ignore[arg-type]
    with torch.inference_mode():
        theirs([next(iter(loader))[0].to(device)])
        began_s = time.perf_counter()
        for pictures in loader:
            images = [picture.to(device) for picture in pictures]
            if device.type == "cuda":
                torch.cuda.synchronize()
            outputs = theirs(images)
            [{name: value.to("cpu") for name, value in output.items()} for output in outputs]
        return time.perf_counter() - began_s
