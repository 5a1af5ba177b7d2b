"""Nested catalogues with attributes, as museums and their export programs leave them: one or two builds for each."""

import copy
import fractions
import itertools
import json
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from benchmarks.campaign import release_of
from benchmarks.hostile import builds
from benchmarks.hostile.cases import Family, Fault, Scene, Wrong, first_wrong, one_by_one
from benchmarks.hostile.commands import wrong_ending
from benchmarks.hostile.pictures import drawing, encoded
from schemas.reasons import Reason

Work = dict[str, Any]
Row = builds.Row
Path = tuple[str | int, ...]

_WORKS, _IMAGES, _ODD = 5, 2, 2
_COLUMNS = {
    "key": "id",
    "image": "each.file",
    "title": "title",
    "artists": "makers[].name",
    "artist_roles": "makers[].role",
    "date_text": "dated",
    "year_first": "years.first",
    "year_last": "years.last",
}
_ATTRIBUTES: Mapping[str, dict[str, Any]] = {
    "room": {"type": "string", "from": "place.room"},
    "shelf": {"type": "integer", "from": "place.shelf"},
    "height_cm": {"type": "number", "from": "size[0].cm"},
    "shown": {"type": "boolean"},
    "methods": {"type": "strings", "from": "methods[].name"},
}
_LOST = frozenset(
    map(
        str,
        (
            *(Reason.NOT_FOUND, Reason.NOT_ALLOWED, Reason.UNREACHABLE, Reason.HTTP_ERROR, Reason.BROKEN_IMAGE),
            *(Reason.BAD_RECORD, Reason.BAD_ATTRIBUTE, Reason.SAME_KEY),
        ),
    )
)
_GOOD, _BAD, _EITHER = frozenset({0}), frozenset({2}), frozenset({0, 2})
_NAMES = ("w/*.json", "works.json", "works.jsonl", "'odd'")


class Catalogue(NamedTuple):
    """Files as bytes, and what a build of them may come to.

    table: the recipe's. files: by path. statuses: with which the build may end. odd: numbers of works that may come to
    anything that has a reason. names: words of which the sentence of a refusal has one. attributes: the recipe's.
    """

    what: str
    table: str
    files: Mapping[str, bytes]
    statuses: frozenset[int] = _GOOD
    odd: frozenset[int] = frozenset()
    names: tuple[str, ...] = _NAMES
    attributes: Mapping[str, Any] = _ATTRIBUTES


def _works() -> list[Work]:
    return [
        {
            "id": number,
            "title": f"Work {number}",
            "makers": [{"name": "Juan Gris", "role": "artist"}, {"name": "Kahnweiler", "role": "publisher"}],
            "dated": "c. 1912",
            "years": {"first": 1911, "last": "1913"},
            "images": [{"file": f"{number}-{place}.png"} for place in range(_IMAGES)],
            "place": {"room": f"Room {number}", "shelf": number},
            "size": [{"cm": number + 0.5}],
            "shown": number % 2 == 0,
            "methods": [{"name": "oil"}, {"name": "gilding"}],
            "extra": {"unread": [1, 2, {"deep": None}]},
        }
        for number in range(_WORKS)
    ]


def _expected(work: Work) -> Row:
    """What the release says of the records of a plain work."""
    place, size = work["place"], work["size"]
    return {
        "title": work["title"],
        "artists": ["Juan Gris", "Kahnweiler"],
        "artist_roles": ["artist", "publisher"],
        "artist": "Juan Gris",
        "year_first": 1911,
        "year_last": 1913,
        "room": place["room"],
        "shelf": place["shelf"],
        "height_cm": size[0]["cm"],
        "shown": work["shown"],
        "methods": ["oil", "gilding"],
    }


# --- forms


def _as_files(texts: list[str]) -> tuple[str, dict[str, bytes]]:
    return "w/*.json", {f"w/{number}.json": _bytes(text) for number, text in enumerate(texts)}


def _as_list(texts: list[str]) -> tuple[str, dict[str, bytes]]:
    return "works.json", {"works.json": _bytes(f"[{','.join(texts)}]")}


def _as_stream(texts: list[str]) -> tuple[str, dict[str, bytes]]:
    return "works.json", {"works.json": _bytes("\n\n".join(texts))}


def _as_lines(texts: list[str]) -> tuple[str, dict[str, bytes]]:
    return "works.jsonl", {"works.jsonl": _bytes("".join(f"{text}\n" for text in texts))}


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


_FORMS: tuple[Callable[[list[str]], tuple[str, dict[str, bytes]]], ...] = (_as_files, _as_list, _as_stream, _as_lines)


# --- kinds of cases

_VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, 1e308, 10**30, 10**400, "", " ", "x", "7", "yes", "a|b", "é" * 3000, "\u202e", "\x00"),
    *([], {}, [None], [[]], [{}], [[{"name": "x"}]], {"name": "x"}, {"": 1}, ["x"] * 11_000, "\ud800", "../x.png"),
    *(float("nan"), float("inf"), "-0", "1e3", "٣", "1912-13-45", "http://[", [1, "a", None, True, {"name": []}]),
)


