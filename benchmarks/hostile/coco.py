"""COCO files with odd values in every field: as a source's annotations, as the truth, as results."""

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from benchmarks.campaign import release_of
from benchmarks.hostile import builds
from benchmarks.hostile.cases import Family, Fault, Scene, Wrong, first_wrong, one_by_one
from benchmarks.hostile.commands import Ended, run_here, wrong_ending
from benchmarks.hostile.pictures import drawing, encoded
from benchmarks.hostile.stand_ins import stand_in

Document = dict[str, Any]
_IMAGES = 4
_KEYPOINTS = [float(value) for place in range(17) for value in (10 + place, 20 + place, 2)]


class Odd(NamedTuple):
    """A document with something odd in it, and what must come of it.

    image: the one that is touched, None for all. boxes: what its figures must be; None where they may also be unknown.
    names: words of which the sentence of a refusal has one.
    """

    what: str
    data: bytes
    statuses: frozenset[int]
    image: int | None
    boxes: list[list[float]] | None = None
    crowds: list[bool] | None = None
    names: tuple[str, ...] = ("coco.json",)


_GOOD, _EITHER, _BAD = frozenset({0}), frozenset({0, 2}), frozenset({2})
_VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        1,
        2,
        -1,
        0.5,
        1e400,
        -1e400,
        float("nan"),
        10**400,
        2**63,
        "",
        "x",
        "1",
        "1.0",
        "nan",
        "\ud800",
    ),
    *(
        [],
        {},
        [None],
        [[]],
        [1],
        [1, 2, 3],
        ["a", "b", "c", "d"],
        {"x": 1},
        [[1, 2, 3, 4]],
        [1, 2, 3, 4, 5],
        [True] * 4,
    ),
    *(
        [0, 0, 0, 0],
        [0, 0, -5, 5],
        [-3, -3, 10, 10],
        [5, 5, 1e9, 1e9],
        [1e-300, 0, 1e-300, 1e-300],
        ["1", "2", "3", "4"],
    ),
    *(
        [float("nan")] * 4,
        [float("inf"), 0, 5, 5],
        [0, 0, 10**400, 5],
        [0] * 51,
        [1] * 50,
        [1.5] * 51,
        [None] * 51,
        "a" * 5000,
        [[1, 2, 2]] * 17,
    ),
)
_ANNOTATION_FIELDS = (
    "bbox",
    "bbox",
    "keypoints",
    "iscrowd",
    "area",
    "segmentation",
    "id",
    "image_id",
    "category_id",
    "num_keypoints",
    "note",
)
_MEANINGLESS = {"segmentation", "id", "num_keypoints", "note"}


def _document() -> Document:
    images = [{"id": place, "file_name": f"{place}.png", "width": 90, "height": 70} for place in range(1, _IMAGES + 1)]
    annotations = [
        {
            "id": 10 * image + turn,
            "image_id": image,
            "category_id": 1,
            "bbox": [5.0 + turn, 6.0, 20.0, 30.0],
            "area": 600.0,
            "iscrowd": 0,
        }
        for image in range(1, _IMAGES + 1)
        for turn in (0, 1)
    ]
    categories = [{"id": 1, "name": "person"}, {"id": 2, "name": "dog"}]
    return {"info": {}, "licenses": [], "images": images, "annotations": annotations, "categories": categories}


def _boxes(document: Document, image: int) -> list[list[float]]:
    return [row["bbox"] for row in document["annotations"] if row["image_id"] == image]


def _field(chance: random.Random) -> Odd:
    document = _document()
    place, field, value = chance.randrange(2 * _IMAGES), chance.choice(_ANNOTATION_FIELDS), chance.choice(_VALUES)
    row = document["annotations"][place]
    image = row["image_id"]
    boxes = _boxes(document, image) if field in _MEANINGLESS else None
    row[field] = value
    statuses = _EITHER if field in {"image_id", "category_id", "id"} else _GOOD
    # an annotation may now be another image's
    touched = None if field == "image_id" else image
    return Odd(f"annotations[{place}].{field} = {value!r:.60}", json.dumps(document).encode(), statuses, touched, boxes)


