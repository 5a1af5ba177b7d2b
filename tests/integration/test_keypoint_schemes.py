"""Animals of 20 points, faces of 106 and hands of one's own, from a COCO file through a build to a release."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from flows.cli import main
from schemas.errors import BadInput
from schemas.keypoints import Joints
from tasks.unpack import unpack
from tasks.verify import verify
from tests.support.desk import MadeOnce
from tests.support.keypoints import ANIMAL_20, COCO_17, FACE_106
from tests.support.wall import Wall

pytestmark = pytest.mark.server

HAND = {"joints": ["wrist", "thumb"], "skeleton": [["wrist", "thumb"]], "source": "me"}
FIELDS = {
    "categories": [
        "person",
        {"name": "dog", "supercategory": "animal", "keypoints": "animal-20"},
        {"name": "face", "keypoints": "face-106"},
        {"name": "hand", "keypoints": "hand-2"},
        {"name": "chair", "keypoints": None},
    ],
    "keypoint_schemes": {"hand-2": HAND},
}
DRAWN = {"person": 17, "dog": 20, "face": 106, "hand": 2}


def points(count: int, start: int = 0) -> list[float]:
    """Points in a row, the first not labelled, the second hidden."""
    return [value for n in range(count) for value in (float(start + n), 5.0, float(min(n, 2)))]


def document(wall: Wall, *more: dict[str, Any]) -> dict[str, Any]:
    """A COCO file with other ids than the recipe's, a figure of each category in the first image, and `more`."""
    schemes = {"person": COCO_17, "dog": ANIMAL_20, "face": FACE_106, "hand": Joints.model_validate(HAND)}
    names = sorted(path.name for path in (wall.folder / "images").glob("*.jpg"))
    first = [
        {"id": n, "image_id": 0, "category_id": 10 + n, "bbox": [1, 2, 3, 4], "keypoints": points(DRAWN[name])}
        for n, name in enumerate(schemes)
    ]
    return {
        "images": [{"id": number, "file_name": name} for number, name in enumerate(names)],
        "annotations": [*first, *({"id": 90 + n, "bbox": [1, 2, 3, 4], **box} for n, box in enumerate(more))],
        "categories": [
            *(
                {"id": 10 + n, "name": name, "keypoints": [joint.title().replace("_", " ") for joint in scheme.joints]}
                for n, (name, scheme) in enumerate(schemes.items())
            ),
            {"id": 20, "name": "chair", "keypoints": ["seat"]},
        ],
    }


def hang(folder: Path) -> Wall:
    wall = Wall(folder)
    wall.stages = ["fetch", "hash", {"split": {"ratios": {"train": 1}, "by": None}}, {"export": {"media": True}}]
    wall.fields = FIELDS
    wall.source = {"annotations": {"format": "coco", "path": "boxes.json"}}
    others = (
        {"image_id": 1, "category_id": 11, "keypoints": points(17)},
        {"image_id": 1, "category_id": 20, "keypoints": points(1)},
        {"image_id": 2, "category_id": 11},
    )
    (folder / "images/boxes.json").write_text(json.dumps(document(wall, *others)), encoding="utf-8")
    return wall


def make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    hang(folder).build()


@pytest.fixture(scope="session")
def zoo(made_once: MadeOnce) -> Wall:
    """A built release that no test may change."""
    folder = made_once("keypoint-schemes", make)
    wall = object.__new__(Wall)
    wall.folder, wall.store = folder, str(folder / "store")
    return wall


def boxes(wall: Wall, table: str = "annotations") -> list[dict[str, Any]]:
    release = wall.latest
    return [row for path in release.parts(table) for row in release.table(path).to_pylist()]


def test_each_category_keeps_the_points_of_its_scheme(zoo: Wall):
    found = sorted((row["category_id"], row["keypoint_scheme"], row["keypoints_xyv"]) for row in boxes(zoo)
                   if row["keypoints_xyv"])  # fmt: skip
    assert found == [
        (1, "coco-17", points(17)),
        (2, "animal-20", points(20)),
        (3, "face-106", points(106)),
        (4, "hand-2", points(2)),
    ]


def test_points_of_another_scheme_are_left_out_and_told(zoo: Wall):
    bare = [row for row in boxes(zoo) if row["keypoints_xyv"] is None]
    assert sorted((row["category_id"], row["keypoint_scheme"]) for row in bare) == [(2, None), (2, None), (5, None)]
    (detail,) = {row["detail"] for row in zoo.ledger().values() if row["detail"]}
    assert detail.startswith(
        "keypoints left out: expected 60 numbers, x, y and visibility of each of 20 points, got 51"
    )
    assert "expected none in category 'chair', which has no keypoints in the recipe, got some (1)" in detail


