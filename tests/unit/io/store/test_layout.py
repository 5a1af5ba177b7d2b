"""The table of the store: complete, the only place that spells paths, and the same in the docs."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.recipe import _reserved
from tasks.io.store import layout
from tasks.io.store.layout import AREAS, PurgeRule

ROOT = Path(__file__).resolve().parents[4]
TOPS = sorted({area.root.partition("/")[0] for area in AREAS})
KEY = "0123abcd"
PATHS = {
    layout.blob_path("ab" * 32): "blobs/<first two digits>/<sha256>",
    f"{layout.DOWNLOADS}/1.parquet": "retrievals/web-images/",
    f"{layout.answers_folder('met')}/1.parquet": "retrievals/<source>-web/",
    f"{layout.listings_folder('met')}/1.parquet": "retrievals/<source>-answers/",
    f"{layout.images_folder('met')}/1{layout.JOURNAL_SUFFIX}": "retrievals/<source>/",
    f"{layout.measure_folder('hash', KEY)}/1.parquet": "measures/hash/<cache key>/",
    f"{layout.measure_folder('search-pairs', KEY, 's')}/1.parquet": "measures/search-pairs/<cache key>/<search>/",
    f"{layout.measure_folder('local-near', KEY, '0', '1')}/1": "measures/local-near/<cache key>/<range>/<list>/",
    f"{layout.decision_folder('split', KEY)}/1.parquet": "decisions/<decision>/<cache key>/",
    f"{layout.outcome_folder('search-hashes')}/1.parquet": "outcomes/search-hashes/",
    f"{layout.outcome_folder('split')}/1.parquet": "outcomes/<stage>/",
    layout.latest_path("small"): "releases/<dataset>/",
    f"{layout.release_folder('small', 'v')}/manifest.json": "releases/<dataset>/",
    layout.tombstones_path("small"): "tombstones/<dataset>.parquet",
    f"{layout.checkpoints_folder(layout.training_folder(KEY))}/1": "trainings/<cache key>/",
    layout.scratch_path("x"): "tmp/",
}


@pytest.mark.parametrize(("path", "pattern"), PATHS.items())
def test_each_path_belongs_to_its_area(path: str, pattern: str):
    area = layout.area_of(path)
    assert area is not None
    assert area.pattern == pattern


@pytest.mark.parametrize(
    "path", ["measures/hash", "measures/other/k/1.parquet", "blobs/ab", "tombstones/x", "x", "", "retrievals/1.parquet"]
)
def test_other_paths_belong_to_none(path: str):
    assert layout.area_of(path) is None


@given(st.lists(st.from_regex(r"\A[a-z0-9][a-z0-9_-]{0,9}\Z") | st.sampled_from(["a", "a-web", "web"]), max_size=6))
def test_sources_that_a_recipe_may_have_share_no_folder(names: list[str]):
    allowed = {name for name in names if not any(_reserved([name]))}
    functions = layout.images_folder, layout.listings_folder, layout.answers_folder
    folders = [function(name) for name in allowed for function in functions]
    assert len({*folders, layout.DOWNLOADS}) == len(folders) + 1
    for name in allowed:
        found = [layout.area_of(f"{function(name)}/1.parquet") for function in functions]
        assert [area and area.pattern for area in found] == [
            "retrievals/<source>/",
            "retrievals/<source>-answers/",
            "retrievals/<source>-web/",
        ]


def test_a_path_gives_back_what_the_pattern_names():
    area = layout.area_of("retrievals/met-web/1.parquet")
    assert area is not None
    assert area.match("retrievals/met-web/1.parquet") == {"source": "met"}
    assert area.match("retrievals/met/1.parquet") is None


def test_a_measure_that_is_not_in_the_table_can_not_be_written():
    with pytest.raises(ValueError, match=r"expected a measure of the table in .*, got 'embeddings': add it there"):
        layout.measure_folder("embeddings", KEY)


@pytest.mark.parametrize("area", AREAS, ids=lambda area: area.pattern)
def test_every_area_says_what_purge_needs_to_know(area: layout.Area):
    assert isinstance(area.purge, PurgeRule)
    assert area.holds.endswith(".")
    assert area.owner
    rules_with_columns = {
        PurgeRule.DROP_REQUESTS,
        PurgeRule.DROP_ANSWERS,
        PurgeRule.REMOVE_BY_HASH,
        PurgeRule.DROP_ROWS,
        PurgeRule.DROP_POINTERS,
    }
    assert bool(area.columns) is (area.purge in rules_with_columns)
    assert not area.hash_column or area.columns == ("sha256",)
    assert area.root.partition("/")[0] in TOPS


def test_the_docs_show_the_table():
    page = (ROOT / "docs/store.md").read_text(encoding="utf-8")
    table = "| path | written by | holds | can be computed again | `purge` | `prune` |\n|---|---|---|---|---|---|\n"
    for area in AREAS:
        is_recomputable = "yes" if area.is_recomputable else "no"
        row = (f"`{area.pattern}`", area.owner, area.holds, is_recomputable, area.purge, area.prune)
        table += f"| {' | '.join(row)} |\n"
    assert table in page, f"copy this into docs/store.md:\n{table}"
    assert all(f"`{area.pattern}`" in page for area in AREAS)


@pytest.mark.parametrize(
    ("folders", "expected"),
    [
        pytest.param({}, [], id="an empty store"),
        pytest.param({"": ["blobs", "measures", "tmp"], "measures": ["hash", "detect"]}, [], id="known folders"),
        pytest.param({"": ["retrievals"], "retrievals": ["anything-web", "x"]}, [], id="any source"),
        pytest.param({"": ["measures"], "measures": ["hash", "b", "a"]}, ["measures/a", "measures/b"], id="measures"),
        pytest.param({"": ["notes", "blobs"]}, ["notes"], id="a folder of somebody"),
        pytest.param({"": [".DS_Store", ".git"]}, [], id="hidden files of other programs"),
    ],
)
def test_unknown_entries_of_a_store(folders: dict[str, list[str]], expected: list[str]):
    assert layout.unknown_entries(lambda folder: folders.get(folder, [])) == expected


def test_no_other_file_spells_a_path_of_the_store():
    files = [*(ROOT / "tasks").rglob("*.py"), *(ROOT / "flows").rglob("*.py")]
    assert len(files) > 100
    spelled = [
        f"{path.relative_to(ROOT)}:{line}: {text!r}"
        for path in sorted(files)
        if path != Path(layout.__file__)
        for line, text in spelled_paths(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert spelled == [], "use a function of tasks/io/store/layout.py"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('x = f"measures/hash/{key}"', ["measures/hash/"]),
        ('x = f"{root}/releases/{name}"', ["/releases/"]),
        ('store.list_folder("releases")', ["releases"]),
        ('top = "blobs"', []),
        ('"""releases/<name>: a docstring"""', []),
        ('def f():\n    """blobs/ are kept."""', []),
        ('x = "measures of both"', []),
    ],
)
def test_the_search_for_paths_finds_them(source: str, expected: list[str]):
    assert [text for _, text in spelled_paths(ast.parse(source))] == expected


def spelled_paths(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, text) of each string, but docstrings, with the path of an area, or that names one's folder to a call."""
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    arguments = {argument for node in ast.walk(tree) if isinstance(node, ast.Call) for argument in node.args}
    path = re.compile(rf"(^|/)({'|'.join(TOPS)})/")
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            is_folder = node in arguments and node.value in TOPS
            if is_folder or path.search(node.value):
                yield node.lineno, node.value
