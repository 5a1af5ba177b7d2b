"""Data contracts: the rules that follow from one, as SQL, and what a change of one means to readers.

A table stands in the SQL under its own name, another one under the path of its files (`"ledger.parquet"`), so that
DuckDB reads the very same text over the files of a release.
"""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from schemas.contract import ContractObject, ContractProperty, DataContract, QualityRule, numbers
from schemas.phrases import and_more, listed, quoted, quoted_name

ROWS_SHOWN = 3
_COUNT = "SELECT count(*) FROM "
_MOST_WORDS = 5
_LONGEST_VALUE = 40
_BOUNDS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "=": ("must_be", operator.eq),
    "!=": ("must_not_be", operator.ne),
    ">": ("must_be_greater_than", operator.gt),
    ">=": ("must_be_greater_or_equal_to", operator.ge),
    "<": ("must_be_less_than", operator.lt),
    "<=": ("must_be_less_or_equal_to", operator.le),
}
"""By its sign, how a rule of a contract calls a bound, and what the answer and the bound must be to each other."""


class Rule(NamedTuple):
    """A promise about a table.

    expected: what it says. query: its number, one row of one column, which comparison and bound hold for: ("=", 0).
    rows: a query of the first rows that break it, their names and values in `columns`; empty where it has none.
    """

    table: str
    expected: str
    query: str
    rows: str
    comparison: str
    bound: float
    columns: tuple[str, ...] = ()


def rules(contract: DataContract) -> list[Rule]:
    """All rules of a table: its columns' nulls, words, keys and attributes without a value, and its own SQL."""
    table, own = contract.table, []
    for column in table.properties:
        name, words = _quoted(column.name), column.words
        if column.required and column.logical_type != "object":  # images' bytes are not read for a rule
            own.append(_count(table, f"no null in {column.name}", f"{name} IS NULL"))
        if words:
            allowed = ", ".join(words) if len(words) <= _MOST_WORDS else f"the contract's {len(words)} words"
            sql = ", ".join(f"'{word.replace(chr(39), chr(39) * 2)}'" for word in words)
            own.append(_count(table, f"{column.name} of {allowed}", f"{name} NOT IN ({sql})", [column.name]))
        if column.custom_value("attribute") is True and column.is_content:
            own += _of_attribute(table, column)
        if column.unique:
            own.append(_each_once(table, [column.name]))
    if table.primary_key:
        own.append(_each_once(table, table.primary_key))
    return [*own, *(_from_quality(table, quality) for quality in table.quality if quality.type == "sql")]


def completed(old: DataContract, now: DataContract) -> DataContract:
    """The contract of an earlier release: its own, with the rules that it kept before `now` wrote them down."""
    more = [rule for rule in now.table.quality if rule.since and numbers(rule.since) <= numbers(old.version)]
    gone = {rule.replaces for rule in more}
    kept = [rule for rule in old.table.quality if rule.name not in gone]
    return old.model_copy(update={"objects": [old.table.model_copy(update={"quality": [*kept, *more]})]})


def foretold(later: DataContract, now: DataContract) -> DataContract:
    """What is known of a later version's contract: the rules of `now` over its columns; none of its own SQL is run."""
    table = now.table.model_copy(update={"properties": later.table.properties})
    return now.model_copy(update={"objects": [table]})


def is_kept(rule: Rule, value: Any) -> bool:
    """Whether the answer to a rule's query is what it must be; null never is."""
    return value is not None and _BOUNDS[rule.comparison][1](value, rule.bound)


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
    said = [f"{column} {quoted(value, _LONGEST_VALUE)}" for column, value in zip(rule.columns, values, strict=True)]
    return f"{quoted_name(name)} ({', '.join(said)})" if said else quoted_name(name)


def _of_attribute(table: ContractObject, column: ContractProperty) -> Iterator[Rule]:
    name = _quoted(column.name)
    if column.arrow_type == "string":
        expected, condition = "a text", f"{name} = '' OR contains({name}, chr(0))"
    elif column.arrow_type == "list<string>":
        expected = "texts"
        condition = (
            f"len({name}) = 0 OR list_count({name}) != len({name}) OR list_contains({name}, '') "
            f"OR contains(array_to_string({name}, ''), chr(0))"
        )
    else:
        return
    yield _count(table, f"{expected} without NUL, or null, in {column.name}", condition, [column.name])


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
    bounds = {sign: getattr(quality, name) for sign, (name, _) in _BOUNDS.items()}
    bound, *others = ((sign, value) for sign, value in bounds.items() if value is not None)
    if others:
        raise ValueError(f"expected one bound in the rule {quoted(quality.name)} of {table.name}, got several")
    rows = quality.rows or _joined(table.primary_key)
    return _rule(table, quality.name, quality.query, rows, bound, quality.columns)


def _joined(columns: Sequence[str]) -> str:
    """The SQL of what a row with this key is called."""
    names = list(map(_quoted, columns))
    return names[0] if len(names) == 1 else f"concat({', chr(32), '.join(names)})" if names else ""


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class ContractChange(NamedTuple):
    """One difference, in a sentence; is_breaking: whether a reader that goes by the old contract may fail."""

    sentence: str
    is_breaking: bool


