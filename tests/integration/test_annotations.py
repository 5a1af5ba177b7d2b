"""People's boxes of a source, in a whole build: only those of the very images become people's boxes of the release."""

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from schemas.errors import BadInput
from tasks.unpack import unpack
from tasks.verify import verify
from tests.support.wall import Wall

pytestmark = pytest.mark.server


@pytest.fixture
def wall(tmp_path: Path) -> Wall:
    wall = Wall(tmp_path)
    for path in (tmp_path / "images").glob("one-*.jpg"):
        path.unlink()
    wall.stages = ["fetch", "hash", {"split": {"by": None}}, "export"]
    return wall


def size_px(path: Path) -> tuple[int, int]:
    with Image.open(path) as image:
        return image.size


def annotated(wall: Wall) -> dict[str, bool]:
    return {row["record_id"]: row["is_annotated"] for row in rows(wall, "images")}


def rows(wall: Wall, table: str) -> list[dict[str, Any]]:
    return [row for batch in wall.latest.batches(table) for row in batch.to_pylist()]


def coco(wall: Wall, **sizes: Any) -> None:
    """A COCO file with a box in each image, of the size that it truly has or that is asked."""
    names = sorted(path.name for path in (wall.folder / "images").glob("*.jpg"))
    images = []
    for number, name in enumerate(names):
        width_px, height_px = sizes.get(name.split(".")[0], size_px(wall.folder / "images" / name))
        images.append({"id": number, "file_name": name, "width": width_px, "height": height_px})
    document = {
        "images": images,
        "annotations": [{"image_id": image["id"], "category_id": 1, "bbox": [1, 2, 3, 4]} for image in images],
        "categories": [{"id": 1, "name": "person"}],
    }
    (wall.folder / "images/boxes.json").write_text(json.dumps(document), encoding="utf-8")
    wall.source = {"annotations": {"format": "coco", "path": "boxes.json"}}


def test_boxes_drawn_in_an_image_of_another_size_are_left_out_and_told(wall: Wall):
    width_px, height_px = size_px(wall.folder / "images/other.jpg")
    coco(wall, other=(2 * width_px, 2 * height_px), third=(None, 0))
    steps = {step.label: step for step in wall.build()}
    assert annotated(wall) == {
        "m:one.jpg": True,
        "m:other-lighter.jpg": True,
        "m:other.jpg": False,
        "m:third.jpg": True,
    }
    boxes = rows(wall, "annotations")
    assert sorted(row["record_id"] for row in boxes) == ["m:one.jpg", "m:other-lighter.jpg", "m:third.jpg"]
    assert steps["fetch"].notes == (
        "fetch: 1 of 4 annotated images count as not annotated, since their annotations are of images of another "
        "size: 'm:other.jpg'",
    )
    detail = (
        f"annotations left out: they are of an image of {2 * width_px} x {2 * height_px} px, this one has "
        f"{width_px} x {height_px} px"
    )
    known = wall.ledger()["m:other.jpg"]
    assert (known["kept"], known["reason"], known["detail"]) == (True, None, detail)
    assert verify(wall.latest.url, is_deep=True).is_good


def test_boxes_drawn_before_the_image_was_turned_upright_are_left_out(wall: Wall):
    path = wall.folder / "images/one.jpg"
    coco(wall)
    with Image.open(path) as image:
        width_px, height_px = image.size
        exif = image.getexif()
        exif[0x0112] = 6  # the file's rows are the picture's columns
        data = io.BytesIO()
        image.save(data, "JPEG", exif=exif)
    assert width_px != height_px
    path.write_bytes(data.getvalue())
    wall.build()
    assert annotated(wall)["m:one.jpg"] is False
    assert f"this one has {height_px} x {width_px} px" in wall.ledger()["m:one.jpg"]["detail"]


def test_a_corrected_file_brings_the_boxes_back(wall: Wall):
    coco(wall, other=(1, 1))
    wall.build()
    assert annotated(wall)["m:other.jpg"] is False
    coco(wall)
    wall.build()
    assert all(annotated(wall).values())


