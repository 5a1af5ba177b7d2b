"""Attributions: one name for an artist across sources, and a qualifier that says how certain it is."""

import html
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tasks.core.columns import whole
from tasks.core.names import makers, qualifiers
from tasks.core.names.maker_words import Words, tokens, words_of
from tasks.core.names.matching import Aliases, normalize_name
from tasks.core.names.person_names import is_aside, spoken, turn
from tasks.core.names.spellings import keys
from tasks.core.own_words import NO_WORDS, OwnWords, rows_by_words
from tasks.core.tables import with_columns

_LONGEST = 300
_MOST_TURNS = 5
"""What is turned more often might be turned and turned back for ever."""
_WIDE = str.maketrans("（）［］〔〕【】，；｜／？‹›", "()[][][],;|/?<>")
_Stripped = tuple[str, str | None]
"""What is left of a text, and the qualifier that was taken from it."""


class Attribution(NamedTuple):
    """An artist's name, None if unknown, and one of QUALIFIERS if the source qualifies the attribution."""

    name: str | None
    qualifier: str | None = None


@lru_cache(maxsize=65536)
def parse_attribution(
    text: str | None, aliases: Aliases, own: str | None = None, turns: int = _MOST_TURNS
) -> Attribution:
    """The attribution in a source's words for an artist. Never raises; the name of a name is itself.

    Of several artists (joined by "|", ";" or lines) the first is the artist. Life dates, nationalities and other names
    in brackets or after commas are left out; "Last, First" becomes "First Last"; an alias to "" is unknown. Accents,
    case and punctuation don't matter for the look-up of aliases, and stay in the name. own: the JSON of a recipe's
    MakerWords. Each step leaves less, or the same words in another order, which is counted in `turns`: so this ends.

    >>> parse_attribution("Rubens, Peter Paul (Flemish, 1577-1640), workshop of", Aliases({}))
    Attribution(name='Peter Paul Rubens', qualifier='workshop of')
    >>> parse_attribution("After Hokusai|Unknown", Aliases({"Hokusai": "Katsushika Hokusai"}))
    Attribution(name='Katsushika Hokusai', qualifier='after')
    >>> parse_attribution("Unknown, French, 15th century", Aliases({}))
    Attribution(name=None, qualifier=None)
    """
    if text is None or aliases.is_name(text):  # a recipe's spelling stays as it is, also with a "?" in it
        return Attribution(text)
    words, is_in_front = words_of(aliases, own), False
    shorter, qualifier = _without_doubt(text, words)  # before the look-up, which ignores the "?"
    if shorter == text:
        if (name := aliases.name(text)) is not None:
            return Attribution(name or None)
        if words.is_plain(text):  # what most texts are
            return Attribution(text)
        shorter = _first_of_several(text, words)
    if shorter == text:
        if qualifiers.is_nobody(text, words):
            return Attribution(None)
        shorter, qualifier, is_in_front = _strip_once(text, words)
    turns -= len(shorter) >= len(text)
    if shorter == text or not turns:
        return Attribution(text)
    rest = parse_attribution(shorter, aliases, own, turns)
    both = (qualifier, rest.qualifier) if is_in_front else (rest.qualifier, qualifier)
    return Attribution(rest.name, qualifiers.stronger_qualifier(*both)) if rest.name and qualifier else rest


def with_artist_names(records: pa.Table, aliases: Aliases, own: OwnWords = NO_WORDS) -> pa.Table:
    """RECORDS with each artist under one name, the qualifier beside it, and all who are named likewise.

    The artist is read in artist_text, or in artist where that is null, as in records carried over from a release
    before contract 2.2. A qualifier that a record already has, from a role or carried over, stays if the record has an
    artist. Without a list of all, it is of the artist alone; who is unknown is not in it.
    """
    groups = [*rows_by_words(records["source"], own)]
    if len(groups) < 2:
        return _with_artist_names(records, aliases, groups[0][0] if groups else None)
    parts = [_with_artist_names(records.take(rows), aliases, words) for words, rows in groups]
    return pa.concat_tables(parts).take(np.argsort(np.concatenate([rows for _, rows in groups])))


def _with_artist_names(records: pa.Table, aliases: Aliases, own: str | None) -> pa.Table:
    read = cache(lambda text: parse_attribution(text, aliases, own))
    artist = pc.coalesce(whole(records["artist_text"]), whole(records["artist"]))
    several = _or_one_each(records, "artists", artist)
    roles = pc.list_flatten(_or_one_each(records, "artist_roles", pa.repeat("", len(artist))))
    name, all_names = (keys(texts, lambda text: read(text).name) for texts in (artist, pc.list_flatten(several)))
    qualifier = pc.coalesce(keys(artist, lambda text: read(text).qualifier), whole(records["artist_qualifier"]))
    is_named = pc.is_valid(all_names)
    sizes = np.bincount(pc.list_parent_indices(several).filter(is_named), minlength=len(several))
    ends = pa.array(np.append(0, np.cumsum(sizes)).astype(np.int32))
    columns = {
        "artist": name,
        "artist_qualifier": pc.if_else(pc.is_valid(name), qualifier, None),
        "artists": pa.ListArray.from_arrays(ends, all_names.filter(is_named)),
        "artist_roles": pa.ListArray.from_arrays(ends, roles.filter(is_named)),
    }
    return with_columns(records, columns)


