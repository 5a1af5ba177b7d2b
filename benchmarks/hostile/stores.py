"""Stores that are no good places: no rights, no room, no such protocol, a file where a folder should be."""

import contextlib
import random
import resource
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.hostile import builds
from benchmarks.hostile.cases import Family, Fault, Scene, Wrong, one_by_one
from benchmarks.hostile.commands import as_nobody, wrong_ending
from benchmarks.hostile.pictures import drawing, encoded

_NO_STORE = frozenset({2})
_WORKS = frozenset({0})
_EITHER = frozenset({0, 2})
_MACHINE = frozenset({0, 1, 2})  # 1: a machine on which this can't go on

_URLS: tuple[tuple[str, frozenset[int]], ...] = (
    ("s3://nobody-has-this-bucket/store", _NO_STORE),
    ("s3://", _NO_STORE),
    ("gs://nobody-has-this-bucket/store", _NO_STORE),
    ("az://nobody/store", _NO_STORE),
    ("http://127.0.0.1:9/store", _NO_STORE),
    ("https://127.0.0.1:9/store", _NO_STORE),
    ("ftp://127.0.0.1:9/store", _NO_STORE),
    ("sftp://127.0.0.1:9/store", _NO_STORE),
    ("nope://store", _NO_STORE),
    ("://", _EITHER),
    ("zip://store::/nowhere.zip", _NO_STORE),
    ("simplecache::s3://nobody/store", _NO_STORE),
    ("simplecache::file:///dev/null/store", _EITHER),
    ("memory://store", _EITHER),
    ("memory://", _EITHER),
    ("data:text/plain,store", _NO_STORE),
    ("/dev/null", _NO_STORE),
    ("/dev/null/store", _NO_STORE),
    ("/dev/full", _NO_STORE),
    ("/proc/store", _NO_STORE),
    ("/sys/store", _NO_STORE),
    ("", _EITHER),
    (" ", _EITHER),
    ("a" * 300, _NO_STORE),
    ("a/" * 3000, _NO_STORE),
    ("a\0b", _NO_STORE),
)
_GOOD_NAMES = (
    "a b",
    "é",
    "日本",
    "#a",
    "a?b",
    "a%20b",
    "{a}",
    "a'b",
    "-a",
    "a:b",
    "a[1]",
    "a*",
    "e\u0301",
    "a\nb",
    ".hidden",
    "a..b",
)
_INSIDE = (
    *("tmp", "blobs", "releases", "releases/odd", "releases/odd/latest", "outcomes", "outcomes/scrape", "decisions"),
    *("measures", "retrievals", "retrievals/odd", "tombstones", "measures/hash"),
)


def _bad_url(number: int, _: random.Random, scene: Scene) -> tuple[str, str, frozenset[int]]:
    url, statuses = _URLS[number % len(_URLS)]
    return f"the store {url[:60]!r}", url, statuses


def _good_name(number: int, _: random.Random, scene: Scene) -> tuple[str, str, frozenset[int]]:
    name = _GOOD_NAMES[number % len(_GOOD_NAMES)]
    prefix = "file://" if number % 3 == 0 and not set(name) & set("#?%") else ""
    return f"the store {prefix}.../{name!r}", f"{prefix}{scene.folder / name}", _WORKS


def _file_inside(number: int, chance: random.Random, scene: Scene) -> tuple[str, str, frozenset[int]]:
    """A file where the store has a folder, or a folder where it has a file."""
    place = scene.folder / "odd store" / _INSIDE[number % len(_INSIDE)]
    place.parent.mkdir(parents=True)
    kind = chance.choice(("file", "link to nowhere", "link to itself", "link to a file", "folder"))
    if kind == "file":
        place.write_bytes(b"in the way")
    elif kind == "folder":
        (place / "in the way").mkdir(parents=True)
    else:
        target = {"link to nowhere": "/nowhere/x", "link to itself": str(place), "link to a file": "/etc/hostname"}[
            kind
        ]
        place.symlink_to(target)
    return (
        f"a {kind} at {_INSIDE[number % len(_INSIDE)]}",
        str(scene.folder / "odd store"),
        _WORKS if kind == "folder" and place.name != "latest" else _MACHINE | {3},  # 3: `latest` names no release
    )


