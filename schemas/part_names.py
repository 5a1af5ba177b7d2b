"""Names of the files of a release's two tables that lie by split."""

import re
from typing import NamedTuple

SPLIT_TABLES = ("images", "annotations")
"""Tables with files for each split; all others are one file."""

_PART = re.compile(
    r"(?P<table>images|annotations)/"
    r"(?:(?P<split>[^/]+)-(?P<number>\d{5})-of-(?P<count>\d{5})|split=(?P<folder>[^/]+)/part-(?P<place>\d+))\.parquet"
)


class Part(NamedTuple):
    """What a file's name says. of: how many files the split has; None in contract 1, which did not say how many."""

    table: str
    split: str
    number: int
    of: int | None


def part_path(table: str, split: str, number: int, count: int) -> str:
    """Path in a release of one of a split's files, counted from 0.

    >>> part_path("images", "val", 0, 3)
    'images/val-00000-of-00003.parquet'
    """
    return f"{table}/{split}-{number:05}-of-{count:05}.parquet"


def parse_part(path: str) -> Part | None:
    """What the path of such a file says, of contract 1 too; None where it is none.

    >>> parse_part("annotations/split=val/part-00001.parquet")
    Part(table='annotations', split='val', number=1, of=None)
    """
    found = _PART.fullmatch(path)
    if found is None:
        return None
    if found["folder"] is not None:
        return Part(found["table"], found["folder"], int(found["place"]), None)
    return Part(found["table"], found["split"], int(found["number"]), int(found["count"]))
