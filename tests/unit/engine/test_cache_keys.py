"""Keys: what an answer depends on. tasks/engine/cache_keys.py reads source files; here its sources are texts."""

import ast
import hashlib
from types import ModuleType
from typing import Any

import pytest

from schemas.stages import Dedup
from tasks.core import components, tickets
from tasks.core.dedup import decide
from tasks.core.export import images
from tasks.core.scrape import sources
from tasks.core.split import decide as split
from tasks.engine import cache_keys

# --- settings


def test_a_key_is_the_digest_of_its_parts_by_name():
    assert cache_keys.cache_key(b=1, a="x") == hashlib.sha256(b'{"a": "x", "b": 1}').hexdigest()
    assert cache_keys.cache_key() == hashlib.sha256(b"{}").hexdigest()


def test_the_order_in_which_parts_are_named_changes_nothing():
    assert cache_keys.cache_key(a={"x": 1, "y": 2}, b=3) == cache_keys.cache_key(b=3, a={"y": 2, "x": 1})


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param({"a": 2}, id="another value"),
        pytest.param({"b": 1}, id="another name"),
        pytest.param({"a": 1, "b": None}, id="one more"),
        pytest.param({"a": "1"}, id="another type"),
        pytest.param({"a": [1]}, id="a list of it"),
    ],
)
def test_each_part_makes_another_key(parts: dict[str, Any]):
    assert cache_keys.cache_key(**parts) != cache_keys.cache_key(a=1)


def test_settings_are_their_values_defaults_among_them():
    assert cache_keys.cache_key(s=Dedup(label="d")) == cache_keys.cache_key(s=Dedup(label="d", radius_bits=12))
    assert cache_keys.cache_key(s=Dedup(label="d")) != cache_keys.cache_key(s=Dedup(label="d", radius_bits=5))


def test_what_is_no_json_can_be_no_part():
    with pytest.raises(TypeError):
        cache_keys.cache_key(a={1, 2})


# --- code

SCRAPE = {
    *("scrape", "scrape.sources", "scrape.voc", "scrape.folder", "scrape.records", "scrape.table", "scrape.cells"),
    *("scrape.attributes", "scrape.paths", "scrape.dates", "scrape.date_words", "scrape.table_files"),
    *("scrape.elements", "scrape.json_works"),
    *("names.artist_roles", "names.qualifiers", "names.matching", "names.known_artists"),
}
OUTLINES = {"coco.segmentation", "coco.box"}
COCO = {
    *("coco", *OUTLINES),
    *(f"coco.{name}" for name in ("source", "source_file", "lossless", "reader", "ids", "keypoints")),
}

STAGE = '''
"""What it is."""
import json
from tasks.core.rule import decide  # the rule
from tasks.io import hand
import schemas.tables

def shell(x):
    """Do it."""
    return decide(x) + 1
'''
SOURCES = {
    "tasks.core.stage": STAGE,
    "tasks.core.rule": "from tasks.core.deeper import LIMIT\n\ndef decide(x):\n    return x * LIMIT\n",
    "tasks.core.deeper": '"""Says how much."""\nLIMIT = 3\n',
    "tasks.io.hand": "GRIP = 1\n",
}


