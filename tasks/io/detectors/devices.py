"""The device that a model runs on: chosen, asked whether it still answers, and what its errors mean."""

import contextlib
import ctypes
import threading
from collections.abc import Iterator
from typing import Any

import torch

from schemas.errors import BadInput


class DeviceLost(OSError):
    """A GPU stopped working in the middle. A fault that may pass, as one of a disk may: the part is tried again."""


_OUT_OF_MEMORY = (
    "CUDA error: out of memory",
    "STATUS_ALLOC_FAILED",
    "ALLOCATION_FAILED",
    "unable to find an engine to execute",
    "Unable to find a valid cuDNN algorithm",
)
"""What CUDA, cuBLAS and cuDNN say where memory does not suffice; the last two are cuDNN without room to work in."""


def choose_device(device: str) -> torch.device:
    """The device of a word: auto (a GPU where there is one), cpu, cuda, cuda:1 ...

    Raises BadInput where there is no such device.
    """
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if device == "auto":
        return torch.device("cuda", 0) if count else torch.device("cpu")
    try:
        found = torch.device(device)
    except RuntimeError as problem:
        raise BadInput(f"device: expected auto, cpu, cuda or cuda:<number>, got '{device}'") from problem
    if found.type not in {"cpu", "cuda"}:
        raise BadInput(f"device: expected auto, cpu, cuda or cuda:<number>, got '{device}'")
    if found.type == "cpu":
        return torch.device("cpu")
    if (index := found.index or 0) >= count:
        raise BadInput(f"device: expected one of this machine's {count} CUDA devices, got '{device}'")
    return torch.device("cuda", index)


def is_out_of_memory(problem: RuntimeError) -> bool:
    """Whether an error says that the device's memory does not suffice, in the words of any of its libraries."""
    return isinstance(problem, torch.OutOfMemoryError) or any(sign in str(problem) for sign in _OUT_OF_MEMORY)


def is_device_failure(problem: RuntimeError) -> bool:
    """Whether an error says that the device failed, and not the program or its memory."""
    if is_out_of_memory(problem):
        return False
    return isinstance(problem, torch.AcceleratorError) or any(
        sign in str(problem) for sign in ("CUDA error", "cuDNN error", "CUBLAS_STATUS", "CUDNN_STATUS")
    )


def is_responsive(device: torch.device) -> bool:
    """Whether the device computes. A CUDA context that has failed once fails for as long as its process lives."""
    try:
        return float((torch.ones(2, device=device) + 1).sum().item()) == 4.0
    except RuntimeError as problem:
        return is_out_of_memory(problem)  # others may have its memory: it lives
    except AssertionError:  # torch was built without CUDA
        return False


def never_free(what: object) -> None:
    """Let something live as long as this process, its end included.

    Freeing pinned memory asks the device whether it has been read; where the device has failed, that is an error in a
    destructor, which ends the process.
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(what))


class _OneThreadUsers:
    """How many threads are inside `one_thread`, and what was set before the first of them came."""

    lock = threading.Lock()
    count = 0
    before = 1


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Keeps torch on this thread alone, as long as it lasts: sums then do not depend on how many cores there are.

    The last to leave sets back what was set: some of the libraries below have one number for all threads of a process.
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


def use_device(device: torch.device) -> "contextlib.AbstractContextManager[Any]":
    """CUDA calls go to this device; sums on a CPU to this thread."""
    return torch.cuda.device(device) if device.type == "cuda" else one_thread()
