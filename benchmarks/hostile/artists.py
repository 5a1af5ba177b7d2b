"""Names of artists and styles: turned twice they stay, and the order of the records changes nothing."""

import csv
import random

import pyarrow as pa
import yaml

from benchmarks.hostile import builds
from benchmarks.hostile.cases import Family, Fault, Scene, Wrong, first_wrong, one_by_one
from benchmarks.hostile.commands import wrong_ending
from benchmarks.hostile.pictures import drawing, encoded
from schemas.names import Artists, Styles
from schemas.tables import RECORDS
from schemas.word_lists import QUALIFIERS
from tasks.core.names import artists, styles
from tasks.core.names.matching import ALIASES, merge_aliases

_WORDS = (
    *("Rembrandt", "Rubens", "van", "de", "Peter", "Paul", "Hokusai", "北斎", "歌川広重", "Dürer", "Du\u0308rer"),
    *("&uuml;", "&amp;amp;", "after", "After", "workshop of", "and", "&", "the Elder", "the Younger", "II", "Jr."),
    *("Sr", "Master of", "Unknown", "anonymous", "artist", "artist(s)", "Anon.", "circle", "pupil of", "French"),
    *("American", "born", "active", "1606", "1606-1669", "c. 1890", "b. 1840", "1840–1926", "20th century"),
    *("school", "Edo period", "attributed to", "possibly", "probably by", "copy", "O'Keeffe", "M.C.", "Smith"),
    *("Jones", "& Co.", "St.", "Ş", "İ", "ß", "ﬁ", "Æ", "\u200b", "\u202e", "\ufeff", "\x00", "\x1c", "\u2028", "?"),
    *("(?)", "[?]", "None", "nan", "-", "—", "...", "12", ""),
)
_JOINTS = (" ", " ", " ", ", ", ",", "; ", "|", " (", ") ", " [", "] ", "\n", " / ", ": ", "-", ".", "  ", "\t", "&")
_SHIPPED = merge_aliases(Artists())


def _text(chance: random.Random) -> str:
    kind = chance.random()
    if kind < 0.15:
        name = chance.choice([*ALIASES, *ALIASES.values()])
        return chance.choice((name, name.upper(), f"{name} (?)", f"after {name}", f"{name}, 1800-1850", f"({name})"))
    if kind < 0.25:
        return "".join(
            chr(chance.choice((chance.randrange(32, 127), chance.randrange(0x80, 0xD800)))) for _ in range(12)
        )
    text = "".join(f"{chance.choice(_WORDS)}{chance.choice(_JOINTS)}" for _ in range(chance.randint(1, 7)))
    return text * 60 if kind > 0.985 else text


def _table(texts: list[str]) -> pa.Table:
    rows = [
        {**dict.fromkeys(RECORDS.names), "record_id": f"a:{place:04}", "artist": text}
        for place, text in enumerate(texts)
    ]
    return pa.Table.from_pylist(rows, schema=RECORDS)


def _names(chance: random.Random) -> tuple[str, Wrong | None]:
    own = {_text(chance): chance.choice((_text(chance), "", "Rembrandt")) for _ in range(chance.choice((0, 0, 3)))}
    try:
        aliases = merge_aliases(Artists(aliases=own)) if own else _SHIPPED
    except ValueError:
        aliases, own = _SHIPPED, {}  # what the recipe refuses is no case of this family
    texts = [_text(chance) for _ in range(60)]
    once = artists.with_artist_names(_table(texts), aliases)
    twice = artists.with_artist_names(once, aliases)
    order = chance.sample(range(len(texts)), len(texts))
    mixed = artists.with_artist_names(_table(texts).take(order), aliases)
    found = (
        _changed("turned twice", texts, once, twice, own),
        _changed("in another order", [texts[place] for place in order], once.take(order), mixed, own),
        _unlike(texts, once),
    )
    return f"{len(texts)} names, {len(own)} aliases", first_wrong(found)


def _changed(how: str, texts: list[str], was: pa.Table, now: pa.Table, own: dict[str, str]) -> Wrong | None:
    for text, before, after in zip(texts, was.to_pylist(), now.to_pylist(), strict=True):
        for column in ("artist", "artist_qualifier"):
            if before[column] != after[column]:
                return Wrong(
                    Fault.CHANGE, f"{how}: {text[:80]!r}: {before[column]!r}, then {after[column]!r} {own or ''}"
                )
    return None


def _unlike(texts: list[str], table: pa.Table) -> Wrong | None:
    for text, row in zip(texts, table.to_pylist(), strict=True):
        name, qualifier = row["artist"], row["artist_qualifier"]
        if name is not None and (not name.strip() or len(name) > 1000):
            return Wrong(Fault.CHANGE, f"{text[:80]!r} became {name[:80]!r}")
        if qualifier is not None and (name is None or qualifier not in QUALIFIERS):
            return Wrong(Fault.CHANGE, f"{text[:80]!r} has the qualifier {qualifier!r} and the name {name!r}")
    return None


def _styles(chance: random.Random) -> tuple[str, Wrong | None]:
    own = {_text(chance)[:60] or "x": chance.choice(("Cubism", "", "Own Style")) for _ in range(chance.choice((0, 3)))}
    try:
        names = styles.names_by_style(Styles(aliases=own))
    except ValueError:
        names = styles.names_by_style(Styles())
    for text in [_text(chance) for _ in range(200)]:
        once = styles.style_name(text, names)
        if styles.style_name(once, names) != once:
            return "200 styles", Wrong(Fault.CHANGE, f"{text!r}: {once!r}, then {styles.style_name(once, names)!r}")
    return "200 styles", None


def _release(chance: random.Random, scene: Scene) -> tuple[str, Wrong | None]:
    """The same rows in two orders are the same release."""
    images = scene.folder / "images"
    images.mkdir()
    rows = []
    for place in range(6):
        (images / f"{place}.png").write_bytes(encoded(drawing((40, 30), "RGB", chance), "PNG"))
        rows.append((f"k{chance.choice((place, place, 1))}", f"{place}.png", _text(chance).replace("\0", ""), "Cubism"))
    contents = []
    for turn in "ab":
        folder = scene.folder / turn
        folder.mkdir()
        with (images / "t.csv").open("w", newline="", encoding="utf-8", errors="replace") as file:
            csv.writer(file).writerows([("key", "image", "artist", "style"), *rows])
        ended = builds.build(builds.table_recipe("t.csv", "artist", "style"), images, folder)
        if (wrong := wrong_ending(ended, {0})) is not None:
            return "a release of six rows", wrong
        manifest = yaml.safe_load((builds.release_of(folder / "store", "odd") / "manifest.json").read_text())
        contents.append(manifest["content_sha256"])
        chance.shuffle(rows)
    what = "rows of a table in two orders"
    return what, None if contents[0] == contents[1] else Wrong(Fault.CHANGE, f"two releases of {rows}")


def _case(number: int, chance: random.Random, scene: Scene) -> tuple[str, Wrong | None]:
    if number % 12 == 11:
        return _release(chance, scene)
    return _styles(chance) if number % 6 == 5 else _names(chance)


FAMILY = Family(
    "artists", "names of artists and styles, turned twice and in any order", 160, 3, one_by_one("artists", _case)
)
