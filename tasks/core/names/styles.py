"""One name for a style across sources.

What no table knows stays as its source has it, and is listed: nothing is guessed.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from schemas.styles import Styles
from schemas.wording import listed
from tasks.core.names.aliases import normalize_name, resolve_alias
from tasks.core.names.known_styles import ALIASES, NAMES

_MOST_LISTED = 10
_LEAST_SIMILARITY = 0.8


@lru_cache(maxsize=65536)
def normalize_style(text: str) -> str:
    """A style as it is compared: small letters and digits without accents and blanks, since folders are named without
    them.

    >>> normalize_style("Naïve Art (Primitivism)"), normalize_style("?")
    ('naiveartprimitivism', '')
    >>> normalize_style("Post_Impressionism") == normalize_style("PostImpressionism")
    True
    """
    return normalize_name(text).replace(" ", "")


def names_by_style(styles: Styles) -> dict[str, str]:
    """The name for each key that is known.

    What a recipe says of a style, and how it spells it, goes before the shipped table.

    "" is no style. Aliases of aliases are followed to their end; of a circle the first name is taken.

    >>> names_by_style(Styles())[normalize_style("Art_Nouveau_Modern")]
    'Art Nouveau'
    >>> names_by_style(Styles(aliases={"Jugendstil": "Jugendstil"}))["jugendstil"]
    'Jugendstil'
    """
    own = {normalize_style(alias): name for alias, name in sorted(styles.aliases.items())}
    said = {
        **{normalize_style(name): name for name in NAMES},
        **{normalize_style(alias): name for alias, name in ALIASES.items()},
        **own,
    }
    spelled = {
        **{normalize_style(name): name for name in NAMES},
        **{normalize_style(name): name for name in own.values()},
        "": "",
    }
    ends = {start: resolve_alias(start, said, normalize_style) for start in {*said, *spelled} if start}
    return {start: spelled[end] for start, end in ends.items()}


def style_name(style: str | None, names: Mapping[str, str]) -> str | None:
    """The name of a style, itself where it isn't known; None for none, and where the table says that it is none.

    >>> names = names_by_style(Styles())
    >>> style_name("post-impressionism", names), style_name("Byzantine mosaic", names), style_name(None, names)
    ('Post Impressionism', 'Byzantine mosaic', None)
    """
    return names.get(normalize_style(style), style) or None if style else None


def with_style_names(records: pa.Table, names: Mapping[str, str]) -> pa.Table:
    """A table with `style`, each style under one name. Whatever else it says of styles stays as the source has it."""
    texts = pc.unique(records["style"].drop_null())
    found = pa.array([style_name(text, names) for text in texts.to_pylist()], pa.string())
    at = records.schema.get_field_index("style")
    return records.set_column(
        at, records.schema.field(at), pc.take(found, pc.index_in(records["style"], value_set=texts))
    )


def count_unknown_styles(style: pa.ChunkedArray, names: Mapping[str, str]) -> list[tuple[str, int]]:
    """Styles that no table knows, and how many records have each: the most frequent first, then by name."""
    counted = Counter({row["values"]: row["counts"] for row in pc.value_counts(style.drop_null()).to_pylist()})
    return sorted(
        ((text, count) for text, count in counted.items() if normalize_style(text) not in names),
        key=lambda entry: (-entry[1], entry[0]),
    )


def unknown_styles_note(found: list[tuple[str, int]]) -> tuple[str, ...]:
    """One sentence that lists unknown styles, at most ten of them; none if there are none.

    >>> unknown_styles_note([("Byzantine mosaic", 12), ("?", 1)])
    ("2 styles stay as their sources spell them, since no table knows them: 'Byzantine mosaic' (12), '?' (1)",)
    """
    if not found:
        return ()
    named = listed([f"'{text}' ({count})" for text, count in found], _MOST_LISTED)
    many = (
        "1 style stays as its source spells it, since no table knows it"
        if len(found) == 1
        else (f"{len(found)} styles stay as their sources spell them, since no table knows them")
    )
    return (f"{many}: {named}",)


def likely_typos(wanted: Iterable[str], names: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """Wanted styles that no table knows though they are spelled nearly like one that it does, each with such names.

    A word that is like no known style is taken for a source's own.

    >>> likely_typos(["Cubsim", "Cubism", "Byzantine mosaic"], names_by_style(Styles()))
    [('Cubsim', ['Cubism'])]
    """
    unknown_to_all = [text for text in wanted if normalize_style(text) not in names]
    near = (
        (text, get_close_matches(normalize_style(text), sorted(names), n=3, cutoff=_LEAST_SIMILARITY))
        for text in unknown_to_all
    )
    return [(text, list(dict.fromkeys(names[found] for found in like))) for text, like in near if like]
