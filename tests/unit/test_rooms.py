"""The rooms: the front of tasks, how deep imports go, and where docs/architecture.md sends a newcomer."""

import ast
import functools
import re
from pathlib import Path

import pytest

from schemas.sources.common import FileSource, Source, WebSource
from schemas.stages import STAGES

SOURCES = (Source, FileSource, WebSource, *FileSource.__subclasses__(), *WebSource.__subclasses__())
ROOT = Path(__file__).resolve().parents[2]
COMMANDS = {
    "contract",
    "diff",
    "verify",
    "why",
    "purge",
    "evaluate",
    "train",
    "unpack",
    "prune",
    "schema",
    "statistics",
}
SHARED = ("page", "subjects", "engine", "orchestration")
ARCHITECTURE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_name(path): path for room in ("flows", "tasks", "schemas") for path in (ROOT / room).rglob("*.py")}


@functools.cache
def imports(module: str) -> frozenset[str]:
    """Modules of ours that a module imports, inside functions too."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {entry.name for entry in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            within = {f"{node.module}.{entry.name}" for entry in node.names}
            names |= (within & MODULES.keys()) or {node.module}
    return frozenset((names & MODULES.keys()) - {module})


def is_front(module: str) -> bool:
    """Whether a module is a shell or of the engine."""
    return module.startswith("tasks.") and module.split(".")[1] not in {"core", "io"}


@functools.cache
def longest_chain(module: str) -> tuple[str, ...]:
    """The longest chain of imports among shells and engine that begins with the module."""
    chains = [longest_chain(other) for other in imports(module) if is_front(other)]
    return (module, *max(chains, key=len, default=()))


def test_every_file_at_the_front_of_tasks_is_a_stage_or_a_command():
    from flows.builds import SHELLS

    entries = {
        path.stem for path in (ROOT / "tasks").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert entries - {"__init__", *SHARED, "core", "io"} == {"scrape", *SHELLS, *COMMANDS}


def test_nobody_asks_a_stage_or_a_source_what_it_is():
    """What a stage or source is asked stands in its class; `Recipe.stages_of` gives the stages of one's own kind."""
    kinds = {kind.__name__ for kind in (*STAGES.values(), *SOURCES)}
    found = [
        f"{module}:{node.lineno}"
        for module, path in MODULES.items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance"
        if {name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name)} & kinds
    ]
    assert not found


def test_a_type_of_one_name_is_one_type():
    places: dict[str, list[str]] = {}
    for path in [*(path for room in ("flows", "tasks", "schemas") for path in (ROOT / room).rglob("*.py"))]:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_module_imports_itself_by_way_of_others():
    """Also within functions: a late import hides a circle."""
    left = {module: imports(module) for module in MODULES}
    while free := [module for module, needed in left.items() if not needed & left.keys()]:
        for module in free:
            del left[module]
    assert not left


def test_no_chain_of_imports_among_shells_and_engine_is_longer_than_six():
    longest = max((longest_chain(module) for module in MODULES if is_front(module)), key=len)
    assert len(longest) <= 6, " > ".join(longest)


def additions() -> list[tuple[str, list[str]]]:
    """The rows of "Where does it go?": what is added, and the paths that the row names."""
    section = ARCHITECTURE.partition("## Where does it go?")[2].partition("\n## ")[0]
    rows = [line.split("|") for line in section.splitlines() if line.startswith("|") and "`" in line]
    return [(row[1].strip(), re.findall(r"`([\w<>./]+)`", "|".join(row[2:]))) for row in rows]


def test_twenty_additions_have_a_place():
    assert len(additions()) >= 20


@pytest.mark.parametrize(("addition", "paths"), [pytest.param(*row, id=row[0]) for row in additions()])
def test_the_place_of_an_addition_exists(addition: str, paths: list[str]):
    assert paths, f"expected a place for {addition}, got none"
    for path in (path for path in paths if "/" in path):
        plain = path if "<" not in path else path[: path.index("<")].rpartition("/")[0]
        assert (ROOT / plain).exists(), path


def test_all_rooms_have_a_line():
    rooms = ARCHITECTURE.partition("## The rooms")[2].partition("\n## ")[0]
    folders = [
        path for top in ("tasks/core", "tasks/io") for path in (ROOT / top).iterdir() if (path / "__init__.py").exists()
    ]
    assert [path.name for path in folders if f"`{path.name}/`" not in rooms] == []
    assert [room for room in SHARED if f"`tasks/{room}/`" not in rooms] == []


def test_the_architecture_is_on_one_page():
    assert len(ARCHITECTURE.encode()) < 9000
    assert ARCHITECTURE.count("\n") < 90
