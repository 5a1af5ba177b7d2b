"""The Met dataset's ground truth files, as its authors' code reads them (github.com/nikosips/met): JSON lists.

MET_database.json and mini_MET_database.json have `path` and `id`, an exhibit, of each image of the gallery; valset.json
and testset.json have `path` and, of Met queries, `MET_id`: a query without one is a distractor.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from typing import Any

MINI_SHARE = 10
"""One of so many images of the classes that no query has is in the mini set."""
Entry = dict[str, Any]


def database(rows: Iterable[Mapping[str, Any]], paths: Mapping[int, str], column: str) -> list[Entry]:
    """The gallery: image_id and the class's column of each row, which is not null. paths: by image_id."""
    return [{"id": row[column], "path": paths[row["image_id"]]} for row in rows]


def mini_database(
    rows: Collection[Mapping[str, Any]], paths: Mapping[int, str], column: str, asked: Collection[Any]
) -> list[Entry]:
    """All images of the classes that are asked for, and one of MINI_SHARE images of the others, rounded: those with the
    least SHA-256 of their image_id. In the order of the rows.

    asked: classes of the queries. The paper draws images, not classes: 14.9 % of its classes are in its mini set.
    """
    others = sorted((row["image_id"] for row in rows if row[column] not in asked), key=_hash)
    drawn = {*others[: round(len(others) / MINI_SHARE)]}
    return database([row for row in rows if row[column] in asked or row["image_id"] in drawn], paths, column)


def queries(rows: Iterable[Mapping[str, Any]], paths: Mapping[int, str], column: str) -> list[Entry]:
    """The queries of a split; those whose class is null are distractors."""
    return [
        {"path": paths[row["image_id"]], **({} if row[column] is None else {"MET_id": row[column]})} for row in rows
    ]


def _hash(image_id: int) -> bytes:
    return hashlib.sha256(str(image_id).encode()).digest()
