"""Recipes that no person would write: bombs, depth, tags, wrong types at every place of the schema, odd `--set`."""

import functools
import random
from collections.abc import Callable
from typing import Any

import yaml

from benchmarks.hostile import builds
from benchmarks.hostile.cases import Family, Scene, Wrong, one_by_one
from benchmarks.hostile.commands import run_command, run_here, wrong_ending
from benchmarks.hostile.schema_paths import ODD_VALUES, Place, is_surely_wrong, places_of, with_value
from schemas.recipe import Recipe

_ANY = frozenset({0, 2, 3})
_BAD = frozenset({2})
_EVERY_SO_MANY = 50
"""One case in so many runs as a command of its own, since a start takes seconds."""

_WEB: dict[str, dict[str, Any]] = {
    "artic": {},
    "commons": {"categories": ["Category:Paintings"]},
    "flickr": {"group_id": "34427469792@N01", "secret": "images"},
    "met": {},
    "surrealism": {},
    "ukiyoe": {},
    "wikiart": {},
}
_NOT_IN_THE_RECIPE: dict[str, dict[str, Any]] = {"folder": {"at": "images", "pattern": "{title}"}, **_WEB}


@functools.cache
def _good() -> str:
    return builds.RECIPE.read_text(encoding="utf-8")


@functools.cache
def _places() -> list[Place]:
    return places_of(Recipe.model_json_schema())


def _placed(place: Place) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """A good recipe that has the place's source or stage, and the path of the place in it."""
    fields, path = yaml.safe_load(_good()), place.path
    if path[0] not in {"sources", "stages"} or len(path) < 3:
        return fields, path
    entries, word = fields[path[0]], str(path[2])
    if word in _NOT_IN_THE_RECIPE:
        fields["sources"] = [{word: {"name": "odd", **_NOT_IN_THE_RECIPE[word]}}]
        return fields, path
    if word == "quality":
        entries.insert(2, {"quality": {}})
    at = next(number for number, entry in enumerate(entries) if word in entry)
    return fields, (path[0], at, *path[2:])


def _wrong_type(chance: random.Random) -> tuple[str, bytes, frozenset[int], tuple[str, ...]]:
    place, value = chance.choice(_places()), chance.choice(ODD_VALUES)
    fields, path = _placed(place)
    what = f"{'.'.join(map(str, path))} = {value!r:.60}"
    may_be_empty = path[-1] in {"label", "seed"} and not value  # then it is the default
    # the recipe's own mapping, or a stage's, may also be left empty
    is_settings = len(path) == 3 and path[0] in {"stages", "sources"} and not value
    is_wrong = is_surely_wrong(value, place.types) and not may_be_empty and not is_settings
    text = yaml.dump(with_value(fields, path, value), allow_unicode=True, Dumper=yaml.Dumper)
    # what can't be read at all is named by its line
    names = (
        (*place.words, "(line ") if is_wrong else (*place.words, *(map(str, path)), "contact", "expected", "binding")
    )
    return what, text.encode("utf-8", "surrogatepass"), _BAD if is_wrong else _ANY, names


def _bomb(levels: int, width: int, text: str = '"lol"') -> str:
    lines = [f"a0: &a0 [{', '.join([text] * width)}]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * width)}]" for level in range(1, levels)]
    return "\n".join(lines) + "\n"


def _merge_bomb(levels: int) -> str:
    lines = ["m0: &m0 {x: 1}"]
    lines += [f"m{level}: &m{level} {{<<: [*m{level - 1}, *m{level - 1}], y{level}: 1}}" for level in range(1, levels)]
    return "\n".join(lines) + "\n"