def _file(_: int, chance: random.Random, scene: Scene) -> tuple[str, str, frozenset[int]]:
    place = scene.folder / "odd store"
    place.write_bytes(chance.choice((b"", b"no folder")))
    return "a file as the store", str(place), _NO_STORE


def _read_only(_: int, chance: random.Random, scene: Scene) -> tuple[str, str, frozenset[int]]:
    place = scene.folder / "odd store"
    inside = place / chance.choice(("", "tmp", "releases/odd", "outcomes", "blobs"))
    inside.mkdir(parents=True)
    inside.chmod(0o555)
    return f"no rights in {inside.relative_to(scene.folder)}", str(place), frozenset({1, 2})


def _full(_: int, chance: random.Random, scene: Scene) -> tuple[str, str, frozenset[int]]:
    return "no file may be longer", str(scene.folder / "odd store"), _MACHINE


_KINDS: tuple[Callable[[int, random.Random, Scene], tuple[str, str, frozenset[int]]], ...] = (
    *(_bad_url, _bad_url, _bad_url, _good_name, _file_inside, _file_inside, _file, _read_only, _full, _full),
)


def _case(number: int, chance: random.Random, scene: Scene) -> tuple[str, Wrong | None]:
    images = scene.folder / "images"
    images.mkdir()
    for place in range(3):
        (images / f"{place}.png").write_bytes(encoded(drawing((60, 50), "RGB", chance), "PNG"))
    recipe = builds.folder_recipe()
    kind = _KINDS[number % len(_KINDS)]
    turn = number // len(_KINDS) * _KINDS.count(kind) + _KINDS[: number % len(_KINDS)].count(kind)
    what, store, statuses = kind(turn, chance, scene)
    most_bytes = chance.choice((0, 1, 100, 1000, 2000, 3000, 5000, 10_000, 20_000, 40_000)) if kind is _full else None
    builds.write_recipe(recipe, scene.folder)  # before there is no room
    rights = as_nobody(scene.folder) if kind is _read_only else contextlib.nullcontext()
    with rights, _files_of_at_most(most_bytes):
        ended = builds.build(recipe, images, scene.folder, store=store)
    what = f"{what} than {most_bytes} bytes" if kind is _full else what
    wrong = wrong_ending(ended, statuses, ("store", "release", "disk", "write"))
    if wrong is not None or (ended.status != 0 and kind is not _full):
        return what, wrong
    if kind is _full:  # with room again, it goes on
        ended = builds.build(recipe, images, scene.folder, store=store)
        if (wrong := wrong_ending(ended, _WORKS)) is not None:
            return f"{what}, then built again", wrong
    return what, _wrong_content(recipe, images, scene, ended.out)


def _wrong_content(recipe: builds.Row, images: Path, scene: Scene, out: str) -> Wrong | None:
    """Whatever the store, the release is the one that an ordinary store holds."""
    ordinary = scene.folder / "ordinary"
    ordinary.mkdir()
    builds.build(recipe, images, ordinary)
    version = Path(out.strip().splitlines()[-1].removeprefix("release: ")).name
    expected = builds.release_of(ordinary / "store", "odd").name
    return None if version == expected else Wrong(Fault.CHANGE, f"release {version} for {expected}")


@contextlib.contextmanager
def _files_of_at_most(length: int | None) -> Iterator[None]:
    """A block in which no file can be longer, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    if length is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (length, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


FAMILY = Family("stores", "stores without rights, room or protocol", 90, 4, one_by_one("stores", _case), limit_s=90)
