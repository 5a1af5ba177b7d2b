"""The lines of docs/reading.md, each run by its reader: all of them see the same release."""

import json
import os
import re
import shlex
import shutil
import subprocess
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from tasks.core.coco.source import read_figures
from tasks.core.scrape.voc_annotations import read_voc
from tasks.io.store.releases import Release
from tasks.unpack import unpack
from tests.support.desk import ROOT
from tests.support.reader_places import PYTHON, Place
from tests.support.reading import facts, upright

PAGE = (ROOT / "docs/reading.md").read_text(encoding="utf-8")


class Reader(NamedTuple):
    """heading: of its section. blocks: which of its blocks. afterwards: code that tells what the lines have read."""

    heading: str
    environment: str
    afterwards: str
    blocks: tuple[int, ...] = (0,)


TABLES = [
    Reader(
        "pandas",
        "ours",
        """
        rows = [(row.split, row.image_id, row.image["bytes"]) for row in images.itertuples()]
        tell(rows, images.columns, len(boxes), [(picture, rows[0][2], True)])
        """,
    ),
    Reader(
        "DuckDB",
        "ours",
        """
        rows = duckdb.sql("SELECT split, image_id, image.bytes FROM images").fetchall()
        assert sum(count for _, count in styles.fetchall()) == len(boxes)
        tell(rows, images.columns, len(boxes))
        """,
    ),
    Reader(
        "pyarrow.dataset",
        "ours",
        """
        rows = [(row["split"], row["image_id"], row["image"]["bytes"]) for row in images.to_table().to_pylist()]
        assert styles.num_rows == len(rows)
        tell(rows, images.schema.names, len(boxes))
        """,
    ),
    Reader(
        "polars",
        "readers",
        """
        rows = [(row["split"], row["image_id"], row["image"]["bytes"]) for row in images.iter_rows(named=True)]
        assert first == rows[0][2]
        tell(rows, images.columns, len(boxes))
        """,
    ),
    Reader(
        "Daft",
        "readers",
        """
        found = images.select("split", "image_id", "image").to_pydict()
        rows = list(zip(found["split"], found["image_id"], [image["bytes"] for image in found["image"]]))
        total = sum(styles.to_pydict()["image_id"])
        assert total == boxes.count_rows()
        tell(rows, images.column_names, total)
        """,
    ),
    Reader(
        "Dask",
        "readers",
        """
        found = images.compute()
        rows = [(row.split, row.image_id, row.image["bytes"]) for row in found.itertuples()]
        unknown = boxes.merge(images[["image_id", "style"]])["style"].isna().sum().compute()
        assert styles.compute().sum() == len(boxes) - unknown
        tell(rows, images.columns, len(boxes))
        """,
    ),
    Reader(
        "fastparquet",
        "readers",
        """
        rows = list(zip(images["split"], images["image_id"], images["image.bytes"]))
        assert first == rows[0][2]
        tell(rows, images.columns, len(boxes))
        """,
    ),
    Reader(
        "Hugging Face datasets",
        "readers",
        """
        from datasets import Image
        raw = images.cast_column("image", Image(decode=False))
        rows = [(split, row["image_id"], row["image"]["bytes"]) for split in raw for row in raw[split]]
        assert all(row["split"] == split for split in raw for row in raw[split].remove_columns("image"))
        ends = [(split, place) for split in raw if len(raw[split]) for place in (0, -1)]
        pictures = [(images[split][place]["image"], raw[split][place]["image"]["bytes"], True) for split, place in ends]
        pictures += [(picture, raw["train"][0]["image"]["bytes"], True)]
        for row in raw["train"].remove_columns("image"):
            assert row["style"] == (None if row["style_label"] is None else styles[row["style_label"]])
        assert person == 0 and set(boxes["category_label"]) == {0} and set(boxes["category_id"]) == {1}
        import pyarrow.parquet as pq
        from datasets import Features, load_dataset_builder
        from glob import glob
        from huggingface_hub import DatasetCard
        card = DatasetCard.load(f"{release}/README.md")  # the validator itself asks the hub
        assert card.data.task_categories and card.data.size_categories and card.text.lstrip().startswith("# ")
        for info in card.data.dataset_info:
            table = info["config_name"]
            known, files = load_dataset_builder(release, table).info, sorted(glob(f"{release}/{table}/*.parquet"))
            assert known.features == Features.from_arrow_schema(pq.read_schema(files[0])), table
            counts = {name: split.num_examples for name, split in known.splits.items()}
            assert sum(counts.values()) == sum(pq.read_metadata(path).num_rows for path in files), table
        tell(rows, images["train"].column_names, len(boxes), pictures)
        """,
    ),
    Reader(
        "mlcroissant",
        "readers",
        """
        found = list(images)
        picture_of = [row["images/image"].fp.getvalue() for row in found]
        rows = [(row["images/split"].decode(), row["images/image_id"], data) for row, data in zip(found, picture_of)]
        columns = [name.removeprefix("images/") for name in found[0]]
        split_of = [row["annotations/split"] for row in boxes]
        assert [row["images/image_id"] for row in train] == [row[1] for row in rows if row[0] == "train"]
        tell(rows, columns, split_of.count(b"train"), [(picture, rows[0][2], False)])
        """,
    ),
    Reader(
        "mlcroissant",
        "readers",
        """
        found = list(dataset.records("images"))
        picture_of = [row["images/image"].fp.getvalue() for row in found]
        rows = [(row["images/split"].decode(), row["images/image_id"], data) for row, data in zip(found, picture_of)]
        keys = {name.split("/")[2]: count for name, count in counts.items() if name.startswith("files/images/")}
        assert sum(keys.values()) == counts["images"] == len(rows)
        boxes = sum(count for name, count in counts.items() if name.startswith("files/annotations/train-"))
        tell(rows, [name.removeprefix("images/") for name in found[0]], boxes)
        """,
        blocks=(1,),
    ),
]
PROMISED = Reader("Is it what was promised?", "ours", "print('{}')")
LOADER = Reader(
    "PyTorch DataLoader",
    "ours",
    """
    from torchvision.transforms.v2.functional import to_pil_image
    whole = pq.read_table(f"{release}/images", filters=[("split", "==", "train")]).to_pylist()
    assert sum(len(pictures) for pictures, _ in loader) == len(whole)
    ends = [whole[0], whole[-1]]
    pictures = [(to_pil_image(each), row["image"]["bytes"], True) for each, row in zip(to_tensors(ends)[0], ends)]
    tell([("train", row["image_id"], row["image"]["bytes"]) for row in whole], pictures=pictures)
    """,
)
UNPACKED = [
    Reader(
        "pycocotools",
        "ours",
        """
        from pathlib import Path
        assert people and set(people) <= set(coco.getAnnIds())
        names = {each["id"]: each["file_name"] for each in COCO("unpacked/annotations/train.json").dataset["images"]}
        tell_unpacked([("train", each, Path("unpacked/train", names[each]).read_bytes()) for each in coco.getImgIds()])
        """,
    ),
    Reader(
        "torchvision CocoDetection",
        "ours",
        """
        from pathlib import Path
        assert len(list(train)) == len(train.ids)
        assert all(box["image_id"] == train.ids[0] for box in boxes)
        names = [Path("unpacked/train", train.coco.loadImgs(each)[0]["file_name"]) for each in train.ids]
        rows = [("train", each, path.read_bytes()) for each, path in zip(train.ids, names)]
        tell_unpacked(rows, [(picture, rows[0][2], False), (train[len(train) - 1][0], rows[-1][2], False)])
        """,
    ),
    Reader(
        "torchvision CocoDetection",
        "ours",
        """
        import json
        from pathlib import Path
        from PIL import ImageOps
        document = json.loads(Path("unpacked/annotations/train.json").read_text())
        mine = {image["id"]: [] for image in document["images"]}
        for box in document["annotations"]:
            mine[box["image_id"]].append(box)
        names = {image["id"]: image["file_name"] for image in document["images"]}
        for place, number in enumerate(mirrored.ids):
            picture, target = mirrored[place]
            width, given = picture.width, [box["bbox"] for box in mine[number]]
            expected = [[width - x - w, y, width - x, y + h] for x, y, w, h in given]
            assert target["image_id"] == number
            got = target["boxes"].tolist() if given else []
            assert len(got) == len(expected)
            assert all(abs(a - b) < 0.01 for one, two in zip(got, expected) for a, b in zip(one, two))
            assert (target["labels"].tolist() if mine[number] else []) == [box["category_id"] for box in mine[number]]
        paths = [Path("unpacked/train", names[number]) for number in mirrored.ids]
        rows = [("train", number, path.read_bytes()) for number, path in zip(mirrored.ids, paths)]
        tell_unpacked(rows, [(ImageOps.mirror(mirrored[0][0]), rows[0][2], False)])
        """,
        blocks=(0, 1),
    ),
    Reader(
        "supervision",
        "readers",
        """
        import json
        from pathlib import Path
        document = json.loads(Path("unpacked/annotations/train.json").read_text())
        numbers = {image["file_name"]: image["id"] for image in document["images"]}
        expected = {name: 0 for name in numbers}
        for box in document["annotations"]:
            expected[{number: name for name, number in numbers.items()}[box["image_id"]]] += 1
        assert train.classes == [entry["name"] for entry in document["categories"]]
        assert {Path(path).name: len(found) for path, _, found in train} == expected
        tell_unpacked([("train", numbers[Path(path).name], Path(path).read_bytes()) for path, _, _ in train])
        """,
    ),
    Reader(
        "Datumaro",
        "datumaro",
        """
        import json
        from pathlib import Path
        document = json.loads(Path("unpacked/annotations/train.json").read_text())
        numbers = {Path(each["file_name"]).stem: each["id"] for each in document["images"]}
        expected = {number: [] for number in numbers.values()}
        for box in document["annotations"]:
            expected[box["image_id"]].append([*box["bbox"], "person"])
        for tool in (train, datumaro.Dataset.import_from("cvat", "cvat")):
            words = tool.categories()[datumaro.AnnotationType.label]
            found = {}
            for item in tool:
                shapes = [shape for shape in item.annotations if type(shape).__name__ == "Bbox"]
                found[numbers[item.id]] = [[*shape.get_bbox(), words[shape.label].name] for shape in shapes]
            assert found.keys() == expected.keys()
            for number, boxes in expected.items():
                assert [word for *_, word in sorted(found[number])] == [word for *_, word in sorted(boxes)]
                pairs = zip(sorted(found[number]), sorted(boxes), strict=True)
                assert all(abs(a - b) < 0.01 for one, two in pairs for a, b in zip(one[:4], two[:4]))
        rows = [("train", numbers[item.id], Path(item.media.path).read_bytes()) for item in train]
        tell_unpacked(rows)
        """,
    ),
    Reader(
        "FiftyOne",
        "readers",
        """
        from pathlib import Path
        tell_unpacked([("train", labels["coco_id"], Path(path).read_bytes()) for path, _, labels in samples])
        """,
        blocks=(1,),
    ),
]
"""Readers of files, whose lines open train alone, in an order of their own."""
DATABASE = Reader(
    "FiftyOne",
    "readers",
    """
    from pathlib import Path
    tell_unpacked([("train", Path(each.filepath).stem, Path(each.filepath).read_bytes()) for each in dataset])
    """,
)


