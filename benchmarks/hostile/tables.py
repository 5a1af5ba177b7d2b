"""Tables of records as people, spreadsheets and programs leave them: one build for each."""

import csv
import datetime as dt
import decimal
import io
import json
import random
import unicodedata
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.campaign import release_of
from benchmarks.hostile import builds
from benchmarks.hostile.cases import Family, Fault, Scene, Wrong, one_by_one
from benchmarks.hostile.commands import wrong_ending
from benchmarks.hostile.pictures import drawing, encoded
from benchmarks.hostile.stand_ins import stand_in
from schemas.reasons import Reason

_FIELDS = ("key", "image", "title", "artist", "style", "date_text", "year", "rights_uri", "group")
_PLAIN = {"title": "a title", "artist": "Rembrandt", "style": "Cubism", "date_text": "1890", "year": "1890"}
_ROWS = 5
_LONGEST_TEXT = 2000
_LOST = frozenset(
    map(str, (Reason.NOT_FOUND, Reason.NOT_ALLOWED, Reason.UNREACHABLE, Reason.BAD_RECORD, Reason.HTTP_ERROR))
)


class Table(NamedTuple):
    """A table as bytes, and what a build of it may come to.

    rows: how many of its records must be in the ledger; None where that is not to be said. texts: of good records, by
    key, what must be in the release letter by letter. odd: keys of records that may also be dropped, and for which
    reasons. names: words of which the sentence of a refusal has one.
    """

    what: str
    file: str
    data: bytes
    statuses: frozenset[int] = frozenset({0})
    rows: int | None = None
    texts: Mapping[str, dict[str, str | None]] = MappingProxyType({})
    odd: Mapping[str, frozenset[str]] = MappingProxyType({})
    names: tuple[str, ...] = ()


Rows = list[dict[str, Any]]
_GOOD, _BAD, _EITHER = frozenset({0}), frozenset({2}), frozenset({0, 2})


def _rows() -> Rows:
    return [
        {"key": f"k{place}", "image": f"{place}.png", **_PLAIN, "rights_uri": "", "group": ""} for place in range(_ROWS)
    ]


def _csv(rows: Rows, **options: Any) -> str:
    sink = io.StringIO(newline="")
    writer = csv.DictWriter(sink, list(_FIELDS), **options)
    writer.writeheader()
    writer.writerows(rows)
    return sink.getvalue()


def _lines(rows: Rows) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def _same(rows: Rows) -> dict[str, dict[str, str | None]]:
    """What the release must say of these rows: the rules are in tasks/core/scrape/records.py."""
    return {row["key"]: {field: _stored(row[field]) for field in ("title", "date_text")} for row in rows}


def _stored(text: str) -> str | None:
    return unicodedata.normalize("NFC", text).strip()[:_LONGEST_TEXT].replace("\0", "") or None


_TEXTS = (
    *("plain", "  blanks  ", 'quote " quote', "comma, comma", "two\nlines", "cr\ronly", "tab\ttab", "=1+1", "@cmd"),
    *("-1", "NULL", "None", "nan", "NaN", "true", "0", "1e5", "007", "é", "e\u0301", "日本語", "😀", "\u202eabc"),
    *("\ufeffx", "a\u2028b", "\\N", "\\", "'; drop table", "{title}", "%s", "<script>", "x" * 1999, "x" * 2500),
    *("é" * 3000, "a\x1cb", "\x0c", "\x7f"),
)


def _odd_texts(chance: random.Random) -> Table:
    rows = _rows()
    for row in rows:
        row["title"], row["date_text"] = chance.choice(_TEXTS), chance.choice(_TEXTS)
    kind = chance.choice(("csv", "csv", "jsonl", "parquet"))
    if kind == "csv":
        ends, quoting = chance.choice(("\n", "\r\n")), chance.choice((csv.QUOTE_ALL, csv.QUOTE_MINIMAL))
        if any("\r" in row[field] for row in rows for field in ("title", "date_text")):
            quoting = csv.QUOTE_ALL  # Python before 3.13 leaves it bare, and reads it back as the end of a row
        data = _csv(rows, lineterminator=ends, quoting=quoting).encode(chance.choice(("utf-8", "utf-8-sig")))
    else:
        data = _lines(rows).encode() if kind == "jsonl" else _parquet(pa.Table.from_pylist(rows))
    return Table(f"odd texts as {kind}", f"t.{kind}", data, _GOOD, _ROWS, _same(rows))