_TEXTS: tuple[tuple[str, Callable[[str], str | bytes], frozenset[int]], ...] = (
    *(("nothing", lambda _: "", _BAD), ("blanks", lambda _: " \n\n  \n", _BAD)),
    *(("a comment", lambda _: "# nothing\n", _BAD), ("a list", lambda _: "- 1\n- 2\n", _BAD)),
    *(("a text", lambda _: "name\n", _BAD), ("a number", lambda _: "7\n", _BAD), ("null", lambda _: "null\n", _BAD)),
    ("two documents", lambda good: f"{good}---\n{good}", _BAD),
    ("tabs", lambda good: good.replace("  ", "\t"), _BAD),
    ("a byte order mark", lambda good: f"\ufeff{good}", frozenset({0, 2})),
    ("line ends of Windows", lambda good: good.replace("\n", "\r\n"), frozenset({0})),
    ("UTF-16", lambda good: good.encode("utf-16"), _BAD),
    ("latin-1", lambda good: good.replace("pretend", "prétend").encode("latin-1"), _BAD),
    ("NUL", lambda good: good.replace("museum", "mus\0eum", 1), _BAD),
    ("a control character", lambda good: good.replace("museum", "mus\x07eum", 1), _BAD),
    ("an escape of the terminal", lambda good: good.replace("name: museum", 'name: "\\e[31mred"'), _BAD),
    ("a lone surrogate", lambda good: good.replace("The pretend", '"\\ud800"'), _BAD),
    ("a bomb of references", lambda good: good + _bomb(9, 9), _BAD),
    ("a deep bomb", lambda good: good + _bomb(40, 2), _BAD),
    ("a bomb as categories", lambda good: _bomb(9, 9) + good + "categories: *a8\n", _BAD),
    ("a bomb as the name", lambda good: _bomb(30, 2) + good.replace("name: museum", "name: *a29", 1), _BAD),
    ("a bomb of merges", lambda good: good + _merge_bomb(25), _BAD),
    (
        "a bomb of merges as bindings",
        lambda good: _merge_bomb(28) + good.replace("bindings:", "bindings:\n  <<: *m27"),
        _BAD,
    ),
    ("a list that holds itself", lambda good: good + "categories: &c [*c]\n", _BAD),
    ("a mapping that holds itself", lambda good: good + "styles: &s {aliases: *s}\n", _BAD),
    ("stages that hold themselves", lambda good: good.partition("stages:")[0] + "stages: &s [{screen: *s}]\n", _BAD),
    (
        "a stage that holds itself",
        lambda good: good.replace("- fetch: {max_pixels: 1000000}", "- &f {fetch: *f}"),
        _BAD,
    ),
    ("brackets 500 deep", lambda good: good + "categories: " + "[" * 500 + "]" * 500 + "\n", _BAD),
    ("brackets 100,000 deep", lambda good: good + "categories: " + "[" * 100_000 + "\n", _BAD),
    ("mappings 300 deep", lambda good: good + "".join(f"{' ' * level}a:\n" for level in range(300)), _BAD),
    ("dashes 20,000 deep", lambda good: good + "categories: " + "- " * 20_000 + "x\n", _BAD),
    ("a key twice", lambda good: good + "seed: 1\n", _BAD),
    (
        "a deep key twice",
        lambda good: good.replace("{radius", "{x").replace("at: images", "at: images\n      at: weights"),
        _BAD,
    ),
    ("the stages twice", lambda good: good + "stages:\n" + good.partition("stages:\n")[2], _BAD),
    ("a tag of Python", lambda good: good + "categories: !!python/object/apply:os.system ['true']\n", _BAD),
    ("a tag of one's own", lambda good: good + "categories: !mine [person]\n", _BAD),
    ("a set", lambda good: good + "categories: !!set {person}\n", _BAD),
    ("pairs", lambda good: good + "categories: !!omap [a: b]\n", _BAD),
    ("binary", lambda good: good.replace("name: museum", "name: !!binary bXVzZXVt"), frozenset({0, 2})),
    ("bad base64", lambda good: good.replace("name: museum", "name: !!binary '*'"), _BAD),
    ("a date as the name", lambda good: good.replace("name: museum", "name: 2020-01-01"), _BAD),
    ("a date that is none", lambda good: good.replace("name: museum", "name: 2020-13-45"), _BAD),
    ("a time far out", lambda good: good + "limit: 9999-12-31T23:59:59+99:99\n", _BAD),
    ("a number of 5,000 digits", lambda good: good.replace("seed: 2023", "seed: " + "9" * 5000), _BAD),
    ("a number of sixties", lambda good: good.replace("seed: 2023", "seed: 1" + ":59" * 3000), _BAD),
    ("an underscore number", lambda good: good.replace("seed: 2023", "seed: 0x"), _BAD),
    ("octal", lambda good: good.replace("seed: 2023", "seed: 0o7"), _BAD),
    ("a float without end", lambda good: good.replace("seed: 2023", "seed: 1e999"), _BAD),
    ("keys that are lists", lambda good: good + "? [a, b]\n: 1\n", _BAD),
    ("keys that are mappings", lambda good: good + "? {a: b}\n: 1\n", _BAD),
    ("keys that are numbers", lambda good: good + "7: 1\n", _BAD),
    ("a key of 100 kB", lambda good: good + "k" * 100_000 + ": 1\n", _BAD),
    ("a quoted key of 5 kB", lambda good: good + f'"{"k" * 5000}": 1\n', _BAD),
    ("5,000 unknown keys", lambda good: good + "".join(f"k{place}: 1\n" for place in range(5000)), _BAD),
    ("10,000 stages", lambda good: good + "".join(f"  - screen: {{label: s{place}}}\n" for place in range(3000)), _BAD),
    ("a title of 5 MB", lambda good: good.replace("The pretend museum", "x" * 5_000_000), frozenset({0, 2})),
    ("an anchor nobody knows", lambda good: good + "categories: *nobody\n", _BAD),
    ("an open quote", lambda good: good + 'description: "open\n', _BAD),
    ("JSON", lambda good: __import__("json").dumps(yaml.safe_load(good)), frozenset({0})),
    ("a directive", lambda good: f"%YAML 9.9\n---\n{good}", frozenset({0, 2})),
    ("an unknown directive", lambda good: f"%ODD x\n---\n{good}", frozenset({0, 2})),
    ("noise", lambda _: random.Random(1).randbytes(3000), _BAD),
    ("a picture", lambda _: b"\x89PNG\r\n\x1a\n" + bytes(500), _BAD),
    ("HTML", lambda _: "<!doctype html><html><body>404</body></html>", _BAD),
    ("the shipped lock", lambda _: "prefect==3.8\n", _BAD),
)