TOOLS = {
    "coco": lambda names: json.dumps(
        {
            "images": [{"id": number, "file_name": name} for number, name in enumerate(names)],
            "annotations": [{"image_id": 0, "category_id": 1, "bbox": [2, 3, 8, 6]}],
            "categories": [{"id": 1, "name": "person"}],
        }
    ),
    "coco_annotator": lambda names: json.dumps(
        {
            "images": [
                {"id": number, "file_name": name, "annotated": number < 2, "deleted": False}
                for number, name in enumerate(names)
            ],
            "annotations": [{"image_id": 0, "category_id": 1, "bbox": [2, 3, 8, 6], "isbbox": True}],
            "categories": [{"id": 1, "name": "person"}],
        }
    ),
    "cvat": lambda names: (
        f'<annotations><image id="0" name="{names[0]}" width="WIDTH" height="HEIGHT">'
        '<box label="person" xtl="2" ytl="3" xbr="10" ybr="9"/></image></annotations>'
    ),
    "label_studio": lambda names: json.dumps(
        [
            {"id": number, "data": {"image": f"/data/upload/1/0123abcd-{name}"}, "annotations": drawn}
            for number, (name, drawn) in enumerate(
                zip(names, ([{"result": ["REGION"]}], [{"result": []}], *([] for _ in names[2:])), strict=False)
            )
        ]
    ),
}


@pytest.mark.parametrize(
    ("tool", "looked_at"),
    [("coco", "all"), ("coco_annotator", "two"), ("cvat", "one"), ("label_studio", "two")],
)
def test_a_tools_file_says_what_is_drawn_and_who_was_looked_at(wall: Wall, tool: str, looked_at: str):
    names = sorted(path.name for path in (wall.folder / "images").glob("*.jpg"))
    width, height = size_px(wall.folder / "images" / names[0])
    value = {"x": 200 / width, "y": 300 / height, "width": 800 / width, "height": 600 / height}
    region = {
        "type": "rectanglelabels",
        "value": {**value, "rectanglelabels": ["person"]},
        "original_width": width,
        "original_height": height,
    }
    text = TOOLS[tool](names).replace("WIDTH", str(width)).replace("HEIGHT", str(height))
    (wall.folder / "images/drawn").write_text(text.replace('"REGION"', json.dumps(region)), encoding="utf-8")
    wall.source = {"annotations": {"format": tool, "path": "drawn"}}
    wall.build()
    assert [annotated(wall)[f"m:{name}"] for name in names] == [
        number < {"one": 1, "two": 2, "all": len(names)}[looked_at] for number in range(len(names))
    ]
    (box,) = rows(wall, "annotations")
    assert box["record_id"] == f"m:{names[0]}"
    assert box["xywh_px"] == pytest.approx([2, 3, 8, 6], abs=0.01)
    assert box["segmentation"] is None
    assert verify(wall.latest.url).is_good


def test_a_tools_file_that_is_not_there_is_called_by_its_name(wall: Wall):
    wall.source = {"annotations": {"format": "cvat", "path": "drawn.xml"}}
    with pytest.raises(BadInput, match="expected CVAT's annotations"):
        wall.build()


# --- YOLO's texts


def turned(path: Path) -> None:
    """Let a picture lie on its side, with a note that says so: its rows are the columns of the file."""
    with Image.open(path) as image:
        exif = image.getexif()
        exif[0x0112] = 6
        data = io.BytesIO()
        image.save(data, "JPEG", exif=exif)
    path.write_bytes(data.getvalue())


def test_yolos_texts_are_shares_of_the_upright_pictures(wall: Wall):
    folder = wall.folder / "images"
    first, second, third, fourth = sorted(folder.glob("*.jpg"))
    turned(first)
    height, width = size_px(first)  # as the picture stands
    assert width != height
    (folder / "data.yaml").write_text("names: [horse, person]", encoding="utf-8")
    first.with_suffix(".txt").write_text("1 0.5 0.5 0.5 0.25\n0 0.5 0.5 1 1\n", encoding="utf-8")
    second.with_suffix(".txt").write_text("", encoding="utf-8")
    third.with_suffix(".txt").write_text("1 0.5 0.5 0.5 0.5\n1 12 30 5 9\n", encoding="utf-8")
    (folder / "notes.txt").write_text("lent in May", encoding="utf-8")
    wall.source = {"annotations": {"format": "yolo", "path": "data.yaml"}}
    notes = [note for step in wall.build() for note in step.notes]
    looked_at = {f"m:{path.name}": path in {first, second} for path in (first, second, third, fourth)}
    assert annotated(wall) == looked_at
    (box,) = rows(wall, "annotations")
    assert box["record_id"] == f"m:{first.name}"
    assert box["xywh_px"] == pytest.approx([width / 4, height * 3 / 8, width / 2, height / 4], abs=1e-6)
    assert wall.ledger()[f"m:{third.name}"]["detail"].startswith("annotation unreadable, so left out: line 2: expected")
    for told in (
        "images that count as not annotated (1",
        "images without an annotation (1",
        "annotations of categories that the recipe does not have (1: 'horse')",
        "annotations that can't be read (1",
        "texts and documents (1: 'notes.txt')",
    ):
        assert any(told in note for note in notes), told
    assert verify(wall.latest.url, is_deep=True).is_good


