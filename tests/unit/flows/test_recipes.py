"""Recipes from files: those that ship, settings changed from outside, and one clear sentence for all that can be
wrong.
"""

import copy
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from flows.recipes import bindings_from_pairs, check_bindings, recipe_from_file
from flows.settings import settings_from_fields, yaml_mapping
from schemas.errors import BadInput
from schemas.recipe import Recipe

SHIPPED = sorted((Path(__file__).resolve().parents[3] / "deployments" / "recipes").glob("*.yaml"))
HEAD = """\
name: small
seed: 7
bindings: {images: a folder}
sources:
  - folder: {name: s, pattern: '{style}/{title}.jpg'}
"""
GOOD = (
    HEAD
    + """\
stages:
  - fetch
  - hash
  - screen: {label: shape, aspect: {least: 0.5, most: 2}}
  - stage: dedup
    radius_bits: 3
  - sample: {at_most: 125}
  - split:
  - export: {}
"""
)


def staged(*stages: str) -> str:
    return HEAD + "stages:\n" + "".join(f"  - {stage}\n" for stage in stages)


def read(folder: Path, text: str | bytes, changes: Sequence[str] = (), **given: Any) -> Recipe:
    file = folder / "r.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return recipe_from_file(str(file), changes, **given)


def complaint(folder: Path, text: str | bytes, changes: Sequence[str] = ()) -> str:
    """The one sentence, without the file's name in front of it."""
    with pytest.raises(BadInput) as caught:
        read(folder, text, changes)
    said = str(caught.value)
    assert "\n" not in said
    assert "pydantic" not in said
    return said.removeprefix(f"{folder / 'r.yaml'}: ")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_recipe_that_ships_loads_by_its_path_and_by_its_name(path: Path, tmp_path: Path, monkeypatch: Any):
    by_path = recipe_from_file(str(path))
    monkeypatch.chdir(tmp_path)
    assert recipe_from_file(path.stem) == by_path
    assert by_path.name == path.stem
    assert by_path.title
    assert by_path.description


def test_recipes_do_ship():
    assert "peopleart" in {path.stem for path in SHIPPED}


