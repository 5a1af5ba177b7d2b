"""What a person gets wrong, and what files get wrong: one clear sentence, or a drop with its reason.

Never a traceback.
"""

import csv
import json
import shutil
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import yaml
from PIL import Image

from flows.build_dataset import run_stages
from flows.cli import main
from flows.recipes import recipe_from_file
from schemas.errors import Refusal
from schemas.manifests import Context
from tasks.io.store.releases import Release
from tests.support.desk import RECIPE, ROOT, WEIGHTS

FOLDER_RECIPE = {
    "name": "odd",
    "bindings": {"images": "a folder"},
    "sources": [{"folder": {"name": "odd", "at": "images", "pattern": "{title}"}}],
    "stages": [{"fetch": {"max_pixels": 50_000_000}}, "hash", "dedup", "split", "export"],
}


def written(folder: Path, recipe: dict) -> str:
    path = folder / "recipe.yaml"
    path.write_text(yaml.safe_dump(recipe), encoding="utf-8")
    return str(path)


def built(recipe: dict, images: Path, folder: Path) -> Release:
    steps = run_stages(
        recipe_from_file(written(folder, recipe)),
        Context(store=str(folder / "store"), bindings={"images": str(images)}),
    )
    return Release(steps[-1].release)


def painting(width: int, height: int, seed: int) -> Image.Image:
    small = np.random.default_rng(seed).integers(0, 255, (6, 6, 3), np.uint8)
    return Image.fromarray(small).resize((width, height), Image.Resampling.BICUBIC)


def museum_binds(museum: Path) -> list[str]:
    return ["--bind", f"images={museum}", "--bind", f"weights={WEIGHTS}"]


COMMANDS = [
    pytest.param(
        ["build", "nowhere.yaml"],
        "one of artbench, met, museum, peopleart, picasso, popart, popart-annotated, sketchref, got 'nowhere.yaml'",
        id="a recipe that is not there",
    ),
    pytest.param(["build", str(ROOT / "LICENSE")], "expected", id="a recipe that is no recipe"),
    pytest.param(["build", str(RECIPE)], "binding 'images': expected --bind images=", id="no binding"),
    pytest.param(
        ["build", str(RECIPE), "--bind", "images"], "expected NAME=VALUE, got 'images'", id="a binding without a value"
    ),
    pytest.param(
        ["plan", str(RECIPE), "--bind", "images=/nowhere-at-all", "--bind", f"weights={WEIGHTS}"],
        "binding 'images': expected a folder, got '/nowhere-at-all'",
        id="a source that is not there",
    ),
    pytest.param(
        ["plan", str(RECIPE), *museum_binds(ROOT / "docs")],
        "expected a table 'works.csv' below binding 'images', got no such file",
        id="a folder without the table",
    ),
    pytest.param(
        ["plan", str(RECIPE), *museum_binds(ROOT), "--set", "stages.dedup.radius_bit=3"],
        "stages[3] (dedup).radius_bit: expected a known field, got 'radius_bit'; did you mean 'radius_bits'?",
        id="a typo",
    ),
    pytest.param(
        ["plan", str(RECIPE), *museum_binds(ROOT), "--set", "stages.dedup.radius_bits=65"],
        "stages[3] (dedup).radius_bits: expected 16 or less, got 65",
        id="a number out of range",
    ),
    pytest.param(
        ["plan", str(RECIPE), "--set", "stages.nobody.seed=3"], "expected the label of a stage", id="no such stage"
    ),
    pytest.param(
        ["verify", "/nowhere-at-all"],
        "release: expected a folder with a manifest.json, got '/nowhere-at-all'",
        id="no release",
    ),
    pytest.param(
        ["why", "/nowhere-at-all", "a:b"], "release: expected a folder with a manifest.json", id="no release to ask why"
    ),
]


