"""Names of unpacked files: nothing that a release says can lead out of the folder."""

from typing import Any

import pytest

from tasks.core.unpack import check_place, check_split, file_name, with_file_names


@pytest.mark.parametrize("split", ["", ".", "..", "a/b", "/etc", "Train", "a\n", "x" * 64, "annotations", ".unpacking"])
def test_a_split_that_no_recipe_can_have_is_refused(split: str):
    with pytest.raises(ValueError, match="as no recipe calls one"):
        check_split(split)


def test_splits_of_recipes_pass():
    assert [check_split(split) for split in ("train", "val", "gallery-2")] == ["train", "val", "gallery-2"]


@pytest.mark.parametrize("format_name", ["../x", "", "jpg/../..", "SVG"])
def test_an_unknown_format_has_the_plain_extension(format_name: str):
    assert file_name(5, format_name) == "5.bin"


@pytest.mark.parametrize("number", [0, -1, 2**53])
def test_an_id_that_no_release_has_is_refused(number: int):
    with pytest.raises(ValueError, match="where releases have 1 to"):
        file_name(number, "PNG")


def test_only_the_names_of_a_coco_file_change():
    document = {"info": {"a": 1}, "images": [{"id": 7, "file_name": "media/x.png", "width": 3}], "annotations": [{}]}
    assert with_file_names(document, {7: "7.png"}) == {
        **document,
        "images": [{"id": 7, "file_name": "7.png", "width": 3}],
    }


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"images": None},
        {"images": [7]},
        {"images": []},
        {"images": [{"id": 8}]},
        {"images": [{"id": 7}, {"id": 7}]},
        {"images": [{"id": True}]},
        {"images": [{"id": [7]}]},
    ],
)
def test_another_coco_file_is_refused(document: Any):
    with pytest.raises(ValueError, match=r"no list of images|not the 1 of its split"):
        with_file_names(document, {7: "7.png"})


def test_bytes_and_paths_of_images_pass():
    assert check_place({"bytes": b"x", "path": "media/ab/x.png"}) == (b"x", "media/ab/x.png")
    assert check_place({"bytes": None, "path": None}) == check_place({}) == check_place(None) == (None, None)


@pytest.mark.parametrize(
    "image",
    [7, "media/x.png", b"x", {"bytes": "x"}, {"path": 7}, {"path": "../x"}, {"path": "/etc/passwd"}, {"path": "a//b"}],
)
def test_an_image_that_is_somewhere_else_is_refused(image: Any):
    with pytest.raises(ValueError, match="an image"):
        check_place(image)
