"""Names of unpacked files: nothing that a release says can lead out of the folder."""

from typing import Any

import pytest

from tasks.core.unpack import check_file_names, check_place, check_source, check_split, file_name, with_file_names


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


@pytest.mark.parametrize(
    "names",
    [
        pytest.param([], id="none"),
        pytest.param(["a.jpg", "b/a.jpg", "b/c/a.jpg", ".hidden", "a b.jpg", "é.jpg"], id="files in folders"),
        pytest.param(["Screenshot at 9.41\u202fAM.png", "a\u00a0b.jpg"], id="blanks that are no U+0020"),
        pytest.param(["\u0645\u06cc\u200c\u062e.jpg"], id="Persian letters that do not join"),
        pytest.param(["x" * 255], id="as long as file systems allow"),
    ],
)
def test_names_of_files_below_a_folder(names: list[str]):
    check_file_names(dict(enumerate(names)))


@pytest.mark.parametrize(
    ("names", "got"),
    [
        pytest.param(["a", "../b"], "'../b', which can be no file", id="out of the folder"),
        pytest.param(["a/../../b"], "no file below a folder", id="out of it by a detour"),
        pytest.param(["/etc/passwd"], "no file below a folder", id="from the root"),
        pytest.param(["a//b"], "no file below a folder", id="an empty folder's name"),
        pytest.param(["a/"], "no file below a folder", id="a folder"),
        pytest.param(["./a"], "no file below a folder", id="one file in two ways"),
        pytest.param([""], "no file below a folder", id="empty"),
        pytest.param(["a\\b"], "no file below a folder", id="a way of Windows"),
        pytest.param(["C:a"], "no file below a folder", id="a drive of Windows"),
        pytest.param(["https://a.example/b.jpg"], "no file below a folder", id="an address"),
        pytest.param(["a\0b"], "no file below a folder", id="NUL"),
        pytest.param(["gpj.\u202ea"], "no file below a folder", id="letters that turn others round"),
        pytest.param(["a\u2028b"], "no file below a folder", id="a line of Unicode's own"),
        pytest.param(["a\nb"], "no file below a folder", id="two lines"),
        pytest.param(["\ud800"], "no file below a folder", id="half a character"),
        pytest.param(["x" * 256], "no file below a folder", id="a long name"),
        pytest.param(["é" * 128], "no file below a folder", id="a long name in bytes"),
        pytest.param(["x/" * 1500 + "x"], "no file below a folder", id="a long path"),
        pytest.param([7], "7, which can be no file", id="a number"),
        pytest.param([None], "None, which can be no file", id="null"),
        pytest.param(["a", "b", "a"], "'a' for 2 images", id="twice"),
        pytest.param(["a/b", "a"], "'a/b' below 'a', which is a file, too", id="a folder that is a file"),
    ],
)
def test_names_that_can_not_be_files_below_one_folder_are_refused(names: list[Any], got: str):
    with pytest.raises(ValueError, match=got):
        check_file_names(dict(enumerate(names)))


def test_a_source_has_a_folder_of_its_own():
    assert check_source("met-2") == "images/met-2"
    for name in ("", "..", "a/b"):
        with pytest.raises(ValueError, match="as no recipe calls one"):
            check_source(name)