@pytest.mark.parametrize(("command", "said"), COMMANDS)
def test_a_command_that_cannot_work_says_so_in_one_sentence(command, said, capsys):
    assert main(command) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_weights_that_are_no_model_and_weights_that_are_not_those_of_the_recipe(desk, tmp_path, capsys):
    broken = tmp_path / "weights.onnx"
    broken.write_bytes(b"no model")
    common = ["plan", str(RECIPE), "--store", desk.store, "--bind", f"images={desk.museum}"]
    assert main([*common, "--bind", f"weights={tmp_path / 'gone.onnx'}"]) == 2
    assert "binding 'weights': expected a file, got" in capsys.readouterr().err
    assert main([*common, "--bind", f"weights={broken}", "--set", f"stages.detect.weights_sha256={'a' * 64}"]) == 2
    assert "expected weights of SHA-256 aaaa" in capsys.readouterr().err
    assert main([*common, "--bind", f"weights={broken}"]) == 2
    assert "weights: expected an ONNX model, got" in capsys.readouterr().err


def test_a_store_that_cannot_be_written_is_named_before_anything_is_started(tmp_path, painted, capsys):
    (tmp_path / "file").write_text("")
    assert main(["build", str(RECIPE), "--store", str(tmp_path / "file/store"), *museum_binds(painted)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "store: expected a place that can be written, got" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("files", "said"),
    [
        pytest.param(
            [], "expected files like '{title}' below binding 'images', got none among 0 files", id="an empty folder"
        ),
        pytest.param(
            ["deep/er/a.jpg"], "got none among 1 files, such as deep/er/a.jpg", id="nothing matches the pattern"
        ),
    ],
)
def test_an_empty_source_is_bad_input(tmp_path, capsys, files, said):
    images = tmp_path / "images"
    images.mkdir()
    for name in files:
        (images / name).parent.mkdir(parents=True)
        (images / name).write_bytes(b"x")
    assert (
        main(["plan", written(tmp_path, FOLDER_RECIPE), "--store", str(tmp_path / "s"), "--bind", f"images={images}"])
        == 2
    )
    assert said in capsys.readouterr().err


def test_a_table_without_rows_and_a_table_without_the_column(tmp_path, capsys):
    images = tmp_path / "images"
    images.mkdir()
    source = {"table": {"name": "t", "at": "images", "table": "t.csv", "columns": {"key": "id", "image": "file"}}}
    recipe = written(tmp_path, {**FOLDER_RECIPE, "sources": [source]})
    command = ["plan", recipe, "--store", str(tmp_path / "s"), "--bind", f"images={images}"]
    (images / "t.csv").write_text("id,file\n")
    assert main(command) == 2
    assert "expected rows in 't.csv' below binding 'images', got a file without any" in capsys.readouterr().err
    (images / "t.csv").write_text("id,path\n1,a.jpg\n")
    assert main(command) == 2
    assert "expected a column 'file' (for image) in t.csv, got ['id', 'path']" in capsys.readouterr().err
    (images / "t.csv").write_bytes(b"id,file\n\xff\xfe,a.jpg\n")
    assert main(command) == 2
    assert "in UTF-8" in capsys.readouterr().err


def test_a_build_in_which_every_record_is_dropped_publishes_nothing(tmp_path):
    (tmp_path / "images").mkdir()
    (tmp_path / "images/page.jpg").write_text("<html>not found</html>")
    with pytest.raises(Refusal, match="expected at least one image to publish, got none"):
        built(FOLDER_RECIPE, tmp_path / "images", tmp_path)
    assert not (tmp_path / "store/releases").exists()


def test_the_same_recipe_that_suddenly_loses_many_images_is_refused(measured):
    desk, museum = measured, measured.museum
    desk.build()
    version = desk.latest.manifest.version
    for path in sorted((museum / "images").rglob("*.*"))[:80]:
        path.unlink()
    with pytest.raises(Refusal, match=r"expected at least 95% of the \d+ images of release"):
        desk.build()
    assert desk.latest.manifest.version == version
    desk.build("max_loss_fraction=1")
    assert desk.latest.manifest.previous == version


# Expected reason of each odd file; the others are kept (exact sizes and pixels: tests/unit/io/images/test_decode.py).
DROPPED = {
    "NOTES.md": "not_an_image",
    "LICENSE": "not_an_image",
    "broken.png": "broken_image",
    "decompression_bomb.ico": "unsupported_format",
    "broken_data_stream.png": "broken_image",
    "truncated_image.png": "broken_image",
    "truncated_end_chunk.png": "broken_image",
    "truncated_jpeg.jpg": "broken_image",
    "hopper_bad_exif.jpg": "broken_image",
    "decompression_bomb.gif": "too_many_pixels",
}


def test_each_odd_file_ends_as_a_drop_with_its_reason_or_as_the_right_pixels(tmp_path, shared_data):
    odd = shared_data / "odd_images"
    release = built(
        {**FOLDER_RECIPE, "stages": [{"fetch": {"max_pixels": 50_000_000}}, "hash", "split", "export"]}, odd, tmp_path
    )
    rows = {row["record_id"].removeprefix("odd:"): row for row in release.ledger().to_pylist()}
    assert rows.keys() == {path.name for path in odd.iterdir()}
    assert {name: row["reason"] for name, row in rows.items() if not row["kept"]} == DROPPED
    sizes = {
        row["record_id"]: (row["width_px"], row["height_px"])
        for batch in release.batches("images")
        for row in batch.to_pylist()
    }
    for name, size in {
        "pil_sample_cmyk.jpg": (100, 100),
        "hopper_16bit.pgm": (128, 128),
        "16bit.cropped.tif": (64, 64),
        "iss634.apng": (245, 245),
        "dispose_bgnd.gif": (100, 100),
        "hopper_orientation_6.jpg": (128, 128),
        "frozenpond.mpo": (640, 480),
        "transparent.png": (200, 150),
    }.items():
        assert sizes[f"odd:{name}"] == size, name


def test_the_eight_orientations_of_one_photo_are_one_picture(tmp_path, shared_data):
    images = tmp_path / "images"
    images.mkdir()
    for path in sorted((shared_data / "exif_orientation").glob("Landscape_*.jpg")):
        shutil.copy(path, images)
    release = built(FOLDER_RECIPE, images, tmp_path)
    rows = [row for batch in release.batches("images") for row in batch.to_pylist()]
    assert [(row["width_px"], row["height_px"]) for row in rows] == [(1800, 1200)]
    assert sum(row["reason"] in {"near_duplicate", "exact_duplicate"} for row in release.ledger().to_pylist()) == 8


def test_what_a_table_points_to_outside_its_folder_is_not_touched(tmp_path):
    images = tmp_path / "images"
    images.mkdir()
    painting(80, 60, 1).save(images / "good.png")
    painting(80, 60, 2).save(tmp_path / "secret.png")
    (images / "link.png").symlink_to(tmp_path / "secret.png")
    places = {
        "good": "good.png",
        "up": "../secret.png",
        "absolute": str(tmp_path / "secret.png"),
        "link": "link.png",
        "file": f"file://{tmp_path}/secret.png",
        "scheme": "ftp://museum.example/a.png",
        "gone": "gone.png",
        "dir": ".",
    }
    with (images / "t.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("id", "file"), *places.items(), ("", "good.png"), ("noimage", "")])
    source = {"table": {"name": "t", "at": "images", "table": "t.csv", "columns": {"key": "id", "image": "file"}}}
    release = built({**FOLDER_RECIPE, "sources": [source]}, images, tmp_path)
    reasons = {row["record_id"]: row["reason"] for row in release.ledger().to_pylist()}
    assert reasons.pop("t:good") is None
    assert reasons.pop("t:noimage") == "bad_record"
    assert [reasons.pop(name) for name in list(reasons) if name.startswith("t:row-")] == ["bad_record"]
    assert set(reasons.values()) <= {"not_allowed", "not_found"}
    assert reasons["t:up"] == reasons["t:absolute"] == reasons["t:link"] == "not_allowed"


def test_broken_annotations_leave_the_record_unannotated_and_say_so(tmp_path):
    images = tmp_path / "images"
    images.mkdir()
    for number in range(5):
        painting(90, 70, number).save(images / f"{number}.png")
    good = (
        "<annotation><object><name>person</name>"
        "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></object></annotation>"
    )
    for number, text in enumerate(
        (good, "<annotation>", good.replace("9", "nan"), '<!DOCTYPE a [<!ENTITY b "c">]><annotation/>')
    ):
        (images / f"{number}.xml").write_text(text)
    source = {
        "name": "odd",
        "at": "images",
        "pattern": "{title}.png",
        "annotations": {"format": "voc", "path": "{title}.xml"},
    }
    release = built({**FOLDER_RECIPE, "sources": [{"folder": source}]}, images, tmp_path)
    rows = [row for batch in release.batches("images") for row in batch.to_pylist()]
    assert {row["record_id"]: row["is_annotated"] for row in rows} == {f"odd:{n}.png": n == 0 for n in range(5)}
    documents = [
        json.loads(release.read(path))
        for path in release.manifest.files
        if path.startswith("coco/") and path.count(".") == 1
    ]
    assert [box["bbox"] for document in documents for box in document["annotations"]] == [[0.0, 0.0, 9.0, 9.0]]


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "\n".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)
)


