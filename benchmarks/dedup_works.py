"""The works that are graded, in a folder with a works.csv as the museum's: paintings and their copies, or a painted
museum.
"""

import csv
import json
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import dedup_variants
from benchmarks.dedup_variants import Transform
from benchmarks.results import ROOT
from examples.museum.folder import COLUMNS, write_museum

FOLDER = ROOT / "build" / "dedup-quality"
ORIGINAL = "original"
_THREADS = 2


@dataclass(frozen=True)
class Work:
    """A row of works.csv and the truth about it. original: the key of what it is a copy of; its own, if of nothing."""

    key: str
    original: str
    transform: str
    relation: str
    image: str


def paintings_at(seed: int, most: int | None) -> Path:
    """Where the paintings and their copies lie."""
    return FOLDER / f"paintings-{seed}-{most or 'all'}"


def written(
    folder: Path,
    works: Path,
    transforms: Sequence[Transform],
    seed: int,
    most: int | None = None,
    *,
    one_each: bool = False,
    chosen: Sequence[Path] | None = None,
) -> list[Work]:
    """Originals and their copies as images/*, with works.csv; files that are there are left as they are.

    most: the first so many images below the folder, all where None. chosen: these of its images instead.

    one_each: each original has one copy alone, by one transform after the other: none is found through a third image.

    Raises SystemExit where the folder has no images, or `works` was made of something else.
    """
    originals = list(chosen) if chosen is not None else images_below(folder)[:most]
    made_of = {
        "seed": seed,
        "one_each": one_each,
        "transforms": [transform.name for transform in transforms],
        "originals": [str(path.relative_to(folder)) for path in originals],
    }
    if not originals:
        raise SystemExit(f"expected images below {folder}, got none")
    sign(works, made_of)
    (works / "images").mkdir(exist_ok=True)
    with ThreadPoolExecutor(_THREADS) as threads:
        groups = threads.map(
            lambda one: _group(works, one[0], one[1], _of(one[0], transforms, one_each), seed), enumerate(originals)
        )
        found = [(work, path) for group, path in zip(groups, originals, strict=True) for work in group]
    rows = [[work.key, work.image, path.stem, path.stem.partition("_")[0], path.parent.name] for work, path in found]
    write_table(works / "works.csv", COLUMNS, (row + [""] * (len(COLUMNS) - len(row)) for row in rows))
    write_table(works / "truth.csv", list(asdict(found[0][0])), (list(asdict(work).values()) for work, _ in found))
    return [work for work, _ in found]


def images_below(folder: Path) -> list[Path]:
    """JPEG and PNG files at any depth, sorted."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in {".jpg", ".jpeg", ".png"})


def sign(works: Path, made_of: dict[str, Any]) -> None:
    """Make the folder, and write down what it is made of, as JSON can.

    Raises SystemExit where it was made of something else.
    """
    signed = works / "made-of.json"
    if signed.exists() and json.loads(signed.read_text(encoding="utf-8")) != made_of:
        raise SystemExit(f"expected an empty folder or one made of the same images, transforms and seed, got {works}")
    works.mkdir(parents=True, exist_ok=True)
    signed.write_text(json.dumps(made_of) + "\n", encoding="utf-8")


def _of(number: int, transforms: Sequence[Transform], one_each: bool) -> Sequence[Transform]:
    return [transforms[number % len(transforms)]] if one_each else transforms


def _group(works: Path, number: int, path: Path, transforms: Sequence[Transform], seed: int) -> list[Work]:
    """One original and its copies, made where they are missing."""
    original = f"{number:05}-{ORIGINAL}"
    group = [Work(original, original, ORIGINAL, "", f"images/{original}{path.suffix.lower()}")]
    _write(works / group[0].image, path.read_bytes())
    picture = None
    for transform in transforms:
        key = f"{number:05}-{transform.name}"
        group.append(Work(key, original, transform.name, transform.relation, f"images/{key}.jpg"))
        if not (works / group[-1].image).exists():
            picture = picture or dedup_variants.opened(path.read_bytes())
            _write(works / group[-1].image, dedup_variants.copy_of(picture, transform, original, seed))
    return group


def _write(path: Path, data: bytes) -> None:
    """All of the file or none of it; not again where it is there."""
    if not path.exists():
        beside = path.with_name(f".{path.name}.part")
        beside.write_bytes(data)
        beside.replace(path)


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def painted(folder: Path, works: int, seed: int) -> list[Work]:
    """A museum, painted unless it is there whole (its table is written last), and its own truth."""
    if not (folder / "works.csv").exists():
        write_museum(folder, works, seed)
    original_of, relation_of = {}, {}
    for row in rows_of(folder / "truth" / "duplicates.csv"):
        original_of[row["copy_key"]], relation_of[row["copy_key"]] = row["original_key"], row["relation"]
    return [
        Work(key, original_of.get(key, key), relation_of.get(key, ORIGINAL), relation_of.get(key, ""), row["image"])
        for row in rows_of(folder / "works.csv")
        for key in [row["key"]]
    ]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