def blocks(text: str) -> list[str]:
    """The Python code of a section."""
    return re.findall(r"```python\n(.*?)```", text, re.S)


HEAD, *SECTIONS = PAGE.split("\n## ")
BLOCKS = {section.partition("\n")[0]: blocks(section) for section in SECTIONS}


def seen_by(reader: Reader, place: Place, home: Path) -> dict[str, Any]:
    """What a reader says that it has read, by the page's own lines."""
    python = PYTHON[reader.environment]
    assert python.exists(), "expected the readers' environment, got none: make test-readers"
    end = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom tests.support.reading import tell, tell_unpacked\n"
    lines = [BLOCKS[reader.heading][place] for place in reader.blocks]
    code = "\n".join([*blocks(HEAD), *lines, end, textwrap.dedent(reader.afterwards)])
    variables = {"HOME": str(home), "HF_HOME": str(home), "HF_HUB_OFFLINE": "1", "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [python, "-c", code], cwd=place.folder, env=variables, capture_output=True, text=True, check=False
    )
    if "MongoDB could not be installed" in done.stderr:
        pytest.skip("not run: there is no MongoDB")
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])  # pycocotools talks
    return seen


def expected_of(release: Release) -> dict[str, Any]:
    """What its files hold, in their order, read one by one."""
    tables = [pq.ParquetFile(f"{release.url}/{path}").read() for path in release.parts("images")]
    rows = [
        (row["split"], row["image_id"], row["image"]["bytes"])
        for table in tables
        for row in table.select(["split", "image_id", "image"]).to_pylist()
    ]
    boxes = [
        pq.ParquetFile(f"{release.url}/{path}").metadata for path in release.parts("annotations") if "/train-" in path
    ]
    found: dict[str, Any] = json.loads(
        json.dumps(facts(rows, tables[0].column_names, sum(each.num_rows for each in boxes)))
    )
    return found