def _places(node: Any, path: Path = ()) -> Iterator[Path]:
    """Every place of a work at which a value may stand."""
    if path:
        yield path
    steps = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for step, child in steps:
        yield from _places(child, (*path, step))


def _with_value(work: Work, path: Path, value: Any) -> Work:
    changed: Any = copy.deepcopy(work)
    node = changed
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return changed


def _odd_value(chance: random.Random) -> Catalogue:
    works = _works()
    path, value = chance.choice([*_places(works[_ODD])]), chance.choice(_VALUES)
    works[_ODD] = _with_value(works[_ODD], path, value)
    table, files = chance.choice(_FORMS)([json.dumps(work) for work in works])
    what = f"{json.dumps(value)[:40]} as {'.'.join(map(str, path))} in {table}"
    # of two works with one key either may stay; other values are no other work's key
    rivals = {value} & {*range(_WORKS)} if path == ("id",) and type(value) is int else set()
    # a list or object where the recipe expects one value is refused for the whole source
    statuses = _EITHER if isinstance(value, list | dict) else _GOOD
    return Catalogue(what, table, files, statuses, frozenset({_ODD, *rivals}))


def _cut(chance: random.Random) -> Catalogue:
    texts = [json.dumps(work) for work in _works()]
    form = chance.choice(_FORMS)
    if form is _as_lines:
        texts[_ODD] = texts[_ODD][: chance.randrange(1, len(texts[_ODD]))]
        table, files = form(texts)
        return Catalogue("a line that ends early", table, files, _GOOD, frozenset({_ODD}))
    table, files = form(texts)
    name = f"w/{_ODD}.json" if form is _as_files else "works.json"
    files[name] = files[name][: chance.randrange(1, len(files[name]))]
    if form is _as_files:
        return Catalogue("a file that ends early", table, files, _GOOD, frozenset({_ODD}))
    return Catalogue("works that end early", table, files, _EITHER, frozenset(range(_WORKS)))


