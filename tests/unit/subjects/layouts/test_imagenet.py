"""ImageNet's tar of tars, of a release by hand: what lies where, and what is left out."""

import hashlib
import io
import tarfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from PIL import ExifTags, Image

from schemas.errors import BadInput, BrokenPromise
from schemas.formats import Format
from schemas.tables import IMAGES
from tasks.io.files.unpacked import UnpackFolder
from tasks.io.store.drafts import Draft
from tasks.io.store.releases import Release
from tasks.io.store.store import Store
from tasks.subjects.layouts import imagenet
from tasks.subjects.layouts.filling import fill
from tasks.subjects.layouts.parts import LayoutRequest
from tasks.subjects.layouts.pictures import ImageSource
from tests.support.small_release import manifest

REQUEST = LayoutRequest(Format(layout="imagenet"))


COLUMNS = pa.schema(
    IMAGES.field(name)
    for name in (
        *("record_id", "image_id", "split", "style", "format", "artist", "source_url", "image_url", "rights_uri"),
        *("sha256", "width_px", "height_px", "image"),
    )
)


def picture(file: str, level: int, *, is_sideways: bool = False) -> bytes:
    exif, out = Image.Exif(), io.BytesIO()
    if is_sideways:
        exif[ExifTags.Base.Orientation] = 6
    Image.new("RGB", (9, 6), (level, 0, 0)).save(out, file, exif=exif)
    return out.getvalue()


RED, DARK, PNG = picture("JPEG", 200), picture("JPEG", 40), picture("PNG", 90)
SIDEWAYS = picture("JPEG", 120, is_sideways=True)
# split, image_id, style, format, bytes, in the order of the release: styles in turn, the last style's pictures first
ROWS = [
    ("test", 9, None, "JPEG", RED),
    ("train", 1, "Ukiyo-e", "JPEG", RED),
    ("train", 2, "Art Nouveau (Modern)", "JPEG", DARK),
    ("train", 3, "Ukiyo-e", "PNG", PNG),
    ("train", 4, None, "JPEG", DARK),
    ("train", 5, "Art Nouveau (Modern)", "JPEG", SIDEWAYS),
    ("train", 6, "ukiyo e!", "odd", DARK),
    ("val", 7, "Ukiyo-e", "JPEG", RED),
]
TRAIN = {
    "art_nouveau_modern.tar": {"art_nouveau_modern_2.JPEG": DARK, "art_nouveau_modern_5.JPEG": SIDEWAYS},
    "ukiyo_e_1.tar": {"ukiyo_e_1_1.JPEG": RED, "ukiyo_e_1_3.png": PNG},
    "ukiyo_e_2.tar": {"ukiyo_e_2_6.bin": DARK},
}


def release_of(
    folder: Path, rows: list[tuple[str, int, str | None, str, bytes]], damaged: int | None = None
) -> Release:
    """damaged: the id of an image whose bytes are not those of its SHA-256."""
    with Draft(Store(str(folder / "store"))) as draft:
        for split in sorted({row[0] for row in rows}):
            table = pa.Table.from_pylist(
                [_row(*row, is_damaged=row[1] == damaged) for row in rows if row[0] == split], COLUMNS
            )
            draft.write_parquet(f"images/{split}-00000-of-00001.parquet", [table], COLUMNS)
            draft.write_json(f"coco/{split}.json", {"images": []})
        return Release(draft.publish(manifest(dict(draft.files))))


def _row(split: str, image_id: int, style: str | None, file: str, data: bytes, *, is_damaged: bool) -> dict[str, Any]:
    return {
        "record_id": f"a:{image_id}",
        "image_id": image_id,
        "split": split,
        "style": style,
        "format": file,
        "sha256": hashlib.sha256(data).hexdigest(),
        "width_px": 9,
        "height_px": 6,
        "rights_uri": "NOASSERTION" if image_id % 2 else "https://creativecommons.org/publicdomain/zero/1.0/",
        "image": {"bytes": data + b"x" * is_damaged, "path": None},
    }


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return release_of(tmp_path, ROWS)


