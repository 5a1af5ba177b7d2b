"""What a layout is made of: parts, each with images that become files, and files that say something of them."""

import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from schemas.errors import BadInput
from schemas.formats import Format
from schemas.phrases import quoted
from schemas.renditions import Rendition
from tasks.core import unpack as core
from tasks.core.rights import passes
from tasks.io.store.release_tables import split_of_path
from tasks.io.store.releases import Release

NAMED = ("image_id", "split", "format", "is_annotated")
"""The columns by which an image's file is called."""
BATCH = 10_000
_COCO = re.compile(r"coco/([^/.]+)(?:\.unannotated)?\.json")
Row = dict[str, Any]
UNPACKS_ANY = ": --layout release unpacks any"
"""What there is to do about a release that can't be laid out so."""


class LayoutRequest(NamedTuple):
    """What is asked for: a format, and of which splits; without any, of all."""

    form: Format
    splits: Collection[str] = ()


class LayoutFile(NamedTuple):
    """A file beside the images, and a note, if there is anything to tell."""

    path: str
    data: bytes
    note: str = ""


class ArchiveWriter(Protocol):
    """What writes an archive, image by image."""

    def add(self, image_id: int, name: str, data: bytes) -> None:
        """Put in an image, called as its file would be. Raises DamagedFile for a picture that can't be drawn anew."""

    def close(self) -> None:
        """Write what stands at the end."""


class ImageArchive(NamedTuple):
    """A file with many images. open: gives what writes it, at a place of this machine."""

    path: str
    names: dict[int, str]  # of their files, by image_id, in the order of the release
    open: Callable[[str], ArchiveWriter]
    rendition: Rendition | None = None  # as what they are drawn anew

    @property
    def key(self) -> str:
        """What says which images it has."""
        return hashlib.sha256(repr(sorted(self.names.items())).encode()).hexdigest()


class LayoutPart(NamedTuple):
    """Images of a split, or of a source, and what says something of them."""

    root: str  # folder of the images
    names: dict[int, str]  # of their files below it, by image_id
    annotations: str  # path of the file, or of the folder, that says what is in them
    documents: Callable[[], Iterator[LayoutFile]]  # asked when the images are files: some are called otherwise then
    splits: Collection[str]  # those whose images it has
    what: str = "image"  # what these are
    shared: Collection[str] = ()  # names of other parts' files in these folders
    archives: Sequence[ImageArchive] = ()  # in the place of files
    rendition: Rendition | None = None  # as what its files are drawn anew

    @property
    def images(self) -> set[int]:
        """The ids of its images, be they files or in archives."""
        return {*self.names, *(number for archive in self.archives for number in archive.names)}


def damage_unless(release: Release, rule: Callable[..., Any], *values: Any) -> Any:
    """What a rule gives. Raises DamagedFile where the release's rows are none that it knows."""
    try:
        return rule(*values)
    except (ValueError, LookupError, TypeError, AttributeError) as problem:
        raise release.damage("images", "a table of images as releases have them", problem) from problem


def has_rights(row: Row, form: Format) -> bool:
    """Whether the format may have an image, by its rights."""
    return form.rights is None or passes(row["rights_uri"], form.rights)


def image_rows(release: Release, columns: Collection[str], form: Format | None = None) -> Iterator[Row]:
    """Rows of the images; of a format, only of those that it may have by their rights. Raises DamagedFile for an
    image_id that stands twice, and for a split without a COCO file.
    """
    asked = [*columns] if form is None or form.rights is None else [*dict.fromkeys((*columns, "rights_uri"))]
    table = release.rows("images", asked)
    known, seen = _splits_of(release), set[int]()
    for batch in table.to_batches(BATCH):
        for row in batch.to_pylist():
            if row["image_id"] in seen:
                problem = ValueError(f"{row['image_id']} twice")
                raise release.damage("images", "a table with each image_id once", problem)
            if row["split"] not in known:
                problem = ValueError(f"none for {quoted(row['split'])}")
                raise release.damage("coco", "a folder with a file for each split", problem)
            seen.add(row["image_id"])
            if form is None or has_rights(row, form):
                yield row


def wanted_splits(release: Release, wanted: Collection[str]) -> list[str]:
    """Those of the release that are wanted; without any, all. Raises BadInput for one that it does not have."""
    splits = _splits_of(release)
    if missing := [split for split in wanted if split not in splits]:
        raise BadInput(f"--split: expected one of {', '.join(splits)}, got {quoted(missing[0])}")
    return [split for split in splits if split in (wanted or splits)]


def _splits_of(release: Release) -> list[str]:
    """Its splits, also those without images. Raises DamagedFile for one that no recipe can have."""
    of_coco = (match[1] for match in map(_COCO.fullmatch, release.manifest.files) if match)
    of_images = (split_of_path(path) for path in release.parts("images"))
    found = dict.fromkeys(split for split in (*of_coco, *of_images) if split is not None)
    try:
        return [core.check_split(split) for split in found]
    except ValueError as problem:
        raise release.damage("coco", "a folder of releases", problem) from problem


def coco_files(release: Release, wanted: Collection[str]) -> list[str]:
    """Its COCO files of these splits that list images; without any, of all."""
    return [
        path
        for split in wanted_splits(release, wanted)
        for path in (f"coco/{split}.json", f"coco/{split}.unannotated.json")
        if path in release.manifest.files
    ]


def annotated_files(release: Release, request: LayoutRequest) -> list[str]:
    """Its COCO files of images that people have annotated. Raises BadInput where there are none."""
    if files := [path for path in coco_files(release, request.splits) if path.count(".") == 1]:
        return files
    raise BadInput(
        f"--layout {request.form.layout}: expected a release with images that people have annotated, got none in "
        f"release {release.manifest.version}{UNPACKS_ANY}"
    )


def coco_file_of(release: Release, row: Row) -> str:
    """Which of them lists the image of this row. Before contract 3 the one of a split had all its images."""
    is_apart = not row["is_annotated"] and has_unannotated(release, row["split"])
    return f"coco/{row['split']}{'.unannotated' * is_apart}.json"


def has_unannotated(release: Release, split: str) -> bool:
    """Whether images of a split that nobody has annotated stand in a list of their own."""
    return f"coco/{split}.unannotated.json" in release.manifest.files


def named_rows(release: Release, files: Collection[str], form: Format, *more: str) -> dict[str, list[Row]]:
    """The rows of the images of each of these COCO files, with the columns by which files are called, and more."""
    rows: dict[str, list[Row]] = {path: [] for path in files}
    for row in image_rows(release, (*NAMED, *more), form):
        damage_unless(release, core.check_id, row["image_id"])
        if (path := coco_file_of(release, row)) in rows:
            rows[path].append(row)
    return rows


def names_by_id(rows: Collection[Row]) -> dict[int, str]:
    """Files called by their images' ids."""
    return {row["image_id"]: core.file_name(row["image_id"], row["format"]) for row in rows}


def coco_document(release: Release, path: str, names: Mapping[int, str], form: Format) -> Any:
    """The release's COCO file, with these names of files by image_id; of images that the format leaves out, nothing."""
    try:
        return core.with_file_names(release.read_json(path), names, is_whole=form.rights is None)
    except ValueError as problem:
        raise release.damage(path, "the COCO file of its split", problem) from problem


def split_of_file(path: str) -> str:
    """The split of a COCO file of a release.

    >>> split_of_file("coco/val.unannotated.json")
    'val'
    """
    return path.removeprefix("coco/").partition(".")[0]
