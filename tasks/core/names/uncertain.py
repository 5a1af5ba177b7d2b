"""Names that stay as their sources wrote them, since it is not certain who is meant."""

from functools import lru_cache

from tasks.core.names.commas import turn
from tasks.core.names.maker_words import shipped_words
from tasks.core.names.makers import is_uncertain_maker, is_unclear


@lru_cache(maxsize=65536)
def is_uncertain(name: str, own: str | None = None) -> bool:
    """Whether it is not certain what a name's commas mean, or whom of several it names; own: as of `words_of`."""
    words = shipped_words(own)
    if is_unclear(name, words):
        return True
    turned = turn(name, words)
    return is_uncertain_maker(name, words) if turned is None else not turned.is_certain