def filled(release: Release, folder: Path, *, is_turned: bool = False, request: LayoutRequest = REQUEST) -> list[str]:
    """Fill a folder; what is told."""
    source = ImageSource(release, None, is_linked=False, is_turned=is_turned)
    _, notes = fill(release, source, UnpackFolder(str(folder), {}), imagenet.parts(release, request))
    return notes


def members_of(data: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar}  # type: ignore[union-attr]


def files_of(path: Path) -> dict[str, dict[str, bytes]]:
    """Members of each tar in a tar, in their order."""
    return {name: members_of(data) for name, data in members_of(path.read_bytes()).items()}


def test_each_style_is_a_tar_in_the_tar_of_its_split(release: Release, tmp_path: Path):
    notes = filled(release, tmp_path / "out")
    found = files_of(tmp_path / "out/train.tar")
    assert found == TRAIN
    assert [(tar, [*files]) for tar, files in found.items()] == [(tar, [*files]) for tar, files in TRAIN.items()]
    assert files_of(tmp_path / "out/val.tar") == {"ukiyo_e_1.tar": {"ukiyo_e_1_7.JPEG": RED}}
    assert notes == ["test: 1 image without a style left out", "train: 1 image without a style left out"]
    names = {path.name for path in (tmp_path / "out").iterdir()}  # no archive of a split without a style
    assert names == {"train.tar", "val.tar", "test.csv", "train.csv", "val.csv", "unpacked.json"}


def test_what_is_turned_is_a_png_and_the_list_names_both_alike(release: Release, tmp_path: Path):
    for name, is_turned in (("turned", True), ("as-stored", False)):
        filled(release, tmp_path / name, is_turned=is_turned)
    turned = files_of(tmp_path / "turned/train.tar")["art_nouveau_modern.tar"]
    assert [*turned] == ["art_nouveau_modern_2.JPEG", "art_nouveau_modern_5.png"]
    with Image.open(io.BytesIO(turned["art_nouveau_modern_5.png"])) as upright:
        assert (upright.format, upright.size) == ("PNG", (6, 9))
    lists = [(tmp_path / name / "train.csv").read_text(encoding="utf-8") for name in ("turned", "as-stored")]
    assert lists[0] == lists[1]
    assert [line.split(",")[0] for line in lists[0].splitlines()[1:]] == [
        *("ukiyo_e_1_1", "art_nouveau_modern_2", "ukiyo_e_1_3", "art_nouveau_modern_5", "ukiyo_e_2_6")
    ]


def test_the_bytes_are_the_same_in_another_folder_and_by_each_split_alone(release: Release, tmp_path: Path):
    filled(release, tmp_path / "one")
    for split in ("val", "train"):
        filled(release, tmp_path / "two", request=LayoutRequest(REQUEST.form, [split]))
    for name in ("train.tar", "val.tar", "train.csv", "val.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_style_is_called_the_same_where_others_are_left_out_for_their_rights(release: Release, tmp_path: Path):
    form = Format(layout="imagenet", rights=("public_domain",))
    filled(release, tmp_path / "out", request=LayoutRequest(form))
    expected = {"art_nouveau_modern.tar": ["art_nouveau_modern_2.JPEG"], "ukiyo_e_2.tar": ["ukiyo_e_2_6.bin"]}
    assert {tar: [*files] for tar, files in files_of(tmp_path / "out/train.tar").items()} == expected
    assert not (tmp_path / "out/val.tar").exists()


def test_an_archive_with_a_damaged_image_is_not_written_and_the_others_are(tmp_path: Path):
    release = release_of(tmp_path, ROWS, damaged=2)
    with pytest.raises(BrokenPromise, match=r"got 1 that are damaged or gone: 'a:2' \(expected SHA-256"):
        filled(release, tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"val.tar", ".unpacking"}
    (left,) = [path for path in (tmp_path / "out/.unpacking").iterdir() if path.name != "unpacked.json"]
    assert files_of(left) == {}  # what waited for it is gone


def test_a_release_without_a_style_can_not_be_laid_out_so(tmp_path: Path):
    with pytest.raises(BadInput, match=r"^--layout imagenet: expected a release whose images have a style, got none"):
        imagenet.parts(release_of(tmp_path, ROWS[:1]), REQUEST)
