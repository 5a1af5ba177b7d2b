"""Which code is part of which stage's key: a rule that is edited is applied again, wherever it stands.

The shells' own calls of code_digest are read and repeated on edited sources, so a shell that forgets a module is seen.
"""

import ast
import functools
import hashlib
import importlib
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType

import pytest

from tasks.engine import cache_keys
from tasks.subjects import detectors as families

ROOT = Path(__file__).resolve().parents[3]

STAGES: dict[str, tuple[str, str, list[str]]] = {
    # stage: module and name of its digest, and modules whose rules decide what it gives
    "hash": ("tasks.engine.inspection", "CODE", ["core.hash", "io.images.inspection", "io.images.decode"]),
    "quality": ("tasks.quality", "CODE", ["core.quality", "io.images.colour_thumbnails"]),
    "renditions": ("tasks.engine.renditions", "CODE", ["core.renditions", "core.ewa", "io.images.resample"]),
    "library hashes": ("tasks.subjects.library_hashes", "CODE", ["io.images.library_hashes"]),
    "view hashes": ("tasks.subjects.view_hashes", "CODE", ["core.dedup.views", "io.images.thumbnails"]),
    "relations": (
        "tasks.dedup.relate",
        "CODE",
        [
            *("core.dedup.relate", "core.dedup.registration", "core.dedup.views", "core.jit", "io.images.thumbnails"),
            "subjects.second_look",
        ],
    ),
    "neighbours": (
        "tasks.dedup.search",
        "CODE",
        ["core.dedup.search", "core.dedup.search_bands"],
    ),
    "screen": ("tasks.screen", "CODE", ["core.screen", "core.where", "core.tables"]),
    "dedup": (
        "tasks.dedup",
        "CODE",
        ["core.dedup.decide", "core.dedup.preferences", "core.dedup.groups", "core.components", "core.tables"],
    ),
    "sample": ("tasks.sample", "CODE", ["core.sample", "core.tickets", "core.siphash", "core.strata"]),
    "split": (
        "tasks.split",
        "CODE",
        [
            "core.split.decide",
            "core.split.deal",
            "core.split.batches",
            "core.split.stratify",
            "core.split.units",
        ],
    ),
    "records of files": (
        "tasks.scrape",
        "CODE",
        [
            *("core.scrape.sources", "core.scrape.table", "core.scrape.table_files", "core.scrape.json_works"),
            "core.whole_numbers",
            *("core.scrape.cells", "core.scrape.paths", "core.scrape.records", "core.scrape.dates", "core.fetch"),
            *("core.names.artist_roles", "io.files.parquet_files"),
        ],
    ),
    "artists": ("tasks.scrape", "CODE", ["core.names.artists", "core.names.matching"]),
    "styles": ("tasks.scrape", "STYLES", ["core.names.styles", "core.names.matching"]),
    "records of the web": (
        "tasks.scrape.crawl",
        "CODE",
        ["core.scrape.answers", "core.scrape.wikiart", "core.scrape.wikiart_work", "core.scrape.html_pages"],
    ),
    "publication": (
        "tasks.export.content",
        "CODE",
        [
            "core.export.boxes",
            "core.export.digest",
            "core.export.images",
            "core.export.ledger",
            "export.content",
        ],
    ),
}
Edit = Callable[[ast.Module], None]


def digest_of(module: str, name: str) -> Callable[[], str]:
    """What computes the digest that the module has under that name, once more."""
    holder = importlib.import_module(module)
    tree = ast.parse(Path(str(holder.__file__)).read_text(encoding="utf-8"))
    (call,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == [name]
    )
    assert isinstance(call, ast.Call)
    assert ast.unparse(call.func).endswith("code_digest")
    modules = [eval(ast.unparse(argument), vars(holder)) for argument in call.args]
    assert all(isinstance(entry, ModuleType) for entry in modules)
    return lambda: cache_keys.code_digest(*modules)


_SOURCE, _IMPORTS = cache_keys._source, cache_keys._imports


def parsed(name: str) -> ast.Module:
    """The tree of a module as it is."""
    return ast.parse(_SOURCE(name))