def test_the_release_keeps_its_contract(zoo: Wall):
    found = verify(zoo.latest.url)
    assert found.is_good, found.text


def test_the_categories_are_written_out(zoo: Wall):
    rows = pq.read_table(f"{zoo.latest.root}/categories.parquet").to_pylist()
    assert [(row["category_id"], row["name"], row["keypoint_scheme"]) for row in rows] == [
        (1, "person", "coco-17"),
        (2, "dog", "animal-20"),
        (3, "face", "face-106"),
        (4, "hand", "hand-2"),
        (5, "chair", None),
    ]
    assert [row["keypoints"] and len(row["keypoints"]) for row in rows] == [17, 20, 106, 2, None]
    assert rows[3]["skeleton"] == [1, 2]


def blocks(word: str) -> list[str]:
    """The page's blocks of code in one language."""
    page = (Path(__file__).parents[2] / "docs/keypoints.md").read_text(encoding="utf-8")
    return re.findall(rf"```{word}\n(.*?)```", page, re.S)


def test_the_pages_lines_read_the_table(zoo: Wall):
    names: dict[str, Any] = {"release": zoo.latest.root}
    lines, _ = blocks("python")
    exec(lines, names)
    assert list(names["joints"]) == list(COCO_17.joints)
    assert names["lines"].tolist() == [[one - 1, other - 1] for one, other in COCO_17.skeleton_numbers]


def test_the_pages_lines_score_figures_of_which_some_have_no_keypoints():
    """pycocotools asks every figure for keypoints: in a release's files, those that nobody has labelled are 0."""
    box = {"image_id": 1, "category_id": 3, "bbox": [0, 0, 40, 40], "area": 1600, "iscrowd": 0}
    points = [5, 5, 2, 30, 30, 2]
    truth = COCO()
    truth.dataset = {
        "images": [{"id": 1}],
        "categories": [{"id": 3, "name": "hand", "keypoints": ["wrist", "thumb"]}],
        "annotations": [
            {**box, "id": 1, "keypoints": points, "num_keypoints": 2},
            {**box, "id": 2, "keypoints": [0] * 6, "num_keypoints": 0},
        ],
    }
    truth.createIndex()
    found = truth.loadRes([{"image_id": 1, "category_id": 3, "keypoints": points, "score": 0.9}])
    names = {"truth": truth, "found": found, "sigmas": np.full(2, 0.05)}
    exec(blocks("python")[1], names | {"category_id": 3, "COCOeval": COCOeval}, scored := dict[str, Any]())
    scores = scored["scores"]
    scores.evaluate()
    scores.accumulate()
    scores.summarize()
    assert scores.stats[0] == pytest.approx(1)


def test_the_pages_recipes_are_some(tmp_path: Path):
    wall = hang(tmp_path)
    first, second = map(yaml.safe_load, blocks("yaml"))
    for wall.fields in (first, second):
        assert wall.recipe().coco_categories[-1].name in {"chair", "hand"}


@pytest.mark.parametrize("is_unpacked", [False, True], ids=["in the release", "unpacked"])
def test_cocos_own_reader_finds_names_and_points(
    zoo: Wall, tmp_path: Path, capsys: pytest.CaptureFixture[str], is_unpacked: bool
):
    place = Path(zoo.latest.root, "coco")
    if is_unpacked:
        unpack(zoo.latest.url, str(tmp_path / "out"))
        place = tmp_path / "out/annotations"
    coco = COCO(str(place / "train.json"))
    person, dog, face, hand, chair = coco.loadCats([1, 2, 3, 4, 5])
    assert person["keypoints"] == list(COCO_17.joints)
    assert (dog["supercategory"], dog["keypoints"]) == ("animal", list(ANIMAL_20.joints))
    assert [dog["keypoints"][end - 1] for end in dog["skeleton"][0]] == ["L_Eye", "R_Eye"]
    assert (face["keypoints"], face["skeleton"]) == (list(FACE_106.joints), [])
    assert (hand["keypoints"], hand["skeleton"]) == (["wrist", "thumb"], [[1, 2]])
    assert "keypoints" not in chair
    (drawn,) = (box for box in coco.loadAnns(coco.getAnnIds(catIds=[3])) if box["num_keypoints"])
    assert (drawn["keypoints"], drawn["num_keypoints"]) == (points(106), 105)


def test_what_the_recipe_does_not_say_is_a_problem(tmp_path: Path):
    """A recipe that was altered afterwards: another scheme for the dogs."""
    wall = hang(tmp_path)
    wall.build()
    path = Path(wall.latest.root, "recipe.yaml")
    path.write_text(path.read_text(encoding="utf-8").replace("animal-20", "coco-17"), encoding="utf-8")
    problems = verify(wall.latest.url).problems
    assert any(problem.startswith("recipe.yaml: expected ") for problem in problems)
    path.write_text(path.read_text(encoding="utf-8").replace("hand-2", "foot-2"), encoding="utf-8")
    assert verify(wall.latest.url).problems


