"""What a purge takes out of tables, of COCO files and of raw answers.

And what stays: that a record was there, and went.
"""

import html
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schemas.reasons import Reason
from schemas.tables import LEDGER, TOMBSTONES
from tasks.core.by_hand import reason_and_date, scope_of
from tasks.core.dedup.witnesses import copy_edges

SAYS_NOTHING = frozenset(
    {
        "record_id",
        "source",
        "reason",
        "detail",
        "kept",
        "stage",
        "kept_record_id",
        "last_split",
        "image_id",
        "sha256",
        "group_id",
        "split",
        "date",
        "rights_uri",
        "rights_basis",
        "is_work",
    }
)
"""Columns in which a row about a record may say something, and yet tell nothing of it but that it went."""

_ADDRESSES = ("source_url", "image_url", "locator")
_PAIRS = ("a", "b")
_HASHES = ("key", "left", "right")
_TOKEN = re.compile(rb"[0-9A-Za-z_]+")

CUT_PAGE = """<!doctype html><html lang=en><meta charset=utf-8><title>Cut</title>
<p>This page showed some of the images. Since then records were taken down, and the page with them:
tombstones.parquet says
which, when and why. All else of the release stands in its tables.</html>
"""
_HEADING = "\n## Amended\n"


class Told(NamedTuple):
    """By what records can be told. addresses: wherever they stand.

    Own: by source, keys and titles, which say little elsewhere.
    """

    addresses: frozenset[str]
    own: Mapping[str, frozenset[str]]

    def of(self, source: str) -> frozenset[str]:
        """What tells of them in an answer of that source."""
        return self.addresses | self.own.get(source, frozenset())

    def everything(self) -> frozenset[str]:
        """All of it."""
        return self.addresses.union(*self.own.values())


def stones(
    books: Sequence[pa.Table], before: pa.Table, asked: Mapping[str, str], day: str, scope: str = "work"
) -> pa.Table:
    """TOMBSTONES, sorted by record_id: those that stand already, and those of what is to be purged now.

    books: LEDGERs of a dataset's releases, the newest first. asked: why each of some records is to be purged, all in
    that scope; where none is given, all that the newest ledger says are taken down, for the reasons, on the days (`day`
    where it names none) and in the scopes that it names. A tombstone stays as it is, but one of a record may become its
    work's.
    """
    found = {row["record_id"]: row for row in before.to_pylist()}
    newest = books[0] if books else LEDGER.empty_table()
    is_down = pc.fill_null(pc.equal(newest["reason"], str(Reason.TAKEN_DOWN)), False)
    new = {name: (why, day, scope) for name, why in asked.items()}
    if not asked:
        for row in newest.filter(is_down).select(["record_id", "detail", "stage"]).to_pylist():
            why, when = reason_and_date(row["detail"])
            is_copy = row["stage"] not in {None, "scrape"}  # by what a later stage found it to be
            new[row["record_id"]] = (
                why,
                when or day,
                _of_copy(scope_of(row["detail"])) if is_copy else scope_of(row["detail"]),
            )
    for name in found.keys() & asked.keys():
        found[name] = {**found[name], "scope": "work" if scope == "work" else found[name]["scope"]}
    return _with_stones(books, found, new)


def _of_copy(scope: str) -> str:
    return "copy" if scope == "work" else scope


def _with_stones(
    books: Sequence[pa.Table], found: Mapping[str, Mapping[str, Any]], new: Mapping[str, tuple[str, str, str]]
) -> pa.Table:
    had = files_of(books, new)
    rows = {
        name: {
            "record_id": name,
            "date": when,
            "reason": why,
            "sha256": next(iter(had.get(name, ())), None),
            "scope": scope,
        }
        for name, (why, when, scope) in new.items()
    } | dict(found)
    return pa.Table.from_pylist([rows[name] for name in sorted(rows)], schema=TOMBSTONES)


def with_copies(
    books: Sequence[pa.Table], edges: Sequence[pa.Table], buried: pa.Table, seen: Collection[tuple[str, str]] = ()
) -> pa.Table:
    """TOMBSTONES, and those of each copy of the works that have one: none of them is to take its place.

    books, edges: LEDGERs and EDGES of a dataset's releases, the newest first. seen: pairs of SHA-256 that show one
    work. Copies of a record are those that any ledger knows of it, or of the one that it is a copy of, and files of the
    same bytes; what the second look or a person found to show the same work, mirrored or in part too, or is `seen`; and
    the copies of these. Two of which people have said in the newest release that they are no copies are none. What is
    like a copy, and not like the work, is none either: the copies have no copies of their own.
    """
    found = {row["record_id"]: row for row in buried.to_pylist()}
    kin, alike = _kin(books), _alike(books, edges, seen)
    new: dict[str, tuple[str, str, str]] = {}
    for name in [name for name, row in found.items() if row["scope"] == "work"]:
        row = found[name]
        work = _joined(kin, {name})
        for other in sorted(_joined(kin, work | {near for one in work for near in alike[one]}) - found.keys()):
            new.setdefault(other, (f"copy of {name}: {row['reason']}", row["date"], "copy"))
    return _with_stones(books, found, new)


