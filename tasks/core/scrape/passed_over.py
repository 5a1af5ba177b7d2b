"""What a source lists and what yields no record, counted by its kind: so that nothing is lost without a word.

Of every list, what comes in is what yields something, and what is passed over.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from schemas.manifests import PassedOver
from schemas.phrases import LONGEST_QUOTE, counted, printable
from schemas.tables import PASSED_OVER

_EXAMPLES = 3
_MOST_KINDS = 12
_OTHERS = "others"
IMAGES_OF_FILE = "images of the COCO file"
_YIELDS = {
    "annotations": "figure",
    "objects": "figure",
    "images": "annotation",
    IMAGES_OF_FILE: "annotation",
}
"""What a list's entries should yield, where that is no record."""
_Kind = tuple[str, tuple[int, tuple[str, ...]]]
"""A kind, its count and its examples."""
_ONE = {IMAGES_OF_FILE: "image of the COCO file", "entries": "entry"}


@dataclass(frozen=True, slots=True)
class KindCount:
    """How many of one kind were passed over, and the first few."""

    kind: str
    count: int
    examples: tuple[str, ...] = ()


class Tally:
    """Counts of what is passed over in one list, by kind, with the first few examples of each."""

    def __init__(self) -> None:
        self._kinds: dict[str, tuple[int, tuple[str, ...]]] = {}

    def add(self, kind: str, *examples: str, count: int = 1) -> None:
        """Count so many more of a kind."""
        before, known = self._kinds.get(kind, (0, ()))
        shown = known
        if len(known) < _EXAMPLES:
            shown = tuple(dict.fromkeys([*known, *map(_shown, examples)]))[:_EXAMPLES]
        if before + count:
            self._kinds[kind] = (before + count, shown)

    def kinds(self) -> tuple[KindCount, ...]:
        """Each kind, in the order in which they came."""
        return tuple(KindCount(kind, *counted) for kind, counted in self._kinds.items())

    @property
    def total(self) -> int:
        """How many were passed over."""
        return sum(count for count, _ in self._kinds.values())

    def rows(
        self, source: str, unit: str, listed: int, is_always_shown: Callable[[str], bool] = lambda _: False
    ) -> tuple[PassedOver, ...]:
        """A row for each kind, the most frequent first; rare ones beyond a dozen are one row. listed: the list's
        length. is_always_shown: whether a kind has its own row however rare it is, also beyond a dozen.
        """
        kinds = sorted(self._kinds.items(), key=lambda item: (-item[1][0], item[0]))
        if len(kinds) > _MOST_KINDS:
            rare = [item for item in kinds if not is_always_shown(item[0])]
            most = max(_MOST_KINDS - 1 - (len(kinds) - len(rare)), 0)
            kinds = _without_rest(kinds, rare[most:])
        return tuple(
            PassedOver(source=source, unit=unit, listed=listed, kind=kind, count=count, examples=examples)
            for kind, (count, examples) in kinds
        )


def _without_rest(kinds: list[_Kind], rest: Sequence[_Kind]) -> list[_Kind]:
    """The kinds, of which the rest is one, the last."""
    if len(rest) < 2:
        return kinds
    left = {name for name, _ in rest}
    examples = tuple(example for _, (_, shown) in rest for example in shown[:1])[:_EXAMPLES]
    others = _OTHERS, (sum(count for _, (count, _) in rest), examples)
    return [*(kind for kind in kinds if kind[0] not in left), others]


def things_listed(yielded: int, rows: Iterable[PassedOver]) -> int:
    """How many things a list had, by what came of them: those that yielded something, and those passed over.

    Every list closes: this is its length, `listed` of each of its rows.

    >>> things_listed(7, [PassedOver(source="a", unit="files", listed=9, kind="texts", count=2)])
    9
    """
    return yielded + sum(row.count for row in rows)


def yielded(unit: str) -> str:
    """What an entry of a list should yield.

    >>> yielded("files"), yielded("annotations")
    ('record', 'figure')
    """
    return _YIELDS.get(unit, "record")


def table(rows: Iterable[PassedOver]) -> pa.Table:
    """PASSED_OVER."""
    return pa.Table.from_pylist([row.model_dump() for row in rows], schema=PASSED_OVER)


def rows_of_table(passed: pa.Table) -> tuple[PassedOver, ...]:
    """The rows of PASSED_OVER."""
    return tuple(PassedOver(**row) for row in passed.to_pylist())


def notes(rows: Iterable[PassedOver]) -> list[str]:
    """A sentence for each list of which something was passed over.

    >>> notes([PassedOver(source="art", unit="files", listed=9, kind="texts", count=2, examples=("a.txt",))])
    ["source 'art': 2 of 9 files give no record: texts (2: 'a.txt')"]
    """
    by_list: dict[tuple[str, str], list[PassedOver]] = {}
    for row in rows:
        by_list.setdefault((row.source, row.unit), []).append(row)
    return [_sentence(source, unit, of_list) for (source, unit), of_list in by_list.items()]


def _sentence(source: str, unit: str, rows: Sequence[PassedOver]) -> str:
    count, listed = sum(row.count for row in rows), rows[0].listed
    kinds = "; ".join(f"{row.kind} ({row.count:,}{_of_examples(row.examples)})" for row in rows)
    return (
        f"source '{source}': {count:,} of {counted(listed, _ONE.get(unit, unit.removesuffix('s')), unit)} "
        f"{'gives' if count == 1 else 'give'} no {yielded(unit)}: {kinds}"
    )


def _of_examples(examples: Sequence[str]) -> str:
    return f": {', '.join(repr(example) for example in examples)}" if examples else ""


def _shown(example: str) -> str:
    """An example as a note, a table and a card can show it: one line, not too long."""
    text = printable(example)
    return text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 3]}..."