def test_a_file_that_is_there_goes_before_a_recipe_that_ships(tmp_path: Path, monkeypatch: Any):
    (tmp_path / "peopleart").write_text(GOOD, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert recipe_from_file("peopleart").name == "small"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # what is no recipe at all
        pytest.param("", ("a mapping with name, sources and stages", "NoneType"), id="an empty file"),
        pytest.param("- small\n", ("a mapping with name, sources and stages", "list"), id="a list"),
        pytest.param("small", ("a mapping with name, sources and stages", "str"), id="a word"),
        pytest.param("name: [", ("expected YAML", "line 1"), id="no YAML"),
        pytest.param(GOOD.replace("seed", "\tseed"), ("expected YAML", "'\\t'", "line 2"), id="a tab before a field"),
        pytest.param(
            GOOD.replace("seed: 7", "seed: !!python/object:os.system {}"),
            ("expected YAML", "os.system"),
            id="YAML that would make Python objects",
        ),
        pytest.param(
            GOOD.replace("seed: 7", "title: 2020-13-45"), ("expected YAML", "month"), id="a date that is none"
        ),
        pytest.param(
            b"name: \xff\xfe\n", ("expected a YAML file in UTF-8", "r.yaml", "byte 6"), id="bytes that are no UTF-8"
        ),
        pytest.param(GOOD.encode("utf-16"), ("expected a YAML file in UTF-8", "byte 0"), id="UTF-16"),
        pytest.param(b"#" * (1 << 20) + b"#", ("a YAML file of at most 1,048,576 bytes", "r.yaml"), id="too long"),
        pytest.param(GOOD + "seed: 8\n", ("each key once, got 'seed' on line 2 and again on line",), id="a seed twice"),
        pytest.param(GOOD.replace("seed: 7", "limit: true"), ("limit: expected a whole number, got True",), id="true"),
        pytest.param(
            GOOD.replace("seed: 7", "max_loss_fraction: false"),
            ("max_loss_fraction: expected a number, got False",),
            id="false for a fraction",
        ),
        pytest.param(
            staged("fetch", "hash", "split: {ratios: {train: true}}", "export"),
            ("stages[2] (split).ratios.train: expected a number, got True",),
            id="true inside a mapping of numbers",
        ),
        pytest.param(
            staged("fetch", "hash", "detect: {model: [yolox]}", "split", "export"),
            ("stages[2] (detect).model: expected text, got ['yolox']",),
            id="a list of models",
        ),
        pytest.param(
            GOOD.replace("seed: 7", "seed: !!bool abc"), ("got 'abc', which is no bool (line 2)",), id="no bool"
        ),
        pytest.param(b"name: a\0b\n", ("expected YAML", "#x0000"), id="a zero byte"),
        # fields
        pytest.param(
            GOOD.replace("seed", "sead"),
            ("sead: expected a known field, got 'sead'; did you mean 'seed'?",),
            id="a typo in a field of the recipe",
        ),
        pytest.param(
            staged("fetch: {max_bites: 3}", "hash", "split", "export"),
            ("stages[0] (fetch).max_bites: expected a known field, got 'max_bites'; did you mean 'max_bytes'?",),
            id="a typo in a setting of a stage",
        ),
        pytest.param(
            GOOD.replace("aspect: {least", "aspect: {leest"),
            ("stages[2] (shape).aspect.leest: expected a known field, got 'leest'; did you mean 'least'?",),
            id="a typo inside a setting of a labelled stage",
        ),
        pytest.param(
            GOOD.replace("pattern", "patern"),
            ("sources[0] (s).patern: expected a known field, got 'patern'; did you mean 'pattern'?",),
            id="a typo in a source's field that must be there, which is no second error",
        ),
        pytest.param(
            GOOD.replace("pattern", "zork"),
            ("sources[0] (s).zork: expected a known field, got 'zork'; known here: name, ", "pattern (and 1 more)"),
            id="a field like none of its place, beside one that is missing",
        ),
        pytest.param(
            staged("fetch: {timeout_s: -1}", "hash", "dedup: {radius: 3}", "split", "export"),
            ("stages[2] (dedup).radius: expected a known field", "did you mean 'radius_bits'? (and 1 more)"),
            id="a typo comes before a wrong value",
        ),
        pytest.param(
            staged("fetch", "hash", "dedup: {at_mots: 3}", "split", "export"),
            ("got 'at_mots'; known here: label, by, radius_bits",),
            id="fields of other stages were not meant",
        ),
        pytest.param(
            GOOD.replace("seed", "colour"),
            ("colour: expected a known field, got 'colour'",),
            id="a field like no other",
        ),
        pytest.param(
            GOOD.replace("seed: 7", "1: 2"),
            ("1: expected text as the name of a field, got 1",),
            id="a field named by a number",
        ),
        pytest.param(GOOD.replace("name: small\n", ""), ("name: expected a value, got none",), id="no name"),
        pytest.param(
            GOOD.replace("stages", "stage"),
            ("stage: expected a known field, got 'stage'; did you mean 'stages'?",),
            id="no stages",
        ),
        # values
        pytest.param(
            GOOD.replace("name: small", "name: Small Set"),
            ("name: expected lower-case letters, digits, - and _", "'Small Set'"),
            id="a name with capitals and a blank",
        ),
        pytest.param(GOOD.replace("name: small", "name: 7"), ("name: expected text, got 7",), id="a number for a text"),
        pytest.param(
            GOOD.replace("seed: 7", "seed: seven"),
            ("seed: expected a whole number", "'seven'"),
            id="a text for a number",
        ),
        pytest.param(
            GOOD.replace("seed: 7", "seed: 1.5"),
            ("seed: expected a whole number", "1.5"),
            id="a fraction for a whole number",
        ),
        pytest.param(
            GOOD.replace("seed: 7", "seed: -1"),
            ("seed: expected 0 or more, got -1",),
            id="a seed below 0",
        ),
        pytest.param(
            GOOD.replace("seed: 7", "seed: .nan"),
            ("seed: expected a finite number, got nan",),
            id="NaN for a whole number",
        ),
        pytest.param(
            GOOD.replace("seed: 7", "max_loss_fraction: .nan"),
            ("max_loss_fraction: expected a finite number, got nan",),
            id="NaN",
        ),
        pytest.param(
            GOOD.replace("seed: 7", "max_loss_fraction: 1.01"),
            ("max_loss_fraction: expected 1 or less, got 1.01",),
            id="more than all",
        ),
        pytest.param(
            GOOD.replace("seed: 7", "limit: 0"),
            ("limit: expected 1 or more, got 0",),
            id="a limit of 0",
        ),
        pytest.param(
            GOOD.replace("seed: 7", "categories: {person: 1}"),
            ("categories: expected a list, got {'person': 1}",),
            id="a mapping for a list",
        ),
        pytest.param(
            GOOD.replace("seed: 7", "categories: []"),
            ("categories: expected 1 or more entries, got none",),
            id="no category",
        ),
        pytest.param(
            GOOD.replace("seed: 7", "categories: [a, a]"),
            ("categories: expected each name once, got 'a' 2 times",),
            id="a category twice",
        ),
        pytest.param(
            GOOD.replace("least: 0.5", "least: .nan"),
            ("stages[2] (shape).aspect.least: expected a finite number, got nan",),
            id="NaN deep inside",
        ),
        pytest.param(
            GOOD.replace("least: 0.5", "least: 3"),
            ("stages[2] (shape).aspect: expected least <= most, got 3.0 > 2.0",),
            id="an aspect that nothing has",
        ),
        pytest.param(
            GOOD.replace("radius_bits: 3", "radius_bits: 17"),
            ("stages[3] (dedup).radius_bits: expected 16 or less, got 17",),
            id="a radius out of range in the long form",
        ),
        pytest.param(
            staged("fetch: {timeout_s: .inf}", "hash", "split", "export"),
            ("stages[0] (fetch).timeout_s: expected a finite number, got inf",),
            id="an endless time-out",
        ),
        pytest.param(
            staged("fetch", "hash", "screen: {figures: {least: 3, most: 1}}", "split", "export"),
            ("stages[2] (screen).figures: expected least <= most, got 3 > 1",),
            id="fewest figures above most",
        ),
        pytest.param(
            staged("fetch", "hash", "screen: {figures: {category: dog}}", "split", "export"),
            ("stages[2] (screen): expected one of categories ['person'], got 'dog'",),
            id="a category that the recipe has not",
        ),
        pytest.param(
            staged("fetch", "hash", "split: {ratios: {trian: 3}}", "export"),
            ("stages[2] (split).ratios.trian: expected 'train', 'val' or 'test', got 'trian'",),
            id="a split that there is not",
        ),
        pytest.param(
            staged("fetch", "hash", "split: {ratios: {train: 0}}", "export"),
            ("stages[2] (split): expected at least one ratio above 0, got {'train': 0.0}",),
            id="a split without a seat",
        ),
        pytest.param(
            staged("fetch", "hash", "detect: {model: yolo}", "split", "export"),
            (
                "stages[2] (detect).model: expected one of yolox, yolov5, yolov8, fastestdet, nanodet, plain, hog, "
                "results, fasterrcnn_resnet50_fpn,",
                "got 'yolo'",
            ),
            id="a model that there is not",
        ),
        pytest.param(
            staged("fetch", "hash", "detect: {model: yolox, classes: {person: -1}}", "split", "export"),
            ("stages[2] (detect).classes.person: expected 0 or more, got -1",),
            id="a class index below 0",
        ),
        pytest.param(
            staged("fetch", "hash", "detect: {model: yolox, classes: {}}", "split", "export"),
            ("stages[2] (detect).classes: expected 1 or more entries, got none",),
            id="a detector of nothing",
        ),
        pytest.param(
            staged("fetch", "hash", "detect: {model: yolox, weights_sha256: ABC}", "split", "export"),
            ("stages[2] (detect).weights_sha256: expected", "'ABC'"),
            id="a digest that is none",
        ),
        # stages
        pytest.param(
            staged("fetch", "dedupe: {radius_bits: 3}", "split", "export"),
            ("stages[1]: expected one of 'fetch', 'hash',", "'dedup'", "got 'dedupe'"),
            id="an unknown stage",
        ),
        pytest.param(
            staged("fetch", "{hash: {}, label: x}", "split", "export"),
            ("stages[1]: expected one word with its settings, got {'hash': {}, 'label': 'x'}",),
            id="a setting that is indented too little",
        ),
        pytest.param(
            staged("fetch", "", "split", "export"),
            ("stages[1]: expected one word with its settings, got None",),
            id="a stage that is a dash alone",
        ),
        pytest.param(
            staged("{stage: []}"), ("stages[0]: expected one of 'fetch'", "got '[]'"), id="a list for a stage's word"
        ),
        pytest.param(
            staged("fetch: 3", "hash", "split", "export"),
            ("stage 'fetch': expected its settings as a mapping, got 3",),
            id="a number for a stage's settings",
        ),
        pytest.param(
            HEAD + "stages: {fetch: {}}", ("stages: expected a list, got {'fetch': {}}",), id="a mapping for the stages"
        ),
        pytest.param(HEAD + "stages: []", ("stages: expected 1 or more entries, got none",), id="no stage"),
        pytest.param(
            staged("fetch", "hash", "screen", "screen", "split", "export"),
            ("stages[].label: expected each name once, got 'screen' 2 times",),
            id="a label twice",
        ),
        pytest.param(
            staged("fetch", "hash", "screen: {label: scrape}", "split", "export"),
            ("stages[].label: expected another word than 'scrape', which names the first step of every build",),
            id="the label of a step that every build has",
        ),
        pytest.param(
            staged("fetch", "hash", "hash: {label: again}", "split", "export"),
            ("stages: expected hash at most once, got it 2 times",),
            id="a measure twice",
        ),
        pytest.param(
            staged("fetch", "dedup", "hash", "split", "export"),
            ("stages[1] (dedup): expected hash before it, got fetch",),
            id="dedup before hash",
        ),
        pytest.param(
            staged("split", "fetch", "hash", "export"),
            ("stages[0] (split): expected fetch before it, got nothing",),
            id="split first",
        ),
        pytest.param(
            staged("fetch", "hash", "export"),
            ("stages[2] (export): expected split before it, got fetch > hash",),
            id="no split",
        ),
        pytest.param(
            staged("fetch", "hash", "split"),
            ("stages: expected one export, as the last stage, got fetch > hash > split",),
            id="no export",
        ),
        pytest.param(
            staged("fetch", "hash", "split", "export", "dedup"),
            ("stages: expected one export, as the last stage",),
            id="a stage behind export",
        ),
        pytest.param(
            staged("fetch", "screen: {least_side_px: 9}", "hash", "split", "export"),
            ("stages[1] (screen): expected hash before it, got fetch",),
            id="a screen of sizes before they are measured",
        ),
        pytest.param(
            staged("fetch", "hash", "screen: {figures: {counted_by: detector}}", "split", "export"),
            ("stages[2] (screen): expected detect before it, got fetch > hash",),
            id="a screen of a detector's figures without a detector",
        ),
        # sources and bindings
        pytest.param(
            HEAD.split("sources")[0] + "sources: []\nstages: [fetch, hash, split, export]",
            ("sources: expected 1 or more entries, got none",),
            id="no source",
        ),
        pytest.param(
            GOOD.replace("folder: {", "louvre: {"),
            ("sources[0]: expected one of 'folder', 'table', 'artic', ", "'wikiart', got 'louvre'"),
            id="an unknown source",
        ),
        pytest.param(
            GOOD.replace("sources:\n", "sources:\n  - folder: {name: s, pattern: x}\n"),
            ("sources[].name: expected each name once, got 's' 2 times",),
            id="two sources of one name",
        ),
        pytest.param(
            GOOD.replace("{style}", "{1st}"),
            ("sources[0] (s): pattern: expected fields that begin with a letter, got '{1st}'",),
            id="a field that begins with a digit",
        ),
        pytest.param(
            GOOD.replace("images: a folder", "weights: a file"),
            ("bindings: expected an entry that says what 'images' is, got ['weights']",),
            id="a folder without a binding",
        ),
        pytest.param(
            GOOD.replace("bindings: {images: a folder}\n", ""),
            ("bindings: expected an entry that says what 'images' is, got none",),
            id="no bindings",
        ),
        pytest.param(
            staged("fetch", "hash", "detect: {model: yolox, weights: onnx}", "split", "export"),
            ("bindings: expected an entry that says what 'onnx' is, got ['images']",),
            id="weights without a binding",
        ),
        pytest.param(
            GOOD.replace("images: a folder", "images: a folder, contact: whom to write to, by_hand: a list"),
            (
                "bindings: expected each to be used, got 'by_hand', which nothing in the recipe names "
                "(for a list by hand write `by_hand: by_hand`)",
            ),
            id="a list by hand that nobody would read",
        ),
        pytest.param(
            GOOD.replace("images: a folder", "Images: a folder"),
            ("bindings.Images: expected", "'Images'"),
            id="a binding with a capital",
        ),
        pytest.param(
            GOOD.replace("name: s,", "name: s, rights: {uri: 'https://example.org/mine'},"),
            ("sources[0] (s).rights.uri: expected", "creativecommons", "'https://example.org/mine'"),
            id="rights by an address of one's own",
        ),
        pytest.param(
            GOOD.replace(
                "name: s,",
                "name: s, rights: {uri: 'https://creativecommons.org/publicdomain/zero/1.0/', because: old},",
            ),
            ("sources[0] (s).rights: expected asserted_by and because", "publicdomain/zero", "got no asserted_by"),
            id="rights that nobody asserts",
        ),
        pytest.param(
            GOOD.replace(
                "folder: {name: s, pattern: '{style}/{title}.jpg'}",
                "table: {name: s, table: w.csv, columns: {key: id}}",
            ),
            ("sources[0] (s): expected columns for key and image, got none for image",),
            id="a table without a column for the image",
        ),
        pytest.param(
            GOOD.replace(
                "folder: {name: s, pattern: '{style}/{title}.jpg'}",
                "table: {name: s, table: w.csv, columns: {key: id, image: f, size: w}}",
            ),
            ("sources[0] (s).columns.size: expected 'key', ", "'image', ", "got 'size'"),
            id="a column for a field that there is not",
        ),
    ],
)
def test_a_bad_recipe_gives_one_sentence_with_field_value_and_expectation(
    text: str | bytes, said: tuple[str, ...], tmp_path: Path
):
    got = complaint(tmp_path, text)
    assert "expected" in got
    for part in said:
        assert part in got


