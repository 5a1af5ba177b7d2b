"""COCO files through whole builds and back by `unpack`: the same but for order and formatting; and what others load."""

import contextlib
import io
import json
import math
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from pycocotools import mask
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from flows.cli import main
from schemas.errors import BadInput
from tasks.core.scrape.voc_annotations import read_voc
from tasks.unpack import unpack
from tasks.verify import verify
from tests.support.coco_documents import in_order
from tests.support.desk import ROOT
from tests.support.keypoints import NAMES
from tests.support.wall import Wall

pytestmark = pytest.mark.server

CC0 = "https://creativecommons.org/publicdomain/zero/1.0/"
POSE = [10, 12, 2, 14, 12, 1, *[0] * 45]


@pytest.fixture
def wall(tmp_path: Path) -> Wall:
    wall = Wall(tmp_path)
    wall.stages = ["fetch", "hash", {"split": {"by": None}}, {"export": {"media": True}}]
    wall.source = {"annotations": {"format": "coco", "path": "boxes.json"}}
    return wall


def hang(wall: Wall, document: dict[str, Any]) -> None:
    (wall.folder / "images/boxes.json").write_text(json.dumps(document), encoding="utf-8")


def paintings(wall: Wall) -> dict[str, tuple[int, int]]:
    """Size in px of each picture on the wall."""
    sizes = {}
    for path in sorted((wall.folder / "images").glob("*.jpg")):
        with Image.open(path) as image:
            sizes[path.name] = image.size
    return sizes


def odd_document(sizes: dict[str, tuple[int, int]]) -> dict[str, Any]:
    """A file with much that a release has no column for. It has an image that is nowhere, and one without its entry."""
    images: list[dict[str, Any]] = [
        {"id": number, "file_name": name, "width": width, "height": height}
        for number, (name, (width, height)) in enumerate(list(sizes.items())[:-1], -1)
    ]
    images[0] |= {"license": 4, "flickr_url": "http://f/1", "date_captured": "2013-11-14", "metadata": {"a": [1, None]}}
    images[1]["width"] += 1
    images[2]["is_annotated"] = False
    width, height = images[0]["width"], images[0]["height"]
    box: dict[str, Any] = {"image_id": -1, "category_id": "p", "bbox": [8, 10, 20, 30], "iscrowd": 0, "area": 600}
    rle = {"size": [height, width], "counts": [5, 10, width * height - 15]}
    annotations: list[dict[str, Any]] = [
        {**box, "id": 0, "segmentation": [[8, 10, 28, 10, 28, 40.5]], "area": 310.25},
        {**box, "id": -3, "iscrowd": 1, "segmentation": rle, "area": 10},
        {**box, "id": "text", "keypoints": POSE, "num_keypoints": 2, "score": 0.25},
        {**box, "id": "text", "keypoints": [1, 2, 2] * 106, "area": "600"},
        {"image_id": -1, "category_id": 0, "bbox": [1.5, 2, 3, 4]},
        {**box, "image_id": 0, "id": 8, "of": "an image of another size"},
        {**box, "image_id": 1, "id": 9, "of": "an image that nobody has annotated"},
        {**box, "image_id": 2, "id": 10, "bbox": [0, 0, 0, 9], "of": "a box that holds nothing"},
        {**box, "image_id": 2, "id": 11, "iscrowd": False, "x": math.nan},
        {**box, "image_id": 3, "id": 2**70, "huge": 10**30, "deep": [{"a": [True, 1, 1.0]}]},
    ]
    return {
        "info": {"description": "odd", "year": 2023},
        "licenses": [{"id": 4, "name": "CC0", "url": CC0}, {"id": 5, "name": "by", "url": "http://elsewhere"}],
        "categories": [{"id": "p", "name": "person", "keypoints": list(NAMES), "x": 1}, {"id": 0, "name": "person"}],
        "images": images,
        "annotations": annotations,
        "type": "instances",
    }


def given_back(wall: Wall, folder: Path) -> dict[str, Any]:
    unpack(wall.latest.url, str(folder), store_url=wall.store, layout="source")
    found: dict[str, Any] = json.loads((folder / "annotations/m.json").read_bytes())
    return found


def test_an_odd_file_comes_back_as_it_was(wall: Wall, capsys: pytest.CaptureFixture[str]):
    sizes = paintings(wall)
    wanted = odd_document(sizes)
    hang(wall, wanted)
    wall.build()
    assert verify(wall.latest.url, is_deep=True).problems == ()
    out = wall.folder / "out"
    assert main(["unpack", wall.latest.url, str(out), "--layout", "source"]) == 0
    assert "not in the release" not in capsys.readouterr().out
    assert in_order(json.loads((out / "annotations/m.json").read_bytes())) == in_order(wanted)
    for image in wanted["images"]:
        name = image["file_name"]
        assert (out / "images/m" / name).read_bytes() == (wall.folder / "images" / name).read_bytes()
    assert len([*(out / "images/m").iterdir()]) == len(wanted["images"])


