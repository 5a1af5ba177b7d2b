"""Words of museums, as data: what they call centuries, eras, schools or unknown makers.

Each folder of schemas/words is a subject. Of dates and makers each file is a language, and `lists` says which lists it
or a recipe may have; names and patterns hold for all languages.
"""

import functools
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import yaml
from pydantic import AfterValidator, Field, SerializerFunctionWrapHandler, create_model, model_serializer

from schemas.base import Frozen

_FOLDER = Path(__file__).with_name("words")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # where PyYAML has libyaml, it is ten times as fast

Qualifier = Literal[
    "formerly attributed to",
    "attributed to",
    "workshop of",
    "studio of",
    "circle of",
    "follower of",
    "manner of",
    "school of",
    "style of",
    "copy after",
    "after",
    "possibly",
]
QUALIFIERS: tuple[Qualifier, ...] = get_args(Qualifier)
"""What `artist_qualifier` may say."""


def _with_a_letter(word: str) -> str:
    if not re.search(r"[^\W\d_]", word):
        raise ValueError(f"expected a word with a letter, got {word!r}")
    return word


_Phrase = Annotated[str, Field(min_length=1, max_length=100, strict=True)]
_Phrases = tuple[_Phrase, ...]
_Words = tuple[Annotated[_Phrase, AfterValidator(_with_a_letter)], ...]
_TYPES: Mapping[str, tuple[Any, Any]] = {
    "phrases": (_Phrases, ()),
    "words": (_Words, ()),
    "by_ordinal": (dict[Annotated[int, Field(ge=1, le=99)], _Words], {}),
    "by_qualifier": (dict[Qualifier | Literal[""], _Phrases], {}),
}
"""Of each type of list, that of its field and what the field is without words."""


@functools.cache
def word_lists(subject: str) -> Mapping[str, Mapping[str, Any]]:
    """The lists of a subject by language ("en"), as its files have them."""
    return {language: yaml.load(text, _LOADER) for language, text in _texts(subject).items()}


def all_texts() -> str:
    """All files, with their names: what changes wherever a word does."""
    subjects = sorted(folder.name for folder in _FOLDER.iterdir() if folder.is_dir())
    return "\n".join(f"{subject}/{name}\n{text}" for subject in subjects for name, text in _texts(subject).items())


def _texts(subject: str) -> dict[str, str]:
    return {file.stem: file.read_text(encoding="utf-8") for file in sorted((_FOLDER / subject).glob("*.yaml"))}


class WordLists(Frozen):
    """Lists by what their words mean. A dump has those alone that are not empty."""

    @model_serializer(mode="wrap")
    def _without_empty(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: words for name, words in dump(self).items() if words}


def _with_lists_of(subject: str) -> Callable[[type[WordLists]], type[WordLists]]:
    """Gives a model the lists of schemas/words/lists as fields."""
    fields: dict[str, Any] = {}
    for name, says in word_lists("lists")[subject].items():
        kind, empty = _TYPES[says["type"]]
        fields[name] = (kind, Field(empty, description=says["description"]))
    return lambda model: create_model(
        model.__name__, __base__=model, __doc__=model.__doc__, __module__=__name__, **fields
    )


@_with_lists_of("dates")
class DateWords(WordLists):
    """The words of one language. Case, accents, dots, hyphens and blanks within a word of several don't matter."""


@_with_lists_of("makers")
class MakerWords(WordLists):
    """Lists of words about makers. Case, accents and punctuation don't matter, but for honours."""
