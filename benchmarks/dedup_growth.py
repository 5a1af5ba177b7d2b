"""How the search for copies grows with a collection: milliseconds an image by default settings, and the build's peak.

    python -m benchmarks.dedup_growth [--painted 2000 18000 100000] [--drawn 400000] [--work FOLDER]

`painted`: museums of so many works, each built whole into an empty store by a process of its own. `drawn`: as many
files of 8 x 8 px are fetched by a first build; then what is measured of them is dealt from the pictures of a museum of
18,000, and a second build looks for copies:

- the perceptual hash is that of a picture with some 8 bits turned over, so that pictures lie near each other by chance
  as often as among so many painted ones,
- the thumbnail is another picture's, and the hashes of its views are that one's with as many bits turned over,
- of 175 keypoints 40 are those of a third picture at their places, the others those of any picture; in each code some 5
  bits are turned over. So pictures share places by chance, too.

Of every hundred one is a copy of the one before it. Times are those of the stage `dedup`: for
painted ones with hashing views and looking for keypoints, for drawn ones without.
"""

import argparse
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from numpy.typing import NDArray
from PIL import Image

from benchmarks.campaign import release_of, watched
from benchmarks.results import write
from schemas.tables import HASH, KEYPOINTS, THUMBNAIL_PLACES, THUMBNAILS, VIEW_HASHES
from tasks.core import tables
from tasks.dedup.stored_keypoints import KEYPOINTS_AT, gallery_of
from tasks.engine import inspection
from tasks.io.store.store import Store

MOST_MS = {2_000: 9.0, 18_000: 9.5, 100_000: 11.0, 400_000: 15.0}
MOST_PEAK_MB = {18_000: 1536.0, 100_000: 2048.0, 400_000: 3072.0}
SEED = 2029
POOL = 18_000
"""Painted works from whose pictures others are dealt."""
COPY_EVERY = 100
OWN_KEYPOINTS, OTHERS = 40, 135
ROWS = 2000
"""Pictures in a stored table, as builds have them."""
_SEARCHES = ("local-near", "local-pairs", "relations", "search-hashes", "search-pairs", "search-pieces")
_FOUND = [f"measures/{kind}" for kind in _SEARCHES]
"""What a search for copies leaves, in a store of pictures that were dealt before."""
_MOST_LETTERS = 10_000_000
"""Of what a build says: after a thousand parts, its first stages are far from the end."""
_STAGE = re.compile(r"^(fetch|dedup): (\d+) kept, .*, (\d+(?:\.\d+)?) s", re.MULTILINE)
_COLUMNS = ("key", "image", "title", "artist", "style", "rights_uri")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--painted", type=int, nargs="*", default=[2_000, 18_000, 100_000])
    parser.add_argument("--drawn", type=int, nargs="*", default=[400_000])
    parser.add_argument("--work", type=Path, help="where museums lie, and stay; by default a temporary folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dedup-growth-") as scratch:
        work = arguments.work or Path(scratch)
        painted = [_painted(work, works) for works in sorted(arguments.painted)]
        _write_rows("dedup-growth", painted)
        drawn = [_drawn(work, works) for works in sorted(arguments.drawn)]
        _write_rows("dedup-growth-drawn", drawn)
    rows = [*painted, *drawn]
    slow = [row for row in rows if row["dedup_ms_an_image"] > MOST_MS.get(row["works"], np.inf)]
    return 1 if slow or any(row["peak_mb"] > MOST_PEAK_MB.get(row["works"], np.inf) for row in rows) else 0


def _write_rows(name: str, rows: list[dict[str, Any]]) -> None:
    if rows:
        figures = [("ms", "dedup_ms_an_image"), ("peak_mb", "peak_mb")]
        write(name, rows, {f"{short}_{row['works']}": row[column] for short, column in figures for row in rows})


def _painted(work: Path, works: int) -> dict[str, Any]:
    folder = work / f"painted-{works}"
    if not (folder / "museum" / "works.csv").exists():
        paint = ["museum", "paint", str(folder / "museum"), "--records", str(works), "--seed", str(SEED)]
        if status := watched([sys.executable, "-m", "flows.cli", *paint])[0]:
            raise SystemExit(f"expected a museum of {works} works, got status {status}")
    shutil.rmtree(folder / "store", ignore_errors=True)
    seed = json.loads((folder / "museum" / "museum.json").read_text(encoding="utf-8"))["seed"]
    return {"works": works, "kind": f"painted, seed {seed}", **_built(folder, _recipe(dedup=True))}


