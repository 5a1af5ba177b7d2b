"""What a release's recipe keeps `together` must lie in one split: works of an artist, a series, an attribute's text."""

from collections import defaultdict
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from schemas.phrases import listed, quoted
from tasks.core.columns import whole
from tasks.core.names.spellings import Key, key_of_column, keys

SPELLINGS_SINCE = (2, 2)
"""The contract since which spellings of one name are one group; releases of earlier ones go by the letter."""
_MOST_LISTED = 5


def together_problems(rows: pa.Table, *, is_by_name: bool) -> Iterator[str]:
    """Groups that lie in two splits of one role. rows: split, role (null: none), and the columns of bonds.

    is_by_name: whether spellings of one name are one group, as the columns' names say; otherwise each is one.
    """
    for column in rows.column_names:
        if column in {"role", "split"}:
            continue
        named = _named(rows, column, key_of_column(column) if is_by_name else str)
        splits = named.group_by(["role", "key"]).aggregate([("split", "count_distinct")])
        # few, where any at all: only these are looked at one by one
        suspects = splits.filter(pc.greater(splits["split_count_distinct"], 1))["key"]
        found: dict[tuple[str | None, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for row in named.filter(pc.is_in(named["key"], value_set=suspects)).to_pylist():
            found[row["role"], row["key"]][row["split"]].add(row["text"])
        for of in found.values():
            if len(of) > 1:
                spelled = listed(sorted({quoted(text) for texts in of.values() for text in texts}), _MOST_LISTED)
                yield f"leak: expected {column.rpartition('.')[2]} {spelled} in one split, got {sorted(of)}"


def _named(rows: pa.Table, column: str, key: Key) -> pa.Table:
    """role, split, text and key of each text in a column, of lists each of theirs."""
    texts, of = whole(rows[column]), rows.select(["role", "split"])
    if pa.types.is_list(texts.type):
        texts, of = pc.list_flatten(texts), of.take(pc.list_parent_indices(texts))
    named = of.append_column("text", texts).append_column("key", keys(texts, key))
    return named.filter(pc.is_valid(texts))