def _noise(chance: random.Random) -> Catalogue:
    table, files = _as_files([json.dumps(work) for work in _works()])
    name = f"w/{_ODD}.json"
    data = bytearray(files[name])
    for _ in range(chance.randrange(1, 9)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return Catalogue("a file with other bytes", table, {**files, name: bytes(data)}, _EITHER, frozenset({_ODD}))


def _deep(chance: random.Random) -> Catalogue:
    texts = [json.dumps(work) for work in _works()]
    depth, (before, after) = chance.choice((10, 60, 64, 65, 1000, 100_000)), chance.choice((("[", "]"), ('{"a":', "}")))
    field = chance.choice(("more", "title", "place"))
    is_closed = chance.random() < 0.5
    deep = before * depth + "1" + after * depth * is_closed
    texts[_ODD] = f'{texts[_ODD][:-1]}, "{field}": {deep}}}'
    table, files = chance.choice((_as_files, _as_lines))(texts)
    statuses = _EITHER if is_closed else _GOOD
    return Catalogue(f"{field} of depth {depth}, {table}", table, files, statuses, frozenset({_ODD}))


def _twice(chance: random.Random) -> Catalogue:
    works = _works()
    field = chance.choice(("extra", "title", "images", "place", "shown", "makers", "nowhere"))
    texts = [json.dumps(work) for work in works]
    texts[_ODD] = f'{texts[_ODD][:-1]}, "{field}": {json.dumps(works[_ODD].get(field))}}}'
    table, files = chance.choice(_FORMS)(texts)
    is_refused = field in {"title", "makers"}  # of what is no column of every release, the work alone is lost
    odd = frozenset({_ODD} if field in {"images", "place", "shown"} else ())
    return Catalogue(f"the field {field} twice", table, files, _BAD if is_refused else _GOOD, odd)


_DECLARATIONS: tuple[tuple[str, Any], ...] = (
    *((name, {"type": "string"}) for name in ("title", "split", "record_id", "Room", "a b", "", "1a", "x" * 64, "ä")),
    *(("room", settings) for settings in (None, [], "string", {}, {"type": "text"}, {"type": 1}, {"kind": "string"})),
    *(("room", {"type": "string", "from": place}) for place in ("", "a[", "a]", "a[x]", ".a", "a..b", "a[-1]", "[]")),
    *(("room", {"type": "string", "from": place}) for place in ("x" * 301, "a" + ".a" * 17, 7, [], {"other": "a"})),
    *(("room", {"type": "string", "from": place}) for place in ("makers[].name", "nowhere.to.be.seen")),
    *(("room", {"type": kind, "from": "title"}) for kind in ("integer", "number", "boolean")),
    ("room", {"type": "string", "description": "x" * 100_000}),
)


def _declared(chance: random.Random) -> Catalogue:
    name, settings = chance.choice(_DECLARATIONS)
    table, files = chance.choice(_FORMS)([json.dumps(work) for work in _works()])
    return Catalogue(
        f"the attribute {name[:20]!r}: {settings!r:.60}",
        table,
        files,
        _BAD,
        names=("attribute",),
        attributes={name: settings},
    )


_KINDS = (
    *(_odd_value, _odd_value, _odd_value, _odd_value, _odd_value, _odd_value),
    *(_cut, _cut, _noise, _noise, _deep, _twice, _declared, _declared),
)


# --- what became of it


def _case(number: int, chance: random.Random, scene: Scene) -> tuple[str, Wrong | None]:
    folder = scene.folder / "images"
    (folder / "w").mkdir(parents=True)
    for work, place in itertools.product(range(_WORKS), range(_IMAGES)):
        (folder / f"{work}-{place}.png").write_bytes(encoded(drawing((40, 30), "RGB", chance), "PNG"))
    if number % (len(_KINDS) + 1) == len(_KINDS):
        return "the same works in another order and another form", _wrong_order(chance, scene)
    catalogue = _KINDS[number % (len(_KINDS) + 1)](chance)
    _write(catalogue.files, scene)
    ended = builds.build(_recipe(catalogue.table, catalogue.attributes), folder, scene.folder)
    wrong = wrong_ending(ended, catalogue.statuses, catalogue.names)
    return catalogue.what, wrong or (None if ended.status else _wrong_records(catalogue, scene))


def _write(files: Mapping[str, bytes], scene: Scene) -> None:
    for name, data in files.items():
        (scene.folder / "images" / name).write_bytes(data)


def _recipe(table: str, attributes: Mapping[str, Any]) -> Row:
    source = {"name": "odd", "at": "images", "table": table, "each": "images", "columns": _COLUMNS}
    return builds.folder_recipe(sources=[{"table": source}], attributes=dict(attributes))


def _wrong_order(chance: random.Random, scene: Scene) -> Wrong | None:
    """Neither the order of works and fields nor the form of the files may change what a release says."""
    found = []
    for place in ("one", "other"):
        works = [dict(chance.sample([*work.items()], len(work))) for work in chance.sample(_works(), _WORKS)]
        table, files = chance.choice(_FORMS)([json.dumps(work, indent=chance.choice((None, 1))) for work in works])
        if table == "works.jsonl":
            files = {table: b"".join(_bytes(json.dumps(work)) + b"\n" for work in works)}
        _write(files, scene)
        own = scene.folder / place
        own.mkdir()
        ended = builds.build(_recipe(table, _ATTRIBUTES), scene.folder / "images", own)
        if wrong := wrong_ending(ended, _GOOD):
            return wrong
        found.append(builds.content(own / "store", "odd"))
        for name in files:
            (scene.folder / "images" / name).unlink()
    return None if found[0] == found[1] else Wrong(Fault.CHANGE, f"other content: {found}")


def _wrong_records(catalogue: Catalogue, scene: Scene) -> Wrong | None:
    ledger = builds.ledger(scene.folder / "store")
    release = release_of(scene.folder / "store", "odd")
    records = {row["record_id"]: row for row in pq.read_table(release / "records.parquet").to_pylist()}
    plain = [work for work in _works() if work["id"] not in catalogue.odd]
    odd = [row for name, row in ledger.items() if name.removeprefix("odd:").partition("/")[0] not in _keys(plain)]
    return first_wrong(
        [
            *(_wrong_work(work, ledger, records) for work in plain),
            *(_wrong_drop(row) for row in odd),
            *(_wrong_values(row) for row in records.values()),
            None if odd or not catalogue.odd else Wrong(Fault.CHANGE, "the odd work left nothing in the ledger"),
        ]
    )


def _keys(works: list[Work]) -> set[str]:
    return {str(work["id"]) for work in works}


def _wrong_work(work: Work, ledger: Mapping[str, Row], records: Mapping[str, Row]) -> Wrong | None:
    for place in range(1, _IMAGES + 1):
        name = f"odd:{work['id']}/{place}"
        if name not in ledger or not ledger[name]["kept"]:
            return Wrong(Fault.CHANGE, f"{name} beside the odd work: {ledger.get(name)}")
        for field, value in _expected(work).items():
            if (got := records[name][field]) != value:
                return Wrong(Fault.CHANGE, f"{name}.{field}: {got!r:.60} for {value!r}")
    return None


def _wrong_drop(row: Row) -> Wrong | None:
    if row["kept"] or row["reason"] in _LOST:
        return None
    return Wrong(Fault.UNTRUE, f"{row['record_id']} ended as {row['reason']} ({row['detail']})")


def _wrong_values(row: Row) -> Wrong | None:
    """Values that came as another type must not be made to fit, nor be shown as Python writes them."""
    texts = [row[field] for field in ("title", "artist", "date_text", "room")]
    texts += [text for field in ("artists", "artist_roles", "methods") for text in row[field] or ()]
    for text in texts:
        if text and (text.startswith(("{", "[", "b'")) or text in {"True", "False", "None"}):
            return Wrong(Fault.CHANGE, f"{row['record_id']} has what Python writes: {text[:60]}")
    if row["height_cm"] is not None and not abs(fractions.Fraction(row["height_cm"])) < 10**309:
        return Wrong(Fault.CHANGE, f"{row['record_id']}.height_cm: {row['height_cm']}")
    return None


FAMILY = Family("catalogues", "nested catalogues with attributes", 240, 6, one_by_one("catalogues", _case), limit_s=60)
