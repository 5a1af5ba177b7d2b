"""The campaign that kills `unpack`: what it calls wrong, and that its release has something for every layout."""

import csv
import io
import json
import random
import signal
import sys
import tarfile
from pathlib import Path

import pytest
from PIL import ExifTags, Image

from benchmarks import formats_release
from benchmarks.folder_contents import contents_of, different, digest_of
from benchmarks.formats_kills import RECEIPT, UNFINISHED, Campaign, options_by_layout
from benchmarks.killed import run_until
from schemas.layouts import LAYOUTS

PROGRAM = f"""
import os, pathlib, shutil, sys, time
root = pathlib.Path(sys.argv[1])
beside = root / "{UNFINISHED}"
beside.mkdir(parents=True, exist_ok=True)
(root / "{RECEIPT}").unlink(missing_ok=True)
def write(name, text):
    with (beside / name).open("w") as file:
        for letter in text:
            file.write(letter)
            file.flush()
            time.sleep(0.005)
    (beside / name).replace(root / name)
for number in range(8):
    if not (root / str(number)).exists():
        write(str(number), "abcdefgh")
write("{RECEIPT}", "{{}}")
shutil.rmtree(beside)
"""
IN_PLACE = PROGRAM.replace("(beside / name).open", "(root / name).open").replace("    (beside / name).replace", "    #")


@pytest.mark.parametrize(
    ("program", "said"),
    [
        pytest.param(PROGRAM, "", id="careful"),
        pytest.param(IN_PLACE, "not whole", id="half a file under its name"),
        pytest.param(PROGRAM.replace("for number", f'write("{RECEIPT}", "{{}}")\nfor number'), "a receipt", id="early"),
        pytest.param(PROGRAM.replace('"abcdefgh"', "str(time.time_ns())"), "others or too many", id="a clock"),
        pytest.param(PROGRAM + '(root / f"left {os.getpid()}").touch()', "others or too many", id="too many"),
        pytest.param(PROGRAM.replace('"{}"', "str(os.getpid())"), "another receipt", id="another receipt"),
        pytest.param(PROGRAM.replace("exist_ok=True", "exist_ok=False"), "status 1", id="does not go on"),
    ],
)
def test_what_is_wrong_with_a_program(tmp_path: Path, program: str, said: str, capsys: pytest.CaptureFixture[str]):
    campaign = Campaign(lambda folder: [sys.executable, "-c", program, str(folder)], tmp_path / "x", random.Random(1))
    row = campaign.row(3)
    assert row["kills"] >= 2
    assert row["files"] in {8, 9}
    assert bool(row["wrong"]) == bool(said)
    assert said in capsys.readouterr().out
    assert not (tmp_path / "x").exists()


def test_memory_is_that_of_all_processes():
    child = "import time; held = bytearray(60_000_000); time.sleep(0.6)"
    words = [sys.executable, "-c", f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"]
    ended = run_until(words, lambda _: False)
    assert ended.status == 0
    assert 70 < ended.peak_mb < 130
    killed = run_until(words, lambda seconds: seconds > 0.2)
    assert (killed.status, killed.was_killed) == (-signal.SIGKILL, True)
    assert killed.seconds < 0.6


def _tar(path: Path, data: bytes, clock: int) -> None:
    with tarfile.open(path, "w:gz") as tar:
        for name in ("a", "b"):
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(data), clock
            tar.addfile(member, io.BytesIO(data))


def _lmdb(path: Path, data: bytes, first: bytes) -> None:
    lmdb = pytest.importorskip("lmdb")
    with lmdb.open(str(path), subdir=False, lock=False, map_size=2**20) as file:
        for key in dict.fromkeys((first, b"k", b"l")):
            with file.begin(write=True) as transaction:
                transaction.put(key, data)


@pytest.mark.parametrize("write", [_tar, _lmdb])
def test_archives_are_known_by_what_is_in_them(tmp_path: Path, write):
    name = "a.tar.gz" if write is _tar else "data.mdb"
    folders = [tmp_path / text for text in ("one", "same", "other")]
    for folder, data, how in zip(folders, (b"x" * 5000, b"x" * 5000, b"y" * 5000), (1, 2, 1), strict=True):
        folder.mkdir()
        write(folder / name, data, how if write is _tar else b"kl"[how - 1 : how])
    one, same, other = map(contents_of, folders)
    assert one[name].is_archive
    assert one[name].sha256 != same[name].sha256
    assert digest_of(one) == digest_of(same) != digest_of(other)
    assert different(one, same) == []
    assert different(one, other) == different(one, {}) == [name]


def test_the_release_has_something_for_every_layout(tmp_path: Path):
    formats_release.write_works(tmp_path, 200)
    with (tmp_path / "works.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    document = json.loads((tmp_path / "boxes.json").read_bytes())
    assert len({row["style"] for row in rows} - {""}) >= 8
    assert {row["subject"] for row in rows} == {"exhibit", "photograph"}
    assert any(not row["style"] for row in rows)
    assert any(not row["object_id"] for row in rows)
    orientations, formats = set(), set()
    for row in rows:
        with Image.open(tmp_path / row["image"]) as picture:
            orientations.add(picture.getexif().get(ExifTags.Base.Orientation, 1))
            formats.add(picture.format)
    assert (orientations, formats) == ({1, 6}, {"JPEG", "PNG"})
    looked_at = [image["id"] for image in document["images"] if image.get("is_annotated", True)]
    drawn = {number: [box for box in document["annotations"] if box["image_id"] == number] for number in looked_at}
    assert len(looked_at) < len(document["images"]) < len(rows)
    assert any(not boxes for boxes in drawn.values())
    assert any(boxes and all(box["iscrowd"] for box in boxes) for boxes in drawn.values())
    assert any(box["bbox"][0] < 0 for box in document["annotations"])
    assert any("keypoints" in box for box in document["annotations"])


def test_every_layout_is_unpacked():
    assert {options[1] for options in options_by_layout().values()} == {*LAYOUTS}
