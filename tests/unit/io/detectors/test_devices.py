"""Devices: their names, what their errors mean, and sums that do not depend on the number of cores."""

import gc
import sys
import threading

import pytest
import torch

from schemas.errors import BadInput
from tasks.io.detectors import devices


@pytest.mark.parametrize(
    ("name", "count", "device"),
    [
        pytest.param("auto", 0, "cpu", id="no GPU"),
        pytest.param("auto", 2, "cuda:0", id="the first GPU"),
        pytest.param("cpu", 2, "cpu", id="the CPU, though there are GPUs"),
        pytest.param("cuda", 1, "cuda:0", id="a GPU without a number"),
        pytest.param("cuda:1", 2, "cuda:1", id="the second one"),
    ],
)
def test_a_device_by_its_name(name, count, device, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    assert devices.choose_device(name) == torch.device(device)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("", "expected auto, cpu, cuda or cuda:<number>, got ''"),
        ("gpu", "expected auto, cpu, cuda or cuda:<number>, got 'gpu'"),
        ("meta", "expected auto, cpu, cuda or cuda:<number>, got 'meta'"),
        ("cuda:x", "expected auto, cpu, cuda or cuda:<number>, got 'cuda:x'"),
        ("cuda", "expected one of this machine's 0 CUDA devices, got 'cuda'"),
        ("cuda:1", "expected one of this machine's 0 CUDA devices, got 'cuda:1'"),
    ],
)
def test_no_such_device(name, says, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(BadInput, match=says):
        devices.choose_device(name)


@pytest.mark.parametrize(
    ("problem", "is_memory", "is_device"),
    [
        pytest.param(torch.OutOfMemoryError("CUDA out of memory"), True, False, id="torch's own word"),
        pytest.param(RuntimeError("CUDA error: out of memory"), True, False, id="CUDA's"),
        pytest.param(RuntimeError("CUBLAS_STATUS_ALLOC_FAILED when calling"), True, False, id="cuBLAS's"),
        pytest.param(RuntimeError("unable to find an engine to execute this"), True, False, id="cuDNN's"),
        pytest.param(RuntimeError("CUDA error: an illegal memory access"), False, True, id="a device that is lost"),
        pytest.param(RuntimeError("cuDNN error: CUDNN_STATUS_MAPPING_ERROR"), False, True, id="by cuDNN"),
        pytest.param(RuntimeError("shape '[3]' is invalid"), False, False, id="the program"),
    ],
)
def test_what_an_error_means(problem, is_memory, is_device):
    assert devices.is_out_of_memory(problem) == is_memory
    assert devices.is_device_failure(problem) == is_device


def test_a_cpu_responds_and_a_device_that_is_not_there_does_not():
    assert devices.is_responsive(torch.device("cpu"))
    if not torch.cuda.is_available():
        assert not devices.is_responsive(torch.device("cuda", 0))


@pytest.mark.parametrize(("message", "responds"), [("CUDA error: out of memory", True), ("CUDA error: unknown", False)])
def test_a_device_whose_memory_others_have_responds(message, responds, monkeypatch: pytest.MonkeyPatch):
    def failing(*_: object, **__: object) -> torch.Tensor:
        raise RuntimeError(message)

    monkeypatch.setattr(torch, "ones", failing)
    assert devices.is_responsive(torch.device("cpu")) == responds


def test_what_is_never_freed_has_one_more_owner():
    kept = bytearray(3)
    before = sys.getrefcount(kept)
    devices.never_free(kept)
    gc.collect()
    assert sys.getrefcount(kept) == before + 1


@pytest.fixture
def threads():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield 3
    torch.set_num_threads(before)


def test_while_any_computes_alone_all_do_and_the_last_one_restores_the_number(threads):
    is_inside, may_leave, after = threading.Event(), threading.Event(), []

    def other() -> None:
        with devices.one_thread():
            is_inside.set()
            may_leave.wait(30)
        after.append(torch.get_num_threads())

    with devices.one_thread():
        thread = threading.Thread(target=other)
        thread.start()
        assert is_inside.wait(30)
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 1, "the other one is still inside"
    may_leave.set()
    thread.join(30)
    assert after == [threads]


def test_an_error_inside_restores_the_number_too(threads):
    def fail() -> None:
        with devices.use_device(torch.device("cpu")):
            raise ValueError(f"inside, with {torch.get_num_threads()}")

    with pytest.raises(ValueError, match="inside, with 1"):
        fail()
    assert torch.get_num_threads() == threads
