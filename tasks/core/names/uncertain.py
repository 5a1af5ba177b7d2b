"""Names that stay as their sources wrote them, since it is not certain who is meant."""

from functools import lru_cache

from tasks.core.names.commas import turn
from tasks.core.names.maker_words import shipped_words
from tasks.core.names.makers import maker_now
from tasks.core.names.qualifiers import without_phrase_in_front


@lru_cache(maxsize=65536)
def is_uncertain(name: str, own: str | None = None) -> bool:
    """Whether it is not certain what a name's commas mean, or whom of several it names; own: as of `words_of`."""
    words = shipped_words(own)
    if maker_now(name, words) is not None:
        return True
    if (turned := turn(name, words)) is not None:
        return not turned.is_certain
    place = without_phrase_in_front(name, words)
    if place is not None and place[1] == "school of" and words.is_of("places", place[0]):
        return False
    return bool(words.text_pattern("not_certain").fullmatch(name)) and not words.text_pattern("firm").fullmatch(name)