def _odd_text(number: int) -> tuple[str, bytes, frozenset[int], tuple[str, ...]]:
    what, make, statuses = _TEXTS[number % len(_TEXTS)]
    text = make(_good())
    return what, text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"), statuses, ()


_LABELS = ("fetch", "hash", "shape", "dedup", "detect", "has-a-figure", "sample", "split", "export")
_TARGETS = (
    *("=", "==", "=1", ".=1", "..=1", "a", "stages", "stages=1", "stages.=1", "stages.dedup=1", "stages..x=1"),
    *("stages.dedup.=3", "stages.nobody.x=1", "stages.dedup.radius_bits.x=1", "sources=[]", "sources.0.name=x"),
    *("sources.museum.at=x", "name=", "name=Ü", "name.x=1", "seed=-1", "seed=x", "seed=", "é=1", "stages.é.x=1"),
    *(f"{'a.' * 3000}b=1", f"stages.dedup.{'a' * 5000}=1", "\n=1"),
    *("stages.split.ratios={train: 0, val: 0, test: 0}", "stages.split.ratios.train=.inf"),
    *("stages.split.ratios.train=-1", "stages.detect.classes={}", "stages.detect.classes={person: -1}"),
    *("stages.detect.classes={person: 99999999999999999999}", "stages.sample.at_most=0"),
    *("stages.export.media=perhaps", "limit=0", "limit=1e99", "bindings={}", "bindings.x=1", "x.y.z=1"),
    *("categories=[]", "categories=[person, person]", "stages.dedup.by=[]", "stages.fetch={}"),
    *("stages.fetch.max_pixels=1e18", "stages.shape.aspect={least: 3, most: 1}"),
    *("stages.shape.aspect={least: .nan}", "stages.dedup.radius_bits=0x10", "a=b=c", "a==b"),
    *("stages.shape.aspect=[1", "stages.shape.aspect={", 'title="', "title=*x", "title=&x [*x]"),
    *("title=!!python/name:os.system", "title=%", "title=@", "title=`", "description=" + "[" * 5000),
    *("title=2020-13-45", "max_loss_fraction=nan", "max_loss_fraction=.nan", "stages.dedup.label="),
)


def _odd_set(chance: random.Random) -> tuple[str, list[str]]:
    if chance.random() < 0.4:
        change = chance.choice(_TARGETS)
    else:
        places = [place for place in _places() if len(place.path) > 3 and place.path[0] == "stages"]
        place = chance.choice(places)
        word = {"screen": "shape"}.get(str(place.path[2]), str(place.path[2]))
        path = ".".join(map(str, place.path[3:]))
        value = yaml.dump(chance.choice(ODD_VALUES), default_flow_style=True, Dumper=yaml.Dumper)
        change = f"stages.{word}.{path}={value.removesuffix(chr(10)).removesuffix('...').strip()}"
    return f"--set {change[:80]!r}", ["--set", change]


def _case(number: int, chance: random.Random, scene: Scene) -> tuple[str, Wrong | None]:
    statuses, names, more = _ANY, (), []
    text = _good().encode()
    if number < len(_TEXTS):
        what, text, statuses, names = _odd_text(number)
    elif number % 4 == 3:
        what, more = _odd_set(chance)
    else:
        what, text, statuses, names = _wrong_type(chance)
    path = scene.folder / "recipe.yaml"
    path.write_bytes(text)
    # its store has every measure already, and a plan writes nothing
    words = builds.museum_words(scene.built, scene.museum, "plan")
    words[1] = str(path)
    words += more
    ended = run_command(words, 90) if number % _EVERY_SO_MANY == 0 else run_here(words, 30)
    return what, wrong_ending(ended, statuses, names, seconds=40 if number % _EVERY_SO_MANY == 0 else 20)


FAMILY = Family(
    "recipes", "recipes: bombs, tags, wrong types at every place", 480, 5, one_by_one("recipes", _case), limit_s=120
)
