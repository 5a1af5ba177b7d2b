"""Modules that are slow to import, and are imported only before a part that needs them begins: one after the other.

Python imports in one thread while another runs. Modules that import each other, as numba's do, may then be found half
imported: `partially initialized module 'numba.core.types' has no attribute 'boolean'`.
"""

import functools
import importlib
import sys
import threading
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import ParamSpec, TypeVar

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_IMPORTING = threading.Lock()
"""Held by the thread that imports; others wait until all of its modules are there."""


def import_one_by_one(names: Iterable[str]) -> list[ModuleType]:
    """The modules, imported in this order, in one thread at a time; with the compiler, what its first call imports."""
    with _IMPORTING:
        modules = [importlib.import_module(name) for name in names]
        if "tasks.core.jit" in sys.modules:
            importlib.import_module("tasks.core.compiler")
        return modules


def imports_before(*names: str) -> Callable[[Callable[_Arguments, _Result]], Callable[_Arguments, _Result]]:
    """Decorator of a part: what its functions import, as test_late_imports.py finds, is imported before it begins."""

    def with_imports(part: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
        @functools.wraps(part)
        def run(*arguments: _Arguments.args, **options: _Arguments.kwargs) -> _Result:
            import_one_by_one(names)
            return part(*arguments, **options)

        run.late_imports = names  # type: ignore[attr-defined]
        return run

    return with_imports
