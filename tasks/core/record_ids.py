"""Record ids in two spellings: `met:436501.0` is `met:436501` as a float. A record keeps the one that was published."""

import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from schemas.phrases import counted, quoted
from schemas.reasons import Reason
from tasks.core import tables
from tasks.core.columns import Column
from tasks.core.whole_numbers import text_of_whole_float

_WITH_FLOAT = r"(?:^[^:]*:|/)(?:0|-?[1-9][0-9]*)\.0+(?:/|$)"
"""A regular expression for ids of which the key, or a part of it between slashes, is a whole float."""
_ABSENT = {str(Reason.GONE), str(Reason.OVER_LIMIT)}


def plain_id(record_id: str) -> str:
    """The id as it is without fractions, in NFC: equal for the spellings of one id.

    >>> plain_id("met:436501.0"), plain_id("met:436501.0/2.0"), plain_id("met:436501"), plain_id("folder:v2.0.jpg")
    ('met:436501', 'met:436501/2', 'met:436501', 'folder:v2.0.jpg')
    """
    source, colon, key = unicodedata.normalize("NFC", record_id).partition(":")
    return source + colon + "/".join(text_of_whole_float(part) or part for part in key.split("/"))


def known_spellings(names: Iterable[str], known: Column) -> dict[str, str]:
    """By each name that is no known id, the one known id that is another spelling of it, if it is just one."""
    absent = tables.missing(pa.array(sorted(set(names)), pa.string()), known).to_pylist()
    plain = {name: plain_id(name) for name in absent}
    of_plain = _spellings_of(set(plain.values()), known) if absent else {}
    return {name: of_plain[one][0] for name, one in plain.items() if len(of_plain.get(one, ())) == 1}


def published_spellings(record_ids: Column, ledger: pa.Table) -> dict[str, str]:
    """By each record's id, the other spelling of it under which it was published, where it was.

    record_ids: of a build, distinct, in NFC. ledger: record_id and reason of the previous LEDGER. Of two spellings in
    it the one counts that was not gone, if that is just one. Two that stand in the build are two records.
    """
    known = ledger["record_id"]
    floats = [*_with_float(record_ids), *_with_float(known)]
    if not floats:
        return {}
    plain = {plain_id(name) for name in floats}
    now, before = _spellings_of(plain, record_ids), _spellings_of(plain, known)
    rows = ledger.filter(pc.is_in(known, value_set=pa.array(sorted(set().union(*before.values())), pa.string())))
    reasons = dict(zip(rows["record_id"].to_pylist(), rows["reason"].to_pylist(), strict=True))
    found = {}
    for one, names in now.items():
        if len(names) == 1 and (published := _published(names[0], before.get(one, ()), reasons)) != names[0]:
            found[names[0]] = published
    return found


def _published(name: str, known: Collection[str], reasons: Mapping[str, str | None]) -> str:
    """The spelling that counts. known: those of the ledger; reasons: why each was dropped."""
    there = [other for other in known if reasons[other] not in _ABSENT]
    for spellings in (there, known):
        if name in spellings:
            return name
        if len(spellings) == 1:
            return next(iter(spellings))
    return name


def with_ids(table: pa.Table, spellings: Mapping[str, str]) -> pa.Table:
    """The table, of any with a record_id, under these spellings; sorted by it where any is another."""
    if not spellings:
        return table
    at = pc.index_in(table["record_id"], value_set=pa.array(list(spellings), pa.string()))
    renamed = pc.coalesce(pa.array(list(spellings.values()), pa.string()).take(at), table["record_id"])
    return tables.with_columns(table, {"record_id": renamed}).take(pc.sort_indices(renamed))


def spelling_notes(spellings: Mapping[str, str], version: str) -> tuple[str, ...]:
    """A sentence on records that keep the ids of the previous release, of that version."""
    if not spellings:
        return ()
    now, published = min(spellings.items())
    keep, given = ("keeps the id", "it:") if len(spellings) == 1 else ("keep the ids", "them, such as")
    return (
        f"{counted(len(spellings), 'record')} {keep} that release {version} gave {given} {quoted(published)}, which is "
        f"the number of {quoted(now)}",
    )


def _with_float(names: Column) -> list[str]:
    return list(names.filter(pc.fill_null(pc.match_substring_regex(names, _WITH_FLOAT), False)).to_pylist())


def _spellings_of(plain: Collection[str], names: Column) -> dict[str, list[str]]:
    """By plain id, those of the names that are spellings of it, sorted."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    same = names.filter(pc.is_in(names, value_set=pa.array(sorted(plain), pa.string()))).to_pylist()
    for name in (*same, *_with_float(names)):
        if (one := plain_id(name)) in plain:
            found[one].add(name)
    return {one: sorted(spellings) for one, spellings in found.items()}
