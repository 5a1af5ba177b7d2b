"""Single files that a user names: a path or any fsspec URL."""

from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, quoted
from schemas.stand_ins import stand_in
from tasks.io.files import regular
from tasks.io.files.places import reword_errors


def read(name: str, url: str, max_bytes: int) -> bytes:
    """The file's bytes.

    Raises BadInput if there is no such file, it is longer, or something stands in its place (schemas.stand_ins); `name`
    is for that message.
    """
    with reword_errors(f"{name}: expected a file", url), regular.open_url(url) as file:
        data = regular.read_at_most(file, max_bytes + 1)
    if len(data) > max_bytes:
        place = quoted(url, LONGEST_PLACE)
        raise BadInput(f"{name}: expected a file of at most {max_bytes} bytes, got {place}, which is longer")
    check_itself(name, url, data)
    return data


def check_itself(name: str, url: str, beginning: bytes) -> None:
    """Raise BadInput where the beginning of a file is that of what stands in its place, such as a Git LFS pointer."""
    if (words := stand_in(beginning)) is not None:
        raise BadInput(f"{name}: expected a file, got {quoted(url, LONGEST_PLACE)}, which is {words}")


def folder_of(url: str) -> str:
    """Path or URL of the folder in which a file lies.

    >>> folder_of("s3://art/coco/train.json"), folder_of("train.json")
    ('s3://art/coco', '.')
    """
    return url.rpartition("/")[0] or ("/" if url.startswith("/") else ".")
