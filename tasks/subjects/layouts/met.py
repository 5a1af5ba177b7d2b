"""The Met dataset's files: `images/MET/<class>/<image_id>.jpg`, `images/<split>/<image_id>.jpg`, of at most 500 px, and
`ground_truth/`: MET_database.json, mini_MET_database.json, valset.json and testset.json.

The gallery is the split train; a class is the attribute `object_id` (docs/roles.md).
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from schemas.errors import BadInput
from schemas.formats import Format
from schemas.layouts import EXHIBIT
from schemas.phrases import listed
from tasks.core.met_files import database, mini_database, queries
from tasks.core.unpack import check_file_names, check_id
from tasks.io.store.releases import Release
from tasks.subjects.layouts.parts import (
    LayoutFile,
    LayoutPart,
    LayoutRequest,
    Row,
    damage_unless,
    image_rows,
    wanted_splits,
)

_CLASS, _TYPES = EXHIBIT
_GALLERY = "train"
_TRUTH = "ground_truth"
_QUERIES = {"val": "valset.json", "test": "testset.json"}


def parts(release: Release, request: LayoutRequest) -> dict[str, LayoutPart]:
    """A part for each split. Raises BadInput for a release whose images have no exhibit, and for some splits alone:
    which images the mini set has depends on all.
    """
    if request.splits:
        raise BadInput("--split: expected none with --layout met, whose mini set depends on all splits, got one")
    if _CLASS not in release.attributes:
        known = listed([*release.attributes], 5) or "none"
        raise BadInput(f"--layout met: expected a release with the attribute {_CLASS}, got attributes {known}")
    if (kind := release.attributes[_CLASS].type) not in _TYPES:
        raise BadInput(f"--layout met: expected an {_CLASS} that is {' or '.join(_TYPES)}, got {kind}")
    rows: dict[str, list[Row]] = {split: [] for split in wanted_splits(release, ())}
    for row in image_rows(release, ("image_id", "split", _CLASS), request.form):
        damage_unless(release, check_id, row["image_id"])
        rows[row["split"]].append(row)
    if not any(row[_CLASS] is not None for row in rows.get(_GALLERY, ())):
        raise BadInput(f"--layout met: expected images with an {_CLASS} in {_GALLERY}, got none")
    asked = {row[_CLASS] for split, of in rows.items() if split != _GALLERY for row in of}
    return {split: _part(release, request.form, split, of, asked) for split, of in rows.items()}


def _part(release: Release, form: Format, split: str, rows: list[Row], asked: Collection[Any]) -> LayoutPart:
    names = {row["image_id"]: f"{row['image_id']}.jpg" for row in rows}
    if split == _GALLERY:
        shown = {row["image_id"]: row[_CLASS] for row in rows if row[_CLASS] is not None}
        names = {number: f"{exhibit}/{names[number]}" for number, exhibit in shown.items()}
        damage_unless(release, check_file_names, names)
    documents = _documents(split, rows, names, asked)
    return LayoutPart(_root(split), names, f"{_TRUTH}/{_file(split)}", documents, [split], rendition=form.rendition)


def _root(split: str) -> str:
    return "images/MET" if split == _GALLERY else f"images/{split}"


def _file(split: str) -> str:
    return "MET_database.json" if split == _GALLERY else _QUERIES.get(split, f"{split}set.json")


def _documents(
    split: str, rows: list[Row], names: Mapping[int, str], asked: Collection[Any]
) -> Callable[[], Iterator[LayoutFile]]:
    def documents() -> Iterator[LayoutFile]:
        folder = _root(split).removeprefix("images/")
        paths = {number: f"{folder}/{name}" for number, name in names.items()}
        if split != _GALLERY:
            yield _json(_file(split), queries(rows, paths, _CLASS))
            return
        exhibits = [row for row in rows if row["image_id"] in paths]
        yield _json(_file(split), database(exhibits, paths, _CLASS))
        yield _json("mini_MET_database.json", mini_database(exhibits, paths, _CLASS, asked))

    return documents


def _json(name: str, value: list[dict[str, Any]]) -> LayoutFile:
    return LayoutFile(f"{_TRUTH}/{name}", json.dumps(value, separators=(",", ":")).encode())