def _kin(books: Sequence[pa.Table]) -> defaultdict[str, set[str]]:
    """For each record the copies that ledgers know of it, and those that it is a copy of; equal files are such."""
    kin: defaultdict[str, set[str]] = defaultdict(set)
    reasons = pa.array([Reason.EXACT_DUPLICATE, Reason.NEAR_DUPLICATE])
    for book in books:
        rows = book.filter(pc.and_(pc.is_in(book["reason"], value_set=reasons), pc.is_valid(book["kept_record_id"])))
        for name, stays in zip(rows["record_id"].to_pylist(), rows["kept_record_id"].to_pylist(), strict=True):
            kin[name].add(stays)
            kin[stays].add(name)
    for names in _records_of(books, _shared(books)).values():
        for name in names:
            kin[name] |= names - {name}
    return kin


def _shared(books: Sequence[pa.Table]) -> list[str]:
    """SHA-256 of the files that several records have had."""
    everything = pa.concat_tables([LEDGER.empty_table(), *books]).select(["sha256", "record_id"])
    counted = pc.value_counts(everything.group_by(["sha256", "record_id"]).aggregate([])["sha256"].drop_null())
    is_shared = pc.greater(counted.field("counts"), 1)
    return list(counted.field("values").filter(is_shared).to_pylist())


def _alike(
    books: Sequence[pa.Table], edges: Sequence[pa.Table], seen: Collection[tuple[str, str]]
) -> defaultdict[str, set[str]]:
    """For each record those that show its work by relations or by sight."""
    alike: defaultdict[str, set[str]] = defaultdict(set)
    for table in edges:
        for a, b, _ in copy_edges(table):
            alike[a].add(b)
            alike[b].add(a)
    files = {sha256 for pair in seen for sha256 in pair}
    of = _records_of(books, files)
    for one, other in seen:
        for a in of.get(one, ()):
            alike[a] |= of.get(other, set()) - {a}
    for a, b in _no_copies(edges[:1]):
        alike[a].discard(b)
        alike[b].discard(a)
    return alike


def _records_of(books: Sequence[pa.Table], files: Collection[str]) -> dict[str, set[str]]:
    wanted = pa.array(sorted(files), pa.string())
    of: defaultdict[str, set[str]] = defaultdict(set)
    for book in books:
        rows = book.filter(pc.is_in(book["sha256"], value_set=wanted))
        for name, sha256 in zip(rows["record_id"].to_pylist(), rows["sha256"].to_pylist(), strict=True):
            of[sha256].add(name)
    return of


def _no_copies(edges: Sequence[pa.Table]) -> Iterator[tuple[str, str]]:
    for table in edges:
        said = table.filter(pc.fill_null(pc.not_equal(table["verdict"], "copy"), False))
        yield from zip(said["a"].to_pylist(), said["b"].to_pylist(), strict=True)


def _joined(linked: Mapping[str, set[str]], start: set[str]) -> set[str]:
    found, wave = set(start), set(start)
    while wave:
        wave = {near for one in wave for near in linked.get(one, ())} - found
        found |= wave
    return found


def files_of(books: Sequence[pa.Table], names: Collection[str]) -> dict[str, list[str]]:
    """For each named record the SHA-256 of the files that it had, by these ledgers, in their order."""
    wanted = pa.array(sorted(names), pa.string())
    had: dict[str, list[str]] = {}
    for book in books:
        for row in book.filter(pc.is_in(book["record_id"], value_set=wanted)).to_pylist():
            if row["sha256"] and row["sha256"] not in had.setdefault(row["record_id"], []):
                had[row["record_id"]].append(row["sha256"])
    return had


def still_used(books: Sequence[pa.Table], names: Collection[str], files: Collection[str]) -> dict[str, str]:
    """Of the files, those that another record keeps, by these ledgers; and which one, the smallest."""
    used: dict[str, str] = {}
    for book in books:
        kept = book.filter(
            pc.and_(book["kept"], pc.is_in(book["sha256"], value_set=pa.array(sorted(files), pa.string())))
        )
        for row in kept.select(["record_id", "sha256"]).to_pylist():
            if row["record_id"] not in names:
                used[row["sha256"]] = min(row["record_id"], used.get(row["sha256"], row["record_id"]))
    return used


def still_used_by(book: pa.Table, files: Collection[str]) -> pa.ChunkedArray:
    """record_ids of those that keep one of the files, by a ledger."""
    is_theirs = pc.is_in(book["sha256"], value_set=pa.array(sorted(files), pa.string()))
    return book.filter(pc.and_(book["kept"], is_theirs))["record_id"]


