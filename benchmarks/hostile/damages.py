"""Damages of a built store: a build after each gives the same release as without it, or one sentence.

Half of the builds have more records than the release that is damaged, so that a lost memory shows as moved splits.
"""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

from benchmarks.hostile import builds
from benchmarks.hostile.cases import Family, Fault, Scene, Wrong, one_by_one
from benchmarks.hostile.commands import run_here, wrong_ending
from tasks.io.store.releases import Release

_REFUSED = {1, 2, 3}
"""Also 1: a promise of the store that does not hold."""

_AREAS = (
    *("releases/museum/latest", "releases/museum/latest", "releases/museum/*/manifest.json"),
    *("releases/museum/*/manifest.json", "releases/museum/*/ledger.parquet", "releases/museum/*/records.parquet"),
    *("releases/museum/*/*.*", "releases/museum/*/**/*.*", "blobs/*/*", "measures/hash/*/*"),
    *("measures/thumbnail/*/*", "measures/thumbnail-places/*/*", "measures/detect/*/*", "measures/view-hashes/*/*"),
    *("measures/search-*/**/*.parquet", "measures/relations/*/*", "decisions/*/*/*", "outcomes/*/*"),
    *("retrievals/museum/*", "retrievals/museum-answers/*", "decisions/split/*/*", "decisions/publication/*/*"),
)


def _pick(store: Path, pattern: str, chance: random.Random) -> Path:
    return chance.choice(sorted(path for path in store.glob(pattern) if path.is_file()))


def _flip(path: Path, chance: random.Random) -> str:
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 3, 30))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)
    return "bits flipped in"


def _truncate(path: Path, chance: random.Random) -> str:
    data = path.read_bytes()
    path.write_bytes(data[: chance.randrange(len(data))])
    return "cut:"


def _empty(path: Path, _: random.Random) -> str:
    path.write_bytes(b"")
    return "emptied:"


def _delete(path: Path, _: random.Random) -> str:
    path.unlink()
    return "deleted:"


def _braces(path: Path, chance: random.Random) -> str:
    text = chance.choice((b"{}", b"[]", b"null", b"\xff\xfe", b"0" * 5000, b"\n"))
    path.write_bytes(text)
    return f"{text[:8]!r} written over"


def _swap(path: Path, chance: random.Random) -> str:
    others = sorted(other for other in path.parent.parent.rglob("*") if other.is_file() and other != path)
    if not others:
        return _delete(path, chance)
    other = chance.choice(others)
    mine, its = path.read_bytes(), other.read_bytes()
    path.write_bytes(its)
    other.write_bytes(mine)
    return f"swapped with {other.name[:24]}:"


def _become_folder(path: Path, _: random.Random) -> str:
    path.unlink()
    path.mkdir()
    return "a folder in place of"


def _link(path: Path, chance: random.Random) -> str:
    path.unlink()
    path.symlink_to(chance.choice(("/nowhere", "/dev/null", path.name)))
    return "a bad link in place of"


def _remove_folder(path: Path, chance: random.Random) -> str:
    if path.parent.parent.name == "releases":  # a dataset without any release is a new one: nothing can know better
        return _delete(path, chance)
    shutil.rmtree(path.parent)
    return "with its whole folder deleted:"


_DAMAGES: tuple[Callable[[Path, random.Random], str], ...] = (
    *(_flip, _flip, _truncate, _empty, _delete, _delete, _braces, _swap, _become_folder, _link, _remove_folder),
)


def _of_any_file(store: Path, chance: random.Random) -> str:
    path = _pick(store, chance.choice(_AREAS), chance)
    name = path.relative_to(store)
    return f"{chance.choice(_DAMAGES)(path, chance)} {name}"


_FORGED: tuple[tuple[str, object], ...] = (
    *(("previous", "0123456789ab"), ("previous", "../../x"), ("previous", ""), ("previous", 7), ("lineage", 99)),
    *(("lineage", -1), ("lineage", "x"), ("content_sha256", "0" * 64), ("content_sha256", None), ("name", "other")),
    *(("name", "../x"), ("name", None), ("version", "0" * 12), ("version", ""), ("split_sha256", "0" * 64)),
    *(("recipe_sha256", "0" * 64), ("contract_version", "99"), ("counts", {}), ("counts", {"kept": 10**9})),
    *(("counts", {"kept": "x"}), ("files", {}), ("content", {}), ("environment", {}), ("unknown", 1)),
    ("amended", {"date": "x", "tombstones": 1, "content": {}}),
)


def _forged_manifest(store: Path, chance: random.Random) -> str:
    path = _pick(store, "releases/museum/*/manifest.json", chance)
    manifest = json.loads(path.read_text(encoding="utf-8"))
    field, value = chance.choice(_FORGED)
    if field == "previous" and chance.random() < 0.3:
        value = manifest["version"]  # itself
    manifest[field] = value
    path.write_text(json.dumps(manifest), encoding="utf-8")
    return f"{field} = {value!r:.30} forged in the manifest"


