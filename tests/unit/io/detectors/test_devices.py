"""Devices by name on machines with any number of GPUs, what their errors mean, and threads given back."""

import gc
import sys
import threading
import weakref

import pytest
import torch

from schemas.errors import BadInput
from tasks.io.detectors import devices

CPU = torch.device("cpu")


@pytest.fixture
def gpus(monkeypatch):
    """Make this a machine with so many GPUs, as far as names are concerned."""

    def with_so_many(count: int) -> None:
        monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: count)

    return with_so_many


@pytest.fixture(autouse=True)
def _same_threads_after():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


# --- names


@pytest.mark.parametrize(
    ("count", "name", "expected"),
    [
        pytest.param(0, "auto", "cpu", id="auto without a GPU"),
        pytest.param(1, "auto", "cuda:0", id="auto with one"),
        pytest.param(8, "auto", "cuda:0", id="auto with several: the first"),
        pytest.param(8, "cpu", "cpu", id="cpu though there are GPUs"),
        pytest.param(0, "cpu:3", "cpu", id="CPUs have no number"),
        pytest.param(1, "cuda", "cuda:0", id="a GPU without number is the first"),
        pytest.param(2, "cuda:1", "cuda:1", id="the last of two"),
    ],
)
def test_a_name_is_a_device_of_this_machine(gpus, count, name, expected):
    gpus(count)
    assert str(devices.choose_device(name)) == expected


@pytest.mark.parametrize(
    ("count", "name"), [(0, "cuda"), (0, "cuda:0"), (1, "cuda:1"), (2, "cuda:2"), (2, "cuda:100")], ids=str
)
def test_a_gpu_that_is_not_there_is_bad_input(gpus, count, name):
    gpus(count)
    with pytest.raises(BadInput, match=rf"^device: expected one of this machine's {count} CUDA devices, got '{name}'$"):
        devices.choose_device(name)


@pytest.mark.parametrize(
    "name", ["", "tpu", "meta", "mps", "cuda:", "cuda:x", "cuda:-1", "CPU", " cpu", "0", "cuda:1.5"]
)
def test_a_word_that_names_no_kind_of_device_is_bad_input(gpus, name):
    gpus(2)
    with pytest.raises(BadInput, match=rf"^device: expected auto, cpu, cuda or cuda:<number>, got '{name}'$"):
        devices.choose_device(name)


def test_a_long_word_is_quoted_by_its_beginning(gpus):
    gpus(2)
    with pytest.raises(BadInput, match=r"got 'a{80}\.\.\.'$"):
        devices.choose_device("a" * 4000)


@pytest.mark.parametrize("name", ["cuda:128", "cuda:255", "cuda:256"])
def test_a_number_beyond_those_that_torch_can_count_is_bad_input(gpus, name):
    gpus(2)
    with pytest.raises(BadInput, match="device: expected one of this machine's 2 CUDA devices"):
        devices.choose_device(name)


def test_auto_is_what_there_is():
    assert devices.choose_device("auto").type == ("cuda" if torch.cuda.is_available() else "cpu")


# --- errors

SHORT = [
    torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
    torch.OutOfMemoryError(),
    RuntimeError("CUDA error: out of memory\nCUDA kernel errors might be asynchronously reported"),
    RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
    RuntimeError("cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"),
    RuntimeError("GET was unable to find an engine to execute this computation"),
    RuntimeError("Unable to find a valid cuDNN algorithm to run convolution"),
]
FAILED = [
    RuntimeError("CUDA error: an illegal memory access was encountered"),
    RuntimeError("cuDNN error: CUDNN_STATUS_EXECUTION_FAILED"),
    RuntimeError("CUBLAS_STATUS_EXECUTION_FAILED when calling cublasSgemm"),
    RuntimeError("CUDNN_STATUS_MAPPING_ERROR"),
    torch.AcceleratorError("the device is gone"),
]
PROGRAMS = [
    RuntimeError(),
    RuntimeError("The size of tensor a (3) must match the size of tensor b (4)"),
    RuntimeError("cuda error"),  # no library writes it so
    RuntimeError("out of memory"),
]