@pytest.mark.parametrize("command", ["build", "plan"])
@pytest.mark.parametrize(
    "text", [BOMB, "[" * 100_000, f"? {'k' * 90_000}\n: 1\n", "a: !!bool abc", f"a: 0x{'f' * 9999}"]
)
def test_a_recipe_that_means_more_than_it_looks_is_one_short_sentence(command, text, tmp_path, capsys):
    (tmp_path / "r.yaml").write_text(text, encoding="utf-8")
    tracemalloc.start()
    try:
        assert main([command, str(tmp_path / "r.yaml")]) == 2
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert len(err) < 1000
    assert peak_bytes < 60_000_000


@pytest.mark.parametrize(
    "command",
    [
        ["plan", str(RECIPE), "--set", "seed=" + "[" * 90_000],
        ["plan", str(RECIPE), "--set", "k" * 90_000 + "=1"],
        ["plan", str(RECIPE), "--set", "stages." + "k" * 90_000 + ".x=1"],
        ["plan", str(RECIPE), "--bind", "k" * 90_000],
        ["plan", "k" * 90_000],
        ["verify", "k" * 90_000],
        ["settings", "k" * 90_000],
        ["evaluate", "detector", "t.json", "--detector", "a=" + "k" * 90_000],
        ["evaluate", "detector", "t.json", "--detector", "a=hog,least_score=" + "k" * 90_000],
        ["evaluate", "detector", "t.json", "--detector", "k" * 90_000],
    ],
    ids=lambda command: " ".join(command)[-60:].replace("k" * 9, "k")[:40],
)
def test_whatever_is_typed_is_quoted_shortly(command, capsys):
    assert main(command) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert len(err) < 1500


def test_lists_that_people_write_are_quoted_shortly(painted, tmp_path, capsys):
    long = "k" * 900_000
    (tmp_path / "hand.csv").write_text(f"action,name,reason,date\n{long},{long},{long},{long}\n")
    (tmp_path / "verdicts.csv").write_text(f"left,right,verdict\n{long},{long},{long}\n")
    common = ["plan", str(RECIPE), "--store", str(tmp_path / "s"), *museum_binds(painted)]
    for changes in (
        ["--set", "by_hand=list", "--set", "bindings.list=a list", "--bind", f"list={tmp_path / 'hand.csv'}"],
        [
            "--set",
            "stages.dedup.verdicts=list",
            "--set",
            "bindings.list=x",
            "--bind",
            f"list={tmp_path / 'verdicts.csv'}",
        ],
    ):
        assert main([*common, *changes]) == 2
        err = capsys.readouterr().err
        assert err.count("\n") == 1
        assert len(err) < 2000
