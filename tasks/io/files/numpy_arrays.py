"""Arrays of numbers that other programs have saved with NumPy: `.npy`, and `.npz` with one array.

Only what is read says what it is: an array of Python objects is refused, since to read it would run what is in it.
"""

import io
import zipfile
from typing import Any

import numpy as np
from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, counted, listed, quoted
from schemas.stand_ins import LOOK_BYTES
from tasks.io.files import inputs
from tasks.io.files.places import reword_errors
from tasks.io.files.regular import open_file

MAX_BYTES = 2**31
"""Of an array that is not on this machine, and of one in a `.npz`; a local `.npy` is mapped, and may have any size."""

_STATISTICS = {"mu", "sigma"}
"""What pytorch-fid and clean-fid keep of a reference: its mean and covariance, not its features."""

_SHOWN = 8
_ENDING = ".npy"


def read_array(name: str, url: str) -> NDArray[Any]:
    """(N, d) numbers of a `.npy` file, a local one mapped into memory, not read; or of the one array of a `.npz`.

    Axes of length 1 after the second, as networks leave them behind (N, d, 1, 1), are left out. Raises BadInput for
    what is no such file, for Python objects, text or complex numbers, and for another number of dimensions.
    """
    is_archive = url.lower().endswith(".npz")
    expected = f"{name}: expected an array of numbers ({'.npz' if is_archive else _ENDING})"
    # numpy warns where a header promises more than 2^63 bytes, and then refuses it
    with reword_errors(expected, url), np.errstate(over="ignore"):
        array = _member(expected, inputs.read(name, url, MAX_BYTES), url) if is_archive else _array(name, url)
    if not isinstance(array, np.ndarray):
        raise BadInput(f"{expected}, got several arrays in {quoted(url, LONGEST_PLACE)}")
    if array.dtype.kind not in "fiu":
        raise BadInput(f"{expected}, got values of the type {quoted(str(array.dtype))}")
    if array.ndim > 2 and set(array.shape[2:]) == {1}:
        array = array.reshape(array.shape[:2])
    if array.ndim != 2:
        raise BadInput(
            f"{expected} with a row for each item, got {counted(array.ndim, 'dimension')}: shape {array.shape}"
        )
    return array


def _array(name: str, url: str) -> Any:
    fs, path = url_to_fs(url)
    if not isinstance(fs, LocalFileSystem):
        return np.load(io.BytesIO(inputs.read(name, url, MAX_BYTES)), allow_pickle=False)
    with open_file(path) as file:  # a pipe or a device is refused before NumPy waits for it
        inputs.check_itself(name, url, file.read(LOOK_BYTES))
    return np.load(path, mmap_mode="r", allow_pickle=False)


def _member(expected: str, data: bytes, url: str) -> Any:
    """The one array of an archive. Raises BadInput for none, for several, and for one that is too large."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        names = [member.filename.removesuffix(_ENDING) for member in members]
        if set(names) >= _STATISTICS:
            raise BadInput(
                f"{expected}, got a mean and a covariance in {quoted(url, LONGEST_PLACE)}: save the features themselves"
            )
        if len(members) != 1:
            got = listed([quoted(one) for one in names], _SHOWN) or "none"
            raise BadInput(f"{expected}, got the arrays {got} in {quoted(url, LONGEST_PLACE)}: save one alone, as .npy")
        if members[0].file_size > MAX_BYTES:
            raise BadInput(f"{expected} of at most {MAX_BYTES} bytes, got {members[0].file_size}: save it as .npy")
        return np.load(io.BytesIO(archive.read(members[0])), allow_pickle=False)
