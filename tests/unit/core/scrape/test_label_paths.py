"""Where the text of an image lies."""

import pytest

from schemas.sources.common import Annotations
from tasks.core.scrape.label_paths import is_among_texts, is_picture, text_path

YOLO = Annotations(format="yolo", path="data.yaml")
APART = Annotations(format="yolo", path="data.yaml", labels="boxes")
BELOW = Annotations(format="yolo", path="data.yaml", labels="./boxes/", folder="art/")
NAMED = Annotations(format="yolo", path="labels/classes.txt")
HERE = Annotations(format="yolo", path="data.yaml", labels=".", folder="art")


@pytest.mark.parametrize(
    ("settings", "image", "expected"),
    [
        pytest.param(YOLO, "images/images/a.jpg", "images/labels/a.txt", id="the last of several"),
        pytest.param(YOLO, "images.old/a.jpg", "images.old/a.txt", id="another name"),
        pytest.param(YOLO, "Images/a.jpg", "Images/a.txt", id="another case"),
        pytest.param(YOLO, "images", "images.txt", id="a file of that name"),
        pytest.param(YOLO, "images/a", "labels/a.txt", id="without an extension"),
        pytest.param(YOLO, "train/images/a.b.jpg", "train/labels/a.b.txt", id="as Roboflow lays it out"),
        pytest.param(YOLO, "images/é.jpg", "labels/é.txt", id="with an accent"),
        pytest.param(YOLO, "a.jpg", "a.txt", id="beside it"),
        pytest.param(APART, "images/a.jpg", "boxes/images/a.txt", id="apart"),
        pytest.param(BELOW, "art/x/a.jpg", "boxes/x/a.txt", id="apart, below a folder"),
        pytest.param(BELOW, "artless/a.jpg", None, id="of another folder"),
        pytest.param(HERE, "art/a.jpg", "a.txt", id="in the binding's own folder"),
    ],
)
def test_the_text_of_an_image(settings: Annotations, image: str, expected: str | None):
    assert text_path(settings, image) == expected


@pytest.mark.parametrize(
    ("settings", "path", "expected"),
    [
        (YOLO, "labels/a.txt", True),
        (YOLO, "labels.txt", False),
        (YOLO, "labels/a.json", False),
        (NAMED, "labels/classes.txt", False),
        (APART, "boxes/a.txt", True),
        (APART, "labels/a.txt", False),
        (HERE, "notes.txt", False),
    ],
)
def test_what_lies_as_a_text_of_an_image(settings: Annotations, path: str, expected: bool):
    assert is_among_texts(settings, path) is expected


def test_what_is_called_as_a_picture():
    assert [is_picture(path) for path in ("a.jpg", "a.TIFF", "a.txt", "a", "a.xcf")] == [
        True,
        True,
        False,
        False,
        False,
    ]