def _drawn(work: Path, works: int) -> dict[str, Any]:
    folder, pool = work / f"drawn-{works}", work / f"painted-{POOL}"
    if not (pool / "store" / KEYPOINTS_AT).exists():
        _painted(work, POOL)
    _write_files(folder / "museum", works)
    dealt, deal = folder / "dealt.json", {"keypoints": KEYPOINTS_AT, "thumbnails": inspection.THUMBNAILS_AT}
    known = json.loads(dealt.read_text(encoding="utf-8")) if dealt.exists() else {}
    is_dealt = known.items() >= deal.items()
    for part in ("decisions", "releases", *(_FOUND if is_dealt else ("measures", "outcomes"))):  # the images stay
        shutil.rmtree(folder / "store" / part, ignore_errors=True)
    if not is_dealt:
        dealt.unlink(missing_ok=True)
        known = {**deal, "peak_mb": _built(folder, _recipe(dedup=False))["peak_mb"]}
        _deal(Store(str(folder / "store")), Store(str(pool / "store")))
        dealt.write_text(json.dumps(known), encoding="utf-8")
    row = _built(folder, _recipe(dedup=True))
    return {"works": works, "kind": "drawn", **row, "peak_mb": max(row["peak_mb"], known["peak_mb"])}


def _recipe(*, dedup: bool) -> dict[str, Any]:
    table = {"name": "museum", "at": "images", "table": "works.csv", "columns": {name: name for name in _COLUMNS}}
    looks = [{"dedup": {}}] if dedup else []
    stages = ["fetch", "hash", *looks, "split", {"export": {"parquet": {"images": "none"}}}]
    return {"name": "growth", "bindings": {"images": "a museum"}, "sources": [{"table": table}], "stages": stages}


def _built(folder: Path, recipe: dict[str, Any]) -> dict[str, Any]:
    path, store = folder / "recipe.yaml", folder / "store"
    path.write_text(yaml.safe_dump(recipe), encoding="utf-8")
    options = ["--store", str(store), "--bind", f"images={folder / 'museum'}"]
    words = [sys.executable, "-m", "flows.cli", "build", str(path), *options]
    status, seconds, peak_mb, said = watched(words, _MOST_LETTERS)
    if status:
        raise SystemExit(f"expected a release, got status {status}: {said}")
    found = {stage: (int(kept), float(took)) for stage, kept, took in _STAGE.findall(said)}
    row = {"total_s": round(seconds), "peak_mb": round(peak_mb)}
    if "dedup" in found:
        images, took = found["fetch"][0], found["dedup"][1]
        relations = pq.read_metadata(release_of(store, "growth") / "relations.parquet").num_rows
        row |= {"images": images, "dedup_s": took, "dedup_ms_an_image": round(1000 * took / images, 2)}
        row |= {"kept": found["dedup"][0], "relations": relations}
    print(row, flush=True)
    return row


