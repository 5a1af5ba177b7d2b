"""NumPy's arrays as other programs save them: mapped or read, or refused in a sentence."""

import io
import os
import warnings

import numpy as np
import pytest

from schemas.errors import BadInput
from tasks.io.files import arrays
from tasks.io.files.arrays import read_array


def write(folder, name: str, data: bytes) -> str:
    (folder / name).write_bytes(data)
    return str(folder / name)


def test_a_local_array_is_mapped_and_not_read(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(6, dtype=np.float32).reshape(3, 2))
    array = read_array("gallery", str(tmp_path / "a.npy"))
    assert isinstance(array, np.memmap)
    assert (array.shape, array.dtype, array[2, 1]) == ((3, 2), np.float32, 5)


def saved(value) -> bytes:
    sink = io.BytesIO()
    np.save(sink, value, allow_pickle=True)
    return sink.getvalue()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        pytest.param(b"", "gallery: expected an array of numbers (.npy), got ", id="empty"),
        pytest.param(saved(np.array([[{}]])), "gallery: expected an array of numbers (.npy), got ", id="objects"),
        pytest.param(saved(np.ones((2, 2)))[:-8], "gallery: expected an array of numbers (.npy), got ", id="cut short"),
        pytest.param(saved(np.ones(3)), "with a row for each item, got 1 dimension", id="flat"),
        pytest.param(saved(np.ones((1, 1), complex)), "got values of the type 'complex128'", id="complex"),
        pytest.param(saved(np.array([["a"]])), "got values of the type '<U1'", id="text"),
    ],
)
def test_what_is_no_such_array_is_refused_in_one_sentence(tmp_path, data, sentence):
    with pytest.raises(BadInput) as problem:
        read_array("gallery", write(tmp_path, "a.npy", data))
    assert sentence in str(problem.value)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_the_one_array_of_an_archive_is_read(tmp_path, save):
    save(tmp_path / "a.npz", features=np.arange(6, dtype=np.float16).reshape(3, 2))
    array = read_array("gallery", str(tmp_path / "a.npz"))
    assert (array.shape, array.dtype, array[2, 1]) == ((3, 2), np.float16, 5)


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        pytest.param(
            {"a": np.ones((1, 1)), "b": np.ones(1)}, r"\(\.npz\), got the arrays 'a', 'b' in .*: save one", id="several"
        ),
        pytest.param({"mu": np.ones(2), "sigma": np.ones((2, 2))}, "got a mean and a covariance in", id="statistics"),
        pytest.param({}, "got the arrays none in", id="none"),
        pytest.param({"a": np.array([{}])}, "got '.*a.npz' ", id="objects"),
    ],
)
def test_an_archive_of_anything_else_is_refused(tmp_path, arrays, sentence):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(BadInput, match=sentence):
        read_array("gallery", str(tmp_path / "a.npz"))


def test_an_array_in_an_archive_that_is_too_large_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "a.npz", a=np.zeros((1000, 10)))
    monkeypatch.setattr(arrays, "MAX_BYTES", 10_000)
    with pytest.raises(BadInput, match="of at most 10000 bytes, got 80128: save it as"):
        read_array("gallery", str(tmp_path / "a.npz"))


def test_axes_of_length_1_that_a_network_left_behind_are_left_out(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(6, dtype=np.float32).reshape(3, 2, 1, 1))
    array = read_array("gallery", str(tmp_path / "a.npy"))
    assert isinstance(array, np.memmap)
    assert array.tolist() == [[0, 1], [2, 3], [4, 5]]
    np.save(tmp_path / "b.npy", np.ones((3, 2, 7)))
    with pytest.raises(BadInput, match=r"got 3 dimensions: shape \(3, 2, 7\)"):
        read_array("gallery", str(tmp_path / "b.npy"))


def test_several_arrays_and_a_pipe_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", a=np.ones((1, 1)))
    (tmp_path / "a.npz").rename(tmp_path / "a.npy")
    with pytest.raises(BadInput, match="got several arrays in"):
        read_array("gallery", str(tmp_path / "a.npy"))
    os.mkfifo(tmp_path / "pipe.npy")
    with pytest.raises(BadInput, match="a pipe, not a file"):
        read_array("gallery", str(tmp_path / "pipe.npy"))


def test_an_array_whose_header_promises_more_than_there_can_be_is_refused(tmp_path):
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }\n" % (2**62, 2**62)
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with (
        warnings.catch_warnings(record=True) as caught,
        pytest.raises(BadInput, match="works: expected an array of num"),
    ):
        read_array("works", write(tmp_path, "a.npy", data))
    assert not caught