def _top_field(chance: random.Random) -> Odd:
    document = _document()
    part = chance.choice(("images", "annotations", "categories", "info", "licenses", "note", "images", "categories"))
    value = chance.choice(_VALUES)
    rows = document.get(part)
    if isinstance(rows, list) and rows and chance.random() < 0.7:
        field = chance.choice(
            (
                "id",
                "file_name",
                "name",
                "width",
                "height",
                "metadata",
                "split",
                "is_annotated",
                "license",
                "supercategory",
            )
        )
        chance.choice(rows)[field] = value
        what = f"{part}[].{field}"
    else:
        document[part] = value
        what = part
    return Odd(f"{what} = {value!r:.60}", json.dumps(document).encode(), _EITHER, None)


def _skeleton(chance: random.Random) -> Odd:
    document, count = _document(), chance.choice((1, 5, 14, 16, 18, 19, 23, 133))
    row = document["annotations"][2]
    row["keypoints"], row["num_keypoints"] = [1, 2, 2] * count, count
    return Odd(f"{count} keypoints", json.dumps(document).encode(), _EITHER, row["image_id"])


def _good_extra(chance: random.Random) -> Odd:
    """What COCO's own files have."""
    document = _document()
    row = document["annotations"][chance.randrange(2 * _IMAGES)]
    image = row["image_id"]
    kind = chance.choice(("crowd", "polygon", "keypoints", "outside", "text ids", "many", "tiny"))
    if kind == "crowd":
        row |= {"iscrowd": 1, "segmentation": {"counts": [5, 9, 6286], "size": [70, 90]}}
    elif kind == "polygon":
        row["segmentation"] = [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]
    elif kind == "keypoints":
        row |= {"keypoints": _KEYPOINTS, "num_keypoints": 17}
    elif kind == "outside":
        row["bbox"] = [-30.0, -40.0, 500.0, 600.0]
    elif kind == "text ids":
        for entry in (*document["images"], *document["annotations"]):
            name = "id" if "file_name" in entry else "image_id"
            entry[name] = f"img-{entry[name]}"
        expected = _boxes({"annotations": document["annotations"]}, f"img-{image}")  # type: ignore[arg-type]
        return Odd("ids that are texts", json.dumps(document).encode(), _GOOD, image, expected)
    elif kind == "many":
        document["annotations"] += [
            {**row, "id": 1000 + place, "bbox": [1.0, 1.0, 2.0 + place, 3.0]} for place in range(300)
        ]
    else:
        row["bbox"] = [5.25, 6.5, 0.5, 0.25]
    crowds = [bool(entry["iscrowd"]) for entry in document["annotations"] if entry["image_id"] == image]
    return Odd(kind, json.dumps(document).encode(), _GOOD, image, _boxes(document, image), crowds)


def _flat(chance: random.Random) -> Odd:
    """A box without an area, beside a good one of its image."""
    document = _document()
    place = chance.randrange(2 * _IMAGES)
    row = document["annotations"][place]
    value = chance.choice(
        (
            *([5, 6, 0, 30], [5, 6, 20, 0], [5, 6, 0, 0], [0, 0, 0, 0], [50, 60, -20, -30], [5, 6, 20, -0.5]),
            *([float("nan")] * 4, [5, 6, float("nan"), 30], ["5", "6", "0", "30"], [5, 6, "NaN", 30], [5, 6, -0.0, 3]),
        )
    )
    image = row["image_id"]
    boxes = [other["bbox"] for other in document["annotations"] if other["image_id"] == image and other is not row]
    row["bbox"] = value
    return Odd(f"a flat box {value!r}", json.dumps(document).encode(), _GOOD, image, boxes)


def _ids(chance: random.Random) -> Odd:
    """Annotation ids that stand twice say nothing; numbers that 64 bits do not hold are called that."""
    document = _document()
    if chance.random() < 0.5:
        value = chance.choice((1, 10, 0, -1, 2**63, 2**70, "a", 1.0, None))
        for row in document["annotations"][: chance.randint(2, 2 * _IMAGES)]:
            row["id"] = value
        return Odd(f"annotation ids {value!r}", json.dumps(document).encode(), _GOOD, 1, _boxes(document, 1))
    number = chance.choice((2**63, 2**64, -(2**63), 10**30, 1e300))
    part = chance.choice(("images", "categories"))
    document[part][0]["id"] = number
    data = json.dumps(document).encode()
    return Odd(f"{part}[0].id = {number}", data, _BAD, None, names=("that 64 bits hold",))


