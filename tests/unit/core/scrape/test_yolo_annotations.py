"""Which of YOLO's texts is of which image, with a mapping in place of the folder."""

import io
from typing import Any

import pytest

from schemas.errors import BadInput
from schemas.sources import AnyFileSource
from schemas.sources.common import Annotations
from schemas.sources.folder import FolderSource
from schemas.sources.table import TableSource
from tasks.core.coco.reader import SizePx
from tasks.core.coco.source import FileFigures
from tasks.core.scrape.table_files import UnreadableFile
from tasks.core.scrape.yolo_annotations import read_labels, texts_by_image
from tests.support.keypoints import COCO_17

Files = dict[str, bytes]
FOLDER = FolderSource(name="art", pattern="images/{title}.jpg")
TABLE = TableSource(name="art", table="works.csv", columns={"key": "id", "image": "file"})
YOLO = Annotations(format="yolo", path="data.yaml")
GOOD = b"0 0.5 0.5 0.5 0.5\n"
FILES: Files = {
    "data.yaml": b"names: [person]",
    "images/a.jpg": b"",
    "images/b.jpg": b"",
    "images/c.jpg": b"",
    "labels/a.txt": GOOD,
    "labels/b.txt": b"",
}


def read(
    files: Files,
    settings: Annotations = YOLO,
    source: AnyFileSource = FOLDER,
    locators: list[str] | None = None,
    unreadable: tuple[str, ...] = (),
) -> FileFigures:
    def opened(path: str) -> io.BytesIO | None:
        if path in unreadable:
            raise UnreadableFile(f"'{path}' is a pipe, not a file")
        return io.BytesIO(files[path]) if path in files else None

    def size_of(path: str) -> SizePx:
        if path in unreadable:
            raise UnreadableFile("0 bytes")
        return 40, 20

    locators = [path for path in files if path.endswith(".jpg")] if locators is None else locators
    return read_labels(source, settings, locators, sorted(files), opened, size_of, {"person": COCO_17})


def boxes(found: FileFigures) -> dict[str, list[Any] | None]:
    return {
        path: image.figures and [one["xywh_px"] for one in image.figures] for path, image in found.by_file_name.items()
    }


def test_of_an_image_without_a_text_nothing_is_said():
    assert boxes(read(FILES)) == {"images/a.jpg": [[10, 5, 20, 10]], "images/b.jpg": []}


@pytest.mark.parametrize(
    ("source", "paths", "expected"),
    [
        pytest.param(FOLDER, ["images/a.jpg", "labels/a.TXT"], {}, id="another case"),
        pytest.param(FOLDER, ["images/a.png", "labels/a.txt"], {}, id="no image of the source's"),
        pytest.param(FOLDER, ["images/", "labels/a.txt"], {}, id="a link to a folder"),
        pytest.param(FOLDER, ["images/é.jpg", "labels/é.txt"], {"images/é.jpg": "labels/é.txt"}),
        pytest.param(TABLE, ["x/a", "x/a.txt"], {"x/a": "x/a.txt"}, id="a table calls images as it likes"),
        pytest.param(TABLE, ["data.yaml", "data.txt", "data.jpg"], {"data.jpg": "data.txt", "data.yaml": "data.txt"}),
        pytest.param(FolderSource(name="art", pattern="{title}"), ["a", "a.txt"], {"a": "a.txt"}, id="not its own"),
    ],
)
def test_which_text_is_of_which_image(source: AnyFileSource, paths: list[str], expected: dict[str, str]):
    assert texts_by_image(source, YOLO, paths) == expected


def test_names_of_classes_are_no_text_of_an_image():
    named = Annotations(format="yolo", path="classes.txt")
    assert texts_by_image(TABLE, named, ["classes.jpg", "classes.txt", "a.jpg", "a.txt"]) == {"a.jpg": "a.txt"}