def test_a_hundred_unknown_fields_are_told_at_once(tmp_path: Path):
    text = GOOD + "".join(f"zork_{number}: 1\n" for number in range(100))
    began_s = time.process_time()
    got = complaint(tmp_path, text)
    assert time.process_time() - began_s < 2
    assert got.startswith("zork_0: expected a known field, got 'zork_0'; known here: ")
    assert got.endswith("(and 99 more)")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("nosuch", id="a name that none has"),
        pytest.param("", id="nothing"),
        pytest.param(".", id="a folder"),
        pytest.param("x" * 300, id="a name longer than names can be"),
        pytest.param("a\0b", id="a name that no file can have"),
    ],
)
def test_a_path_without_a_recipe_gives_one_sentence(path: str):
    with pytest.raises(BadInput, match=r"^recipe: expected a YAML file( or one of artbench, met, .*)?, got '"):
        recipe_from_file(path)


def test_a_pipe_for_a_recipe_is_not_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match=r"^recipe: expected a YAML file, got '.*pipe', which is no regular file$"):
        recipe_from_file(str(tmp_path / "pipe"))


def test_an_unknown_name_is_answered_with_the_names_that_ship():
    with pytest.raises(BadInput) as caught:
        recipe_from_file("peoplart")
    names = ", ".join(sorted(path.stem for path in SHIPPED))
    assert str(caught.value) == f"recipe: expected a YAML file or one of {names}, got 'peoplart'"


