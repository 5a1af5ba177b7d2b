"""Servers that fail: a small share of `make campaign-faults`, each fault alone, all sources in turn."""

import random
import re
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow.parquet as pq

from benchmarks.campaign import release_of
from benchmarks.hostile import builds
from benchmarks.hostile.cases import Family, Fault, Scene, Wrong, one_by_one
from benchmarks.hostile.commands import run_here, wrong_ending
from examples.museum.serve import commons
from examples.museum.serve.faults import ARRIVES, KINDS, Faults
from examples.museum.serve.server import serving
from examples.museum.serve.works import CatalogueHall

_SOURCES = {
    "artic": {},
    "commons": {"categories": [commons.ROOT], "depth": 1},
    "met": {},
    "surrealism": {},
    "ukiyoe": {},
    "wikiart": {"copyright": "any"},
}
_WORKS, _PAINTINGS = 100, 6
_FRACTION = 0.08
_STAGES = [
    {"fetch": {"timeout_s": 1, "max_bytes": 2_000_000, "max_pixels": 50_000_000}},
    "hash",
    {"split": {"by": None, "order": None}},
    {"export": {"parquet": {"images": "none"}}},
]


def _case(number: int, chance: random.Random, scene: Scene) -> tuple[str, Wrong | None]:
    kinds = list(KINDS)
    kind, word = kinds[number % len(kinds)], list(_SOURCES)[number % len(_SOURCES)]
    faults = Faults(_FRACTION, chance.randrange(10**6), (kind,), ())
    recipe = builds.folder_recipe(
        bindings={},
        manners={"rate_per_s": 2000, "connections": 16, "tries": 4, "longest_wait_s": 20},
        sources=[{word: {"name": "odd", **_SOURCES[word]}}],
        stages=_STAGES,
    )
    what = f"{kind} at {_FRACTION:.0%} of the images of {word}"
    with serving(CatalogueHall(7, _WORKS, _PAINTINGS), faults=faults) as museum:
        for _ in ("first", "again"):
            ended = _built(recipe, scene.folder, museum.url)
            wrong = wrong_ending(ended, {0}, seconds=120) or _untrue(scene.folder / "store", faults)
            if wrong is not None:
                return what, wrong
    return what, None


def _built(recipe: builds.Row, folder: Path, url: str) -> builds.Ended:
    path = builds.write_recipe(recipe, folder)
    bound = builds.binds([f"origins=*={url}", "contact=curator@museum.example"])
    return run_here(["build", str(path), "--store", str(folder / "store"), *bound, "--workers", "2"], 150)


def _untrue(store: Path, faults: Faults) -> Wrong | None:
    places = pq.read_table(release_of(store, "odd") / "records.parquet", columns=["record_id", "locator"]).to_pylist()
    ledger = builds.ledger(store)
    if not ledger:
        return Wrong(Fault.CHANGE, "no records")
    for place in places:
        row = ledger[place["record_id"]]
        if row["stage"] == "scrape" or not re.match("https?://", place["locator"] or ""):
            continue
        ends = _ends(faults, place["locator"])
        if (row["reason"] or ARRIVES) not in ends:
            return Wrong(Fault.UNTRUE, f"{row['reason']} ({row['detail']}) for {' or '.join(ends)}")
    return None


def _ends(faults: Faults, locator: str) -> tuple[str, ...]:
    parts = urlsplit(locator)
    fault = faults.of(f"{parts.netloc}{parts.path}{'?' if parts.query else ''}{parts.query}", "image")
    return fault.kind.ends if fault else (ARRIVES,)


FAMILY = Family("servers", "servers that fail in every way they can", 44, 1, one_by_one("servers", _case), limit_s=170)