def _odd_keys(chance: random.Random) -> Table:
    rows = _rows()
    rows[2]["key"] = key = chance.choice(
        (
            "é",
            "a/b",
            "..",
            "a:b",
            "#",
            "a#b",
            "x" * 500,
            "  k  ",
            "row-1",
            "\u202e",
            "\n",
            "a\nb",
            "0",
            "nan",
            "odd:k1",
            "💥",
        )
    )
    count = _ROWS
    return Table(f"the key {key[:20]!r}", "t.csv", _csv(rows).encode(), _GOOD, count, _same(rows[:2]), {})


def _no_keys(chance: random.Random) -> Table:
    rows = _rows()
    field = chance.choice(("key", "image"))
    rows[1][field] = chance.choice(("", "  ", "\t"))
    return Table(f"a row without {field}", "t.csv", _csv(rows).encode(), _GOOD, _ROWS, _same([rows[0]]))


def _same_keys(chance: random.Random) -> Table:
    rows = _rows()
    rows[3]["key"] = "k1"
    is_equal = chance.random() < 0.5
    if is_equal:
        rows[3] = dict(rows[1])
    return Table(
        f"a key twice, {'all equal' if is_equal else 'other content'}",
        "t.csv",
        _csv(rows).encode(),
        _GOOD,
        _ROWS - is_equal,
    )


def _odd_header(chance: random.Random) -> Table:
    lines = _csv(_rows()).splitlines(keepends=True)
    what, header, statuses = chance.choice(
        (
            ("a column's name twice", lines[0].replace("title", "artist"), _BAD),
            ("the key's column twice", lines[0].replace("group", "key"), _BAD),
            ("blanks around names", lines[0].replace(",", " , "), _BAD),
            ("upper case", lines[0].upper(), _BAD),
            ("an empty name", lines[0].replace("group", ""), _BAD),
            ("no header", "", _BAD),
            ("a missing column", lines[0].replace("title", "name"), _BAD),
            ("semicolons", lines[0].replace(",", ";"), _BAD),
            ("tabs", lines[0].replace(",", "\t"), _BAD),
            ("a name of 2 MB", lines[0].replace("group", "g" * 2_000_000), _BAD),
            ("NUL in a name", lines[0].replace("title", "ti\0tle"), _BAD),
            ("quotes", ",".join(f'"{name}"' for name in _FIELDS) + "\n", _GOOD),
            ("a comment first", "# exported\n" + lines[0], _BAD),
            ("blank lines first", "\n\n" + lines[0], _EITHER),
        )
    )
    data = (header + "".join(lines[1:])).encode()
    return Table(
        f"CSV with {what}",
        "t.csv",
        data,
        statuses,
        _ROWS if statuses == _GOOD else None,
        names=("t.csv", "column", "source"),
    )


def _ragged(chance: random.Random) -> Table:
    lines = _csv(_rows()).splitlines()
    what, line = chance.choice(
        (
            ("short", "k9"),
            ("shorter than the key", ""),
            ("long", lines[1] + ",more,and more"),
            ("an open quote", 'k9,"9.png'),
            ("a lone quote", 'k9,9.png,a "b" c'),
            ("NUL", "k9,0.png,a\0b"),
            ("1.5 MB in a cell", f"k9,0.png,{'x' * 1_500_000}"),
            ("900 kB in a cell", f"k9,0.png,{'x' * 900_000}"),
            ("bytes in upper ranges", "k9,0.png,\x80\x99"),
        )
    )
    statuses = _EITHER if what in {"an open quote", "1.5 MB in a cell"} else _GOOD
    data = "\n".join([*lines, line, ""]).encode()
    texts = _same(_rows()[1:])
    rows = None if what in {"shorter than the key", "long"} or statuses == _EITHER else _ROWS + 1
    return Table(f"a CSV row with {what}", "t.csv", data, statuses, rows, texts, names=("t.csv",))


