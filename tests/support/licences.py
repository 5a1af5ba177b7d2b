"""The licences of all that is installed with bilderatlas, held against `licences.yaml`. `make licences` prints them.

What a package states counts in this order: its SPDX expression (`License-Expression`), its `License` field where that
is a short name, the text of its licence file, its classifiers. A package that states nothing known is a problem.
"""

import fnmatch
import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Collection, Iterator, Mapping
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
UNKNOWN = "unknown"
_DEVELOPMENT = "dev"
_SHORT = 60

_BY_NAME = {
    "apache 2": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "2-clause bsd license": "BSD-2-Clause",
    "bsd 2-clause license": "BSD-2-Clause",
    "freebsd": "BSD-2-Clause",
    "3-clause bsd license": "BSD-3-Clause",
    "isc license": "ISC",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mit": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "python software foundation license": "PSF-2.0",
    "nvidia proprietary software": "LicenseRef-NVIDIA-Proprietary",
    "artistic license": "Artistic-1.0",
    "gnu general public license v2 or later (gplv2+)": "GPL-2.0-or-later",
}
"""SPDX ids of what packages write in `License` and in classifiers. "BSD" alone may be either of two: its text says."""

_BY_TEXT = (
    ("BSD-3-Clause", r"Redistribution and use in source and binary forms.*neither the name"),
    ("BSD-2-Clause", r"Redistribution and use in source and binary forms"),
    ("Apache-2.0", r"Apache License\s+Version 2\.0"),
    ("MPL-2.0", r"Mozilla Public License,?\s+(Version|v\.) 2\.0"),
    ("MIT", r"Permission is hereby granted, free of charge, to any person obtaining a copy"),
    ("ISC", r"Permission to use, copy, modify,? and(/or)? distribute this software"),
)
_ID = re.compile(r"[A-Za-z0-9.+-]+")


class Package(NamedTuple):
    """An installed package and its licence, an SPDX expression or `unknown`."""

    name: str
    version: str
    licence: str


def run_time_packages(project: Mapping[str, Any]) -> dict[str, Distribution | None]:
    """All packages that the project and its extras need (but not its developers'), by name; None: not installed."""
    extras = project.get("optional-dependencies", {})
    wanted = [*project["dependencies"], *(line for extra in extras if extra != _DEVELOPMENT for line in extras[extra])]
    todo = [Requirement(line) for line in wanted]
    found: dict[str, Distribution | None] = {}
    seen = set[tuple[str, str]]()
    while todo:
        requirement = todo.pop()
        name = str(canonicalize_name(requirement.name))
        for extra in ("", *sorted(requirement.extras)):
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            found[name] = distribution = _installed(name)
            lines = (distribution.requires or []) if distribution else []
            needed = map(Requirement, lines)
            todo += [other for other in needed if other.marker is None or other.marker.evaluate({"extra": extra})]
    return dict(sorted(found.items()))


def _installed(name: str) -> Distribution | None:
    try:
        return importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def licence_of(distribution: Distribution) -> str:
    """What a package states, as an SPDX expression; `unknown` where nothing known is stated."""
    fields = distribution.metadata
    if expression := fields.get("License-Expression"):
        return str(expression)
    said = str(fields.get("License") or "").strip()
    if known := _by_name(said):
        return known
    texts = [said, *_licence_files(distribution)]
    for text in texts:
        if known := by_text(text):
            return known
    classifiers = [
        line.rpartition(" :: ")[2] for line in fields.get_all("Classifier") or [] if line.startswith("License ::")
    ]
    names = [name for line in classifiers if (name := _by_name(line))]
    # several classifiers may mean a choice, or that all hold: the stricter is assumed
    return " AND ".join(names) or UNKNOWN


def _by_name(said: str) -> str | None:
    if len(said) > _SHORT:
        return None
    return _BY_NAME.get(said.lower()) or (said if is_expression(said) else None)


def is_expression(text: str) -> bool:
    """Whether a text is made of ids that are known here, such as "MIT OR Apache-2.0"."""
    ids = {word for word in re.findall(r"[^\s()]+", text) if word not in {"AND", "OR", "WITH"}}
    known = {*_BY_NAME.values(), "CC0-1.0", "MIT-0", "MIT-CMU", "Zlib", "0BSD", "BSL-1.0"}
    return bool(ids) and ids <= known


def by_text(text: str) -> str | None:
    """The licence whose words stand in a text; None for another one."""
    plain = re.sub(r"\s+", " ", text)
    return next((name for name, words in _BY_TEXT if re.search(words, plain, re.I | re.S)), None)


