"""The rules that follow from a table's contract, as SQL over the release's tables, and what a broken one is told by.

A table stands in the SQL under its own name, another one under the path of its files (`"ledger.parquet"`), so that
DuckDB reads the very same text over the files of a release.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from schemas.contract import ContractObject, ContractProperty, DataContract, QualityRule, numbers
from schemas.phrases import and_more, quoted, quoted_name

ROWS_SHOWN = 3
_COUNT = "SELECT count(*) FROM "
_MOST_WORDS = 5
_LONGEST_VALUE = 40


class Rule(NamedTuple):
    """A promise about a table.

    expected: what it says. query: its number, one row of one column. rows: a query of the first rows that break it,
    each what it is called and its values in `columns`; empty where it is not about single rows. comparison and bound:
    what the number must be, such as ("=", 0).
    """

    table: str
    expected: str
    query: str
    rows: str
    comparison: str
    bound: float
    columns: tuple[str, ...] = ()


def rules(contract: DataContract) -> list[Rule]:
    """All rules of a table: no nulls in required columns, allowed words, unique keys, attributes that say nothing by
    null alone, and its own SQL.
    """
    table, own = contract.table, []
    for column in table.properties:
        name, words = _quoted(column.name), column.words
        if column.required and column.logical_type != "object":  # images' bytes are not read for a rule
            own.append(_count(table, f"no null in {column.name}", f"{name} IS NULL"))
        if words:
            listed = ", ".join(f"'{word.replace(chr(39), chr(39) * 2)}'" for word in words)
            expected = f"{column.name} of {_named(words)}"
            own.append(_count(table, expected, f"{name} NOT IN ({listed})", [column.name]))
        if column.custom_value("attribute") is True and column.is_content:
            own += _of_attribute(table, column)
        if column.unique:
            own.append(_each_once(table, [column.name]))
    if table.primary_key:
        own.append(_each_once(table, table.primary_key))
    return [*own, *(_from_quality(table, quality) for quality in table.quality if quality.type == "sql")]


def completed(old: DataContract, now: DataContract) -> DataContract:
    """The contract that a release of an earlier version keeps: its own, with the rules of `now` that such releases kept
    before they were written down. These stand in the place of those that they replace.
    """
    more = [rule for rule in now.table.quality if rule.since and numbers(rule.since) <= numbers(old.version)]
    gone = {rule.replaces for rule in more}
    kept = [rule for rule in old.table.quality if rule.name not in gone]
    return old.model_copy(update={"objects": [old.table.model_copy(update={"quality": [*kept, *more]})]})


def foretold(later: DataContract, now: DataContract) -> DataContract:
    """The contract that a release of a later version of this major keeps, as far as it is known: all rules of `now`,
    over the columns of its own. Whoever wrote it, its SQL is not among them.
    """
    table = now.table.model_copy(update={"properties": later.table.properties})
    return now.model_copy(update={"objects": [table]})


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
    """A broken rule in one sentence. rows: what the first rows that break it are called, and their values.

    >>> rule = Rule("images", "sides of at least 1 px", "", "", "=", 0, ("width_px",))
    >>> problem(rule, 4, [("m:1", 0), ("m:2", -1)])
    'images: expected sides of at least 1 px, got 4 that break it: m:1 (width_px 0), m:2 (width_px -1) and 2 more'
    """
    if not rows:
        got = "nothing that it can be computed from" if value is None else f"{value:,}"
        return f"{rule.table}: expected {rule.expected}, got {got}"
    names = ", ".join(_shown(rule, *row) for row in rows)
    verb = "breaks" if value == 1 else "break"
    return f"{rule.table}: expected {rule.expected}, got {value:,} that {verb} it: {names}{and_more(value - len(rows))}"


def _shown(rule: Rule, name: Any, *values: Any) -> str:
    """A row that breaks a rule: what it is called, and the values that the rule is about."""
    shown = ", ".join(
        f"{column} {quoted(value, _LONGEST_VALUE)}" for column, value in zip(rule.columns, values, strict=True)
    )
    return f"{quoted_name(name)} ({shown})" if shown else quoted_name(name)


def _of_attribute(table: ContractObject, column: ContractProperty) -> Iterator[Rule]:
    name = _quoted(column.name)
    if column.arrow_type == "string":
        yield _count(
            table,
            f"a text without NUL, or null, in {column.name}",
            f"{name} = '' OR contains({name}, chr(0))",
            [column.name],
        )
    if column.arrow_type == "list<string>":
        yield _count(
            table,
            f"texts without NUL, or null, in {column.name}",
            f"len({name}) = 0 OR list_count({name}) != len({name}) OR list_contains({name}, '') "
            f"OR contains(array_to_string({name}, ''), chr(0))",
            [column.name],
        )


def _each_once(table: ContractObject, columns: Sequence[str]) -> Rule:
    key = ", ".join(map(_quoted, columns))
    twice = f"(SELECT {key} FROM {_quoted(table.name)} GROUP BY {key} HAVING count(*) > 1) AS twice"
    return _rule(table, f"each {' and '.join(columns)} once", f"{_COUNT}{twice}", _joined(columns))


def _count(table: ContractObject, expected: str, condition: str, columns: Sequence[str] = ()) -> Rule:
    query = f"{_COUNT}{_quoted(table.name)} WHERE {condition}"
    return _rule(table, expected, query, _joined(table.primary_key), columns=columns)


def _rule(
    table: ContractObject,
    expected: str,
    query: str,
    row: str,
    bound: tuple[str, float] = ("=", 0),
    columns: Sequence[str] = (),
) -> Rule:
    """row: the SQL of what a row is called; empty where rows have no name. columns: shown of each row."""
    rows = ""
    if row and query.startswith(_COUNT) and bound == ("=", 0):
        # another table of the query may have a column of that name, too
        values = [f"{_quoted(table.name)}.{_quoted(column)}" for column in columns]
        rows = f"SELECT {', '.join([row, *values])} FROM {query.removeprefix(_COUNT)} ORDER BY 1 LIMIT {ROWS_SHOWN}"
    return Rule(table.name, expected, query, rows, *bound, tuple(columns))


def _from_quality(table: ContractObject, quality: QualityRule) -> Rule:
    row = quality.rows or _joined(table.primary_key)
    bound, *others = _bounds(quality)
    if others:
        raise ValueError(f"expected one bound in the rule {quoted(quality.name)} of {table.name}, got several")
    return _rule(table, quality.name, quality.query, row, bound, quality.columns)


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