def _or_one_each(records: pa.Table, column: str, alone: pa.Array) -> pa.Array:
    """(N,) a column's lists; where a record has no list of all its artists, one of its value in `alone` (N,)."""
    lists = pa.ListArray.from_arrays(pa.array(np.arange(len(alone) + 1, dtype=np.int32)), alone)
    return pc.if_else(pc.is_null(whole(records["artists"])), lists, whole(records[column]))


def _strip_once(text: str, words: Words) -> tuple[str, str | None, bool]:
    """The text without the first thing that is certainly no part of the name, its qualifier, and whether in front."""
    for step in (*_BEHIND, *_IN_FRONT):
        if (found := step(text, words)) is not None:
            rest, qualifier = found if isinstance(found, tuple) else (found, None)
            return rest, qualifier, step in _IN_FRONT
    return text, None, False


def _first_of_several(text: str, words: Words) -> str:
    cut = text[:_LONGEST]
    while "&" in cut and (phrase := html.unescape(cut)) != cut:  # some sources escape twice
        cut = phrase
    cut = cut if cut.isascii() else unicodedata.normalize("NFC", cut).translate(_WIDE)[:_LONGEST]
    cut = words.pattern("dates_in_angles").sub(r"(\1)", cut)
    named = next((part for part in words.pattern("makers").split(cut) if normalize_name(part)), "")
    first = " ".join(named.split()).lstrip(",:;.-–—* ").rstrip(",:;-–—* ")
    return makers.without_others(words.pattern("dates_amid").sub("", first), words)


def _without_doubt(text: str, words: Words) -> _Stripped:
    if "?" not in text:
        return text, None
    doubt = words.pattern("doubt")
    certain = words.pattern("bracket_with_doubt").sub(lambda bracket: doubt.sub(" ", bracket[0]), text).strip()
    shorter = doubt.sub(" ", certain).strip()
    return shorter, None if shorter == certain else "possibly"


def _without_brackets(text: str, words: Words) -> _Stripped | None:
    forms = ("bracket_before_comma", "last_bracket") if "(" in text or "[" in text else ()
    match = next(filter(None, (words.pattern(form).fullmatch(text) for form in forms)), None)
    if match is None:
        return None
    before, phrase, behind = match["before"], match["phrase"].strip("()[] "), match["behind"]
    if not before + behind:
        return phrase, None
    if normalize_name(phrase) in words["generations"]:
        return f"{before} {phrase}{behind}", None
    qualifier = qualifiers.qualifier_of_bracket(phrase, words)
    return (before + behind, qualifier) if behind else _without_group(before, qualifier, words)


def _without_group(name: str, qualifier: str | None, words: Words) -> _Stripped | None:
    """The name and its qualifier; of a place "School of Siena", and None where it is not certain who is meant."""
    if not makers.is_group(name, qualifier, words):
        return name, qualifier
    is_certain = qualifier == "school of" and words.is_of("places", name)
    return (f"School of {name}", None) if is_certain else None


def _without_last_part(text: str, words: Words) -> _Stripped | None:
    """Without a qualifier, a role, a nation or a time behind the last comma, dot or dash: "Abbey, Edwin, painter"."""
    match = words.pattern("last_part").fullmatch(text)
    if match is None or not (folded := normalize_name(match[3])):
        return None
    if (qualifier := qualifiers.qualifier_of_phrase(folded.split(), words)) is not None:
        return _without_group(match[1], qualifier or None, words)
    is_whole = "," in match[1] or words.names.fit("full_name", match[1])
    is_last_name = folded in words["also_family_names"] and not match[3].islower() and not is_whole
    are_roles = all(normalize_name(role) in words.roles for role in words.pattern("roles").split(match[3]))
    is_no_name = (are_roles and not is_last_name) or ("," in match[2] and is_aside(match[1], match[3], words))
    return (match[1], None) if is_no_name else None


def _without_last_words(text: str, words: Words) -> _Stripped | None:
    """Without a qualifier behind a name that has no comma between: "Rubens and his workshop", "Rubens workshop of"."""
    said = tokens(text)
    length, phrase = words.behind.longest([token.folded for token in said], -1)
    if not 0 < length < len(said):
        return None
    name, qualifier = text[: said[-length - 1].end], words.behind.table[phrase] or None
    if joined := words.pattern("joined_behind").fullmatch(name):
        return joined[1], qualifier
    return (name, qualifier) if length > 1 and makers.is_person(name, words) else None


def _without_phrase(text: str, words: Words) -> _Stripped | None:
    stripped = qualifiers.without_phrase_in_front(text, words)
    return None if stripped is None or makers.is_group(*stripped, words) else stripped


def _in_spoken_order(text: str, words: Words) -> str | None:
    # "AUDRAN Benoît, LE BRUN Charles"
    is_several = "," in text and words.names.fit("several_in_capitals", *text.split(","))
    if (in_order := spoken(text.partition(",")[0] if is_several else text, words)) != text:
        return in_order
    turned = turn(text, words)
    return turned and turned.name


_Step = Callable[[str, Words], _Stripped | str | None]
"""What is left of a text without what is no part of a name, with a qualifier or alone; None where it takes nothing."""
_BEHIND: Sequence[_Step] = (
    makers.maker_now,
    _without_brackets,
    qualifiers.without_signs,
    makers.without_years,
    _without_last_part,
    _without_last_words,
    makers.maker_of,
)
_IN_FRONT: Sequence[_Step] = (_without_phrase, makers.without_bare_word, _in_spoken_order)