def _in_its_place(chance: random.Random) -> Odd:
    data, words = stand_in(chance)
    return Odd(f"in its place {words}", data, _BAD, None, names=(words,))


def _names(chance: random.Random) -> Odd:
    document = _document()
    what = chance.choice(
        ("./1.png", "1.png ", "../1.png", "/1.png", "1.PNG", "x/1.png", "1.png\0", "", "http://x/1.png", "2.png")
    )
    document["images"][0]["file_name"] = what
    return Odd(f"file_name {what!r}", json.dumps(document).encode(), _EITHER, None)


def _text(chance: random.Random) -> Odd:
    good = json.dumps(_document())
    what, data, statuses = chance.choice(
        (
            ("nothing", b"", _BAD),
            ("cut", good[: chance.randrange(5, len(good) - 1)].encode(), _BAD),
            ("a list", b"[]", _BAD),
            ("null", b"null", _BAD),
            ("depth", b"[" * 200_000, _BAD),
            ("depth of objects", b'{"images":' * 100_000, _BAD),
            ("UTF-16", good.encode("utf-16"), _EITHER),
            ("a byte order mark", b"\xef\xbb\xbf" + good.encode(), _EITHER),
            ("noise", chance.randbytes(500), _BAD),
            ("a number of 5,000 digits", good.replace('"id": 10', '"id": ' + "9" * 5000).encode(), _EITHER),
            ("no images", json.dumps({**_document(), "images": []}).encode(), _EITHER),
            ("no categories", json.dumps({**_document(), "categories": []}).encode(), _BAD),
            (
                "an image twice",
                json.dumps({**_document(), "images": [*_document()["images"], _document()["images"][0]]}).encode(),
                _BAD,
            ),
            ("a key twice", good.replace('"info": {}', '"annotations": []').encode(), _EITHER),
            ("JSON lines", "\n".join(json.dumps(row) for row in _document()["images"]).encode(), _BAD),
            ("YAML", b"images: []\nannotations: []\n", _BAD),
        )
    )
    return Odd(what, data, statuses, None)


_KINDS: tuple[Callable[[random.Random], Odd], ...] = (
    *(_field, _field, _field, _top_field, _top_field, _skeleton, _good_extra, _good_extra, _names, _text),
    *(_flat, _ids, _in_its_place),
)


def _source(odd: Odd, scene: Scene) -> Wrong | None:
    """The document as a source's annotations: figures of images that are not touched stay as they are."""
    folder = scene.folder / "images"
    (folder / "c").mkdir()
    (folder / "c" / "coco.json").write_bytes(odd.data)
    source = {
        "name": "odd",
        "at": "images",
        "pattern": "{title}.png",
        "annotations": {"format": "coco", "path": "c/coco.json"},
    }
    ended = builds.build(builds.folder_recipe(sources=[{"folder": source}]), folder, scene.folder)
    wrong = wrong_ending(ended, odd.statuses, odd.names)
    if wrong is not None or ended.status:
        return wrong
    release = release_of(scene.folder / "store", "odd")
    figures = [
        row for path in sorted((release / "annotations").rglob("*.parquet")) for row in pq.read_table(path).to_pylist()
    ]
    annotated = {name: row["is_annotated"] for name, row in builds.images(scene.folder / "store").items()}
    if len(annotated) != _IMAGES:
        return Wrong(Fault.CHANGE, f"{len(annotated)} images for {_IMAGES}")
    verified = run_here(["verify", str(release)])
    if verified.status != 0:
        return Wrong(Fault.OTHER, f"verify: {verified.out[:300]} {verified.err[-300:]}")
    if (wrong := _wrong_skeleton(release)) is not None:
        return wrong
    document = _document()
    untouched = [] if odd.image is None else [place for place in range(1, _IMAGES + 1) if place != odd.image]
    found = [_wrong_figures(figures, annotated, place, _boxes(document, place)) for place in untouched]
    if odd.image is not None and odd.boxes is not None:
        found.append(_wrong_figures(figures, annotated, odd.image, odd.boxes, odd.crowds))
    return first_wrong(found)


