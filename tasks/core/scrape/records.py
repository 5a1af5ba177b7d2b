"""From the fields of a source's works to the table of records: ids, rights, years, repeated keys, limits."""

import functools
import hashlib
import heapq
import itertools
import json
import operator
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.file_names import canonical_name, form_of
from schemas.phrases import counted, listed, quoted
from schemas.reasons import Reason
from schemas.sources.common import NOASSERTION, Rights, Source
from schemas.tables import RECORDS
from tasks.core.fetch import is_url, locator_of
from tasks.core.names.artist_roles import choose_artist
from tasks.core.scrape.dates import one_year, year_of_cell, years_of_work
from tasks.core.tables import kept_rows, with_columns
from tasks.core.whole_numbers import is_inexact, text_of_number

Row = Mapping[str, Any]
_OPEN_URI = re.compile(r"https?://(creativecommons\.org|rightsstatements\.org)/\S+")
_LONGEST_TEXT = 2000
_LONGEST_PLACE = 8192  # characters of an image's path or address: Linux allows 4096 bytes, servers about 8 kB
_BATCH = 10_000
MAX_ARTISTS = 100  # of one work: more are no artists, but something else
RIGHTS_BY = "rights.by"  # the field with what a table says in the column by which its rights go
_MOST_EXAMPLES = 5
_LATER = {"artists", "artist_roles", "year_first", "year_last", "offers"}
"""Fields that came after ids were given: without them, the id of a row with another's key, or none, stays as it was."""
_NO_TEXTS = {*_LATER, "styles", RIGHTS_BY}


def record(source: Source, row: Row) -> dict[str, Any]:
    """One row of RECORDS from a source's fields (as of a table), or a row with a reason if it has no key or no image.

    Text becomes NFC without outer blanks, and empty text null; only the image stays as it is, since it may be a file's
    name. A float without a fraction is the whole number; one too large to name one number is no key. Without first and
    last years, those that date_text says are taken, and else those of `year`; `one_year` says what year that makes.
    """
    texts = {field: _text(value) for field, value in row.items() if field not in _NO_TEXTS}
    key, image = texts.get("key"), texts.get("image")
    if (problem := _problem(row, key, image)) or key is None:
        name = key if key and not is_inexact(row.get("key")) else f"row-{_identity_digest(row)[:12]}"
        return dropped_record(source, name, Reason.BAD_RECORD, problem)
    locator = locator_of(_writable(str(row["image"])))
    style, date_text, own = texts.get("style"), texts.get("date_text"), source.date_words
    stated, first, last = (year_of_cell(row.get(name), own) for name in ("year", "year_first", "year_last"))
    years = years_of_work((first, last), date_text, stated, texts.get("year"), own)
    rights, words = _rights_of_work(source.rights, row)
    artist = texts.get("artist")
    # of the template, no other syntax of str.format is allowed
    template = source.source_url
    page = template and re.sub(r"\{(\w+)\}", lambda match: texts.get(match[1]) or "", template)
    known = {
        **_blank_record(source, key),
        "locator": locator,
        "source_url": texts.get("source_url") or page or None,
        "image_url": texts.get("image_url") or (_text(locator) if is_url(locator) else None),
        "title": texts.get("title"),
        "artist": artist,
        **(_artists(row, artist, source.maker_words) if row.get("artists") else {}),
        "style": style,
        "styles": [text for text in _parts(row.get("styles")) if text] or ([style] if style else []),
        "date_text": date_text,
        "year": one_year(years, stated, texts.get("year"), date_text),
        "year_first": years.first,
        "year_last": years.last,
        **rights_columns(rights, texts.get("rights_uri"), texts.get("rights_text") or words),
        "declared_group": texts.get("group"),
        "series": texts.get("series"),
    }
    return {**known, "artist_text": known["artist"]}


def _problem(row: Row, key: str | None, image: str | None) -> str:
    """Why a row is no record; "" if it is one. key, image: their texts."""
    if is_inexact(row.get("key")):
        several = "is a float beyond 2^53, which may stand for several whole numbers"
        return f"the key {row['key']!r} {several}: write keys as whole numbers or as text"
    if not key or not image:
        return f"no {'key' if not key else 'image'} in the row"
    length = len(str(row["image"]))
    too_long = f"an image's place of {length} characters, at most {_LONGEST_PLACE} are possible"
    return too_long if length > _LONGEST_PLACE else ""


