"""Layouts of other programs: what stands in them is what the release says, and nothing that nobody has looked at."""

import csv
import hashlib
import io
import json
import pickle
import shutil
import signal
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from PIL import ExifTags, Image

from flows.cli import main
from schemas.errors import BadInput
from schemas.formats import Format
from schemas.layouts import LAYOUTS
from schemas.renditions import Rendition
from tasks.core.artbench import style_folders
from tasks.core.coco.document import EXTENSIONS
from tasks.core.scrape.voc_annotations import read_voc
from tasks.engine.renditions import draw
from tasks.io.files.unpacked import UnpackFolder
from tasks.io.images.decode import picture
from tasks.io.store.releases import Release
from tasks.subjects.layouts.pictures import images_of
from tasks.unpack import unpack
from tests.support.desk import ROOT, MadeOnce
from tests.support.documented import IMAGENET
from tests.support.wall import Wall

SPLITS = ("train", "val", "test")


@pytest.fixture(scope="session")
def museum(_built: Path) -> Release:
    return Release(str(_built / "releases/museum/latest"))


@pytest.fixture(scope="session")
def unpacked(museum: Release, made_once: MadeOnce) -> Path:
    """The museum's release in each layout, in a folder of its name. No test may change it."""

    def make(folder: Path) -> None:
        for layout in ("yolo", "voc", "imagefolder", "cifar", "lsun", "imagenet", "webdataset"):
            unpack(museum.url, str(folder / layout), layout=layout)  # type: ignore[arg-type]
        unpack(museum.url, str(folder / "squares"), layout=Format(layout="imagefolder", side_px=64))

    return made_once("museum-160-layouts", make)


def boxes_of(release: Release, split: str) -> dict[int, list[dict[str, Any]]]:
    """The boxes of each annotated image of a split."""
    document = release.read_json(f"coco/{split}.json")
    found: dict[int, list[dict[str, Any]]] = {image["id"]: [] for image in document["images"]}
    for box in document["annotations"]:
        found[box["image_id"]].append(box)
    return found


def test_yolo_has_a_picture_and_a_text_for_each_annotated_image(museum: Release, unpacked: Path):
    folder = unpacked / "yolo"
    about = yaml.safe_load((folder / "data.yaml").read_text())
    assert about == {**{split: f"images/{split}" for split in SPLITS}, "names": {0: "person"}}
    crowds = 0
    for split in SPLITS:
        expected = boxes_of(museum, split)
        expected = {n: boxes for n, boxes in expected.items() if not boxes or any(not box["iscrowd"] for box in boxes)}
        pictures = {int(path.stem): path for path in (folder / "images" / split).iterdir()}
        texts = {int(path.stem): path.read_text() for path in (folder / "labels" / split).iterdir()}
        assert pictures.keys() == texts.keys() == expected.keys()
        for number, boxes in expected.items():
            with Image.open(pictures[number]) as picture:
                width, height = picture.size
            lines = [[float(word) for word in line.split()] for line in texts[number].splitlines()]
            wanted = [box["bbox"] for box in boxes if not box["iscrowd"]]
            crowds += len(boxes) - len(wanted)
            found = [
                [(x - wide / 2) * width, (y - high / 2) * height, wide * width, high * height]
                for _, x, y, wide, high in lines
            ]
            assert [number for number, *_ in lines] == [0] * len(wanted)
            assert [pytest.approx(box, abs=1e-4) for box in wanted] == found
    assert crowds  # beside other figures


def test_voc_has_a_picture_and_a_file_for_each_annotated_image(museum: Release, unpacked: Path):
    folder = unpacked / "voc"
    pictures = {path.stem: path.name for path in (folder / "JPEGImages").iterdir()}
    seen = 0
    for split in SPLITS:
        expected = boxes_of(museum, split)
        lines = (folder / f"ImageSets/Main/{split}.txt").read_text().split()
        assert {*map(int, lines)} == expected.keys()
        for number, boxes in expected.items():
            text = (folder / f"Annotations/{number}.xml").read_bytes()
            assert f"<filename>{pictures[str(number)]}</filename>".encode() in text
            found = read_voc(text)
            with Image.open(folder / "JPEGImages" / pictures[str(number)]) as picture:
                assert found.size_px == picture.size
            assert [figure["xywh_px"] for figure in found.figures] == [box["bbox"] for box in boxes]
            assert all(figure["category"] == "person" for figure in found.figures)
            seen += 1
    assert seen == len(pictures) == len([*(folder / "Annotations").iterdir()])