def _wrong_skeleton(release: Path) -> Wrong | None:
    """Keypoints in the release's COCO files must be those of the skeleton that their category declares."""
    for path in sorted((release / "coco").glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(document, list):  # detections
            continue
        names = {category["id"]: category.get("keypoints", ()) for category in document["categories"]}
        for row in document["annotations"]:
            count, expected = len(row.get("keypoints") or ()), 3 * len(names[row["category_id"]])
            if count not in {0, expected}:
                return Wrong(Fault.OTHER, f"{count} numbers of keypoints in {path.name} for {expected}")
    return None


def _wrong_figures(
    figures: list[builds.Row],
    annotated: dict[str, bool],
    image: int,
    boxes: list[list[float]],
    crowds: list[bool] | None = None,
) -> Wrong | None:
    mine = [row for row in figures if row["record_id"] == f"odd:{image}.png"]
    if not annotated[f"odd:{image}.png"] or sorted(list(row["xywh_px"]) for row in mine) != sorted(boxes):
        return Wrong(Fault.CHANGE, f"figures of image {image}: {[row['xywh_px'] for row in mine][:3]} for {boxes[:3]}")
    if crowds is not None and sorted(row["is_crowd"] for row in mine) != sorted(crowds):
        return Wrong(Fault.CHANGE, f"crowds of image {image}: {[row['is_crowd'] for row in mine]} for {crowds}")
    return None


def _truth(odd: Odd, scene: Scene) -> Wrong | None:
    """The document as the truth of a comparison."""
    folder = scene.folder / "images"
    (folder / "coco.json").write_bytes(odd.data)
    ended = _compared(scene, _results())
    names = ("coco.json", "results", "truth", "image", "annotat", "categor", "coco:", *odd.names)
    return wrong_ending(ended, _EITHER, names)


def _results() -> list[Document]:
    return [
        {"image_id": image, "category_id": 1, "bbox": [5.0, 6.0, 20.0, 30.0], "score": round(0.9 - image / 10, 2)}
        for image in range(1, _IMAGES + 1)
    ]


def _compared(scene: Scene, results: Any) -> Ended:
    path = scene.folder / "results.json"
    path.write_text(results if isinstance(results, str) else json.dumps(results), encoding="utf-8")
    store = str(scene.folder / "store")
    words = ["evaluate", "detector", str(scene.folder / "images/coco.json"), "--store", store, "--bootstrap", "0"]
    return run_here([*words, "--results", f"a={path}"])


def _odd_results(chance: random.Random, scene: Scene) -> tuple[str, Wrong | None]:
    """Odd detections beside a good truth: what is meaningless changes no number."""
    (scene.folder / "images" / "coco.json").write_text(json.dumps(_document()), encoding="utf-8")
    results: Any = _results()
    field, value = (
        chance.choice(("image_id", "category_id", "bbox", "score", "keypoints", "segmentation", "id", "note")),
        chance.choice(_VALUES),
    )
    if chance.random() < 0.12:
        what, results = chance.choice(
            (("none", []), ("an object", {}), ("a text", "[{"), ("numbers", [1, 2]), ("depth", "[" * 100_000))
        )
        is_meaningless = False
    else:
        changed = copy.deepcopy(results)
        chance.choice(changed)[field] = value
        what, results, is_meaningless = (
            f"results[].{field} = {value!r:.60}",
            changed,
            field in {"segmentation", "id", "note"},
        )
    ended = _compared(scene, results)
    wrong = wrong_ending(ended, _GOOD if is_meaningless else _EITHER, ("results.json", "a", "result"))
    if wrong is None and is_meaningless and ended.out != _compared(scene, _results()).out:
        wrong = Wrong(Fault.CHANGE, f"other numbers: {ended.out[:300]}")
    return what, wrong


def _case(number: int, chance: random.Random, scene: Scene) -> tuple[str, Wrong | None]:
    images = scene.folder / "images"
    images.mkdir()
    for place in range(1, _IMAGES + 1):
        (images / f"{place}.png").write_bytes(encoded(drawing((90, 70), "RGB", chance), "PNG"))
    if number % 5 == 4:
        return _odd_results(chance, scene)
    odd = chance.choice(_KINDS)(chance)
    if number % 5 == 3:
        return f"the truth: {odd.what}", _truth(odd, scene)
    return f"a source: {odd.what}", _source(odd, scene)


FAMILY = Family("coco", "COCO files with odd values in every field", 340, 4, one_by_one("coco", _case), limit_s=60)
