"""What people have said of pairs of records: read from the rows of a file, and refused where no build could obey it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import pyarrow as pa

from schemas.errors import BadInput
from schemas.relations import VERDICTS as WORDS
from schemas.tables import VERDICTS

COLUMNS = ("a", "b", "verdict", "note")

_Pair = tuple[str, str]
_SHOWN_LINKS = 6
_SHOWN_LINES = 5
_SHOWN_TEXT = 80


class _VerdictRow(NamedTuple):
    """One row of the file, a < b."""

    line: int
    pair: _Pair
    word: str
    note: str


def parse_verdicts(name: str, rows: Sequence[tuple[int, Sequence[str]]]) -> pa.Table:
    """VERDICTS of a file's rows: a < b, each pair once, sorted, whatever the order of rows and of a and b.

    name: the file's, for messages. rows: (line, cells), the first with the names of the columns, in any order; `note`
    may be missing. A pair that comes twice with one word is one; its notes are joined. A header alone is an empty
    table.

    Raises BadInput, one sentence that names lines, for other columns, a word that is none of WORDS, a record_id that is
    empty or paired with itself, a pair with two words, and two records that are related or different although a chain
    of copies joins them.
    """
    if not rows:
        raise BadInput(f"{name}: expected the columns {','.join(COLUMNS)}, got an empty file")
    places = _column_places(name, rows[0][1])
    said: defaultdict[_Pair, list[_VerdictRow]] = defaultdict(list)
    for line, cells in rows[1:]:
        row = _parse_row(name, line, cells, places)
        said[row.pair].append(row)
    for about in said.values():
        _check_words(name, about)
    _check_chains(name, {pair: about[0] for pair, about in said.items()})
    return pa.Table.from_pylist([_merged_row(said[pair]) for pair in sorted(said)], schema=VERDICTS)


def _column_places(name: str, header: Sequence[str]) -> dict[str, int]:
    """Where each column is."""
    places = {column: place for place, column in enumerate(header)}
    if len(places) < len(header) or not {"a", "b", "verdict"} <= set(places) <= set(COLUMNS):
        raise BadInput(f"{name}: expected the columns {','.join(COLUMNS)}, got {_quoted(','.join(header))}")
    return places


def _parse_row(name: str, line: int, cells: Sequence[str], places: Mapping[str, int]) -> _VerdictRow:
    if len(cells) != len(places):
        raise BadInput(f"{name}, line {line}: expected {len(places)} cells, got {len(cells)}")
    a, b, word = (cells[places[column]] for column in ("a", "b", "verdict"))
    if word not in WORDS:
        raise BadInput(f"{name}, line {line}: expected a verdict of {', '.join(WORDS)}, got {_quoted(word)}")
    if not a or not b or a == b:
        raise BadInput(f"{name}, line {line}: expected two different record_ids, got {_quoted(a)} and {_quoted(b)}")
    return _VerdictRow(line, (min(a, b), max(a, b)), word, cells[places["note"]] if "note" in places else "")


def _check_words(name: str, about: Sequence[_VerdictRow]) -> None:
    """Raises BadInput if rows about one pair say different things."""
    of_word: dict[str, list[int]] = {}
    for row in about:
        of_word.setdefault(row.word, []).append(row.line)
    if len(of_word) > 1:
        words = " and ".join(f"{word} ({_lines(of_word[word])})" for word in WORDS if word in of_word)
        a, b = map(_quoted, about[0].pair)
        raise BadInput(f"{name}: expected one verdict of {a} and {b}, got {words}")


def _check_chains(name: str, said: Mapping[_Pair, _VerdictRow]) -> None:
    """Raises BadInput if a chain of copies joins two that are said to be no copies: naming the first such pair."""
    copies: defaultdict[str, list[str]] = defaultdict(list)
    for (a, b), row in sorted(said.items()):
        if row.word == "copy":
            copies[a].append(b)
            copies[b].append(a)
    of = _components(copies)
    for pair, row in sorted(said.items()):
        if row.word != "copy" and pair[0] in of and of[pair[0]] == of.get(pair[1]):
            raise BadInput(f"{name}: {_contradiction(row, _chain(copies, *pair), said)}")


def _components(linked: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """For each node one that stands for all that links join it with."""
    of: dict[str, str] = {}
    for start in linked:
        waiting = [] if start in of else [start]
        while waiting:
            node = waiting.pop()
            if node not in of:
                of[node] = start
                waiting.extend(linked[node])
    return of


def _chain(linked: Mapping[str, Iterable[str]], start: str, end: str) -> list[str]:
    """A shortest way from start to end, which links join."""
    before, wave = {end: end}, [end]
    while start not in before:
        reached = [(near, node) for node in wave for near in linked[node] if near not in before]
        for near, node in reached:
            before.setdefault(near, node)
        wave = list(dict.fromkeys(near for near, _ in reached))
    way = [start]
    while way[-1] != end:
        way.append(before[way[-1]])
    return way


def _contradiction(row: _VerdictRow, chain: Sequence[str], said: Mapping[_Pair, _VerdictRow]) -> str:
    links = [(min(pair), max(pair)) for pair in pairwise(chain)]
    lines = _lines([said[link].line for link in links])
    names = [_quoted(name) for name in chain]
    if len(names) > _SHOWN_LINKS:
        names[_SHOWN_LINKS - 1 : -1] = ["..."]
    a, b = map(_quoted, row.pair)
    return (
        f"expected verdicts that one build can obey, got {a} and {b} as {row.word} (line {row.line}) "
        f"although {lines} make{'s' * (len(links) == 1)} them copies: {' = '.join(names)}"
    )


def _merged_row(about: Sequence[_VerdictRow]) -> dict[str, str]:
    a, b = about[0].pair
    note = "; ".join(sorted({row.note for row in about if row.note}))
    return {"a": a, "b": b, "verdict": about[0].word, "note": note}


def _lines(numbers: Sequence[int]) -> str:
    """Numbers of lines in order, in words: 'line 3', 'lines 2, 5'; of many only the first."""
    shown = ", ".join(str(number) for number in sorted(numbers)[:_SHOWN_LINES])
    more = len(numbers) - _SHOWN_LINES
    return f"line{'s' * (len(numbers) > 1)} {shown}" + (f" and {more} more" if more > 0 else "")


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_TEXT else f"{text[:_SHOWN_TEXT]}...")
