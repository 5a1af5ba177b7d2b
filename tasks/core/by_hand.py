"""What people say of single records: read from the rows of a file, refused where no build could obey it, and obeyed."""

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.by_hand import ACTIONS, SCOPES, Action
from schemas.errors import BadInput
from schemas.reasons import Reason
from schemas.tables import BY_HAND, RECORDS, TAKEN_DOWN, TOMBSTONES
from tasks.core import tables
from tasks.core.names.aliases import Aliases, normalize_name
from tasks.core.names.artists import parse_attribution

COLUMNS = ("action", "scope", "name", "reason", "date")
CLASHES: tuple[tuple[Action, Action], ...] = (
    ("exclude", "include"),
    ("exclude", "replace"),
    ("include", "replace"),
    ("include", "takedown"),
)
"""Two actions that no build can take on one record."""
LONGEST_REASON = 500

_NEEDED = {"action", "name", "reason", "date"}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_LONGEST_NAME = 2000
_SHOWN = 3
_SHOWN_TEXT = 80
_STAYS = {"record_id", "source", "reason", "detail"}
_WORK_OF = "work of "
_ALONE = "the record alone: "


class _Said(NamedTuple):
    """One row of the file."""

    line: int
    action: Action
    scope: str
    name: str
    reason: str
    date: str


class Obeyed(NamedTuple):
    """RECORDS after what people said, TAKEN_DOWN, and what a person should know."""

    records: pa.Table
    taken_down: pa.Table
    notes: tuple[str, ...]


class _Why(NamedTuple):
    """Why a record is dropped."""

    reason: Reason
    detail: str
    is_work: bool = False


# --- reading


def said(name: str, rows: Sequence[tuple[int, Sequence[str]]]) -> pa.Table:
    """BY_HAND of a file's rows, sorted by action, scope and name, whatever their order.

    name: the file's, for messages. rows: (line, cells), the first with the names of the columns, in any order; `scope`
    may be missing, or empty: then it is the first of SCOPES. A row that comes twice counts once; artists' names are
    compared as everywhere. A header alone is an empty table.

    Raises BadInput, one sentence that names lines, for other columns, an action or a scope of another word, an empty
    name or reason or one of several lines, a date that is no day, two rows that say one thing for different reasons,
    two actions on one record of which a build can take one only (CLASHES), and a takedown of a record alone and of its
    work.
    """
    if not rows:
        raise BadInput(f"{name}: expected the columns {','.join(COLUMNS)}, got an empty file")
    places = _places(name, rows[0][1])
    found: dict[tuple[str, str, str], _Said] = {}
    for line, cells in rows[1:]:
        row = _said(name, line, cells, places)
        who = normalize_name(row.name) or row.name if row.scope == "artist" else row.name
        before = found.setdefault((row.action, row.scope, who), row)
        found[row.action, row.scope, who] = min(before, row, key=lambda each: each.name)  # whichever comes first
        if (before.reason, before.date) != (row.reason, row.date):
            raise BadInput(
                f"{name}, line {line}: expected one reason and date to {row.action} {_quoted(row.name)}, got "
                "others than in "
                f"line {before.line}"
            )
    _check_clashes(name, found.values())
    rows_by_hand = sorted(found.values(), key=lambda row: (row.action, row.scope, row.name))
    return pa.Table.from_pylist([row._asdict() for row in rows_by_hand], schema=BY_HAND)


def _places(name: str, header: Sequence[str]) -> dict[str, int]:
    places = {column: place for place, column in enumerate(header)}
    if len(places) < len(header) or not _NEEDED <= set(places) <= set(COLUMNS):
        raise BadInput(f"{name}: expected the columns {','.join(COLUMNS)}, got {_quoted(','.join(header))}")
    return places