def _licence_files(distribution: Distribution) -> Iterator[str]:
    for path in distribution.files or ():
        if re.match(r"(licen[cs]e|copying)", path.name, re.I) and ".dist-info" in str(path):
            place = Path(str(distribution.locate_file(path)))
            if place.is_file():
                yield place.read_text(encoding="utf-8", errors="replace")


def is_allowed(expression: str, allowed: Collection[str]) -> bool:
    """Whether an SPDX expression holds with these ids alone: all of an AND, one of an OR; `WITH` only adds rights.

    Raises ValueError for what is no expression.
    """
    tokens = re.findall(r"[()]|[^\s()]+", expression)
    result = _alternatives(tokens, allowed)
    if tokens:
        raise ValueError(f"expected an SPDX expression, got '{expression}'")
    return result


def _alternatives(tokens: list[str], allowed: Collection[str]) -> bool:
    """Of the alternatives that these tokens begin with, which are taken away, whether one is allowed."""
    results = [_all_of(tokens, allowed)]
    while tokens[:1] == ["OR"]:
        del tokens[0]
        results.append(_all_of(tokens, allowed))
    return any(results)


def _all_of(tokens: list[str], allowed: Collection[str]) -> bool:
    results = [_one(tokens, allowed)]
    while tokens[:1] == ["AND"]:
        del tokens[0]
        results.append(_one(tokens, allowed))
    return all(results)


def _one(tokens: list[str], allowed: Collection[str]) -> bool:
    first = tokens.pop(0) if tokens else ""
    if first == "(":
        result = _alternatives(tokens, allowed)
        if tokens[:1] != [")"]:
            raise ValueError("expected an SPDX expression, got one whose bracket is never closed")
        del tokens[0]
        return result
    if not _ID.fullmatch(first) or first in {"AND", "OR", "WITH"}:
        raise ValueError(f"expected an SPDX expression, got '{first}' in it")
    if tokens[:1] == ["WITH"]:
        del tokens[:2]
    return first in allowed


def problems(packages: Collection[Package], rules: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each package whose licence is neither allowed nor excepted."""
    for package in packages:
        wanted = _excepted(package.name, rules["exceptions"])
        where = f"{package.name} {package.version}"
        if wanted is not None:
            if package.licence not in {UNKNOWN, wanted}:
                yield f"{where}: expected {wanted}, as its exception says, got {package.licence}"
        elif package.licence == UNKNOWN:
            yield f"{where}: expected a licence that is known here, got none: look it up"
        elif not is_allowed(package.licence, rules["allowed"]):
            yield f"{where}: expected a licence that licences.yaml allows, got {package.licence}"


def _excepted(name: str, exceptions: Mapping[str, Any]) -> str | None:
    found = (entry["licence"] for pattern, entry in exceptions.items() if fnmatch.fnmatchcase(name, pattern))
    return next(found, None)


def rules_in(path: Path) -> dict[str, Any]:
    """`licences.yaml`. Raises ValueError where a licence or an exception has no reason."""
    rules = yaml.safe_load(path.read_text(encoding="utf-8"))
    for name, entry in {**rules["allowed"], **rules["exceptions"]}.items():
        reason = entry if isinstance(entry, str) else entry.get("because")
        if not reason:
            raise ValueError(f"{path.name}: expected a reason for {name}, got none")
    return dict(rules)


def locked_names(path: Path) -> set[str]:
    """Names of all packages in a lock file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {str(canonicalize_name(line.partition("==")[0])) for line in lines if re.match(r"[A-Za-z0-9._-]+==", line)}


def installed_packages() -> tuple[list[Package], list[str]]:
    """Run-time packages with their licences, and what is wrong with the installation."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = run_time_packages(project)
    locked = locked_names(ROOT / "requirements.lock")
    wrong = [f"{name}: expected it in requirements.lock, got none: run `make lock`" for name in found.keys() - locked]
    wrong += [
        f"{name}: expected it to be installed, got none: run `make setup`" for name, each in found.items() if not each
    ]
    return [Package(name, each.version, licence_of(each)) for name, each in found.items() if each], sorted(wrong)


def main() -> int:
    """Print all packages and the problems; 1 if there are any."""
    packages, wrong = installed_packages()
    found = [*wrong, *problems(packages, rules_in(ROOT / "licences.yaml"))]
    lines = [f"{package.name:32} {package.version:16} {package.licence}" for package in packages]
    sys.stdout.write("\n".join([*lines, "", *(found or [f"{len(packages)} packages, all allowed"])]) + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