@pytest.mark.parametrize(
    ("change", "where", "value"),
    [
        pytest.param(
            "stages.shape.aspect.least=0.25",
            lambda r: r.stage("shape").aspect.least,
            0.25,
            id="a setting inside a setting",
        ),
        pytest.param(
            "stages.shape.figures.score=0.7",
            lambda r: r.stage("shape").figures and r.stage("shape").figures.score,
            0.7,
            id="a setting inside one that the recipe left out",
        ),
        pytest.param(
            "stages.shape.aspect=null", lambda r: r.stage("shape").aspect, None, id="a whole setting taken away"
        ),
        pytest.param(
            "stages.shape.aspect={least: 1, most: 1}",
            lambda r: r.stage("shape").aspect.most,
            1.0,
            id="a whole setting as YAML",
        ),
        pytest.param(
            "stages.fetch.max_bytes=5", lambda r: r.stage("fetch").max_bytes, 5, id="a stage that is only its word"
        ),
        pytest.param(
            "stages.split.by=null", lambda r: r.stage("split").by, (), id="a stage with nothing behind the colon"
        ),
        pytest.param("stages.split.by=", lambda r: r.stage("split").by, (), id="nothing is null"),
        pytest.param(
            "stages.dedup.radius_bits=0", lambda r: r.stage("dedup").radius_bits, 0, id="a stage in the long form"
        ),
        pytest.param(
            "stages.sample.seed=11",
            lambda r: (r.seed, r.stage("sample").seed, r.stage("split").seed),
            (7, 11, 7),
            id="one draw's own seed",
        ),
        pytest.param(
            "seed=11",
            lambda r: (r.seed, r.stage("sample").seed, r.stage("split").seed),
            (11, 11, 11),
            id="the recipe's seed is that of its draws",
        ),
        pytest.param(
            "sources.s.pattern='{title}.png'", lambda r: r.sources[0].pattern, "{title}.png", id="a source by its name"
        ),
        pytest.param("title=a=b", lambda r: r.title, "a=b", id="a value with an equals sign"),
        pytest.param("title='7'", lambda r: r.title, "7", id="a number as text"),
        pytest.param(
            "bindings.contact=a curator", lambda r: r.bindings.get("contact"), "a curator", id="one more binding"
        ),
        pytest.param("categories=[person, dog]", lambda r: r.category_names, ("person", "dog"), id="a list as YAML"),
    ],
)
def test_a_setting_can_be_changed_from_outside(change: str, where: Any, value: Any, tmp_path: Path):
    assert where(read(tmp_path, GOOD)) != value
    assert where(read(tmp_path, GOOD, [change])) == value