def code(monkeypatch: pytest.MonkeyPatch, start: str = "tasks.core.stage", **changed: str) -> str:
    """code_digest of one module, some of whose sources are others; a dot in a name is written as __."""
    texts = {**SOURCES, **{name.replace("__", "."): text for name, text in changed.items()}}
    monkeypatch.setattr(cache_keys, "_parsed", lambda name: ast.parse(texts[name]))
    monkeypatch.setattr(cache_keys, "_is_module", lambda name: name in texts)
    return cache_keys.code_digest(ModuleType(start))


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        pytest.param("tasks.core.stage", "  # the rule", "", id="a comment"),
        pytest.param("tasks.core.stage", '"""What it is."""\n', '"""What it is not."""\n', id="the module's docstring"),
        pytest.param("tasks.core.stage", '"""Do it."""', '"""Do it well."""', id="a function's docstring"),
        pytest.param("tasks.core.stage", '    """Do it."""\n', "", id="a docstring that is gone"),
        pytest.param("tasks.core.stage", "decide(x) + 1", "(decide( x )+1)", id="blanks and brackets"),
        pytest.param("tasks.core.deeper", '"""Says how much."""\n', "# says how much\n\n", id="a docstring far below"),
    ],
)
def test_what_only_people_read_leaves_the_digest_as_it_is(
    module: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
):
    assert old in SOURCES[module]
    changed = {module.replace(".", "__"): SOURCES[module].replace(old, new)}
    assert code(monkeypatch, **changed) == code(monkeypatch)


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        pytest.param("tasks.core.stage", "+ 1", "+ 2", id="a number"),
        pytest.param("tasks.core.stage", "def shell(x)", "def shell(x, y=None)", id="an argument"),
        pytest.param("tasks.core.stage", "return decide(x) + 1", 'return "decide(x) + 1"', id="a text that is a value"),
        pytest.param("tasks.core.rule", "x * LIMIT", "x + LIMIT", id="the rule that it imports"),
        pytest.param("tasks.core.deeper", "3", "4", id="what the rule imports"),
        pytest.param("tasks.io.hand", "1", "2", id="a module that it imports from a package"),
    ],
)
def test_what_the_program_reads_changes_the_digest(module: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch):
    assert old in SOURCES[module]
    changed = {module.replace(".", "__"): SOURCES[module].replace(old, new)}
    assert code(monkeypatch, **changed) != code(monkeypatch)


def test_modules_that_import_each_other_are_read_once_each(monkeypatch: pytest.MonkeyPatch):
    rings = {"tasks__core__deeper": "import tasks.core.rule\nLIMIT = 3\n"}
    assert code(monkeypatch, **rings) != code(monkeypatch)


def test_where_an_answer_lies_changes_nothing(monkeypatch: pytest.MonkeyPatch):
    imports = {"tasks__io__hand": "import tasks.io.store.layout\nGRIP = 1\n"}
    before = code(monkeypatch, tasks__io__store__layout="X = 1", **imports)
    assert code(monkeypatch, tasks__io__store__layout="X = 2", **imports) == before


def test_code_that_nothing_imports_changes_nothing(monkeypatch: pytest.MonkeyPatch):
    assert code(monkeypatch, tasks__core__other="X = 1") == code(monkeypatch)
    assert code(monkeypatch, "tasks.core.rule", tasks__core__stage="X = 1") == code(monkeypatch, "tasks.core.rule")


def test_the_order_of_modules_changes_nothing():
    assert cache_keys.code_digest(decide, split) == cache_keys.code_digest(split, decide)
    assert cache_keys.code_digest(decide) != cache_keys.code_digest(split)


def collected(*modules: ModuleType) -> set[str]:
    found: dict[str, str] = {}
    for module in modules:
        cache_keys._collect(module.__name__, found)
    return set(found)


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        pytest.param(components, {"components"}, id="a rule that imports no other"),
        pytest.param(tickets, {"tickets", "siphash", "jit"}, id="inside a function"),
        pytest.param(
            decide,
            {"dedup.decide", "dedup.groups", "dedup.scores", "dedup.weights", "components", "tables"},
            id="from tasks.core import tables, and from tasks.core.dedup.groups",
        ),
        pytest.param(
            split,
            {
                *(f"split.{name}" for name in ("decide", "deal", "own", "batches", "groups", "seats", "units")),
                "split",
                "columns",
                "components",
                "tickets",
                "siphash",
                "jit",
                "strata",
                "tables",
            },
            id="split",
        ),
        pytest.param(
            images,
            {
                "export.images",
                "export.copies",
                "coco.document",
                "coco.entries",
                *OUTLINES,
                "columns",
                "rights",
                "texts",
            },
            id="inside a room",
        ),
        pytest.param(
            sources, {*SCRAPE, *COCO, "columns", "fetch", "nesting", "tables"}, id="several from one room, and the room"
        ),
    ],
)
def test_all_rules_that_a_rule_imports_are_part_of_its_key(module: ModuleType, expected: set[str]):
    assert collected(module) == {f"tasks.core.{name}" for name in expected}


def test_a_module_without_a_source_is_an_error():
    with pytest.raises(ImportError, match=r"expected the source of tasks.core.nosuch, got none"):
        cache_keys.code_digest(ModuleType("tasks.core.nosuch"))
