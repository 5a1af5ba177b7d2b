"""Words of museums, as data: what they call centuries, eras, schools or unknown makers, by language.

Each folder beside this file is a subject. Of dates and makers each file in it is a language, with where its lists
come from; names and patterns hold for all languages. The rules that read by them are in tasks.core; another word is
another line here, or in a recipe.
"""

import functools
from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType
from typing import Any

import yaml

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # where PyYAML has libyaml, it is ten times as fast


@functools.cache
def word_lists(subject: str) -> Mapping[str, Mapping[str, Any]]:
    """The lists of a subject by language ("en"), as its files have them."""
    return MappingProxyType({language: yaml.load(text, _LOADER) for language, text in _texts(subject).items()})


def all_texts() -> str:
    """All files, with their names: what changes wherever a word does."""
    subjects = sorted(entry.name for entry in resources.files(__name__).iterdir() if entry.is_dir())
    return "\n".join(
        f"{subject}/{language}\n{text}" for subject in subjects for language, text in _texts(subject).items()
    )


def _texts(subject: str) -> dict[str, str]:
    files = sorted((resources.files(__name__) / subject).iterdir(), key=lambda file: file.name)
    return {
        file.name.removesuffix(".yaml"): file.read_text(encoding="utf-8")
        for file in files
        if file.name.endswith(".yaml")
    }
