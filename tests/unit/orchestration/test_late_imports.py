"""What a part's code imports within functions is imported before the part begins, one module after the other."""

import ast
import functools
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prefect import Task

from tasks.orchestration.late_imports import import_one_by_one, imports_before
from tasks.subjects import detectors

ROOT = Path(__file__).resolve().parents[3]

TWO_THREADS = """
import sys, threading
from tasks.orchestration.late_imports import import_one_by_one

problems, start = [], threading.Barrier(2)

def work(name):
    start.wait()
    try:
        import_one_by_one([name])
    except BaseException as problem:
        problems.append(repr(problem))

threads = [threading.Thread(target=work, args=(name,)) for name in sys.argv[1:]]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
sys.exit("; ".join(problems) or 0)
"""


@pytest.mark.parametrize(
    "names",
    [
        # plain import statements crashed in 6 of 6 processes: one comes to numba by `numba.core`, one by `numba`
        ("tasks.core.dedup.search_bands", "tasks.core.dedup.registration"),
        ("tasks.core.dedup.registration", "tasks.core.dedup.search_bands"),
        ("tasks.core.dedup.search_bands", "tasks.core.dedup.local_kernels"),
    ],
)
def test_two_threads_of_a_fresh_process_import_the_compiler(names: tuple[str, str]) -> None:
    done = subprocess.run([sys.executable, "-c", TWO_THREADS, *names], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_is_imported_comes_back_in_order() -> None:
    assert import_one_by_one(["ast", "functools"]) == [ast, functools]
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        import_one_by_one(["no_such_module"])
    assert import_one_by_one([]) == []  # the lock was given back


def test_a_part_keeps_its_name_arguments_and_result() -> None:
    @imports_before("json")
    def part(first: int, *, second: int) -> int:
        """Add."""
        return first + second

    assert (part.__name__, part.__doc__, part(1, second=2)) == ("part", "Add.", 3)


def _parts() -> Iterator[tuple[str, Task[..., Any]]]:
    """Each task that takes a batch, and its module's name. Only their modules are imported: others need torch."""
    for file in sorted((ROOT / "tasks").rglob("*.py")):
        for name in re.findall(r"^@task.*\n(?:.*\n)*?def (\w+_part)\(", file.read_text(encoding="utf-8"), re.MULTILINE):
            module = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            yield module, getattr(importlib.import_module(module), name)


@functools.cache
def _imports(name: str) -> tuple[frozenset[str], frozenset[str]]:
    """Modules of tasks that a module imports: at its head, and within functions."""
    tree = ast.parse(_file(name).read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    within = {id(node) for function in functions for node in ast.walk(function)}
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for node in ast.walk(tree):
        names = set()
        if isinstance(node, ast.Import):
            names = {entry.name for entry in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = {f"{node.module}.{entry.name}" for entry in node.names}
            names = {name for name in whole if _file(name).exists()} or {node.module}
        found[id(node) in within] |= {name for name in names if name.startswith("tasks.")}
    return frozenset(found[False]), frozenset(found[True])


def _file(name: str) -> Path:
    package = ROOT.joinpath(*name.split("."))
    return package / "__init__.py" if package.is_dir() else package.with_suffix(".py")


def _reached(names: list[str], *, is_late_followed: bool) -> tuple[set[str], set[str]]:
    """All modules that these import, and those of them that are imported within functions."""
    seen: set[str] = set()
    late: set[str] = set()
    while names:
        if (name := names.pop()) not in seen:
            seen.add(name)
            at_head, within = _imports(name)
            late |= within
            names += [*at_head, *(within if is_late_followed else ())]
    return seen, late


ONLY_ON_A_CLUSTER = {"tasks.engine.rate_limits"}
"""Imports distributed, which a worker of a cluster has imported before it gets its first part."""


def test_whatever_a_part_imports_late_is_declared() -> None:
    parts = list(_parts())
    some = {"fetch_part", "detect_part", "count_part", "sift_part", "search_part", "download_answers_part"}
    assert some <= {part.name for _, part in parts}
    # detectors import those of one family, one by one, before they look at an image
    families = [name for names in detectors._CODE.values() for name in names]
    for module, part in parts:
        _, late = _reached([module], is_late_followed=True)
        declared = [*getattr(part.fn, "late_imports", ()), *(families if part.name == "detect_part" else ())]
        before, _ = _reached([module, *declared], is_late_followed=False)
        assert late - ONLY_ON_A_CLUSTER <= before, f"expected them in `imports_before` of {part.name}"