def test_a_change_is_the_recipe_with_that_setting_and_nothing_else(tmp_path: Path):
    assert read(tmp_path, GOOD, ["stages.sample.at_most=9"]) == read(
        tmp_path, GOOD.replace("at_most: 125", "at_most: 9")
    )


def test_the_last_of_two_changes_counts(tmp_path: Path):
    assert read(tmp_path, GOOD, ["seed=1", "seed=2"]).seed == 2


def test_limit_and_seed_go_before_what_the_recipe_and_its_changes_say(tmp_path: Path):
    built = read(tmp_path, GOOD, ["seed=1", "limit=1"], limit=5, seed=0)
    assert (built.limit, built.seed, built.stage("split").seed) == (5, 0, 0)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param("seed", ("--set: expected stages.<label>.<field>=VALUE, got 'seed'",), id="no equals sign"),
        pytest.param(
            "stages.fetch=3",
            ("--set: expected stages.<label>.<field>=VALUE, got 'stages.fetch=3'",),
            id="no field of the stage",
        ),
        pytest.param(
            "stages.shap.aspect=1",
            ("expected the label of a stage", "'shape'", "got 'shap' in 'stages.shap.aspect=1'"),
            id="a label that none has",
        ),
        pytest.param(
            "stages.screen.aspect=1",
            ("expected the label of a stage", "got 'screen'"),
            id="the word of a stage with a label of its own",
        ),
        pytest.param(
            "sources.wall.at=vault",
            ("expected the name of a source, one of ['s']", "got 'wall' in 'sources.wall.at=vault'"),
            id="a source that none is called",
        ),
        pytest.param(
            "sources.s=3", ("--set: expected sources.<name>.<field>=VALUE, got",), id="no field of the source"
        ),
        pytest.param("stages.0.aspect=1", ("expected the label of a stage", "got '0'"), id="a number"),
        pytest.param("seed=[", ("--set seed: expected a YAML value, got '['",), id="a value that is no YAML"),
        pytest.param(
            "title=2020-13-45", ("--set title: expected a YAML value, got '2020-13-45'",), id="a date that is none"
        ),
        pytest.param(
            "name.first=x",
            ("--set: expected 'name' in 'name.first' to hold fields, got 'small'",),
            id="a field inside a text",
        ),
        pytest.param(
            "stages.sample.at_most.x=1",
            ("--set: expected 'at_most' in", "to hold fields, got 125"),
            id="a field inside a number",
        ),
        pytest.param(
            "stages.sample.at_mots=1",
            ("stages[4] (sample).at_mots: expected a known field", "did you mean 'at_most'?"),
            id="a typo in a setting",
        ),
        pytest.param(
            "stages.sample.at_most=many",
            ("stages[4] (sample).at_most: expected a whole number", "'many'"),
            id="a value of another type",
        ),
        pytest.param(
            "sead=1",
            ("sead: expected a known field, got 'sead'; did you mean 'seed'?",),
            id="a typo in the recipe's own field",
        ),
        pytest.param(
            "stages.shape.where={style: [[1]]}",
            ("(shape).where.style.is.0: expected true or false or a whole number or a number or text, got [1]",),
            id="a value that is a list",
        ),
        pytest.param(
            "stages.shape.where={yeer: 1850}",
            ("stages[2] (shape).where: expected an attribute or a column of records", "did you mean 'year'?"),
            id="a condition on a column that is none",
        ),
        pytest.param(
            "stages.split.roles={by: style}", ("(split).roles.gallery: expected a value, got none",), id="no gallery"
        ),
        pytest.param("=1", ("--set: expected stages.<label>.<field>=VALUE, got '=1'",), id="no field at all"),
    ],
)
def test_a_bad_change_gives_one_sentence(change: str, said: tuple[str, ...], tmp_path: Path):
    got = complaint(tmp_path, GOOD, [change])
    for part in said:
        assert part in got


