"""`bilderatlas evaluate detector`: on a release of the museum and on its COCO file, twice, with a detector from
elsewhere.
"""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

import tasks.subjects.detectors
from flows import prefect_flows
from flows.cli import main
from flows.detector_options import parse_requests
from flows.evaluate.detector import evaluate_detector
from schemas.errors import BadInput, DamagedFile
from schemas.manifests import Context
from schemas.tables import SYSTEM_SCORES, THRESHOLDS
from tasks.core.evaluate.scores import box_scores
from tasks.io.files import contracts
from tasks.io.store.releases import Release
from tasks.io.store.store import Store
from tasks.subjects.promises import broken_promises
from tasks.subjects.truth import Chosen, load_ground_truth
from tests.support.desk import WEIGHTS, Desk
from tests.support.freeze_contracts import PRODUCTS

OURS = f"ours=plain:{WEIGHTS}"


def run(*inputs: Any, **options: Any) -> str:
    return evaluate_detector(*inputs, **options).summary


@pytest.fixture
def release(built: Desk) -> str:
    return built.latest.url


@pytest.fixture
def looked(built: Desk, release: str):
    return load_ground_truth(release, None, built.context())


def coco_file(folder: Path, **changes: object) -> str:
    """A truth of three pictures: one that nobody looked at, one without anybody, one with a figure."""
    folder.mkdir(exist_ok=True)
    for name, colour in (("a", "red"), ("b", "green"), ("c", "blue")):
        Image.new("RGB", (60, 40), colour).save(folder / f"{name}.png")
    images = [
        {"id": 1, "file_name": "a.png", "width": 60, "height": 40, "is_annotated": False},
        {"id": 2, "file_name": "b.png", "width": 60, "height": 40, "split": "test"},
        {"id": 3, "file_name": "c.png", "width": 60, "height": 40, "metadata": {"style": "Cubism"}},
    ]
    boxes = [{"id": 1, "image_id": 3, "category_id": 5, "bbox": [5, 5, 20, 30], "area": 600, "iscrowd": 0}]
    document = {"images": images, "annotations": boxes, "categories": [{"id": 5, "name": "person"}], **changes}
    path = folder / "truth.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


# --- the truth


def test_a_releases_annotated_images_are_those_of_its_tables(built, release, looked):
    shown = pa.concat_tables([built.latest.table(path, but="image") for path in built.latest.parts("images")])
    assert looked.images.num_rows == sum(shown["is_annotated"].to_pylist())
    assert looked.images.num_rows + len(looked.others) == shown.num_rows
    assert looked.images["image_id"].to_pylist() == sorted(looked.images["image_id"].to_pylist())
    assert looked.name == f"museum {built.latest.manifest.version}"
    assert looked == load_ground_truth(release, None, built.context())
    part = load_ground_truth(release, None, built.context(), Chosen(split="val"))
    assert {*part.images["split"].to_pylist()} == {"val"}
    assert part.sha256 != looked.sha256


def test_a_releases_images_become_blobs_of_a_store_that_has_none(release, looked, tmp_path):
    other = Context(store=str(tmp_path / "other"))
    got = load_ground_truth(release, None, other)
    assert got.sha256 == looked.sha256
    for sha256 in got.images["sha256"].to_pylist():
        assert Store(other.store).read_blob(sha256)