def annotated_of(release: Release) -> list[tuple[str, int, bytes]]:
    """The annotated images of train."""
    parts = (pq.ParquetFile(f"{release.url}/{path}").read() for path in release.parts("images") if "/train-" in path)
    rows = [row for table in parts for row in table.select(["split", "image_id", "is_annotated", "image"]).to_pylist()]
    return [(row["split"], row["image_id"], row["image"]["bytes"]) for row in rows if row["is_annotated"]]


def marks(reader: Reader, dataset: str) -> list[pytest.MarkDecorator]:
    """What `make test` leaves to `make test-readers`: other environments, other releases, and what imports torch."""
    is_quick = reader.environment == "ours" and dataset == "museum" and "torch" not in reader.heading.lower()
    return [] if is_quick else [pytest.mark.readers]


def of_both(readers: list[Reader]) -> list[Any]:
    return [
        pytest.param(
            reader, dataset, marks=marks(reader, dataset), id=f"{reader.heading}-{len(reader.blocks)}-{dataset}"
        )
        for dataset in ("museum", "peopleart")
        for reader in readers
    ]


@pytest.mark.parametrize(("reader", "place"), of_both(TABLES), indirect=["place"])
def test_each_reader_of_tables_sees_the_same_rows_columns_and_images(reader: Reader, place: Place, tmp_path: Path):
    seen = seen_by(reader, place, tmp_path)
    assert seen.pop("pictures").keys() <= {"same"}
    assert seen == expected_of(place.release)