def test_the_columns_say_what_they_can(wall: Wall):
    sizes = paintings(wall)
    hang(wall, odd_document(sizes))
    wall.build()
    images = {row["record_id"]: row for row in wall.latest.rows("images", ["record_id", *RIGHTS]).to_pylist()}
    first, *others = (f"m:{name}" for name in sizes)
    assert [images[first][name] for name in RIGHTS] == [CC0, "CC0", "source"]
    assert {images[name]["rights_basis"] for name in others} == {"none"}
    columns = ["record_id", "area_px2", "source_area_px2", "segmentation", "is_crowd"]
    boxes = [row for row in wall.latest.rows("annotations", columns).to_pylist() if row["record_id"] == first]
    assert sorted((row["area_px2"], row["source_area_px2"] or 0, row["is_crowd"]) for row in boxes) == [
        (12, 0, False),
        (600, 10, True),
        (600, 310.25, False),
        (600, 600, False),
        (600, 600, False),
    ]
    splits = wall.latest.rows("images", ["record_id", "split"]).to_pylist()
    split = next(row["split"] for row in splits if row["record_id"] == first)
    shown = wall.latest.read_json(f"coco/{split}.json")["annotations"]
    assert {310.25, 10.0} <= {box["area"] for box in shown}
    assert [[8, 10, 28, 10, 28, 40.5]] in [box.get("segmentation") for box in shown]
    assert any(isinstance(box.get("segmentation"), dict) for box in shown)


RIGHTS = ("rights_uri", "rights_text", "rights_basis")


def test_images_that_are_not_in_the_release_are_counted(wall: Wall):
    sizes = paintings(wall)
    document = odd_document(sizes)
    document["images"].append({"id": 77, "file_name": "nowhere.jpg"})
    document["annotations"].append({"image_id": 77, "category_id": "p", "bbox": [1, 1, 1, 1]})
    document["categories"].append({"id": 9, "name": "unicorn"})
    document["annotations"].append({"image_id": -1, "category_id": 9, "bbox": [1, 1, 1, 1]})
    hang(wall, document)
    wall.build()
    told = unpack(wall.latest.url, str(wall.folder / "out"), layout="source")
    assert "m: 1 image and 2 annotations of 'boxes.json' are not in the release" in told.splitlines()


def test_diff_tells_what_the_file_says_otherwise_of_all_its_images(wall: Wall, capsys: pytest.CaptureFixture[str]):
    document = odd_document(paintings(wall))
    versions = []
    for info in ({"year": 2023}, {"year": 2024}):
        hang(wall, {**document, "info": info})
        wall.build()
        versions.append(f"{wall.store}/releases/wall/{wall.latest.manifest.version}")
    capsys.readouterr()
    assert main(["diff", *versions, "--exit-code"]) == 1
    assert "no record has changed\n\nCOCO files of sources:\n  m: info\n" in capsys.readouterr().out
    assert main(["diff", versions[1], versions[1], "--exit-code"]) == 0


def test_outsiders_compute_the_digest_with_the_new_table(wall: Wall):
    hang(wall, odd_document(paintings(wall)))
    wall.build()
    release = wall.latest
    assert set(release.manifest.content) == {"images", "annotations", "detections", "ledger", "coco_files"}
    script = [sys.executable, "-I", str(ROOT / "tests/support/outsiders_digest.py"), release.root]
    got = subprocess.run(script, capture_output=True, text=True, check=True).stdout.split()
    assert got == [release.manifest.content_sha256, release.manifest.version]


def test_without_a_coco_file_there_is_no_such_table_and_no_such_layout(wall: Wall):
    wall.source = {}
    wall.build()
    assert set(wall.latest.manifest.content) == {"images", "annotations", "detections", "ledger"}
    with pytest.raises(
        BadInput, match=r"^--layout source: expected a release with a source whose annotations came from"
    ):
        unpack(wall.latest.url, str(wall.folder / "out"), layout="source")
    assert not (wall.folder / "out").exists()


def test_what_was_purged_is_gone_from_the_files_that_are_given_back(wall: Wall):
    sizes = paintings(wall)
    wanted = odd_document(sizes)
    hang(wall, wanted)
    wall.build()
    out, gone = wall.folder / "out", wanted["images"][0]["file_name"]
    unpack(wall.latest.url, str(out), layout="source")
    arguments = ["--record", f"m:{gone}", "--reason", "asked"]
    assert main(["purge", "wall", "--store", wall.store, *arguments]) == 0
    assert verify(wall.latest.url).problems == ()
    unpack(wall.latest.url, str(out), layout="source")
    assert not (out / "images/m" / gone).exists()
    assert gone not in (out / "annotations/m.json").read_text()
    assert "http://f/1" not in (out / "annotations/m.json").read_text()
    for path in (out / "annotations/m.json", *Path(wall.latest.root).rglob("*.parquet")):
        assert b"flickr_url" not in path.read_bytes()