def test_torchvisions_imagefolder_sees_the_styles(museum: Release, unpacked: Path):
    torchvision = pytest.importorskip("torchvision")
    rows = museum.rows("images", ["image_id", "split", "style", "height_px", "width_px"]).to_pylist()
    styles = Counter(row["style"] for row in rows)
    for split in SPLITS:
        mine = {row["image_id"]: row for row in rows if row["split"] == split and row["style"]}
        data = torchvision.datasets.ImageFolder(str(unpacked / "imagefolder" / split))
        with (unpacked / f"imagefolder/{split}.csv").open(encoding="utf-8", newline="") as file:
            listed = {int(row["image_id"]): row for row in csv.DictReader(file)}
        assert {int(Path(path).stem) for path, _ in data.samples} == mine.keys() == listed.keys()
        for path, label in data.samples:
            number = int(Path(path).stem)
            with Image.open(path) as picture:
                assert picture.size == (mine[number]["width_px"], mine[number]["height_px"])
            row = listed[number]
            assert row["name"] == Path(path).name
            assert (int(row["width"]), int(row["length"])) == picture.size
            if len(data.classes) == len(styles):
                assert int(row["label"]) == label
    labels = {}
    for split in SPLITS:
        with (unpacked / f"imagefolder/{split}.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                (style,) = {each["style"] for each in rows if each["image_id"] == int(row["image_id"])}
                assert labels.setdefault(int(row["label"]), style) == style
    assert sorted(labels) == [*range(len(styles))]


def square_of(museum: Release, number: int, side_px: int) -> Any:
    """The square of an image of the release, drawn by itself."""
    (data,) = (image.data for image in images_of(museum, SPLITS) if image.image_id == number)
    assert data is not None
    return picture(draw(data, Rendition(side_px=side_px)), side_px**2).pixels()


def members_of(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive}  # type: ignore[union-attr]


def test_squares_are_the_middle_of_each_picture(museum: Release, unpacked: Path):
    paths = sorted((unpacked / "squares").glob("*/*/*"))
    assert len(paths) == museum.manifest.counts["kept"]
    for path in paths[::9]:
        with Image.open(path) as picture:
            assert picture.format == "PNG"
            assert np.array_equal(np.asarray(picture), square_of(museum, int(path.stem), 64))
    with (unpacked / "squares/train.csv").open(encoding="utf-8", newline="") as file:
        assert {(row["length"], row["width"]) for row in csv.DictReader(file)} == {("64", "64")}


def test_torchvisions_cifar10_reads_the_batches(museum: Release, unpacked: Path, tmp_path: Path):
    datasets = pytest.importorskip("torchvision").datasets
    stem = f"museum-{len({row['style'] for row in museum.rows('images', ['style']).to_pylist()})}"
    with tarfile.open(unpacked / f"cifar/{stem}-python.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    folder = f"{stem}-batches-py"

    def listed(*names: str) -> list[list[str]]:
        return [[name, hashlib.md5((tmp_path / folder / name).read_bytes()).hexdigest()] for name in names]

    class ArtBench(datasets.CIFAR10):  # type: ignore[misc, name-defined]  # as the paper's code has it
        base_folder = folder
        train_list = listed(*(f"data_batch_{number}" for number in range(1, 6)))
        test_list = listed("test_batch")
        meta = {"filename": "meta", "key": "styles", "md5": listed("meta")[0][1]}  # noqa: RUF012

    with (unpacked / f"cifar/{stem}.csv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    assert len({(row["split"], row["cifar_index"]) for row in rows}) == len(rows) == museum.manifest.counts["kept"]
    for is_train, split in ((True, "train"), (False, "test")):
        data = ArtBench(str(tmp_path), train=is_train, download=False)
        mine = {int(row["cifar_index"]): row for row in rows if row["split"] == split}
        assert sorted(mine) == [*range(len(data))]
        for place, row in list(mine.items())[::5]:
            picture, label = data[place]
            assert label == int(row["label"])
            assert np.array_equal(np.asarray(picture), square_of(museum, int(row["image_id"]), 32))
    sizes = [len(pickle.loads((tmp_path / folder / name).read_bytes())["labels"]) for name, _ in ArtBench.train_list]
    assert max(sizes) - min(sizes) <= 1
    binaries = members_of(unpacked / f"cifar/{stem}-binary.tar.gz")
    python = pickle.loads((tmp_path / folder / "test_batch").read_bytes())
    binary = np.frombuffer(binaries[f"{stem}-batches-bin/test_batch.bin"], np.uint8).reshape(-1, 3073)
    assert np.array_equal(binary[:, 0], python["labels"])
    assert np.array_equal(binary[:, 1:], python["data"])
    assert binaries[f"{stem}-batches-bin/batches.meta.txt"].decode().split() == data.classes


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # torchvision leaves its list open
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_torchvisions_lsun_reads_each_style(
    museum: Release, unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    lsun = pytest.importorskip("torchvision.datasets.lsun")
    monkeypatch.chdir(tmp_path)  # it writes a list of keys where it is
    rows = museum.rows("images", ["image_id", "split", "style", "width_px", "height_px"]).to_pylist()
    folders = style_folders({row["style"] for row in rows})
    seen = 0
    for split, style in {(row["split"], row["style"]) for row in rows}:
        data = lsun.LSUNClass(str(unpacked / f"lsun/{split}/{folders[style]}_lmdb"))
        mine = [row for row in rows if (row["split"], row["style"]) == (split, style)]
        assert sorted(int(key) for key in data.keys) == sorted(row["image_id"] for row in mine)
        sizes = {row["image_id"]: (row["width_px"], row["height_px"]) for row in mine}
        assert all(data[place][0].size == sizes[int(key)] for place, key in enumerate(data.keys))
        seen += len(data)
    assert seen == len(rows)


def styles_read(museum: Release, folder: Path, split: str) -> None:
    """Hold what ImageFolder reads in a folder of unpacked tars against the release."""
    datasets = pytest.importorskip("torchvision").datasets
    columns = ["image_id", "split", "style", "format", "sha256", "height_px", "width_px"]
    rows = museum.rows("images", columns).to_pylist()
    folders = style_folders({row["style"] for row in rows})
    mine = {f"{folders[row['style']]}_{row['image_id']}": row for row in rows if row["split"] == split}
    data = datasets.ImageFolder(str(folder))
    paths = {Path(path).stem: Path(path) for path, _ in data.samples}
    assert paths.keys() == mine.keys()
    assert len(paths) == len(data.samples)
    turned = 0
    for stem, path in paths.items():
        row = mine[stem]
        assert path.parent.name == folders[row["style"]]
        with Image.open(path) as picture:
            assert picture.size == (row["width_px"], row["height_px"])
            assert path.suffix == (".JPEG" if picture.format == "JPEG" else f".{EXTENSIONS[str(picture.format)]}")
        if hashlib.sha256(path.read_bytes()).hexdigest() != row["sha256"]:
            assert path.suffix == ".png"  # upright now
            turned += 1
    assert turned < len(paths)


def test_torchvision_takes_an_imagenet_apart(
    museum: Release, unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    imagenet = pytest.importorskip("torchvision.datasets.imagenet")
    for split in SPLITS:
        shutil.copy(unpacked / f"imagenet/{split}.tar", tmp_path)
        md5 = hashlib.md5((tmp_path / f"{split}.tar").read_bytes()).hexdigest()
        # it knows the digests of ImageNet's own archives alone
        monkeypatch.setitem(imagenet.ARCHIVE_META, "train", (f"{split}.tar", md5))
        imagenet.parse_train_archive(str(tmp_path), folder=split)
        styles_read(museum, tmp_path / split, split)


def test_the_pages_lines_take_an_imagenet_apart(museum: Release, unpacked: Path, tmp_path: Path):
    (lines,) = IMAGENET
    (tmp_path / "build").mkdir()
    shutil.copytree(unpacked / "imagenet", tmp_path / "build/imagenet")
    subprocess.run(["bash", "-euc", lines.text], cwd=tmp_path, check=True)
    styles_read(museum, tmp_path / "build/imagenet/train", "train")


def test_an_imagenets_list_names_what_is_in_its_tars(museum: Release, unpacked: Path):
    labels: dict[int, str] = {}
    for split in SPLITS:
        tars = {Path(tar).stem: data for tar, data in members_of(unpacked / f"imagenet/{split}.tar").items()}
        assert [*tars] == sorted(tars)
        stems = {}
        for style, data in tars.items():
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                stems |= {Path(name).stem: style for name in archive.getnames()}
        with (unpacked / f"imagenet/{split}.csv").open(encoding="utf-8", newline="") as file:
            rows = [*csv.DictReader(file)]
        assert {row["name"] for row in rows} == stems.keys()
        assert all(row["name"].endswith(f"_{row['image_id']}") for row in rows)
        assert all(labels.setdefault(int(row["label"]), stems[row["name"]]) == stems[row["name"]] for row in rows)
    assert [labels[number] for number in sorted(labels)] == sorted(labels.values())


KILLED = """
import os, signal, sys
from pathlib import Path
from tasks.io.files.tar_files import NestedTar
from tasks.unpack import unpack

add, added = NestedTar.add, []

def add_and_die(self, *words):
    add(self, *words)
    added.append(words)
    if len(added) == 40:
        os.kill(os.getpid(), signal.SIGKILL)

NestedTar.add = add_and_die
unpack(*sys.argv[1:], layout="imagenet")
"""


def test_tars_that_waited_at_a_kill_are_no_part_of_what_follows(museum: Release, unpacked: Path, tmp_path: Path):
    done = subprocess.run([sys.executable, "-c", KILLED, museum.url, str(tmp_path)], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    waiting = {path.name for path in (tmp_path / ".unpacking").iterdir()}
    assert len(waiting) > 5  # beside the receipt and the archive
    unpack(museum.url, str(tmp_path), layout="imagenet")
    there, here = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (unpacked / "imagenet", tmp_path)
    )
    assert here == there


def test_a_webdataset_has_each_image_once_with_what_is_known_of_it(museum: Release, unpacked: Path):
    rows = {row["image_id"]: row for row in museum.rows("images", ["image_id", "split", "style"]).to_pylist()}
    seen = 0
    for split in SPLITS:
        expected = boxes_of(museum, split)
        members = members_of(unpacked / f"webdataset/{split}-000000.tar")
        about = {name: json.loads(data) for name, data in members.items() if name.endswith(".json")}
        for name, known in about.items():
            number = int(name.removesuffix(".json"))
            (picture,) = (data for other, data in members.items() if other.startswith(f"{number}.") and other != name)
            with Image.open(io.BytesIO(picture)) as image:
                assert image.size == (known["width_px"], known["height_px"])
                assert image.getexif().get(ExifTags.Base.Orientation, 1) == 1
            assert (known["split"], known["style"]) == (split, rows[number]["style"])
            drawn = sorted(box["xywh_px"] for box in known["annotations"])
            assert drawn == sorted(box["bbox"] for box in expected[number])
            seen += 1
    assert seen == len(rows)


@pytest.mark.parametrize(("layout", "left"), [("cifar", 1), ("imagenet", 2), ("webdataset", 2)])
def test_what_a_kill_left_is_gone_on_from(
    layout: Any, left: int, museum: Release, unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Killed when the first archive is whole; that one stays as it is."""
    kept = UnpackFolder.keep_archive

    def keep_and_die(self: UnpackFolder, place: str, path: str) -> None:
        kept(self, place, path)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(UnpackFolder, "keep_archive", keep_and_die)
        with pytest.raises(KeyboardInterrupt):
            unpack(museum.url, str(tmp_path), layout=layout)
    (first,) = [path for path in tmp_path.iterdir() if path.name != ".unpacking"]
    before = first.stat()
    told = unpack(museum.url, str(tmp_path), layout=layout)
    assert f"files: {left} archive{'s' * (left > 1)} written" in told
    assert first.stat() == before
    for path in (unpacked / layout).iterdir():
        if path.name != "unpacked.json":
            assert (tmp_path / path.name).read_bytes() == path.read_bytes()
    assert "files: none" in unpack(museum.url, str(tmp_path), layout=layout)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--layout", "cifar", "--split", "val"), "--split: expected none with --layout cifar"),
        (("--layout", "met"), "--layout met: expected a release with the attribute object_id, got attributes none"),
        (("--layout", "yolo", "--light", "linear"), "filter, light: expected a layout whose pictures are drawn anew"),
        (("--layout", "cifar", "--filter", "box", "--light", "linear"), "light: expected linear only with the filter"),
        (("--rights", "libre"), "--rights: expected public_domain, open, all, NOASSERTION or a URI"),
        (("--layout", "yolo", "--side-px", "9"), "unpack: side_px: expected the layout imagefolder, got yolo"),
    ],
)
def test_options_that_a_layout_does_not_have(
    words: tuple[str, ...], said: str, museum: Release, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["unpack", museum.url, str(tmp_path / "out"), *words]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("layout", ["yolo", "voc", "imagefolder", "lsun", "imagenet", "webdataset"])
def test_each_split_by_itself_gives_the_same_files(layout: Any, museum: Release, unpacked: Path, tmp_path: Path):
    for split in ("val", "test", "train"):
        unpack(museum.url, str(tmp_path), [split], layout=layout)
    there = {path.relative_to(unpacked / layout): path for path in (unpacked / layout).rglob("*") if path.is_file()}
    here = {path.relative_to(tmp_path): path for path in tmp_path.rglob("*") if path.is_file()}
    assert here.keys() == there.keys()
    assert all(path.read_bytes() == there[name].read_bytes() for name, path in here.items() if name.stem != "unpacked")


@pytest.mark.parametrize(("layout", "stale"), [("yolo", "labels/train/17.txt"), ("voc", "Annotations/17.xml")])
def test_what_was_said_of_an_image_that_is_gone_goes(
    layout: Any, stale: str, museum: Release, unpacked: Path, tmp_path: Path
):
    shutil.copytree(unpacked / layout, tmp_path / layout)
    (tmp_path / layout / stale).write_text("0 .5 .5 1 1\n")
    told = unpack(museum.url, str(tmp_path / layout), layout=layout)
    assert " written" not in told.replace("written as difficult", "")
    assert not (tmp_path / layout / stale).exists()
    assert sum(path.is_file() for path in (tmp_path / layout).rglob("*")) == sum(
        path.is_file() for path in (unpacked / layout).rglob("*")
    )


@pytest.fixture
def half(tmp_path: Path) -> Wall:
    """A wall of which two pictures are annotated: one with a figure and a crowd, one with nobody."""
    wall = Wall(tmp_path)
    wall.stages = ["fetch", "hash", {"split": {"by": None, "ratios": {"train": 1}}}, {"export": {"media": True}}]
    wall.source = {"annotations": {"format": "coco", "path": "boxes.json"}}
    first, second, *_ = sorted((wall.folder / "images").glob("*.jpg"))
    images = [{"id": number, "file_name": path.name} for number, path in enumerate((first, second), 1)]
    box = {"image_id": 1, "category_id": 1, "iscrowd": 0}
    boxes = [{**box, "id": 1, "bbox": [-5, -5, 15, 15]}, {**box, "id": 2, "bbox": [1, 1, 9, 9], "iscrowd": 1}]
    document = {"images": images, "annotations": boxes, "categories": [{"id": 1, "name": "person"}]}
    (wall.folder / "images/boxes.json").write_text(json.dumps(document), encoding="utf-8")
    wall.build()
    return wall


@pytest.mark.server
@pytest.mark.parametrize(
    ("layout", "told"),
    [
        ("yolo", "train: 1 box of crowds left out, which the format does not know; 1 box cut at the picture's edge"),
        ("voc", "train: 1 box of crowds written as difficult, since VOC knows no crowds"),
    ],
)
def test_a_picture_at_which_nobody_has_looked_is_in_no_layout_with_boxes(layout: Any, told: str, half: Wall):
    out = half.folder / "out"
    lines = unpack(half.latest.url, str(out), layout=layout).splitlines()
    assert "train: 2 images in " in lines[0]
    assert told in lines
    assert len([path for path in out.rglob("*") if path.suffix in {".jpg", ".png"}]) == 2
    assert len([path for path in out.rglob("*") if path.parent.name in {"Annotations", "train"}]) >= 2


@pytest.mark.server
def test_what_a_release_does_not_have_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    wall = Wall(tmp_path)
    wall.stages = ["fetch", "hash", {"split": {"by": None}}, {"export": {"media": True}}]
    wall.build()
    lacks = {"yolo": "people have annotated", "voc": "people have annotated", "imagefolder": "style"}
    for layout, what in lacks.items():
        with pytest.raises(BadInput, match=rf"^--layout {layout}: expected a release .*{what}"):
            unpack(wall.latest.url, str(tmp_path / layout), layout=layout)  # type: ignore[arg-type]
        assert not (tmp_path / layout).exists()
    capsys.readouterr()
    assert main(["unpack", wall.latest.url, str(tmp_path / "x"), "--layout", "yolo"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_page_says_what_each_layout_is_and_loses():
    page = (ROOT / "docs/unpacking.md").read_text(encoding="utf-8")
    for word, layout in LAYOUTS.items():
        assert f"| `{word}` | {layout.what} | {layout.loses or '-'} |" in page
