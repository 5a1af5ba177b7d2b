"""What changed between two versions of a contract, and whether those who read by the old one would break."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from schemas.contract import ContractObject, ContractProperty, DataContract, numbers
from schemas.phrases import listed, quoted

_MOST_WORDS = 5


class Change(NamedTuple):
    """One difference, in a sentence; is_breaking: whether a reader that goes by the old contract may fail."""

    sentence: str
    is_breaking: bool


def changes(old: Mapping[str, DataContract], new: Mapping[str, DataContract]) -> list[Change]:
    """All differences that matter to readers, table by table. Contracts by the names of their tables.

    Breaking is what takes a promise away: a table or a column that is gone or is called otherwise, another type, key,
    unit or place, a null where none was, a word that is no longer used, words or a rule that no longer hold. To promise
    more is not.
    """
    found = [Change(f"{table}: the table is gone", is_breaking=True) for table in old if table not in new]
    for table, contract in new.items():
        if table in old:
            found += _of_table(old[table].table, contract.table)
        else:
            found.append(Change(f"{table}: a new table", is_breaking=False))
    return found


def is_allowed(old_version: str, new_version: str, found: list[Change]) -> bool:
    """Whether the new version's number says what has changed: what breaks readers needs a new major version."""
    is_new_major = numbers(new_version)[0] > numbers(old_version)[0]
    return is_new_major or not any(change.is_breaking for change in found)


def _of_table(old: ContractObject, new: ContractObject) -> Iterator[Change]:
    for what, before, after in (("files", old.files, new.files), ("primary key", old.primary_key, new.primary_key)):
        if before != after:
            yield Change(f"{new.name}: {what} {quoted(after)}, before {quoted(before)}", is_breaking=bool(before))
    columns = {column.name: column for column in new.properties}
    fresh = [name for name in columns if old.column(name) is None]
    for column in old.properties:
        place = f"{new.name}.{column.name}"
        if column.name in columns:
            yield from _of_column(place, column, columns[column.name])
        elif successor := next((name for name in fresh if _is_same(column, columns[name])), None):
            fresh.remove(successor)
            yield Change(f"{place}: is called {successor} now", is_breaking=True)
        else:
            yield Change(f"{place}: the column is gone", is_breaking=True)
    yield from (Change(f"{new.name}.{name}: a new column", is_breaking=False) for name in fresh)
    yield from _of_rules(old, new)


def _of_column(place: str, old: ContractProperty, new: ContractProperty) -> Iterator[Change]:
    facts: tuple[tuple[str, Any, Any], ...] = (
        ("type", old.arrow_type, new.arrow_type),
        ("unit", old.custom_value("unit"), new.custom_value("unit")),
    )
    for what, before, after in facts:
        if before != after:
            yield Change(f"{place}: {what} {quoted(after)}, before {quoted(before)}", is_breaking=before is not None)
    if old.is_content != new.is_content:
        now = "is part of the content digest now" if new.is_content else "is not part of the content digest any more"
        yield Change(f"{place}: {now}", is_breaking=True)
    if old.required != new.required:
        now = "may not be null any more" if new.required else "may be null now"
        yield Change(f"{place}: {now}", is_breaking=old.required)
    if old.unique != new.unique:
        now = "each value stands once now" if new.unique else "values may stand more than once now"
        yield Change(f"{place}: {now}", is_breaking=old.unique)
    yield from _of_words(place, old.words, new.words)


def _of_words(place: str, old: list[str], new: list[str]) -> Iterator[Change]:
    if old and not new:
        yield Change(f"{place}: may have any value now", is_breaking=True)
    elif new and not old:
        yield Change(f"{place}: has only the values {listed(new, _MOST_WORDS)} now", is_breaking=False)
    else:
        if gone := [word for word in old if word not in new]:
            yield Change(f"{place}: values that are gone: {listed(gone, _MOST_WORDS)}", is_breaking=True)
        if fresh := [word for word in new if word not in old]:
            yield Change(f"{place}: values that are new: {listed(fresh, _MOST_WORDS)}", is_breaking=False)


def _of_rules(old: ContractObject, new: ContractObject) -> Iterator[Change]:
    before, after = ({rule.name: rule for rule in table.quality} for table in (old, new))
    replaced = {rule.replaces: rule.name for rule in new.quality}
    for name, rule in before.items():
        if name not in after and name in replaced:
            # that this breaks nobody is what the contract's author says there, for all to see
            yield Change(f"{new.name}: the rule {quoted(name)} is now {quoted(replaced[name])}", is_breaking=False)
        elif name not in after:
            yield Change(f"{new.name}: the rule {quoted(name)} is gone", is_breaking=True)
        elif after[name].promise != rule.promise:
            yield Change(f"{new.name}: the rule {quoted(name)} is another one", is_breaking=True)
    yield from (
        Change(f"{new.name}: a new rule {quoted(name)}", is_breaking=False) for name in after if name not in before
    )


def _is_same(old: ContractProperty, new: ContractProperty) -> bool:
    """Whether a column only has another name."""
    return (old.arrow_type, old.description) == (new.arrow_type, new.description) and bool(old.description)
