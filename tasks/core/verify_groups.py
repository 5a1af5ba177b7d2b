"""What a release's recipe keeps `together` must lie in one split: works of an artist, a series, an attribute's text."""

from collections import defaultdict
from collections.abc import Iterator

import pyarrow as pa

from schemas.phrases import listed, quoted
from tasks.core.columns import whole
from tasks.core.names.spellings import key_of_column, keys

SPELLINGS_SINCE = (2, 2)
"""The contract since which spellings of one name are one group; releases of earlier ones go by the letter."""
_MOST_LISTED = 5


def together_problems(rows: pa.Table, *, is_by_name: bool) -> Iterator[str]:
    """Groups that lie in two splits of one role. rows: split, role (null: none), and the columns of bonds.

    is_by_name: whether spellings of one name are one group, as the columns' names say; otherwise each is one.
    """
    role, split = (rows[name].to_pylist() for name in ("role", "split"))
    for column in rows.column_names:
        if column in {"role", "split"}:
            continue
        texts, forms = whole(rows[column]), keys(rows[column], key_of_column(column) if is_by_name else str)
        found: dict[tuple[str | None, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for place, (text, form) in enumerate(zip(texts.to_pylist(), forms.to_pylist(), strict=True)):
            for word, key in zip(_words(text), _words(form), strict=True):
                found[role[place], key][split[place]].add(word)
        for of in found.values():
            if len(of) > 1:
                spelled = listed(sorted({quoted(word) for words in of.values() for word in words}), _MOST_LISTED)
                yield f"leak: expected {column.rpartition('.')[2]} {spelled} in one split, got {sorted(of)}"


def _words(value: str | list[str] | None) -> list[str]:
    return [value] if isinstance(value, str) else value or []