def test_a_coco_files_images_become_blobs_and_who_was_not_looked_at_does_not_count(tmp_path):
    got = load_ground_truth(coco_file(tmp_path / "truth"), None, Context(store=str(tmp_path / "store")))
    assert (got.images["image_id"].to_pylist(), got.images["style"].to_pylist()) == ([2, 3], [None, "Cubism"])
    assert (got.others, got.category_ids, got.notes) == (frozenset({1}), {"person": 5}, ())
    Store(str(tmp_path / "store")).read_blob(got.images["sha256"][0].as_py())


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"file_name": "gone.png"}, "left out as not_found: 1 image (gone.png)"),
        ({"file_name": "../secret.png"}, "left out as not_allowed: 1 image (../secret.png)"),
        ({"file_name": "truth.json"}, "left out as not_an_image: 1 image (truth.json)"),
        ({"width": 61}, "left out as of a size that differs from the file's: 1 image (b.png)"),
        ({"width": 10**15}, "left out as of a size that differs from the file's: 1 image (b.png)"),
    ],
)
def test_an_image_that_can_not_be_used_is_left_out_and_told(tmp_path, changes, note):
    path = Path(coco_file(tmp_path / "truth"))
    document = json.loads(path.read_text())
    document["images"][1] |= changes
    path.write_text(json.dumps(document), encoding="utf-8")
    got = load_ground_truth(str(path), None, Context(store=str(tmp_path / "store")))
    assert (got.images["image_id"].to_pylist(), got.notes) == ([3], (note,))
    assert 2 in got.others


def test_a_picture_of_too_many_pixels_is_left_out_before_it_is_decoded(tmp_path):
    truth = coco_file(tmp_path / "truth")
    Image.new("1", (13_000, 13_000)).save(tmp_path / "truth/b.png")
    got = load_ground_truth(truth, None, Context(store=str(tmp_path / "store")))
    assert got.notes == ("left out as too_many_pixels: 1 image (b.png)",)


@pytest.mark.parametrize(
    ("changes", "arguments", "said"),
    [
        ({"annotations": []}, {}, "expected figures of 'person', got none in 2 images"),
        ({"info": {"annotation_origin": "detector"}}, {}, "expected boxes by people"),
        ({"images": [], "annotations": []}, {}, "expected images that people have annotated, got none"),
        ({}, {"split": "val"}, "expected images of split 'val', got images of the splits ['test']"),
        ({"images": [{"id": 3, "file_name": "c.png"}]}, {"split": "val"}, "of split 'val', got images without a split"),
        (
            {"images": [{"id": 3, "file_name": "gone.png"}, {"id": 2, "file_name": "b.png"}]},
            {},
            "in 1 image (left out as",
        ),
        ({}, {"split": "test"}, "expected figures of 'person', got none in 1 image"),
        ({}, {"categories": ("dog",)}, "expected a category 'dog', got ['person']"),
    ],
)
def test_a_truth_of_which_nothing_can_be_measured_is_refused(tmp_path, changes, arguments, said):
    with pytest.raises(BadInput) as problem:
        load_ground_truth(
            coco_file(tmp_path / "truth", **changes), None, Context(store=str(tmp_path / "store")), Chosen(**arguments)
        )
    assert said in str(problem.value)


def test_a_release_that_is_damaged_is_told_in_a_sentence(built, release):
    context = built.context()
    first = Path(release) / built.latest.parts("annotations")[0]
    first.write_bytes(b"PAR1" + first.read_bytes()[100:])
    with pytest.raises(DamagedFile, match=r"expected annotations/\w+-00000-of-00001.parquet in release .* a Parquet"):
        load_ground_truth(release, None, context)


# --- the comparison


def test_the_releases_own_detector_and_the_same_weights_give_the_same_numbers_as_its_report(built, release, tmp_path):
    out = tmp_path / "out"
    said = run(
        release, detectors=[OURS], release_detections=True, store=built.store, out=str(out), by=["style"], bootstrap=100
    )
    scores = {
        (row["system"], row["metric"]): row
        for row in pq.read_table(out / "scores.parquet").to_pylist()
        if row["attribute"] is None and row["ahead_of"] is None
    }
    theirs = next(name for name, _ in scores if name != "ours")
    assert scores["ours", "AP"]["value"] == scores[theirs, "AP"]["value"] > 0.3
    reported = json.loads(built.latest.read("evaluation.json"))
    assert scores["ours", "AP"]["value"] == pytest.approx(reported["AP"], abs=1e-9)
    assert scores["ours", "AP"]["low"] <= scores["ours", "AP"]["value"] <= scores["ours", "AP"]["high"]
    assert said in (out / "detectors.md").read_text()
    assert {path.name for path in out.iterdir()} == {
        "detectors.md",
        "scores.parquet",
        "thresholds.parquet",
        "scores.svg",
        "thresholds.svg",
    }
    every = contracts.read(str(PRODUCTS["evaluation"]))
    promised = {name: contract for name, contract in every.items() if (out / contract.path).exists()}
    tables = {name: pq.read_table(out / contract.path) for name, contract in promised.items()}
    assert list(tables) == ["scores", "thresholds"]
    assert {name: table.schema for name, table in tables.items()} == {"scores": SYSTEM_SCORES, "thresholds": THRESHOLDS}
    assert list(broken_promises(tables, promised)) == []
    odd = tables["thresholds"].set_column(6, "kept", pa.array([10**6] * tables["thresholds"].num_rows))
    (problem,) = broken_promises({**tables, "thresholds": odd}, promised)
    assert problem.startswith("thresholds: expected counts that hold each other, got ")


