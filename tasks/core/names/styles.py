"""One name for a style across sources; one that no table has keeps its source's name."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache

import pyarrow as pa

from schemas.names import Styles
from schemas.word_lists import word_lists
from tasks.core.names.matching import normalize_name, resolve_all
from tasks.core.names.spellings import keys
from tasks.core.tables import with_columns

_SPELLED = word_lists("names")["styles"]["spelled"]
NAMES: Sequence[str] = sorted([*word_lists("names")["styles"]["alone"], *_SPELLED])
"""The shipped names of styles."""
ALIASES: Mapping[str, str] = {alias: name for name, several in _SPELLED.items() for alias in several}
_LEAST_SIMILARITY = 0.8


@lru_cache(maxsize=65536)
def normalize_style(text: str) -> str:
    """The form in which styles are compared: lower-case letters and digits, without accents and blanks.

    >>> normalize_style("Naïve Art (Primitivism)"), normalize_style("Post_Impressionism"), normalize_style("?")
    ('naiveartprimitivism', 'postimpressionism', '')
    """
    return normalize_name(text).replace(" ", "")


def names_by_style(styles: Styles) -> dict[str, str]:
    """The name of each style in the tables, by its normalized form. The recipe's aliases come before the shipped table.

    An alias to "" is no style. Aliases of aliases are followed to their end; of a circle the first name is taken.

    >>> names_by_style(Styles())[normalize_style("Art_Nouveau_Modern")]
    'Art Nouveau'
    >>> names_by_style(Styles(aliases={"Jugendstil": "Jugendstil"}))["jugendstil"]
    'Jugendstil'
    """
    own = {normalize_style(alias): name for alias, name in sorted(styles.aliases.items())}
    shipped = {normalize_style(alias): name for alias, name in ALIASES.items()}
    return resolve_all({**shipped, **own}, [*reversed(own.values()), *NAMES], normalize_style)


def style_name(style: str | None, names: Mapping[str, str]) -> str | None:
    """The name of a style; itself if no table has it; None for None, and for an alias to no style.

    >>> names = names_by_style(Styles())
    >>> style_name("post-impressionism", names), style_name("Byzantine mosaic", names), style_name(None, names)
    ('Post Impressionism', 'Byzantine mosaic', None)
    """
    return names.get(normalize_style(style), style) or None if style else None


def with_style_names(records: pa.Table, names: Mapping[str, str]) -> pa.Table:
    """A table whose column `style` has one name for each style."""
    return with_columns(records, {"style": keys(records["style"], lambda text: style_name(text, names))})


def likely_typos(wanted: Iterable[str], names: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """Wanted styles that no table has but that are spelled nearly like known ones, each with these names.

    >>> likely_typos(["Cubsim", "Cubism", "Byzantine mosaic"], names_by_style(Styles()))
    [('Cubsim', ['Cubism'])]
    """
    unknown = {text: form for text in wanted if (form := normalize_style(text)) not in names}
    near = {text: get_close_matches(form, sorted(names), 3, _LEAST_SIMILARITY) for text, form in unknown.items()}
    return [(text, list(dict.fromkeys(map(names.__getitem__, forms)))) for text, forms in near.items() if forms]