def words(records: Iterable[pa.Table], names: Collection[str]) -> Told:
    """By what the named records can be told: their addresses, keys, and a title that no other record has.

    records: RECORDS of releases, in which a record may stand several times. A path below a source's folder is no
    address.
    """
    wanted = pa.array(sorted(names), pa.string())
    addresses, titled = set[str](), Counter[str]()
    own: defaultdict[str, set[str]] = defaultdict(set)
    titles: defaultdict[str, set[str]] = defaultdict(set)
    for name in names:
        own[name.partition(":")[0]].add(name.partition(":")[2])
    for table in records:
        is_mine = pc.is_in(table["record_id"], value_set=wanted)
        for row in table.filter(is_mine).select(["record_id", "title", *_ADDRESSES]).to_pylist():
            source = row["record_id"].partition(":")[0]
            said = {row[column] for column in _ADDRESSES if row[column]}
            addresses |= {text for text in said if "://" in text}
            own[source] |= said
            titles[source] |= {row["title"]} if row["title"] else set()
        titled.update(pc.unique(table.filter(pc.invert(is_mine))["title"].drop_null()).to_pylist())
    for source, mine in titles.items():
        own[source] |= {title for title in mine if not titled[title]}
    return Told(frozenset(addresses), {source: frozenset(said) for source, said in own.items()})


def mentions(told: Collection[str]) -> Callable[[bytes], bool]:
    r"""Whether an answer's bytes hold one of the words whole, as text, JSON, HTML or part of an address may write it.

    >>> is_told = mentions({"42", "s/déjà vu"})
    >>> is_told(b'{"id": 42}'), is_told(b'{"id": 142}'), is_told(rb'"s\/d\u00e9j\u00e0 vu"'), is_told(b"")
    (True, False, True, False)
    """
    written = {form.encode() for word in told for form in _forms(word)}
    in_forms = Counter(token for form in written for token in {*_TOKEN.findall(form)})
    of: defaultdict[bytes, list[bytes]] = defaultdict(list)  # forms by the token of theirs that fewest others have
    for form in written:
        of[min(_TOKEN.findall(form), key=lambda token: (in_forms[token], -len(token)), default=b"")].append(form)

    def is_told(data: bytes) -> bool:
        near = {b"", *_TOKEN.findall(data)} & of.keys() if of else ()
        return any(_stands_whole(form, data) for token in near for form in of[token])

    return is_told


def _stands_whole(form: bytes, data: bytes) -> bool:
    at = data.find(form)
    while at >= 0:
        if not _TOKEN.match(data[max(at - 1, 0) : at]) and not _TOKEN.match(data[at + len(form) : at + len(form) + 1]):
            return True
        at = data.find(form, at + 1)
    return False


def _forms(word: str) -> set[str]:
    escaped = json.dumps(word)[1:-1]
    plain = json.dumps(word, ensure_ascii=False)[1:-1]
    slashed = {form.replace("/", "\\/") for form in (escaped, plain)}
    return {
        word,
        escaped,
        plain,
        *slashed,
        html.escape(word),
        html.escape(word, quote=False),
        quote(word),
        quote(word, safe=""),
    }


# --- tables


def telling(table: pa.Table, names: Collection[str]) -> pa.Array:
    """(N,) whether each row tells something of a named record: more than that it was there, and went."""
    wanted = pa.array(sorted(names), pa.string())
    if "record_id" not in table.column_names:
        ends = [pc.is_in(table[side], value_set=wanted) for side in _PAIRS if side in table.column_names]
        masks = [np.asarray(end, bool) for end in ends]
        return pa.array(np.any([np.zeros(table.num_rows, bool), *masks], axis=0), pa.bool_())
    is_mine = np.asarray(pc.is_in(table["record_id"].cast(pa.string()), value_set=wanted), bool)
    others = [name for name in table.column_names if name not in SAYS_NOTHING]
    rows = np.flatnonzero(is_mine)
    said = [
        any(_says(value) for value in row.values()) for row in table.select(others).take(pa.array(rows)).to_pylist()
    ]
    is_mine[rows] = said if others else False
    return pa.array(is_mine, pa.bool_())


def _says(value: Any) -> bool:
    return value is not None and value is not False and value != [] and value != ""


def tells(table: pa.Table, names: Collection[str], told: Collection[str]) -> bool:
    """Whether a table tells something of a named record, or has one of the words as a text of its own."""
    if pc.any(telling(table, names)).as_py():
        return True
    wanted = pa.array(sorted(told), pa.string())
    return any(pc.any(pc.is_in(texts, value_set=wanted)).as_py() for texts in _texts(table))