@pytest.mark.parametrize("problem", SHORT, ids=repr)
def test_memory_that_is_short_is_no_failure_of_the_device(problem):
    assert (devices.is_out_of_memory(problem), devices.is_device_failure(problem)) == (True, False)


@pytest.mark.parametrize("problem", FAILED, ids=repr)
def test_a_device_that_failed_is_not_short_of_memory(problem):
    assert (devices.is_out_of_memory(problem), devices.is_device_failure(problem)) == (False, True)


@pytest.mark.parametrize("problem", PROGRAMS, ids=repr)
def test_an_error_of_the_program_is_neither(problem):
    assert (devices.is_out_of_memory(problem), devices.is_device_failure(problem)) == (False, False)


def test_a_lost_device_is_an_error_that_is_tried_again_as_a_disks_is():
    assert issubclass(devices.DeviceLost, OSError)
    assert not issubclass(devices.DeviceLost, BadInput)


# --- responses


def test_a_cpu_responds():
    assert devices.is_responsive(CPU) is True


def test_a_gpu_of_a_machine_without_one_does_not_respond():
    if torch.cuda.is_available():
        pytest.skip("here is a GPU that responds")
    assert devices.is_responsive(torch.device("cuda", 0)) is False


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        pytest.param(SHORT[0], True, id="others have its memory"),
        pytest.param(FAILED[0], False, id="it failed"),
        pytest.param(AssertionError("Torch not compiled with CUDA enabled"), False, id="torch without CUDA"),
    ],
)
def test_a_device_whose_first_tensor_is_an_error(monkeypatch, problem, expected):
    def failing(*_: object, **__: object) -> None:
        raise problem

    monkeypatch.setattr(torch, "ones", failing)
    assert devices.is_responsive(CPU) is expected


def test_a_device_that_computes_wrong_numbers_does_not_respond(monkeypatch):
    monkeypatch.setattr(torch, "ones", torch.zeros)
    assert devices.is_responsive(CPU) is False


# --- memory that stays


class Thing:
    """Something with an address."""


def test_what_is_never_freed_outlives_its_last_name():
    kept, freed = Thing(), Thing()
    references = weakref.ref(kept), weakref.ref(freed)
    devices.never_free(kept)
    del kept, freed
    gc.collect()
    assert [one() is not None for one in references] == [True, False]


def test_never_free_counts_one_reference_more():
    thing = Thing()
    before = sys.getrefcount(thing)
    devices.never_free(thing)
    assert sys.getrefcount(thing) == before + 1


# --- threads


def test_threads_are_given_back_when_the_last_has_left():
    torch.set_num_threads(2)
    with devices.one_thread():
        with devices.one_thread():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 1  # not before the last has left
    assert torch.get_num_threads() == 2


def test_threads_are_given_back_after_an_error_and_the_error_goes_on():
    torch.set_num_threads(2)
    with pytest.raises(KeyError, match="mine"), devices.one_thread():
        raise KeyError("mine")
    assert torch.get_num_threads() == 2
    assert devices._OneThreadUsers.count == 0


def test_the_number_before_is_asked_each_time_anew():
    for number in (2, 3):
        torch.set_num_threads(number)
        with devices.one_thread():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == number


def test_one_that_leaves_before_another_thread_does_not_end_its_turn():
    torch.set_num_threads(2)
    is_inside, may_leave, during = threading.Event(), threading.Event(), []

    def work() -> None:
        with devices.one_thread():
            is_inside.set()
            may_leave.wait(10)
            during.append(torch.get_num_threads())

    other = threading.Thread(target=work)
    with devices.one_thread():
        other.start()
        assert is_inside.wait(10)
    assert devices._OneThreadUsers.count == 1
    may_leave.set()
    other.join(10)
    assert during == [1]
    assert devices._OneThreadUsers.count == 0


def test_a_cpu_is_used_on_one_thread_and_a_gpu_by_its_number():
    torch.set_num_threads(2)
    with devices.use_device(CPU):
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 2
    gpu = devices.use_device(torch.device("cuda", 1))
    assert isinstance(gpu, torch.cuda.device)
    assert gpu.idx == 1
