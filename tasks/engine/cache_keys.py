"""Cache keys: digests of all that an answer depends on, such as settings and code. A digest of code takes seconds: kept
in the user's folder for caches, for as long as the files it is of stay.
"""

import ast
import contextlib
import functools
import hashlib
import importlib.util
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from pydantic import BaseModel

from schemas import word_lists
from schemas.split import Split
from tasks.io.files import outputs

_DEALS_NOTHING = frozenset({"label", "max_drift", "ratios", "score"})


def cache_key(**parts: Any) -> str:
    """SHA-256, as hex, of named parts: JSON values and pydantic models."""
    plain = {
        name: part.model_dump(mode="json") if isinstance(part, BaseModel) else part for name, part in parts.items()
    }
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def split_sha256(settings: Split, deals_nothing: frozenset[str] = _DEALS_NOTHING) -> str:
    """Digest of what a split is: as long as it stays, published images stay where they are. 3:1:1 is 0.6:0.2:0.2.

    Left out are defaults, so that a setting that is new to the program moves nothing, and what deals nothing: the
    label, the limit of drift, an order that no batches have, and a score, which only orders what is new.
    """
    exclude = {*deals_nothing} | ({"order"} if settings.method == "iterative" else set())
    plain = settings.model_dump(mode="json", exclude_defaults=True, exclude=exclude)
    return cache_key(split={**plain, "seats": settings.seats})


def is_same_split(settings: Split, published_sha256: str) -> bool:
    """Whether that digest of a release's split, with any score in it before contract 2.2, is of these settings."""
    return published_sha256 in {split_sha256(settings), split_sha256(settings, _DEALS_NOTHING - {"score"})}


_NOT_PART_OF_ANSWERS = frozenset({"tasks.io.store.layout"})
"""Modules that say where an answer lies, never what it is: another sentence in them must not train a detector again."""

_SHARED_RULES = frozenset({"schemas.file_names", "schemas.stand_ins"})
"""How names of files are looked up, and what stands in a file's place: tasks.core and tasks.io both need these."""

_WORDS = "schemas.word_lists"
_WORD_LISTS = "the lists of schemas.words"
"""Not a module, but read by rules like one."""
_NOTHING = "pass"
"""The text of a package that only holds modules."""


def code_digest(*modules: ModuleType) -> str:
    """Digest of the source, without comments and docstrings, of the modules, of all of tasks.core and tasks.io that
    they import, and of the rules that these two share; and of the lists of words, where any of them reads these. What a
    module is called, and where it lies, is no part of it: a rename computes nothing again.
    """
    names = sorted({module.__name__ for module in modules})
    with contextlib.suppress(OSError, RuntimeError, ValueError, KeyError, TypeError):  # none that holds is kept
        kept = json.loads(_place(names).read_bytes())
        if kept["of"] == _sha256s(kept["of"]):
            return str(kept["digest"])
    sources: dict[str, str] = {}
    for name in names:
        _collect(name, sources)
    digest = cache_key(sources=sorted({*sources.values()} - {_NOTHING}))
    with contextlib.suppress(OSError, RuntimeError):  # where nothing can be kept, it is taken anew each time
        kept = {"digest": digest, "of": _sha256s([*sources, __name__])}
        _place(names).parent.mkdir(parents=True, exist_ok=True)
        outputs.write_whole({_place(names): json.dumps(kept).encode()})
    return digest


def _collect(name: str, sources: dict[str, str]) -> None:
    """Add the texts of the module, and of all that it imports, by their names."""
    if name in sources or name in _NOT_PART_OF_ANSWERS:
        return
    text = _text_of(_source(name))
    said = {
        module: hashlib.sha256(_text_of(_source(module)).text.encode()).hexdigest()
        for module in {*text.modules, *text.taken.values()}
    }
    taken = sorted(f"{entry} of {said[module]}" for entry, module in text.taken.items())
    sources[name] = "\n".join([text.text, *(said[module] for module in text.modules), *taken])
    for imported in text.imports:
        if _is_part(imported):
            _collect(imported, sources)
        elif imported == _WORDS:
            sources[_WORD_LISTS] = _source(_WORD_LISTS)


