"""PASCAL VOC's lists of images: which split an image is in, and whether people found a category in it.

VOC's development kit has them in ImageSets/Main, People-Art in Annotations. `person_train.txt` has a line for each
image of train with 1 (a person), 0 (only difficult ones) or -1 (none), `train.txt` names alone.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from schemas.errors import BadInput
from schemas.phrases import quoted
from schemas.split import SPLITS
from tasks.core.coco.source import ImageFigures
from tasks.core.statistics.contents import VocImage

_UNION = "trainval"
"""Holds what train and val hold."""
_FLAGS = {"1": True, "0": True, "-1": False}


class VocList(NamedTuple):
    """has_figures: by the name of each image whether it has one; None where the list does not say."""

    split: str
    has_figures: Mapping[str, bool | None]


def read_list(path: str, data: bytes) -> VocList:
    r"""A list by its path (`split_of_list`): of each line the name, and 1, 0 or -1 if it ends so. Raises BadInput for
    what is no UTF-8.

    >>> read_list("Annotations/person_val.txt", b"Cubism/a.jpg 1\nb c.jpg -1\n")
    VocList(split='val', has_figures={'Cubism/a.jpg': True, 'b c.jpg': False})
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise BadInput(f"{path}: expected a list of images in UTF-8, got other bytes") from None
    found: dict[str, bool | None] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, _, flag = line.rpartition(" ")
        known = flag in _FLAGS and bool(name.strip())
        found[(name if known else line).strip()] = _FLAGS[flag] if known else None
    return VocList(split_of_list(path) or "", found)


def split_of_list(path: str) -> str | None:
    """The split whose images a file lists, by its name; None for any other file.

    >>> split_of_list("person_train.txt"), split_of_list("ImageSets/Main/trainval.txt"), split_of_list("notes.txt")
    ('train', 'trainval', None)
    """
    name, _, ending = path.rpartition("/")[2].rpartition(".")
    split = name.rpartition("_")[2]
    return split if ending == "txt" and split in {*SPLITS, _UNION} else None


def images_of_lists(lists: Sequence[VocList], files: Mapping[str, ImageFigures | None]) -> list[VocImage]:
    """All images of the lists, and of XML files that no list has, sorted by name.

    files: what the XML files say, by their paths: `<name>.xml`, or with `.xml` in place of the name's ending; None:
    it can't be read. An image with -1 and without XML was looked at, and has no figure; one without XML of which the
    lists say 1, or nothing, is not annotated as far as anybody can tell. Raises BadInput for an image in two splits.
    """
    splits, has_figures = dict[str, str](), dict[str, bool | None]()
    for one in sorted(lists, key=lambda one: one.split == _UNION):
        for name, found in one.has_figures.items():
            known = splits.setdefault(name, one.split)
            if known != one.split and one.split != _UNION:
                got = f"{quoted(name)} in {quoted(known)} and {quoted(one.split)}"
                raise BadInput(f"lists of images: expected each image in one split, got {got}")
            has_figures[name] = has_figures.get(name) or found
    paths = {name: _path_of(name, files) for name in splits}
    paths |= {path.removesuffix(".xml"): path for path in files.keys() - {*paths.values()}}
    return [_image(name, splits.get(name), has_figures.get(name), path, files) for name, path in sorted(paths.items())]


def _path_of(name: str, files: Mapping[str, ImageFigures | None]) -> str | None:
    folder, slash, file = name.rpartition("/")
    plain = f"{folder}{slash}{file.rpartition('.')[0]}.xml"
    return next((path for path in (f"{name}.xml", plain) if path in files), None)


def _image(
    name: str, split: str | None, has_figures: bool | None, path: str | None, files: Mapping[str, ImageFigures | None]
) -> VocImage:
    figures = None if path is None else files[path]
    return VocImage(name, split, figures, figures is not None or (path is None and has_figures is False))
