"""The device that a model runs on: how it is chosen, whether it still responds, what its errors mean."""

import contextlib
import ctypes
import re
import threading
from collections.abc import Iterator
from typing import Any

import torch

from schemas.errors import BadInput
from schemas.phrases import quoted


class DeviceLost(OSError):
    """A GPU failed during the run. Like a disk's, the error may be temporary: the part is tried again."""


_OUT_OF_MEMORY = (
    "CUDA error: out of memory",
    "STATUS_ALLOC_FAILED",
    "ALLOCATION_FAILED",
    "unable to find an engine to execute",
    "Unable to find a valid cuDNN algorithm",
)
"""Messages of CUDA, cuBLAS and cuDNN when memory is short; the last two are cuDNN's without memory to work in."""


def choose_device(device: str) -> torch.device:
    """The device of a name: auto (a GPU if there is one), cpu, cuda, cuda:1 ... Raises BadInput if it is not there."""
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if device == "auto":
        return torch.device("cuda", 0) if count else torch.device("cpu")
    # read here: torch keeps the number in 8 bits, so that it takes cuda:256 for cuda:0
    if (name := re.fullmatch(r"(cpu)(?::[0-9]{1,6})?|cuda(?::([0-9]{1,6}))?", device, re.ASCII)) is None:
        raise BadInput(f"device: expected auto, cpu, cuda or cuda:<number>, got {quoted(device)}")
    if name[1]:
        return torch.device("cpu")
    if (index := int(name[2] or 0)) >= count:
        raise BadInput(f"device: expected one of this machine's {count} CUDA devices, got '{device}'")
    return torch.device("cuda", index)


def is_out_of_memory(problem: RuntimeError) -> bool:
    """Whether an error means that the device's memory is short, in the words of any of its libraries."""
    return isinstance(problem, torch.OutOfMemoryError) or any(sign in str(problem) for sign in _OUT_OF_MEMORY)


def is_device_failure(problem: RuntimeError) -> bool:
    """Whether an error means that the device failed, and not the program or memory."""
    signs = ("CUDA error", "cuDNN error", "CUBLAS_STATUS", "CUDNN_STATUS")
    is_failure = isinstance(problem, torch.AcceleratorError) or any(sign in str(problem) for sign in signs)
    return is_failure and not is_out_of_memory(problem)


def is_responsive(device: torch.device) -> bool:
    """Whether the device still computes. A CUDA context that has failed once fails until its process ends."""
    try:
        return float((torch.ones(2, device=device) + 1).sum().item()) == 4.0
    except RuntimeError as problem:
        return is_out_of_memory(problem)  # other programs may have its memory: it responds
    except AssertionError:  # torch was built without CUDA
        return False


def never_free(what: object) -> None:
    """Keep an object alive until the process has ended: freeing pinned memory asks the device whether it has read it,
    and of a failed device that is an error in a destructor, which ends the process.
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(what))


class _OneThreadUsers:
    """How many threads are inside `one_thread`, and torch's number of threads before the first of them."""

    lock = threading.Lock()
    count = 0
    before = 1


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """While it lasts, torch computes on the calling thread alone: sums then do not depend on the number of cores. The
    last to leave restores the number: some of torch's libraries have one number for all threads of a process.
    """
    with _OneThreadUsers.lock:
        if not _OneThreadUsers.count:
            _OneThreadUsers.before = torch.get_num_threads()
        _OneThreadUsers.count += 1
        torch.set_num_threads(1)
    try:
        yield
    finally:
        with _OneThreadUsers.lock:
            _OneThreadUsers.count -= 1
            if not _OneThreadUsers.count:
                torch.set_num_threads(_OneThreadUsers.before)


def use_device(device: torch.device) -> contextlib.AbstractContextManager[Any]:
    """While it lasts, CUDA calls go to this device; for a CPU, torch computes on the calling thread alone."""
    return torch.cuda.device(device) if device.type == "cuda" else one_thread()
