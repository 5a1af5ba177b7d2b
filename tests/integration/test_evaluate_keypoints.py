"""Pose estimators against a COCO file, from files alone, by the command."""

import json
import shlex
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from flows.cli import main
from schemas.keypoints import shipped_schemes
from tasks.core.evaluate.keypoints.scorer import MEASURES
from tests.support.documented import ANIMALS

SCHEME = shipped_schemes()["coco-17"]
CATEGORY = {"id": 3, "name": "person", "keypoints": list(SCHEME.joints), "skeleton": []}
STYLES = ("Rococo", "Baroque", "Rococo", "Baroque")


def pose(image: int, off_px: float = 0.0) -> list[float]:
    """17 joints on a diagonal, each as far off to the right."""
    return [value for joint in range(17) for value in (10.0 + 5 * joint + off_px, 20.0 + image + 5 * joint, 2)]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    images = [
        {"id": number, "file_name": f"{number}.jpg", "width": 200, "height": 200, "metadata": {"style": style}}
        for number, style in enumerate(STYLES, 1)
    ]
    figures = [
        {
            "id": number,
            "image_id": number,
            "category_id": 3,
            "bbox": [5, 15, 100, 100],
            "area": 10_000,
            "iscrowd": 0,
            "keypoints": pose(number),
            "num_keypoints": 17,
        }
        for number in range(1, 5)
    ]
    document = {"images": images, "annotations": figures, "categories": [CATEGORY]}
    (tmp_path / "truth.json").write_text(json.dumps(document), encoding="utf-8")
    write("exact.json", [(number, pose(number), 0.9) for number in range(1, 5)])
    write("far.json", [(number, pose(number, 1000.0), 0.9) for number in range(1, 5)])
    write(
        "half.json", [(number, pose(number, 0.0 if number < 3 else 1000.0), 1 - number / 10) for number in range(1, 5)]
    )


def write(name: str, poses: list[tuple[int, list[float], float]], category: int = 3) -> None:
    rows = [
        {"image_id": image, "category_id": category, "keypoints": keypoints, "score": score}
        for image, keypoints, score in poses
    ]
    with open(name, "w", encoding="utf-8") as file:  # noqa: PTH123 - in the folder of the test
        json.dump(rows, file)


def evaluate(*options: str) -> int:
    return main(["evaluate", "keypoints", "truth.json", "--bootstrap", "50", *options])


@pytest.mark.usefixtures("files")
def test_systems_are_ranked_with_their_numbers_by_style(tmp_path, capsys):
    names = [word for name in ("far", "exact", "half") for word in ("--results", f"{name}={name}.json")]
    assert evaluate(*names, "--by", "style", "--out", "out") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[4].startswith("| exact | 1.000 | 1.000 | 1.000 |  | 1.000 | 1.000 |")
    # right, right, wrong, wrong: 51 of 101 recalls are reached
    assert lines[5].startswith("| half | 0.505 |")
    assert lines[6].startswith("| far | 0.000 |")
    scores = pq.read_table(tmp_path / "out/scores.parquet")
    assert set(scores["group"].to_pylist()) == {None, "Baroque", "Rococo"}
    at = pc.and_(pc.equal(scores["system"], "half"), pc.equal(scores["metric"], "AR"))
    assert scores.filter(pc.and_(at, pc.is_null(scores["attribute"])))["value"].to_pylist() == [0.5]


@pytest.mark.usefixtures("files")
def test_poses_of_another_category_are_left_out_with_a_note_and_a_table_will_do(tmp_path, capsys):
    rows = [{"image_id": one, "category_id": 3 + one % 2, "keypoints": pose(one), "score": 0.9} for one in range(1, 5)]
    (tmp_path / "some.json").write_text(json.dumps(rows))
    table = pa.table(
        {"image_id": [1], "keypoints": pa.array([pose(1)], pa.list_(pa.float32())), "score": pa.array([1])}
    )
    pq.write_table(table, tmp_path / "one.parquet")
    assert evaluate("--results", "some=some.json", "--results", "one=one.parquet", "--out", "out") == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert lines[4].startswith("| some | 0.5")
    assert lines[5].startswith("| one | 0.25")
    note = "some: left out 2 poses of other categories"
    assert note in printed.err.splitlines()
    assert note in (tmp_path / "out/keypoints.md").read_text()


