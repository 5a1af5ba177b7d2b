"""In which flavours a release can be unpacked: how its images are called, and what COCO files stand beside them.

release: `<split>/<image_id>.*`, and the release's own COCO files; images that nobody annotated lie apart from those of
their split that have been. popart: `<split>/<artist>_<title>-<year>.*`, and COCO files as PoPArt has them. source: COCO
files of its sources, given back, and images under their names there.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

import pyarrow.compute as pc

from schemas.errors import BadInput
from schemas.phrases import counted, quoted
from tasks.core import unpack as core
from tasks.core.coco import source_file
from tasks.core.coco.popart import file_names, popart_file
from tasks.io.store.release_tables import split_of_path
from tasks.io.store.releases import Release

_COCO = re.compile(r"coco/([^/.]+)(?:\.unannotated)?\.json")
_NAMED = ("image_id", "split", "format", "is_annotated")
_OF_FIGURES = (
    *("record_id", "category_id", "xywh_px", "is_crowd", "keypoints_xyv", "origin"),
    *("source_area_px2", "segmentation", "source_coco"),
)
_BATCH = 10_000
Row = dict[str, Any]


class CocoPart(NamedTuple):
    """One COCO file and its images."""

    root: str  # folder of the images
    names: dict[int, str]  # of their files below it, by image_id
    annotations: str  # path of the COCO file
    document: Callable[[], tuple[bytes, str]]  # gives its bytes, and a note, if there is anything to tell
    splits: Collection[str]  # those whose images it has
    what: str = "image"  # what these are


def _release_parts(release: Release, splits: Collection[str]) -> dict[str, CocoPart]:
    names: dict[str, dict[int, str]] = {path: {} for path in _files(release, splits)}
    for row in _rows(release, _NAMED):
        if (path := _file_of(release, row)) in names:
            names[path][row["image_id"]] = _checked(release, core.file_name, row["image_id"], row["format"])

    def document(path: str) -> Callable[[], tuple[bytes, str]]:
        return lambda: (_json(_coco(release, path, names[path])), "")

    parts = {}
    for path in names:
        name, split = path.removeprefix("coco/").removesuffix(".json"), path[5:].partition(".")[0]
        root, what = split, "annotated image" if _has_unannotated(release, split) else "image"
        if name != split:
            what = "unannotated image"
            root = f"{split}-unannotated" if f"coco/{split}.json" in names else split
        parts[name] = CocoPart(root, names[path], _annotations(name), document(path), [split], what)
    return parts


def _popart_parts(release: Release, splits: Collection[str]) -> dict[str, CocoPart]:
    """PoPArt has annotated images alone."""
    files = [path for path in _files(release, splits) if path.count(".") == 1]
    if not files:
        raise BadInput(
            "--flavour popart: expected a release with images that people have annotated, got none in "
            f"release {release.manifest.version}: --flavour release unpacks any"
        )
    rows: dict[str, list[Row]] = {path: [] for path in files}
    for row in _rows(release, (*_NAMED, "artist", "title", "year")):
        _checked(release, core.check_id, row["image_id"])
        if (path := _file_of(release, row)) in rows:
            rows[path].append(row)
    parts = {}
    for path in files:
        split, names = path.removeprefix("coco/").removesuffix(".json"), file_names(rows[path])
        parts[split] = CocoPart(split, names, _annotations(split), _popart_document(release, path, names), [split])
    return parts


def _popart_document(release: Release, path: str, names: Mapping[int, str]) -> Callable[[], tuple[bytes, str]]:
    def document() -> tuple[bytes, str]:
        found = _checked(release, popart_file, _coco(release, path, names), names)
        hidden = found.hidden_keypoints
        note = f"{counted(hidden, 'keypoint')} with v = 1 written with v = 2, as PoPArt has them"
        return _json(found.document, is_sorted=False), note if hidden else ""

    return document


def _source_parts(release: Release, splits: Collection[str]) -> dict[str, CocoPart]:
    if splits:
        raise BadInput("--split: expected none with --flavour source, whose files know no splits, got one")
    files = release.coco_files().to_pylist()
    if not files:
        raise BadInput(
            "--flavour source: expected a release with a source whose annotations came from a COCO file, got none in "
            f"release {release.manifest.version}: --flavour release unpacks any"
        )
    columns = ("image_id", "record_id", "source", "split", "source_coco")
    rows = [row for row in _rows(release, columns) if row["source_coco"] is not None]
    return {file["source"]: _source_part(release, file, rows) for file in files}


def _source_part(release: Release, file: Row, rows: list[Row]) -> CocoPart:
    """What came with one source. file: of COCO_FILES; rows: of images of all sources."""
    mine = [row for row in rows if row["source"] == file["source"]]
    entries = _checked(release, source_file.distinct_images, [(row["record_id"], row["source_coco"]) for row in mine])
    names = {
        row["image_id"]: entries[row["record_id"]].entry.get("file_name") for row in mine if row["record_id"] in entries
    }
    try:
        core.check_file_names(names)
        root = core.check_source(file["source"])
    except ValueError as problem:
        raise BadInput(
            f"--flavour source: expected names of files that can lie below one folder in {quoted(file['path'])}, got "
            f"{problem}: --flavour release unpacks any"
        ) from problem

    def document() -> tuple[bytes, str]:
        texts = [(row["record_id"], row["source_coco"]) for row in mine]
        restored = _checked(release, source_file.restore_file, file, texts, _figures(release))
        images = file["images"] - len(restored.images)
        figures = file["annotations"] - len(restored.annotations)
        missing = f"{counted(images, 'image')} and {counted(figures, 'annotation')}"
        note = f"{missing} of {quoted(file['path'])} are not in the release"
        return b"".join(restored.chunks()), note if images or figures else ""

    return CocoPart(root, names, _annotations(file["source"]), document, {row["split"] for row in mine})


def _figures(release: Release) -> Iterator[Row]:
    categories = release.recipe().category_names
    rows = release.boxes(_OF_FIGURES)
    for batch in rows.filter(pc.equal(rows["origin"], "source")).to_batches(_BATCH):
        for row in batch.to_pylist():
            number = row["category_id"]
            yield {**row, "category": categories[number - 1] if 0 < number <= len(categories) else None}


def _rows(release: Release, columns: Collection[str]) -> Iterator[Row]:
    """Rows of images. Raises DamagedFile for an image_id that stands twice, and for a split without a COCO file."""
    table = release.rows("images", [*columns])
    known, seen = _splits_of(release), set[int]()
    for batch in table.to_batches(_BATCH):
        for row in batch.to_pylist():
            if row["image_id"] in seen:
                problem = ValueError(f"{row['image_id']} twice")
                raise release.damage("images", "a table with each image_id once", problem)
            if row["split"] not in known:
                problem = ValueError(f"none for {quoted(row['split'])}")
                raise release.damage("coco", "a folder with a file for each split", problem)
            seen.add(row["image_id"])
            yield row


def _splits_of(release: Release) -> list[str]:
    """Its splits, also those without images. Raises DamagedFile for one that no recipe can have."""
    of_coco = (match[1] for match in map(_COCO.fullmatch, release.manifest.files) if match)
    of_images = (split_of_path(path) for path in release.parts("images"))
    found = dict.fromkeys(split for split in (*of_coco, *of_images) if split is not None)
    try:
        return [core.check_split(split) for split in found]
    except ValueError as problem:
        raise release.damage("coco", "a folder of releases", problem) from problem


def _files(release: Release, wanted: Collection[str]) -> list[str]:
    """Its COCO files of these splits that list images; without any, of all."""
    splits = _splits_of(release)
    if missing := [split for split in wanted if split not in splits]:
        raise BadInput(f"--split: expected one of {', '.join(splits)}, got {quoted(missing[0])}")
    return [
        path
        for split in splits
        if split in (wanted or splits)
        for path in (f"coco/{split}.json", f"coco/{split}.unannotated.json")
        if path in release.manifest.files
    ]


def _file_of(release: Release, row: Row) -> str:
    """Which of them lists the image of this row. Before contract 3 the one of a split had all its images."""
    is_apart = not row["is_annotated"] and _has_unannotated(release, row["split"])
    return f"coco/{row['split']}{'.unannotated' * is_apart}.json"


def _has_unannotated(release: Release, split: str) -> bool:
    return f"coco/{split}.unannotated.json" in release.manifest.files


def _checked(release: Release, rule: Callable[..., Any], *values: Any) -> Any:
    """What a rule gives. Raises DamagedFile where the release's rows are none that it knows."""
    try:
        return rule(*values)
    except (ValueError, LookupError, TypeError, AttributeError) as problem:
        raise release.damage("images", "a table of images as releases have them", problem) from problem


def _coco(release: Release, path: str, names: Mapping[int, str]) -> Any:
    try:
        return core.with_file_names(release.read_json(path), names)
    except ValueError as problem:
        raise release.damage(path, "the COCO file of its split", problem) from problem


def _annotations(name: str) -> str:
    return f"{core.ANNOTATIONS}/{name}.json"


def _json(value: Any, *, is_sorted: bool = True) -> bytes:
    return json.dumps(value, sort_keys=is_sorted, ensure_ascii=False, separators=(",", ":")).encode()


FLAVOURS: dict[str, Callable[[Release, Collection[str]], dict[str, CocoPart]]] = {
    "release": _release_parts,
    "source": _source_parts,
    "popart": _popart_parts,
}
"""What gives the parts of a folder, by split or by source. Raises BadInput for splits that the release does not have,
and DamagedFile for what is no release."""
