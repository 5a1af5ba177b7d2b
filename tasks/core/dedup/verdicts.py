"""People's verdicts on pairs of records: read from the rows of a file, and refused where they contradict each other."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import pyarrow as pa

from schemas.errors import BadInput
from schemas.phrases import listed, quoted
from schemas.relations import VERDICTS as WORDS
from schemas.tables import VERDICTS
from tasks.core.by_hand import cells_by_column
from tasks.core.columns import Column
from tasks.core.record_ids import known_spellings

COLUMNS = ("a", "b", "verdict", "note")

_Pair = tuple[str, str]
_SHOWN_LINKS = 6
_SHOWN_LINES = 5


class _VerdictRow(NamedTuple):
    line: int
    pair: _Pair  # a < b
    word: str
    note: str


def parse_verdicts(name: str, rows: Sequence[tuple[int, Sequence[str]]]) -> pa.Table:
    """VERDICTS of a file's rows: a < b, each pair once, sorted, whatever the order of rows and of a and b.

    name: the file's, for messages. rows: (line, cells), as `cells_by_column` takes them; `note` may be missing. A pair
    that comes twice with one verdict counts once; its notes are joined. A header alone is an empty table.

    Raises BadInput, naming lines, for other columns, a verdict that is not among WORDS, a record_id that is empty or
    paired with itself, a pair with two verdicts, and one that is no copy although a chain of copies joins it.
    """
    of_pair: defaultdict[_Pair, list[_VerdictRow]] = defaultdict(list)
    for line, cells in cells_by_column(name, rows, COLUMNS, COLUMNS[:3]):
        row = _parse_row(name, line, cells)
        of_pair[row.pair].append(row)
    for same_pair in of_pair.values():
        _check_words(name, same_pair)
    _check_chains(name, {pair: same_pair[0] for pair, same_pair in of_pair.items()})
    merged = [
        {"a": a, "b": b, "verdict": same[0].word, "note": "; ".join(sorted({row.note for row in same if row.note}))}
        for (a, b), same in sorted(of_pair.items())
    ]
    return pa.Table.from_pylist(merged, schema=VERDICTS)


def with_known_ids(rows: Sequence[tuple[int, Sequence[str]]], known: Column) -> list[tuple[int, list[str]]]:
    """`parse_verdicts`'s rows with ids as the build's records have them, where a cell is spelled otherwise."""
    places = {place for place, column in enumerate(rows[0][1]) if column in {"a", "b"}} if rows else set()
    named = {cell for _, cells in rows[1:] for place, cell in enumerate(cells) if place in places}
    spellings = known_spellings(named, known)
    return [
        (line, [spellings.get(cell, cell) if place in places else cell for place, cell in enumerate(cells)])
        for line, cells in rows
    ]


def _parse_row(name: str, line: int, cells: Mapping[str, str]) -> _VerdictRow:
    a, b, word = cells["a"], cells["b"], cells["verdict"]
    if word not in WORDS:
        raise BadInput(f"{name}, line {line}: expected a verdict of {', '.join(WORDS)}, got {quoted(word)}")
    if not a or not b or a == b:
        raise BadInput(f"{name}, line {line}: expected two different record_ids, got {quoted(a)} and {quoted(b)}")
    return _VerdictRow(line, (min(a, b), max(a, b)), word, cells.get("note", ""))


def _check_words(name: str, same_pair: Sequence[_VerdictRow]) -> None:
    """Raises BadInput if rows about one pair have different verdicts."""
    of_word: dict[str, list[int]] = {}
    for row in same_pair:
        of_word.setdefault(row.word, []).append(row.line)
    if len(of_word) > 1:
        words = " and ".join(f"{word} ({_lines(of_word[word])})" for word in WORDS if word in of_word)
        a, b = map(quoted, same_pair[0].pair)
        raise BadInput(f"{name}: expected one verdict of {a} and {b}, got {words}")


def _check_chains(name: str, row_of: Mapping[_Pair, _VerdictRow]) -> None:
    """Raises BadInput if a chain of copies joins two records that have another verdict, naming the first such pair."""
    copies: defaultdict[str, list[str]] = defaultdict(list)
    for (a, b), row in sorted(row_of.items()):
        if row.word == "copy":
            copies[a].append(b)
            copies[b].append(a)
    of = _components(copies)
    for pair, row in sorted(row_of.items()):
        if row.word != "copy" and pair[0] in of and of[pair[0]] == of.get(pair[1]):
            raise BadInput(f"{name}: {_contradiction(row, _chain(copies, *pair), row_of)}")


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
    """A shortest path from start to end, which links connect."""
    before, wave = {end: end}, [end]
    while start not in before:
        reached = [(near, node) for node in wave for near in linked[node] if near not in before]
        for near, node in reached:
            before.setdefault(near, node)
        wave = list(dict.fromkeys(near for near, _ in reached))
    path = [start]
    while path[-1] != end:
        path.append(before[path[-1]])
    return path


def _contradiction(row: _VerdictRow, chain: Sequence[str], row_of: Mapping[_Pair, _VerdictRow]) -> str:
    links = [(min(pair), max(pair)) for pair in pairwise(chain)]
    lines = _lines([row_of[link].line for link in links])
    names = [quoted(name) for name in chain]
    if len(names) > _SHOWN_LINKS:
        names[_SHOWN_LINKS - 1 : -1] = ["..."]
    a, b = map(quoted, row.pair)
    return (
        f"expected verdicts without contradictions, got {a} and {b} as {row.word} (line {row.line}) "
        f"although {lines} make{'s' * (len(links) == 1)} them copies: {' = '.join(names)}"
    )


def _lines(numbers: Sequence[int]) -> str:
    """Numbers of lines in order, in words: 'line 3', 'lines 2, 5'; of many only the first."""
    return f"line{'s' * (len(numbers) > 1)} {listed([str(number) for number in sorted(numbers)], _SHOWN_LINES)}"