def test_of_two_images_of_one_stem_nobody_knows_whose_text_it_is():
    found = read({**FILES, "images/a.png": b"", "images/b.psd": b"", "images/A.jpg": b""})
    assert boxes(found) == {"images/a.jpg": None, "images/b.jpg": []}
    assert found.details["images/a.jpg"] == (
        "annotation unreadable, so left out: expected a text of one image, got 'labels/a.txt' of 'images/a.jpg', "
        "'images/a.png'"
    )


def test_two_records_that_have_one_text_are_both_unknown():
    settings = Annotations(format="yolo", path="data.yaml")
    files = {**FILES, "labels/a.jpg": b""}
    found = read(files, settings, TABLE)
    assert boxes(found) == {"images/a.jpg": None, "images/b.jpg": [], "labels/a.jpg": None}


def test_one_image_of_two_records_is_one():
    assert boxes(read(FILES, locators=["images/a.jpg", "images/a.jpg"])) == {"images/a.jpg": [[10, 5, 20, 10]]}


def test_what_can_not_be_read_is_unknown_and_told():
    found = read(FILES, unreadable=("labels/b.txt", "images/a.jpg"))
    assert boxes(found) == {"images/a.jpg": None, "images/b.jpg": None}
    assert found.details["images/a.jpg"].endswith("expected an image whose sides can be read, got 0 bytes")
    assert found.details["images/b.jpg"].endswith("got a file that can't be read: 'labels/b.txt' is a pipe, not a file")


def test_an_empty_text_needs_no_sides():
    assert boxes(read(FILES, unreadable=("images/b.jpg",)))["images/b.jpg"] == []


@pytest.mark.parametrize(
    ("files", "changed", "source", "message"),
    [
        pytest.param(
            {**FILES, "labels/a.txt": b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a"},
            {},
            FOLDER,
            r"expected YOLO's text 'labels/a.txt' below binding 'images', got a Git LFS pointer",
            id="a pointer",
        ),
        pytest.param(
            {path: data for path, data in FILES.items() if "labels" not in path},
            {},
            FOLDER,
            "expected YOLO's texts below binding 'images', such as 'labels/a.txt' for 'images/a.jpg', got none of 3; "
            "if they lie elsewhere, set annotations.labels",
            id="no text at all",
        ),
        pytest.param(
            {**{path: data for path, data in FILES.items() if "labels" not in path}, "Labels/b.txt": b""},
            {},
            FOLDER,
            "got none of 3; there is 'Labels/b.txt', which differs in case",
            id="another case",
        ),
        pytest.param(
            FILES, {"labels": "labels", "folder": "art"}, FOLDER, "annotations.folder 'art'.* got none there: 'images/a"
        ),
        pytest.param(
            FILES, {"path": "no.yaml"}, FOLDER, "expected YOLO's names of classes 'no.yaml'.* got no such file"
        ),
        pytest.param(
            {**FILES, "data.yaml": b"names: 7"}, {}, FOLDER, "^source 'art': 'data.yaml': expected names of classes"
        ),
    ],
)
def test_what_all_images_need_is_one_sentence(files: Files, changed: Any, source: AnyFileSource, message: str):
    with pytest.raises(BadInput, match=message):
        read(files, YOLO.model_copy(update=changed), source)


def test_a_file_of_names_that_can_not_be_read():
    with pytest.raises(BadInput, match=r"names of classes 'data.yaml'.*got a file that can't be read"):
        read(FILES, unreadable=("data.yaml",))


def test_images_at_addresses_are_refused_with_what_to_do():
    locators = ["images/a.jpg", "https://museum.example/b.jpg", "HTTP://museum.example/c.jpg"]
    with pytest.raises(BadInput) as refused:
        read(FILES, source=TABLE, locators=locators)
    assert str(refused.value) == (
        "source 'art': expected images in files below binding 'images', since YOLO's boxes are shares of their sides, "
        "got addresses such as 'HTTP://museum.example/c.jpg' (2 in all): download the images and name their files, or "
        "convert the texts to a COCO file"
    )


def test_a_text_is_read_no_further_than_tells_that_it_is_too_long():
    found = read({**FILES, "labels/a.txt": b" " * 20_000_000})
    assert "got more" in found.details["images/a.jpg"]