def _texts(table: pa.Table) -> Iterable[pa.ChunkedArray]:
    for column in table.columns:
        flat = pc.list_flatten(column) if pa.types.is_list(column.type) else column
        if pa.types.is_string(flat.type) or pa.types.is_large_string(flat.type):
            yield flat.cast(pa.string())


def has_hash(table: pa.Table, hashes: np.ndarray[Any, np.dtype[np.uint64]]) -> bool:
    """Whether a table of what was searched, or of pairs that were found, has one of these hashes. hashes: (N,)."""
    columns = [table[name].to_numpy() for name in _HASHES if name in table.column_names]
    return any(bool(np.isin(column, hashes).any()) for column in columns if column.dtype == np.uint64)


def without_files(table: pa.Table, files: pa.Array) -> pa.Table:
    """A measure's rows, but those of these files (SHA-256): in sha256, or in one of a and b."""
    for name in ("sha256", *_PAIRS):
        if name in table.column_names:
            table = table.filter(pc.invert(pc.is_in(table[name], value_set=files)))
    return table


def without_records(table: pa.Table, names: Collection[str], addresses: Collection[str]) -> pa.Table:
    """A release's rows without those that tell of the named records, nor of their pages as those of another's
    copies.
    """
    left = table.filter(pc.invert(telling(table, names)))
    if "source_urls" not in left.column_names:
        return left
    kept = [
        [url for url in urls if url not in addresses or url == own]
        for urls, own in zip(left["source_urls"].to_pylist(), left["source_url"].to_pylist(), strict=True)
    ]
    place = left.schema.get_field_index("source_urls")
    return left.set_column(place, left.schema.field(place), pa.array(kept, left.schema.field(place).type))


def artists_gone(records: Iterable[pa.Table], names: Collection[str]) -> set[str]:
    """Artists of the named records of whom no other record is. records: as of `words`."""
    mine, others = set[str](), set[str]()
    wanted = pa.array(sorted(names), pa.string())
    for table in records:
        is_mine = pc.is_in(table["record_id"], value_set=wanted)
        mine |= set(table.filter(is_mine)["artist"].drop_null().to_pylist())
        others |= set(table.filter(pc.invert(is_mine))["artist"].drop_null().to_pylist())
    return mine - others


def diversity_without(table: pa.Table, artists: Collection[str]) -> pa.Table:
    """DIVERSITY in which these artists are not named; their numbers stay, as those of all others."""
    place = table.schema.get_field_index("largest_artist")
    is_gone = pc.is_in(table["largest_artist"], value_set=pa.array(sorted(artists), pa.string()))
    return table.set_column(place, table.schema.field(place), pc.if_else(is_gone, None, table["largest_artist"]))


def ledger_with(book: pa.Table, buried: pa.Table) -> pa.Table:
    """LEDGER in which each buried record is taken down, as its tombstone says; its place, id and last split stay."""
    why = {row["record_id"]: row for row in buried.to_pylist()}
    rows = [
        {
            **row,
            "kept": False,
            "stage": "scrape",
            "reason": str(Reason.TAKEN_DOWN),
            "kept_record_id": None,
            "retrieved_at": None,
            "detail": f"{stone['reason']} ({stone['date']})",
            "sha256": row["sha256"] if stone["sha256"] else None,
        }
        for row in book.filter(pc.is_in(book["record_id"], value_set=buried["record_id"])).to_pylist()
        for stone in [why[row["record_id"]]]
    ]
    new = pa.Table.from_pylist(rows, schema=book.schema)
    others = book.filter(pc.invert(pc.is_in(book["record_id"], value_set=buried["record_id"])))
    both = pa.concat_tables([others, new])
    return both.take(pc.sort_indices(both["record_id"]))


# --- pages


def coco_without(document: Mapping[str, Any], image_ids: Collection[int]) -> dict[str, Any]:
    """A COCO document without these images and what is drawn on them."""
    images = [image for image in document["images"] if image["id"] not in image_ids]
    boxes = [box for box in document["annotations"] if box["image_id"] not in image_ids]
    return {**document, "images": images, "annotations": boxes}


def detections_without(boxes: Sequence[Mapping[str, Any]], image_ids: Collection[int]) -> list[Mapping[str, Any]]:
    """COCO results without those of these images."""
    return [box for box in boxes if box["image_id"] not in image_ids]


def card_with(text: str, buried: pa.Table) -> str:
    """The card, and what became of the release since; told once, however often."""
    day = max(buried["date"].to_pylist(), default="")
    return (
        f"{text.partition(_HEADING)[0]}{_HEADING}\n{buried.num_rows} records were taken down after this version was "
        "published (the last "
        f"on {day}): their images, fields and boxes are gone from all files; `tombstones.parquet` says which. "
        "Counts above are "
        "those of the day of publication; those in `manifest.json` are the present ones.\n"
    )
