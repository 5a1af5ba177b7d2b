"""The rules that follow from a table's contract, as SQL over the release's tables, and what a broken one is told by.

A table stands in the SQL under its own name, another one under the path of its files (`"ledger.parquet"`), so that
DuckDB reads the very same text over the files of a release.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from schemas.contract import ContractObject, DataContract, QualityRule
from schemas.phrases import and_more, quoted, quoted_name

ROWS_SHOWN = 3
_COUNT = "SELECT count(*) FROM "
_MOST_WORDS = 5


class Rule(NamedTuple):
    """A promise about a table.

    expected: what it says. query: its number, one row of one column. rows: a query of the first rows that break it;
    empty where it is not about single rows. comparison and bound: what the number must be, such as ("=", 0).
    """

    table: str
    expected: str
    query: str
    rows: str
    comparison: str
    bound: float


def rules(contract: DataContract) -> list[Rule]:
    """All rules of a table: no nulls in required columns, allowed words, unique keys, and its own SQL."""
    table, own = contract.table, []
    for column in table.properties:
        name, words = _quoted(column.name), column.words
        if column.required and column.logical_type != "object":  # images' bytes are not read for a rule
            own.append(_count(table, f"no null in {column.name}", f"{name} IS NULL"))
        if words:
            listed = ", ".join(f"'{word.replace(chr(39), chr(39) * 2)}'" for word in words)
            own.append(_count(table, f"{column.name} of {_named(words)}", f"{name} NOT IN ({listed})"))
        if column.unique:
            own.append(_each_once(table, [column.name]))
    if table.primary_key:
        own.append(_each_once(table, table.primary_key))
    return [*own, *(_from_quality(table, quality) for quality in table.quality if quality.type == "sql")]


def is_kept(rule: Rule, value: Any) -> bool:
    """Whether the answer to a rule's query is what it must be; null never is."""
    if value is None:
        return False
    answers: dict[str, bool] = {
        "=": value == rule.bound,
        "!=": value != rule.bound,
        ">": value > rule.bound,
        ">=": value >= rule.bound,
        "<": value < rule.bound,
        "<=": value <= rule.bound,
    }
    return answers[rule.comparison]


def problem(rule: Rule, value: Any, rows: Sequence[Any]) -> str:
    """A broken rule in one sentence. rows: what the first rows that break it are called.

    >>> rule = Rule("images", "each record_id once", "", "", "=", 0)
    >>> problem(rule, 4, ["m:1", "m:2"])
    'images: expected each record_id once, got 4 that break it: m:1, m:2 and 2 more'
    """
    if not rows:
        got = "nothing that it can be computed from" if value is None else f"{value:,}"
        return f"{rule.table}: expected {rule.expected}, got {got}"
    names = ", ".join(quoted_name(row) if isinstance(row, str) else quoted(row) for row in rows)
    verb = "breaks" if value == 1 else "break"
    return f"{rule.table}: expected {rule.expected}, got {value:,} that {verb} it: {names}{and_more(value - len(rows))}"


def _each_once(table: ContractObject, columns: Sequence[str]) -> Rule:
    key = ", ".join(map(_quoted, columns))
    twice = f"(SELECT {key} FROM {_quoted(table.name)} GROUP BY {key} HAVING count(*) > 1) AS twice"
    return _rule(table, f"each {' and '.join(columns)} once", f"{_COUNT}{twice}", _joined(columns))


def _count(table: ContractObject, expected: str, condition: str) -> Rule:
    return _rule(table, expected, f"{_COUNT}{_quoted(table.name)} WHERE {condition}", _joined(table.primary_key))


def _rule(table: ContractObject, expected: str, query: str, row: str, comparison: str = "=", bound: float = 0) -> Rule:
    """row: the SQL of what a row is called; empty where rows have no name."""
    is_shown = row and query.startswith(_COUNT) and (comparison, bound) == ("=", 0)
    rows = f"SELECT {row} FROM {query.removeprefix(_COUNT)} ORDER BY 1 LIMIT {ROWS_SHOWN}" if is_shown else ""
    return Rule(table.name, expected, query, rows, comparison, bound)


def _from_quality(table: ContractObject, quality: QualityRule) -> Rule:
    row = quality.rows or _joined(table.primary_key)
    (comparison, bound), *others = _bounds(quality)
    if others:
        raise ValueError(f"expected one bound in the rule {quoted(quality.name)} of {table.name}, got several")
    return _rule(table, quality.name, quality.query, row, comparison, bound)


def _bounds(quality: QualityRule) -> Iterator[tuple[str, float]]:
    for comparison, bound in (
        ("=", quality.must_be),
        ("!=", quality.must_not_be),
        (">", quality.must_be_greater_than),
        (">=", quality.must_be_greater_or_equal_to),
        ("<", quality.must_be_less_than),
        ("<=", quality.must_be_less_or_equal_to),
    ):
        if bound is not None:
            yield comparison, bound


def _named(words: Sequence[str]) -> str:
    return ", ".join(words) if len(words) <= _MOST_WORDS else f"the contract's {len(words)} words"


def _joined(columns: Sequence[str]) -> str:
    """The SQL of what a row with this key is called."""
    names = list(map(_quoted, columns))
    return names[0] if len(names) == 1 else f"concat({', chr(32), '.join(names)})" if names else ""


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
