"""Words around a name that qualify the attribution, "Workshop of Rubens", and texts that name nobody."""

from tasks.core.names.maker_words import Words, tokens
from tasks.core.names.matching import normalize_name


def is_nobody(text: str, words: Words) -> bool:
    """Whether a text says that the maker is unknown, or only of which people, place and time.

    >>> [is_nobody(text, Words.shipped()) for text in ("French Painter", "Venetian 16th Century", "Berlin Painter")]
    [True, True, False]
    """
    folded = normalize_name(text)
    if not words.pattern("letter").search(folded) or folded in words.behind.table or folded in words["blanks"]:
        return True
    parts = [part for part in words.pattern("parts").split(text) if normalize_name(part)]
    if not words.kinds.fit("may_be_nobody", *parts):  # most names end here
        return False
    is_people = not words.pattern("with_label").fullmatch(text) and words.kinds.fit("people", *parts)
    if not is_people and not words.kinds.fit("nobody", *parts):
        return False
    phrase = without_phrase_in_front(text, words)
    return phrase is None or not words.aliases.name(phrase[0])  # "Workshop of El Greco"


def without_phrase_in_front(text: str, words: Words) -> tuple[str, str | None] | None:
    """The text without the phrase at its beginning, and the qualifier that it is (None for none); None without one.

    >>> without_phrase_in_front("Workshop of the Amasis Painter", Words.shipped())
    ('Amasis Painter', 'workshop of')
    >>> without_phrase_in_front("formerly in the Louvre", Words.shipped()) is None
    True
    """
    if label := words.pattern("label").match(text):
        role = normalize_name(label[1])  # "Artist", "Print artist"
        if role in words["labels"] or role.rpartition(" ")[2] in words["crafts"]:
            return text[label.end() :], None
    said = tokens(text)
    folded = [token.folded for token in said]
    length, phrase = words.in_front.longest(folded)
    if not length and folded and folded[0] in words["articles"]:
        said = said[1:]
        length, phrase = words.in_front.longest(folded[1:])
    if not length or words.pattern("apart").search(text, said[0].start, said[length - 1].end):
        return None
    behind = words.pattern("behind_phrase").match(text, said[length - 1].end)
    if behind is None or behind.end() == len(text):
        return None
    rest = words.pattern("article").sub("", text[behind.end() :])
    if phrase in words["also_of_places"] and rest[0].islower() and without_phrase_in_front(rest, words) is None:
        return None
    return rest, words.in_front.table[phrase] or None


def without_signs(text: str, words: Words) -> tuple[str, str | None] | None:
    """A name in Chinese, Japanese or Korean signs without those around it: 伝 in front, 筆 behind, a dynasty.

    >>> [without_signs(text, Words.shipped()) for text in ("伝狩野宗秀", "歌川広重筆", "明 唐寅", "Rembrandt")]
    [('狩野宗秀', 'attributed to'), ('歌川広重', None), ('唐寅', None), None]
    """
    if text.isascii() or not words.pattern("signs").search(text):
        return None
    forms = ("of_dynasty", "glued_in_front", "glued_behind")
    for form in ("also_in_signs",) if words.pattern("latin").search(text) else forms:
        if match := words.pattern(form).fullmatch(text):
            sign = match.groupdict().get("sign")
            return match["name"], (words.tables[form][sign] or None) if sign else None
    return None


def qualifier_of_bracket(phrase: str, words: Words) -> str | None:
    """The qualifier that a bracket's words are, the first of several; None if they are none.

    >>> phrases = ("Werkstatt", "and workshop", "dessinateur, attribué à", "Dutch", "")
    >>> [qualifier_of_bracket(phrase, Words.shipped()) for phrase in phrases]
    ['workshop of', 'workshop of', 'attributed to', None, None]
    """
    found: str | None = None
    for part in words.pattern("qualifiers").split(phrase):
        folded = normalize_name(part).split()
        qualifier = "possibly" if part.strip() and not part.strip(" ?") else qualifier_of_phrase(folded, words) or None
        found = stronger_qualifier(found, qualifier)
    return found


def qualifier_of_phrase(folded: list[str], words: Words) -> str | None:
    """Of a part of a bracket, "" for a phrase that says none, the first of qualifiers with "or" between; else None."""
    table, joints = words.behind.table, words["ands"] | words["ors"]
    while folded and (folded[0] in joints or folded[0] in words["his"]) and " ".join(folded) not in table:
        folded = folded[1:]
    if (qualifier := table.get(" ".join(folded))) is not None:
        return qualifier
    at = next((place for place, word in enumerate(folded) if word in joints), 0)
    return table.get(" ".join(folded[:at])) or None if at and qualifier_of_phrase(folded[at + 1 :], words) else None


def stronger_qualifier(qualifier: str | None, other: str | None) -> str | None:
    """The first of the two, but any other before "possibly"."""
    return (other or qualifier) if qualifier in {None, "possibly"} else qualifier