def changes(old: Mapping[str, DataContract], new: Mapping[str, DataContract]) -> list[ContractChange]:
    """All differences that matter to readers, table by table. Contracts by the names of their tables.

    Breaking is what takes a promise away, such as a column that is called otherwise, another type, key, unit or place,
    a null where none was, a word or a rule that is gone. To promise more is not.
    """
    found = [ContractChange(f"{table}: the table is gone", is_breaking=True) for table in old if table not in new]
    for table, contract in new.items():
        if table in old:
            found += _of_table(old[table].table, contract.table)
        else:
            found.append(ContractChange(f"{table}: a new table", is_breaking=False))
    return found


def is_allowed(old_version: str, new_version: str, found: list[ContractChange]) -> bool:
    """Whether the new version's number says what has changed: what breaks readers needs a new major version."""
    is_new_major = numbers(new_version)[0] > numbers(old_version)[0]
    return is_new_major or not any(change.is_breaking for change in found)


def _of_table(old: ContractObject, new: ContractObject) -> Iterator[ContractChange]:
    for what, before, after in (("files", old.files, new.files), ("primary key", old.primary_key, new.primary_key)):
        if before != after:
            yield ContractChange(
                f"{new.name}: {what} {quoted(after)}, before {quoted(before)}", is_breaking=bool(before)
            )
    columns = {column.name: column for column in new.properties}
    fresh = [name for name in columns if old.column(name) is None]
    for column in old.properties:
        place = f"{new.name}.{column.name}"
        if column.name in columns:
            yield from _of_column(place, column, columns[column.name])
        elif successor := next((name for name in fresh if _is_same(column, columns[name])), None):
            fresh.remove(successor)
            yield ContractChange(f"{place}: is called {successor} now", is_breaking=True)
        else:
            yield ContractChange(f"{place}: the column is gone", is_breaking=True)
    yield from (ContractChange(f"{new.name}.{name}: a new column", is_breaking=False) for name in fresh)
    yield from _of_rules(old, new)


def _of_column(place: str, old: ContractProperty, new: ContractProperty) -> Iterator[ContractChange]:
    unit = "unit", old.custom_value("unit"), new.custom_value("unit")
    for what, before, after in (("type", old.arrow_type, new.arrow_type), unit):
        if before != after:
            yield ContractChange(
                f"{place}: {what} {quoted(after)}, before {quoted(before)}", is_breaking=before is not None
            )
    if old.is_content != new.is_content:
        now = "is part of the content digest now" if new.is_content else "is not part of the content digest any more"
        yield ContractChange(f"{place}: {now}", is_breaking=True)
    if old.required != new.required:
        now = "may not be null any more" if new.required else "may be null now"
        yield ContractChange(f"{place}: {now}", is_breaking=old.required)
    if old.unique != new.unique:
        now = "each value stands once now" if new.unique else "values may stand more than once now"
        yield ContractChange(f"{place}: {now}", is_breaking=old.unique)
    yield from _of_words(place, old.words, new.words)


def _of_words(place: str, old: list[str], new: list[str]) -> Iterator[ContractChange]:
    if old and not new:
        yield ContractChange(f"{place}: may have any value now", is_breaking=True)
    elif new and not old:
        yield ContractChange(f"{place}: has only the values {listed(new, _MOST_WORDS)} now", is_breaking=False)
    else:
        if gone := [word for word in old if word not in new]:
            yield ContractChange(f"{place}: values that are gone: {listed(gone, _MOST_WORDS)}", is_breaking=True)
        if fresh := [word for word in new if word not in old]:
            yield ContractChange(f"{place}: values that are new: {listed(fresh, _MOST_WORDS)}", is_breaking=False)


def _of_rules(old: ContractObject, new: ContractObject) -> Iterator[ContractChange]:
    before, after = ({rule.name: rule for rule in table.quality} for table in (old, new))
    replaced = {rule.replaces: rule.name for rule in new.quality}
    for name, rule in before.items():
        if name not in after and name in replaced:
            # that this breaks nobody is what the contract's author says there, for all to see
            yield ContractChange(
                f"{new.name}: the rule {quoted(name)} is now {quoted(replaced[name])}", is_breaking=False
            )
        elif name not in after:
            yield ContractChange(f"{new.name}: the rule {quoted(name)} is gone", is_breaking=True)
        elif after[name].promise != rule.promise:
            yield ContractChange(f"{new.name}: the rule {quoted(name)} is another one", is_breaking=True)
    for name in [name for name in after if name not in before]:
        yield ContractChange(f"{new.name}: a new rule {quoted(name)}", is_breaking=False)


def _is_same(old: ContractProperty, new: ContractProperty) -> bool:
    """Whether a column only has another name."""
    return (old.arrow_type, old.description) == (new.arrow_type, new.description) and bool(old.description)