def _said(name: str, line: int, cells: Sequence[str], places: Mapping[str, int]) -> _Said:
    where = f"{name}, line {line}"
    if len(cells) != len(places):
        raise BadInput(f"{where}: expected {len(places)} cells, got {len(cells)}")
    told = {column: unicodedata.normalize("NFC", cells[place]).strip() for column, place in places.items()}
    action = next((word for word in ACTIONS if word == told["action"]), None)
    if action is None:
        raise BadInput(f"{where}: expected an action of {', '.join(ACTIONS)}, got {_quoted(told['action'])}")
    scope = told.get("scope") or SCOPES[action][0]
    if scope not in SCOPES[action]:
        raise BadInput(f"{where}: expected to {action} a {' or '.join(sorted(SCOPES[action]))}, got {_quoted(scope)}")
    for column, longest in (("name", _LONGEST_NAME), ("reason", LONGEST_REASON)):
        if not is_line(told[column], longest):
            raise BadInput(
                f"{where}: expected a {column} of 1 to {longest} characters in one line, got {_quoted(told[column])}"
            )
    if not is_day(told["date"]):
        raise BadInput(f"{where}: expected a date as 2024-12-31, got {_quoted(told['date'])}")
    return _Said(line, action, scope, told["name"], told["reason"], told["date"])