def _is_part(module: str) -> bool:
    """Whether what a module imports from there is part of its digest."""
    is_ours = module.startswith(("tasks.core.", "tasks.io.")) or module in _SHARED_RULES
    return is_ours and module not in _NOT_PART_OF_ANSWERS


class _Text(NamedTuple):
    """A module as the program reads it, without what other modules of ours are called and where they lie."""

    text: str
    """Without docstrings and imports from these modules, which have labels for names."""
    modules: tuple[str, ...]
    """The modules by their labels: module_0, module_1 ... in the order in which they are used."""
    taken: Mapping[str, str]
    """The module from which a name comes: of "decide as rule", or "decide"."""
    imports: tuple[str, ...]


@functools.lru_cache(maxsize=1024)
def _text_of(source: str) -> _Text:
    tree = _without_docstrings(ast.parse(source))
    imports, labels = tuple(_imports(tree)), _Labels()
    text = ast.unparse(labels.visit(tree))
    return _Text(text, tuple(labels.modules), labels.taken, imports)


class _Labels(ast.NodeTransformer):
    """Takes imports from modules of ours out of a module, and puts labels in the place of the names of such modules."""

    def __init__(self) -> None:
        self.modules: dict[str, str] = {}
        """The label of each module."""
        self.taken: dict[str, str] = {}
        self._names: dict[str, str] = {}
        """The modules that names stand for."""

    def visit_Module(self, node: ast.Module) -> ast.AST:
        """Look for names of modules first: they may be used above the function that imports them."""
        for found in (found for found in ast.walk(node) if isinstance(found, ast.ImportFrom)):
            for entry in found.names:
                module = f"{found.module}.{entry.name}"
                if _is_part(module) and _is_module(module):
                    self._names[entry.asname or entry.name] = module
        return self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        """What is left of it: nothing, where all comes from modules of ours."""
        node.names = [entry for entry in node.names if (entry.asname or entry.name) not in self._names]
        if not node.module or not _is_part(node.module):
            return node if node.names else None
        self.taken |= {ast.unparse(entry): node.module for entry in node.names}
        return None

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A module's label for its name."""
        if (module := self._names.get(node.id)) is not None:
            node.id = self.modules.setdefault(module, f"module_{len(self.modules)}")
        return node


@functools.cache
def _source(name: str) -> str:
    if name == _WORD_LISTS:
        return word_lists.all_texts()
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise ImportError(f"expected the source of {name}, got none")
    return Path(spec.origin).read_text(encoding="utf-8")


def _sha256s(names: Sequence[str]) -> dict[str, str]:
    """The digest of each module's file. Raises ValueError where a module is no more."""
    try:
        return {name: hashlib.sha256(_source(name).encode()).hexdigest() for name in names}
    except ImportError as problem:
        raise ValueError(str(problem)) from problem


def _place(names: Sequence[str]) -> Path:
    """Where the digest of these modules is kept: one place for each Python and each installation of the program."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bilderatlas" / "code"
    key = cache_key(names=list(names), python=list(sys.version_info[:2]), at=str(Path(__file__).parent))
    return folder / f"{key}.json"


def _imports(tree: ast.Module) -> list[str]:
    """Names of imported modules, sorted; `from package import module` counts as both."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(entry.name for entry in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            within = {f"{node.module}.{entry.name}" for entry in node.names}
            names.update({node.module}, {name for name in within if _is_module(name)})
    return sorted(names)


def _is_module(name: str) -> bool:
    try:
        return name.startswith("tasks.") and importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # the parent is a module, not a package
        return False


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [entry for entry in node.body if not _is_text(entry)] or [ast.Pass()]
    return tree


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
