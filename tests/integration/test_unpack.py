"""A release's images as files: what readers of COCO open, resumed, damaged, hostile."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import ExifTags, Image, ImageOps

from flows.cli import main
from schemas.errors import BadInput, BrokenPromise, DamagedFile
from tasks.core.coco import document
from tasks.io.store.layout import blob_path
from tasks.io.store.releases import Release
from tasks.unpack import unpack
from tests.support.desk import Desk, MadeOnce

SPLITS = ("train", "val", "test")


@pytest.fixture(scope="session")
def three(_built: Path, painted: Path, made_once: MadeOnce) -> Path:
    """A store with three releases of the same images: embedded, as files beside the tables, and without."""

    def make(store: Path) -> None:
        (store / "measures").parent.mkdir()
        shutil.copytree(_built / "measures", store / "measures")
        desk = Desk(str(store), painted)
        for name, changes in {
            "embedded": (),
            "media": ("stages.export.parquet.images=none", "stages.export.media=true"),
            "neither": ("stages.export.parquet.images=none",),
        }.items():
            desk.build(*changes)
            shutil.copytree(desk.latest.root, store / name)

    return made_once("museum-160-three-ways", make)


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def rows_of(release: Path) -> list[dict[str, Any]]:
    columns = ["record_id", "image_id", "sha256", "split", "format", "width_px", "height_px"]
    return Release(str(release)).rows("images", columns).to_pylist()


def check_whole(folder: Path, release: Path) -> int:
    """Check each file; how many pictures are turned."""
    rows, turned = rows_of(release), 0
    assert len(rows) > 20
    for row in rows:
        path = folder / row["split"] / f"{row['image_id']}.{document.EXTENSIONS[row['format']]}"
        if path.exists():
            assert hashlib.sha256(path.read_bytes()).hexdigest() == row["sha256"]
            continue
        with Image.open(path.with_suffix(".png")) as picture:
            assert picture.size == (row["width_px"], row["height_px"])
            assert picture.getexif().get(ExifTags.Base.Orientation, 1) == 1
        turned += 1
    for split in SPLITS:
        found = json.loads((folder / f"annotations/{split}.json").read_bytes())
        wanted = json.loads((release / f"coco/{split}.json").read_bytes())
        assert found["annotations"] == wanted["annotations"]
        assert {image["id"] for image in found["images"]} == {row["image_id"] for row in rows if row["split"] == split}
        assert all((folder / split / image["file_name"]).is_file() for image in found["images"])
    assert sum(path.is_file() for path in folder.rglob("*")) == len(rows) + len(SPLITS) + 1
    return turned


@pytest.mark.parametrize("options", [(), ("--links",)], ids=["copied", "linked"])
@pytest.mark.parametrize("kind", ["embedded", "media", "neither"])
def test_images_become_files_wherever_their_bytes_are(
    kind: str, options: tuple[str, ...], three: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    store = ("--store", str(three)) if kind == "neither" else ()
    assert main(["unpack", str(three / kind), str(tmp_path / "out"), *store, *options]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"unpacked: {tmp_path}/out"
    turned = check_whole(tmp_path / "out", three / kind)
    files = [path for split in SPLITS for path in (tmp_path / "out" / split).iterdir()]
    is_linked = bool(options) and kind != "embedded"
    assert sum(path.stat().st_nlink == 2 for path in files) == (len(files) - turned if is_linked else 0)


def test_pictures_that_lie_on_their_side_are_turned_unless_they_should_stay(three: Path, tmp_path: Path):
    release = str(three / "embedded")
    told = unpack(release, str(tmp_path / "upright"))
    turned = check_whole(tmp_path / "upright", three / "embedded")
    assert turned
    assert f"{turned} of them turned upright" in told
    again = unpack(release, str(tmp_path / "upright"))
    assert " written" not in again
    assert f"{turned} of them turned upright" in again
    unpack(release, str(tmp_path / "stored"), is_as_stored=True)
    assert check_whole(tmp_path / "stored", three / "embedded") == 0
    named = {path.stem: path for split in SPLITS for path in (tmp_path / "stored" / split).iterdir()}
    for path in (tmp_path / "upright").glob("*/*.png"):
        with Image.open(path) as got, Image.open(named[path.stem]) as stored:
            assert got.tobytes() == ImageOps.exif_transpose(stored).tobytes()
    with pytest.raises(BadInput, match=r"it holds release .*, pictures as stored"):
        unpack(release, str(tmp_path / "stored"))


def test_torchvision_opens_it(three: Path, tmp_path: Path):
    torchvision = pytest.importorskip("torchvision")
    unpack(str(three / "embedded"), str(tmp_path), ["train"])
    data = torchvision.datasets.CocoDetection(root=tmp_path / "train", annFile=tmp_path / "annotations/train.json")
    assert len(data) == sum(row["split"] == "train" for row in rows_of(three / "embedded"))
    image, boxes = data[0]
    assert image.size[0] > 10
    assert isinstance(boxes, list)


def test_whole_files_are_not_written_again_and_others_are(three: Path, tmp_path: Path):
    release = three / "embedded"
    unpack(str(release), str(tmp_path), ["val"])
    assert json.loads((tmp_path / "unpacked.json").read_text())["splits"].keys() == {"val"}
    whole, torn, gone, *_ = sorted((tmp_path / "val").iterdir())
    torn.write_bytes(torn.read_bytes()[:100])
    gone.unlink()
    (tmp_path / "val/123.png").write_bytes(b"of an image that a purge has removed since")
    written = whole.stat().st_mtime_ns, whole.stat().st_ino
    text = unpack(str(release), str(tmp_path))
    assert (whole.stat().st_mtime_ns, whole.stat().st_ino) == written
    count = len(rows_of(release))
    there = sum(row["split"] == "val" for row in rows_of(release)) - 2
    assert f"{there} there already" in text
    assert f"{count - there} written" in text
    assert "1 removed" in text
    check_whole(tmp_path, release)
    assert json.loads((tmp_path / "unpacked.json").read_text())["splits"].keys() == {*SPLITS}


def test_a_folder_with_other_files_is_refused(three: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "thesis.txt").write_text("x")
    assert main(["unpack", str(three / "embedded"), str(tmp_path)]) == 2
    assert "got" in capsys.readouterr().err
    assert files_of(tmp_path) == {"thesis.txt": b"x"}


def test_bytes_that_are_nowhere_are_asked_of_a_store(three: Path, tmp_path: Path):
    with pytest.raises(BadInput, match="--store: expected the store"):
        unpack(str(three / "neither"), str(tmp_path / "out"))
    with pytest.raises(BadInput, match="--split: expected one of"):
        unpack(str(three / "neither"), str(tmp_path / "out"), ["dev"])


def test_a_damaged_image_is_named_and_all_others_are_there(
    three: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    release = Path(shutil.copytree(three / "media", tmp_path / "release"))
    first, second, *_ = (row for row in rows_of(release))
    for row, data in ((first, b"other bytes"), (second, None)):
        path = release / document.media_path(row["sha256"], row["format"])
        path.unlink()
        if data:
            path.write_bytes(data)
    assert main(["unpack", str(release), str(tmp_path / "out"), "--links"]) == 1
    error = capsys.readouterr().err
    assert first["record_id"] in error
    assert second["record_id"] in error
    assert not (tmp_path / "out/unpacked.json").exists()
    assert len(files_of(tmp_path / "out")) == len(rows_of(release)) - 2 + 1
    assert main(["unpack", str(three / "media"), str(tmp_path / "out")]) == 0
    check_whole(tmp_path / "out", three / "media")


def test_a_damaged_blob_stays_in_the_store(three: Path, tmp_path: Path):
    store = tmp_path / "store"
    shutil.copytree(three / "blobs", store / "blobs")
    row = rows_of(three / "neither")[0]
    (store / blob_path(row["sha256"])).write_bytes(b"other")
    with pytest.raises(BrokenPromise, match=row["record_id"]):
        unpack(str(three / "neither"), str(tmp_path / "out"), store_url=str(store))
    assert (store / blob_path(row["sha256"])).exists()


def hostile(release: Path, **changes: Any) -> None:
    """Give the first image of a release other fields."""
    path = release / Release(str(release)).parts("images")[0]
    table = pq.ParquetFile(path).read()
    rows = table.to_pylist()
    rows[0] |= changes
    schema = table.schema.set(table.schema.get_field_index("split"), pa.field("split", pa.string()))
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)


@pytest.mark.parametrize(
    "changes",
    [
        {"image_id": -7},
        {"image_id": 2**62},
        {"split": "../../elsewhere"},
        {"split": ""},
        {"image": {"bytes": None, "path": "../../../secret"}},
        {"image": {"bytes": None, "path": "/etc/passwd"}},
    ],
    ids=str,
)
def test_nothing_in_a_release_leads_out_of_the_folder(changes: dict[str, Any], three: Path, tmp_path: Path):
    release = Path(shutil.copytree(three / "media", tmp_path / "a/release"))
    hostile(release, **changes)
    with pytest.raises(DamagedFile):
        unpack(str(release), str(tmp_path / "b/c/out"))
    assert {path.name for path in tmp_path.iterdir()} <= {"a", "b"}
    assert {path.name for path in (tmp_path / "b").rglob("*") if path.is_dir()} <= {
        *("c", "out", "annotations", ".unpacking"),
        *SPLITS,
    }


def test_a_hostile_format_is_a_plain_extension(three: Path, tmp_path: Path):
    release = Path(shutil.copytree(three / "embedded", tmp_path / "release"))
    hostile(release, format="../../x/y")
    unpack(str(release), str(tmp_path / "out"))
    assert len([path for path in files_of(tmp_path / "out") if path.endswith(".bin")]) == 1


def test_two_images_of_one_id_are_refused(three: Path, tmp_path: Path):
    release = Path(shutil.copytree(three / "embedded", tmp_path / "release"))
    path = release / Release(str(release)).parts("images")[0]
    table = pq.ParquetFile(path).read()
    hostile(release, image_id=table["image_id"][1].as_py())
    with pytest.raises(DamagedFile, match="each image_id once"):
        unpack(str(release), str(tmp_path / "out"))


def test_a_table_without_the_column_of_images_is_told(three: Path, tmp_path: Path):
    release = Path(shutil.copytree(three / "embedded", tmp_path / "release"))
    path = release / Release(str(release)).parts("images")[0]
    pq.write_table(pq.ParquetFile(path).read().drop_columns("image"), path)
    with pytest.raises(DamagedFile, match="got no column image"):
        unpack(str(release), str(tmp_path / "out"))
