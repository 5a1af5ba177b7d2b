"""The museum's own site, museum.example: every work's label and image, under the addresses that its tables give."""

import json
from typing import Any

from examples.museum.serve.hall import NOT_FOUND, Answer, Hall, Request

HOSTS: tuple[str, ...] = ("museum.example",)
_PAGE_ROWS = 100


def answer(hall: Hall, request: Request) -> Answer | None:
    """`/works?page=1` lists keys; `/works/<key>` is a label; `/images/<2 characters>/<key>.<ext>` is an image."""
    parts = request.path.strip("/").split("/")
    if parts == ["works"]:
        return _listing(hall, request.query.get("page", "1"))
    if len(parts) == 2 and parts[0] == "works":
        row = _row_of_key(hall, parts[1])
        return NOT_FOUND if row is None else _json(hall.entry(row)._asdict())
    if len(parts) == 3 and parts[0] == "images":
        row = _row_of_key(hall, parts[2].rpartition(".")[0])
        return NOT_FOUND if row is None else Answer(image=row)
    return None


def _row_of_key(hall: Hall, key: str) -> int | None:
    """Only halls of our own know keys by heart."""
    find = getattr(hall, "row_of_key", None)
    found: int | None = None if find is None else find(key)
    return found


def _listing(hall: Hall, page: str) -> Answer:
    if not (page.isascii() and page.isdigit() and int(page) > 0):
        return NOT_FOUND
    first = (int(page) - 1) * _PAGE_ROWS
    entries = [hall.entry(row) for row in range(first, min(first + _PAGE_ROWS, hall.size))]
    works = [
        {"key": one.key, "image": f"https://{HOSTS[0]}/images/{one.key[:2]}/{one.key}{one.extension}"}
        for one in entries
    ]
    return _json({"count": hall.size, "works": works})


def _json(value: Any) -> Answer:
    return Answer(body=json.dumps(value, ensure_ascii=False).encode())