def test_a_picture_of_another_size_moves_its_boxes(wall: Wall):
    folder = wall.folder / "images"
    path = folder / "third.jpg"
    (folder / "classes.txt").write_text("person\n", encoding="utf-8")
    path.with_suffix(".txt").write_text("0 0.5 0.5 0.5 0.5\n", encoding="utf-8")
    wall.source = {"annotations": {"format": "yolo", "path": "classes.txt"}}
    for scale in (1, 2):
        with Image.open(path) as image:
            larger = image.resize((scale * image.width, scale * image.height))
        larger.save(path)
        wall.build()
        (box,) = rows(wall, "annotations")
        assert box["xywh_px"] == pytest.approx(
            [share * side for side in (0.25, 0.5) for share in larger.size], abs=1e-6
        )


def test_a_release_goes_to_yolo_and_comes_back(wall: Wall, tmp_path: Path):
    """Less than a billionth of a side and a millionth of a pixel is lost, and no image without a figure."""
    names = sorted(path.name for path in (wall.folder / "images").glob("*.jpg"))
    boxes = {0: [[1, 2, 30.5, 40.25], [7 / 3, 5, 11, 13 / 7]], 1: [[0, 0, 1, 1]], 2: []}
    document = {
        "images": [{"id": number, "file_name": name} for number, name in enumerate(names)],
        "annotations": [
            {"image_id": number, "category_id": 1 + place, "bbox": box}
            for number, drawn in boxes.items()
            for place, box in enumerate(drawn)
        ],
        "categories": [{"id": 1, "name": "person"}, {"id": 2, "name": "horse"}],
    }
    (wall.folder / "images/boxes.json").write_text(json.dumps(document), encoding="utf-8")
    wall.source = {"annotations": {"format": "coco", "path": "boxes.json"}}
    wall.fields = {"categories": [{"name": "person"}, {"name": "horse"}]}
    wall.build()
    (tmp_path / "again").mkdir()
    again = Wall(tmp_path / "again")
    shutil.rmtree(again.folder / "images")
    unpack(wall.latest.url, str(again.folder / "images"), layout="yolo")
    again.stages, again.fields, again.pattern = wall.stages, wall.fields, "images/*/{title}.jpg"
    again.source = {"annotations": {"format": "yolo", "path": "data.yaml"}}
    again.build()

    def drawn(wall: Wall) -> dict[str, list[Any]]:
        """The boxes of each picture by its bytes, of annotated ones."""
        sha256s = {row["record_id"]: row["sha256"] for row in rows(wall, "images") if row["is_annotated"]}
        found: dict[str, list[Any]] = {sha256: [] for sha256 in sha256s.values()}
        for row in rows(wall, "annotations"):
            found[sha256s[row["record_id"]]].append((row["category_id"], row["xywh_px"]))
        return {sha256: sorted(of) for sha256, of in found.items()}

    before, after = drawn(wall), drawn(again)
    assert before.keys() == after.keys()
    assert sorted(map(len, after.values())) == sorted([*(len(of) for of in boxes.values()), 0])
    for sha256, expected in before.items():
        assert [number for number, _ in after[sha256]] == [number for number, _ in expected]
        for (_, box), (_, wanted) in zip(after[sha256], expected, strict=True):
            assert box == pytest.approx(wanted, abs=2e-6, rel=0)
    assert verify(again.latest.url, is_deep=True).is_good


def test_where_no_image_has_a_text_the_build_says_where_it_has_looked(wall: Wall):
    (wall.folder / "images/data.yaml").write_text("names: [person]", encoding="utf-8")
    wall.source = {"annotations": {"format": "yolo", "path": "data.yaml", "missing": "no_figures"}}
    with pytest.raises(BadInput, match="expected YOLO's texts below binding 'images', such as"):
        wall.build()
