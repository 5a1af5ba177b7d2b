"""`<split>-<number>.tar` of a thousand images, each as `<image_id>.<ending>` and `<image_id>.json`: WebDataset's form.

Keys are the images' ids: they have no dot, at which WebDataset cuts, and stand once in all files. What an image's
`annotations` says is null where nobody has looked at it.
"""

import functools
from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from tasks.core.coco.lossless import plain_text
from tasks.core.unpack import file_name
from tasks.io.files.tar_files import TarFile
from tasks.io.store.releases import Release
from tasks.subjects.layouts.parts import (
    ImageArchive,
    LayoutPart,
    LayoutRequest,
    Row,
    damage_unless,
    image_rows,
    wanted_splits,
)

_SAMPLES = 1000
_SAID = (
    *("record_id", "image_id", "split", "title", "artist", "style", "year", "source_url"),
    *("rights_uri", "rights_text", "width_px", "height_px", "sha256", "is_annotated"),
)
_OF_BOXES = ("image_id", "category_id", "xywh_px", "is_crowd", "keypoints_xyv")


class _Shard:
    def __init__(self, path: str, about: Mapping[int, Row]) -> None:
        self._tar, self._about = TarFile(path), about

    def add(self, image_id: int, name: str, data: bytes) -> None:
        self._tar.add(name, data)
        self._tar.add(f"{image_id}.json", plain_text(self._about[image_id]).encode())

    def close(self) -> None:
        self._tar.close()


def parts(release: Release, request: LayoutRequest) -> dict[str, LayoutPart]:
    """A part for each split."""
    wanted = wanted_splits(release, request.splits)
    rows: dict[str, list[Row]] = {split: [] for split in wanted}
    for row in image_rows(release, (*_SAID, "format"), request.form):
        if row["split"] in rows:
            rows[row["split"]].append(row)
    # hashes: so each file has of all styles, however the release lies
    of_split = {split: sorted(of, key=lambda row: row["image_id"]) for split, of in rows.items()}
    return {split: _part(release, split, of) for split, of in of_split.items()}


def _part(release: Release, split: str, rows: list[Row]) -> LayoutPart:
    @functools.cache
    def boxes() -> pa.Table:
        table = release.boxes((*_OF_BOXES, "split", "origin"))
        return table.filter(pc.and_(pc.equal(table["split"], split), pc.not_equal(table["origin"], "detector")))

    archives, categories = [], release.recipe().category_names
    for number, start in enumerate(range(0, len(rows), _SAMPLES)):
        mine = rows[start : start + _SAMPLES]
        names = {row["image_id"]: damage_unless(release, file_name, row["image_id"], row["format"]) for row in mine}
        archives.append(ImageArchive(f"{split}-{number:06}.tar", names, _opener(mine, boxes, categories)))
    return LayoutPart("", {}, "", lambda: iter(()), [split], archives=archives)


def _opener(rows: list[Row], boxes: Callable[[], pa.Table], categories: Sequence[str]) -> Callable[[str], _Shard]:
    def opened(path: str) -> _Shard:
        drawn: dict[int, list[Row]] = {row["image_id"]: [] for row in rows}
        table = boxes()
        for box in table.filter(pc.is_in(table["image_id"], value_set=pa.array([*drawn], pa.int64()))).to_pylist():
            said = {name: box[name] for name in _OF_BOXES[1:]}
            drawn[box["image_id"]].append({**said, "category": categories[box["category_id"] - 1]})
        return _Shard(path, {row["image_id"]: _about(row, drawn) for row in rows})

    return opened


def _about(row: Row, drawn: Mapping[int, list[Row]]) -> Row:
    said = {name: row[name] for name in _SAID}
    return {**said, "annotations": drawn[row["image_id"]] if row["is_annotated"] else None}