def _encodings(chance: random.Random) -> Table:
    rows = _rows()
    rows[0]["title"] = "Dürer 日本" if (wide := chance.random() < 0.5) else "Dürer"
    encoding = chance.choice(
        ("utf-16", "utf-16-le", "utf-32", "utf-8", "utf-8-sig") + (() if wide else ("latin-1", "cp1252", "mac-roman"))
    )
    file = chance.choice(("t.csv", "t.jsonl"))
    text = _csv(rows) if file == "t.csv" else "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    is_good = encoding.startswith("utf-8")
    return Table(
        f"{file} in {encoding}",
        file,
        text.encode(encoding),
        _GOOD if is_good else _BAD,
        _ROWS if is_good else None,
        _same(rows) if is_good else {},
        names=("t.csv", "t.jsonl"),
    )


def _years(chance: random.Random) -> Table:
    rows = _rows()
    for row in rows:
        row["year"] = chance.choice(
            ("", "-5", "99999999999999999999", "1e9", "1890.0", "circa", "١٨٩٠", "1890-13-45", "²", "0", "20000")
        )
        row["date_text"] = chance.choice(("", "c. 1890", "19th century", "1871–1873", "9" * 5000, "1890" * 600))
    return Table("odd years", "t.csv", _csv(rows).encode(), _GOOD, _ROWS, _same(rows))


def _places(chance: random.Random) -> Table:
    rows = _rows()
    rows[2]["image"] = place = chance.choice(
        (
            *("../secret.png", "/etc/passwd", "file:///etc/passwd", "ftp://museum.example/a.png"),
            *("data:image/png;base64,aaaa", "http://", "https://", "http:///a.png", "http://[::1"),
            *("http://[::1]:9/a.png", "http://a b/c.png", "https://ü.example/a"),
            *("http://museum.example:99999/a.png", "http://user:pass@museum.example/a.png"),
            *("http://169.254.169.254/latest", "http://museum.example/%zz", "http://museum.example/\x01"),
            *("HTTP://museum.example/a.png", "//museum.example/a.png", "http:/museum.example"),
            *("https:museum.example", "javascript:alert(1)", "C:\\a.png", "a\\b.png", ".", "./", "//", ""),
            *("nowhere.png", "0.png/", "./0.png", "x/../0.png", "0.png\n", "s3://bucket/a.png", "http://xn--/a"),
            *("http://" + "a" * 300, "http://museum.example/" + "a" * 9000, "~/.ssh/id_rsa", "\u202e.png"),
            *("0.png#x", "0.png?x", "a" * 5000, "0.png::1.png"),
        )
    )
    is_fine = place in {"./0.png", "0.png\n", "0.png/"}
    odd = {"k2": frozenset({*_LOST, *({"kept"} if is_fine else ())})}
    return Table(f"the image {place[:50]!r}", "t.csv", _csv(rows).encode(), _GOOD, _ROWS, _same(rows[:2]), odd)


_VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 10**400, 1.5, 1e308, float("nan"), float("inf"), [], {}, ["a", None, 3], {"a": 1}),
    *([[["x"]]], {"en": "title", "de": "Titel"}, "\ud800", "a\udfffb", "x" * 100_000, "", [1] * 5000),
)


def _json_values(chance: random.Random) -> Table:
    rows = _rows()
    field, value = chance.choice(_FIELDS), chance.choice(_VALUES)
    rows[2][field] = value
    text = "".join(json.dumps(row) + "\n" for row in rows)
    is_nested = isinstance(value, list | dict)
    odd = {"k2": frozenset({"kept", *_LOST})} if field != "key" else {}
    statuses = _EITHER if is_nested or isinstance(value, float) else _GOOD
    table = Table(
        f"JSON {json.dumps(value)[:40]} as {field}", "t.jsonl", text.encode(), statuses, _ROWS, _same(rows[:2]), odd
    )
    return table._replace(names=("t.jsonl",))


def _json_lines(chance: random.Random) -> Table:
    what, line, count = chance.choice(
        (
            ("a list", "[1, 2]", 1),
            ("no JSON", "{not json", 1),
            ("a number", "7", 1),
            ("null", "null", 1),
            ("depth", "[" * 100_000, 1),
            ("depth of objects", '{"a":' * 50_000, 1),
            ("a key twice", '{"key": "k9", "image": "0.png", "title": "a", "title": "b"}', None),
            ("a number of 5,000 digits", '{"key": ' + "9" * 5000 + ', "image": "0.png"}', 1),
            ("blanks", "   ", 0),
            ("two objects", '{"key": "k8", "image": "0.png"} {"key": "k9", "image": "0.png"}', 1),
            ("NUL", '{"key": "k9\\u0000", "image": "0.png"}', 1),
            ("an odd name", '{"key": "k9", "image": "0.png", "": 1, "\\ud800": 2}', 1),
            ("2 MB", json.dumps({"key": "k9", "image": "0.png", "title": "x" * 2_000_000}), 1),
        )
    )
    lines = _lines(_rows()).splitlines()
    data = "\n".join([*lines, line, ""]).encode("utf-8", "surrogatepass")
    statuses = _EITHER if count is None else _GOOD
    rows = None if count is None else _ROWS + count
    return Table(f"a JSON line with {what}", "t.jsonl", data, statuses, rows, _same(_rows()), names=("t.jsonl",))