@pytest.mark.parametrize(
    "stages",
    [
        pytest.param("  - fetch: 3\n  - hash\n", id="settings that are a number"),
        pytest.param("  - [fetch]\n  - hash\n", id="a stage that is a list"),
        pytest.param("  -\n  - hash\n", id="a stage that is nothing"),
    ],
)
def test_a_change_to_one_stage_does_not_hide_that_another_is_none(stages: str, tmp_path: Path):
    assert "expected" in complaint(tmp_path, HEAD + "stages:\n" + stages, ["stages.hash.kind=phash64"])


def test_a_change_to_a_recipe_without_stages_gives_one_sentence(tmp_path: Path):
    assert complaint(tmp_path, HEAD, ["stages.hash.kind=x"]).startswith(
        "--set: expected the label of a stage, one of []"
    )


@pytest.mark.parametrize(
    ("pairs", "bound"),
    [
        pytest.param(["a=/x=y"], {"a": "/x=y"}, id="the first equals sign parts name and value"),
        pytest.param(["a=1", "a=2"], {"a": "2"}, id="the last of one name counts"),
        pytest.param([], {}, id="none"),
    ],
)
def test_bindings_are_read_from_pairs(pairs: list[str], bound: dict[str, str]):
    assert bindings_from_pairs(pairs) == bound