def dropped_record(source: Source, key: str, reason: Reason, detail: str) -> dict[str, Any]:
    """The row of a work without a record, with the reason."""
    return {**_blank_record(source, key), "reason": reason, "detail": _writable(detail)[:_LONGEST_TEXT]}


def records_table(
    rows: Iterable[dict[str, Any]], schema: pa.Schema = RECORDS, equal: Counter[str] | None = None
) -> pa.Table:
    """RECORDS sorted by record_id, of `unique` rows. schema: with columns for attributes."""
    return pa.Table.from_pylist(unique(rows, equal), schema=schema)


def merge(tables: Iterable[pa.Table], schema: pa.Schema = RECORDS, equal: Counter[str] | None = None) -> pa.Table:
    """RECORDS of several tables of one schema, as `records_table` has them.

    Only rows that share an id are compared one by one. Tables in order are not copied, others by column.
    """
    everything = _sorted(tables, schema)
    if everything.num_rows < 2:
        return everything
    names = everything["record_id"].combine_chunks()
    is_same = pc.equal(names.slice(0, len(names) - 1), names.slice(1))
    at_end = pa.array([False])
    shared = pc.or_(pa.concat_arrays([at_end, is_same]), pa.concat_arrays([is_same, at_end]))
    if not pc.any(shared).as_py():
        return everything
    apart, compared, folded = schema.empty_table(), -1, Counter[str]()
    while (count := pc.sum(shared).as_py()) > compared:  # an id made for one of them may exist already
        folded.clear()
        apart, compared = records_table(everything.filter(shared).to_pylist(), schema, folded), count
        shared = pc.is_in(names, value_set=apart["record_id"])
    if equal is not None:
        equal.update(folded)
    return _sorted([everything.filter(pc.invert(shared)), apart], schema)


def _sorted(tables: Iterable[pa.Table], schema: pa.Schema) -> pa.Table:
    """RECORDS of several, sorted by record_id."""
    parts = sorted((part for part in tables if part.num_rows), key=lambda part: str(part["record_id"][0].as_py()))
    everything = pa.concat_tables([schema.empty_table(), *parts])
    del parts
    names = everything["record_id"].combine_chunks()
    if pc.all(pc.less_equal(names.slice(0, max(len(names) - 1, 0)), names.slice(1))).as_py():
        return everything
    order, columns = pc.sort_indices(names), []
    for field in schema:
        columns.append(everything[field.name].take(order))
        everything = everything.drop_columns(field.name)  # copied, so its memory can be freed
    return pa.table(columns, schema=schema)


def unique(rows: Iterable[dict[str, Any]], equal: Counter[str] | None = None) -> list[dict[str, Any]]:
    """Rows by record_id. Of one id the first by content keeps it, others are drops; equal ones are one: see `equal`.

    A row that its page opts out keeps the id before all others: where one page says no, another's silence is no yes.
    """
    by_id: dict[str, dict[str, Any]] = {}
    names = operator.itemgetter("record_id")
    for name, group in itertools.groupby(sorted(rows, key=names), names):
        same = list(group)
        if len(same) > 1:  # only then the content is looked at
            same.sort(key=lambda row: (_rank(row["reason"]), _identity_digest(row), _content_digest(row)))
        for row in same:
            if name in by_id and row != by_id[name]:
                row = same_key(row, by_id[name]["locator"])
                if by_id.get(row["record_id"], row) != row:  # one that is another only in the later columns
                    row = {**row, "record_id": f"{name}#{_content_digest(row)[:12]}"}
            if row["record_id"] in by_id and equal is not None:
                equal[row["record_id"]] += 1
            by_id[row["record_id"]] = row
    return [by_id[name] for name in sorted(by_id)]


def _rank(reason: str | None) -> int:
    return 0 if reason == Reason.OPTED_OUT else 1 if reason is None else 2


