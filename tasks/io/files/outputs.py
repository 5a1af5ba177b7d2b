"""Files that a person asked for, in a folder or below any fsspec URL."""

import uuid
from pathlib import Path

import fsspec
from fsspec.implementations.local import LocalFileSystem

from schemas.errors import BadInput


def write(name: str, url: str, files: dict[str, bytes]) -> None:
    """Write files into a folder, which is made if need be; each whole or not at all.

    Raises BadInput where that can't be; `name` is for that message.
    """
    try:
        fs, root = fsspec.core.url_to_fs(url)
        fs.makedirs(root, exist_ok=True)
        for file, data in files.items():
            if not isinstance(fs, LocalFileSystem):
                fs.pipe_file(f"{root}/{file}", data)
                continue
            beside = Path(root) / f".{uuid.uuid4().hex}"
            beside.write_bytes(data)
            beside.replace(Path(root) / file)
    except Exception as problem:  # file systems raise errors of their own: those of s3 are no OSError
        raise BadInput(f"{name}: expected a folder that can be written, got '{url}' ({problem})") from problem