# --- real annotations


@pytest.fixture
def gallery(wall: Wall, shared_data: Path) -> tuple[Wall, dict[str, Any]]:
    """Paintings of People-Art with their figures, as the COCO file that PoPArt's authors would have made of them."""
    folder = shared_data / "peopleart"
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for path in (wall.folder / "images").glob("*.jpg"):
        path.unlink()
    xmls = [path for path in sorted(folder.glob("Annotations/**/*.xml")) if painting_of(folder, path).is_file()]
    for xml in xmls[::12]:
        name = painting_of(folder, xml).relative_to(folder / "JPEGImages")
        target = wall.folder / "images" / name
        target.parent.mkdir(exist_ok=True)
        shutil.copy(folder / "JPEGImages" / name, target)
        with Image.open(target) as image:
            width, height = image.size
        images.append({"id": 1000 - len(images), "file_name": str(name), "width": width, "height": height})
        for figure in read_voc(xml.read_bytes(), "exclusive").figures:
            x, y, w, h = figure["xywh_px"]
            annotations.append(
                {
                    "id": 3 * len(annotations),
                    "image_id": images[-1]["id"],
                    "category_id": 1,
                    "bbox": [x, y, w, h],
                    "area": w * h,
                    "segmentation": [[x + w, y, x + w, y + h, x, y + h, x, y]],
                    "iscrowd": False,
                }
            )
    assert len(images) > 20
    categories = [{"id": 1, "name": "person", "supercategory": "person"}]
    document = {"images": images, "annotations": annotations, "categories": categories, "info": {}, "licenses": []}
    hang(wall, document)
    wall.pattern = "{style}/{artist}_{title}.jpg"
    return wall, document


def painting_of(folder: Path, xml: Path) -> Path:
    return folder / "JPEGImages" / xml.relative_to(folder / "Annotations").with_suffix("")


def load(path: Path) -> COCO:
    with contextlib.redirect_stdout(io.StringIO()):
        return COCO(str(path))


def areas(coco: COCO) -> Iterable[int]:
    """How many pixels each outline covers."""
    return (int(mask.area(coco.annToRLE(box))) for box in coco.anns.values())


def test_people_art_comes_back_and_pycocotools_loads_every_layout(gallery: tuple[Wall, dict[str, Any]]):
    wall, wanted = gallery
    wall.build()
    assert verify(wall.latest.url).problems == ()
    out = {layout: wall.folder / layout for layout in ("release", "source", "popart")}
    assert in_order(given_back(wall, out["source"])) == in_order(wanted)
    for layout in ("release", "popart"):
        unpack(wall.latest.url, str(out[layout]), layout=layout)
    counts = {}
    for layout, folder in out.items():
        loaded = [load(path) for path in sorted((folder / "annotations").glob("*.json"))]
        counts[layout] = sum(len(coco.imgs) for coco in loaded), sum(len(coco.anns) for coco in loaded)
        assert all(area > 0 for coco in loaded for area in areas(coco))
    assert set(counts.values()) == {(len(wanted["images"]), len(wanted["annotations"]))}


def test_cocoeval_scores_what_was_unpacked(gallery: tuple[Wall, dict[str, Any]]):
    """Its own boxes as detections are all right; by ids of a release, since COCOeval takes an id of 0 for no match."""
    wall, _ = gallery
    wall.build()
    unpack(wall.latest.url, str(wall.folder / "out"))
    truth = load(wall.folder / "out/annotations/train.json")
    results = [{**box, "score": 0.9} for box in truth.anns.values()]
    assert len(results) > 10
    with contextlib.redirect_stdout(io.StringIO()):
        for kind in ("bbox", "segm"):
            scores = COCOeval(truth, truth.loadRes(results), kind)
            scores.evaluate()
            scores.accumulate()
            scores.summarize()
            assert scores.stats[0] == pytest.approx(1)


def test_popart_has_its_names_and_fields(gallery: tuple[Wall, dict[str, Any]]):
    wall, _ = gallery
    wall.build()
    out = wall.folder / "out"
    told = unpack(wall.latest.url, str(out), layout="popart")
    documents = [json.loads(path.read_bytes()) for path in sorted((out / "annotations").glob("*.json"))]
    splits = [path.stem for path in sorted((out / "annotations").glob("*.json"))]
    for split, document in zip(splits, documents, strict=True):
        names = [image["file_name"] for image in document["images"]]
        assert sorted(names) == sorted(path.name for path in (out / split).iterdir())
        assert all(name.count("_") == 1 for name in names)
        for image in document["images"]:
            with Image.open(out / split / image["file_name"]) as file:
                assert file.size == (image["width"], image["height"])
    assert json.loads((out / "unpacked.json").read_text())["layout"] == "popart"
    assert told.splitlines()[-1] == f"unpacked: {out}"
    with pytest.raises(BadInput, match=r"it holds release .* as 'popart' has it"):
        unpack(wall.latest.url, str(out))