def _forged_latest(store: Path, chance: random.Random) -> str:
    text = chance.choice(
        (
            b"",
            b"\n",
            b"nobody",
            b"..",
            b"../museum",
            b"/etc",
            b"latest",
            b"\xff",
            b"a" * 5000,
            b"\0",
            b"0123456789ab\n",
            b".",
            b"a/b",
        )
    )
    (store / "releases/museum/latest").write_bytes(text)
    return f"{text[:20]!r} in latest"


def _many(store: Path, chance: random.Random) -> str:
    pattern = chance.choice(
        (
            "blobs/*/*",
            "measures/**/*.parquet",
            "decisions/*/*/*",
            "outcomes/*/*",
            "retrievals/*/*",
            "releases/museum/*/**/*.parquet",
        )
    )
    damage = chance.choice((_flip, _truncate, _empty, _delete))
    paths = sorted(path for path in store.glob(pattern) if path.is_file())
    said = [damage(path, chance) for path in paths if path.stat().st_size]
    return f"{said[0]} all of {pattern}"


def _added(store: Path, chance: random.Random) -> str:
    """Things where a store may have them, but has none."""
    name = chance.choice(
        (
            *("tombstones/museum.parquet", "tombstones/other.parquet", "retrievals/museum/x.journal"),
            *("retrievals/museum-answers/x.journal", "retrievals/web-images/x.journal"),
            *("retrievals/museum/x.parquet", "measures/hash/x", "outcomes/scrape/x.parquet"),
            *("releases/museum/0123456789ab", "releases/museum/x/manifest.json", "releases/museum/.DS_Store"),
            *("releases/museum/tombstones.parquet", "tmp/x", "blobs/00/x", "blobs/x", "decisions/split/x", "x"),
        )
    )
    path = store / name
    path.parent.mkdir(parents=True, exist_ok=True)
    data = chance.choice((b"", b"{}", chance.randbytes(300), _pick(store, "outcomes/*/*", chance).read_bytes()))
    path.write_bytes(data)
    return f"{len(data)} bytes at {name}"


def _removed(store: Path, chance: random.Random) -> str:
    name = chance.choice(
        (
            "releases",
            "releases/museum",
            "blobs",
            "measures",
            "decisions",
            "outcomes",
            "retrievals",
            "measures/detect",
            "tmp",
        )
    )
    shutil.rmtree(store / name)
    return f"{name} deleted"


_KINDS: tuple[Callable[[Path, random.Random], str], ...] = (
    *(_of_any_file, _of_any_file, _of_any_file, _of_any_file, _of_any_file, _forged_manifest, _forged_latest, _many),
    *(_added, _removed),
)


def _case(number: int, chance: random.Random, scene: Scene) -> tuple[str, Wrong | None]:
    store = builds.cloned(scene.built, scene.folder / "store")
    has_more = number % 2 == 1
    kind = _KINDS[number // 2 % len(_KINDS)]
    what = kind(store, chance) + (", with more records" if has_more else "")
    museum, undamaged = (scene.larger, scene.rebuilt) if has_more else (scene.museum, scene.built)
    ended = run_here(builds.museum_words(store, museum), 90)
    # without any release there is nothing that could be remembered
    is_first = not (store / "releases").is_dir() or what.startswith(("releases deleted", "releases/museum deleted"))
    wrong = wrong_ending(ended, {0, *_REFUSED}, seconds=60)
    if wrong is not None or ended.status != 0:
        return what, wrong
    if is_first and has_more:
        return what, None
    return what, wrong_release(store, undamaged, Path(ended.out.strip().splitlines()[-1].removeprefix("release: ")))


def wrong_release(store: Path, undamaged: Path, release: Path) -> Wrong | None:
    """What is wrong with a store's newest release, which should be that of an undamaged store."""
    made, expected = Release(str(release)), Release(f"{undamaged}/releases/museum/latest")
    was, now = (builds.images(place, "museum") for place in (undamaged, store))
    moved = [name for name, row in was.items() if name in now and now[name]["split"] != row["split"]]
    if moved:
        return Wrong(Fault.CHANGE, f"{len(moved)} of {len(was)} images in another split, such as {moved[0]}")
    # the manifest may be the damage itself: then the tables say what the release holds
    if made.manifest.content_sha256 != expected.manifest.content_sha256 and was == now:
        return Wrong(Fault.OTHER, "the same images, but a manifest with another content digest")
    if made.manifest.content_sha256 != expected.manifest.content_sha256:
        return Wrong(Fault.CHANGE, f"another content digest, with {len(now)} images for {len(was)}")
    if not made.is_intact():
        return Wrong(Fault.OTHER, "the release is still damaged")
    if builds.content(store) != made.manifest.content_sha256:
        return Wrong(Fault.OTHER, "`latest` names another release")
    return None


FAMILY = Family("damages", "a built store damaged in every place", 140, 3, one_by_one("damages", _case), limit_s=120)
