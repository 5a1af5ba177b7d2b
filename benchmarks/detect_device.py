"""The GPU of a benchmark: what it is, its memory, and waiting for it."""

import subprocess
from typing import Any

import torch


def described(device: torch.device) -> dict[str, Any]:
    """The GPU, its driver and CUDA."""
    if device.type != "cuda":
        return {"name": "none: a trial on a CPU"}
    asked = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        driver = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        driver = ""
    properties = torch.cuda.get_device_properties(device)
    return {
        "name": properties.name,
        "memory_gib": round(properties.total_memory / 2**30),
        "driver": driver,
        "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version(),
    }


def wait(device: torch.device) -> None:
    """Until a GPU has done all that it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def reset_peak(device: torch.device) -> None:
    """Begin to count memory anew."""
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)


def peak_gib(device: torch.device) -> float:
    """Most memory that tensors took, in GiB; 0 on a CPU."""
    return round(torch.cuda.max_memory_allocated(device) / 2**30, 2) if device.type == "cuda" else 0.0