@pytest.mark.parametrize(("reader", "place"), of_both([LOADER]), indirect=["place"])
def test_a_reader_of_a_split_sees_the_same_images(reader: Reader, place: Place, tmp_path: Path):
    seen = seen_by(reader, place, tmp_path)
    assert seen["pictures"].keys() <= {"same"}
    assert seen["images"]["train"] == expected_of(place.release)["images"]["train"]


@pytest.mark.parametrize(("reader", "place"), of_both([*UNPACKED, DATABASE]), indirect=["place"])
def test_each_reader_of_files_sees_the_annotated_images_upright(reader: Reader, place: Place, tmp_path: Path):
    seen = seen_by(reader, place, tmp_path)
    assert seen["pictures"].keys() <= {"same"}
    expected = upright(annotated_of(place.release))
    assert seen["upright"].keys() == expected.keys()
    for image, (sha256, *size) in expected.items():
        found, *found_size = seen["upright"][image]
        assert found_size == size
        assert found is not None  # it is upright
        assert sha256 in {None, found}  # and as it came, if it came so


def test_its_files_have_the_promised_types(museum_place: Place, tmp_path: Path):
    seen_by(PROMISED, museum_place, tmp_path)
    (command,) = re.findall(r"`(sha256sum [^`]*)`", PAGE)
    subprocess.run(shlex.split(command), cwd=museum_place.release.root, check=True)
    broken = Place(Path(shutil.copytree(museum_place.folder, tmp_path / "broken")), museum_place.release)
    (path, *_) = sorted(broken.folder.rglob("shares.parquet"))
    table = pq.read_table(path)
    pq.write_table(table.set_column(0, "stratum", pa.array([1] * table.num_rows)), path)
    with pytest.raises(AssertionError, match=r"shares.parquet: expected"):
        seen_by(PROMISED, broken, tmp_path)


