"""A folder for an unpacked release: whose it is, what is written again, and where nothing is ever written."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import BadInput, Refusal
from tasks.io.files.unpacked import RECEIPT, UnpackFolder, alone

RELEASE = {"name": "small", "version": "0123456789ab"}
DATA = b"an image"
SHA256 = hashlib.sha256(DATA).hexdigest()


def opened(path: Path, **more: Any) -> UnpackFolder:
    return UnpackFolder(str(path), {**RELEASE, **more})


def unpacked(path: Path) -> UnpackFolder:
    folder = opened(path)
    folder.folder("train")
    folder.write("train/1.png", DATA)
    folder.finish({"train": {"images": 1}})
    return folder


def test_the_receipt_is_all_that_is_left_of_the_work(tmp_path: Path):
    unpacked(tmp_path / "new/out")
    found = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert found == ["new/out/train/1.png", "new/out/unpacked.json"]
    assert json.loads((tmp_path / "new/out" / RECEIPT).read_text()) == {**RELEASE, "splits": {"train": {"images": 1}}}


def test_it_goes_on_where_a_run_has_ended_and_its_leftovers_go(tmp_path: Path):
    first = opened(tmp_path)
    first.folder("train")
    first.write("train/1.png", DATA)
    (tmp_path / ".unpacking/0123").write_bytes(b"half")
    again = opened(tmp_path)
    assert again.has("train/1.png", SHA256)
    assert not again.has("train/1.png", "0" * 64)
    assert not (tmp_path / ".unpacking/0123").exists()
    assert not (tmp_path / RECEIPT).exists()


def test_a_run_that_ended_before_its_first_file_leaves_no_obstacle(tmp_path: Path):
    (tmp_path / ".unpacking").mkdir()
    assert opened(tmp_path).splits == {}


def test_splits_of_an_earlier_run_stay_in_the_receipt(tmp_path: Path):
    unpacked(tmp_path)
    again = opened(tmp_path)
    again.finish({"val": {"images": 0}})
    assert json.loads((tmp_path / RECEIPT).read_text())["splits"].keys() == {"train", "val"}


def test_another_folder_is_refused_and_stays(tmp_path: Path):
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(BadInput, match=r"can be filled, got .* other files, such as 'thesis"):
        opened(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_another_release_is_refused(tmp_path: Path):
    unpacked(tmp_path)
    with pytest.raises(BadInput, match="it holds release '0123456789ab' of 'small'"):
        opened(tmp_path, version="ffffffffffff")
    assert (tmp_path / RECEIPT).exists()


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, "{}"])
def test_a_receipt_that_is_none_is_refused(tmp_path: Path, text: str):
    (tmp_path / RECEIPT).write_text(text)
    with pytest.raises(BadInput, match="unpack: expected a folder"):
        opened(tmp_path)


@pytest.mark.parametrize("path", ["s3://bucket/out", "\0"])
def test_what_is_no_local_folder_is_refused(path: str):
    with pytest.raises(BadInput, match="unpack: expected a folder"):
        UnpackFolder(path, RELEASE)


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path):
    (tmp_path / "out").write_text("x")
    with pytest.raises(BadInput, match="unpack: expected a folder"):
        opened(tmp_path / "out")


@pytest.mark.parametrize("name", ["train", ".unpacking"])
def test_nothing_is_written_through_a_link(tmp_path: Path, name: str):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    unpacked(tmp_path / "out")
    if (tmp_path / "out" / name).exists():
        (tmp_path / "out/train/1.png").unlink()
        (tmp_path / "out/train").rmdir()
    (tmp_path / "out" / name).symlink_to(elsewhere)
    with pytest.raises(BadInput, match="got a link or a file"):
        opened(tmp_path / "out").folder(name)
    assert list(elsewhere.iterdir()) == []


def test_a_link_in_the_place_of_a_file_gives_way(tmp_path: Path):
    other = tmp_path / "other.png"
    other.write_bytes(DATA)
    folder = opened(tmp_path / "out")
    folder.folder("train")
    (tmp_path / "out/train/1.png").symlink_to(other)
    assert not folder.has("train/1.png", SHA256)
    folder.write("train/1.png", b"mine")
    assert other.read_bytes() == DATA
    assert not (tmp_path / "out/train/1.png").is_symlink()


def test_hard_links_are_made_of_intact_files_alone(tmp_path: Path):
    source = tmp_path / "source.png"
    source.write_bytes(DATA)
    (tmp_path / "link.png").symlink_to(source)
    folder = opened(tmp_path / "out")
    folder.folder("train")
    assert not folder.link("train/1.png", str(source), "0" * 64)
    assert not folder.link("train/1.png", str(tmp_path / "gone"), SHA256)
    assert not folder.link("train/1.png", str(tmp_path / "link.png"), SHA256)
    assert folder.link("train/1.png", str(source), SHA256)
    assert folder.link("train/1.png", str(source), SHA256)  # a second time
    assert (tmp_path / "out/train/1.png").samefile(source)
    assert [path.name for path in (tmp_path / "out/.unpacking").iterdir()] == [RECEIPT]


def test_images_that_the_release_no_longer_has_go_and_nothing_else(tmp_path: Path):
    folder = opened(tmp_path)
    folder.folder("train")
    for name in ("1.png", "2.jpg", "notes.txt"):
        folder.write(f"train/{name}", DATA)
    assert folder.remove_others("train", {"1.png"}) == 1
    assert sorted(path.name for path in (tmp_path / "train").iterdir()) == ["1.png", "notes.txt"]


def test_an_archive_that_a_kill_left_goes_when_others_are_expected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = opened(tmp_path)
    folder.expect_archives("train", {"train.tar": "of two images"})
    place = folder.beside()
    Path(place).write_bytes(b"two images")
    rename = Path.replace

    def rename_and_die(path: Path, target: Path) -> None:
        rename(path, target)
        if target.name == "train.tar":
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", rename_and_die)
        with pytest.raises(KeyboardInterrupt):
            folder.keep_archive(place, "train.tar")
    again = opened(tmp_path)
    again.expect_archives("train", {})  # both were purged meanwhile
    assert not (tmp_path / "train.tar").exists()


def test_two_do_not_fill_one_folder(tmp_path):
    folder = str(tmp_path / "a/b")
    with alone(folder):
        with pytest.raises(Refusal, match="another unpack at work"), alone(folder):
            pass
        with alone(str(tmp_path / "other")):
            pass
    with alone(folder):
        pass


def test_a_place_that_can_be_no_folder_is_passed_over(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    for path in (str(tmp_path / "file"), "s3://bucket/x", "a\0b"):
        with alone(path):
            pass
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


# --- files of any name


def named(path: Path, *names: str) -> UnpackFolder:
    """A folder in which files of these names were written, and nothing finished."""
    folder = opened(path, layout="source")
    folder.expect("images/a", names)
    for name in names:
        folder.write(f"images/a/{name}", DATA)
    return folder


def test_files_of_any_name_lie_in_folders_of_their_own(tmp_path: Path):
    folder = named(tmp_path, "x/y/z.jpg", "x/w.jpg", "7.jpg")
    assert folder.has("images/a/x/y/z.jpg", SHA256)
    assert folder.remove_others("images/a", ["x/y/z.jpg", "x/w.jpg", "7.jpg"]) == 0
    folder.finish({})
    receipt = json.loads((tmp_path / RECEIPT).read_text())
    assert receipt == {
        **RELEASE,
        "layout": "source",
        "splits": {},
        "files": ["images/a/x/w.jpg", "images/a/x/y/z.jpg"],
    }


@pytest.mark.parametrize("is_finished", [True, False], ids=["finished", "interrupted"])
def test_files_that_are_no_longer_expected_go(tmp_path: Path, *, is_finished: bool):
    first = named(tmp_path, "x/old.jpg", "5.jpg", "x/kept.jpg")
    if is_finished:
        first.finish({})
    again = opened(tmp_path, layout="source")
    again.expect("images/a", ["x/kept.jpg"])
    assert again.remove_others("images/a", ["x/kept.jpg"]) == 2
    again.finish({})
    assert [path.name for path in (tmp_path / "images").rglob("*.jpg")] == ["kept.jpg"]
    assert json.loads((tmp_path / RECEIPT).read_text())["files"] == ["images/a/x/kept.jpg"]


def test_notes_of_somebody_else_remove_nothing_outside(tmp_path: Path):
    out, other = tmp_path / "out", tmp_path / "other"
    named(out, "x/y.jpg").finish({})
    other.mkdir()
    (other / "y.jpg").write_bytes(DATA)
    (out / "images/a/link").symlink_to(other)
    receipt = json.loads((out / RECEIPT).read_text())
    notes = ["../../other/y.jpg", "link/y.jpg", "../../../other/y.jpg", "", ".", 7]
    receipt["files"] = [f"images/a/{note}" for note in notes] + [7, None]
    (out / RECEIPT).write_text(json.dumps(receipt))
    again = opened(out, layout="source")
    assert again.remove_others("images/a", []) == 0
    assert (other / "y.jpg").read_bytes() == DATA


def test_another_layout_of_the_same_release_is_refused(tmp_path: Path):
    named(tmp_path, "x.jpg").finish({})
    for more in ({}, {"layout": "popart"}):
        with pytest.raises(BadInput, match=r"it holds release '0123456789ab' of 'small', as 'source' has it"):
            opened(tmp_path, **more)


def test_a_folder_of_a_name_that_is_a_link_is_refused(tmp_path: Path):
    folder = opened(tmp_path / "out", layout="source")
    (tmp_path / "out/images").symlink_to(tmp_path)
    with pytest.raises(BadInput, match="expected a folder of its own"):
        folder.expect("images/a", ["x.jpg"])


def test_of_what_stands_there_of_each_image_that_of_other_parts_stays(tmp_path: Path):
    folder = opened(tmp_path, layout="voc")
    for number in (5, 6, 7):
        folder.write_below(f"a/b/{number}.xml", DATA)
    folder.write_below("head.txt", DATA)
    assert folder.remove_others("a/b", ["7.xml"], ["6"]) == 1
    assert sorted(path.name for path in (tmp_path / "a/b").iterdir()) == ["6.xml", "7.xml"]
    assert (tmp_path / "head.txt").read_bytes() == DATA


@pytest.mark.parametrize("place", ["../x.jpg", "a/../../x.jpg", "a//x.jpg", "/x/y.jpg", "./x.jpg"])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, place: str):
    folder = opened(tmp_path / "out", layout="met")
    with pytest.raises(AssertionError, match="expected a folder below the one that is filled"):
        folder.write_below(place, DATA)
    with pytest.raises(AssertionError, match="expected a folder below the one that is filled"):
        folder.expect("a", [place])
    assert not [*tmp_path.rglob("x.jpg")]
