"""What a source lists and what yields no record, counted by its kind: so that nothing is lost without a word."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import pyarrow as pa

from schemas.manifests import PassedOver
from schemas.phrases import LONGEST_QUOTE, counted, printable
from schemas.tables import PASSED_OVER

_EXAMPLES = 3
_MOST_KINDS = 12
_OTHERS = "others"
IMAGES_OF_FILE = "images in the COCO file"
_YIELDS = {"annotations": "figure", "objects": "figure", "images": "annotation", IMAGES_OF_FILE: "annotation"}
"""What a list's entries should yield, where that is no record."""
_ONE = {IMAGES_OF_FILE: "image in the COCO file", "entries": "entry", "categories": "category"}


class Tally:
    """Counts of what is passed over in one list, by kind, with the first few examples of each."""

    def __init__(self) -> None:
        self._kinds: dict[str, tuple[int, tuple[str, ...]]] = {}

    def add(self, kind: str, *examples: str, count: int = 1) -> None:
        """Count so many more of a kind."""
        before, shown = self._kinds.get(kind, (0, ()))
        if len(shown) < _EXAMPLES:
            shown = tuple(dict.fromkeys([*shown, *map(_shown, examples)]))[:_EXAMPLES]
        if before + count:
            self._kinds[kind] = (before + count, shown)

    def kinds(self, unit: str = "entries") -> tuple[PassedOver, ...]:
        """Each kind, in the order in which they came, of a part of a list whose length is told elsewhere."""
        return tuple(
            PassedOver(unit=unit, kind=kind, count=count, examples=examples)
            for kind, (count, examples) in self._kinds.items()
        )

    @property
    def total(self) -> int:
        """How many were passed over."""
        return sum(count for count, _ in self._kinds.values())

    def rows(
        self, sources: tuple[str, ...], unit: str, listed: int, is_always_shown: Callable[[str], bool] = lambda _: False
    ) -> tuple[PassedOver, ...]:
        """A row for each kind, the most frequent first; beyond a dozen those not `is_always_shown` are one row."""
        kinds = sorted(self.kinds(unit), key=lambda row: (-row.count, row.kind))
        rare = [row for row in kinds if not is_always_shown(row.kind)]
        rest = rare[max(_MOST_KINDS - 1 - (len(kinds) - len(rare)), 0) :]
        if len(kinds) > _MOST_KINDS and len(rest) > 1:
            examples = tuple(example for row in rest for example in row.examples[:1])[:_EXAMPLES]
            count = sum(row.count for row in rest)
            others = PassedOver(unit=unit, kind=_OTHERS, count=count, examples=examples)
            left = {row.kind for row in rest}
            kinds = [*(row for row in kinds if row.kind not in left), others]
        return tuple(row.model_copy(update={"sources": sources, "listed": listed}) for row in kinds)


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

    >>> notes([PassedOver(sources=("art",), unit="files", listed=9, kind="texts", count=2, examples=("a.txt",))])
    ["source 'art': 2 of 9 files give no record: texts (2: 'a.txt')"]
    """
    by_list: dict[tuple[tuple[str, ...], str], list[PassedOver]] = {}
    for row in rows:
        by_list.setdefault((row.sources, row.unit), []).append(row)
    return [_sentence(sources, unit, of_list) for (sources, unit), of_list in by_list.items()]


def _sentence(sources: Sequence[str], unit: str, rows: Sequence[PassedOver]) -> str:
    count = sum(row.count for row in rows)
    names = " and ".join(f"'{source}'" for source in sources)
    examples = [f": {', '.join(map(repr, row.examples))}" if row.examples else "" for row in rows]
    kinds = "; ".join(f"{row.kind} ({row.count:,}{shown})" for row, shown in zip(rows, examples, strict=True))
    whole = counted(rows[0].listed, _ONE.get(unit, unit.removesuffix("s")), unit)
    if unit == IMAGES_OF_FILE:
        fate = "is not used" if count == 1 else "are not used"
    else:
        fate = f"{'gives' if count == 1 else 'give'} no {yielded(unit)}"
    return f"source{'s' * (len(sources) > 1)} {names}: {count:,} of {whole} {fate}: {kinds}"


def _shown(example: str) -> str:
    """An example as a note, a table and a card can show it: one line, not too long."""
    text = printable(example)
    return text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 3]}..."


_FRACTION = 0.01
"""Works come and go in every collection; a listing that has lost more than a hundredth of them is worth a look."""


def shrunk_sources(
    names: Sequence[str], before: Mapping[str, int], now: Mapping[str, int]
) -> list[tuple[str, int, int]]:
    """(source, works before, works now) of each source of the recipe that has lost more than a hundredth of its works.

    >>> shrunk_sources(["met", "artic"], {"met": 200, "artic": 100, "flickr": 50}, {"met": 197, "artic": 99})
    [('met', 200, 197)]
    """
    counts = [(name, before.get(name, 0), now.get(name, 0)) for name in names]
    return [(name, then, left) for name, then, left in counts if left < then * (1 - _FRACTION)]