def same_key(row: dict[str, Any], kept_locator: str | None = None) -> dict[str, Any]:
    """The row of a repeated key, under an id of its own. kept_locator: of the row that has the key."""
    name, detail = row["record_id"], f"key of {row['record_id']}"
    locators = (row["locator"] or "", kept_locator or "")
    if locators[0] != locators[1] and canonical_name(locators[0]) == canonical_name(locators[1]):
        here, there = map(form_of, locators)
        detail += f": the names of the two files are the same, this one's in {here}, the other's in {there}"
    return {**row, "record_id": f"{name}#{_identity_digest(row)[:12]}", "reason": Reason.SAME_KEY, "detail": detail}


def with_year_within(known: pa.Table) -> pa.Table:
    """Records of an earlier release, with `year` within first and last year, or as both where there are none."""
    columns = ("year", "year_first", "year_last", "date_text")
    years: dict[str, list[int | None]] = {"year": [], "year_first": [], "year_last": []}
    for stated, first, last, text in zip(*(known[name].to_pylist() for name in columns), strict=True):
        within = years_of_work((first, last), None, stated, None)
        for name, value in zip(years, (one_year(within, stated, text), *within), strict=True):
            years[name].append(value)
    return with_columns(known, years)


def limit_records(records: pa.Table, limit: int | None) -> pa.Table:
    """RECORDS in which each source keeps only the `limit` records with the smallest SHA-256(record_id)."""
    if limit is None:
        return records
    kept = kept_rows(records.select(["record_id", "source", "reason"]))
    drawn: list[str] = []
    for source in pc.unique(kept["source"]).to_pylist():
        batches = kept.filter(pc.equal(kept["source"], source)).to_batches(max_chunksize=_BATCH)
        names = (str(name) for batch in batches for name in batch["record_id"].to_pylist())  # not all at once in memory
        drawn += heapq.nsmallest(limit, names, key=lambda name: hashlib.sha256(name.encode()).digest())
    is_drawn = pc.is_in(records["record_id"], value_set=pa.array(drawn, pa.string()))
    is_over = pc.and_(pc.is_null(records["reason"]), pc.invert(is_drawn))
    dropped = {"reason": str(Reason.OVER_LIMIT), "detail": f"limit {limit}"}
    return with_columns(records, {name: pc.if_else(is_over, value, records[name]) for name, value in dropped.items()})


def _blank_record(source: Source, key: str) -> dict[str, Any]:
    return {
        **dict.fromkeys(RECORDS.names),
        "record_id": unicodedata.normalize("NFC", f"{source.name}:{key}"),
        "source": source.name,
        "styles": [],
        "rights_uri": NOASSERTION,
        "rights_basis": "none",
        "is_annotated": False,
    }


def _rights_of_work(rights: Rights, row: Row) -> tuple[Rights, str | None]:
    """What the recipe's author asserts for this work, and the source's words by which that goes."""
    if rights.by is None:
        return rights, None
    column, offers = rights.by.column, row.get("offers") or {}
    value = row[RIGHTS_BY] if RIGHTS_BY in row else row.get(column, offers.get(column))
    words, uris = _text(value), _uris(tuple(rights.by.values.items()))
    # a recipe may have 1.0 for what was a float when it was written
    as_written = uris.get(str(value).casefold(), rights.by.else_) if isinstance(value, float) else rights.by.else_
    return rights.model_copy(update={"uri": uris.get((words or "").casefold(), as_written)}), words