@pytest.mark.usefixtures("files")
def test_several_categories_are_one_number_and_one_each(tmp_path, capsys):
    document = json.loads((tmp_path / "truth.json").read_text())
    document["categories"] += [{**CATEGORY, "id": 8, "name": "statue"}, {**CATEGORY, "id": 9, "name": "angel"}]
    document["annotations"][0]["category_id"] = 8
    (tmp_path / "truth.json").write_text(json.dumps(document))
    poses = [{"image_id": one, "keypoints": pose(one), "score": 0.9, "category_id": 3} for one in (1, 2, 3)]
    (tmp_path / "some.json").write_text(json.dumps(poses))
    assert evaluate("--results", "some=some.json", "--category", "all", "--by", "style", "--out", "out") == 0
    rows = pq.read_table(tmp_path / "out/scores.parquet").to_pylist()
    found = {(row["attribute"], row["group"]): row["value"] for row in rows if row["metric"] == "AR"}
    assert found == {
        (None, None): pytest.approx((2 / 3 + 0) / 2),
        ("style", "Baroque"): 0.5,
        ("style", "Rococo"): 0.5,
        ("category", "angel"): None,
        ("category", "person"): pytest.approx(2 / 3),
        ("category", "statue"): 0,
    }
    assert "every number over all images is the mean over 2 categories: person (3 figures)" in capsys.readouterr().err
    (tmp_path / "some.json").write_text(json.dumps([{**poses[0], "category_id": None}]))
    assert evaluate("--results", "some=some.json", "--category", "all") == 2
    (tmp_path / "some.json").write_text(json.dumps([{k: poses[0][k] for k in ("image_id", "keypoints", "score")}]))
    assert evaluate("--results", "some=some.json", "--category", "all") == 2
    assert "some: expected a column category_id, as 3 categories are compared" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        pytest.param([], "--results: expected at least one system as NAME=FILE, got none", id="no system"),
        pytest.param(["--results", "a=truth.json"], "a: expected a JSON list of flat objects", id="no results"),
        pytest.param(["--results", "a=short.json"], "a: expected 51 numbers", id="another scheme"),
        pytest.param(
            ["--results", "a=other.json"],
            "a: expected poses of the category 3 in the truth's images, got 1 pose, 1 of other categories, 0 in other",
            id="another category",
        ),
        pytest.param(["--results", "a=unknown.json"], "a: expected the truth's image ids, got 99", id="another image"),
        pytest.param(
            ["--results", "a=exact.json", "--set", "keypoints=cat"], "keypoints: expected one of", id="scheme"
        ),
        pytest.param(["--results", "a=exact.json", "--category", "cat"], "'cat'", id="category"),
        pytest.param(
            ["--results", "a=exact.json", "--split", "test"], "truth: expected images of split 'test'", id="split"
        ),
        pytest.param(["--results", "a=exact.json", "--set", "sigmas=[0.1]"], "sigmas: expected 17", id="sigmas"),
    ],
)
@pytest.mark.usefixtures("files")
def test_odd_input_is_refused_in_one_sentence(options, sentence, capsys):
    write("short.json", [(1, [1.0, 2.0, 2.0], 0.5)])
    write("other.json", [(1, pose(1), 0.9)], category=4)
    write("unknown.json", [(99, pose(1), 0.5)])
    assert evaluate(*options) == 2
    printed = capsys.readouterr()
    assert sentence in printed.err
    assert printed.err.count("\n") == 1


def animals(names: list[str]) -> dict:
    """One figure of 20 joints in each of twelve images."""
    points = [value for joint in range(20) for value in (10.0 + 5 * joint, 20.0 + joint, 2)]
    figure = {"category_id": 1, "bbox": [5, 15, 100, 100], "area": 10_000, "iscrowd": 0, "keypoints": points}
    return {
        "images": [{"id": number, "file_name": f"{number}.jpg"} for number in range(1, 13)],
        "annotations": [{**figure, "id": number, "image_id": number} for number in range(1, 13)],
        "categories": [{"id": 1, "name": "dog", "keypoints": names}],
    }


def test_the_documented_command_for_animals_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (block,) = ANIMALS
    document = animals(list(shipped_schemes()["animal-20"].joints))
    Path("animals.json").write_text(json.dumps(document))
    points = document["annotations"][0]["keypoints"]
    write("poses.json", [(number, points, 0.9) for number in range(1, 13)], category=1)
    assert main(shlex.split(block.text)[1:]) == 0
    printed = capsys.readouterr()
    assert "| mine | 1.000 (1.000 to 1.000) |" in printed.out
    assert "12 figures with keypoints of animal-20" in printed.err