def is_line(text: str, longest: int) -> bool:
    r"""Whether a text is of 1 to so many characters and in one line.

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
        return _DATE.fullmatch(text) is not None and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _check_clashes(name: str, rows: Iterable[_Said]) -> None:
    of: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for row in rows:
        if row.scope == "artist":
            continue
        before = of[row.name].setdefault(row.action, row.line)
        if before != row.line:  # rows of one scope are one by now
            raise BadInput(
                f"{name}: expected to {row.action} {_quoted(row.name)} as a record or as a work, got both "
                f"(lines {before} "
                f"and {row.line})"
            )
    for record, lines in sorted(of.items()):
        for one, other in CLASHES:
            if one in lines and other in lines:
                raise BadInput(
                    f"{name}: expected one action on {_quoted(record)}, got {one} (line {lines[one]}) and {other} "
                    f"(line {lines[other]})"
                )


# --- obeying


def marked(by_hand: pa.Table, record_ids: pa.ChunkedArray | pa.Array, action: Action) -> pa.Array:
    """(N,) whether BY_HAND names each record with that action and the scope of one record."""
    is_meant = pc.and_(pc.equal(by_hand["action"], action), pc.equal(by_hand["scope"], "record"))
    found = pc.is_in(record_ids, value_set=by_hand["name"].filter(is_meant))
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found


def obeyed(records: pa.Table, by_hand: pa.Table, tombstones: pa.Table, previous: pa.Table, aliases: Aliases) -> Obeyed:
    """RECORDS of which those that are excluded or taken down have that for their reason.

    records: RECORDS, artists under the names that they have. by_hand: BY_HAND. tombstones: TOMBSTONES, what was purged
    and stays away. previous: LEDGER of the release before, which knows the files (`sha256`) of what was once had, and
    the records that the sources no longer list. aliases: of artists, by which names are compared.

    What is taken down says nothing more than who it was: all columns but record_id, source, reason and detail are
    empty. One that the sources no longer list stays in the table. What was taken down as a work of another stays down,
    as long as that takedown stands, whatever reason and date it has meanwhile. An include outranks that the artist is
    excluded; a takedown outranks all. A record that the scrape has dropped already keeps its reason, unless it is taken
    down.
    """
    excluded, known = _excluded(records, by_hand, aliases)
    down = _down(records, by_hand, tombstones, previous, aliases)
    good = _present(excluded, tables.kept(records))
    why = {name: found for name, found in excluded.items() if name in good} | down.why
    table = _with_reasons(_with_lost(records, down, previous, tombstones), why)
    lost = _named_nobody(by_hand, _present(by_hand["name"].to_pylist(), records), known | down.known)
    return Obeyed(table, _taken_down(down.why, previous, tombstones), lost)


class _Down(NamedTuple):
    """Why records are taken down, and which rows of the file (action, scope, name) named somebody."""

    why: dict[str, _Why]
    known: set[tuple[str, str, str]]


def _excluded(
    records: pa.Table, by_hand: pa.Table, aliases: Aliases
) -> tuple[dict[str, _Why], set[tuple[str, str, str]]]:
    found: dict[str, _Why] = {}
    known = set()
    included = set(_rows_of(by_hand, "include", "record"))
    artists = _rows_of(by_hand, "exclude", "artist")
    for artist, works in _works_of(records, artists, aliases).items():
        row = artists[artist]
        known |= {("exclude", "artist", artist)} if works else set()
        found |= {name: _Why(Reason.EXCLUDED, _text(row)) for name in works if name not in included}
    for name, row in _rows_of(by_hand, "exclude", "record").items():
        found[name] = _Why(Reason.EXCLUDED, _text(row))
    return found, known


def _down(records: pa.Table, by_hand: pa.Table, tombstones: pa.Table, previous: pa.Table, aliases: Aliases) -> _Down:
    """From the vaguest to the most exact: what is said of a record itself is what its row tells."""
    standing, found, known = _with_others(records, by_hand, aliases)
    before = previous.filter(pc.fill_null(pc.equal(previous["reason"], str(Reason.TAKEN_DOWN)), False))
    as_before = dict(zip(before["record_id"].to_pylist(), before["detail"].to_pylist(), strict=True))
    listed = _present(as_before, records)
    for name, detail in as_before.items():
        why_still = _standing(standing, detail or "")
        if why_still and (name not in listed or why_still.detail.startswith(_WORK_OF)):
            found[name] = why_still
    for row in tombstones.to_pylist():
        found[row["record_id"]] = _Why(Reason.TAKEN_DOWN, _text(row), is_work=row["scope"] != "record")
    named = by_hand["name"].to_pylist()
    everyone = _present(named, records) | _present(named, previous)
    for scope in ("record", "work"):
        for name, row in _rows_of(by_hand, "takedown", scope).items():
            if name in everyone or name in found:
                known.add(("takedown", scope, name))
                is_work = scope == "work"
                found[name] = _Why(Reason.TAKEN_DOWN, _ALONE * (not is_work) + _text(row), is_work)
    return _Down(found, known)


def _with_others(
    records: pa.Table, by_hand: pa.Table, aliases: Aliases
) -> tuple[dict[str, _Why], dict[str, _Why], set[tuple[str, str, str]]]:
    """Takedowns that reach more than a record, by how their details begin; whom they reach.

    And the rows that name somebody.
    """
    standing: dict[str, _Why] = {}
    found: dict[str, _Why] = {}
    known: set[tuple[str, str, str]] = set()
    artists = _rows_of(by_hand, "takedown", "artist")
    for artist, works in _works_of(records, artists, aliases).items():
        whose = _works_of_artist(artist)
        standing[whose] = _Why(Reason.TAKEN_DOWN, f"{whose}: {_text(artists[artist])}", is_work=True)
        known |= {("takedown", "artist", artist)} if works else set()
        found |= dict.fromkeys(works, standing[whose])
    named = _rows_of(by_hand, "takedown", "work")
    groups = _groups_of(records, named)
    for name, row in named.items():
        why = _Why(Reason.TAKEN_DOWN, f"{_WORK_OF}{name}: {_text(row)}", is_work=True)
        standing[f"{_WORK_OF}{name}"] = why
        found |= dict.fromkeys(groups.get(name, ()), why)
    return standing, found, known


def _works_of_artist(artist: str) -> str:
    """The name's digest says whose they are; the name itself is not to stay in any ledger."""
    return f"all works of artist {hashlib.sha256(normalize_name(artist).encode()).hexdigest()[:8]}"


def _standing(standing: Mapping[str, _Why], detail: str) -> _Why | None:
    """The takedown by which a detail begins: its text, a colon, and a reason, which may be another by now."""
    begins = (detail[: colon.start()] for colon in re.finditer(": ", detail))
    return next((standing[text] for text in begins if text in standing), None)