@functools.lru_cache(maxsize=64)
def _uris(values: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return {(_text(text) or "").casefold(): uri for text, uri in values}


def rights_note(source: Source, records: pa.Table) -> tuple[str, ...]:
    """A sentence on the records of a source whose words the recipe's table of rights does not have."""
    mine = _kept_of(source, records.select(["source", "reason", "rights_uri", "rights_text"]))
    left = mine.filter(pc.equal(mine["rights_uri"], NOASSERTION))
    if source.rights.by is None or not left.num_rows:
        return ()
    counts = pc.value_counts(pc.fill_null(left["rights_text"], "nothing")).to_pylist()
    counts.sort(key=lambda row: (-row["counts"], row["values"]))
    texts = listed([f"{quoted(row['values'])} ({row['counts']:,})" for row in counts], _MOST_EXAMPLES)
    without = f"{counted(left.num_rows, 'record')} of {mine.num_rows:,} without rights"
    return (f"source '{source.name}': {without}, since rights.by has no URI for {texts}",)


def empty_columns_note(source: Source, records: pa.Table) -> tuple[str, ...]:
    """A sentence on named columns of which no record has anything; keys, images and rights have their own rules."""
    mine = _kept_of(source, records)
    names = {"group": "declared_group", **{name: name for name in RECORDS.names if name != "rights_uri"}}
    empty = [
        f"'{field}' (from {quoted(column)})"
        for field, column in source.named_columns.items()
        if field in names and not _has_any(mine[names[field]])
    ]
    if not empty or not mine.num_rows:
        return ()
    none = f"none of its {counted(mine.num_rows, 'record')} has anything for {listed(empty, _MOST_EXAMPLES)}"
    return (f"source '{source.name}': {none}: is the column or path right?",)


def _kept_of(source: Source, records: pa.Table) -> pa.Table:
    return kept_rows(records.filter(pc.equal(records["source"], source.name)))


def _has_any(column: pa.ChunkedArray) -> bool:
    is_list = pa.types.is_list(column.type)
    values = pc.list_flatten(column) if is_list else column
    return bool(len(values) > values.null_count and (not is_list or pc.any(pc.not_equal(values, "")).as_py()))


def rights_columns(asserted: Rights, uri: str | None, text: str | None) -> dict[str, str | None]:
    """The source's own URI, else the recipe's assertion. A source's statement in words is only rights_text."""
    if uri and _OPEN_URI.fullmatch(uri):
        return {"rights_uri": uri, "rights_text": text, "rights_basis": "source"}
    statement = text or uri
    basis = "source" if statement else "none"
    if asserted.uri != NOASSERTION:
        basis = f"recipe: {asserted.asserted_by}: {asserted.because}"
    return {"rights_uri": asserted.uri, "rights_text": statement or asserted.text, "rights_basis": basis}


def _artists(row: Row, artist: str | None, own: str | None) -> dict[str, Any]:
    """All who are named with their roles, and who of them is the artist, if no field says so; own: of the museum."""
    names, roles = _parts(row["artists"]), _parts(row.get("artist_roles"))
    problem = None
    if roles and len(roles) != len(names):
        problem = f"{len(roles)} artist_roles for {len(names)} artists, so they are left out"
    elif len(names) > MAX_ARTISTS:
        problem = f"{len(names)} artists, of which {MAX_ARTISTS} are kept"
    pairs = itertools.zip_longest(names, roles if len(roles) == len(names) else [])
    named = [(name, role or "") for name, role in pairs if name][:MAX_ARTISTS]
    if artist and artist not in names:
        named = [(artist, ""), *named]
    artists, artist_roles = [name for name, _ in named], [role for _, role in named]
    chosen, qualifier = choose_artist(artists, artist_roles, own)
    return {
        "artist": artist or chosen,
        "artist_qualifier": None if artist else qualifier,
        "artists": artists,
        "artist_roles": artist_roles,
        "detail": problem,
    }


def _parts(value: Any) -> list[str | None]:
    """Texts of a list, or of a text with | between them; None for those that are empty."""
    parts = value if isinstance(value, list | tuple) else (_text(value) or "").split("|") if value is not None else []
    return [_text(part) for part in parts]


def _text(value: Any) -> str | None:
    if type(value) is str and value.isascii():  # most are, and are NFC and UTF-8 as they stand
        return value.strip()[:_LONGEST_TEXT].replace("\0", "") or None
    if value is None or value != value:  # NaN, an empty cell of a float column
        return None
    text = str(value).lower() if isinstance(value, bool) else text_of_number(value)  # JSON's true, not Python's True
    return unicodedata.normalize("NFC", _writable(text)).strip()[:_LONGEST_TEXT].replace("\0", "") or None


def _writable(text: str) -> str:
    """The text with "?" for lone surrogates, which JSON and file names may hold, but UTF-8 can't."""
    return text.encode("utf-8", "replace").decode()


def _identity_digest(row: Row) -> str:
    return _content_digest({name: value for name, value in row.items() if name not in _LATER})


def _content_digest(row: Row) -> str:
    return hashlib.sha256(
        json.dumps(row, sort_keys=True, default=str, ensure_ascii=False).encode("utf-8", "surrogatepass")
    ).hexdigest()