def test_a_scheme_may_come_in_a_file_and_other_names_are_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    document = animals([f"point {number}" for number in range(20)])
    Path("t.json").write_text(json.dumps(document))
    write("r.json", [(number, document["annotations"][0]["keypoints"], 0.9) for number in range(1, 13)], category=1)
    words = ["evaluate", "keypoints", "t.json", "--results", "a=r.json", "--category", "dog", "--bootstrap", "0"]
    Path("my dog.yaml").write_text(f"joints: {[f'j{number}' for number in range(20)]}\nsigmas: {[0.1] * 20}\n")
    assert main([*words, "--set", "keypoints=my dog.yaml"]) == 0
    told = capsys.readouterr().err
    assert (
        "dog calls its joints otherwise than my-dog (point 0 for j0, point 1 for j1, point 2 for j2 and 17 more)"
        in told
    )
    for text, said in (
        (
            "joints: [a, A]",
            "a scheme with `joints`, as under a recipe's keypoint_schemes, got 'my dog.yaml' (",
        ),
        ("joints: [", "keypoints: 'my dog.yaml': expected YAML"),
    ):
        Path("my dog.yaml").write_text(text)
        assert main([*words, "--set", "keypoints=my dog.yaml"]) == 2
        assert said in capsys.readouterr().err
    assert main([*words, "--set", "keypoints=none.yaml"]) == 2
    assert "keypoints: expected a file, got 'none.yaml'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "category", "more", "expected"),
    [
        ("animal-20", "animal", [], "0.2601 0.8171 0.0291 0.0000 0.2663 0.3563 0.8958 0.1667 0.0000 0.3638"),
        ("crowdpose-14", "crowdpose", [], "0.2646 0.9000 0.0729 -1.0000 0.2646 0.3479 0.9375 0.2083 -1.0000 0.3479"),
        ("hand-6", "hand", [], "0.2647 0.7991 0.0884 0.0000 0.3006 0.4021 0.8958 0.2917 0.0000 0.4196"),
        (
            "named-21-given-17",
            "person",
            ["--set", "first=17"],
            "0.2478 0.7714 0.0904 0.0000 0.2524 0.3604 0.8750 0.2708 0.0000 0.3681",
        ),
    ],
)
def test_any_scheme_of_a_coco_file_is_scored_as_pycocotools_does(
    name: str, category: str, more: list[str], expected: str, shared_data: Path, tmp_path: Path
):
    folder = shared_data / "reports/keypoints"
    words = ["evaluate", "keypoints", f"{folder / name}.json", "--results", f"r={folder / name}.results.json"]
    words += ["--category", category, "--set", "sigmas=0.05", "--bootstrap", "0", "--out", str(tmp_path)]
    assert main([*words, *more]) == 0
    rows = pq.read_table(tmp_path / "scores.parquet").to_pylist()
    got = {row["metric"]: -1 if row["value"] is None else row["value"] for row in rows if row["attribute"] is None}
    assert " ".join(f"{got[metric]:.4f}" for metric in MEASURES) == expected


def test_a_category_that_names_more_joints_than_its_figures_have_is_told_with_what_to_do(
    shared_data: Path, capsys: pytest.CaptureFixture
):
    folder = shared_data / "reports/keypoints"
    name = folder / "named-21-given-17"
    assert main(["evaluate", "keypoints", f"{name}.json", "--results", f"r={name}.results.json"]) == 2
    assert (
        "expected figures with keypoints of the 21 joints that the category 'person' names, got figures with 17 "
        "(48 figures); --set first=17 scores the first 17"
    ) in capsys.readouterr().err


def test_pck_and_nme_stand_beside_coco_numbers_and_joint_by_joint(files, capsys):
    write("near.json", [(number, pose(number, 5.0), 0.9) for number in range(1, 5)])
    asked = ["--results", "near=near.json", "--set", "pck=torso", "--bootstrap", "0", "--out", "out"]
    assert main(["evaluate", "keypoints", "truth.json", *asked]) == 0
    assert "PCK@0.1" in capsys.readouterr().out
    rows = {row["metric"]: row["value"] for row in pq.read_table("out/scores.parquet").to_pylist()}
    # the torso is 35 px to the right and 35 px down, the box 100 x 100 px
    assert [rows[name] for name in ("PCK@0.1", "PCK@0.2", "PCK@0.5", "NME")] == [0, 1, 1, pytest.approx(0.05)]
    joints = pq.read_table("out/joints.parquet").to_pylist()
    assert [row["joint"] for row in joints] == list(SCHEME.joints)
    assert {(row["figures"], row["PCK@0.2"]) for row in joints} == {(4, 1.0)}
    assert "| near | nose | 4 | 0.000 | 1.000 | 1.000 | 0.050 |" in Path("out/keypoints.md").read_text()


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("pck=[nose, tail]", "pck: expected box, or two joints of coco-17"),
        ("pck=arm", "pck: expected"),
        ("pck_at=0", "pck_at"),
    ],
)
def test_what_pck_can_not_measure_by_is_one_sentence(files, capsys, setting, sentence):
    assert (
        main(["evaluate", "keypoints", "truth.json", "--results", "a=exact.json", "--set", "pck=box", "--set", setting])
        == 2
    )
    said = capsys.readouterr().err
    assert sentence in said
    assert len(said.splitlines()) == 1
