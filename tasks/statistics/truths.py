"""The truths that are counted: a release, a COCO file, or a folder of PASCAL VOC's files."""

from pathlib import PurePosixPath

import fsspec
import pyarrow as pa

from schemas.tables import HISTOGRAMS
from tasks.core.coco.reader import read_keys_once
from tasks.core.coco.source import ImageFigures
from tasks.core.coco.truth import check_sides
from tasks.core.scrape.voc_annotations import BadVocFile, read_voc
from tasks.core.statistics import contents
from tasks.core.statistics.contents import CountedBy
from tasks.core.statistics.figures import TruthContents
from tasks.core.statistics.voc_lists import images_of_lists, read_list, split_of_list
from tasks.io.files import inputs
from tasks.io.files.folders import Folder
from tasks.io.images.decode import UnreadableImage
from tasks.io.store.releases import Release
from tasks.subjects.ground_truth import MAX_FILE_BYTES, check_attributes, is_coco_file

MAX_XML_BYTES = 2**24
_ANNOTATIONS, _LISTS = "Annotations", "ImageSets/Main"
_EARLIER = "statistics/histograms.parquet"


def read_truth(truth: str, counted_by: CountedBy) -> TruthContents:
    """What is counted of a truth. Raises BadInput for what is none, DamagedFile for a release with a damaged file."""
    if is_coco_file(truth):
        return _of_file(truth, counted_by)
    return _of_voc_folder(truth, counted_by) if _is_voc_folder(truth) else _of_release(truth, counted_by)


def _of_file(truth: str, counted_by: CountedBy) -> TruthContents:
    name = PurePosixPath(truth).stem
    fields = read_keys_once(name, inputs.read("truth", truth, MAX_FILE_BYTES))
    return contents.contents_of_coco(name, fields, counted_by)


def _of_release(truth: str, counted_by: CountedBy) -> TruthContents:
    release = Release(truth)
    check_attributes(release, counted_by.by)
    exhibit = [contents.EXHIBIT] if contents.EXHIBIT in release.attributes else []
    columns = tuple(dict.fromkeys((*contents.RELEASE_IMAGES, *counted_by.by, *exhibit)))
    images, boxes = release.rows("images", columns), release.rows("annotations", contents.RELEASE_BOXES)
    try:
        check_sides(boxes)
    except ValueError as problem:
        raise release.damage("the table annotations", "boxes as releases have them", problem) from problem
    name = f"{release.manifest.name} {release.manifest.version}"
    found = contents.contents_of_release(name, images, boxes, release.recipe().category_names, counted_by)
    return found._replace(earlier=_earlier(release))


def _earlier(release: Release) -> pa.Table | None:
    """HISTOGRAMS of what a release was measured and drawn from; None where it has none."""
    if _EARLIER not in release.manifest.files:
        return None
    return contents.earlier_histograms(release.read_columns(_EARLIER, HISTOGRAMS.names))


# --- PASCAL VOC


def _is_voc_folder(truth: str) -> bool:
    """Whether a folder has annotations as VOC lays them out, and is no release."""
    with inputs.reword_errors("truth: expected a release, a COCO file or a VOC folder", truth):
        fs, root = fsspec.core.url_to_fs(truth.rstrip("/"))
        return bool(fs.isdir(f"{root}/{_ANNOTATIONS}")) and not fs.exists(f"{root}/manifest.json")


def _of_voc_folder(truth: str, counted_by: CountedBy) -> TruthContents:
    """XML files and lists below Annotations, and lists in ImageSets/Main, if there is that folder."""
    base = truth.rstrip("/")
    name, lists, files = base.rpartition("/")[2] or base, [], dict[str, ImageFigures | None]()
    for folder in (_ANNOTATIONS, _LISTS):
        if folder == _LISTS and not _has_folder(base, folder):
            continue
        place = Folder("truth", f"{base}/{folder}")
        for path, _ in place.listing():
            if split_of_list(path) is not None:
                lists.append(read_list(f"{folder}/{path}", place.read(path, MAX_FILE_BYTES)))
            elif folder == _ANNOTATIONS and path.endswith(".xml"):
                files[path] = _read_xml(place, path)
    return contents.contents_of_voc(name, images_of_lists(lists, files), counted_by)


def _has_folder(base: str, folder: str) -> bool:
    fs, root = fsspec.core.url_to_fs(f"{base}/{folder}")
    return bool(fs.isdir(root))


def _read_xml(place: Folder, path: str) -> ImageFigures | None:
    """What a file says; None where it can't be read: then nobody knows what is in its image."""
    try:
        return read_voc(place.read(path, MAX_XML_BYTES))
    except (BadVocFile, UnreadableImage):
        return None
