"""Single files that a user names: a path or any fsspec URL."""

from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, quoted
from tasks.io.files import regular
from tasks.io.files.places import reword_errors


def read(name: str, url: str, max_bytes: int) -> bytes:
    """The file's bytes. Raises BadInput if there is no such file, or it is longer; `name` is for that message."""
    with reword_errors(f"{name}: expected a file", url), regular.open_url(url) as file:
        data = regular.read_at_most(file, max_bytes + 1)
    if len(data) > max_bytes:
        place = quoted(url, LONGEST_PLACE)
        raise BadInput(f"{name}: expected a file of at most {max_bytes} bytes, got {place}, which is longer")
    return data


def folder_of(url: str) -> str:
    """Path or URL of the folder in which a file lies.

    >>> folder_of("s3://art/coco/train.json"), folder_of("train.json")
    ('s3://art/coco', '.')
    """
    return url.rpartition("/")[0] or ("/" if url.startswith("/") else ".")
