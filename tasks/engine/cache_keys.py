"""Cache keys: digests of all that an answer depends on, such as settings and code."""

import ast
import hashlib
import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import BaseModel

from schemas.split import Split


def cache_key(**parts: Any) -> str:
    """SHA-256, as hex, of named parts: JSON values and pydantic models."""
    plain = {
        name: part.model_dump(mode="json") if isinstance(part, BaseModel) else part for name, part in parts.items()
    }
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def split_sha256(settings: Split) -> str:
    """Digest of what a split is: as long as it stays, published images stay where they are.

    Settings at their defaults are left out, so that a setting that is new to the program moves nothing; so are those
    that deal nothing: the stage's label, the limit of drift, an order that no batches have. 3:1:1 is 0.6:0.2:0.2.
    """
    deals_nothing = {"label", "max_drift", "ratios"} | ({"order"} if settings.method == "iterative" else set())
    plain = settings.model_dump(mode="json", exclude_defaults=True, exclude=deals_nothing)
    return cache_key(split={**plain, "seats": settings.seats})


_NOT_PART_OF_ANSWERS = frozenset({"tasks.io.store.layout"})
"""Modules that say where an answer lies, never what it is: another sentence in them must not train a detector again."""


def code_digest(*modules: ModuleType) -> str:
    """Digest of the source of the modules, and of all of tasks.core and tasks.io that they import, without comments and
    docstrings.
    """
    sources: dict[str, str] = {}
    for module in modules:
        _collect(module.__name__, sources)
    return cache_key(**sources)


def _collect(name: str, sources: dict[str, str]) -> None:
    if name in sources or name in _NOT_PART_OF_ANSWERS:
        return
    tree = _parsed(name)
    sources[name] = ast.unparse(_without_docstrings(tree))
    for imported in _imports(tree):
        if imported.startswith(("tasks.core.", "tasks.io.")):
            _collect(imported, sources)


def _parsed(name: str) -> ast.Module:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise ImportError(f"expected the source of {name}, got none")
    return ast.parse(Path(spec.origin).read_text(encoding="utf-8"))


def _imports(tree: ast.Module) -> Iterator[str]:
    """Names of imported modules, sorted; `from package import module` counts as both."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(entry.name for entry in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            within = {f"{node.module}.{entry.name}" for entry in node.names}
            names.update({node.module}, {name for name in within if _is_module(name)})
    yield from sorted(names)


def _is_module(name: str) -> bool:
    try:
        return name.startswith("tasks.") and importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # the parent is a module, not a package
        return False


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            body = [entry for entry in node.body if not _is_text(entry)]
            node.body = body or [ast.Pass()]
    return tree


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
