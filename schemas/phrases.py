"""Turns of phrase that messages, notes and reports of all rooms share."""

from collections.abc import Sequence

_LONGEST_QUOTE = 80


def and_more(count: int) -> str:
    """What follows a list that was cut: " and 3 more"; empty where nothing was left out.

    >>> and_more(3), and_more(0), and_more(-2), and_more(1234)
    (' and 3 more', '', '', ' and 1,234 more')
    """
    return f" and {count:,} more" if count > 0 else ""


def listed(texts: Sequence[str], most: int) -> str:
    """The first `most` of the texts with commas, and how many more there are; empty in, empty out.

    >>> listed(["a", "b", "c"], 2), listed(["a"], 2)
    ('a, b and 1 more', 'a')
    """
    return ", ".join(texts[:most]) + and_more(len(texts) - most)


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number and its noun, in the singular or the plural.

    >>> counted(1, "record"), counted(2000, "record"), counted(2, "copy", "copies")
    ('1 record', '2,000 records', '2 copies')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def quoted(text: str) -> str:
    """A text in quotation marks, as Python writes it, cut after 80 characters: for messages about a file's contents.

    >>> quoted("Cubism")
    "'Cubism'"
    """
    return repr(text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}...")