def _write_files(museum: Path, works: int) -> None:
    """Files of 8 x 8 px, no two alike, and their table."""
    if (museum / "works.csv").exists():
        return
    rng = np.random.default_rng(SEED)
    lines = [",".join(_COLUMNS)]
    for first in range(0, works, 1000):
        folder = museum / "images" / str(first // 1000)
        folder.mkdir(parents=True)
        for work in range(first, min(first + 1000, works)):
            path = folder / f"{work}.png"
            Image.fromarray(rng.integers(0, 256, (8, 8, 3), dtype=np.uint8)).save(path)
            rights = "https://creativecommons.org/publicdomain/zero/1.0/"
            lines.append(
                f"{work},{path.relative_to(museum)},Work {work},Artist {work % 997},Style {work % 23},{rights}"
            )
    (museum / "works.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _deal(store: Store, pool: Store) -> None:
    """Put measurements of the pool's pictures in the place of the store's own."""
    rng, deck = np.random.default_rng(SEED), _Deck(pool)
    hashes = _whole(store, inspection.HASHES)
    for folder in (inspection.HASHES, inspection.THUMBNAILS_AT, inspection.THUMBNAIL_PLACES_AT):
        for ref, _ in [*store.tables(folder)]:
            store.remove(ref.path)
    for start in range(0, hashes.num_rows, ROWS):
        rows = hashes.slice(start, ROWS)
        sha256, side = rows["sha256"], pa.array([256] * rows.num_rows, pa.int32())
        phash, thumbnails, codes, places = (list(column) for column in zip(*deck.deal(rows.num_rows, rng), strict=True))
        measured = {"width_px": side, "height_px": side, "phash": pa.array(phash, pa.uint64())}
        _write(store, inspection.HASHES, HASH, [measured.get(name, rows[name]) for name in HASH.names])
        at = _write(store, inspection.THUMBNAILS_AT, THUMBNAILS, [sha256, deck.jpegs.take(thumbnails)])
        _write(store, inspection.THUMBNAIL_PLACES_AT, THUMBNAIL_PLACES, [sha256, [at] * rows.num_rows])
        is_copy = np.arange(rows.num_rows) % COPY_EVERY == 1
        for folder, keys in deck.views.items():
            _write(store, folder, VIEW_HASHES, [sha256, [*_as_seen(keys[thumbnails], is_copy, rng)]])
        _write(store, KEYPOINTS_AT, KEYPOINTS, [sha256, codes, places])


def _write(store: Store, folder: str, schema: pa.Schema, columns: list[Any]) -> str:
    return store.write_table(folder, pa.table(columns, schema=schema), is_remembered=False).path


def _whole(store: Store, folder: str) -> pa.Table:
    return pa.concat_tables([table for _, table in store.tables(folder)])


class _Deck:
    """Hashes, thumbnails, hashes of views and keypoints of painted pictures."""

    def __init__(self, pool: Store) -> None:
        thumbnails, keypoints = _whole(pool, inspection.THUMBNAILS_AT), _whole(pool, KEYPOINTS_AT)
        self.jpegs = thumbnails["jpeg"].combine_chunks()
        folders = [f"measures/view-hashes/{key}" for key in pool.list_folder("measures/view-hashes")]
        hashed = {folder: tables.lookup(_whole(pool, folder), "sha256", thumbnails["sha256"]) for folder in folders}
        self.views = {folder: np.stack(table["keys"].to_numpy()) for folder, table in hashed.items()}
        self._hashes = _whole(pool, inspection.HASHES)["phash"].drop_null().to_numpy()
        self._galleries = [gallery_of(keypoints.slice(row, 1)).keypoints for row in range(keypoints.num_rows)]
        self._galleries = [of for of in self._galleries if len(of.codes) >= OWN_KEYPOINTS]
        self._all = [np.concatenate(side) for side in zip(*self._galleries, strict=True)]

    def deal(self, pictures: int, rng: np.random.Generator) -> Iterator[tuple[np.uint64, int, Any, Any]]:
        """Hash, number of the thumbnail, codes and places of so many pictures."""
        for picture in range(pictures):
            if picture % COPY_EVERY != 1:
                phash = rng.choice(self._hashes) ^ _turned(rng, 1, 8 / 64)[0]
                thumbnail = int(rng.integers(len(self.jpegs)))
                third, anywhere = self._galleries[rng.integers(len(self._galleries))], len(self._all[0])
                rows = rng.permutation(len(third.codes))[:OWN_KEYPOINTS], rng.integers(0, anywhere, OTHERS)
                codes, places = (
                    np.concatenate([own[rows[0]], of_all[rows[1]]])
                    for own, of_all in zip(third, self._all, strict=True)
                )
                codes = codes ^ _turned(rng, len(codes), 5 / 64)
            else:  # a copy of the one before, saved again
                phash, codes = phash ^ _turned(rng, 1, 1 / 64)[0], codes ^ _turned(rng, len(codes), 1 / 64)
            yield phash, thumbnail, codes, places.ravel()


def _as_seen(keys: NDArray[np.uint64], is_copy: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.uint64]:
    """Hashes of views (N, V) as of other pictures than the pool's; of a copy nearly those of the row before it."""
    keys = keys ^ _turned(rng, keys.size, 8 / 64).reshape(keys.shape)
    copies = np.flatnonzero(is_copy)
    keys[copies] = keys[copies - 1] ^ _turned(rng, keys[copies].size, 1 / 64).reshape(-1, keys.shape[1])
    return keys


def _turned(rng: np.random.Generator, words: int, share: float) -> NDArray[np.uint64]:
    """(words,) with each bit set in that share of them."""
    bits = np.packbits(rng.random((words, 64)) < share, axis=1)
    return bits.view(np.uint64)[:, 0]


if __name__ == "__main__":
    sys.exit(main())
