"""Names of the files of a release's two tables that lie by split."""

import re
from typing import NamedTuple

SPLIT_TABLES = ("images", "annotations")
"""Tables with files for each split; all others are one file."""

_PART = re.compile(
    r"(?P<table>images|annotations)/"
    r"(?P<split>[^/]+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.parquet"
)


class Part(NamedTuple):
    """What a file's name says. of: how many files the split has."""

    table: str
    split: str
    number: int
    of: int


def part_path(table: str, split: str, number: int, count: int) -> str:
    """Path in a release of one of a split's files, counted from 0.

    >>> part_path("images", "val", 0, 3)
    'images/val-00000-of-00003.parquet'
    """
    return f"{table}/{split}-{number:05}-of-{count:05}.parquet"


def parse_part(path: str) -> Part | None:
    """What the path of such a file says; None where it is none.

    >>> parse_part("annotations/val-00001-of-00002.parquet")
    Part(table='annotations', split='val', number=1, of=2)
    """
    found = _PART.fullmatch(path)
    if found is None:
        return None
    return Part(found["table"], found["split"], int(found["number"]), int(found["count"]))