def test_a_pair_without_an_equals_sign_gives_one_sentence():
    with pytest.raises(BadInput, match=r"^--bind: expected NAME=VALUE, got 'images'$"):
        bindings_from_pairs(["a=b", "images"])


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        pytest.param(
            {},
            "binding 'images': expected --bind images=VALUE, got none (the recipe says of 'images': a folder)",
            id="nothing bound",
        ),
        pytest.param(
            {"images": ""},
            "binding 'images': expected --bind images=VALUE, got an empty value (the recipe says of 'images': a "
            "folder)",
            id="bound to nothing",
        ),
        pytest.param(
            {"image": "/x"},
            "binding 'image': expected 'images', the only one that the recipe names, got 'image'; did you mean "
            "'images'?",
            id="a slip of the pen, which comes first",
        ),
        pytest.param(
            {"images": "/x", "zork": "/x"},
            "binding 'zork': expected 'images', the only one that the recipe names, got 'zork'",
            id="one too many",
        ),
    ],
)
def test_exactly_what_the_recipe_names_must_be_bound(bound: dict[str, str], said: str):
    recipe: Any = SimpleNamespace(bindings={"images": "a folder"})
    check_bindings(recipe, {"images": "/x"})
    with pytest.raises(BadInput) as caught:
        check_bindings(recipe, bound)
    assert str(caught.value) == said


