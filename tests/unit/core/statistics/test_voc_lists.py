"""PASCAL VOC's lists: which split an image is in, and who has looked at it."""

import pytest

from schemas.errors import BadInput
from tasks.core.coco.source import ImageFigures
from tasks.core.statistics.voc_lists import images_of_lists, read_list

XML = ImageFigures([])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(b"", {}, id="an empty list"),
        pytest.param(b"\n  \n", {}, id="empty lines"),
        pytest.param(b"-1\n", {"-1": None}, id="a name that looks like a flag"),
        pytest.param(b"000001  1\r\n000002 -1\r\n000003  0\r\n", {"000001": True, "000002": False, "000003": True}),
        pytest.param(b"a b.jpg\n", {"a b.jpg": None}, id="names alone, with blanks"),
        pytest.param("Fès.jpg 1\n".encode(), {"Fès.jpg": True}),
    ],
)
def test_a_line_is_a_name_and_perhaps_whether_it_has_a_figure(text: bytes, expected: dict[str, bool | None]):
    assert read_list("ImageSets/Main/person_val.txt", text) == ("val", expected)


def test_what_is_no_utf_8_is_refused():
    with pytest.raises(BadInput, match=r"person_val.txt: expected a list of images in UTF-8, got other bytes"):
        read_list("person_val.txt", b"caf\xe9 1\n")


def test_who_has_looked():
    lists = [
        read_list("person_train.txt", b"Pop/a.jpg 1\nPop/b.jpg -1\nPop/c.jpg 1\nd -1\ne 1\n"),
        read_list("val.txt", b"f\n"),
    ]
    files = {"Pop/a.jpg.xml": XML, "d.xml": None, "e.xml": XML, "other.xml": XML}
    found = {image.name: (image.split, image.is_seen, image.figures) for image in images_of_lists(lists, files)}
    assert found == {
        "Pop/a.jpg": ("train", True, XML),
        "Pop/b.jpg": ("train", True, None),  # looked at, and nobody found
        "Pop/c.jpg": ("train", False, None),  # somebody is in it, nobody knows where
        "d": ("train", False, None),  # its XML can't be read
        "e": ("train", True, XML),
        "f": ("val", False, None),
        "other": (None, True, XML),
    }


def test_lists_of_several_categories_and_trainval_name_an_image_once():
    lists = [
        read_list("trainval.txt", b"a\nb\n"),
        read_list("dog_train.txt", b"a -1\n"),
        read_list("person_train.txt", b"a 1\n"),
    ]
    found = images_of_lists(lists, {})
    assert [(image.name, image.split, image.is_seen) for image in found] == [
        ("a", "train", False),
        ("b", "trainval", False),
    ]


def test_an_image_in_two_splits_is_refused():
    lists = [read_list("person_train.txt", b"a 1\n"), read_list("person_val.txt", b"a 1\n")]
    with pytest.raises(BadInput, match="expected each image in one split, got 'a' in 'train' and 'val'"):
        images_of_lists(lists, {})