def _present(names: Iterable[str], table: pa.Table) -> set[str]:
    """Those of the names that are record_ids of the table: looked up the short way round, for tables of millions."""
    wanted = pa.array(sorted(set(names)), pa.string())
    return set(pc.filter(wanted, pc.is_in(wanted, value_set=table["record_id"])).to_pylist()) if len(wanted) else set()


def _rows_of(by_hand: pa.Table, action: Action, scope: str) -> dict[str, dict[str, str]]:
    is_meant = pc.and_(pc.equal(by_hand["action"], action), pc.equal(by_hand["scope"], scope))
    return {row["name"]: row for row in by_hand.filter(is_meant).to_pylist()}


def _text(row: Mapping[str, str]) -> str:
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


def scope_of(detail: str | None) -> str:
    """Whether a record was taken down as a work, with its copies, or alone; by the detail of its drop.

    >>> details = ["the record alone: a wrong scan (2024-05-01)", "asked for by the heirs (2024-05-01)", None]
    >>> tuple(scope_of(detail) for detail in details)
    ('record', 'work', 'work')
    """
    return "record" if _ALONE in (detail or "") else "work"


def _works_of(records: pa.Table, artists: Collection[str], aliases: Aliases) -> dict[str, list[str]]:
    """For each of these artists their records; names are compared as the recipe's aliases are."""
    if not artists:
        return {}
    spelled: defaultdict[str, list[str]] = defaultdict(list)
    for name in pc.unique(records["artist"].drop_null()).to_pylist():
        spelled[normalize_name(name)].append(name)
    found = {}
    for artist in artists:
        meant = {normalize_name(artist), normalize_name(parse_attribution(artist, aliases).name or artist)} - {""}
        names = pa.array([name for word in sorted(meant) for name in spelled.get(word, ())], pa.string())
        found[artist] = records["record_id"].filter(pc.is_in(records["artist"], value_set=names)).to_pylist()
    return found


def _groups_of(records: pa.Table, named: Mapping[str, object]) -> dict[str, list[str]]:
    """For each named record the others of its declared group.

    What one source calls a group says nothing of another's.
    """
    columns = records.select(["record_id", "source", "declared_group"])
    mine = columns.filter(pc.is_in(columns["record_id"], value_set=pa.array(list(named), pa.string())))
    near = columns.filter(pc.is_in(columns["declared_group"], value_set=mine["declared_group"].drop_null()))
    members: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for row in near.to_pylist():
        members[row["source"], row["declared_group"]].append(row["record_id"])
    return {
        row["record_id"]: [
            name for name in members.get((row["source"], row["declared_group"]), ()) if name != row["record_id"]
        ]
        for row in mine.to_pylist()
    }


def _with_lost(records: pa.Table, down: _Down, previous: pa.Table, tombstones: pa.Table) -> pa.Table:
    """The records, and those that are taken down and no longer listed: by name and source alone."""
    lost = tables.missing(pa.array(sorted(down.why), pa.string()), records["record_id"])
    if not len(lost):
        return records
    sources = tables.lookup(previous, "record_id", lost)["source"].to_pylist()
    rows = [
        {"record_id": name, "source": source or name.partition(":")[0]}
        for name, source in zip(lost.to_pylist(), sources, strict=True)
    ]
    both = pa.concat_tables([records, pa.Table.from_pylist(rows, schema=RECORDS)])
    return both.take(pc.sort_indices(both["record_id"]))


def _with_reasons(records: pa.Table, why: Mapping[str, _Why]) -> pa.Table:
    names = pa.array(list(why), pa.string())
    place = pc.index_in(records["record_id"], value_set=names)
    given = {
        "reason": pa.array([str(found.reason) for found in why.values()], pa.string()).take(place),
        "detail": pa.array([found.detail for found in why.values()], pa.string()).take(place),
    }
    is_down = pc.fill_null(pc.equal(given["reason"], str(Reason.TAKEN_DOWN)), False)
    columns = []
    for field in RECORDS:
        if field.name in given:
            columns.append(pc.if_else(pc.is_valid(place), given[field.name], records[field.name]))
        elif field.name in _STAYS:
            columns.append(records[field.name])
        else:
            columns.append(_emptied(records[field.name], is_down))
    return pa.table(columns, schema=RECORDS)


