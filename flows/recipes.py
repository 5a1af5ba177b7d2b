"""Recipes from YAML files or by the name of one that ships, and the bindings that go with them."""

import difflib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from flows.settings import parse_change, set_field, settings_from_fields, yaml_mapping
from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, LONGEST_QUOTE, listed, quoted
from schemas.recipe import ALWAYS_BINDABLE, Recipe
from schemas.stand_ins import stand_in
from schemas.yaml_text import MAX_BYTES

_MOST_NAMED = 20  # in a message
_NAMED_BY = {"stages": "label", "sources": "name"}
"""Lists of a recipe whose entries `--set` names, and what it names them by."""
_CHANGE = "stages.<label>.<field>=VALUE"


def recipe_from_file(
    path: str, changes: Sequence[str] = (), limit: int | None = None, seed: int | None = None
) -> Recipe:
    """The recipe of a file, or of that name among those that ship, with `--set` changes applied. Raises BadInput."""
    fields = yaml_mapping(_text(path), path, "name, sources and stages")
    for change in changes:
        names, value = parse_change(change, _CHANGE)
        if names[0] not in _NAMED_BY or len(names) == 1:
            set_field(fields, names, value)
        elif len(names) == 2:
            by = _NAMED_BY[names[0]]
            raise BadInput(f"--set: expected {names[0]}.<{by}>.<field>=VALUE, got {quoted(change)}")
        else:
            set_field(_settings_of(fields, names[0], names[1], change), names[2:], value)
    given = {"limit": limit, "seed": seed}
    fields |= {name: value for name, value in given.items() if value is not None}
    return settings_from_fields(Recipe, fields, path)


def bindings_from_pairs(pairs: Sequence[str]) -> dict[str, str]:
    """`NAME=VALUE` texts as a mapping. Raises BadInput."""
    for pair in pairs:
        if "=" not in pair:
            raise BadInput(f"--bind: expected NAME=VALUE, got {quoted(pair)}")
    return dict(pair.split("=", 1) for pair in pairs)


def check_bindings(recipe: Recipe, bindings: Mapping[str, str]) -> None:
    """Raise BadInput unless just what the recipe names is bound. Unknown names come first: they may be slips."""
    for name in bindings:
        if name not in recipe.bindings and name not in ALWAYS_BINDABLE:
            expected = "no --bind, since the recipe names no bindings"
            if known := [f"'{other}'" for other in sorted(recipe.bindings)]:
                expected = f"one of {listed(known, _MOST_NAMED)}, which the recipe names"
            if len(known) == 1:
                expected = f"{known[0]}, the only one that the recipe names"
            near = difflib.get_close_matches(name[:LONGEST_QUOTE], recipe.bindings, n=1)
            meant = f"; did you mean '{near[0]}'?" if near else ""
            raise BadInput(f"binding {quoted(name)}: expected {expected}, got {quoted(name)}{meant}")
    for name, meaning in recipe.bindings.items():
        if not bindings.get(name):
            got = "an empty value" if name in bindings else "none"
            says = f" (the recipe says of '{name}': {meaning[:LONGEST_PLACE]})" if meaning else ""
            raise BadInput(f"binding '{name}': expected --bind {name}=VALUE, got {got}{says}")


def _text(path: str) -> str:
    """The text of a file, or where there is none, of the recipe of that name that ships. Raises BadInput."""
    files = (resources.files("deployments") / "recipes").iterdir()
    shipped = {file.name.removesuffix(".yaml"): file for file in files if file.name.endswith(".yaml")}
    place = quoted(path, LONGEST_PLACE)
    try:
        if path in shipped and not Path(path).is_file():
            return shipped[path].read_text(encoding="utf-8")
        if Path(path).exists() and not Path(path).is_file():  # a pipe would be waited for without end
            raise BadInput(f"recipe: expected a YAML file, got {place}, which is no regular file")
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError as problem:
        raise BadInput(f"recipe: expected a YAML file or one of {', '.join(sorted(shipped))}, got {place}") from problem
    except (OSError, ValueError) as problem:  # ValueError: a path that no file can have
        detail = getattr(problem, "strerror", None) or problem
        raise BadInput(f"recipe: expected a YAML file, got {place} ({detail})") from problem
    if (words := stand_in(data)) is not None:
        raise BadInput(f"recipe: expected a YAML file, got {place}, which is {words}")
    if len(data) > MAX_BYTES:
        raise BadInput(f"recipe: expected a YAML file of at most {MAX_BYTES:,} bytes, got {place}, which is longer")
    try:
        return data.decode()
    except UnicodeDecodeError as problem:
        where = f"byte {problem.start}: {problem.reason}"
        raise BadInput(f"recipe: expected a YAML file in UTF-8, got {place} ({where})") from problem


def _settings_of(fields: dict[str, Any], group: str, name: str, change: str) -> dict[str, Any]:
    """The mapping of the settings of one of the recipe's stages or sources. Raises BadInput."""
    entries, by, names = fields.get(group), _NAMED_BY[group], []
    for position, entry in enumerate(entries if isinstance(entries, list) else ()):
        word, settings = _word_and_settings(entry, group[:-1])
        names.append(settings.get(by) or word)
        if names[-1] == name:
            if settings is not entry:  # the short forms have no mapping to write into
                fields[group][position] = {word: settings}
            return settings
    raise BadInput(
        f"--set: expected the {by} of a {group[:-1]}, one of {quoted(names, LONGEST_PLACE)}, got {quoted(name)} in "
        f"{quoted(change)}"
    )


def _word_and_settings(entry: Any, kind: str) -> tuple[str, dict[str, Any]]:
    """Of `dedup`, `{dedup: {...}}` or `{stage: dedup, ...}`: the word, and the mapping that holds its settings.

    kind: stage or source.
    """
    if isinstance(entry, dict) and kind in entry:
        return str(entry[kind]), entry
    if isinstance(entry, dict) and len(entry) == 1:
        word, settings = next(iter(entry.items()))
        if isinstance(settings, dict | None):
            return str(word), settings or {}
    return str(entry), {}  # no stage: the model will say so; until then its label is one that nobody asks for
