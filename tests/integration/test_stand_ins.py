"""A Git LFS pointer in the place of any file that a person names is called that."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

from flows.build_dataset import check, list_records, plan, run_stages
from flows.recipes import recipe_from_file
from schemas.errors import BadInput, DamagedFile, Refusal
from schemas.manifests import Context
from schemas.recipe import Recipe
from tasks.core.coco.results import read_results
from tasks.io.files import arrays, inputs
from tasks.io.store.releases import Release
from tests.support.dedup import HANGING

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"
WORDS = "a Git LFS pointer, not the file itself: run `git lfs pull`"
PICTURE = next(iter(HANGING.values()))


def recipe_and_context(
    folder: Path, source: Any, files: dict[str, bytes], *more: Any, **fields: Any
) -> tuple[Recipe, Context]:
    """A recipe of one source, whose folder has these files; what it binds lies below it, too."""
    for name, data in files.items():
        (folder / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "in" / name).write_bytes(data)
    bindings = {"images": str(folder / "in"), **{name: str(folder / "in" / name) for name in fields.pop("bound", ())}}
    recipe = {
        "name": "r",
        "bindings": dict.fromkeys(bindings, "of a test"),
        "sources": [source],
        "stages": ["fetch", "hash", *more, {"split": {"by": None}}, "export"],
        **fields,
    }
    (folder / "recipe.yaml").write_text(yaml.safe_dump(recipe), encoding="utf-8")
    return recipe_from_file(str(folder / "recipe.yaml")), Context(store=str(folder / "store"), bindings=bindings)


FOLDER = {"folder": {"name": "m", "at": "images", "pattern": "{title}.jpg"}}
FILES = {"a.jpg": PICTURE}


def table(name: str) -> dict[str, Any]:
    return {"table": {"name": "m", "at": "images", "table": name, "columns": {"key": "id", "image": "file"}}}


@pytest.mark.parametrize("name", ["w.csv", "w.json", "w.jsonl", "w.parquet"])
def test_of_a_table(name: str, tmp_path: Path):
    recipe, context = recipe_and_context(tmp_path, table(name), {**FILES, name: POINTER})
    with pytest.raises(BadInput, match=WORDS):
        list_records(recipe, None, 1, context)


def test_of_a_coco_file(tmp_path: Path):
    source = {"folder": {**FOLDER["folder"], "annotations": {"format": "coco", "path": "boxes.json"}}}
    recipe, context = recipe_and_context(tmp_path, source, {**FILES, "boxes.json": POINTER})
    with pytest.raises(BadInput, match=WORDS):
        list_records(recipe, None, 1, context)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(POINTER, WORDS, id="a pointer"),
        pytest.param(b"<!DOCTYPE html>\n<html><body>Not found</body></html>", "an HTML page", id="a page"),
        pytest.param(b"<html><body/></html>", "an HTML page", id="a page that is XML"),
        pytest.param(b"<Error><Code>AccessDenied</Code></Error>", "AccessDenied", id="a storage service's error"),
    ],
)
def test_of_a_voc_file(data: bytes, words: str, tmp_path: Path):
    source = {"folder": {**FOLDER["folder"], "annotations": {"format": "voc", "path": "voc/{title}.xml"}}}
    files = {"a.jpg": PICTURE, "b.jpg": PICTURE, "voc/b.xml": data}
    recipe, context = recipe_and_context(tmp_path, source, files)
    for reads in (lambda: list_records(recipe, None, 1, context), lambda: run_stages(recipe, context)):
        with pytest.raises(
            BadInput, match=f"source 'm': expected VOC annotations 'voc/b.xml' below .*'images', got .*{words}"
        ):
            reads()


def test_of_an_image_its_record_says_so(tmp_path: Path):
    recipe, context = recipe_and_context(tmp_path, FOLDER, {"a.jpg": PICTURE, "b.jpg": POINTER})
    ledger = Release(run_stages(recipe, context)[-1].release).ledger().to_pylist()
    said = {row["record_id"]: (row["reason"], row["detail"]) for row in ledger}
    assert said["m:b.jpg"] == ("not_an_image", WORDS)


def test_of_images_a_plan_and_each_build_say_what_to_do(tmp_path: Path):
    files = {"a.jpg": PICTURE, "b.jpg": POINTER, "c.jpg": POINTER}
    recipe, context = recipe_and_context(tmp_path, FOLDER, files)
    for steps in (plan(recipe, context), run_stages(recipe, context), run_stages(recipe, context)):
        notes = [note for step in steps for note in step.notes]
        assert f"fetch: of 2 files ('b.jpg', 'c.jpg') each is {WORDS}" in notes


def test_a_plan_of_which_nothing_is_left_speaks_of_no_ledger(tmp_path: Path):
    recipe, context = recipe_and_context(tmp_path, FOLDER, {"a.jpg": POINTER})
    with pytest.raises(Refusal, match=r"the table says why$"):
        plan(recipe, context)
    with pytest.raises(Refusal, match=r"`bilderatlas why --last` for each record$"):
        run_stages(recipe, context)


def test_a_plan_knows_it_of_an_image(tmp_path: Path):
    recipe, context = recipe_and_context(tmp_path, FOLDER, {"a.jpg": PICTURE, "b.jpg": POINTER})
    assert {reason: count for step in plan(recipe, context) for reason, count in step.dropped.items()} == {
        "not_an_image": 1
    }


@pytest.mark.parametrize(
    ("stage", "fields"),
    [
        pytest.param(
            {"detect": {"model": "yolox", "weights": "weights", "classes": {"person": 0}}},
            {"bound": ["weights"]},
            id="weights",
        ),
        pytest.param({"dedup": {"verdicts": "said"}}, {"bound": ["said"]}, id="verdicts"),
        pytest.param("quality", {"bound": ["hand"], "by_hand": "hand"}, id="a list by hand"),
    ],
)
def test_of_what_a_recipe_binds(stage: Any, fields: dict[str, Any], tmp_path: Path):
    files = {**FILES, **dict.fromkeys(fields["bound"], POINTER)}
    recipe, context = recipe_and_context(tmp_path, FOLDER, files, stage, **fields)
    with pytest.raises(BadInput, match=WORDS):
        check(recipe, context)


def table_at(url: str) -> pa.Table:
    return arrays.read_table("predictions", url, pa.schema([("image", pa.string())]))


@pytest.mark.parametrize(
    ("ending", "read"),
    [
        ("json", lambda url: inputs.read("truth", url, 10**6)),
        ("json", lambda url: read_results("results", Path(url).read_bytes())),
        *((ending, table_at) for ending in ("csv", "tsv", "json", "parquet")),
        *((ending, lambda url: arrays.read_vectors("features", url)) for ending in ("npy", "npz", "parquet")),
        ("yaml", recipe_from_file),
    ],
)
def test_of_what_is_evaluated(ending: str, read: Callable[[str], Any], tmp_path: Path):
    (tmp_path / f"f.{ending}").write_bytes(POINTER)
    with pytest.raises(BadInput, match=WORDS):
        read(str(tmp_path / f"f.{ending}"))


def test_of_a_file_of_a_release(tmp_path: Path):
    recipe, context = recipe_and_context(tmp_path, FOLDER, FILES)
    release = Release(run_stages(recipe, context)[-1].release)
    copy = Path(shutil.copytree(release.url, tmp_path / "copy"))
    (copy / "ledger.parquet").write_bytes(POINTER)
    with pytest.raises(DamagedFile, match=WORDS):
        Release(str(copy)).ledger()
    (copy / "manifest.json").write_bytes(POINTER)
    with pytest.raises(BadInput, match=WORDS):
        Release(str(copy))