def _parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


_COLUMNS: tuple[tuple[str, Callable[[], pa.Array]], ...] = (
    ("whole numbers", lambda: pa.array([1890, 0, -5, 2**62, None])),
    ("numbers", lambda: pa.array([1.5, float("nan"), float("inf"), -0.0, None])),
    ("truth values", lambda: pa.array([True, False, None, True, False])),
    ("nanoseconds of far years", lambda: pa.array([2**62, 0, -(2**62), 1, None], pa.timestamp("ns"))),
    ("seconds of the year 20000", lambda: pa.array([569_000_000_000, 0, -99_999_999_999, 1, None], pa.timestamp("s"))),
    ("times with a zone", lambda: pa.array([0, 1, 2, 3, None], pa.timestamp("us", tz="Asia/Tokyo"))),
    ("times with a zone of nowhere", lambda: pa.array([0, 1, 2, 3, None], pa.timestamp("us", tz="Nowhere/City"))),
    ("days", lambda: pa.array([dt.date(1890, 1, 2)] * 5)),
    ("days far out", lambda: pa.array([2_000_000_000, -2_000_000_000, 0, 1, None], pa.int32()).cast(pa.date32())),
    ("times of day", lambda: pa.array([dt.time(23, 59)] * 5)),
    ("durations", lambda: pa.array([2**62, 1, 2, 3, None], pa.duration("us"))),
    ("decimals", lambda: pa.array([decimal.Decimal("1.50")] * 5)),
    ("bytes", lambda: pa.array([b"abc", b"\xff\xfe", b"", b"\0", None])),
    ("a dictionary", lambda: pa.array(["a", "b", "a", None, "b"]).dictionary_encode()),
    ("large text", lambda: pa.array(["a", "b", "é", None, ""], pa.large_string())),
    ("lists", lambda: pa.array([["a"], [], None, ["b", None], ["c"]])),
    ("structs", lambda: pa.array([{"en": "x", "de": None}] * 5)),
    ("maps", lambda: pa.array([[("a", 1)]] * 5, pa.map_(pa.string(), pa.int64()))),
    ("nothing", lambda: pa.nulls(5)),
    ("half floats", lambda: pa.array([1.0, 2.0, 3.0, 4.0, None]).cast(pa.float16())),
)


def _parquet_columns(chance: random.Random) -> Table:
    field = chance.choice(("title", "artist", "style", "date_text", "year", "group", "key"))
    what, column = chance.choice(_COLUMNS)
    table = pa.Table.from_pylist(_rows())
    table = table.set_column(table.schema.get_field_index(field), field, column())
    texts = {} if field in {"key", "title", "date_text"} else _same(_rows())
    # a release may have one row less for each key that is null or that stands twice
    rows = None if field == "key" else _ROWS
    has_no_key = (field, what) == ("key", "nothing")  # of every row it is told, and there is nothing to publish
    return Table(
        f"Parquet with {what} as {field}",
        "t.parquet",
        _parquet(table),
        frozenset({3}) if has_no_key else _EITHER,
        rows,
        texts,
        names=("every record was dropped",) if has_no_key else ("t.parquet", "source"),
    )


