"""Where YOLO's trainers look for the text of an image (Ultralytics, `img2label_paths`), or where a recipe says so."""

from schemas.sources.common import Annotations

_IMAGES, _LABELS, _TEXT = "images", "labels", ".txt"
_PICTURES = (
    ".jpg",
    ".jpeg",
    ".jpe",
    ".jfif",
    ".png",
    ".bmp",
    ".gif",
    ".webp",
    ".tif",
    ".tiff",
    ".avif",
    ".jp2",
    ".heic",
)
"""What trainers and bilderatlas read."""


def is_picture(path: str) -> bool:
    """Whether a file is called as pictures are on which YOLO is trained.

    >>> is_picture("images/a.JPG"), is_picture("images/a.psd")
    (True, False)
    """
    return path.lower().endswith(_PICTURES)


def stem_of(path: str) -> str:
    """A path without its extension.

    >>> stem_of("a.b/c.d.jpg"), stem_of("a.b/c")
    ('a.b/c.d', 'a.b/c')
    """
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}{name.rpartition('.')[0] or name}"


def text_path(settings: Annotations, image: str) -> str | None:
    """The path at which the text of an image lies, if it has one; None for an image outside of `folder`.

    Of the folders called `images` the last one counts.

    >>> yolo = Annotations(format="yolo", path="data.yaml")
    >>> text_path(yolo, "images/train/a.jpg"), text_path(yolo, "train/a.jpg")
    ('labels/train/a.txt', 'train/a.txt')
    >>> text_path(Annotations(format="yolo", path="data.yaml", folder="art", labels="boxes/"), "art/train/a.jpg")
    'boxes/train/a.txt'
    """
    if settings.labels is not None:
        within = _below(settings.folder or "")
        return f"{_below(settings.labels)}{stem_of(image[len(within) :])}{_TEXT}" if image.startswith(within) else None
    *folders, name = stem_of(image).split("/")
    if _IMAGES in folders:
        place = len(folders) - 1 - folders[::-1].index(_IMAGES)
        folders[place] = _LABELS
    return "/".join([*folders, f"{name}{_TEXT}"])


def is_text(path: str) -> bool:
    """Whether a file is called as texts of images are."""
    return path.endswith(_TEXT)


def is_among_texts(settings: Annotations, path: str) -> bool:
    """Whether a file lies and is called as the text of an image, though no image may belong to it. Beside images, where
    other texts lie, too, none is.

    >>> yolo = Annotations(format="yolo", path="data.yaml")
    >>> is_among_texts(yolo, "labels/train/b.txt"), is_among_texts(yolo, "train/b.txt")
    (True, False)
    """
    if not is_text(path) or path == settings.path:
        return False
    if settings.labels is not None:
        return bool(below := _below(settings.labels)) and path.startswith(below)
    return _LABELS in path.split("/")[:-1]


def _below(folder: str) -> str:
    """A folder as paths of the files in it begin; "" for the binding's own, `.`."""
    plain = folder.removeprefix("./").strip("/")
    return "" if plain in {"", "."} else f"{plain}/"