FIGURES = [
    {"id": 1, "bbox": [1, 2, 3.5, 4.25], "iscrowd": 0},
    {"id": 2, "bbox": [10, 10, 8, 8], "iscrowd": 0, "segmentation": [[10, 10, 18, 10, 18, 18, 10, 14]]},
    {"id": 3, "bbox": [0, 0, 20, 30], "iscrowd": 1, "segmentation": {"size": [30, 40], "counts": [0, 600, 600]}},
]
CONVERTED = """
import json
import logging
import sys

import datumaro

logging.disable(logging.WARNING)
source = datumaro.Dataset.import_from("coco", "coco")
found = {}
for tool in sys.argv[1:]:
    source.export(tool, tool, save_media=True)
    items = [*datumaro.Dataset.import_from(tool, tool)]
    shapes = [shape for item in items for shape in item.annotations]
    boxes = [shape for shape in shapes if type(shape).__name__ == "Bbox"]
    found[tool] = {
        "images": len(items),
        "boxes": sorted([round(float(number), 2) for number in box.get_bbox()] for box in boxes),
        "crowds": sum(str(box.attributes.get("is_crowd")) == "True" for box in boxes),
        "outlines": sorted(int(shape.get_area()) for shape in shapes if shape not in boxes),
        "ids": sorted(box.id for box in boxes) == [1, 2, 3],
    }
print(json.dumps(found))
"""