def test_a_recipe_that_names_nothing_has_nothing_to_bind():
    recipe: Any = SimpleNamespace(bindings={})
    with pytest.raises(
        BadInput, match=r"^binding 'images': expected no --bind, since the recipe names no bindings, got 'images'$"
    ):
        check_bindings(recipe, {"images": "/x"})


_LONG = "k" * 100_000
ODD_VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    1 << 255,
    float("inf"),
    1e300,
    "",
    " ",
    "a\nb",
    _LONG,
    [],
    [[]],
    {},
    {_LONG: 1},
    {"stage": ["x"]},
    {1: 2, None: 3},
    [_LONG] * 50,
    {"a": {"b": [{"c": []}] * 1000}},
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to each value in a recipe, from the outside in."""
    yield path
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places(value[key], (*path, key))


def with_value(fields: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    changed = copy.copy(fields)
    changed[path[0]] = with_value(fields[path[0]], path[1:], value)
    return changed


def complaint_about(fields: Any) -> str:
    """What is wrong with the fields; empty if nothing is."""
    try:
        settings_from_fields(Recipe, fields, "r.yaml")
    except BadInput as problem:
        return str(problem)
    return ""


@pytest.mark.parametrize("name", ["museum", "artbench"])
def test_whatever_stands_at_any_place_of_a_recipe_is_a_setting_or_one_short_sentence(name: str):
    path = next(path for path in SHIPPED if path.stem == name)
    fields = yaml_mapping(path.read_text(encoding="utf-8"), path.name, "fields")
    for place in [*places(fields)][1:]:
        for value in ODD_VALUES:
            said = complaint_about(with_value(fields, place, value))
            assert "\n" not in said, place
            assert len(said) < 1500, place
            assert "expected" in said or not said, place
