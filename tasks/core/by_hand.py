"""The list by hand (exclude, include, replace, take down): read from a file's rows, checked, applied to records."""

import hashlib
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from schemas.by_hand import ACTIONS, ALONE, SCOPES, Action
from schemas.errors import BadInput
from schemas.phrases import listed, quoted
from schemas.reasons import Reason
from schemas.tables import BY_HAND, TAKEDOWNS, TAKEN_DOWN, TOMBSTONES
from tasks.core import tables
from tasks.core.columns import Column, whole
from tasks.core.names.artists import parse_attribution
from tasks.core.names.matching import Aliases, normalize_name
from tasks.core.record_ids import known_spellings

COLUMNS = ("action", "scope", "name", "reason", "date")
CLASHES: tuple[tuple[Action, Action], ...] = (
    ("exclude", "include"),
    ("exclude", "replace"),
    ("include", "replace"),
    ("include", "takedown"),
)
"""Pairs of actions that exclude each other on one record."""
LONGEST_REASON = 500

_NEEDED = {"action", "name", "reason", "date"}
_LONGEST_NAME = 2000
_EXAMPLES = 3

_STAYS = {"record_id", "source", "reason", "detail"}
_WORK_OF = "work of "

_Row = Mapping[str, str]
"""A row of BY_HAND."""


class ManualOutcome(NamedTuple):
    """RECORDS after the list by hand is applied, TAKEN_DOWN, and notes for people."""

    records: pa.Table
    taken_down: pa.Table
    notes: tuple[str, ...]


class _DropReason(NamedTuple):
    reason: Reason
    detail: str
    is_work: bool = False
    reached_by: str | None = None


# --- reading


def parse_manual_lists(name: str, rows: Sequence[tuple[int, Sequence[str]]]) -> pa.Table:
    """BY_HAND of a file's rows, sorted by action, scope and name; of a header alone an empty one.

    name: the file's, for messages. rows: (line, cells), as `cells_by_column` takes them; a missing or empty `scope` is
    the first of SCOPES. A row that comes twice counts once.

    Raises BadInput, naming lines, for cells that can't be read, two rows that do the same for different reasons, two
    actions on one record that exclude each other (CLASHES), and a takedown of a record alone and of its work.
    """
    found: dict[tuple[str, str, str], tuple[int, _Row]] = {}
    for line, cells in cells_by_column(name, rows, COLUMNS, _NEEDED):
        row = _parse_row(f"{name}, line {line}", cells)
        who = normalize_name(row["name"]) or row["name"] if row["scope"] == "artist" else row["name"]
        key = row["action"], row["scope"], who
        first, before = found.setdefault(key, (line, row))
        if _reason_text(before) != _reason_text(row):
            raise BadInput(
                f"{name}, line {line}: expected the same reason and date for {row['action']} of {quoted(row['name'])} "
                f"as in line {first}, got others"
            )
        if row["name"] < before["name"]:  # the same spelling of an artist, whichever comes first
            found[key] = line, row
    _check_clashes(name, found.values())
    rows_by_hand = [row for _, row in found.values()]
    return pa.Table.from_pylist(rows_by_hand, schema=BY_HAND).sort_by([(it, "ascending") for it in BY_HAND.names[:3]])