@pytest.mark.readers
def test_what_tools_lose_is_what_the_page_says(tmp_path: Path):
    """A COCO file by hand: a figure with a box alone, one with an outline, a crowd, and a picture with nobody in it."""
    (tmp_path / "coco/images/train").mkdir(parents=True)
    (tmp_path / "coco/annotations").mkdir()
    images = [{"id": number, "file_name": f"{number}.png", "width": 40, "height": 30} for number in (71, 72)]
    for image in images:
        Image.new("RGB", (40, 30)).save(tmp_path / "coco/images/train" / image["file_name"])
    areas = {1: 14.875, 2: 48, 3: 600}
    figures = [{**figure, "image_id": 71, "category_id": 1, "area": areas[figure["id"]]} for figure in FIGURES]
    document = {"images": images, "annotations": figures, "categories": [{"id": 1, "name": "person"}]}
    (tmp_path / "coco/annotations/instances_train.json").write_text(json.dumps(document))
    lost = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.M))
    done = subprocess.run(
        [PYTHON["datumaro"], "-c", CONVERTED, *lost], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert lost.keys() == found.keys() == {"cvat", "label_me", "voc_detection", "yolo"}
    for tool, has in found.items():
        assert has["images"] == 2
        is_here = [figure["bbox"] for figure in FIGURES if not (figure["iscrowd"] and "crowds, whole" in lost[tool])]
        assert has["boxes"] == sorted(is_here)
        assert (has["crowds"] == 0) == ("crowds" in lost[tool])
        assert has["outlines"] == ([] if "outlines" in lost[tool] else [48, 600])
        assert not has["ids"]
        assert "ids of annotations" in lost[tool]
    # what another program writes as CVAT's, our own reader reads
    read = read_figures("cvat", (tmp_path / "cvat/train.xml").read_bytes(), {"person": None}, "cvat")
    assert read.by_file_name.keys() == {"71.png"}  # the other has no shape
    drawn = read.by_file_name["71.png"].figures or ()
    boxes = [one["xywh_px"] for one in drawn if one["segmentation"] is None]
    assert sorted(boxes) == sorted([round(at, 2) for at in figure["bbox"]] for figure in FIGURES)
    outlines = sorted(one["xywh_px"] for one in drawn if one["segmentation"] is not None)
    assert outlines == [[0, 0, 20, 30], [10, 10, 8, 8]]


SUPERVISED = """
import json
from pathlib import Path
import supervision as sv
yolo = sv.DetectionDataset.from_yolo("yolo/images/train", "yolo/labels/train", "yolo/data.yaml")
train = {path.stem for path in Path("yolo/images/train").iterdir()}
voc = sv.DetectionDataset.from_pascal_voc("voc/JPEGImages", "voc/Annotations")
found = {}
for name, data in {"yolo": yolo, "voc": voc}.items():
    rows = [
        [
            Path(path).stem,
            list(picture.shape[1::-1]),
            sorted([round(at, 2) for at in box] for box in boxes.xyxy.tolist()),
            boxes.class_id.tolist(),
        ]
        for path, picture, boxes in data
    ]
    found[name] = [data.classes, sorted(row for row in rows if row[0] in train)]
print(json.dumps(found))
"""


@pytest.mark.readers
@pytest.mark.parametrize("place", ["museum", "peopleart"], indirect=True)
def test_supervision_reads_boxes_in_each_layout(place: Place, tmp_path: Path):
    for layout in ("yolo", "voc"):
        unpack(place.release.url, str(tmp_path / layout), layout=layout)  # type: ignore[arg-type]
    done = subprocess.run(
        [PYTHON["readers"], "-c", SUPERVISED], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    document = place.release.read_json("coco/train.json")
    for layout, (classes, rows) in found.items():
        assert classes == ["person"]
        assert {int(stem): size for stem, size, *_ in rows} == {
            image["id"]: [image["width"], image["height"]] for image in document["images"]
        }
        for stem, (width, height), corners, numbers in rows:
            boxes = [box for box in document["annotations"] if box["image_id"] == int(stem)]
            boxes = [box["bbox"] for box in boxes if layout == "voc" or not box["iscrowd"]]
            expected = sorted([x, y, x + wide, y + high] for x, y, wide, high in boxes)
            if layout == "yolo":  # cut at the edge
                sides = (width, height, width, height)
                expected = [[min(max(at, 0), side) for at, side in zip(box, sides, strict=True)] for box in expected]
            assert corners == [pytest.approx(box, abs=0.02) for box in sorted(expected)]
            assert numbers == [0] * len(boxes)


SHARDS = """
import glob
import json
import webdataset as wds
data = wds.WebDataset(sorted(glob.glob("train-*.tar")), shardshuffle=False).decode("pil")
found = {}
for sample in data:
    (picture,) = (value for key, value in sample.items() if key in {"jpg", "png", "gif", "webp", "tif", "bmp"})
    known = sample["json"]
    assert sample["__key__"] == str(known["image_id"])
    found[sample["__key__"]] = [list(picture.size), None if known["annotations"] is None else len(known["annotations"])]
print(json.dumps(found))
"""


@pytest.mark.readers
@pytest.mark.parametrize("place", ["museum", "peopleart"], indirect=True)
def test_webdataset_reads_its_shards(place: Place, tmp_path: Path):
    unpack(place.release.url, str(tmp_path), layout="webdataset")
    done = subprocess.run([PYTHON["readers"], "-c", SHARDS], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    columns = ["image_id", "split", "width_px", "height_px", "is_annotated"]
    rows = [row for row in place.release.rows("images", columns).to_pylist() if row["split"] == "train"]
    figures = Counter(place.release.rows("annotations", ["image_id"])["image_id"].to_pylist())
    assert json.loads(done.stdout.splitlines()[-1]) == {
        str(row["image_id"]): [
            [row["width_px"], row["height_px"]],
            figures[row["image_id"]] if row["is_annotated"] else None,
        ]
        for row in rows
    }


@pytest.mark.readers
def test_people_arts_objects_come_back_as_they_were(peopleart_place: Place, shared_data: Path, tmp_path: Path):
    unpack(peopleart_place.release.url, str(tmp_path), layout="voc")
    keys = {
        row["image_id"]: row["record_id"]
        for row in peopleart_place.release.rows("images", ["image_id", "record_id"]).to_pylist()
    }
    seen = 0
    for path in (tmp_path / "Annotations").iterdir():
        key = keys[int(path.stem)].partition(":")[2]
        (source,) = (shared_data / "peopleart").glob(f"Annotations/**/{Path(key).name}.xml")
        given, back = read_voc(source.read_bytes()), read_voc(path.read_bytes())
        boxes, expected = (sorted(figure["xywh_px"] for figure in of.figures) for of in (back, given))
        assert boxes == expected
        seen += len(back.figures)
    assert seen > 500


def test_every_section_is_run():
    assert {reader.heading for reader in (*TABLES, PROMISED, LOADER, *UNPACKED)} == BLOCKS.keys()


STEPS = {
    "a stream": (
        "readers",
        """
        from datasets import load_dataset
        images = load_dataset(release, "images", split="train", streaming=True)
        boxes = load_dataset(release, "annotations", split="train").with_format("pandas")[:]
        for row in images:
            if row["is_annotated"]:
                mine = boxes[boxes["image_id"] == row["image_id"]]
                add(row["image"].size, mine["xywh_px"].tolist(), mine["category_id"].tolist())
        """,
    ),
    "the truth": (
        "ours",
        """
        import io
        import pandas as pd
        from PIL import Image, ImageOps
        images = pd.read_parquet(f"{release}/images", filters=[("split", "==", "train"), ("is_annotated", "==", True)])
        boxes = pd.read_parquet(f"{release}/annotations")
        for row in images.itertuples():
            mine = boxes[boxes["image_id"] == row.image_id]
            picture = ImageOps.exif_transpose(Image.open(io.BytesIO(row.image["bytes"])))
            add(picture.size, mine["xywh_px"].tolist(), mine["category_id"].tolist())
        """,
    ),
    "COCO": (
        "ours",
        """
        from torchvision.datasets import CocoDetection
        for picture, mine in CocoDetection("unpacked/train", "unpacked/annotations/train.json"):
            add(picture.size, [box["bbox"] for box in mine], [box["category_id"] for box in mine])
        """,
    ),
}
COUNTED = """
import json
rows = []
def add(size, boxes, classes):
    rounded = sorted([round(float(each), 2) for each in box] for box in boxes)
    rows.append([list(size), rounded, sorted(map(int, classes))])
"""
TELL_STEPS = """
print(json.dumps([rows[start : start + 8] for start in range(0, len(rows), 8)]))
"""


@pytest.mark.readers
@pytest.mark.parametrize("place", ["museum", "peopleart"], indirect=True)
def test_by_each_door_a_training_gets_the_same_pictures_boxes_and_classes_in_each_step(place: Place, tmp_path: Path):
    found = {}
    for door, (environment, lines) in STEPS.items():
        code = "\n".join([*blocks(HEAD), COUNTED, textwrap.dedent(lines), TELL_STEPS])
        variables = {"HOME": str(tmp_path), "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1", "PATH": os.environ["PATH"]}
        done = subprocess.run(
            [PYTHON[environment], "-c", code],
            cwd=place.folder,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        found[door] = json.loads(done.stdout.splitlines()[-1])
    assert found["the truth"] == found["COCO"] == found["a stream"]
    assert sum(len(boxes) for step in found["COCO"] for _, boxes, _ in step) > 60
