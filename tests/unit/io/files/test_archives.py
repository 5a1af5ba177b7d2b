"""Zip and tar archives in the place of a folder: what is in them, and what archives of strangers may hold."""

import io
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest

from schemas.errors import BadInput
from schemas.reasons import Reason
from tasks.io.files.folders import Folder
from tasks.io.images.decode import UnreadableImage

FILES = {"Baroque/a.jpg": b"one", "Baroque/é.jpg": b"two", "b.jpg": b"three"}


def zipped(path: Path, files: dict[str, bytes] = FILES, compression: int = zipfile.ZIP_DEFLATED) -> str:
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.mkdir("Baroque")
        for name, data in files.items():
            archive.writestr(name, data)
    return str(path)


def tarred(path: Path, files: dict[str, bytes] = FILES, prefix: str = "./") -> str:
    with tarfile.open(path, "w") as archive:
        archive.addfile(directory(prefix))
        for name, data in files.items():
            member = tarfile.TarInfo(f"{prefix}{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return str(path)


def directory(name: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type = tarfile.DIRTYPE
    return member


@pytest.fixture(params=["a.zip", "A.ZIP", "a.tar"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    pack = tarred if request.param.endswith("tar") else zipped
    return pack(tmp_path / request.param)


def test_an_archive_is_read_as_a_folder(archive: str):
    folder = Folder("images", archive)
    assert [path for path, _ in folder.listing()] == sorted(FILES)
    assert {path: folder.read(path, 10) for path in FILES} == FILES
    assert folder.beginning("b.jpg", 2) == b"th"
    assert dict(folder.listing())["b.jpg"] == folder.validator("b.jpg") is not None
    assert folder.validator("c.jpg") is None


def test_what_is_not_there_or_too_long_has_its_reason(archive: str):
    folder = Folder("images", archive)
    with pytest.raises(UnreadableImage, match=r"no file 'c\.jpg'") as absent:
        folder.read("c.jpg", 10)
    with pytest.raises(UnreadableImage) as long:
        folder.read("b.jpg", 4)
    assert (absent.value.reason, long.value.reason) == (Reason.NOT_FOUND, Reason.TOO_MANY_BYTES)


def test_another_file_in_its_place_is_read_anew(tmp_path: Path):
    before = Folder("images", zipped(tmp_path / "a.zip")).validator("b.jpg")
    after = Folder("images", zipped(tmp_path / "a.zip", {**FILES, "b.jpg": b"other"}))
    assert after.read("b.jpg", 10) == b"other"
    assert after.validator("b.jpg") != before
    assert after.validator("Baroque/a.jpg") is not None


@pytest.mark.parametrize("name", ["../up.jpg", "/abs.jpg", "a/../../up.jpg"])
def test_names_that_lead_out_are_listed_and_never_read(name: str, tmp_path: Path):
    folder = Folder("images", tarred(tmp_path / "a.tar", {name: b"x"}, prefix=""))
    (path,) = (path for path, _ in folder.listing())
    with pytest.raises(UnreadableImage, match="leads out of its folder") as problem:
        folder.read(path, 10)
    assert problem.value.reason == Reason.NOT_ALLOWED


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_are_not_followed(kind: bytes, tmp_path: Path):
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        member = tarfile.TarInfo("a.jpg")
        member.type, member.linkname = kind, "/etc/passwd"
        archive.addfile(member)
    with pytest.raises(UnreadableImage, match=r"'a\.jpg' is no regular file$"):
        Folder("images", str(tmp_path / "a.tar")).read("a.jpg", 10)


def test_a_damaged_member_is_a_drop_and_the_others_stay(tmp_path: Path):
    path = Path(zipped(tmp_path / "a.zip", compression=zipfile.ZIP_STORED))
    path.write_bytes(path.read_bytes().replace(b"three", b"thret", 1))
    folder = Folder("images", str(path))
    with pytest.raises(UnreadableImage, match=r"'b\.jpg' can't be read from its archive \(Bad CRC-32") as problem:
        folder.read("b.jpg", 10)
    assert problem.value.reason == Reason.NOT_FOUND
    assert folder.read("Baroque/a.jpg", 10) == b"one"


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.zip", b"PK no", "File is not a zip file"),
        ("a.tar", b"no", "truncated header"),
        ("a.tar.gz", b"", "its files can't be read one by one: unpack it, or pack it as .zip"),
        ("a.TGZ", b"", "its files can't be read one by one"),
    ],
)
def test_what_can_not_be_read_is_one_sentence(name: str, data: bytes, sentence: str, tmp_path: Path):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BadInput, match=r"^binding 'images': expected a folder, got ") as problem:
        Folder("images", str(tmp_path / name))
    assert sentence in str(problem.value)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name_are_told(tmp_path: Path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.jpg", b"1")
        archive.writestr("a.jpg", b"2")
    with pytest.raises(BadInput, match=r"it has 'a\.jpg' twice"):
        Folder("images", str(tmp_path / "a.zip"))


def test_a_folder_may_be_called_like_an_archive(tmp_path: Path):
    (tmp_path / "a.zip").mkdir()
    (tmp_path / "a.zip/b.jpg").write_bytes(b"1")
    assert [path for path, _ in Folder("images", str(tmp_path / "a.zip")).listing()] == ["b.jpg"]


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_many_threads_read_what_they_asked_for(pack, tmp_path: Path):
    files = {f"{number}.jpg": bytes([number]) * 50_000 for number in range(40)}
    folder = Folder("images", pack(tmp_path / f"a.{'zip' if pack is zipped else 'tar'}", files))
    got: dict[str, bytes] = {}
    threads = [
        threading.Thread(target=lambda name=name: got.__setitem__(name, folder.read(name, 100_000))) for name in files
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == files
