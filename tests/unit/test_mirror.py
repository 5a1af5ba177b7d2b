"""Tests mirror the rooms: who knows a module's place knows its test's, and no test stands on another one."""

import ast
import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
UNIT = TESTS / "unit"

# interfaces: nothing in them runs
INTERFACES: set[str] = set()

# a module's tests in several files: test_<module>_<what>.py beside, or these
ON_THE_WHOLE_ROOM = {
    # a split as it goes on from release to release, by random histories: all of core/split
    "core/split/test_histories.py",
}

# folders of tests/unit, and the room that each tests
ROOMS = {
    "core": "tasks/core",
    "io": "tasks/io",
    **{room: f"tasks/{room}" for room in ("engine", "orchestration", "page", "subjects")},
    "shells": "tasks",
    "flows": "flows",
    "schemas": "schemas",
    "benchmarks": "benchmarks",
    "museum": "examples/museum",
}


def has_code(module: Path) -> bool:
    """Whether a file defines anything: more than a docstring, imports and what it passes on."""
    body = ast.parse(module.read_text(encoding="utf-8")).body
    lines = [node for node in body if not isinstance(node, ast.Expr | ast.Import | ast.ImportFrom)]
    return [ast.unparse(node).split(" = ")[0] for node in lines] not in ([], ["__all__"])


def modules_of(room: str) -> list[str]:
    """Modules of a room of tasks, as paths from tasks; a package's own file only where it defines something."""
    files = sorted((ROOT / "tasks" / room).rglob("*.py"))
    return [str(file.relative_to(ROOT / "tasks")) for file in files if file.name != "__init__.py" or has_code(file)]


def mirrored(module: str) -> Path:
    """Where the test of a module of tasks stands; a package's own file is tested in test_<package>.py in its folder."""
    path = Path(module)
    name = path.parent.name if path.name == "__init__.py" else path.stem
    return UNIT / path.parent / f"test_{name}.py"


def test_a_module_is_tested_in_the_file_of_its_name():
    assert mirrored("core/dedup/decide.py") == UNIT / "core/dedup/test_decide.py"
    assert mirrored("core/ids.py") == UNIT / "core/test_ids.py"
    assert mirrored("io/store/__init__.py") == UNIT / "io/store/test_store.py"


@pytest.mark.parametrize("room", ["core", "io"])
def test_every_rule_and_every_hand_has_its_test(room):
    missing = {module for module in modules_of(room) if not mirrored(module).is_file()}
    assert sorted(missing - INTERFACES) == [], "write tests/unit/<the same path>/test_<module>.py"


@pytest.mark.parametrize("room", ["core", "io"])
def test_every_test_of_a_room_belongs_to_a_module_of_it(room):
    homeless = []
    for file in sorted((UNIT / room).rglob("test_*.py")):
        folder = file.parent.relative_to(UNIT)
        words = file.stem.removeprefix("test_").split("_")
        names = ["_".join(words[: count + 1]) for count in range(len(words))]
        has_home = any((ROOT / "tasks" / folder / f"{name}.py").is_file() for name in names)
        if not has_home and str(file.relative_to(UNIT)) not in ON_THE_WHOLE_ROOM:
            homeless.append(str(file.relative_to(UNIT)))
    assert homeless == []


def test_the_folders_of_unit_tests_are_the_rooms():
    folders = {path.name for path in UNIT.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == set(ROOMS)
    assert [name for name in ROOMS.values() if not (ROOT / name).is_dir()] == []


@pytest.mark.parametrize("room", ["engine", "orchestration", "page", "subjects", "shells", "flows", "benchmarks"])
def test_a_test_of_these_rooms_imports_from_its_room(room):
    """By the import of the module that it tests, which also says that it stands in the right folder."""
    for file in sorted((UNIT / room).rglob("test_*.py")):
        names = imports_of(file)
        assert any(f"{name}.".startswith(ROOMS[room].replace("/", ".") + ".") for name in names), file


def imports_of(file: Path) -> set[str]:
    """Names of modules that a file imports, also inside of functions and in programs that it holds as texts."""
    source = file.read_text(encoding="utf-8")
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {entry.name for entry in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{entry.name}" for entry in node.names)}
    return names | set(re.findall(r"^\s*(?:from|import)\s+(tests\.[\w.]+)", source, re.M))


def test_what_tests_share_stands_in_support_or_a_conftest():
    wrong = []
    for file in sorted(TESTS.rglob("*.py")):
        for name in sorted(imports_of(file)):
            itself = ".".join(file.relative_to(ROOT).with_suffix("").parts)  # by a program that a test starts
            is_shared = re.match(r"tests\.(support|(\w+\.)*conftest)\b", name)
            if name.startswith("tests.") and not is_shared and not f"{name}.".startswith(f"{itself}."):
                wrong.append(f"{file.relative_to(ROOT)} imports {name}")
    assert wrong == []


# --- the Makefile


MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_help_lists_every_target():
    """And nothing else; in one line each."""
    phony = re.search(r"^\.PHONY:((?:.*\\\n)*.*)$", MAKEFILE, re.M)
    assert phony is not None
    targets = phony[1].replace("\\\n", " ").split()
    if shutil.which("make") is None:
        pytest.skip("no make on this machine")
    lines = subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    listed = [line.split(None, 1) for line in lines.splitlines()]
    assert sorted(name for name, _ in listed) == sorted(targets)
    assert all(len(what) > 8 for _, what in listed)


def test_every_module_that_the_makefile_runs_is_there():
    names = re.findall(r"\$\(BIN\)/python -m (\S+)", MAKEFILE)
    assert "pytest" in names
    assert [name for name in names if name != "pytest" and importlib.util.find_spec(name) is None] == []


def test_every_target_that_a_page_names_is_one():
    targets = set(re.findall(r"^([a-z][a-z-]*):", MAKEFILE, re.M))
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        for name in re.findall(r"`make ([a-z][a-z-]*)", page.read_text(encoding="utf-8")):
            assert name in targets or name == "bench-", f"{page.name}: make {name}"
