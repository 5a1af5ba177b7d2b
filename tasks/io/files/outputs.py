"""Files that a command writes where its user asked for them: one local file, or files below any fsspec URL."""

import tempfile
import uuid
from pathlib import Path

import fsspec
from fsspec.implementations.local import LocalFileSystem

from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, error_line, quoted
from tasks.io.files.inputs import reword_errors

_OF_RELEASES = ("manifest.json", "ledger.parquet")


def write(name: str, url: str, files: dict[str, bytes]) -> None:
    """Write files into a folder, which is made if need be; each whole or not at all, on this machine all or none.
    Raises BadInput if they can't be written, and if the folder is a release or lies in one, which never changes.
    """
    if not url.strip():
        raise BadInput(f"{name}: expected a folder that can be written, got {quoted(url)}")
    with reword_errors(f"{name}: expected a folder that can be written", url):
        fs, root = fsspec.core.url_to_fs(url)
        folders = (root, *map(str, Path(root).parents)) if isinstance(fs, LocalFileSystem) else (root,)
        if any(all(fs.exists(f"{folder}/{file}") for file in _OF_RELEASES) for folder in folders):
            raise ValueError("it holds a release")
        fs.makedirs(root, exist_ok=True)
        if not isinstance(fs, LocalFileSystem):
            for file, data in files.items():
                fs.pipe_file(f"{root}/{file}", data)
            return
        with tempfile.TemporaryFile(dir=root):
            pass
        for file in files:
            if Path(root, file).is_dir():
                raise IsADirectoryError(f"a folder: '{file}'")
        write_whole({Path(root, file): data for file, data in files.items()})


def check_writable(name: str, path: str, *, makes_folder: bool = True) -> None:
    """Raise BadInput if a local file can't be written; its folder is made, unless `makes_folder` is False."""
    try:
        if "\0" in path:
            raise ValueError("a null character in it")
        if makes_folder:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=Path(path).parent):
            pass
        if Path(path).is_dir():
            raise IsADirectoryError("a folder")
        if Path(path).exists() and not Path(path).is_file():
            raise ValueError("no regular file")
    except (OSError, ValueError) as problem:
        raise _unwritable(name, path, problem) from problem


def write_file(name: str, path: str, data: bytes) -> None:
    """Write a local file in a folder that exists, whole or not at all. Raises BadInput if it can't be written."""
    try:
        write_whole({Path(path): data})
    except OSError as problem:
        raise _unwritable(name, path, problem) from problem


def _unwritable(name: str, path: str, problem: BaseException) -> BadInput:
    expected = f"{name}: expected a file that can be written"
    return BadInput(f"{expected}, got {quoted(path, LONGEST_PLACE)} ({error_line(problem)})")


def write_whole(files: dict[Path, bytes]) -> None:
    """Write all files beside their names, then rename them: a full disk leaves what was there before, and no more."""
    beside = {path: path.with_name(f".{uuid.uuid4().hex}") for path in files}
    try:
        for path, data in files.items():
            beside[path].write_bytes(data)
        for path in files:
            beside[path].replace(path)
    finally:
        for left in beside.values():
            left.unlink(missing_ok=True)