def _parquet_files(chance: random.Random) -> Table:
    table, good = pa.Table.from_pylist(_rows()), _parquet(pa.Table.from_pylist(_rows()))
    columns = [table[name] for name in table.column_names]
    what, data = chance.choice(
        (
            ("a column twice", _parquet(pa.table([*columns, columns[2]], names=[*table.column_names, "title"]))),
            ("the key twice", _parquet(pa.table([*columns, columns[2]], names=[*table.column_names, "key"]))),
            ("no rows", _parquet(table.slice(0, 0))),
            ("no columns", _parquet(pa.table({}))),
            ("a column less", _parquet(table.drop_columns("title"))),
            ("its end cut", good[:-9]),
            ("its middle cut", good[:200] + good[400:]),
            ("noise", chance.randbytes(900)),
            ("no bytes", b""),
            ("CSV inside", _csv(_rows()).encode()),
            ("flipped bytes", _noisy(good, chance)),
        )
    )
    statuses = _EITHER if what == "flipped bytes" else _BAD
    return Table(f"Parquet with {what}", "t.parquet", data, statuses, names=("t.parquet", "source", "column"))


def _noisy(data: bytes, chance: random.Random) -> bytes:
    # behind the cells, so that what is read is refused or the same
    changed = bytearray(data)
    for _ in range(6):
        changed[chance.randrange(len(data) * 2 // 3, len(data))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _in_its_place(chance: random.Random) -> Table:
    """What was saved under the table's name, and is none."""
    data, words = stand_in(chance)
    name = f"t.{chance.choice(('csv', 'json', 'jsonl', 'parquet'))}"
    return Table(f"in the place of {name} {words}", name, data, _BAD, names=(words,))


_KINDS = (
    *(_odd_texts, _odd_texts, _odd_keys, _no_keys, _same_keys, _odd_header, _odd_header, _ragged, _ragged),
    *(_encodings, _years, _places, _places, _places, _json_values, _json_values, _json_values, _json_lines),
    *(_parquet_columns, _parquet_columns, _parquet_columns, _parquet_files),
    _in_its_place,
)


def _case(number: int, chance: random.Random, scene: Scene) -> tuple[str, Wrong | None]:
    table = _KINDS[number % len(_KINDS)](chance)
    images = scene.folder / "images"
    images.mkdir()
    for place in range(_ROWS):
        (images / f"{place}.png").write_bytes(encoded(drawing((40, 30), "RGB", chance), "PNG"))
    (scene.folder / "secret.png").write_bytes(encoded(drawing((40, 30), "RGB", chance), "PNG"))
    (images / table.file).write_bytes(table.data)
    recipe = builds.table_recipe(table.file, *_FIELDS[2:])
    ended = builds.build(recipe, images, scene.folder)
    wrong = wrong_ending(ended, table.statuses, table.names)
    return table.what, wrong or (None if ended.status else _wrong_rows(table, scene))


def _wrong_rows(table: Table, scene: Scene) -> Wrong | None:
    ledger = builds.ledger(scene.folder / "store")
    if table.rows is not None and len(ledger) != table.rows:
        return Wrong(Fault.CHANGE, f"{len(ledger)} records for {table.rows}: {sorted(ledger)[:8]}")
    for key, ends in table.odd.items():
        row = ledger.get(f"odd:{key}")
        end = row and ("kept" if row["kept"] else row["reason"])
        if end not in ends:
            return Wrong(Fault.UNTRUE, f"{key} ended as {end} ({row and row['detail']}) for {sorted(ends)}")
    release = release_of(scene.folder / "store", "odd")
    records = {row["record_id"]: row for row in pq.read_table(release / "records.parquet").to_pylist()}
    return _changed_texts(table, records) or _pythons_words(records)


def _changed_texts(table: Table, records: dict[str, builds.Row]) -> Wrong | None:
    for key, texts in table.texts.items():
        row = records.get(f"odd:{key}")
        for field, text in texts.items():
            if row is None or row[field] != text:
                got = None if row is None else row[field]
                return Wrong(Fault.CHANGE, f"{key}.{field}: {str(got)[:60]!r} for {str(text)[:60]!r}")
    return None


def _pythons_words(records: dict[str, builds.Row]) -> Wrong | None:
    """Values that came as another type must not be shown as Python writes them."""
    for row in records.values():
        for field in ("title", "artist", "style", "date_text", "declared_group"):
            text = row[field] or ""
            if text.startswith(("{'", "[", "b'", "datetime.", "Decimal(", "(")) or text in {"True", "False", "{}"}:
                return Wrong(Fault.CHANGE, f"{field} is what Python writes: {text[:60]}")
    return None


FAMILY = Family("tables", "tables as people and programs leave them", 345, 5, one_by_one("tables", _case), limit_s=60)