def in_short(tree: ast.Module, imports: Iterable[str]) -> str:
    """A module in few lines: a digest of what it says, and its imports. To read all of them each time takes long."""
    said = hashlib.sha256(ast.unparse(cache_keys._without_docstrings(tree)).encode()).hexdigest()
    return "\n".join([f"SAID = '{said}'", *(f"import {imported}" for imported in imports)])


@functools.cache
def short(name: str) -> str:
    """A module as it is, in few lines; lists of words are no module."""
    if name == cache_keys._WORD_LISTS:
        return _SOURCE(name)
    tree = parsed(name)
    return in_short(tree, list(_IMPORTS(tree)))


@pytest.fixture
def edit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str, Edit | None], None]:
    """(module, edit): from now on its source is read with the edit; without one, as it is."""
    edits: dict[str, Edit | None] = {}

    def source(name: str) -> str:
        change = edits.get(name)
        if change is None:
            return short(name)
        tree = parsed(name)
        imports = list(_IMPORTS(tree))
        change(tree)
        return in_short(tree, imports)

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # digests of sources that nobody has are kept there
    monkeypatch.setattr(cache_keys, "_source", source)
    return edits.__setitem__


def functions(module: str) -> list[str]:
    """Names of all functions and methods that a module defines, and that do anything."""
    tree = parsed(module)
    return [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def ends_otherwise(function: str) -> Edit:
    """The function gives nothing, whatever it did before."""

    def edited(tree: ast.Module) -> None:
        (node, *_) = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == function)
        node.body.append(ast.Return(ast.Constant(None)))

    return edited


RULES = [
    pytest.param(stage, f"tasks.{rule}", id=f"{stage}: {rule}")
    for stage, (_, _, rules) in STAGES.items()
    for rule in rules
]


@pytest.mark.parametrize("stage", STAGES)
def test_the_digest_is_the_one_that_the_stage_has_as_its_key(stage):
    module, name, _ = STAGES[stage]
    assert digest_of(module, name)() == getattr(importlib.import_module(module), name)


@pytest.mark.parametrize(("stage", "rule"), RULES)
def test_an_edited_function_is_another_key(stage, rule, edit):
    """Of the first function and of the last: those in between stand in the same tree."""
    module, name, _ = STAGES[stage]
    digest = digest_of(module, name)
    before = digest()
    names = functions(rule)
    assert names, f"expected a rule in {rule}"
    for function in {names[0], names[-1]}:
        edit(rule, ends_otherwise(function))
        assert digest() != before, function
    edit(rule, None)
    assert digest() == before


@pytest.mark.parametrize("stage", ["artists", "styles"])
def test_an_edited_table_is_another_key(stage, edit, monkeypatch):
    """Tables of names are lists of words, which count as much as functions."""
    digest, source = digest_of(*STAGES[stage][:2]), cache_keys._source
    before = digest()
    lists = cache_keys._WORD_LISTS
    monkeypatch.setattr(cache_keys, "_source", lambda name: "{}" if name == lists else source(name))
    assert digest() != before


OTHERS = [
    ("hash", "core.dedup.decide"),
    ("hash", "io.images.colour_thumbnails"),
    ("quality", "core.screen"),
    ("view hashes", "io.images.colour_thumbnails"),
    ("neighbours", "core.dedup.decide"),
    ("dedup", "core.dedup.relate"),
    ("sample", "core.split.batches"),
    ("split", "core.sample"),
    ("split", "core.split.drift"),
    ("styles", "core.names.artists"),
    ("screen", "io.store.store"),
]


@pytest.mark.parametrize(("stage", "rule"), OTHERS)
def test_another_stages_rule_leaves_the_key(stage, rule, edit):
    digest = digest_of(*STAGES[stage][:2])
    before = digest()
    edit(f"tasks.{rule}", ends_otherwise(functions(f"tasks.{rule}")[0]))
    assert digest() == before


# --- what the engine itself computes