def without_copies(records: pa.Table, ledger: pa.Table) -> pa.Table:
    """RECORDS in which all that a LEDGER calls taken down, by whatever stage, says no more than that."""
    down = ledger.filter(pc.fill_null(pc.equal(ledger["reason"], str(Reason.TAKEN_DOWN)), False))
    rows = down.select(["record_id", "detail"]).to_pylist()
    return _with_reasons(records, {row["record_id"]: _Why(Reason.TAKEN_DOWN, row["detail"]) for row in rows})


def _emptied(column: pa.ChunkedArray, where: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column, null in these rows. By place: Arrow's if_else knows no lists of text in chunks."""
    place = np.arange(len(column))
    return column.take(pa.array(place, mask=np.asarray(where.to_numpy(), bool)))


def _taken_down(why: Mapping[str, _Why], previous: pa.Table, tombstones: pa.Table) -> pa.Table:
    """TAKEN_DOWN: with the files of what was had before, which no other record brings back."""
    names = pa.array(sorted(name for name, found in why.items() if found.reason == Reason.TAKEN_DOWN), pa.string())
    known = tables.lookup(previous, "record_id", names)["sha256"].to_pylist()
    buried = tables.lookup(tombstones, "record_id", names)["sha256"].to_pylist()
    rows = [
        {"record_id": name, "sha256": one or other, "detail": why[name].detail, "is_work": why[name].is_work}
        for name, one, other in zip(names.to_pylist(), known, buried, strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=TAKEN_DOWN)


def all_buried(here: pa.Table, with_release: pa.Table | None) -> pa.Table:
    """TOMBSTONES of a store and those that came with a release, as into another store; the store's own word counts."""
    if with_release is None:
        return here
    others = with_release.filter(pc.invert(pc.is_in(with_release["record_id"], value_set=here["record_id"])))
    return pa.concat_tables([here, others.select(TOMBSTONES.names)]).sort_by("record_id")


def without_same_bytes(fetched: pa.Table, taken_down: pa.Table) -> pa.Table:
    """A FETCH outcome without the files of what is taken down, whichever record brings them: these drop out as taken
    down.
    """
    of = taken_down.filter(pc.is_valid(taken_down["sha256"]))
    place = pc.index_in(fetched["sha256"], value_set=of["sha256"])
    is_down = pc.is_valid(place)
    if not pc.any(is_down).as_py():
        return fetched
    names, details = of["record_id"].take(place), of["detail"].take(place)
    texts = pc.binary_join_element_wise("same bytes as ", names, ": ", details, "")
    for name, value in (("reason", pa.scalar(str(Reason.TAKEN_DOWN))), ("detail", texts)):
        at = fetched.schema.get_field_index(name)
        fetched = fetched.set_column(at, fetched.schema.field(at), pc.if_else(is_down, value, fetched[name]))
    return fetched


def _named_nobody(by_hand: pa.Table, listed: set[str], known: set[tuple[str, str, str]]) -> tuple[str, ...]:
    lost = [row for row in by_hand.to_pylist() if not _is_about_somebody(row, listed, known)]
    if not lost:
        return ()
    examples = ", ".join(f"{row['action']} {_quoted(row['name'])}" for row in lost[:_SHOWN])
    more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
    return (f"by hand: {len(lost)} of {by_hand.num_rows} rows name nobody who is here: {examples}{more}",)


def _is_about_somebody(row: Mapping[str, str], listed: set[str], known: set[tuple[str, str, str]]) -> bool:
    if row["action"] != "takedown" and row["scope"] == "record":
        return row["name"] in listed
    return (row["action"], row["scope"], row["name"]) in known


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_TEXT else f"{text[:_SHOWN_TEXT]}...")
