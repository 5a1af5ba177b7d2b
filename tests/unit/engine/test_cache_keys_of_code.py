"""Digests of code. tasks/engine/cache_keys.py reads source files; here its sources are texts."""

from pathlib import Path
from types import ModuleType

import pytest

from tasks.core import components, tickets
from tasks.core.dedup import decide
from tasks.core.export import images
from tasks.core.scrape import sources
from tasks.core.split import decide as split
from tasks.engine import cache_keys
from tasks.io.files import folders

SCRAPE = {
    *(
        "scrape",
        "scrape.sources",
        "scrape.annotations",
        "scrape.voc_annotations",
        "scrape.yolo_annotations",
        "scrape.label_paths",
        "scrape.folder",
        "scrape.records",
        "scrape.table",
        "scrape.cells",
    ),
    *(
        "scrape.attributes",
        "passed_over",
        "scrape.paths",
        "scrape.dates",
        "scrape.date_words",
        "scrape.date_reader",
        "scrape.date_statements",
        "scrape.table_files",
    ),
    "scrape.json_works",
    *(f"names.{name}" for name in ("artist_roles", "maker_words", "matching", "spellings")),
}
OUTLINES = {"coco.box"}
COCO = {
    *("coco", *OUTLINES),
    *(f"coco.{name}" for name in ("source", "source_file", "lossless", "reader", "ids", "keypoints")),
}
TOOLS = {
    "plain_xml",
    *(f"coco.{name}" for name in ("tool_files", "coco_annotator", "cvat", "label_studio")),
    *(f"coco.{name}" for name in ("yolo_texts", "yolo_classes")),
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


source = cache_keys._source


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where digests are kept: empty at first, and then shared by all that a test does."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "bilderatlas" / "code"


def code(monkeypatch: pytest.MonkeyPatch, start: str = "tasks.core.stage", **changed: str) -> str:
    """code_digest of one module, some of whose sources are others; a dot in a name is written as __."""
    texts = {**SOURCES, **{name.replace("__", "."): text for name, text in changed.items()}}
    monkeypatch.setattr(cache_keys, "_source", lambda name: texts[name] if name in texts else source(name))
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


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("tasks.core.rule", "tasks.core.rules.first", id="a module of whose names one is imported"),
        pytest.param("tasks.io.hand", "tasks.io.far.grip", id="a module that is imported from its package"),
        pytest.param("tasks.core.deeper", "tasks.io.depth", id="one far below, into another room"),
    ],
)
def test_another_name_for_a_module_leaves_the_digest_as_it_is(old: str, new: str, monkeypatch: pytest.MonkeyPatch):
    def renamed(text: str) -> str:
        (old_room, _, old_name), (new_room, _, new_name) = old.rpartition("."), new.rpartition(".")
        moved = text.replace(f"from {old_room} import {old_name}", f"from {new_room} import {new_name}")
        return moved.replace(f"from {old} ", f"from {new} ").replace(f"{old_name}.", f"{new_name}.")

    uses = {"tasks__core__stage": STAGE.replace("+ 1", "+ hand.GRIP")}
    moved = {"tasks__core__stage": renamed(uses["tasks__core__stage"]), new.replace(".", "__"): SOURCES[old]}
    package = {} if new == "tasks.io.depth" else {new.rpartition(".")[0].replace(".", "__"): '"""A package."""'}
    rule = {"tasks__core__rule": renamed(SOURCES["tasks.core.rule"])} if new != "tasks.core.rules.first" else {}
    before = code(monkeypatch, **uses)
    after = code(monkeypatch, **moved, **rule, **package)
    assert after == before


def test_the_same_name_from_another_module_changes_the_digest(monkeypatch: pytest.MonkeyPatch):
    both = "from tasks.core.rule import decide\nfrom tasks.core.deeper import LIMIT\n"
    other = "from tasks.core.deeper import decide\nfrom tasks.core.rule import LIMIT\n"
    assert code(monkeypatch, tasks__core__stage=both) != code(monkeypatch, tasks__core__stage=other)


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
            {*(f"dedup.{name}" for name in ("decide", "groups", "preferences", "sizes")), "components", "tables"}
            | {"where", "columns", "texts", "names.matching", "names.spellings"},
            id="from tasks.core import tables, and from tasks.core.dedup.groups",
        ),
        pytest.param(
            split,
            {
                *(f"split.{name}" for name in ("decide", "deal", "batches", "stratify", "units")),
                "split",
                "columns",
                "components",
                "names.spellings",
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
                "export.attribution",
                "export.images",
                "export.ledger",
                "coco.document",
                "markdown",
                "ids",
                "tables",
                *OUTLINES,
                "columns",
                "rights",
                "texts",
            },
            id="inside a room",
        ),
        pytest.param(
            sources,
            {*SCRAPE, *COCO, *TOOLS, "columns", "fetch", "nesting", "tables", "whole_numbers"},
            id="several from one room, and the room",
        ),
    ],
)
def test_all_rules_that_a_rule_imports_are_part_of_its_key(module: ModuleType, expected: set[str]):
    shared = cache_keys._SHARED_RULES | {cache_keys._WORD_LISTS}
    assert collected(module) - shared == {f"tasks.core.{name}" for name in expected}


@pytest.mark.parametrize("rule", ["schemas.file_names", "schemas.stand_ins"])
@pytest.mark.parametrize("user", [sources, folders])
def test_rules_that_core_and_io_share_are_part_of_the_key_of_both(rule: str, user: ModuleType):
    assert rule in collected(user)


def test_lists_of_words_are_part_of_the_key_of_what_reads_them():
    assert cache_keys._WORD_LISTS in collected(sources)
    assert cache_keys._WORD_LISTS not in collected(folders)


def test_a_module_without_a_source_is_an_error():
    with pytest.raises(ImportError, match=r"expected the source of tasks.core.nosuch, got none"):
        cache_keys.code_digest(ModuleType("tasks.core.nosuch"))


# --- kept from one process to the next


def nobody_parses(*_: object) -> None:
    raise AssertionError("expected a digest that is kept, got a file to parse")


def test_a_digest_that_is_kept_is_taken_without_parsing(monkeypatch: pytest.MonkeyPatch, folder: Path):
    before = code(monkeypatch)
    assert len(list(folder.iterdir())) == 1
    monkeypatch.setattr(cache_keys.ast, "parse", nobody_parses)
    assert code(monkeypatch) == before


@pytest.mark.parametrize(
    "kept", [b"", b"[]", b"{}", b"null", b'{"digest": "1", "of": 7}', b'{"of": {"gone": ""}}', b"\xff"]
)
def test_what_was_kept_by_another_hand_is_taken_anew(kept: bytes, monkeypatch: pytest.MonkeyPatch, folder: Path):
    before = code(monkeypatch)
    (place,) = folder.iterdir()
    place.write_bytes(kept)
    assert code(monkeypatch) == before
    assert place.read_bytes() != kept


def test_where_nothing_can_be_kept_it_is_taken_each_time(monkeypatch: pytest.MonkeyPatch, folder: Path):
    before = code(monkeypatch)
    (folder.parent.parent / "a file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder.parent.parent / "a file"))
    assert code(monkeypatch) == before


def test_a_user_without_a_home_needs_none(monkeypatch: pytest.MonkeyPatch):
    before = code(monkeypatch)
    monkeypatch.delenv("XDG_CACHE_HOME")

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(cache_keys.Path, "home", homeless)
    assert code(monkeypatch) == before