OUTSIDE = {
    "artifacts": "shown, not stored",
    "by_hand": "taken anew in each build; what it says is part of the views",
    "cache_keys": "the keys themselves",
    "comparison": "what a person is told of two releases; no content",
    "croissant": "follows from a release's tables; no content",
    "clusters": "whether a cluster is there, and how long it is waited for: no content",
    "events": "what Prefect's server is told; not stored",
    "failures": "what a person is told of a failure",
    "flow_runs": "shown, not stored",
    "ground_truth": "what truths are; the digest of their tables is part of the key",
    "library_hashes": "looks up and stores; what is stored comes from io",
    "detectors": "opens files and chooses which of its modules runs; these are parts of the key",
    "web_client": "who asks, and how politely: no content",
    "refusals": "kept for a person to ask; no build reads it",
    "retries": "when a failed part is tried again: no content",
    "late_imports": "when modules are imported: no content",
    "inspection": "names the columns, which are part of the key; what stands in them comes from core and io",
    "measure": "looks up and stores, whatever is measured",
    "mending": "removes what is damaged, so that it is asked for or computed again",
    "parts": "how many rows at once, which changes nothing (law 1)",
    "prefect_innards": "how Prefect runs; no content",
    "previous": "taken anew in each build; what it says is part of the views",
    "promises": "asks and checks what is published or about to be, and changes nothing of it",
    "roles": "taken anew in each build; what it says is part of the views",
    "progress": "shown, not stored",
    "rate_limits": "who asks, and how politely: no content",
    "reports": "what Prefect's server is told; not stored",
    "retrieve": "which requests are sent; what is asked for again is the recipe's policy",
    "renditions": "looks up and stores; what is stored comes from core and io",
    "rendition_parts": "looks up and stores; what is stored comes from core and io",
    "runs": "where the store is",
    "source_changes": "what a person is told of sources; not stored",
    "steps": "counts, taken anew; looks up and stores decisions, whatever the rule is",
    "terminal": "shown, not stored",
    "thumbnails": "where thumbnails lie; how they are read comes from io",
    "truth": "read anew each time; the digest of what it read is part of the key",
    "workers": "whether a worker may run parts, and what Prefect's server is told: no content",
    "view_hashes": "looks up and stores; what is stored comes from core and io",
    "views": "taken anew in each build; what it counts is part of the views",
}
"""Modules below the shells whose code is part of no key, and why that is right."""


def test_every_module_below_the_shells_is_part_of_a_key_or_has_a_reason_not_to_be():
    """A new module says here whether it holds a rule."""
    rooms = ("page", "subjects", "engine", "orchestration")
    files = [path for room in rooms for path in (ROOT / f"tasks/{room}").rglob("*.py")]
    files = [path for path in files if path.parent.name != "layouts"]  # which write files of people, and cache nothing
    modules = {path.stem if path.stem != "__init__" else path.parent.name for path in files} - {*rooms}
    in_keys = {name.rpartition(".")[2] for names in families._CODE.values() for name in names if ".subjects." in name}
    in_keys |= {rule.rpartition(".")[2] for *_, rules in STAGES.values() for rule in rules if "subjects." in rule}
    assert modules == {*OUTSIDE} | in_keys
    assert not {*OUTSIDE} & in_keys


@pytest.mark.parametrize("family", sorted(families._CODE))
def test_what_a_detector_runs_is_part_of_its_key(family, edit):
    modules = [importlib.import_module(name) for name in families._CODE[family]]
    before = cache_keys.code_digest(*modules)
    for name in families._CODE[family]:
        edit(name, ends_otherwise(functions(name)[-1]))
        assert cache_keys.code_digest(*modules) != before
        edit(name, None)


@pytest.mark.parametrize("name", sorted({name for names in families._CODE.values() for name in names}))
def test_what_is_part_of_a_key_imports_nothing_else_below_the_shells(name):
    """Only tasks.core and tasks.io are followed: a rule of another room that it used would be missed."""
    assert [found for found in _IMPORTS(parsed(name)) if found.startswith(("tasks.engine", "tasks.subjects"))] == []


def test_what_counts_figures_is_core():
    """A view is digested whole, so it may be put together in the engine; arithmetic is a rule all the same."""
    tree = parsed("tasks.engine.views")
    (node,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "figure_counts")
    assert not any(isinstance(entry, ast.BinOp | ast.Compare | ast.For | ast.While) for entry in ast.walk(node))