def test_detections_of_another_program_have_the_points_of_their_category(tmp_path: Path):
    wall = hang(tmp_path)
    detect = {"model": "results", "weights": "found", "images": "listed", "classes": {"dog": 11, "face": 12}}
    wall.stages.insert(2, {"detect": detect})
    wall.fields = {**FIELDS, "bindings": {"images": "i", "said": "s", "found": "boxes", "listed": "images"}}
    rows = [
        {"image_id": 0, "category_id": 11, "bbox": [1, 2, 30, 40], "score": 0.9, "keypoints": points(20)},
        {"image_id": 0, "category_id": 12, "bbox": [1, 2, 30, 40], "score": 0.8, "keypoints": points(106)},
        {"image_id": 0, "category_id": 12, "bbox": [1, 2, 30, 40], "score": 0.7},
    ]
    (tmp_path / "listed.json").write_text(json.dumps(document(wall)), encoding="utf-8")
    (tmp_path / "found.json").write_text(json.dumps(rows), encoding="utf-8")
    context = wall.context()
    files = {name: str(tmp_path / f"{name}.json") for name in ("found", "listed")}
    wall.context = lambda: context.model_copy(update={"bindings": {**context.bindings, **files}})  # type: ignore[method-assign]
    wall.build()
    mine = [row for row in boxes(wall, "detections") if row["record_id"] == "m:one.jpg"]
    found = sorted((row["score"], row["keypoint_scheme"], row["keypoints_xyv"]) for row in mine)
    assert found == [(0.7, None, None), (0.8, "face-106", points(106)), (0.9, "animal-20", points(20))]
    assert verify(wall.latest.url).is_good
    detections = json.loads(Path(wall.latest.root, "coco/train.detections.json").read_text(encoding="utf-8"))
    assert {len(row.get("keypoints", ())) for row in detections} == {0, 60, 318}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        pytest.param({"categories": [{"name": "dog", "keypoints": "cat-9"}]}, "got 'cat-9'", id="an unknown scheme"),
        pytest.param({"keypoint_schemes": {"coco-17": HAND}}, "that no scheme of the program has", id="a taken name"),
        pytest.param({"categories": [{"keypoints": "coco-17"}]}, "categories.0.name: expected a value", id="no name"),
        pytest.param({"categories": [{"name": "dog", "points": 1}]}, "expected a known field", id="an unknown field"),
        pytest.param({"categories": [7]}, "categories.0: expected text or a mapping, got 7", id="a number"),
        pytest.param({"categories": ["dog", {"name": "dog"}]}, "expected each name once, got 'dog' 2", id="twice"),
        pytest.param({"keypoint_schemes": {"Hand": HAND}}, "expected lower-case letters", id="a name in capitals"),
        pytest.param(
            {"keypoint_schemes": {"hand-2": {**HAND, "flip_pairs": [["wrist", "nose"]]}}},
            "flip_pairs: expected names of joints, got 'nose'",
            id="a joint that there is not",
        ),
    ],
)
def test_a_recipe_with_a_wrong_scheme_is_refused_in_one_sentence(tmp_path: Path, fields: dict[str, Any], said: str):
    wall = hang(tmp_path)
    wall.fields = fields
    with pytest.raises(BadInput) as caught:
        wall.recipe()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_releases_own_scheme_is_that_of_its_poses(zoo: Wall, tmp_path: Path, capsys: pytest.CaptureFixture):
    (hand,) = [row for row in boxes(zoo) if row["keypoint_scheme"] == "hand-2"]
    found = {"image_id": hand["image_id"], "category_id": 4, "keypoints": points(2), "score": 0.5}
    (tmp_path / "found.json").write_text(json.dumps([found]))
    words = ["evaluate", "keypoints", zoo.latest.url, "--results", f"a={tmp_path / 'found.json'}", "--bootstrap", "0"]
    assert main([*words, "--category", "hand", "--set", "sigmas=0.1"]) == 0
    assert "1 figure with keypoints of hand-2" in capsys.readouterr().err
    assert main([*words, "--category", "hand"]) == 2
    assert (
        "sigmas: expected one for each of the 2 joints of hand-2, or one for all, got none" in capsys.readouterr().err
    )
    assert main([*words, "--category", "hand", "--category", "dog", "--set", "sigmas=0.1"]) == 2
    assert "expected categories with the same joints, got dog, hand" in capsys.readouterr().err