def test_by_vocs_rule_with_the_baseline_by_style_and_deformation(built, release, tmp_path):
    out, ratings = tmp_path / "out", tmp_path / "ratings.csv"
    images = Release(release).rows("images", ["image_id", "is_annotated"])
    ids = images.filter(images["is_annotated"])["image_id"].to_pylist()
    rows = [f"{number},{1 + place % 2}" for place, number in enumerate(ids)]
    ratings.write_text("\n".join(["image_id,rating", *rows, *rows[:5]]) + "\n")
    people = tmp_path / "people.csv"
    people.write_text("rater,image,x_min,y_min,x_max,y_max,rating\na,1,0,0,9,9,\nb,1,0,0,9,8,\nc,1,,,,,\n")
    options = {"store": built.store, "by": ["style"], "ratings": str(ratings), "bootstrap": 20, "protocol": "voc"}
    options["people"] = str(people)
    said = run(release, detectors=[OURS], out=str(out), **options)
    assert {path.name for path in out.iterdir()} == {"voc.md", "scores.parquet", "scores.svg", "curves.svg"}
    scores = pq.read_table(out / "scores.parquet")
    assert scores.schema == SYSTEM_SCORES
    whole = {
        (row["system"], row["metric"]): row["value"]
        for row in scores.to_pylist()
        if row["attribute"] is None and row["ahead_of"] is None
    }
    assert whole["ours", "AP_2010"] > whole["full-frame", "AP_2010"]
    assert 0.3 < whole["ours", "AP_2007"] <= 1
    f = 2 / (1 / whole["ours", "precision_at_F"] + 1 / whole["ours", "recall_at_F"])
    assert whole["ours", "F"] == pytest.approx(f)
    units = {
        (row["attribute"], row["group"]): row["units"]
        for row in scores.to_pylist()
        if row["metric"] == "F" and row["system"] == "ours"
    }
    assert units[None, None] == len(ids)
    assert (units["deformation", "1"], units["deformation", "2"]) == ((len(ids) + 1) // 2, len(ids) // 2)
    assert "AP (2010) by deformation:" in said
    svg = (out / "curves.svg").read_text()
    ElementTree.fromstring(svg)
    assert svg.count("class='ring'") == 2
    assert svg.count("class='pale'") == 2, "c has no box, and so no precision"


def test_a_second_comparison_detects_nothing_and_says_the_same(built, release, monkeypatch):
    first = run(release, detectors=[OURS], store=built.store, by=["style"], bootstrap=10)

    def no(*_):
        raise AssertionError("expected nothing to be computed")

    monkeypatch.setattr(tasks.subjects.detectors, "rows", no)
    assert run(release, detectors=[OURS], store=built.store, by=["style"], bootstrap=10) == first


def test_a_results_file_by_the_truths_ids_scores_as_the_release_says(built, release, looked, tmp_path):
    splits = ("train", "val", "test")
    boxes = [box for split in splits for box in json.loads(built.latest.read(f"coco/{split}.detections.json"))]
    path = tmp_path / "found.json"
    path.write_text(json.dumps(boxes), encoding="utf-8")
    said = run(release, results=[f"theirs={path}"], store=built.store, bootstrap=0)
    documents = [json.loads(built.latest.read(f"coco/{split}.json")) for split in splits]
    expected = box_scores(
        [
            (document, [b for b in boxes if b["image_id"] in {i["id"] for i in document["images"]}])
            for document in documents
        ]
    )
    assert f"| theirs | {expected['AP']:.3f} | {expected['AP50']:.3f} |" in said
    path.write_text(json.dumps([{**boxes[0], "image_id": 4}]), encoding="utf-8")
    with pytest.raises(BadInput, match="expected the truth's image ids, got 1 other id"):
        run(release, results=[f"theirs={path}"], store=built.store)


def test_a_coco_file_and_its_folder_can_be_the_truth(tmp_path):
    truth = coco_file(tmp_path / "truth")
    found = tmp_path / "found.json"
    box = {"image_id": 3, "category_id": 5, "bbox": [5, 5, 20, 30], "score": 0.8}
    found.write_text(json.dumps([box, {**box, "image_id": 1}]), encoding="utf-8")
    said = run(truth, results=[f"theirs={found}"], store=str(tmp_path / "store"), bootstrap=5)
    assert "## Detectors on truth: 2 images, 1 figures" in said
    assert "| theirs | 1.000" in said


def two_categories(folder: Path) -> tuple[str, str]:
    """Three pictures with a person each and one dog, and boxes: of the persons two, of the dog a wrong one."""
    picture = {"width": 60, "height": 40, "is_annotated": True}
    said = [{"material": "oil", "year": 1907}, {"material": "ink", "year": 1907.0}, {"material": "oil", "signed": True}]
    images = [
        {**picture, "id": number, "file_name": f"{name}.png", "metadata": one}
        for number, (name, one) in enumerate(zip("abc", said, strict=True), 1)
    ]
    figure = {"bbox": [5, 5, 20, 30], "area": 600, "iscrowd": 0}
    drawn = [{**figure, "id": number, "image_id": number, "category_id": 5} for number in (1, 2, 3)]
    drawn.append({**figure, "id": 4, "image_id": 1, "category_id": 7})
    categories = [{"id": 5, "name": "person"}, {"id": 7, "name": "dog"}, {"id": 8, "name": "eel"}]
    truth = coco_file(folder, images=images, annotations=drawn, categories=categories)
    box = {"bbox": [5, 5, 20, 30], "score": 0.9}
    found = [{**box, "image_id": number, "category_id": 5} for number in (1, 2)]
    found.append({**box, "image_id": 1, "category_id": 7, "bbox": [40, 5, 10, 10]})
    (folder / "found.json").write_text(json.dumps(found), encoding="utf-8")
    return truth, f"theirs={folder / 'found.json'}"


@pytest.mark.parametrize("chosen", [["person", "dog", "eel"], ["all"]])
def test_several_categories_are_one_number_and_one_each(tmp_path, chosen):
    truth, results = two_categories(tmp_path / "truth")
    said = run(
        truth, results=[results], store=str(tmp_path / "store"), bootstrap=0, categories=chosen, out=str(tmp_path)
    )
    rows = pq.read_table(tmp_path / "scores.parquet").to_pylist()
    found = {(row["attribute"], row["group"]): row["value"] for row in rows if row["metric"] == "AP"}
    person = 67 / 101  # recall 2/3 is reached by 67 of 101
    assert found == {
        (None, None): pytest.approx(person / 2),
        ("category", "person"): pytest.approx(person),
        ("category", "dog"): 0,
        ("category", "eel"): None,
    }
    counts = {row["group"]: row["value"] for row in rows if row["metric"] == "figures"}
    assert counts == {None: 4, "person": 3, "dog": 1, "eel": 0}
    assert "| person | 0.663 |" in said
    page = (tmp_path / "detectors.md").read_text()
    assert "AP over all images is the mean over 2 categories: " in page
    assert "no figures of eel" in page


def test_several_categories_by_vocs_rule(tmp_path):
    truth, results = two_categories(tmp_path / "truth")
    options = {"bootstrap": 0, "categories": ["all"], "out": str(tmp_path), "protocol": "voc", "by": ["material"]}
    run(truth, results=[results], store=str(tmp_path / "store"), **options)
    rows = pq.read_table(tmp_path / "scores.parquet").to_pylist()
    found = {
        (row["attribute"], row["group"]): row["value"]
        for row in rows
        if (row["system"], row["metric"], row["ahead_of"]) == ("theirs", "AP_2010", None)
    }
    assert found == {
        (None, None): pytest.approx(1 / 3),
        ("material", "ink"): 1,
        ("material", "oil"): 0.25,
        ("category", "person"): pytest.approx(2 / 3),
        ("category", "dog"): 0,
        ("category", "eel"): None,
    }
    page = (tmp_path / "voc.md").read_text()
    assert "AP over all images is the mean over 2 categories: dog (1 figure), person (3 figures)" in page
    assert "no figures of eel" in page
    assert {path.name for path in tmp_path.glob("curves*.svg")} == {"curves-1.svg", "curves-3.svg"}, "no curve of eels"
    assert "precision against recall: dog" in (tmp_path / "curves-1.svg").read_text()
    with pytest.raises(BadInput, match="--people: expected one category, as raters' boxes have none, got 3"):
        run(truth, results=[results], store=str(tmp_path / "store"), **options, people="people.csv")


def test_every_number_by_any_attribute_of_a_coco_file(tmp_path):
    truth, results = two_categories(tmp_path / "truth")
    by = ["material", "year", "signed", "split"]
    options = {"results": [results], "store": str(tmp_path / "store"), "bootstrap": 0, "out": str(tmp_path)}
    with pytest.raises(BadInput, match=r"that annotated images have \(material, signed, year\), got 'split'"):
        run(truth, by=by, **options)
    said = run(truth, by=by[:3], **options)
    rows = pq.read_table(tmp_path / "scores.parquet").to_pylist()
    images = {(row["attribute"], row["group"]): row["units"] for row in rows if row["metric"] == "AP"}
    assert images == {
        (None, None): 3,
        ("material", "ink"): 1,
        ("material", "oil"): 2,
        ("year", "1907"): 2,
        ("year", "unknown"): 1,
        ("signed", "true"): 1,
        ("signed", "unknown"): 2,
    }
    assert "AP by year:" in said
    kept = pq.read_table(tmp_path / "thresholds.parquet").to_pylist()
    assert {(row["attribute"], row["group"]) for row in kept} == {*images}
    assert "title>AP; pale dots: each material<" in (tmp_path / "scores.svg").read_text()


def test_every_number_by_any_column_of_a_release(built, release, tmp_path):
    said = run(release, release_detections=True, store=built.store, bootstrap=0, by=["artist", "year"])
    assert "AP by artist:" in said
    assert "AP by year:" in said
    for by, problem in (
        ("painter", "--by: expected a column of the release's images (record_id, image_id, source,"),
        ("image", "--by: expected a column of the release's images (record_id, image_id, source,"),
        ("styles", "--by: expected a column of texts, numbers or times, got 'styles' with"),
    ):
        with pytest.raises(BadInput) as refusal:
            run(release, release_detections=True, store=built.store, bootstrap=0, by=[by])
        assert problem in str(refusal.value)


def test_other_groups_of_the_same_images_are_computed_anew(tmp_path):
    truth, results = two_categories(tmp_path / "truth")
    options = {"results": [results], "store": str(tmp_path / "store"), "bootstrap": 0, "by": ["material"]}
    first = run(truth, **options)
    document = json.loads(Path(truth).read_text())
    document["images"][1]["metadata"]["material"] = "oil"
    Path(truth).write_text(json.dumps(document))
    assert "| ink |" in first
    assert "| ink |" not in run(truth, **options)


# --- what is said wrongly

WRONG = [
    pytest.param([], "expected at least one detector to compare, got none", id="nothing to compare"),
    pytest.param(["--detector", "yolox:w.onnx"], "--detector: expected NAME=..., got 'yolox:w.onnx'", id="no name"),
    pytest.param(["--detector", "a|b=hog"], "--detector: expected NAME=...", id="a name that breaks tables"),
    pytest.param(["--detector", "a=rcnn:w"], "--detector a: expected one of yolox,", id="no such model"),
    pytest.param(["--detector", "a=plain"], "--detector a: expected a file, as a=plain:FILE, got none", id="no file"),
    pytest.param(["--detector", "a=plain:w,least_score"], "expected setting=value after a comma", id="no setting"),
    pytest.param(["--detector", "a=plain:w,model=hog"], "expected setting=value after a comma", id="another model"),
    pytest.param(
        ["--detector", "a=plain:w,least_score=7"],
        "--detector a: least_score: expected 1 or less, got 7",
        id="out of range",
    ),
    pytest.param(
        ["--detector", "a=plain:w,colour=7"],
        "--detector a: colour: expected a known field, got 'colour'",
        id="no such setting",
    ),
    pytest.param(["--detector", "a=plain:w,classes={"], "expected a YAML value", id="no YAML"),
    pytest.param(
        ["--detector", "a=hog", "--results", "a=f.json"],
        "expected each name once, got 'a' 2 times",
        id="one name twice",
    ),
]


@pytest.mark.parametrize(("words", "said"), WRONG)
def test_what_is_typed_wrongly_is_told_before_anything_runs(words, said, tmp_path, capsys):
    assert main(["evaluate", "detector", "truth.json", "--store", str(tmp_path), *words]) == 2
    assert said in capsys.readouterr().err


def test_a_detectors_settings_and_files_are_read():
    (one, two), files = parse_requests(
        ["Nano 1=plain:s3://b/w.onnx,least_score=0.2,classes={person: 0}", "h=hog"],
        ["x=y=z.json"],
        with_release=False,
    )
    assert (one.settings.least_score, one.settings.classes, one.settings.label) == (
        0.2,
        {"person": 0},
        "detector-1-nano-1",
    )
    assert one.bindings == {"detector-1-nano-1-weights": "s3://b/w.onnx"}
    assert (two.bindings, files) == ({}, [("x", "y=z.json")])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "expected at least one detector to compare"),
        ({"release_detections": True}, "--release-detections: expected a release"),
        ({"results": ["a=nowhere.json"]}, "results 'a': expected a file, got 'nowhere.json'"),
        ({"detectors": ["a=plain:nowhere.onnx"]}, "expected a file, got 'nowhere.onnx'"),
        ({"results": ["a=b.json"], "score": 2.0}, "evaluate: score:"),
        ({"results": ["a=b.json"], "categories": [""]}, "expected a category '', got ['person']"),
    ],
)
def test_what_can_not_be_compared_is_one_sentence(tmp_path, arguments, said):
    with pytest.raises(BadInput) as problem:
        run(coco_file(tmp_path / "truth"), store=str(tmp_path / "store"), **arguments)
    assert said in str(problem.value)
    assert "\n" not in str(problem.value)


def test_a_folder_that_can_not_be_written_is_told_before_anything_is_read(tmp_path):
    (tmp_path / "out").write_text("a file", encoding="utf-8")
    with pytest.raises(BadInput, match="--out: expected a folder that can be written"):
        run("nowhere.json", results=["a=nowhere.json"], store=str(tmp_path / "store"), out=str(tmp_path / "out"))


@pytest.mark.server
def test_a_flow_leaves_the_table_in_prefects_ui(built, release, prefect_server):
    from prefect.client.orchestration import get_client

    said = prefect_flows.evaluate_detector(release, detectors=[OURS], store=built.store, bootstrap=10).summary
    with get_client(sync_client=True) as client:
        data = [artifact.data for artifact in client.read_artifacts() if artifact.key == "detectors"]
    assert data == [said]