def cells_by_column(
    name: str, rows: Sequence[tuple[int, Sequence[str]]], columns: Sequence[str], needed: Collection[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Line and cells by column of each row of a file but the first, which names the columns in any order.

    Raises BadInput for no rows, other columns, a needed one that is missing, and a row with more or fewer cells.
    """
    expected = f"{name}: expected the columns {','.join(columns)}"
    if not rows:
        raise BadInput(f"{expected}, got an empty file")
    header = rows[0][1]
    if len(set(header)) < len(header) or not set(needed) <= set(header) <= set(columns):
        raise BadInput(f"{expected}, got {quoted(','.join(header))}")
    for line, cells in rows[1:]:
        if len(cells) != len(header):
            raise BadInput(f"{name}, line {line}: expected {len(header)} cells, got {len(cells)}")
        yield line, dict(zip(header, cells, strict=True))


def _parse_row(where: str, cells: Mapping[str, str]) -> _Row:
    text = {column: unicodedata.normalize("NFC", cell).strip() for column, cell in cells.items()}
    action = next((word for word in ACTIONS if word == text["action"]), None)
    if action is None:
        raise BadInput(f"{where}: expected an action of {', '.join(ACTIONS)}, got {quoted(text['action'])}")
    scope = text.get("scope") or SCOPES[action][0]
    if scope not in SCOPES[action]:
        scopes = " or ".join(sorted(SCOPES[action]))
        raise BadInput(f"{where}: expected the scope {scopes} for {action}, got {quoted(scope)}")
    for column, longest in (("name", _LONGEST_NAME), ("reason", LONGEST_REASON)):
        if not is_line(text[column], longest):
            raise BadInput(
                f"{where}: expected a {column} of 1 to {longest} characters on one line, got {quoted(text[column])}"
            )
    if not is_day(text["date"]):
        raise BadInput(f"{where}: expected a date such as 2024-12-31, got {quoted(text['date'])}")
    return text | {"scope": scope}


def is_line(text: str, longest: int) -> bool:
    r"""Whether a text has 1 to `longest` characters and is on one line.

    >>> is_line("heirs", 5), is_line("", 5), is_line("heirs'", 5), is_line("a\nb", 5)
    (True, False, False, False)
    """
    return 0 < len(text) <= longest and "\0" not in text and len(text.splitlines()) == 1


def is_day(text: str) -> bool:
    """Whether a text is a day as ISO 8601 writes it, with hyphens.

    >>> is_day("2024-02-29"), is_day("2023-02-29"), is_day("20240229")
    (True, False, False)
    """
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _check_clashes(name: str, rows: Iterable[tuple[int, _Row]]) -> None:
    of: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for line, row in rows:
        if row["scope"] == "artist":
            continue
        before = of[row["name"]].setdefault(row["action"], line)
        if before != line:  # rows of one scope are one by now
            raise BadInput(
                f"{name}: expected {row['action']} of {quoted(row['name'])} with one scope, record or work, got both "
                f"(lines {before} and {line})"
            )
    for record, lines in sorted(of.items()):
        for one, other in CLASHES:
            if one in lines and other in lines:
                raise BadInput(
                    f"{name}: expected one action on {quoted(record)}, got {one} (line {lines[one]}) and {other} "
                    f"(line {lines[other]})"
                )


# --- applying


def with_known_ids(by_hand: pa.Table, records: pa.ChunkedArray, previous: pa.ChunkedArray | None = None) -> pa.Table:
    """BY_HAND with the ids of records as these have them, where a row has another spelling (see core.record_ids).

    records: ids of the build. previous: of the previous LEDGER, for takedowns, which hold for records that no source
    lists any more, too: a row about one of these stays beside that about its record of today.
    """
    named = set(by_hand.filter(pc.not_equal(by_hand["scope"], "artist"))["name"].to_pylist())
    today = known_spellings(named, records)
    ledger = pa.chunked_array([], pa.string()) if previous is None else previous
    earlier = known_spellings(named - set(today) - _names_present(named, records), ledger)
    if not today and not earlier:
        return by_hand
    listed_before = _names_present(named, ledger)
    rows: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in by_hand.to_pylist():
        name, is_of_record, is_takedown = row["name"], row["scope"] != "artist", row["action"] == "takedown"
        names = [name]
        if is_of_record and name in today:
            names = [today[name], *(names if is_takedown and name in listed_before else ())]
        elif is_of_record and is_takedown:
            names = [earlier.get(name, name)]
        for spelling in names:
            rows.setdefault((row["action"], row["scope"], spelling), {**row, "name": spelling})
    return pa.Table.from_pylist([rows[row] for row in sorted(rows)], schema=BY_HAND)


def is_named(by_hand: pa.Table, record_ids: Column, action: Action) -> pa.Array:
    """(N,) whether BY_HAND names each record with that action and the scope of one record."""
    return whole(pc.is_in(record_ids, value_set=pa.array(_rows_of(by_hand, action, "record"), pa.string())))


def replaced_because(by_hand: pa.Table, record_ids: pa.ChunkedArray) -> pa.ChunkedArray:
    """(N,) why and when a person has sent each record back, such as "a drawing (2024-05-02)"; null where nobody has."""
    rows = _rows_of(by_hand, "replace", "record")
    texts = pa.array([_reason_text(row) for row in rows.values()], pa.string())
    return texts.take(pc.index_in(record_ids, value_set=pa.array(rows, pa.string())))


def apply_manual_lists(
    records: pa.Table,
    by_hand: pa.Table,
    tombstones: pa.Table,
    previous: pa.Table,
    takedowns: pa.Table,
    aliases: Aliases,
) -> ManualOutcome:
    """RECORDS in which excluded and taken down records have these as their reasons.

    records: artists under their final names. tombstones: of purged records, which stay away. previous: LEDGER of the
    previous release, for the files (`sha256`) of earlier records, and for records that no source lists any more.
    takedowns: its TAKEDOWNS. aliases: of artists, by which names are compared.

    Of a record that is taken down only record_id, source, reason and detail are left, and these also where the sources
    no longer list it. One that was taken down because of another work stays down as long as that takedown is in the
    list, whatever its reason and date. An included record is kept although its artist is excluded; a takedown outranks
    everything. What the scrape has dropped keeps its reason, unless it is taken down.
    """
    by_hand = with_known_ids(by_hand, records["record_id"], previous["record_id"])
    tombstones = _with_todays_ids(tombstones, records)
    artists = by_hand.filter(pc.equal(by_hand["scope"], "artist"))["name"].to_pylist()
    works = _works_of(records, artists, aliases)
    excluded = _exclusions(by_hand, works)
    down = _takedowns(records, by_hand, works, tombstones, previous, takedowns)
    good = _names_present(excluded, tables.kept_rows(records)["record_id"])
    why = {name: found for name, found in excluded.items() if name in good} | down
    return ManualOutcome(
        _with_reasons(_with_unlisted(records, down, previous), why),
        _taken_down(down, previous, tombstones),
        _unmatched_notes(by_hand, records["record_id"], works, down),
    )


def _with_todays_ids(tombstones: pa.Table, records: pa.Table) -> pa.Table:
    """TOMBSTONES, and beside them rows for purged records that a source lists in another spelling of their id."""
    today = known_spellings(tombstones["record_id"].to_pylist(), records["record_id"])
    rows = [row | {"record_id": today[row["record_id"]]} for row in tombstones.to_pylist() if row["record_id"] in today]
    return pa.concat_tables([tombstones, pa.Table.from_pylist(rows, schema=tombstones.schema)])


def _exclusions(by_hand: pa.Table, works: Mapping[str, Sequence[str]]) -> dict[str, _DropReason]:
    """By record. works: of each artist. A row about the record itself decides its detail."""
    included = _rows_of(by_hand, "include", "record")
    artists = _rows_of(by_hand, "exclude", "artist").items()
    rows = {name: row for artist, row in artists for name in works[artist] if name not in included}
    rows |= _rows_of(by_hand, "exclude", "record")
    return {name: _DropReason(Reason.EXCLUDED, _reason_text(row)) for name, row in rows.items()}


def _takedowns(
    records: pa.Table,
    by_hand: pa.Table,
    works: Mapping[str, Sequence[str]],
    tombstones: pa.Table,
    previous: pa.Table,
    takedowns: pa.Table,
) -> dict[str, _DropReason]:
    """By record. From the widest scope to the narrowest: a row about the record itself decides its detail."""
    standing, found = _wider_takedowns(records, by_hand, works)
    reached_by = _reached_by(takedowns)
    listed = _names_present(reached_by, records["record_id"])
    for name, row_text in reached_by.items():
        if row_text in standing and (name not in listed or row_text.startswith(_WORK_OF)):
            found[name] = standing[row_text]
    for row in tombstones.to_pylist():
        found[row["record_id"]] = _DropReason(Reason.TAKEN_DOWN, _reason_text(row), is_work=row["scope"] != "record")
    named = by_hand["name"].to_pylist()
    everyone = _names_present(named, records["record_id"]) | _names_present(named, previous["record_id"])
    for scope in ("record", "work"):
        for name, row in _rows_of(by_hand, "takedown", scope).items():
            if name in everyone or name in found:
                is_work = scope == "work"
                found[name] = _DropReason(Reason.TAKEN_DOWN, ALONE * (not is_work) + _reason_text(row), is_work)
    return found


def _wider_takedowns(
    records: pa.Table, by_hand: pa.Table, works: Mapping[str, Sequence[str]]
) -> tuple[dict[str, _DropReason], dict[str, _DropReason]]:
    """Takedowns of artists and works, by their rows and by the records that they reach."""
    of_works = _rows_of(by_hand, "takedown", "work")
    groups = _groups_of(records, of_works)
    rows = [
        *((_works_of_artist(name), row, works[name]) for name, row in _rows_of(by_hand, "takedown", "artist").items()),
        *((f"{_WORK_OF}{name}", row, groups.get(name, [])) for name, row in of_works.items()),
    ]
    standing: dict[str, _DropReason] = {}
    found: dict[str, _DropReason] = {}
    for whose, row, reached in rows:
        detail = f"{whose}: {_reason_text(row)}"
        standing[whose] = _DropReason(Reason.TAKEN_DOWN, detail, is_work=True, reached_by=whose)
        found |= dict.fromkeys(reached, standing[whose])
    return standing, found


def _works_of_artist(artist: str) -> str:
    """A row about an artist: with a digest of the name, since the name itself must not stay in any ledger."""
    return f"all works of artist {hashlib.sha256(normalize_name(artist).encode()).hexdigest()[:8]}"


def _reached_by(takedowns: pa.Table) -> dict[str, str]:
    """The row that has reached each record, of TAKEDOWNS."""
    reached = takedowns.filter(pc.is_valid(takedowns["reached_by"]))
    return dict(zip(reached["record_id"].to_pylist(), reached["reached_by"].to_pylist(), strict=True))


def _names_present(names: Iterable[str], known: pa.ChunkedArray) -> set[str]:
    """Those of the names that are known; quick even among millions."""
    wanted = pa.array(sorted(set(names)), pa.string())
    return set(pc.filter(wanted, pc.is_in(wanted, value_set=known)).to_pylist()) if len(wanted) else set()


def _rows_of(by_hand: pa.Table, action: Action, scope: str) -> dict[str, _Row]:
    """By name."""
    is_meant = pc.and_(pc.equal(by_hand["action"], action), pc.equal(by_hand["scope"], scope))
    return {row["name"]: row for row in by_hand.filter(is_meant).to_pylist()}


def _reason_text(row: _Row) -> str:
    return f"{row['reason']} ({row['date']})"


def reason_and_date(detail: str | None) -> tuple[str, str | None]:
    """The detail of a drop as its reason and its day; None where it names no day.

    >>> reason_and_date("asked for by the heirs (2024-05-01)"), reason_and_date(None)
    (('asked for by the heirs', '2024-05-01'), ('taken down', None))
    """
    text = detail or ""
    if text.endswith(")") and is_day(text[-11:-1]) and text[-13:-11] == " (":
        return text[:-13], text[-11:-1]
    return text or "taken down", None


def takedowns(ledger: pa.Table, taken_down: pa.Table) -> pa.Table:
    """TAKEDOWNS of a LEDGER, in its order: all records that it has as taken down, whatever stage dropped them.

    What has the file of a record that was taken down alone is alone, too; any other that is not in TAKEN_DOWN a copy.
    """
    of_ids = pc.if_else(taken_down["is_work"], "work", "record").to_pylist()
    scope_of = dict(zip(taken_down["record_id"].to_pylist(), of_ids, strict=True))
    reached_by = _reached_by(taken_down)
    alone = taken_down.filter(pc.invert(taken_down["is_work"]))["sha256"].drop_null()
    of_works = taken_down.filter(taken_down["is_work"])["sha256"].drop_null()
    files = {*alone.to_pylist()} - {*of_works.to_pylist()}

    down = _rows_taken_down(ledger)
    names = down["record_id"].to_pylist()
    alone_or_copy = ["record" if sha256 in files else "copy" for sha256 in down["sha256"].to_pylist()]
    scopes = [scope_of.get(name, other) for name, other in zip(names, alone_or_copy, strict=True)]
    return pa.table([names, scopes, [reached_by.get(name) for name in names]], schema=TAKEDOWNS)


def _rows_taken_down(ledger: pa.Table) -> pa.Table:
    return ledger.filter(pc.equal(ledger["reason"], str(Reason.TAKEN_DOWN)))


def _works_of(records: pa.Table, artists: Collection[str], aliases: Aliases) -> dict[str, list[str]]:
    """By artist their records, whether a row names the artist as read in a source's words, or by all of these words."""
    if not artists:
        return {}
    columns = [records["artist"], records["artist_text"]]
    spelled: defaultdict[str, list[str]] = defaultdict(list)
    for name in {*(text for column in columns for text in pc.unique(column.drop_null()).to_pylist())}:
        spelled[normalize_name(name)].append(name)
    found = {}
    for artist in artists:
        meant = {normalize_name(artist), normalize_name(parse_attribution(artist, aliases).name or artist)} - {""}
        names = pa.array([name for word in sorted(meant) for name in spelled.get(word, ())], pa.string())
        is_theirs = pc.or_(*(pc.is_in(column, value_set=names) for column in columns))
        found[artist] = records["record_id"].filter(is_theirs).to_pylist()
    return found


def _groups_of(records: pa.Table, named: Mapping[str, object]) -> dict[str, list[str]]:
    """For each named record the others of its declared group; groups of different sources are different."""
    columns = records.select(["record_id", "source", "declared_group"])
    mine = columns.filter(pc.is_in(columns["record_id"], value_set=pa.array(list(named), pa.string())))
    near = columns.filter(pc.is_in(columns["declared_group"], value_set=mine["declared_group"].drop_null()))
    members: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for row in near.to_pylist():
        members[row["source"], row["declared_group"]].append(row["record_id"])
    return {
        row["record_id"]: [name for name in members[row["source"], row["declared_group"]] if name != row["record_id"]]
        for row in mine.to_pylist()
    }


def _with_unlisted(records: pa.Table, down: Collection[str], previous: pa.Table) -> pa.Table:
    """The records, and those that are taken down and no longer listed, with record_id and source alone."""
    lost = tables.missing(pa.array(sorted(down), pa.string()), records["record_id"])
    if not len(lost):
        return records
    of_ids = pa.array([name.partition(":")[0] for name in lost.to_pylist()], pa.string())
    sources = pc.coalesce(tables.lookup(previous, "record_id", lost)["source"], of_ids)
    unlisted = tables.as_schema(pa.table({"record_id": lost, "source": sources}), records.schema)
    both = pa.concat_tables([records, unlisted])
    return both.take(pc.sort_indices(both["record_id"]))


def _with_reasons(records: pa.Table, why: Mapping[str, _DropReason]) -> pa.Table:
    names = pa.array(list(why), pa.string())
    place = pc.index_in(records["record_id"], value_set=names)
    given = {
        "reason": pa.array([str(found.reason) for found in why.values()], pa.string()).take(place),
        "detail": pa.array([found.detail for found in why.values()], pa.string()).take(place),
    }
    is_down = pc.fill_null(pc.equal(given["reason"], str(Reason.TAKEN_DOWN)), False)
    columns = {name: pc.if_else(pc.is_valid(place), values, records[name]) for name, values in given.items()}
    for field in records.schema:
        if field.name not in _STAYS:
            columns[field.name] = pc.if_else(is_down, pa.scalar(None, field.type), records[field.name])
    return tables.with_columns(records, columns)


def redact_taken_down(records: pa.Table, ledger: pa.Table) -> pa.Table:
    """RECORDS without the fields of records that the LEDGER, whatever stage dropped them, has as taken down."""
    down = _rows_taken_down(ledger)
    if not down.num_rows:
        return records
    rows = down.select(["record_id", "detail"]).to_pylist()
    return _with_reasons(records, {row["record_id"]: _DropReason(Reason.TAKEN_DOWN, row["detail"]) for row in rows})


def _taken_down(why: Mapping[str, _DropReason], previous: pa.Table, tombstones: pa.Table) -> pa.Table:
    """TAKEN_DOWN: with the files that these records had before, which no other record may bring back."""
    names = pa.array(sorted(why), pa.string())
    files = pc.coalesce(*(tables.lookup(table, "record_id", names)["sha256"] for table in (previous, tombstones)))
    found = [why[name] for name in names.to_pylist()]
    columns = [[each.detail for each in found], [each.is_work for each in found], [each.reached_by for each in found]]
    return pa.table([names, files, *columns], schema=TAKEN_DOWN)


def merge_tombstones(here: pa.Table, with_release: pa.Table | None) -> pa.Table:
    """TOMBSTONES of a store and of a release, if any, that was copied into it; of records in both the store's rows."""
    if with_release is None:
        return here
    others = with_release.filter(pc.invert(pc.is_in(with_release["record_id"], value_set=here["record_id"])))
    return pa.concat_tables([here, others.select(TOMBSTONES.names)]).sort_by("record_id")


def drop_same_bytes(fetched: pa.Table, taken_down: pa.Table) -> pa.Table:
    """A FETCH outcome in which records with the file of a record that is taken down are dropped as taken down, too."""
    of = taken_down.filter(pc.is_valid(taken_down["sha256"]))
    place = pc.index_in(fetched["sha256"], value_set=of["sha256"])
    is_down = pc.is_valid(place)
    if not pc.any(is_down).as_py():
        return fetched
    names, details = of["record_id"].take(place), of["detail"].take(place)
    texts = pc.binary_join_element_wise("same bytes as ", names, ": ", details, "")
    reason = pc.if_else(is_down, str(Reason.TAKEN_DOWN), fetched["reason"])
    return tables.with_columns(fetched, {"reason": reason, "detail": pc.if_else(is_down, texts, fetched["detail"])})


def _unmatched_notes(
    by_hand: pa.Table, record_ids: pa.ChunkedArray, works: Mapping[str, Sequence[str]], down: Collection[str]
) -> tuple[str, ...]:
    """works: of each artist. down: what is taken down, listed or not."""
    here = _names_present(by_hand["name"].to_pylist(), record_ids)

    def is_matched(row: Mapping[str, str]) -> bool:
        if row["scope"] == "artist":
            return bool(works[row["name"]])
        return row["name"] in (down if row["action"] == "takedown" else here)

    unmatched = [f"{row['action']} {quoted(row['name'])}" for row in by_hand.to_pylist() if not is_matched(row)]
    examples = listed(unmatched, _EXAMPLES)
    note = f"by hand: {len(unmatched)} of {by_hand.num_rows} rows match no record of this build: {examples}"
    return (note,) if unmatched else ()
